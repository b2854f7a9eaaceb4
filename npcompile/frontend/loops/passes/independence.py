"""Proves that the trips of loops over ranges do not depend on each other, for threads to share them.

Trips are independent where all that a trip stores to an array lies at one place of an axis that no other
trip has, where nothing else of such an array is read, and where each name is bound in a trip before it is
read, or is an integer that trips only add to, or a number of which they only take `min` or `max`. Memory that
arrays have in common is looked for at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from npcompile.frontend.loops.passes.reachability import reached_from
from npcompile.lower.loops import array_ir, ir
from npcompile.lower.loops.layout import objects_in
from npcompile.lower.loops.parallel_ir import Rows, SharedLoop
from npcompile.lower.loops.random_ir import Draw
from npcompile.lower.loops.types import (
    INT,
    NONE,
    Array,
    Character,
    Deque,
    Dict,
    Either,
    Known,
    List,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Word,
)
from npcompile.lower.loops.view_ir import Slice, Transposed, View

# Expressions without effects that threads may evaluate beside each other.
_PURE = (
    *(ir.Constant, ir.Read, ir.Apply, ir.Item, ir.Length, ir.Choose, ir.MakeTuple, ir.Part, ir.Call),
    *(View, Transposed, array_ir.Lane, array_ir.Map, array_ir.Reduced, array_ir.Dot, array_ir.MatMul),
    array_ir.ByUfunc,
)
_HEAVY = (ir.Call, array_ir.Reduced, array_ir.Dot, array_ir.MatMul, array_ir.Map, array_ir.ByUfunc)


class Dependent(Exception):
    """One thread has to do a loop. The message says why."""


def share(region: ir.Region) -> None:
    """Note in a region the outermost loops over ranges whose trips threads may share, and why others have
    one thread.
    """
    loops = [
        (header, blocks)
        for header in region.blocks
        if isinstance(header.end, ir.NextOfRange) and len(blocks := loop_blocks(header)) > 1
    ]
    loops.sort(key=lambda loop: -len(loop[1]))
    within: set[ir.Block] = set()
    for header, blocks in loops:
        assert header.end is not None
        if header in within:
            continue
        try:
            region.shared[header] = _Proof(region, header, blocks).run()
            within |= blocks
        except Dependent as why:
            region.unshared.setdefault(header.end.line, str(why))
    for header in region.shared:
        assert header.end is not None
        region.unshared.pop(header.end.line, None)


def loop_blocks(header: ir.Block) -> set[ir.Block]:
    """Return the blocks of a header's loop, with those of the loops within; the header alone if no trip
    leads to another.
    """
    assert isinstance(header.end, ir.NextOfRange)
    before: dict[ir.Block, list[ir.Block]] = {}
    seen: set[ir.Block] = {header}
    pending = [header.end.body]
    while pending:
        block = pending.pop()
        if block in seen:
            continue
        seen.add(block)
        for target in ir.targets(block.end):
            before.setdefault(target, []).append(block)
            pending.append(target)
    found = {header}
    pending = list(before.get(header, ()))
    while pending:
        block = pending.pop()
        if block not in found:
            found.add(block)
            pending += before.get(block, ())
    return found


class Linear(NamedTuple):
    """An int as `factor * item + constant` and a sum of terms: how often each name or length is in it."""

    factor: int = 0
    constant: int = 0
    terms: frozenset[tuple[str, int]] = frozenset()

    def plus(self, other: Linear, sign: int) -> Linear:
        terms = dict(self.terms)
        for name, count in other.terms:
            terms[name] = terms.get(name, 0) + sign * count
        kept = frozenset((name, count) for name, count in terms.items() if count)
        return Linear(self.factor + sign * other.factor, self.constant + sign * other.constant, kept)

    def times(self, by: int) -> Linear:
        terms = frozenset((name, count * by) for name, count in self.terms if by)
        return Linear(self.factor * by, self.constant * by, terms)


@dataclass
class _Access:
    """An access to items of an array. places: the index of each axis, None where it may be any."""

    array: ir.Expression
    places: list[ir.Expression | None]
    stores: bool


class _Proof:
    """The proof for one loop."""

    def __init__(self, region: ir.Region, header: ir.Block, blocks: set[ir.Block]) -> None:
        assert isinstance(header.end, ir.NextOfRange)
        self.header, self.end = header, header.end
        self.blocks = [block for block in region.blocks if block in blocks]
        self.within = blocks
        self.values: dict[str, list[ir.Expression | None]] = {}  # those that each name is bound to
        self.accesses: list[_Access] = []
        self.nodes: dict[str, ir.Expression] = {}  # of the terms of linear forms
        self.viewed: dict[str, ir.Expression] = {}
        self.resolving: set[str] = set()
        self.heavy = any(block.is_header for block in self.blocks if block is not header)

    def run(self) -> SharedLoop:
        self.ways_out()
        for block in self.blocks:
            if isinstance(block.end, ir.NextOfRange):
                self.values.setdefault(block.end.item, []).append(None)
                self.values.setdefault(block.end.state, [])
            elif not isinstance(block.end, ir.Jump | ir.Branch):
                raise Dependent("it goes over items of arrays or tuples")
        for block in self.blocks:
            for step in block.steps:
                self.bindings(step)
        carried = self.exposed() & self.values.keys() - {self.end.state, self.end.item}
        found = {name: self.extreme_of(name) for name in sorted(carried)}
        extremes = tuple((name, *one) for name, one in found.items() if one is not None)
        others = carried - {name for name, _, _ in extremes}
        sums = tuple((name, self.sum_of(name)) for name in sorted(others))
        for block in self.blocks:
            for one in (*block.steps, block.end):
                self.step(one)
        if not self.heavy:
            raise Dependent("its trips are short")
        rows, reads = self.arrays()
        private = sorted(self.values.keys() - carried - {self.end.state})
        viewed = tuple(self.viewed.values())
        return SharedLoop(
            self.header, frozenset(self.within), tuple(private), sums, extremes, rows, reads, viewed
        )

    # -- control flow ------------------------------------------------------------------------------------

    def ways_out(self) -> None:
        """Check that trips end the loop by the end of its range alone, or leave to Python."""
        for block in self.blocks:
            if block.source == self.header.source and block is not self.header:
                raise Dependent("names change their types from trip to trip")
            for target in ir.targets(block.end):
                if target in self.within or (block is self.header and target is self.end.exhausted):
                    continue
                if not isinstance(target.end, ir.Leave) or target.end.why is None:
                    later = reached_from(target)
                    changes = self.header not in later and self.header.source in {one.source for one in later}
                    why = "names change their types in it" if changes else "`break` or `return` may end it"
                    raise Dependent(why)

    # -- names -------------------------------------------------------------------------------------------

    def bindings(self, step: ir.Step) -> None:
        """Note the names that a step binds."""
        match step:
            case ir.Bind(name=name, value=value):
                if not _is_private(value.type) and not _is_view(value):
                    raise Dependent(f"each trip binds `{name}` to {_noun(value.type)}")
                self.values.setdefault(name, []).append(value)
            case ir.CallFunction(name=name, function=function):
                if function.has_effects:
                    raise Dependent(f"`{function.name}` has effects")
                self.values.setdefault(name, []).append(None)
            case ir.BeginRange(state=state):
                self.values.setdefault(state, []).append(None)
            case ir.StoreItem() | array_ir.StoreMap():
                pass
            case Draw():
                raise Dependent("it draws random numbers, one after the other")
            case _:
                raise Dependent(_shared_object(ir.expressions_of(step)) or f"line {step.line} has effects")

    def exposed(self) -> set[str]:
        """Return the names that a trip may read before it binds them."""
        live: dict[ir.Block, set[str]] = {block: set() for block in self.blocks}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                if block is self.header:
                    continue
                found = self.before(block, live)
                changed |= found != live[block]
                live[block] = found
        return live[self.end.body] - {self.end.item} if self.end.body is not self.header else set()

    def before(self, block: ir.Block, live: dict[ir.Block, set[str]]) -> set[str]:
        names: set[str] = set()
        for target in ir.targets(block.end):
            after = set() if target is self.header else live.get(target, set())
            if isinstance(block.end, ir.NextOfRange) and target is block.end.body:
                after = after - {block.end.item}
            names |= after
        if isinstance(block.end, ir.NextOfRange):
            names.add(block.end.state)
        names |= _reads(ir.expressions_of(block.end))
        for step in reversed(block.steps):
            match step:
                case ir.Bind(name=name) | ir.CallFunction(name=name) | ir.BeginRange(state=name):
                    names.discard(name)
            names |= _reads(ir.expressions_of(step))
        return names

    def sum_of(self, name: str) -> Scalar:
        """Return the type of an integer that trips only add to. Raises Dependent if the name is none."""
        kind, reads, values = self.header.types.get(name), self.reads_of(name), self.values[name]
        if not isinstance(kind, Scalar) or not all(_is_sum(name, value, kind) for value in values):
            raise Dependent(f"`{name}` is carried from trip to trip")
        if reads != len(values):
            raise Dependent(f"`{name}` is read while it is summed up")
        if kind.kind not in "iu":
            raise Dependent(f"`{name}` has to be summed up in order")
        return kind

    def extreme_of(self, name: str) -> tuple[Scalar, str] | None:
        """Return the type of a number that trips only give its `min`, or `max`, with others, and the function
        that does so; None if the name is none.
        """
        kind, values = self.header.types.get(name), self.values[name]
        functions = {_extreme(name, value, kind) for value in values}
        function = functions.pop() if len(functions) == 1 else None
        if function is None or not isinstance(kind, Scalar) or self.reads_of(name) != len(values):
            return None
        return kind, function

    def reads_of(self, name: str) -> int:
        """Return how often the loop reads a name."""
        return sum(
            _reads_of(name, node)
            for block in self.blocks
            for one in (*block.steps, block.end)
            for node in ir.expressions_of(one)
        )

    # -- expressions -------------------------------------------------------------------------------------

    def step(self, step: ir.Step | ir.End | None) -> None:
        """Note the accesses to arrays of a step or an end."""
        match step:
            case ir.StoreItem(array=array, indices=indices, value=value):
                self.access(array, [*indices], stores=True)
                for node in (*indices, value):
                    self.visit(node)
            case array_ir.StoreMap(target=target, value=value):
                self.heavy = True
                self.access(target, [None] * array_ir.ndim(target), stores=True)
                for node in value.operands:
                    self.visit(node)
            case _:
                for node in ir.expressions_of(step):
                    self.visit(node)

    def visit(self, node: ir.Expression) -> None:
        if not isinstance(node, _PURE) or objects_in(node.type):
            raise Dependent(_shared_object([node]) or f"`{node}` may depend on other trips")
        self.heavy |= isinstance(node, _HEAVY)
        match node:
            case ir.Item(array=array, indices=indices):
                self.access(array, [*indices])
                for index in indices:
                    self.visit(index)
            case ir.Length(array=ir.Read() | ir.Part()):
                pass
            case ir.Call(function=function, operands=operands):
                if _has_objects(function, set()):
                    raise Dependent(f"`{function.name}` has lists")
                for operand in operands:
                    root = _root(operand)
                    if (
                        isinstance(root.type, Array)
                        and _is_root(root)
                        and not _reads((root,)) & {*self.values}
                    ):
                        self.viewed[str(root)] = root  # the function keeps memory, and threads cannot count
                    self.visit(operand)
            case _ if isinstance(node.type, Array) and (_is_view(node) or _is_root(node)):
                self.access(node, [None] * node.type.ndim)
            case _:
                for part in ir.parts_of(node):
                    self.visit(part)

    def access(self, array: ir.Expression, places: list[ir.Expression | None], stores: bool = False) -> None:
        """Note an access to an array, or to the one of which it is a view."""
        match array:
            case View(array=of, parts=parts):
                for part in ir.parts_of(array)[1:]:
                    self.visit(part)
                self.access(of, _places_of(parts, places), stores)
            case Transposed(array=of, axes=axes):
                turned: list[ir.Expression | None] = [None] * len(axes)
                for axis, place in zip(axes, places, strict=True):
                    turned[axis] = place
                self.access(of, turned, stores)
            case ir.Read(name=name) if name in self.values:
                views = self.values[name]
                view = views[0]
                if view is None or not _is_view(view) or len({str(one) for one in views}) > 1:
                    raise Dependent(f"`{name}` is not one view in all of a trip")
                root = _root(view)
                self.viewed[str(root)] = root
                self.access(view, places, stores)
            case ir.Read() | ir.Part():
                if _reads((array,)) & self.values.keys():
                    raise Dependent(f"`{array}` is another array in each trip")
                self.accesses.append(_Access(array, places, stores))
            case _ if not stores:
                self.visit(array)
            case _:
                raise Dependent(f"`{array}` is stored to")

    def linear(self, node: ir.Expression | None) -> Linear | None:
        """Return an int as a linear form; None where it is none that is the same in all of a trip."""
        if node is None or node.type != INT:
            return None
        match node:
            case ir.Constant(value=value):
                return Linear(constant=value)
            case ir.Read(name=name):
                return self.linear_name(name, node)
            case ir.Length(array=ir.Read(name=name)) if name not in self.values:
                self.nodes[str(node)] = node
                return Linear(terms=frozenset({(str(node), 1)}))
            case ir.Apply(operator=ast.USub, operands=(one,)):
                found = self.linear(one)
                return None if found is None else found.times(-1)
            case ir.Apply(operator=ast.Add | ast.Sub | ast.Mult as operator, operands=(left, right)):
                one_, other = self.linear(left), self.linear(right)
                if one_ is None or other is None:
                    return None
                if operator is not ast.Mult:
                    return one_.plus(other, 1 if operator is ast.Add else -1)
                for by, of in ((one_, other), (other, one_)):
                    if not by.factor and not by.terms:
                        return of.times(by.constant)
        return None

    def linear_name(self, name: str, node: ir.Expression) -> Linear | None:
        if name == self.end.item:
            return Linear(factor=1)
        if name not in self.values:
            self.nodes[name] = node
            return Linear(terms=frozenset({(name, 1)}))
        if name in self.resolving:
            return None
        self.resolving.add(name)
        found = {self.linear(value) for value in self.values[name]}
        self.resolving.discard(name)
        return found.pop() if len(found) == 1 else None

    # -- arrays ------------------------------------------------------------------------------------------

    def arrays(self) -> tuple[tuple[Rows, ...], tuple[ir.Expression, ...]]:
        """Return the items that trips store and the arrays that they read. Raises Dependent where two trips
        may have an item in common.
        """
        stored = {str(one.array) for one in self.accesses if one.stores}
        reads = {str(one.array): one.array for one in self.accesses if str(one.array) not in stored}
        rows: list[Rows] = []
        for name in sorted(stored):
            rows += self.rows_of(name, [one for one in self.accesses if str(one.array) == name])
        return tuple(rows), tuple(reads[name] for name in sorted(reads))

    def rows_of(self, name: str, accesses: list[_Access]) -> list[Rows]:
        array = accesses[0].array
        assert isinstance(array.type, Array)
        for axis in range(array.type.ndim):
            forms = {self.linear(one.places[axis]) for one in accesses}
            if (found := _apart(forms, self.end.kind.stride or 1)) is not None:
                return [self.rows(array, axis, form) for form in found]
        raise Dependent(f"other trips may use what a trip stores to `{name}`")

    def rows(self, array: ir.Expression, axis: int, form: Linear) -> Rows:
        terms = tuple((count, self.nodes[name]) for name, count in sorted(form.terms))
        return Rows(array, axis, form.factor, form.constant, terms)


def _apart(forms: set[Linear | None], stride: int) -> list[Linear] | None:
    """Return the places of one axis, in order, if no two numbers of a range with a stride have one in common;
    else None.
    """
    found = sorted((form for form in forms if form is not None), key=lambda form: form.constant)
    if len(found) < len(forms):
        return None
    first, last = found[0], found[-1]
    if any((form.factor, form.terms) != (first.factor, first.terms) for form in found):
        return None
    return found if last.constant - first.constant < abs(first.factor * stride) else None


def _is_sum(name: str, value: ir.Expression | None, kind: Type) -> bool:
    """Tell if a value is a name's own, plus or minus another one."""
    if value is None or value.type != kind:
        return False
    match value:
        case ir.Apply(operator=ast.Add, operands=(left, right)):
            return any(isinstance(one, ir.Read) and one.name == name for one in (left, right))
        case ir.Apply(operator=ast.Sub, operands=(ir.Read(name=read), _)):
            return read == name
    return False


def _extreme(name: str, value: ir.Expression | None, kind: Type | None) -> str | None:
    """Return the function of a value that is the least or greatest of a name's own and others; None for
    other values. A NaN counts by its place: the name comes first.
    """
    match value:
        case ir.Apply(type=Scalar() as found, operation=operation, operands=operands) if found == kind:
            taken = operands[:1] if found.kind == "f" else operands
            if operation.function not in (f"npl::{one}<{found.c_type}>" for one in ("smallest", "largest")):
                return None
            if any(isinstance(one, ir.Read) and one.name == name for one in taken) and found.kind in "iuf":
                return operation.function
    return None


def _is_private(kind: Type) -> bool:
    """Tell if values of a type hold no memory."""
    if isinstance(kind, Tuple | Either):
        return all(map(_is_private, kind.items))
    return isinstance(kind, Scalar | Known)


_NOUNS: dict[type[Type], str] = {
    Array: "an array",
    List: "a list",
    Deque: "a deque",
    Dict: "a dict",
    Set: "a set",
    Text: "a text",
    Character: "a str",
    Word: "a str",
}


def _noun(kind: Type) -> str:
    """Return what values of a type are, with an article."""
    if isinstance(kind, Tuple):
        inner = [_noun(part) for part in kind.items if not _is_private(part)]
        return f"a tuple that holds {inner[0]}" if inner else "a tuple"
    if isinstance(kind, Either):
        return " or ".join(dict.fromkeys("None" if one == NONE else _noun(one) for one in kind.kinds))
    return _NOUNS.get(type(kind), f"an object ({kind})")


def _is_root(node: ir.Expression) -> bool:
    return isinstance(node, ir.Read) or (isinstance(node, ir.Part) and _is_root(node.whole))


def _is_view(node: ir.Expression) -> bool:
    """Tell if an expression is a view of an array that has a name."""
    return isinstance(node, View | Transposed) and (_is_root(node.array) or _is_view(node.array))


def _has_objects(function: ir.Function, seen: set[str]) -> bool:
    """Tell if a function has Python's lists, or one that it calls."""
    if function.name in seen or function.body is None:
        return False
    seen.add(function.name)
    pending = [
        node
        for block in function.body.blocks
        for one in (*block.steps, block.end)
        for node in ir.expressions_of(one)
    ]
    while pending:
        node = pending.pop()
        if objects_in(node.type) or (isinstance(node, ir.Call) and _has_objects(node.function, seen)):
            return True
        pending += ir.parts_of(node)
    return False


def _root(node: ir.Expression) -> ir.Expression:
    while isinstance(node, View | Transposed):
        node = node.array
    return node


def _places_of(
    parts: tuple[ir.Expression | Slice | None, ...], places: list[ir.Expression | None]
) -> list[ir.Expression | None]:
    """Return the places in an array of the places in a view of it."""
    rest = iter(places)
    found: list[ir.Expression | None] = []
    for part in parts:
        if isinstance(part, Slice):
            place = next(rest)
            found.append(place if (part.start, part.stop, part.step) == (None, None, None) else None)
        elif part is None:
            next(rest)
        else:
            found.append(part)
    return [*found, *rest]


def _names(nodes: Iterable[ir.Expression]) -> Iterator[ir.Read]:
    """Yield the names that expressions read."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Read):
            yield node
        pending += ir.parts_of(node)


def _reads(nodes: Iterable[ir.Expression]) -> set[str]:
    return {node.name for node in _names(nodes)}


def _shared_object(nodes: Iterable[ir.Expression]) -> str:
    """Return the reason why expressions may depend on other trips, if it is an object that has a name."""
    found = (node for node in _names(nodes) if objects_in(node.type))
    return next((f"other trips may use `{node.name}`, {_noun(node.type)}" for node in found), "")


def _reads_of(name: str, node: ir.Expression) -> int:
    """Return how often an expression reads a name."""
    own = int(isinstance(node, ir.Read) and node.name == name)
    return own + sum(_reads_of(name, part) for part in ir.parts_of(node))
