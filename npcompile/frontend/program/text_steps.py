"""Steps that format text of traced values: a replay formats again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_CONVERSION: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


class Piece(str):
    """A field of an f-string on its way into the whole: an object of its own, where equal short texts are one
    object to CPython."""

    __slots__ = ()


class Format:
    """The field `{value!conversion:spec}` of an f-string."""

    __name__ = "format"

    def __init__(self, conversion: str, spec: str) -> None:
        self.conversion = conversion
        self.spec = spec

    def __call__(self, value: Any) -> str:
        if self.conversion:
            value = _CONVERSION[self.conversion](value)
        return format(value, self.spec)


def join(*parts: str) -> str:
    """Return an f-string of its parts."""
    return "".join(parts)


def percent(template: str, values: Any) -> str:
    """Return `template % values`."""
    return template % values


def fill(template: str, *args: Any, **kwargs: Any) -> str:
    """Return `template.format(...)`."""
    return template.format(*args, **kwargs)


def fresh_text(text: str) -> str | None:
    """Return an equal text as an object of its own; None where CPython has one for all that are equal."""
    return "".join([text[:1], text[1:]]) if len(text) > 1 else None
