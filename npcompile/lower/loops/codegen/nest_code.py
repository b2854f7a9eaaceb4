"""Writes the C++ of checks before nests of loops over ranges that have versions without checks of bounds.

Only the outermost loop of such a version polls, so a nest of very many trips within one of its trips has all
checks.
"""

from __future__ import annotations

import ast

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import OUTER_TRIP, Emitter, does
from npcompile.lower.loops.nest_ir import BoundName, LoopNest, RangeBounds, SpannedAccess
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
    assert isinstance(end, ir.NextOfRange)
    checked = f"goto {emitter.checked_label(nest.header)};"
    state = emitter.variable(end.state, end.kind)
    stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
    emitter.held = {}
    lines = emitter.lines
    lines += ["{", f"if ({state}.position >= {state}.length) {checked}"]
    spans = _Spans(emitter, f"npl::numbers_left({state}, {stride})")
    for name in nest.names:
        spans.name(name)
    lines.append("bool inside = true;")
    for access in nest.accesses:
        length = f"{emitter.value(access.array)}.shape[{access.axis}]"
        lines.append(f"inside &= npl::within({spans.place(access)}, {length});")
    for divisor in {str(divisor): divisor for divisor in nest.divisors.values()}.values():
        lines.append(f"inside &= {spans.of(divisor)}.least > 0;")
    trips = {}
    for one in nest.inner:
        emitter.count += 1
        trips[one.state] = f"trips_{emitter.count}"
        most = " + ".join(f"npl::trips_of({spans.numbers(numbers)})" for numbers in one.ranges)
        lines.append(f"const double {trips[one.state]} = {most};")
    total = [" * ".join([trips[one.state], *(trips[state] for state in one.around)]) for one in nest.inner]
    lines.append(f"const double inner = {' + '.join(total)};")
    lines.append(f"if (!inside || !(inner < double(npl::most_without_poll))) {checked}")
    lines.append(f"{emitter.nest_cost(nest)} = int64_t(inner) + {OUTER_TRIP};")
    lines += [f"goto {emitter.nested_label(nest.header)};", "}"]


class _Spans:
    """Writes the spans of ints. item: that of the nest's own range."""

    def __init__(self, emitter: Emitter, item: str) -> None:
        self.emitter, self.item = emitter, item
        self.names: dict[str, str] = {}

    def name(self, name: BoundName) -> None:
        """Compute the span of a name."""
        parts = [self.of(value) for value in name.values]
        parts += [self.numbers(numbers) for numbers in name.ranges]
        if name.is_item:
            parts.append(self.item)
        if name.is_given:
            parts.append(f"npl::only({self.emitter.variable(name.name, ir.INT)})")
        text = parts[0]
        for part in parts[1:]:
            text = f"npl::hull({text}, {part})"
        self.emitter.count += 1
        self.names[name.name] = f"span_{self.emitter.count}"
        self.emitter.lines.append(f"const npl::span {self.names[name.name]} = {text};  // {name.name}")

    def numbers(self, numbers: RangeBounds) -> str:
        ends = f"{self.of(numbers.start)}, {self.of(numbers.stop)}"
        return f"npl::numbers_of({ends}, {'true' if numbers.backward else 'false'})"

    def place(self, access: SpannedAccess) -> str:
        """Return the span of an item's place."""
        index = access.index
        if isinstance(index, ir.Constant) and index.value < 0:
            return f"npl::only({self.emitter.index(access.array, access.axis, index)})"
        outside = dict(self.names)
        narrowed: dict[str, str] = {}
        for one in access.holds:
            text = narrowed.get(one.name, self.names[one.name])
            function = "at_least" if one.at_least else "at_most"
            narrowed[one.name] = f"npl::{function}({text}, {self.of(one.value)}, {one.shift}ll)"
        self.names |= narrowed
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
