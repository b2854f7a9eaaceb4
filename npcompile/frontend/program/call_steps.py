"""Opaque calls: the target of a step that calls a function, or a method, again at each replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Call:
    """An opaque call: of a function, or of a method of its first argument."""

    name: str
    function: Callable[..., Any] | None = None  # None: the method `name` of the first argument
    __name__ = "call"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.function is not None:
            return self.function(*args, **kwargs)
        return getattr(args[0], self.name)(*args[1:], **kwargs)
