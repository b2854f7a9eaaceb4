"""Writes the C++ of loops that take the items that they read to be small (`guess_ir.py`), for the emitter.

The version without checks collects the bits of these items. Wherever it ends, one that was larger makes its
trips undone: names have the values from before, and the version with checks does the loop. After a few of
those it does so at once, until native code is left.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.loop_versions import CHECKED, UNCHECKED
from npcompile.lower.loops.guess_ir import GuessedLoop
from npcompile.lower.loops.types import Known, Type

MOST_WRONG = 3  # guesses of a loop's


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    declared: list[str]
    lines: list[str]
    loop: ir.FastLoop | None
    nested: bool
    version: str

    def variable(self, name: str, kind: Type) -> str: ...

    def tag(self, name: str) -> str: ...

    @property
    def has_tags(self) -> bool: ...

    def entered(self, block: ir.Block, version: str) -> str: ...


def guessing(writer: Writer) -> GuessedLoop | None:
    """Return the loop at hand if the version of it that guesses is being written."""
    is_guessing = writer.version == UNCHECKED and not writer.nested
    return writer.loop if is_guessing and isinstance(writer.loop, GuessedLoop) else None


def begin_guess(writer: Writer, loop: GuessedLoop) -> None:
    """Write what comes before the version that guesses: it keeps the values that names have."""
    label = loop.header.label
    writer.declared.append(f"int64_t sizes_{label} = 0, wrong_{label} = 0;")
    writer.lines.append(f"if (wrong_{label} >= {MOST_WRONG}) goto {writer.entered(loop.header, CHECKED)};")
    writer.lines.append(f"sizes_{label} = 0;")
    for text, kind in _changed(writer, loop):
        writer.declared.append(f"{kind} was_{label}_{_word(text)}{{}};")
        writer.lines.append(f"was_{label}_{_word(text)} = {text};")


def look_at(writer: Writer, loop: GuessedLoop, text: str) -> str:
    """Write that an item's bits are collected; return its C++."""
    writer.lines.append(f"sizes_{loop.header.label} |= npl::bits_of_size({text});")
    return text


def verified(writer: Writer, loop: GuessedLoop) -> str:
    """Return the statement that undoes the trips of the version that guesses, where a guess was wrong."""
    label = loop.header.label
    undone = " ".join(f"{text} = was_{label}_{_word(text)};" for text, _ in _changed(writer, loop))
    again = f"{undone} wrong_{label} += 1; goto {writer.entered(loop.header, CHECKED)};"
    return f"if (NPL_RARELY(sizes_{label} >> {loop.bits})) {{ {again} }}"


def _changed(writer: Writer, loop: GuessedLoop) -> list[tuple[str, str]]:
    """Return the C++ of all that trips change, with its C++ types."""
    end = loop.header.end
    assert isinstance(end, ir.Next)
    place = "position" if isinstance(end, ir.NextOfRange) else "place"
    found = {f"{writer.variable(end.state, end.kind)}.{place}": "int64_t"}
    for block in sorted(loop.blocks, key=lambda one: one.label):
        for step in (*block.steps, block.end):
            assert step is not None
            for name, kind in ir.bound_by(step).items():
                if not isinstance(kind, Known):
                    found[writer.variable(name, kind)] = c_type(kind)
                if writer.has_tags:
                    found[writer.tag(name)] = "int64_t"
    return [*found.items()]


def _word(text: str) -> str:
    return text.replace(".", "_")
