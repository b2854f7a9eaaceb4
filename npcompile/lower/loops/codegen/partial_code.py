"""Writes the C++ of sums that an innermost loop makes in parts (`partial_ir.py`), for the emitter.

In versions of the loop whose trips cannot leave, the names stand for ints of few bits, which begin at 0.
After so many trips as these hold, and after the last trip, they are added to the sums. GCC vectorises the
loop over the trips of one part.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.loop_versions import CHECKED
from npcompile.lower.loops.partial_ir import PartialSums
from npcompile.lower.loops.types import INT, Type


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    count: int
    declared: list[str]
    lines: list[str]
    variables: dict[tuple[str, Type], str]
    loop: ir.FastLoop | None
    version: str

    def variable(self, name: str, kind: Type) -> str: ...

    def entered(self, block: ir.Block, version: str) -> str: ...

    def trips_are_free(self) -> bool: ...


class _Part(NamedTuple):
    """The variable of a sum, and that of a part of it."""

    name: str
    whole: str
    part: str


class PartialCode:
    """The parts of sums in the versions of the loops that an emitter writes."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.parts: dict[ir.FastLoop, list[_Part]] = {}  # made as they are asked for
        self.at_hand: list[_Part] = []  # those of the version at hand, if it sums in parts

    def entrance(self, header: ir.Block, version: str) -> str:
        """Return the label at which a version of the loop at hand is entered."""
        label = self.writer.entered(header, version)
        return label if self._sums(version) is None else f"{label}_part"

    def begin(self, block: ir.Block, left: str) -> None:
        """Begin with a block of the version at hand; write where a part begins before the loop's header.

        left: the variable that counts the items left, where the version has one.
        """
        writer, loop = self.writer, self.writer.loop
        if loop is None or (sums := self._sums(writer.version)) is None:
            return
        if loop not in self.parts:
            self.parts[loop] = self._declared(loop, sums)
        self.at_hand = self.parts[loop]
        if block is loop.header:
            writer.lines.append(f"{self.entrance(block, writer.version)}:;")
            writer.lines += [f"{part} = 0;" for _, _, part in self.at_hand]
            writer.lines.append(f"{self._until(loop)} = {self._end_of_part(loop, sums.trips, left)};")
        writer.variables |= {(name, INT): part for name, _, part in self.at_hand}

    def end(self) -> None:
        """End with a block: names stand for their own variables again."""
        self.writer.variables |= {(name, INT): whole for name, whole, _ in self.at_hand}
        self.at_hand = []

    def exhausted(self, place: str, compares: str, last: str, ended: str) -> str:
        """Return the statement that ends a loop where no items are left. ended: what comes then.

        place: the C++ of the place at which the loop is, or of the number of items left. last: of its end.
        """
        loop = self.writer.loop
        if not self.at_hand or loop is None:
            return f"if ({place} {compares} {last}) {ended}"
        added = " ".join(f"{whole} += {part};" for _, whole, part in self.at_hand)
        again = f"if (!({place} {compares} {last})) goto {self.entrance(loop.header, self.writer.version)};"
        return f"if ({place} {compares} {self._until(loop)}) {{ {added} {again} {ended} }}"

    def bits_of(self, node: ir.Apply) -> int:
        """Return how many bits a part has to which an operation adds; 0 for other operations."""
        loop, names = self.writer.loop, {name for name, _, _ in self.at_hand}
        if loop is None or loop.partial is None:
            return 0
        reads = any(isinstance(one, ir.Read) and one.name in names for one in node.operands)
        return loop.partial.bits if reads else 0

    def _sums(self, version: str) -> PartialSums | None:
        """Return the sums that a version of the loop at hand makes in parts, if any."""
        writer, loop = self.writer, self.writer.loop
        if version == CHECKED or loop is None or loop.partial is None:
            return None
        at_hand, writer.version = writer.version, version
        is_free = writer.trips_are_free()
        writer.version = at_hand
        return loop.partial if is_free else None

    def _declared(self, loop: ir.FastLoop, sums: PartialSums) -> list[_Part]:
        """Declare the variables of a loop's parts, and of where a part ends."""
        writer = self.writer
        writer.declared.append(f"int64_t {self._until(loop)} = 0;")
        made = []
        for name in sums.names:
            writer.count += 1
            made.append(_Part(name, writer.variable(name, INT), f"part_{writer.count}"))
            writer.declared.append(f"int{sums.bits}_t {made[-1].part} = 0;")
        return made

    def _end_of_part(self, loop: ir.FastLoop, trips: int, left: str) -> str:
        """Return the C++ of the place at which a part ends that begins at hand."""
        end = loop.header.end
        assert isinstance(end, ir.Next)
        if not isinstance(end, ir.NextOfRange):
            return f"{left} - npl::fewer({left}, int64_t({trips}))"
        state = self.writer.variable(end.state, end.kind)
        return f"{state}.position + npl::fewer({state}.length - {state}.position, int64_t({trips}))"

    @staticmethod
    def _until(loop: ir.FastLoop) -> str:
        return f"until_{loop.header.label}"
