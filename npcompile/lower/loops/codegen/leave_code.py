"""Writes the C++ of a region's exits, and the names that are written back to the words there.

A temporary that Python reads at no exit is not written back, nor is a local number of a function that
has ended: a name that a trip binds on one way alone keeps the C++ compiler from vectorising, unless nothing
reads it after the loop. `emitter.py` uses it.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import holds_memory
from npcompile.lower.loops.layout import Layout, objects_in
from npcompile.lower.loops.types import Dict, List, Scalar, Set, Type, Unsigned

_TEMPORARY = re.compile(r"\.t\d+")  # names of normal form's; those of other kinds may be read elsewhere


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    lines: list[str]
    region: ir.Region
    layout: Layout
    borrowed: set[str]

    @property
    def exits(self) -> dict[Any, int]: ...

    def variable(self, name: str, kind: Type) -> str: ...

    def tag(self, name: str) -> str: ...

    def save(self, name: str, kind: Type, offset: int) -> None: ...


def write_exits(writer: Writer, begun: str = "") -> None:
    """Write what each exit does: it gives up what an ended function's caller has no use for.

    begun: the statement that finds the words, where there are none yet.
    """
    has_ended = False
    for exit_, number in writer.exits.items():
        answer = writer.region.ended.get(exit_.place)
        dropped, label = ("", "leave") if answer is None else (_dropped(writer, answer), "ended")
        has_ended = has_ended or answer is not None
        writer.lines.append(f"exit_{number}: number = {number}; {dropped}goto {label};")
    writer.lines += ["leave:", *([f"{{ {begun}"] if begun else [])]
    _save_names(writer, unread_temporaries(writer.region, {exit_.place for exit_ in writer.exits}))
    if has_ended:
        writer.lines += ["goto saved;", "ended:"]
        _save_names(writer, _local_numbers(writer.region))
        writer.lines.append("saved:")
    if begun:
        writer.lines.append("}")


def _dropped(writer: Writer, answer: str) -> str:
    """Return the statements that give up an ended function's containers, its answer excepted."""
    text = ""
    for name, kinds in writer.region.stored.items():
        for kind in kinds:
            if type(kind) in (List, Dict, Set) and name != answer:
                given_up = writer.variable(name, kind)
                if kind in writer.region.stored.get(answer, ()):
                    text += f"if ({given_up}.held != {writer.variable(answer, kind)}.held) "
                text += f"npl::give_up({given_up}); "
    return text


def _save_names(writer: Writer, unread: set[str]) -> None:
    """Write names back to the words. unread: those that have no value for Python there."""
    for name, (tag, slots) in writer.layout.bound.items():
        if name in unread:
            writer.lines.append(f"words[{tag}] = 0;")
            continue
        writer.lines.append(f"words[{tag}] = {writer.tag(name)};")
        for number, slot in enumerate(slots):
            if name in writer.borrowed:  # the names that Python takes over keep their memory
                writer.lines.append(f"npl::keep({writer.variable(name, slot.kind)});")
            elif holds_memory(slot.kind):  # the name may have another type by now
                variable = writer.variable(name, slot.kind)
                writer.lines.append(f"if ({writer.tag(name)} != {number + 1}) npl::drop({variable});")
            writer.save(name, slot.kind, slot.offset)
    for name, slot in writer.layout.given.items():
        if name not in writer.layout.bound and name not in writer.borrowed and objects_in(slot.kind):
            writer.lines.append(f"npl::drop({writer.variable(name, slot.kind)});")


def unread_temporaries(region: ir.Region, places: set[ir.Place]) -> set[str]:
    """Return the temporaries that Python reads at none of the places at which native code leaves.

    A temporary is read where it has a value as a block of such a place begins, or gets one within it. Where
    no version of a block is left, nothing is known.
    """
    left = {place.block for place in places}
    if not left <= {block.source for block in region.blocks}:
        return set()
    found = {name for name in region.stored if _TEMPORARY.fullmatch(name) and _is_number(region, name)}
    for block in region.blocks:
        if block.source in left:
            found -= block.types.keys()
        for step in (*block.steps, block.end):
            if step is not None and step.place.block in left:
                found -= ir.bound_by(step).keys()
    return found


def _local_numbers(region: ir.Region) -> set[str]:
    """Return the local names that are numbers alone, and those of temporaries that are."""
    answers = set(region.ended.values())
    return {
        name
        for name in region.stored
        if name not in answers
        and (name.isidentifier() or _TEMPORARY.fullmatch(name))
        and _is_number(region, name)
    }


def _is_number(region: ir.Region, name: str) -> bool:
    return all(isinstance(kind, Scalar | Unsigned) for kind in region.stored[name])
