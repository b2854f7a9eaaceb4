"""Defines texts in the typed IR: str, bytes and bytearray, their items and lengths, and iterators over them.

Rules in `frontend/loops/rules/texts.py` make it, `text_code.py` writes its C++.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import CHARACTER, WORD, Character, Known, Text, Type, Word


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


@dataclass(frozen=True, eq=False)
class MadeWord(ir.Compound):
    """A str as an object: of a character, of a text that is given, or a part of another str.

    function: of C++, which makes it.
    """

    function: str
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.operands))})"


@dataclass(frozen=True, eq=False)
class SplitWord(ir.Compound):
    """A list of the parts of a str. between: what stands between them; None stands for white space."""

    text: ir.Expression
    between: ir.Expression | None

    def __str__(self) -> str:
        return f"{self.text}.split({'' if self.between is None else self.between})"


@dataclass(frozen=True, eq=False)
class WordConstant(ir.Expression):
    """A str that is known while compiling."""

    value: str

    def __str__(self) -> str:
        return repr(self.value)


_NAME = re.compile(r"\w*", re.ASCII)


def as_word(value: ir.Expression) -> ir.Expression | None:
    """Return a str as an object; None for other values, and for known strs that Python may have twice."""
    match value.type:
        case Word():
            return value
        case Character():
            return MadeWord(WORD, "word_of_character", (value,))
        case Text(name="str"):
            return MadeWord(WORD, "word_of_text", (value,))
        case Known(value=str() as text) if type(text) is str and _NAME.fullmatch(text):
            return WordConstant(WORD, text)
    return None


def as_operand(value: ir.Expression) -> ir.Expression | None:
    """Return a str of which only the characters count, as an object; None for other values."""
    text = value.type.value if isinstance(value.type, Known) else None
    if type(text) is str and "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text):
        return WordConstant(WORD, text)
    return as_word(value)


def as_character(value: ir.Expression) -> ir.Expression:
    """Return a known str of one character as one; other values as they are."""
    text = value.type.value if isinstance(value.type, Known) else None
    return CharacterConstant(CHARACTER, text) if type(text) is str and len(text) == 1 else value
