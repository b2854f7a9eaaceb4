"""Writes the polls of innermost loops: once for a chunk of trips, which a variable of the loop counts.

A count that goes on from loop to loop would be in memory, and each trip would wait for the one before. Of a
loop that knows how many items are left a chunk ends where the items do: the C++ compiler can vectorise it, or
make it without branches. Other loops, of fewer trips than a trip of a loop around them counts as, count none.
Loops are entered where a chunk begins; their trips go on to another label. Loops that have none but such of
few trips in them are innermost ones here.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.composed_trips import ComposedTrips
from npcompile.lower.loops.codegen.nesting import natural_loops
from npcompile.lower.loops.codegen.partial_code import PartialCode
from npcompile.lower.loops.codegen.short_loops import short_loops
from npcompile.lower.loops.iterator_ir import is_finite
from npcompile.lower.loops.types import Type

# Trips of inner loops, and of loops around others, by the share that they take of the time between two polls.
INNER_TRIP, OUTER_TRIP = 1, 256
MOST_ITEMS = 1024  # in a chunk: a loop that is left early has polled for no more trips than these
FEW_TRIPS = 16  # a `while` loop that has more makes its checks of bounds for all trips


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    count: int
    declared: list[str]
    lines: list[str]
    region: ir.Region
    here: ir.Block | None
    nested: bool
    partial: PartialCode
    composed: ComposedTrips

    def variable(self, name: str, kind: Type) -> str: ...

    def label(self, block: ir.Block) -> str: ...

    def go(self, block: ir.Block, ends: bool = False) -> str: ...

    def poll(self, header: ir.Block) -> None: ...


class PollChunks:
    """The innermost loops of a region, and the variables that count the trips left in a chunk.

    A loop that has headers for several types of a name is none of them: its trips take items of one iterator
    at either header, where the count of the other one would not see it.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.short = short_loops(writer.region)  # they poll where a loop around them does
        self.loops = {
            header: blocks
            for header, blocks in natural_loops(writer.region).items()
            if header not in writer.region.shared
            and header not in self.short
            and sum(block.is_header and block not in self.short for block in blocks) == 1
        }
        self.counts: dict[ir.Block, str] = {}

    def count(self, header: ir.Block) -> str:
        """Return the variable that counts the trips left in the chunk of a loop."""
        if header not in self.counts:
            self.writer.count += 1
            self.counts[header] = f"chunk_{self.writer.count}"
            self.writer.declared.append(f"int64_t {self.counts[header]} = 0;")
        return self.counts[header]

    def ends_with_items(self, header: ir.Block) -> bool:
        """Tell if a loop's chunks end where its items do: then there is an item in each trip."""
        if header not in self.loops or not isinstance(header.end, ir.Next) or header.steps:
            return False
        return is_finite(header.end.kind)

    def counts_down(self, header: ir.Block) -> bool:
        """Tell if the version of a loop without checks counts the items left, as iterators side by side have
        one end each.
        """
        return header in self.writer.region.fast_loops and not isinstance(header.end, ir.NextOfRange)

    def count_down(self, header: ir.Block) -> None:
        """Write where a trip of the version without checks begins: `fast_loop_code.py` gives the count."""
        end, left = header.end, self.count(header)
        assert isinstance(end, ir.Next)
        ended = self.writer.go(end.exhausted, ends=True)
        self.writer.composed.begin(header, left, left)
        self.writer.lines.append(self.writer.partial.exhausted(left, "==", "0", ended))
        self.writer.lines.append(f"{left} -= 1;")

    def has_entrance(self, header: ir.Block, at: ir.Block | None) -> bool:
        """Tell if a loop is entered at another label than the one at which its trips begin. at: a block."""
        return at in self.loops[header] and header not in self.writer.region.nests

    def cost(self, header: ir.Block) -> int | str:
        """Return the share that a chunk takes of the time between two polls."""
        if not self.ends_with_items(header):
            return OUTER_TRIP
        has_others = any(block in self.short for block in self.loops[header])
        return f"{self.count(header)} * {FEW_TRIPS}" if has_others else self.count(header)

    @staticmethod
    def label(header: ir.Block, nested: bool) -> str:
        """Return the label of the trips of a chunk. nested: in the version of a nest without checks."""
        return f"{header.label}_{'nested_trip' if nested else 'trip'}"

    @staticmethod
    def label_of_many(header: ir.Block) -> str:
        """Return the label at which a `while` loop that has had some trips checks bounds for all others."""
        return f"{header.label}_many"

    def begin(self, header: ir.Block) -> None:
        """Write where a chunk of trips begins, and where each of its trips does."""
        writer, chunk = self.writer, self.count(header)
        if header in writer.region.nests:
            if writer.nested:
                self._count_trip(header)
            else:
                writer.lines.append(f"if (NPL_RARELY(({chunk} -= 1) < 0)) goto {self.label_of_many(header)};")
            return
        if not self.ends_with_items(header):
            writer.lines.append(f"{chunk} = {OUTER_TRIP};")
            writer.here = header
            writer.lines.append(f"{writer.label(header)}:;")
            self._count_trip(header)
            return
        end = header.end
        assert isinstance(end, ir.Next)
        first, left = writer.label(header), f"npl::items_left({writer.variable(end.state, end.kind)})"
        writer.lines.append(f"{chunk} = npl::fewer({left}, int64_t({MOST_ITEMS}));")
        writer.lines.append(f"if ({chunk} <= 0) {writer.go(end.exhausted, ends=True)}")
        writer.poll(header)
        writer.here = header
        writer.lines.append(f"{writer.label(header)}:;")
        writer.composed.begin(header, chunk, chunk)
        writer.lines += [f"if ({chunk} == 0) goto {first};", f"{chunk} -= 1;"]

    def _count_trip(self, header: ir.Block) -> None:
        """Write the count of a trip, and the poll where its chunk is over."""
        chunk = self.count(header)
        self.writer.lines += [f"if (NPL_RARELY(({chunk} -= 1) < 0)) {{", f"{chunk} = {OUTER_TRIP};"]
        self.writer.poll(header)
        self.writer.lines.append("}")
