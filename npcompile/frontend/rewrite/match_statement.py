"""Runs `match` statements: the hooks try patterns, which are data here, as Python tries them.

A pattern is a tuple, its kind first: ("any", name), ("value", value), ("is", value), ("as", pattern, name),
("or", patterns), ("sequence", least length, place of the star, patterns), ("star", name), ("mapping", keys,
patterns, name of the rest), ("class", class, patterns, names, patterns by name).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

_SEQUENCE, _MAPPING, _MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22  # flags of types, as CPython has them
_MISSING: Any = object()
_NO_STAR = -1


class Asked(Protocol):
    """The hooks that matching calls: `hooks.Hooks` says of each which operation it does."""

    def truth(self, value: Any) -> bool: ...
    def compare(self, op: str, a: Any, b: Any) -> Any: ...
    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any: ...
    def getattr(self, obj: Any, name: str) -> Any: ...
    def getitem(self, obj: Any, index: Any) -> Any: ...
    def iterate(self, obj: Any) -> Iterable[Any]: ...
    def unpack(self, value: Any, count: int) -> Iterable[Any]: ...
    def unpack_star(self, value: Any, before: int, after: int) -> Iterable[Any]: ...
    def build(self, value: Any) -> Any: ...


def match(hooks: Asked, subject: Any, pattern: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return True and the values to bind to these names if the pattern fits, else an empty tuple."""
    found: dict[str | None, Any] = {}
    return (True, *(found[name] for name in names)) if _fits(hooks, subject, pattern, found) else ()


def _fits(hooks: Asked, value: Any, pattern: tuple[Any, ...], found: dict[str | None, Any]) -> bool:
    kind, *parts = pattern
    if kind == "any":
        found[parts[0]] = value
        return True
    if kind == "value":
        return hooks.truth(hooks.compare("==", value, parts[0]))
    if kind == "is":
        return hooks.truth(hooks.compare("is", value, parts[0]))
    if kind == "as":
        fits = _fits(hooks, value, parts[0], found)
        found[parts[1]] = value
        return fits
    if kind == "or":
        return any(_fits(hooks, value, part, found) for part in parts[0])
    if kind == "sequence":
        return _fits_sequence(hooks, value, parts[0], parts[1], parts[2], found)
    if kind == "mapping":
        return _fits_mapping(hooks, value, parts[0], parts[1], parts[2], found)
    return _fits_class(hooks, value, parts[0], parts[1], parts[2], parts[3], found)


def _all_fit(hooks: Asked, values: Any, patterns: Any, found: dict[str | None, Any]) -> bool:
    return all(_fits(hooks, value, part, found) for value, part in zip(values, patterns, strict=True))


def _fits_sequence(
    hooks: Asked, value: Any, least: int, star: int, patterns: Any, found: dict[str | None, Any]
) -> bool:
    if not type(value).__flags__ & _SEQUENCE:
        return False
    length = hooks.call(len, value)
    if not hooks.truth(hooks.compare("==" if star == _NO_STAR else ">=", length, least)):
        return False
    if star == _NO_STAR:
        return _all_fit(hooks, list(hooks.unpack(value, least)), patterns, found)
    items = list(hooks.unpack_star(value, star, least - star))
    end = len(items) - (least - star)
    found[patterns[star][1]] = hooks.build(items[star:end])
    return _all_fit(hooks, [*items[:star], *items[end:]], [*patterns[:star], *patterns[star + 1 :]], found)


def _fits_mapping(
    hooks: Asked, value: Any, keys: Any, patterns: Any, rest: str | None, found: dict[str | None, Any]
) -> bool:
    if not type(value).__flags__ & _MAPPING:
        return False
    items = []
    for key in keys:
        if type(value) is dict:
            if not hooks.truth(hooks.compare("in", key, value)):
                return False
            items.append(hooks.getitem(value, key))
        else:
            items.append(hooks.call(hooks.getattr(value, "get"), key, _MISSING))
            if items[-1] is _MISSING:
                return False
    if not _all_fit(hooks, items, patterns, found):
        return False
    if rest is not None:
        found[rest] = hooks.build({k: hooks.getitem(value, k) for k in hooks.iterate(value) if k not in keys})
    return True


def _fits_class(
    hooks: Asked,
    value: Any,
    cls: Any,
    patterns: Any,
    names: Any,
    named: Any,
    found: dict[str | None, Any],
) -> bool:
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if not hooks.call(isinstance, value, cls):
        return False
    items = []
    if patterns:
        taken = _positions(hooks, cls, len(patterns))
        if taken is None:
            items.append(value)
        else:
            repeated = [
                name for place, name in enumerate((*taken, *names)) if name in (*taken, *names)[:place]
            ]
            if repeated:
                text = f"{cls.__name__}() got multiple sub-patterns for attribute {repeated[0]!r}"
                raise TypeError(text)
            names = (*taken, *names)
    for name in names:
        if not hooks.call(hasattr, value, name):
            return False
        items.append(hooks.getattr(value, name))
    return _all_fit(hooks, items, [*patterns, *named], found)


def _positions(hooks: Asked, cls: type, count: int) -> tuple[str, ...] | None:
    """Return the attributes that positional patterns are matched with; None: the object itself."""
    itself = False
    allowed: tuple[Any, ...] = ()
    if hasattr(cls, "__match_args__"):
        allowed = hooks.getattr(cls, "__match_args__")
        if type(allowed) is not tuple:
            kind = type(allowed).__name__
            raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {kind})")
    else:
        itself = bool(cls.__flags__ & _MATCHES_ITSELF)
    most = 1 if itself else len(allowed)
    if count > most:
        plural = "" if most == 1 else "s"
        raise TypeError(f"{cls.__name__}() accepts {most} positional sub-pattern{plural} ({count} given)")
    for name in allowed[:count]:
        if type(name) is not str:
            kind = type(name).__name__
            raise TypeError(f"__match_args__ elements must be strings (got {kind})")
    return None if itself else allowed[:count]
