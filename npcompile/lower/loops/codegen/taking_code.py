"""Writes the C++ that takes the next item of an iterator which has one, for the emitter and its rules."""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.layout import objects_in
from npcompile.lower.loops.types import Type


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    lines: list[str]

    def variable(self, name: str, kind: Type) -> str: ...

    def set_tag(self, name: str, kind: Type) -> None: ...

    def leave_if(self, condition: str, why: str | None = None) -> None: ...


def take(writer: Writer, end: ir.Next) -> None:
    """Write that an item is taken and given its name."""
    state, item = writer.variable(end.state, end.kind), writer.variable(end.item, end.kind.item)
    if isinstance(end, ir.NextOfRange):
        stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
        writer.lines.append(f"{item} = {state}.start + {state}.position * {stride}; {state}.position += 1;")
    else:
        if objects_in(end.kind):
            writer.leave_if(f"npl::unfit({state})")
        writer.lines.append(f"npl::bind({item}, npl::take({state}));")
    writer.set_tag(end.item, end.kind.item)
