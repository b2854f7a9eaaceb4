"""Writes polls of innermost loops that know how many trips are left: once for a chunk of trips.

The C++ compiler can vectorise such a loop, or make it without branches, as it cannot where each trip polls.
The loop is entered where a chunk begins; its trips go on to another label, which counts the chunk's trips.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import innermost, natural_loops
from npcompile.lower.loops.iterator_ir import is_finite
from npcompile.lower.loops.types import Type

MOST_IN_CHUNK = 1024  # a loop that is left early has polled for no more trips than these


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    count: int
    declared: list[str]
    lines: list[str]
    region: ir.Region
    here: ir.Block | None

    def variable(self, name: str, kind: Type) -> str: ...

    def label(self, block: ir.Block) -> str: ...

    def go(self, block: ir.Block, ends: bool = False) -> str: ...

    def poll(self, header: ir.Block) -> None: ...


class PollChunks:
    """The loops of a region that poll so, and the variables that count the trips left in a chunk."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        alone = innermost(writer.region)
        self.loops = {
            header: blocks
            for header, blocks in natural_loops(writer.region).items()
            if header in alone
            and isinstance(header.end, ir.Next)
            and is_finite(header.end.kind)
            and not header.steps
            and header not in writer.region.shared
        }
        self.counts: dict[ir.Block, str] = {}

    def count(self, header: ir.Block) -> str:
        """Return the variable that counts the trips left in the chunk of a loop."""
        if header not in self.counts:
            self.writer.count += 1
            self.counts[header] = f"chunk_{self.writer.count}"
            self.writer.declared.append(f"int64_t {self.counts[header]} = 0;")
        return self.counts[header]

    @staticmethod
    def label(header: ir.Block, nested: bool) -> str:
        """Return the label of the trips of a chunk. nested: in the version of a nest without checks."""
        return f"{header.label}_{'nested_trip' if nested else 'trip'}"

    def begin(self, header: ir.Block) -> None:
        """Write where a chunk of trips begins, and where each of its trips does."""
        writer, end, chunk = self.writer, header.end, self.count(header)
        assert isinstance(end, ir.Next)
        first, left = writer.label(header), f"npl::items_left({writer.variable(end.state, end.kind)})"
        writer.lines.append(f"{chunk} = npl::fewer({left}, int64_t({MOST_IN_CHUNK}));")
        writer.lines.append(f"if ({chunk} <= 0) {writer.go(end.exhausted, ends=True)}")
        writer.poll(header)
        writer.here = header
        writer.lines.append(f"{writer.label(header)}:;")
        writer.lines += [f"if ({chunk} == 0) goto {first};", f"{chunk} -= 1;"]
