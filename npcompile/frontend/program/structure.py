"""The structure of the answer: which containers a replay makes around the values that steps give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from torch import fx


@dataclass
class Structure:
    """One level of the answer: a container and its parts, or a value.

    Parameters
    ----------
    kind : {"leaf", "const"} or type
        A value that a step gives, a constant, or the type of a container.
    parts : list
        The step or constant; else the structures that lie in the container, of a dict with their keys.
    """

    kind: Any
    parts: list[Any] = field(default_factory=list)

    def text(self, names: Callable[[Any], str]) -> str:
        """Return Python text that makes the answer; `names` writes each value."""
        if self.kind in ("leaf", "const"):
            return names(self.parts[0])
        if self.kind is dict:
            return "{" + ", ".join(f"{names(key)}: {part.text(names)}" for key, part in self.parts) + "}"
        inner = ", ".join(part.text(names) for part in self.parts)
        if self.kind is tuple:
            return f"({inner},)" if len(self.parts) == 1 else f"({inner})"
        return f"[{inner}]"

    def leaves(self) -> Iterable[fx.Node]:
        """Yield the steps whose values are in the answer."""
        if self.kind == "leaf":
            yield self.parts[0]
        elif self.kind is dict:
            for key, part in self.parts:
                yield from (key, *part.leaves()) if isinstance(key, fx.Node) else part.leaves()
        elif self.kind != "const":
            for part in self.parts:
                yield from part.leaves()
