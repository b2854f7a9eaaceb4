"""The verifier checks that a typed region keeps the rules of its form, and names the rule and the node.

`NODES` has the rules for kinds of expressions, steps and ends, as data; the functions below it are rules
about a region. `frontend/loop_pipeline.py` has a `Verifier` check it after inference and each pass where
NPCOMPILE_VERIFY_PROGRAMS is 1, as in tests. Kinds that have no row keep the rules about regions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from npcompile.lower.loops import array_ir, ir
from npcompile.lower.loops.affine import is_used_before
from npcompile.lower.loops.array_ir import (
    Dot,
    Fetch,
    Filled,
    Indices,
    Lane,
    Map,
    MatMul,
    Reduced,
    Selected,
    Source,
    StoreChosen,
    StoreMap,
    Taken,
    Whole,
)
from npcompile.lower.loops.iterator_ir import is_finite
from npcompile.lower.loops.list_ir import (
    Append,
    Extend,
    HasItems,
    ListItem,
    ListLength,
    NextOfUnknown,
    RemoveItem,
    StoreListItem,
)
from npcompile.lower.loops.nest_ir import broken_nests
from npcompile.lower.loops.parallel_ir import SharedLoop
from npcompile.lower.loops.register_ir import Registers, has_place, place_text, varies
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import BOOL, INT, Array, Either, Known, List, Scalar, Tuple, Type, Unsigned
from npcompile.lower.loops.view_ir import Slice, Transposed, View


class InvalidRegion(Exception):
    """A typed region breaks a rule. rule: the name of the rule; node: the part that breaks it."""

    def __init__(self, rule: str, node: Any, message: str, after: str) -> None:
        line = getattr(node, "line", 0)
        where = f"\n  at: {node}" + (f"\n  line: {line}" if line else "")
        super().__init__(f"after {after}, a loop region breaks the rule `{rule}`: {message}{where}")
        self.rule = rule
        self.node = node


# -- kinds of nodes ----------------------------------------------------------------------------------------


def _is(*kinds: type[Type]) -> Callable[[Type], bool]:
    """Return the function that tells if a type is of one of these classes."""
    return lambda kind: isinstance(kind, kinds)


def _equals(wanted: Type) -> Callable[[Type], bool]:
    return lambda kind: kind == wanted


def _any(kind: Type) -> bool:
    return True


_NUMBER, _ARRAY, _LIST = _is(Scalar, Unsigned), _is(Array), _is(List)
_INT, _BOOL = _equals(INT), _equals(BOOL)


@dataclass(frozen=True)
class NodeRules:
    """The rules for one kind of node.

    parts: of the fields that hold expressions, tells if such an expression may have a type. gives: tells if
    the node may have a type. agrees: returns in which way the node's type or fields contradict its parts.
    """

    parts: Mapping[str, Callable[[Type], bool]] = field(default_factory=dict)
    gives: Callable[[Type], bool] = _any
    agrees: Callable[[Any], str | None] = lambda node: None


def _constant(node: ir.Constant) -> str | None:
    kind, value = node.type, node.value
    if isinstance(kind, Unsigned):
        kind = Scalar(kind.code)
    if not isinstance(kind, Scalar):
        return "a known object has no number" if value is not None else None
    of_kinds = "c" if isinstance(value, complex) else "fc" if isinstance(value, float) else "biufc"
    if kind.kind not in of_kinds:
        return f"{value!r} is no {kind}"
    if kind.kind in "iu":
        bits = kind.bits
        least, bound = (-(1 << bits - 1), 1 << bits - 1) if kind.kind == "i" else (0, 1 << bits)
        if not least <= value < bound:
            return f"{value!r} is no {kind}"
    return None


def _apply(node: ir.Apply) -> str | None:
    operation = node.operation
    if len(node.operands) != len(operation.operands):
        return f"{operation.function} takes {len(operation.operands)} operands, not {len(node.operands)}"
    if isinstance(node.type, Scalar | Unsigned) and node.type.code != operation.result.code:
        return f"{operation.function} gives {operation.result}, not {node.type}"
    for operand, to in zip(node.operands, operation.operands, strict=True):
        if isinstance(operand.type, Unsigned) and to.kind in "iu" and to.code != operand.type.code:
            return f"{operation.function} takes {to}, which does not hold every {operand.type}"
    return None


def _item(node: Any) -> str | None:
    array = node.array.type
    if len(node.indices) != array.ndim:
        return f"{array} has {array.ndim} axes, and there are {len(node.indices)} indices"
    if isinstance(node, ir.Item):
        return None if node.type == array.item else f"an item of {array} is no {node.type}"
    if not array.writeable:
        return f"{node.array} is read-only"
    return None if node.value.type.code == array.code else f"{node.value.type} is stored to {array}"


def _length(node: ir.Length) -> str | None:
    array = node.array.type
    assert isinstance(array, Array)
    return None if 0 <= node.axis < array.ndim else f"{array} has no axis {node.axis}"


def _choose(node: ir.Choose | Select) -> str | None:
    kinds = {node.one.type, node.other.type}
    return None if kinds == {node.type} else f"{' and '.join(map(str, kinds))} are chosen as {node.type}"


def _tuple(node: ir.MakeTuple) -> str | None:
    kinds = tuple(item.type for item in node.items)
    wanted = node.type.items if isinstance(node.type, Tuple | Either) else ()
    return None if kinds == wanted else f"its items are {', '.join(map(str, kinds))}"


def _part(node: ir.Part) -> str | None:
    items = node.whole.type.items if isinstance(node.whole.type, Tuple | Either) else ()
    if not 0 <= node.index < len(items):
        return f"{node.whole.type} has no item {node.index}"
    return None if items[node.index] == node.type else f"the item is {items[node.index]}, not {node.type}"


def _view(node: View) -> str | None:
    array, made = node.array.type, node.type
    assert isinstance(array, Array) and isinstance(made, Array)
    axes = sum(part is not None for part in node.parts)
    kept = sum(not isinstance(part, ir.Expression) for part in node.parts)
    if (axes, kept) != (array.ndim, made.ndim):
        return f"{axes} axes of {array} become {kept} of {made}"
    return _same_memory(array, made)


def _transposed(node: Transposed) -> str | None:
    array, made = node.array.type, node.type
    assert isinstance(array, Array) and isinstance(made, Array)
    if len(node.axes) != made.ndim or not set(node.axes) <= set(range(array.ndim)):
        return f"{node.axes} are no axes of {array}"
    return _same_memory(array, made)


def _same_memory(array: Array, view: Array) -> str | None:
    if array.code != view.code:
        return f"a view of {array} is no {view}"
    return "a view of a read-only array is read-only" if view.writeable and not array.writeable else None


def _called(node: Any) -> str | None:
    function: ir.Function = node.function
    given = tuple(operand.type for operand in node.operands)
    wanted = tuple(kind for _, kind in function.parameters)
    if given != wanted:
        return f"{function.name} is given {', '.join(map(str, given))}"
    if isinstance(node, ir.Call) and node.type != function.result:
        return f"{function.name} gives {function.result}"
    return None


def _map(node: Map) -> str | None:
    made = node.type
    code = made.code if isinstance(made, Array | Scalar) else None
    if not isinstance(node.body.type, Scalar) or node.body.type.code != code:
        return f"items of type {node.body.type} make no {made}"
    return _lanes(node)


def _lanes(node: Map) -> str | None:
    """Check that each lane of a map's body is one of its operands, and has the type of that one's items."""
    pending = [node.body]
    while pending:
        part = pending.pop()
        if isinstance(part, Lane):
            if part.number >= len(node.operands):
                return f"there is no operand {part}"
            operand = node.operands[part.number].type
            if isinstance(operand, Array) and part.type != operand.item:
                return f"{part} is an item of {operand}, no {part.type}"
        elif isinstance(part, ir.Read):
            return f"the body reads {part}, which is no operand"
        pending += ir.parts_of(part)
    return None


def _store_map(step: StoreMap) -> str | None:
    return _stored_map(step.target, step.value)


def _store_chosen(step: StoreChosen) -> str | None:
    target, chosen = step.target.type, [one.type for one in step.chosen]
    axes = sum(one.ndim for one in chosen if isinstance(one, Array))
    if isinstance(target, Array) and target.ndim < axes:
        return f"{target} has no {axes} axes"
    return _stored_map(step.target, step.value)


def _stored_map(target: ir.Expression, value: Map) -> str | None:
    assert isinstance(target.type, Array)
    if not target.type.writeable:
        return f"{target} is read-only"
    made = value.body.type
    if not isinstance(made, Scalar) or made.code != target.type.code:
        return f"items of type {made} are stored to {target.type}"
    return _lanes(value)


def _next(end: Any) -> str | None:
    return None if isinstance(end.kind, ir.State) else f"{end.kind} is no iterator"


_CALL = NodeRules(agrees=_called)

# By kind of node.
NODES: dict[type[Any], NodeRules] = {
    ir.Constant: NodeRules(gives=_is(Scalar, Unsigned, Known), agrees=_constant),
    ir.Apply: NodeRules({"operands": _NUMBER}, _NUMBER, _apply),
    ir.Item: NodeRules({"array": _ARRAY, "indices": _INT}, _NUMBER, _item),
    ir.Length: NodeRules({"array": _ARRAY}, _INT, _length),
    ir.Choose: NodeRules({"test": _BOOL}, agrees=_choose),
    **dict.fromkeys((Select, Masked), NodeRules({"test": _BOOL}, _is(Scalar, Unsigned), _choose)),
    ir.MakeTuple: NodeRules(gives=_is(Tuple, Either), agrees=_tuple),
    ir.Part: NodeRules({"whole": _is(Tuple, Either)}, agrees=_part),
    View: NodeRules({"array": _ARRAY, "parts": _INT}, _ARRAY, _view),
    ir.Call: _CALL,
    Transposed: NodeRules({"array": _ARRAY}, _ARRAY, _transposed),
    Map: NodeRules({"operands": _is(Array, Scalar, Source)}, _is(Array, Scalar), _map),
    Reduced: NodeRules({"value": _is(Array, Scalar)}, _NUMBER, lambda node: _map(node.value)),
    Dot: NodeRules({"left": _ARRAY, "right": _ARRAY}, _NUMBER),
    MatMul: NodeRules({"left": _ARRAY, "right": _ARRAY}, _ARRAY),
    array_ir.ByUfunc: NodeRules({"value": _ARRAY, "other": _is(Array, Scalar)}, _ARRAY),
    Filled: NodeRules({"shape": _INT, "item": _NUMBER}, _ARRAY),
    Whole: NodeRules({"array": _ARRAY}, _is(Source)),
    Indices: NodeRules({"index": _ARRAY, "array": _ARRAY}),
    Fetch: NodeRules({"places": _NUMBER}, _NUMBER),
    Taken: NodeRules({"array": _ARRAY, "index": _ARRAY}, _ARRAY),
    Selected: NodeRules({"array": _ARRAY, "mask": _ARRAY}, _ARRAY),
    ListItem: NodeRules({"source": _LIST, "index": _INT}),
    ListLength: NodeRules({"source": _LIST}, _INT),
    HasItems: NodeRules({"source": _LIST}, _BOOL),
    ir.StoreItem: NodeRules({"array": _ARRAY, "indices": _INT, "value": _NUMBER}, agrees=_item),
    ir.CallFunction: _CALL,
    ir.BeginRange: NodeRules({"start": _INT, "stop": _INT, "stride": _INT}),
    StoreMap: NodeRules({"target": _ARRAY}, agrees=_store_map),
    StoreChosen: NodeRules({"target": _ARRAY, "chosen": _ARRAY}, agrees=_store_chosen),
    Append: NodeRules({"target": _LIST}),
    Extend: NodeRules({"target": _LIST, "value": _LIST}),
    StoreListItem: NodeRules({"target": _LIST, "index": _INT}),
    RemoveItem: NodeRules({"target": _LIST, "index": _INT}),
    ir.Branch: NodeRules({"test": _BOOL}),
    ir.NextOfRange: NodeRules(agrees=_next),
    ir.Next: NodeRules(agrees=_next),
}

# -- rules -------------------------------------------------------------------------------------------------

# A rule yields these: the part that breaks it, and in which way.
Broken = Iterator[tuple[Any, str]]


class Form:
    """A region that is checked, or the body of a function, with what several rules ask of it.

    functions: those that may be called. within: the one whose body it is. steps: the steps and ends.
    expressions: of each of them, with all that these are made of. new: the nodes that no earlier form of the
    region had.
    """

    def __init__(
        self,
        region: ir.Region,
        functions: list[ir.Function],
        known: AbstractSet[Any],
        within: ir.Function | None = None,
    ) -> None:
        self.region, self.functions, self.within = region, functions, within
        self.steps = [
            step for block in region.blocks for step in (*block.steps, block.end) if step is not None
        ]
        self.expressions = {step: [*subexpressions(ir.expressions_of(step))] for step in self.steps}
        self.bound = {step: ir.bound_by(step) for step in self.steps}
        self.nodes = dict.fromkeys(node for step in self.steps for node in (step, *self.expressions[step]))
        self.new = [node for node in self.nodes if node not in known]


def _parts_in(value: Any) -> Iterator[ir.Expression]:
    """Yield the expressions in a field of a node."""
    if isinstance(value, ir.Expression):
        yield value
    elif isinstance(value, Slice):
        for bound in (value.start, value.stop, value.step):
            yield from _parts_in(bound)
    elif isinstance(value, tuple):
        for part in value:
            yield from _parts_in(part)


def _blocks_end(form: Form) -> Broken:
    if form.region.entry not in form.region.blocks:
        yield form.region.entry.label, "the entry is none of the blocks"
    labels: set[str] = set()
    for block in form.region.blocks:
        if block.end is None:
            yield block.label, "the block has no end"
        if block.label in labels:
            yield block.label, "two blocks have this label"
        labels.add(block.label)


def _targets_are_blocks(form: Form) -> Broken:
    blocks = set(form.region.blocks)
    for block in form.region.blocks:
        for target in ir.targets(block.end):
            if target not in blocks:
                yield block.end, f"{target.label} is none of the blocks"


def _parts_fit(form: Form) -> Broken:
    for node in form.new:
        rules = NODES.get(type(node))
        for name, allows in rules.parts.items() if rules is not None else ():
            for part in _parts_in(getattr(node, name)):
                if not allows(part.type):
                    yield node, f"`{name}` may not be {part}, a {part.type}"


def _types_agree(form: Form) -> Broken:
    for node in form.new:
        rules = NODES.get(type(node))
        if rules is None:
            continue
        if isinstance(node, ir.Expression) and not rules.gives(node.type):
            yield node, f"it gives no {node.type}"
        elif (message := rules.agrees(node)) is not None:
            yield node, message


def _state_of(end: ir.Step | ir.End) -> tuple[str, Type] | None:
    """Return the name and the type of the iterator that an end takes an item of."""
    match end:
        case ir.NextOfRange() | ir.Next() | NextOfUnknown():
            return end.state, end.kind
    return None


def _names_keep_types(form: Form) -> Broken:
    """Within a block, each name that is read has the type that it was last given."""
    for block in form.region.blocks:
        types = dict(block.types)
        for step in (*block.steps, block.end):
            assert step is not None
            for node in form.expressions[step]:
                if isinstance(node, ir.Read) and types.get(node.name) != node.type:
                    yield step, f"`{node.name}` is read as {node.type}, and is {types.get(node.name)}"
            state = _state_of(step)
            if state is not None and types.get(state[0]) != state[1]:
                yield step, f"`{state[0]}` is {types.get(state[0])}, not {state[1]}"
            if isinstance(step, ir.Step):
                types |= form.bound[step]


def _types_reach_blocks(form: Form) -> Broken:
    """Where a block is reached, each name that it expects has the type that it expects."""
    for block in form.region.blocks:
        types = dict(block.types)
        for step in block.steps:
            types |= form.bound[step]
        for number, target in enumerate(ir.targets(block.end)):
            assert block.end is not None
            made = types | form.bound[block.end] if number == 0 else types
            if target.types.items() <= made.items():
                continue
            for name, kind in target.types.items():
                if (known := made.get(name)) is not kind and known != kind:
                    yield block.end, f"{target.label} expects `{name}`: {kind}, and it is {known}"


def _names_are_stored(form: Form) -> Broken:
    """Each type that a name takes is among those with which Python may find it."""
    for step in form.steps:
        for name, kind in form.bound[step].items():
            if kind not in form.region.stored.get(name, ()):
                yield step, f"`{name}` is not known to become {kind}"


def _returns_fit(form: Form) -> Broken:
    for step in form.steps:
        if isinstance(step, ir.Return):
            within = form.within
            if within is None:
                yield step, "a region does not return"
            elif step.value is None and not isinstance(within.result, Known):
                yield step, f"{within.name} returns {within.result}"
            elif step.value is not None and step.value.type != within.result:
                yield step, f"{within.name} returns {within.result}, not {step.value.type}"


def _functions_are_known(form: Form) -> Broken:
    for node in form.nodes:
        if isinstance(node, ir.Call | ir.CallFunction) and node.function not in form.functions:
            yield node, f"{node.function.name} is none of the functions"


def _wide_names_are_ints(form: Form) -> Broken:
    for name in form.region.wide:
        if name not in form.region.names:
            yield name, "it is not given at the entry"


def _bounded_are_ints(form: Form) -> Broken:
    for node in form.region.nonnegative:
        if not isinstance(node.type, Scalar) or node.type.kind not in "iub":
            yield node, f"{node.type} is no integer"


def _certain_may_leave(form: Form) -> Broken:
    for node in form.region.certain:
        if not isinstance(node, ir.Apply) or (node.operation.leaves and node.operation.unchecked is None):
            yield node, "it has no form without a check"


def _fast_loops_fit(form: Form) -> Broken:
    """A loop without checks knows its trips; each item that is not checked there has its check before."""
    for header, loop in form.region.fast_loops.items():
        if not isinstance(header.end, ir.Next) or not is_finite(header.end.kind) or not header.is_header:
            yield header.label, "it is no header of a loop over a range or the items of an array"
        elif header not in loop.blocks or not loop.blocks <= set(form.region.blocks):
            yield header.label, "its blocks are not the region's"
        elif isinstance(header.end, ir.NextOfRange) and header.end.item not in loop.items:
            yield header.label, f"`{header.end.item}` is not its item"
        for access in loop.accesses:
            array = access.array.type
            if access.index.type != INT:
                yield access.index, "it is no int"
            elif not isinstance(array, Array) or not 0 <= access.axis < array.ndim:
                yield access.array, f"it has no axis {access.axis}"
        checked = {(str(access.array), access.axis) for access in loop.accesses}
        for node in loop.unchecked:
            for axis in range(len(node.indices)):
                if (str(node.array), axis) not in checked:
                    yield node, f"axis {axis} is not checked before the loop"


def _kept_items_fit(form: Form) -> Broken:
    """An item that a loop keeps has one place, and is checked to share no memory with the loop's others."""
    for header, loop in form.region.fast_loops.items():
        if not isinstance(loop.kept, Registers):
            continue
        if header in form.region.shared:
            yield header.label, "threads share its trips"
        steps = [step for block in loop.blocks for step in (*block.steps, block.end) if step is not None]
        nodes = [node for step in steps for node in (step, *form.expressions[step])]
        used = [node for node in nodes if isinstance(node, ir.Item | ir.StoreItem)]
        compared: set[frozenset[str]] = set()
        for one in loop.kept.items:
            compared |= {frozenset((place_text(one.place), place_text(node))) for node in one.apart}
        for one in loop.kept.items:
            place, arrays = place_text(one.place), {str(array) for array in one.arrays}
            for node in one.uses:
                if place_text(node) != place or not has_place(loop, node) or node not in used:
                    yield node, f"it is no use of {place}"
                if any(varies(index, loop.items) for index in node.indices):
                    yield node, "its place is not the same in each trip"
                if isinstance(node, ir.StoreItem) and not one.is_stored:
                    yield node, f"{place} is not stored back"
            for node in used:
                if node in one.uses or not (one.is_stored or isinstance(node, ir.StoreItem)):
                    continue
                known = has_place(loop, node) and frozenset((place, place_text(node))) in compared
                if not known and (has_place(loop, node) or str(node.array) not in arrays):
                    yield node, f"{place} may share memory with it"


def _carried_items_fit(form: Form) -> Broken:
    """A trip reads the item that the trip before has stored; other stores are checked to be apart from it."""
    for header, loop in form.region.fast_loops.items():
        if not isinstance(loop.kept, Registers) or not isinstance(header.end, ir.NextOfRange):
            continue
        kept = {node for register in loop.kept.items for node in register.uses}
        stores = [step for block in loop.blocks for step in block.steps if isinstance(step, ir.StoreItem)]
        for one in loop.kept.carried:
            for load in one.loads:
                for store in one.stores:
                    stride = header.end.kind.stride
                    if stride is None or not is_used_before(load, store, loop.items, stride):
                        yield load, f"{place_text(store)} is not stored there in the trip before"
            uses: list[ir.Item | ir.StoreItem] = [*one.loads, *one.stores]
            for node in uses:
                if not has_place(loop, node) or node in kept:
                    yield node, "it is checked, or kept"
            places = {place_text(node) for node in (*one.stores, *one.apart)}
            arrays = {str(array) for array in one.arrays}
            for store in stores:
                known = has_place(loop, store) and place_text(store) in places
                if not (known or store in kept or str(store.array) in arrays):
                    yield store, f"{place_text(one.loads[0])} may share memory with it"


def _shared_loops_fit(form: Form) -> Broken:
    """Trips that threads share go over a range, sum only integers, and stay within their blocks."""
    for header, loop in form.region.shared.items():
        if not isinstance(loop, SharedLoop):
            continue
        if not isinstance(header.end, ir.NextOfRange) or loop.header is not header:
            yield header.label, "it is no header of a loop over a range"
            continue
        if header not in loop.blocks or not loop.blocks <= set(form.region.blocks):
            yield header.label, "its blocks are not the region's"
        for name, kind in loop.sums:
            if kind.kind not in "iu":
                yield name, f"a sum of {kind} depends on the order"
        for carried in (*loop.sums, *loop.extremes):
            if carried[0] in loop.private:
                yield carried[0], "it is both summed and private to trips"
        for rows in loop.rows:
            if rows.factor == 0:
                yield rows, "all trips store to one place"


Rule = Callable[[Form], Broken]

# By name, in the order in which they are checked: later rules rely on earlier ones.
RULES: dict[str, Rule] = {
    "each block has an end": _blocks_end,
    "ends lead to blocks": _targets_are_blocks,
    "functions that are called are known": _functions_are_known,
    "the types of parts fit": _parts_fit,
    "types agree with parts": _types_agree,
    "names keep their types within a block": _names_keep_types,
    "names have the types that a block expects": _types_reach_blocks,
    "names are stored by the types that they take": _names_are_stored,
    "functions return their type": _returns_fit,
    "wide names are given": _wide_names_are_ints,
    "ints are bounded": _bounded_are_ints,
    "what is certain could leave": _certain_may_leave,
    "loops without checks are checked before": _fast_loops_fit,
    "nests without checks are checked before": lambda form: broken_nests(form.region),
    "items that loops keep are apart from others": _kept_items_fit,
    "items that trips read are those stored before": _carried_items_fit,
    "shared trips are independent": _shared_loops_fit,
}


class Verifier:
    """Checks a region, and the functions that it calls, after each pass.

    Nodes do not change: a rule of one node alone is checked once, when a pass has made it.
    """

    def __init__(self, region: ir.Region) -> None:
        self.region = region
        self.known: set[Any] = set()

    def verify(self, after: str = "inference") -> None:
        """Raise InvalidRegion where the region, or a function that it calls, breaks a rule after a pass."""
        functions = self.region.functions
        forms = [Form(self.region, functions, self.known)]
        forms += [Form(one.body, functions, self.known, one) for one in functions if one.body is not None]
        for name, rule in RULES.items():
            for form in forms:
                for node, message in rule(form):
                    raise InvalidRegion(name, node, message, after)
        for form in forms:
            self.known.update(form.new)
