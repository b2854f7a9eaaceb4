"""Writes a typed region as one C++ function: a label for each block, a variable for each name and type.

`npc_loop(words)` reads the names from the words (`layout.py`), runs, writes the names back and returns the
number of the place at which it left. The rules for expressions and steps stand in a file for each family.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type, held_as, holds_memory
from npcompile.lower.loops.codegen.call_graph import CallGraph
from npcompile.lower.loops.codegen.composed_trips import ComposedTrips
from npcompile.lower.loops.codegen.function_heads import borrowed, head, parameter_types
from npcompile.lower.loops.codegen.guess_code import guessing, verified
from npcompile.lower.loops.codegen.leave_code import write_exits
from npcompile.lower.loops.codegen.loop_versions import CHECKED, KEEPING, UNCHECKED
from npcompile.lower.loops.codegen.nesting import innermost
from npcompile.lower.loops.codegen.partial_code import PartialCode
from npcompile.lower.loops.codegen.poll_chunks import INNER_TRIP, OUTER_TRIP, PollChunks
from npcompile.lower.loops.codegen.register_code import KeptItems
from npcompile.lower.loops.codegen.trip_counts import TripCounts
from npcompile.lower.loops.codegen.vector_width import width_of
from npcompile.lower.loops.layout import Layout, layout_of
from npcompile.lower.loops.nest_ir import LoopNest
from npcompile.lower.loops.register_ir import Registers
from npcompile.lower.loops.types import Known, Type

ENTRY_NAME = "npc_loop("
ENTRY = f'__attribute__((visibility("default"))) int64_t {ENTRY_NAME}int64_t* words)'

OVERFLOW = "a Python int beyond 64 bits"  # a reason to leave


class Exit(NamedTuple):
    """A place at which native code may leave, and why, where that is known while compiling."""

    place: ir.Place
    why: str | None


class Code(NamedTuple):
    """The exits of one function's C++, by number, and the layout of its words."""

    exits: tuple[Exit, ...]
    layout: Layout


class Source(NamedTuple):
    """The C++ of a region, its exits by number, the layout of its words, and the functions that it calls."""

    text: str
    exits: tuple[Exit, ...]
    layout: Layout
    functions: tuple[Code, ...]


_expressions: dict[type[ir.Expression], Callable[[Emitter, Any], str]] = {}
_rules: dict[type[Any], Callable[[Emitter, Any], None]] = {}


def writes(kind: type[ir.Expression]) -> Callable[[Any], Any]:
    """Register the rule that writes a kind of expression: it returns the C++ of the value."""

    def register(rule: Any) -> Any:
        _expressions[kind] = rule
        return rule

    return register


def does(kind: type[ir.Step | ir.End | ir.Shared | ir.FastLoop | ir.Nest]) -> Callable[[Any], Any]:
    """Register the rule that writes a step or an end, or what comes before a fast loop, or first in a trip of
    a shared one.
    """

    def register(rule: Any) -> Any:
        _rules[kind] = rule
        return rule

    return register


class Emitter:
    """Writes one region."""

    def __init__(
        self, region: ir.Region, within: ir.Function | None = None, calls: CallGraph | None = None
    ) -> None:
        self.region = region
        self.within = within
        self.calls = CallGraph(region.functions, region) if calls is None else calls
        self.layout = layout_of(region)
        self.lines: list[str] = []
        self.declared: list[str] = []
        self.first: list[str] = []  # lines that compute from the given names, once
        self.variables: dict[tuple[str, Type], str] = {}
        self.exits: dict[Exit, int] = {}
        self.held: dict[ir.Expression | str, str] = {}  # what the step at hand has computed: values, places
        self.count = 0
        # The C++ of names that stand for a loop's item, while it is checked.
        self.instead: dict[str, str] = {}
        self.loops = {block: loop for loop in region.fast_loops.values() for block in loop.blocks}
        self.loop: ir.FastLoop | None = None  # the loop that the block at hand is in
        self.innermost = innermost(region)
        self.nests = {
            block: one for one in region.nests.values() if isinstance(one, LoopNest) for block in one.blocks
        }
        self.nest: LoopNest | None = None  # the nest that the block at hand is in
        self.nested = False  # its version without checks is being written
        self.counts = TripCounts(self)
        self.chunks = PollChunks(self)
        self.partial = PartialCode(self)
        self.composed = ComposedTrips(self)
        self.here: ir.Block | None = None  # the block at hand, once its label is written
        self.is_counted = False  # the trip at hand is one of a chunk: there is an item to take
        self.version = CHECKED  # the one of that loop which is being written
        self.is_free = False  # the trips of that version cannot leave
        self.free: dict[tuple[ir.FastLoop, bool], bool] = {}  # by loops, and if they are in a nest's version
        self.registers: dict[ir.FastLoop, KeptItems] = {}  # made as they are asked for
        self.borrowed: set[str] = set()  # parameters that are the caller's values
        self.shares = within is None  # loops are shared among threads where that pays
        self.flag: str | None = None  # what is set, at the place at hand, instead of leaving
        self.has_flagged = False
        self.at = ir.Place(0, 0)  # where Python goes on if the step at hand leaves

    def emit(self) -> Source:
        """Return the source."""
        for name, slot in self.layout.given.items():
            self._load(name, slot.kind, slot.offset)
        given = self.lines
        self.lines = [f"goto {self.region.entry.label};"]
        for block in self.region.blocks:
            self.block(block)
        functions, codes = function_texts(self.region, self.calls)
        body = [*given, *self.first, *self.lines]
        self.lines = []
        write_exits(self)
        first = []
        if (frames := self.layout.frames) is not None:
            first.append("npl::left.size = 0;")
            self.lines.append(f"words[{frames}] = reinterpret_cast<int64_t>(npl::left.words);")
            self.lines.append(f"words[{frames + 1}] = npl::left.size;")
        lines = [
            "int64_t number = 0, trips = npl::trips_between_polls;",
            *first,
            *self.declared,
            *body,
            *self.lines,
            "return number;",
        ]
        begin = f'{functions}extern "C" {width_of(self.region)}{ENTRY} {{'
        text = "\n".join((begin, *("    " + line for line in lines), "}", ""))
        return Source(text, tuple(self.exits), self.layout, codes)

    def function(self, number: int) -> str:
        """Return the function whose body the region is. number: its place among the functions."""
        assert self.within is not None
        self.borrowed = borrowed(self.within)
        for place, (name, kind) in enumerate(self.within.parameters):
            if name in self.borrowed:
                self.variables[name, kind] = f"given_{place}"
            else:
                self.lines.append(f"npl::bind({self.variable(name, kind)}, given_{place});")
        for name, kind in self.region.names.items():
            if name in self.region.stored:
                self.set_tag(name, kind)
        given = [f"{kind} given_{place}" for place, kind in enumerate(parameter_types(self.within))]
        bound = self.lines
        self.lines = [f"goto {self.region.entry.label};"]
        for block in self.region.blocks:
            self.block(block)
        first = []
        if self.within in self.calls.recursive:  # recursion may take long without a loop
            first.append("if (depth >= npl::deepest) return npl::undone;")
            first.append(f"if ({polled(1)}) return npl::undone;")
        first.append("bool is_left = false;")
        if self.exits:
            first.append("int64_t number = 0;")
            size = self.layout.size
            write_exits(self, f"int64_t *words = npl::push_frame({number}, number, {size});")
            self.lines.append("is_left = true;")
            self.lines.append("return npl::half_done;")
        text = "\n    ".join(("", *first, *self.declared, *bound, *self.first, *self.lines))
        return f"{head(self.within, given, self.calls)} {{{text}\n}}\n"

    def call(self, function: ir.Function, operands: list[str]) -> str:
        """Return the call of a function. operands: its arguments, and the variables that take its answers."""
        given = ["trips"]
        if function in self.calls.counted:
            deeper = " + 1" if self.within in self.calls.recursive else ""
            given.append(f"depth{deeper}" if self.within in self.calls.counted else "0")
        return f"{function.name}({', '.join([*given, *operands])})"

    # -- names -------------------------------------------------------------------------------------------

    def variable(self, name: str, kind: Type) -> str:
        """Return the C++ variable of a name where it has a type."""
        kind = held_as(kind)
        known = self.variables.get((name, kind))
        if known is None:
            known = f"{re.sub(r'[^0-9A-Za-z]', '_', name)}_{len(self.variables)}"
            self.variables[name, kind] = known
            self.declared.append(f"{c_type(kind)} {known}{{}};  // {kind}")
            if self.within is not None and holds_memory(kind):
                self.declared.append(f"npl::keeper kept_{known}{{{known}, &is_left}};")
        return known

    def tag(self, name: str) -> str:
        """Return the variable that tells which type a name has."""
        known = self.variables.get((name, Known(None)))
        if known is None:
            known = f"tag_{len(self.variables)}"
            self.variables[name, Known(None)] = known
            self.declared.append(f"int64_t {known} = 0;  // {name}")
        return known

    @property
    def has_tags(self) -> bool:
        return self.within is None or self.within.has_effects

    def set_tag(self, name: str, kind: Type) -> None:
        """Note which type a name has now, for Python: of a function without effects it sees no names."""
        if self.has_tags:
            self.lines.append(f"{self.tag(name)} = {self.region.stored[name].index(kind) + 1};")

    def _load(self, name: str, kind: Type, offset: int) -> None:
        if not isinstance(kind, Known):
            self.lines.append(f"npl::load(words + {offset}, {self.variable(name, kind)});")
        if kind in self.region.stored.get(name, ()):  # else it has no value yet
            self.set_tag(name, kind)

    def save(self, name: str, kind: Type, offset: int) -> None:
        """Write a name's value of a type back to its words."""
        if not isinstance(kind, Known):
            self.lines.append(f"npl::save(words + {offset}, {self.variable(name, kind)});")

    # -- blocks ------------------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> None:
        """Write a block, and its versions without checks where it has some."""
        self.loop = self.loops.get(block)
        self.nest = self.nests.get(block)
        copies = self.copies(block)
        for self.nested in copies:
            if block in self.region.nests and copies == (False, True) and not self.nested:
                self.lines.append(f"{block.label}:;")
                _rules[LoopNest](self, self.region.nests[block])
            if block in self.region.fast_loops:
                self.lines.append(f"{self.nested_label(block) if self.nested else block.label}:;")
                _rules[ir.FastLoop](self, self.region.fast_loops[block])
            for version in self.versions():
                self.version = version
                self.here = None
                self.is_free = self.trips_are_free()
                counts_down = self.version == UNCHECKED and self.chunks.counts_down(block)
                self.partial.begin(block, self.chunks.count(block) if counts_down else "")
                self.lines.append(f"{self.label(block)}:;")
                is_chunked = self.is_chunked(block)
                self.is_counted = counts_down or (is_chunked and self.chunks.ends_with_items(block))
                if counts_down:
                    self.chunks.count_down(block)
                elif is_chunked:
                    self.chunks.begin(block)
                elif block.is_header and self.version == CHECKED and self._polls(block):
                    self.poll(block)
                self.here = block
                if self.shares and (shared := self.region.shared.get(block)) is not None:
                    _rules[type(shared)](self, shared)
                self.do(*block.steps, block.end)
                self.partial.end()
            self.version = CHECKED
        self.nested = False

    def copies(self, block: ir.Block) -> tuple[bool, ...]:
        """Return the versions of the nest that the block at hand is in: with checks, and without."""
        return (False,) if self.nest is None else (False, True)

    def versions(self) -> list[str]:
        """Return the versions of the loop that the block at hand is in."""
        if self.loop is None:
            return [CHECKED]
        fast = [UNCHECKED] if self.loop.kept is None else [UNCHECKED, KEEPING]
        return fast if self.nested else [CHECKED, *fast]

    def checks(self, node: ir.Item | ir.StoreItem) -> bool:
        """Tell if the version at hand checks an item's place."""
        if self.nested and self.nest is not None:
            return node not in self.nest.unchecked
        return self.version == CHECKED or self.loop is None or node not in self.loop.unchecked

    def is_certain(self, node: ir.Apply) -> bool:
        """Tell if an operation cannot leave in the version at hand."""
        if self.nested:
            certain = self.nest is not None and node in self.nest.certain
        else:
            certain = self.version != CHECKED and self.loop is not None and node in self.loop.sums
        return certain or node in self.region.certain

    def trips_are_free(self) -> bool:
        """Tell if the trips of the version at hand of an innermost loop cannot leave."""
        if self.loop is None or (self.version == CHECKED and not self.nested):
            return False
        key = self.loop, self.nested
        if key not in self.free:
            self.free[key] = not any(map(self._may_leave, self.loop.blocks))
        return self.free[key]

    def _may_leave(self, block: ir.Block) -> bool:
        """Tell if a block of the version at hand may leave."""
        pending: list[ir.Step | ir.End | ir.Expression | None] = [*block.steps, block.end]
        while pending:
            node = pending.pop()
            if isinstance(node, ir.Call | ir.CallFunction | ir.Leave) or node in self.region.limits:
                return True
            if isinstance(node, ir.Item | ir.StoreItem) and self.checks(node):
                return True
            if isinstance(node, ir.Apply) and node.operation.leaves and not self.is_certain(node):
                return True
            if isinstance(node, ir.Expression):
                pending += ir.parts_of(node)
            else:
                pending += ir.expressions_of(node)
        return False

    def _polls(self, header: ir.Block) -> bool:
        """Tell if the version at hand polls at a header: in nests without checks the outermost loop does.

        A `while` loop with a clock counts its trips where it ends. One of few trips does not count them.
        """
        if header in self.chunks.short:
            return False
        if self.nested and self.nest is not None and self.nest.is_counted:
            return self.nest.clock is None
        return not self.nested or header in self.region.nests or not isinstance(header.end, ir.NextOfRange)

    def is_chunked(self, header: ir.Block) -> bool:
        """Tell if the version at hand of a loop polls once for a chunk of trips."""
        return header in self.chunks.loops and self.version == CHECKED and self._polls(header)

    def kept_items(self, loop: ir.FastLoop) -> KeptItems:
        """Return the variables of the items that a loop keeps."""
        if loop not in self.registers:
            assert isinstance(loop.kept, Registers)
            self.registers[loop] = KeptItems(self, loop, loop.kept)
        return self.registers[loop]

    def register(self, node: ir.Item | ir.StoreItem) -> str | None:
        """Return the variable that keeps an item in the version at hand, if any."""
        if self.loop is None or self.version != KEEPING:
            return None
        return self.kept_items(self.loop).names.get(node)

    def copy(self, step: ir.StoreItem) -> str | None:
        """Return the variable that holds a step's stored value for the next trip, if any."""
        if self.loop is None or self.version != KEEPING:
            return None
        return self.kept_items(self.loop).copies.get(step)

    def poll(self, header: ir.Block) -> None:
        """Let other threads run, and leave where Python has been interrupted, now and then."""
        self.at = ir.Place(header.source, 0)
        self.leave_if(polled(self.cost(header)))

    def cost(self, header: ir.Block) -> int | str:
        """Return the share that a trip takes of the time between two polls."""
        if self.nested and self.nest is not None and header is self.nest.header and not self.nest.is_counted:
            return self.counts.cost(self.nest)
        if self.is_chunked(header):
            return self.chunks.cost(header)
        return INNER_TRIP if self.loop is not None or header in self.innermost else OUTER_TRIP

    def label(self, block: ir.Block) -> str:
        """Return the label of a block, as the block at hand goes to it."""
        is_within = self.nest is not None and block in self.nest.blocks
        if (copy := self.composed.label(block)) is not None:
            return copy
        if self.is_chunked(block) and self.chunks.has_entrance(block, self.here):
            return self.chunks.label(block, self.nested)
        if self.loop is not None and block in self.loop.blocks:
            return self.entered(block, self.version)
        if is_within and self.nested:
            return self.nested_label(block)
        if is_within and block in self.region.nests:
            return self.checked_label(block)
        return block.label

    def entered(self, block: ir.Block, version: str) -> str:
        """Return the label of a block of the innermost loop at hand in one of its versions."""
        text = self.nested_label(block) if self.nested else block.label
        if version != CHECKED:
            return f"{text}_{version}"
        return f"{text}_{CHECKED}" if block in self.region.fast_loops else text

    @staticmethod
    def checked_label(header: ir.Block) -> str:
        """Return the label of a nest's version with checks."""
        return f"{header.label}_{CHECKED}"

    @staticmethod
    def nested_label(block: ir.Block) -> str:
        """Return the label of a block in the version of its nest without checks."""
        return f"{block.label}_nest"

    def go(self, block: ir.Block, ends: bool = False) -> str:
        """Return the statements that go to a block. ends: the loop at hand has had its last trip."""
        text = f"goto {self.label(block)};"
        if self.nested and self.nest is not None and self.nest.clock and block not in self.nest.blocks:
            return f"{{ {self.counts.ended(self.nest, self.nest.clock)} {text} }}"
        if (loop := guessing(self)) is not None and block not in loop.blocks:
            return f"{{ {verified(self, loop)} {text} }}"
        if self.loop is None or self.version != KEEPING:
            return text
        kept = self.kept_items(self.loop)
        if block in self.loop.blocks:
            return f"{{ {kept.next} {text} }}" if block is self.loop.header else text
        return f"{{ {kept.ended if ends else kept.left} {text} }}"

    def do(self, *steps: ir.Step | ir.End | None) -> None:
        """Write steps."""
        for step in steps:
            assert step is not None
            self.held = {}
            self.at = step.place
            self.lines.append(f"{{  // line {step.line}")
            _rules[type(step)](self, step)
            self.lines.append("}")

    def exit(self, why: str | None = None) -> str:
        """Return the statement that leaves at the step at hand. why: the reason, where it is known."""
        if self.within is not None and not self.within.has_effects:
            return "return npl::undone;"
        return f"goto exit_{self.exits.setdefault(Exit(self.at, why), len(self.exits))};"

    def leave_if(self, condition: str, why: str | None = None) -> None:
        """Leave at the step at hand where a condition holds. why: the reason, where it is known."""
        if self.flag is not None:
            self.lines.append(f"{self.flag} |= {condition};")
            self.has_flagged = True
            return
        text = self.exit(why)
        if self.loop is not None and self.version == KEEPING:
            text = f"{{ {self.kept_items(self.loop).left} {text} }}"
        self.lines.append(f"if (NPL_RARELY({condition})) {text}")

    def flagged(self, expression: ir.Expression) -> tuple[str, str]:
        """Return the C++ of a value, and the flag that it sets instead of leaving; empty if it never does."""
        self.count += 1
        place, flag = len(self.lines), f"flag_{self.count}"
        around = self.flag, self.has_flagged
        self.flag, self.has_flagged = flag, False
        text = self.value(expression)
        is_set = self.has_flagged
        self.flag, self.has_flagged = around
        if not is_set:
            return text, ""
        self.lines.insert(place, f"bool {flag} = false;")
        return text, flag

    # -- expressions -------------------------------------------------------------------------------------

    def value(self, expression: ir.Expression) -> str:
        """Return the C++ of a value, after the statements that compute it; each is computed once a step."""
        if (known := self.held.get(expression)) is None:
            known = self.held[expression] = _expressions[type(expression)](self, expression)
        return known

    def hold(self, kind: Type, text: str) -> str:
        """Compute a value into a new constant; return its name."""
        self.count += 1
        self.lines.append(f"const {c_type(kind)} t{self.count} = {text};")
        return f"t{self.count}"

    def fresh(self, kind: Type) -> str:
        """Declare a new variable within the step at hand; return its name."""
        self.count += 1
        self.lines.append(f"{c_type(kind)} t{self.count};")
        return f"t{self.count}"

    def index(self, array: ir.Expression, axis: int, index: ir.Expression) -> str:
        """Return an index along an axis, for which no check is made where the item is used."""
        text = self.value(index)
        if isinstance(index, ir.Constant) and index.value < 0:
            return f"({text} + {self.value(array)}.shape[{axis}])"
        return text

    def give(self, variable: str, value: ir.Expression) -> None:
        """Assign a value to a variable, which keeps the value's memory."""
        text = self.value(value)
        if holds_memory(value.type):
            self.lines.append(f"npl::bind({variable}, {text});")
        else:
            self.lines.append(f"{variable} = {text};")

    def kept(self, kind: Type) -> str:
        """Declare a new variable that keeps its memory until the step at hand is done; return its name."""
        name = self.fresh(kind)
        if holds_memory(kind):
            self.lines[-1] = f"{c_type(kind)} {name}{{}}; npl::keeper kept_{name}{{{name}}};"
        return name


# -- functions ---------------------------------------------------------------------------------------------


def polled(trips: int | str) -> str:
    """Return the condition on which Python has been interrupted, after trips of so much cost."""
    return f"(trips -= {trips}) < 0 && (trips = npl::trips_between_polls, npl::interrupted())"


def function_texts(region: ir.Region, calls: CallGraph) -> tuple[str, tuple[Code, ...]]:
    """Return the functions that a region calls; they may call one another."""
    heads: list[str] = []
    texts: list[str] = []
    codes: list[Code] = []
    for number, function in enumerate(region.functions):
        if function.body is None:
            codes.append(Code((), Layout({}, {}, 0)))
            continue
        emitter = Emitter(function.body, function, calls)
        heads.append(head(function, parameter_types(function), calls) + ";")
        texts.append(emitter.function(number))
        codes.append(Code(tuple(emitter.exits), emitter.layout))
    text = "".join(line + "\n" for line in (*heads, *texts))
    return text, tuple(codes)


# -- steps and ends ----------------------------------------------------------------------------------------


@does(ir.Jump)
def _jump(emitter: Emitter, end: ir.Jump) -> None:
    emitter.lines.append(emitter.go(end.target))


@does(ir.Leave)
def _leave(emitter: Emitter, end: ir.Leave) -> None:
    emitter.lines.append(emitter.exit(end.why))


@does(ir.Bind)
def _bind(emitter: Emitter, step: ir.Bind) -> None:
    kind = step.value.type
    if not isinstance(kind, Known):
        value = emitter.value(step.value)
        emitter.lines.append(f"npl::bind({emitter.variable(step.name, kind)}, {value});")
    elif not isinstance(step.value, ir.Constant):
        emitter.value(step.value)  # an item that is expected to be None is looked at
    emitter.set_tag(step.name, kind)
