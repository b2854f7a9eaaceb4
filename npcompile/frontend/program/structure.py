"""The structure of the answer: which containers a replay makes around the values that steps give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from torch import fx


class Structure(ABC):
    """One level of the answer: a value, or a container and what lies in it."""

    @abstractmethod
    def text(self, names: Callable[[Any], str]) -> str:
        """Return Python text that makes the answer; `names` writes each value."""

    @abstractmethod
    def leaves(self) -> Iterable[fx.Node]:
        """Return the steps whose values are in the answer."""


@dataclass
class Leaf(Structure):
    """A value that a step gives."""

    node: fx.Node

    def text(self, names: Callable[[Any], str]) -> str:
        return names(self.node)

    def leaves(self) -> Iterable[fx.Node]:
        return (self.node,)


@dataclass
class Literal(Structure):
    """A constant."""

    value: Any

    def text(self, names: Callable[[Any], str]) -> str:
        return names(self.value)

    def leaves(self) -> Iterable[fx.Node]:
        return ()


@dataclass
class Row(Structure):
    """A list or a tuple."""

    kind: type[list[Any]] | type[tuple[Any, ...]]
    parts: list[Structure]

    def text(self, names: Callable[[Any], str]) -> str:
        inner = ", ".join(part.text(names) for part in self.parts)
        if self.kind is tuple:
            return f"({inner},)" if len(self.parts) == 1 else f"({inner})"
        return f"[{inner}]"

    def leaves(self) -> Iterable[fx.Node]:
        for part in self.parts:
            yield from part.leaves()


@dataclass
class Mapping(Structure):
    """A dict. Its keys are constants, or steps that give them."""

    entries: list[tuple[Any, Structure]]

    def text(self, names: Callable[[Any], str]) -> str:
        return "{" + ", ".join(f"{names(key)}: {part.text(names)}" for key, part in self.entries) + "}"

    def leaves(self) -> Iterable[fx.Node]:
        for key, part in self.entries:
            if isinstance(key, fx.Node):
                yield key
            yield from part.leaves()
