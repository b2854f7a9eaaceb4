"""Steps on objects of the user's classes: building them of what they hold, and storing into them.

A recording follows what an object holds. A replay makes the object again, without running the class's code,
where one that the function made leaves it.
"""

from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from npcompile.frontend.catalog import inlining
from npcompile.frontend.program.replay_interface import ReplayText

_ABSENT: Any = object()


def class_attribute(kind: type, name: str, nothing: Any = None) -> Any:
    """Return the attribute that a class or a base holds under a name, as it lies there; else `nothing`."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return nothing


def is_absent(obj: Any, name: str) -> bool:
    """Tell whether neither an object nor its class holds a name: `__getattr__` would be asked for it."""
    return name not in getattr(obj, "__dict__", ()) and not hasattr(type(obj), name)


def is_plain(kind: type, *names: str) -> bool:
    """Tell whether a class does all of these as `object` does."""
    return all(getattr(kind, name) is getattr(object, name) for name in names)


def is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_make")


def is_users_mapping(obj: Any) -> bool:
    """Tell whether this is a dict of a class of the user's that finds items as dicts do."""
    kind = type(obj)
    return (
        issubclass(kind, dict)
        and inlining.is_users_class(kind)
        and class_attribute(kind, "__getitem__") is dict.__dict__["__getitem__"]
        and class_attribute(kind, "__missing__") is None
    )


def slots_of(kind: type) -> list[str]:
    """Return the names of a class's slots, those of its bases first."""
    return [
        name
        for base in reversed(kind.__mro__)
        for name, found in vars(base).items()
        if type(found) is types.MemberDescriptorType and inlining.is_users_class(base)
    ]


def contents(obj: Any) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the names that an object holds, in order, and their values."""
    held = dict(getattr(obj, "__dict__", {}))
    for name in slots_of(type(obj)):
        value = getattr(obj, name, _ABSENT)
        if value is not _ABSENT:
            held[name] = value
    return tuple(held), tuple(held.values())


def is_own(obj: Any, name: str) -> bool:
    """Tell whether an object itself, not its class alone, holds something under a name."""
    found = class_attribute(type(obj), name)
    if type(found) is types.MemberDescriptorType:
        return hasattr(obj, name)
    return name in getattr(obj, "__dict__", ()) and not hasattr(type(found), "__set__")


class Build:
    """A step that makes an object of what it held, without running code of its class."""

    needless = False  # where nothing uses it

    def __init__(self, kind: type, names: tuple[str, ...]) -> None:
        self.kind = kind
        self.names = names
        self.__name__ = kind.__name__
        slots = slots_of(kind)
        self._slots: list[tuple[int, Callable[[Any, Any], None]]] = [
            (place, class_attribute(kind, name).__set__)
            for place, name in enumerate(names)
            if name in slots and type(class_attribute(kind, name)) is types.MemberDescriptorType
        ]
        taken = {place for place, _ in self._slots}
        self._rest = [(place, name) for place, name in enumerate(names) if place not in taken]

    def __call__(self, *values: Any) -> Any:
        if not self.names and issubclass(self.kind, tuple):
            return tuple.__new__(self.kind, values)
        made: Any = object.__new__(self.kind)
        for place, put in self._slots:
            put(made, values[place])
        if self._rest:
            held = made.__dict__
            for place, name in self._rest:
                held[name] = values[place]
        return made


class Container(Build):
    """A step that makes a list, tuple or dict of some kind of what it held."""

    def __init__(self, kind: type, factory: Any = None) -> None:
        super().__init__(kind, ())
        self._factory = factory

    def __call__(self, container: Any) -> Any:
        if type(container) is self.kind:
            return container
        return defaultdict(self._factory, container) if self.kind is defaultdict else self.kind(container)


class Store:
    """A step that stores a value in an object from outside. Base class of all kinds.

    Parameters
    ----------
    name : Any
        The attribute, index or key under which the value is stored; None where there is none.
    """

    __name__ = "store"

    def __init__(self, name: Any = None) -> None:
        self.name = name

    def __call__(self, obj: Any, value: Any) -> None:
        raise NotImplementedError

    def statement(self, text: ReplayText, obj: Any, value: Any) -> str:
        """Return the store of a value, which leaves the program with it, as a statement of a replay."""
        return self.words(text.arg(obj), text.leaf(value))

    def words(self, obj: str, value: str) -> str:
        """Return the store as a Python statement for people."""
        raise NotImplementedError


class StoreAttribute(Store):
    """`obj.name = value`."""

    def __call__(self, obj: Any, value: Any) -> None:
        setattr(obj, self.name, value)

    def words(self, obj: str, value: str) -> str:
        return f"{obj}.{self.name} = {value}"


class StoreItem(Store):
    """`obj[name] = value`."""

    def __call__(self, obj: Any, value: Any) -> None:
        obj[self.name] = value

    def statement(self, text: ReplayText, obj: Any, value: Any) -> str:
        place = text.arg(self.name)
        return f"{text.arg(obj)}[{place}] = {text.leaf(value)}"

    def words(self, obj: str, value: str) -> str:
        return f"{obj}[{self.name!r}] = {value}"


class Append(Store):
    """`obj.append(value)`."""

    def __call__(self, obj: Any, value: Any) -> None:
        obj.append(value)

    def words(self, obj: str, value: str) -> str:
        return f"{obj}.append({value})"
