"""Writes the C++ of checks before nests of loops that have versions without checks of bounds.

Only the outermost loop of such a version polls, so a nest of very many trips within one of its trips has all
checks. A `while` loop with a clock polls where it ends, so one of very many trips has all checks, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.codegen.poll_chunks import FEW_TRIPS, OUTER_TRIP
from npcompile.lower.loops.nest_ir import (
    BoundName,
    Comparison,
    LoopNest,
    Move,
    RangeBounds,
    SpannedAccess,
)
from npcompile.lower.loops.select_ir import Select

_FUNCTIONS: dict[type[ast.AST], str] = {
    ast.Add: "add_spans",
    ast.Sub: "subtract_spans",
    ast.Mult: "multiply_spans",
    ast.FloorDiv: "divide_spans",
    ast.Mod: "rest_spans",
}


@does(LoopNest)
def _begin(emitter: Emitter, nest: LoopNest) -> None:
    """Write the checks before a nest, which choose its version."""
    end = nest.header.end
    checked = f"goto {emitter.checked_label(nest.header)};"
    if not isinstance(end, ir.NextOfRange):
        _begin_counted(emitter, nest, checked)
        return
    state = emitter.variable(end.state, end.kind)
    stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
    emitter.held = {}
    lines = emitter.lines
    lines += ["{", f"if ({state}.position >= {state}.length) {checked}"]
    spans = _Spans(emitter, f"npl::numbers_left({state}, {stride})")
    _check_items(emitter, nest, spans)
    trips = {}
    for one in nest.inner:
        emitter.count += 1
        trips[one.state] = f"trips_{emitter.count}"
        most = " + ".join(f"npl::trips_of({spans.numbers(numbers)})" for numbers in one.ranges)
        lines.append(f"const double {trips[one.state]} = {most};")
    total = [" * ".join([trips[one.state], *(trips[state] for state in one.around)]) for one in nest.inner]
    lines.append(f"const double inner = {' + '.join(total)};")
    lines.append(f"if (!inside || !(inner < double(npl::most_without_poll))) {checked}")
    lines.append(f"{emitter.counts.cost(nest)} = int64_t(inner) + {OUTER_TRIP};")
    lines += [f"goto {emitter.nested_label(nest.header)};", "}"]


def _check_items(emitter: Emitter, nest: LoopNest, spans: _Spans) -> None:
    """Write the checks of items, divisors and moves."""
    for name in nest.names:
        spans.name(name)
    if any(name.moves for name in nest.names):  # conditions bound them, by what bounds others
        for name in nest.names:
            spans.name(name, moves=True)
    lines = emitter.lines
    lines.append("bool inside = true;")
    for access in nest.accesses:
        length = f"{emitter.value(access.array)}.shape[{access.axis}]"
        lines.append(f"inside &= npl::within({spans.place(access)}, {length});")
    for divisor in {str(divisor): divisor for divisor in nest.divisors.values()}.values():
        lines.append(f"inside &= {spans.of(divisor)}.least > 0;")
    for name in nest.names:
        for move in name.moves:
            if not isinstance(move.step, ir.Constant):
                lines.append(f"inside &= {spans.of(move.step)}.least > 0;")
            if move.needs_check:
                lines.append(f"inside &= npl::is_known({spans.moved(name, move)});")


def _begin_counted(emitter: Emitter, nest: LoopNest, checked: str) -> None:
    """Write the checks that choose the version of a `while` loop, once it has had some trips."""
    emitter.held = {}
    lines, chunk = emitter.lines, emitter.chunks.count(nest.header)
    lines += [f"{chunk} = {FEW_TRIPS};", checked, f"{emitter.chunks.label_of_many(nest.header)}:;", "{"]
    lines.append(f"{chunk} = {OUTER_TRIP};")
    emitter.poll(nest.header)
    if (clock := nest.clock) is not None:
        lines.append(f"{emitter.counts.start(nest)} = {emitter.variable(clock.name, ir.INT)};")
    spans = _Spans(emitter, None)
    _check_items(emitter, nest, spans)
    if clock is not None:
        lines.append(f"inside &= npl::is_short({spans.names[clock.name]});")
    lines += [f"if (!inside) {checked}", f"goto {emitter.nested_label(nest.header)};", "}"]


class _Spans:
    """Writes the spans of ints. item: that of the nest's own range."""

    def __init__(self, emitter: Emitter, item: str | None) -> None:
        self.emitter, self.item = emitter, item
        self.names: dict[str, str] = {}

    def name(self, name: BoundName, moves: bool = False) -> None:
        """Compute the span of a name. moves: conditions bound its moves, else they may reach any int."""
        parts = [self.of(value) for value in name.values]
        parts += [self.numbers(numbers) for numbers in name.ranges]
        if name.is_item:
            assert self.item is not None
            parts.append(self.item)
        if name.is_given:
            parts.append(f"npl::only({self.emitter.variable(name.name, ir.INT)})")
        text = parts[0]
        for part in parts[1:]:
            text = f"npl::hull({text}, {part})"
        for backward in {move.backward: None for move in name.moves}:
            function = f"npl::moved_{'down' if backward else 'up'}"
            if not moves:
                text = f"{function}({text}, npl::unknown_span, npl::unknown_span)"
                continue
            for move in [move for move in name.moves if move.backward is backward]:
                before = self.narrowed(name.name, move.holds)
                text = f"{function}({text}, {before}, {self.of(move.step)})"
        self.emitter.count += 1
        self.names[name.name] = f"span_{self.emitter.count}"
        self.emitter.lines.append(f"const npl::span {self.names[name.name]} = {text};  // {name.name}")

    def numbers(self, numbers: RangeBounds) -> str:
        ends = f"{self.of(numbers.start)}, {self.of(numbers.stop)}"
        return f"npl::numbers_of({ends}, {'true' if numbers.backward else 'false'})"

    def moved(self, name: BoundName, move: Move) -> str:
        """Return the span of a name after a move."""
        before = self.narrowed(name.name, move.holds)
        return f"npl::{'subtract' if move.backward else 'add'}_spans({before}, {self.of(move.step)})"

    def narrowed(self, name: str, holds: Iterable[Comparison]) -> str:
        """Return the span of a name where conditions on it hold."""
        text = self.names[name]
        for one in holds:
            function = "at_least" if one.at_least else "at_most"
            text = f"npl::{function}({text}, {self.of(one.value)}, {one.shift}ll)"
        return text

    def place(self, access: SpannedAccess) -> str:
        """Return the span of an item's place."""
        index = access.index
        if isinstance(index, ir.Constant) and index.value < 0:
            return f"npl::only({self.emitter.index(access.array, access.axis, index)})"
        outside = dict(self.names)
        names = dict.fromkeys(one.name for one in access.holds)
        self.names |= {
            name: self.narrowed(name, [one for one in access.holds if one.name == name]) for name in names
        }
        text = self.of(index)
        self.names = outside
        return text

    def of(self, node: ir.Expression) -> str:
        """Return the span of an int."""
        match node:
            case ir.Read(name=name):
                return self.names[name]
            case ir.Choose(one=one, other=other) | Select(one=one, other=other):
                return f"npl::hull({self.of(one)}, {self.of(other)})"
            case ir.Apply(operation=operation, operands=(one, other)):
                function = _FUNCTIONS.get(node.operator) if node.operator is not None else None
                if function is None:
                    function = "smallest_spans" if "smallest" in operation.function else "largest_spans"
                return f"npl::{function}({self.of(one)}, {self.of(other)})"
        return f"npl::only({self.emitter.value(node)})"
