"""Writes the C++ of loops whose trips threads share, by `parallel.h`: the trips as a function of their own.

The function works on copies of the names, so a round of trips that is undone leaves them as they were. After
a round each name has the value of the last trip that bound it.
"""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type, held_as
from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.parallel_ir import Rows, SharedLoop
from npcompile.lower.loops.types import INT, Known, Scalar, Type

SHARES = "npl::sharing"  # stands in each source with a loop whose trips threads share


class Trips(Emitter):
    """Writes the trips of a shared loop, from one number of the range to another."""

    def __init__(self, outer: Emitter, loop: SharedLoop) -> None:
        super().__init__(outer.region, calls=outer.calls)
        assert isinstance(loop.header.end, ir.NextOfRange)
        self.outer, self.shared, self.end = outer, loop, loop.header.end
        self.shares = False
        self.shared_nest = outer.nest if loop.header in outer.region.nests else None
        self.is_nested = outer.nested
        self.given: dict[str, None] = {}  # variables of the function around the loop

    def variable(self, name: str, kind: Type) -> str:
        is_new = (name, held_as(kind)) not in self.variables
        known = super().variable(name, kind)
        if is_new and name != self.end.state and (name, kind) not in self.shared.sums:
            outside = self.outer.variable(name, kind)
            self.given[outside] = None
            self.declared.append(f"{known} = {outside}_given;")
        return known

    def exit(self, why: str | None = None) -> str:
        return "goto stopped;"

    def copies(self, block: ir.Block) -> tuple[bool, ...]:
        """The check before a nest that is the shared loop itself was made for all of its trips."""
        if self.shared_nest is not None and self.nest is self.shared_nest:
            return (self.is_nested,)
        return super().copies(block)

    @property
    def first_label(self) -> str:
        """The label at which the trips begin."""
        header = self.shared.header
        if self.shared_nest is None:
            return header.label
        return self.nested_label(header) if self.is_nested else self.checked_label(header)

    def label(self, block: ir.Block) -> str:
        if block in self.shared.blocks:
            return super().label(block)
        return "ended" if block is self.end.exhausted else "stopped"

    def poll(self, header: ir.Block) -> None:
        if header is not self.shared.header:
            self.leave_if(f"(trips -= {self.cost(header)}) < 0 && sharing.asks_to_stop(trips, own)")

    def bound(self, name: str) -> tuple[str, list[tuple[int, str, Type]]] | None:
        """Return the tag of a name that trips bind, and its variables with the tag that says so."""
        tag = self.variables.get((name, Known(None)))
        if tag is None:
            return None
        kinds = enumerate(self.region.stored[name], 1)
        found = [
            (number, self.variables.get((name, held_as(kind))), kind)
            for number, kind in kinds
            if not isinstance(kind, Known)
        ]
        return tag, [(number, text, kind) for number, text, kind in found if text is not None]


@does(SharedLoop)
def _share(emitter: Emitter, loop: SharedLoop) -> None:
    end = loop.header.end
    assert isinstance(end, ir.NextOfRange)
    trips = Trips(emitter, loop)
    for block in emitter.region.blocks:
        if block in loop.blocks:
            trips.block(block)
    emitter.count += 1
    emitter.held = {}
    pace, past = f"pace_{emitter.count}", f"past_{emitter.count}"
    emitter.declared += [f"static npl::history {past};", f"npl::pace {pace}{{{past}}};"]
    state = emitter.variable(end.state, end.kind)
    stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
    lines = emitter.lines
    lines.append(f"if (NPL_RARELY({state}.position == 0 || {state}.position >= {pace}.next))")
    lines.append(f"if ({pace}.pays({state})) {{")
    lines.append(f"const npl::range numbers = {state};")
    lines.append("const int64_t start = numbers.position, left = numbers.length - start;")
    lines.append(f"const __int128 item = numbers.start + __int128(start) * {stride};")
    rows = [_rows(emitter, one, stride) for one in loop.rows]
    lines.append(f"const npl::rows stored[] = {{{', '.join([*rows, 'npl::rows{}'])}}};")
    lines.append(f"{SHARES} sharing({pace}, numbers, stored, {len(rows)});")
    lines.append(f"if ({' && '.join(['sharing.possible()', *_checks(emitter, loop)])}) {{")
    lines += [f"const auto {text}_given = {text};" for text in trips.given]
    lines.append("while (sharing.next()) {")
    _round(emitter, trips)
    lines.append(f"{state}.position += sharing.count; sharing.done += sharing.count;")
    emitter.at = ir.Place(loop.header.source, 0)
    emitter.leave_if("npl::interrupted()")
    lines.append("}")
    emitter.leave_if("sharing.asked && npl::interrupted()")
    lines += ["}", "}"]


def _rows(emitter: Emitter, rows: Rows, stride: str) -> str:
    terms = [f"__int128({count}) * {emitter.value(node)}" for count, node in rows.terms]
    first = " + ".join([f"__int128({rows.factor}) * item", f"__int128({rows.constant}ll)", *terms])
    step = f"__int128({rows.factor}) * {stride}"
    return f"npl::rows_of({emitter.value(rows.array)}, {rows.axis}, {first}, {step}, left)"


def _checks(emitter: Emitter, loop: SharedLoop) -> list[str]:
    """Return the conditions on which no trip uses an item that another one stores."""
    stored = [*{str(one.array): emitter.value(one.array) for one in loop.rows}.values()]
    reads = [emitter.value(node) for node in loop.reads]
    pairs = [(one, other) for place, one in enumerate(stored) for other in (*stored[place + 1 :], *reads)]
    return [
        *(f"npl::items_apart({one})" for one in stored),
        *(f"!npl::overlap({one}, {other})" for one, other in pairs),
        *(f"!{emitter.value(node)}.memory" for node in loop.viewed),
    ]


def _round(emitter: Emitter, trips: Trips) -> None:
    """Write a round: the function of its trips, its call, and what names have after it."""
    lines = emitter.lines
    state = trips.variable(trips.end.state, trips.end.kind)
    named = [(name, found) for name in trips.shared.private if (found := trips.bound(name)) is not None]
    sums = [(name, kind, trips.variable(name, kind)) for name, kind in trips.shared.sums]
    extremes = [
        (emitter.variable(name, kind), trips.variable(name, kind), function)
        for name, kind, function in trips.shared.extremes
    ]
    publish: list[str] = []
    for name, (tag, variables) in named:
        outside = emitter.tag(name)
        lines.append(f"int64_t {outside}_at = -1, {outside}_last = 0;")
        publish.append(f"if ({tag} && first > {outside}_at) {{")
        publish.append(f"{outside}_at = first; {outside}_last = {tag};")
        for text, kind in {text: kind for _, text, kind in variables}.items():
            last = f"{emitter.variable(name, kind)}_last"
            lines.append(f"{c_type(kind)} {last}{{}};")
            publish.append(f"{last} = {text};")
        publish.append("}")
    for name, kind, text in sums:
        total = f"{emitter.variable(name, kind)}_total"
        lines.append(f"{c_type(kind)} {total}{{}};")
        publish.append(f"overflows |= npl::add_to({total}, {text}, {_is_checked(kind)});")
    for outside, text, function in extremes:
        lines.append(f"auto {outside}_extreme = {outside};")
        publish.append(f"overflows |= npl::unlike_zeros({outside}_extreme, {text});")
        publish.append(f"{outside}_extreme = {function}({outside}_extreme, {text});")
    lines.append(
        "const auto trips_of = [&](const int64_t first, const int64_t many, const bool own) -> bool {"
    )
    lines += ["const npl::round_part part;", "int64_t trips = npl::trips_between_polls / 4;"]
    lines.append("bool overflows = false;")
    lines += [*trips.declared, *trips.first]
    lines.append(f"{state} = {{start + first, start + first + many, numbers.start, numbers.stride}};")
    lines += [f"goto {trips.first_label};", *trips.lines]
    lines += ["ended:", "sharing.lock();", *publish, "sharing.unlock();", "return !overflows;"]
    lines += ["stopped: return false;", "};", "if (!sharing.run(trips_of)) break;"]
    for name, kind, _ in sums:
        outside = emitter.variable(name, kind)
        lines.append(f"{c_type(kind)} {outside}_sum = {outside};")
    tests = [
        f"npl::add_to({outside}_sum, {outside}_total, {_is_checked(kind)})"
        for name, kind, _ in sums
        for outside in [emitter.variable(name, kind)]
    ]
    if tests:
        lines.append(f"if ({' | '.join(tests)}) {{ sharing.undo(); break; }}")
    for name, kind, _ in sums:
        outside = emitter.variable(name, kind)
        lines.append(f"{outside} = {outside}_sum;")
    lines += [f"{outside} = {outside}_extreme;" for outside, _, _ in extremes]
    for name, (_, variables) in named:
        outside = emitter.tag(name)
        lines.append(f"if ({outside}_last) {outside} = {outside}_last;")
        for number, _, kind in variables:
            variable = emitter.variable(name, kind)
            lines.append(f"if ({outside}_last == {number}) {variable} = {variable}_last;")


def _is_checked(kind: Scalar) -> str:
    return "true" if kind == INT else "false"
