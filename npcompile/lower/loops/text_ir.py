"""Defines texts in the typed IR: str, bytes and bytearray, their items and lengths, and iterators over them.

Rules in `frontend/loops/rules/texts.py` make it, `text_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import CHARACTER, Known, Text, Type


@dataclass(frozen=True)
class TextState(ir.State):
    """An iterator over a text from its beginning."""

    source: Text

    @property
    def item(self) -> Type:
        return self.source.item

    def __str__(self) -> str:
        return f"iter({self.source})"


@dataclass(frozen=True, eq=False)
class TextIterator(ir.Compound):
    """A new iterator over a text."""

    text: ir.Expression

    def __str__(self) -> str:
        return f"iter({self.text})"


@dataclass(frozen=True, eq=False)
class TextItem(ir.Compound):
    """A character of a str, or a byte as a NumPy scalar."""

    text: ir.Expression
    index: ir.Expression

    def __str__(self) -> str:
        return f"{self.text}[{self.index}]"


@dataclass(frozen=True, eq=False)
class TextLength(ir.Compound):
    """The length of a text, an int."""

    text: ir.Expression

    def __str__(self) -> str:
        return f"len({self.text})"


@dataclass(frozen=True, eq=False)
class EqualTexts(ir.Compound):
    """Tell if a str is another one that is given, or one that is known while compiling."""

    left: ir.Expression
    right: ir.Expression | str

    def __str__(self) -> str:
        return f"{self.left} == {self.right}"


@dataclass(frozen=True, eq=False)
class CharacterValue(ir.Compound):
    """A function of characters, of the C++ type of its result. leaves: a C++ function that may leave."""

    function: str
    operands: tuple[ir.Expression, ...]
    leaves: bool = False

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.operands))})"


@dataclass(frozen=True, eq=False)
class CharacterConstant(ir.Expression):
    """A character that is known while compiling."""

    value: str

    def __str__(self) -> str:
        return repr(self.value)


def as_character(value: ir.Expression) -> ir.Expression:
    """Return a known str of one character as one; other values as they are."""
    text = value.type.value if isinstance(value.type, Known) else None
    return CharacterConstant(CHARACTER, text) if type(text) is str and len(text) == 1 else value
