"""Writes loops that do several trips of affine recurrences at once (`recurrence_ir.py`), for the emitter.

Where enough items are left, so many trips follow one another. In these an int of a recurrence is computed
from its value before the first of them, by a factor that is known before the loop: no trip waits for another
one's product. All names have their values after each step, as if done one by one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.loop_versions import CHECKED, KEEPING
from npcompile.lower.loops.codegen.taking_code import take
from npcompile.lower.loops.recurrence_ir import AffineStep, Recurrence, Term
from npcompile.lower.loops.types import Type

_ALL = (1 << 64) - 1


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    count: int
    declared: list[str]
    lines: list[str]
    region: ir.Region
    version: str

    def variable(self, name: str, kind: Type) -> str: ...

    def set_tag(self, name: str, kind: Type) -> None: ...

    def leave_if(self, condition: str, why: str | None = None) -> None: ...

    def value(self, expression: ir.Expression) -> str: ...

    def do(self, *steps: ir.Step | ir.End | None) -> None: ...


class _Now(NamedTuple):
    """An int of a recurrence as `factor * first + added`: each a constant, or the C++ of one."""

    first: str
    factor: int | str
    added: int | str


class ComposedTrips:
    """The trips that an emitter writes several at once."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.now: dict[str, _Now] = {}  # by the names of recurrences, in the trips at hand
        self.labels: dict[ir.Block, str] = {}  # of the blocks of the trip at hand, and of what comes after it

    def begin(self, header: ir.Block, left: str, counted: str) -> None:
        """Write the trips done several at once before a trip of the version at hand, if there are any.

        left: how many items are left. counted: the variable that counts these down, if there is one.
        """
        writer, loop, end = self.writer, self.writer.region.recurrences.get(header), header.end
        if not isinstance(loop, Recurrence) or writer.version == KEEPING:
            return
        if not loop.names and writer.version == CHECKED and header in writer.region.fast_loops:
            return  # trips that are seldom done
        assert isinstance(end, ir.Next)
        writer.lines.append(f"while ({left} >= {loop.trips}) {{")
        for name in loop.names:
            writer.count += 1
            first = f"first_{writer.count}"
            value = writer.variable(name, header.types[name])
            writer.lines.append(f"const uint64_t {first} = uint64_t({value});")
            self.now[name] = _Now(first, 1, 0)
        if counted:
            writer.lines.append(f"{counted} -= {loop.trips};")
        writer.count += 1
        for trip in range(loop.trips):
            names = {block: f"{block.label}_{writer.count}_{trip}" for block in loop.blocks}
            after = f"{header.label}_{writer.count}_{trip}"
            self.labels = {**names, header: after}
            take(writer, end)
            for block, name in names.items():
                writer.lines.append(f"{name}:;")
                writer.do(*(loop.steps.get(step, step) for step in block.steps), block.end)
            writer.lines.append(f"{after}:;")
        self.labels = {}
        writer.lines.append("}")

    def label(self, block: ir.Block) -> str | None:
        """Return the label of a block of the trip at hand; None for others, and in trips done one by one."""
        return self.labels.get(block)

    def step(self, step: AffineStep) -> None:
        """Write a step of a recurrence."""
        writer, now = self.writer, self.now[step.name]
        by, plus = self._sum(step.factor), self._sum(step.added)
        factor = self._times(by, now.factor)
        added = self._plus(self._times(by, now.added), plus)
        self.now[step.name] = _Now(now.first, factor, added)
        value = self._plus(self._times(factor, now.first), added)
        if step.is_masked:
            value = f"({_text(value)} & {(1 << step.bits) - 1}ull)"
        kind = step.bind.value.type
        writer.lines.append(f"{writer.variable(step.name, kind)} = {c_type(kind)}({_text(value)});")
        writer.set_tag(step.name, kind)

    def _sum(self, terms: tuple[Term, ...]) -> int | str:
        """Return a sum of terms."""
        found: int | str = 0
        for term in terms:
            product: int | str = term.factor & _ALL
            for part in term.parts:
                value = self._held(f"uint64_t({self.writer.value(part)})")  # names change in later steps
                product = self._times(product, value)
            found = self._plus(found, product)
        return found

    def _times(self, one: int | str, other: int | str) -> int | str:
        if isinstance(one, int) and isinstance(other, int):
            return one * other & _ALL
        if 0 in (one, other):
            return 0
        if 1 in (one, other):
            return other if one == 1 else one
        return self._held(f"{_text(one)} * {_text(other)}")

    def _plus(self, one: int | str, other: int | str) -> int | str:
        if isinstance(one, int) and isinstance(other, int):
            return one + other & _ALL
        if 0 in (one, other):
            return other if one == 0 else one
        return self._held(f"{_text(one)} + {_text(other)}")

    def _held(self, text: str) -> str:
        self.writer.count += 1
        name = f"low_{self.writer.count}"
        self.writer.declared.append(f"uint64_t {name} = 0;")  # later steps read it, too
        self.writer.lines.append(f"{name} = {text};")
        return name


def _text(value: int | str) -> str:
    return f"{value}ull" if isinstance(value, int) else value
