"""Infers the types of a loop region: its control-flow graph and the types at its entry become the typed IR.

A block is typed once for each combination of types of the names that are read later, so that every name has
one exact type at every place: a sum that begins as the int 0 and goes on as a `np.float64` is two versions of
its loop. Where a construct is outside the language, or versions are too many, the region leaves to Python.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from npcompile.frontend.loops import language
from npcompile.frontend.loops.assumed import Assumed
from npcompile.frontend.loops.constants import constant, told
from npcompile.frontend.loops.entry.closures import Closure, Reference
from npcompile.frontend.loops.entry.objects import Instance, is_held_type, is_path, variable_of
from npcompile.frontend.loops.entry.unbound import UNBOUND
from npcompile.frontend.loops.item_results import as_item
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.scalars import unsigned
from npcompile.frontend.loops.source import control_flow as cf
from npcompile.frontend.loops.splitting import Continuations, Split, loaded, split_of_either
from npcompile.frontend.loops.unpacking import unstarred
from npcompile.frontend.loops.widening import adapter, widened
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import DictItem
from npcompile.lower.loops.either_ir import either_of
from npcompile.lower.loops.list_ir import Expected, ListItem, as_expected, common, may_be
from npcompile.lower.loops.told_ir import Told
from npcompile.lower.loops.types import (
    INT,
    UNSIGNED,
    Dict,
    Either,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Tuple,
    Type,
    Unsigned,
    is_returned,
)
from npcompile.tiering.overhead import check_time

MAX_VERSIONS = 8  # of one block with one type for each name; and as many with names of either of two types


class Outer(Protocol):
    """The names that a function does not bind."""

    @property
    def local(self) -> frozenset[str]:
        """Return the names that it binds."""

    def read(self, inference: Inference, name: str) -> ir.Expression:
        """Return the value of a name. Raises Outside."""

    def path(self, name: str) -> str:
        """Return the path of a name that may be an object's."""

    def bound_path(self, name: str) -> str | None:
        """Return the path of a variable of a function around it that the function binds."""


@dataclass
class Inference:
    """The inference of one region from one entry.

    types: those of the names at the step at hand. assumed: the attributes of modules, and global names, that
    are taken to stay the same objects. storable: the attributes of users' objects that may be stored. wanted:
    those that were not given. changed: those that the region stores. read_fields: those that it is given.
    left_fields: the types of attributes where a function returns.
    """

    flow: cf.ControlFlow
    types: dict[str, Type] = field(default_factory=dict)
    versions: dict[tuple[cf.Block, frozenset[tuple[str, Type]]], ir.Block] = field(default_factory=dict)
    counts: dict[cf.Block, int] = field(default_factory=dict)
    wide_counts: dict[cf.Block, int] = field(default_factory=dict)  # versions with names of either type
    waiting: list[tuple[cf.Block, ir.Block]] = field(default_factory=list)
    stored: dict[str, list[Type]] = field(default_factory=dict)
    left: dict[cf.Block, ir.Block] = field(default_factory=dict)
    adapters: list[ir.Block] = field(default_factory=list)  # that go on to versions with names of either type
    assumed: list[Assumed] = field(default_factory=list)
    callees: dict[Any, ir.Function] = field(default_factory=dict)  # by code and types, shared with callees
    continued: Continuations = field(init=False)
    within: ir.Function | None = None  # the function whose body this is
    outer: Outer | None = None  # tells what that function's outer names mean
    storable: Container[str] = ()
    wanted: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    read_fields: dict[str, Type] = field(default_factory=dict)
    left_fields: dict[str, Type] = field(default_factory=dict)
    entry_types: dict[str, Type] = field(default_factory=dict)
    block: ir.Block = field(init=False)
    place: ir.Place = field(default_factory=lambda: ir.Place(0, 0))
    line: int = 0
    expected: dict[str, Type] = field(default_factory=dict)  # containers, with their later items
    owners: dict[str, ir.Expression] = field(default_factory=dict)  # of the methods that names hold
    origins: dict[str, ListItem | DictItem] = field(default_factory=dict)  # of containers that were in others
    # Types of containers' items that this inference has learnt, and those that typed functions have.
    learnt: dict[str, Type] = field(default_factory=dict)
    taught: dict[ir.Function, dict[str, Type]] = field(default_factory=dict)
    unsigned: frozenset[str] = frozenset()  # names that are unsigned ints where they cannot be negative
    found_unsigned: set[str] = field(default_factory=set)  # names that unsigned ints were bound to
    low_bits: set[ast.AST] = field(default_factory=set)  # nodes of which the low bits alone count
    variables: dict[str, str] = field(default_factory=dict)  # paths that stand for the region's own names
    gone_over: ast.For | None = None  # the loop, alone, that goes over the call which the step at hand makes

    def __post_init__(self) -> None:
        self.continued = Continuations(self.flow)

    def infer(self, names: dict[str, Type]) -> ir.Region:
        """Return the typed region. names: types at the entry of the names that the region reads or binds."""
        names = {name: self.expectation(name, kind) for name, kind in names.items()}
        self.types = {name: kind for name, kind in names.items() if kind != UNBOUND}
        self.entry_types = dict(self.types)
        given = {name: kind for name, kind in names.items() if not isinstance(kind, Reference)}
        for name in filter(self.types.__contains__, given):
            if self.within is not None or name in self.flow.stored or "." in name:
                self.remember(name)
        entry = self.version(self.flow.blocks[0])
        assert isinstance(entry, ir.Block)
        blocks = []
        while self.waiting:
            check_time()
            source, made = self.waiting.pop()
            blocks.append(made)
            self.types = dict(made.types)
            self.block = made
            self.fill(source)
        blocks += [*self.left.values(), *self.adapters]
        for name in [name for name in self.stored if is_path(name) and name not in self.changed]:
            del self.stored[name]
        return ir.Region(entry, given, blocks, self.stored, functions=[*self.callees.values()])

    @property
    def has_found_unsigned(self) -> bool:
        """Tell if unsigned ints were bound to names of which it was not known."""
        return not self.found_unsigned <= self.unsigned

    def version(self, source: cf.Block) -> ir.Block | None:
        """Return the version of a block for the types at hand; None where there are too many."""
        live = self.continued.live(source)
        types = {name: kind for name, kind in self.types.items() if name in live or is_path(name)}
        key = source, frozenset(types.items())
        if key not in self.versions:
            count = self.counts[source] = self.counts.get(source, 0) + 1
            if count > MAX_VERSIONS:
                return self.widened_version(source, types, count)
            made = ir.Block(source.number, count, types, is_header=source.loop is not None)
            self.versions[key] = made
            self.waiting.append((source, made))
        return self.versions[key]

    def widened_version(self, source: cf.Block, types: dict[str, Type], count: int) -> ir.Block | None:
        """Return a version with names of either of two types, or a block that goes on to it; None where even
        these are too many."""
        wide = widened(types, [made.types for (block, _), made in self.versions.items() if block is source])
        key = source, frozenset(wide.items())
        if not any(isinstance(kind, Either) for kind in wide.values()):
            return None
        if key not in self.versions:
            if self.wide_counts.setdefault(source, 0) == MAX_VERSIONS:
                return None
            self.wide_counts[source] += 1
            made = ir.Block(source.number, count, wide, is_header=source.loop is not None)
            self.versions[key] = made
            self.waiting.append((source, made))
            for name in filter(self.stored.__contains__, wide):
                self.remember(name, wide[name])
        if wide == types:
            return self.versions[key]
        self.counts[source] = count + 1
        made = adapter(self.versions[key], types, self.continued.place(source, 0), self.line, count + 1)
        self.versions[source, frozenset(types.items())] = made
        self.adapters.append(made)
        return made

    def fill(self, source: cf.Block) -> None:
        """Type the steps of a block and its end."""
        if source.loop is not None:
            self.line = source.loop.lineno
        for number in range(len(source.steps) + 1):
            self.place = self.continued.place(source, number)
            made, self.block.steps = self.block.steps, []
            before = dict(self.types)
            try:
                if number == len(source.steps):
                    self.block.end = self.end(source.end)
                else:
                    self.low_bits |= unsigned.masked_next(source.steps[number : number + 2])
                    self.gone_over = cf.gone_over(source, number)
                    self.step(source.steps[number])
            except Outside as outside:
                self.block.steps, self.types = made, before
                self.block.end = self.leave(str(outside) or None)
                return
            except Split as split:
                self.block.steps, self.types = made, before
                self.block.end = self.split(source, number, split)
                return
            self.block.steps = made + self.block.steps

    def split(self, source: cf.Block, number: int, split: Split) -> ir.End:
        """Return the end of a block at a step in which a value is of one type or another."""
        for name, value in split.kept:
            self.bind(name, value)
        test = self.decided(split.test)
        if isinstance(test, ir.Constant):
            target = self.continued.find(source, number, split.node, split.ways[0])
            return self.leave("a call within another expression") if target is None else self.jump(target)
        ways = []
        for node in split.ways:
            target = self.continued.find(source, number, split.node, node)
            if target is None:
                return self.leave("a value of one type or another")
            ways.append(self.reach(target))
        return ir.Branch(self.place, self.line, test, *ways)

    def leave(self, why: str | None) -> ir.Leave:
        return ir.Leave(self.place, self.line, why)

    def add(self, step: type[ir.Step], *args: Any) -> None:
        """Add a step of a kind."""
        self.block.steps.append(step(self.place, self.line, *args))

    def bind(self, name: str, value: ir.Expression) -> None:
        """Add the step that gives a name a value."""
        if self.outer is not None and (path := self.outer.bound_path(name)) is not None:
            return self.store_path(path, value)
        if (kind := self.expectation(name, value.type)) != value.type:
            value = as_expected(kind, value)
        if isinstance(kind, Method) and isinstance(value, Expected):
            self.owners[name] = value.source
        if isinstance(value, ListItem | DictItem) and isinstance(kind, List | Dict | Set):
            self.origins[name] = value
        if kind == UNSIGNED and name[0] != ".":  # what reads a temporary is made before it
            self.found_unsigned.add(name)
        elif kind == INT and name in self.unsigned and unsigned.is_nonnegative(value):
            value = unsigned.unsigned(value)
        self.types[name] = value.type
        self.remember(name)
        self.add(ir.Bind, name, value)

    def expectation(self, name: str, kind: Type) -> Type:
        """Return the type of a name's value: that of a container tells the items that are expected of it."""
        expected = self.expected.get(name)
        return expected if expected is not None and may_be(kind, expected) else kind

    def learn(self, owner: ir.Expression, item: Type | None) -> None:
        """Note that a list has been given an item: such are expected of it from now on, beside others."""
        assert isinstance(owner.type, List)
        found = common(owner.type.item, item)
        if found is None or found == owner.type.item:
            return
        self.refine(owner, replace(owner.type, item=found))

    def refine(self, owner: ir.Expression, kind: Type, now: bool = True) -> None:
        """Note that more is known of a container than its type says, and so of the one that it is in."""
        seen: set[str] = set()
        while may_be(owner.type, kind):
            if isinstance(owner, Expected) and isinstance(owner.source, ir.Read):
                owner = self.owners.get(owner.source.name, owner)
            within: ir.Expression | None = owner
            if isinstance(owner, ir.Read):
                within = None if owner.name in seen else self.origins.get(owner.name)
                seen.add(owner.name)
                self.note_learnt(owner, kind, now)
            if isinstance(within, ListItem):
                assert isinstance(within.source.type, List)
                owner, kind = within.source, replace(within.source.type, item=kind)
            elif isinstance(within, DictItem):
                assert isinstance(within.source.type, Dict)
                owner, kind = within.source, replace(within.source.type, value=kind)
            else:
                return

    def note_learnt(self, name: ir.Read, kind: Type, now: bool) -> None:
        """Note the items of a name's container for the next inference, and `now` for later statements."""
        known = self.learnt.get(name.name)
        if known is None or may_be(known, kind):
            self.learnt[name.name] = kind
        if now and self.types.get(name.name) == name.type:
            self.bind(name.name, Expected(kind, name))

    def remember(self, name: str, kind: Type | None = None) -> None:
        """Note a type, or that which a name has now, among those that it takes in the region."""
        known, kind = self.stored.setdefault(name, []), kind or self.types[name]
        if kind not in known:
            known.append(kind)

    # -- steps -------------------------------------------------------------------------------------------

    def step(self, step: cf.Step) -> None:
        self.line = step.iterable.lineno if isinstance(step, cf.Iterate) else step.lineno
        match step:
            case cf.Iterate(state, iterable):
                self.iterate(state, iterable)
            case ast.Assign(targets=targets, value=value):
                names = all(isinstance(target, ast.Name) for target in targets)
                made = self.either(value) if names else self.value(value)
                for target in targets:
                    self.assign(target, made)
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                if value is not None:
                    self.assign(target, self.either(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.augmented(step, target, op, value)
            case ast.Expr(value=ast.Call() as called):
                self.effect(called)
            case ast.Expr(value=value):
                self.either(value)
            case ast.Delete(targets=[ast.Subscript(value=owner, slice=index)]):
                container = self.value(owner)
                language.deletions.find(type(container.type), container.type)(self, container, index)
            case _:
                raise Outside(f"`{type(step).__name__}` statements")

    def assign(self, target: ast.expr, value: ir.Expression, within: str = "") -> None:
        """Assign a value to a target. within: names the place of a target that is part of another one."""
        match target:
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if any(isinstance(one, ast.Starred) for one in targets):
                    whole = f".whole{self.place.block}{within}"
                    parts = unstarred(targets, value.type, whole)
                    self.bind(whole, value)
                    for place, (one, read) in enumerate(parts):
                        self.assign(one, self.value(read), f"{within}_{place}")
                    return
                items = self.items_of(value, len(targets))
                held = [f".item{self.place.block}{within}_{place}" for place in range(len(items))]
                for name, item in zip(held, items, strict=True):
                    self.bind(name, item)
                for place, (name, one) in enumerate(zip(held, targets, strict=True)):
                    self.assign(one, self.read(name), f"{within}_{place}")
            case ast.Subscript(value=array, slice=index) if self.object_at(array) is None:
                container = self.value(array)
                kind = container.type
                language.stores.find(type(kind), kind)(self, container, index, value)
            case ast.Attribute() | ast.Subscript():
                self.store_path(self.stored_name(target), value)
            case _:
                raise Outside(f"assignment to `{ast.unparse(target)}`")

    def items_of(self, value: ir.Expression, count: int) -> tuple[ir.Expression, ...]:
        """Return the items that a value is unpacked to."""
        if not isinstance(value.type, Tuple):
            items: tuple[ir.Expression, ...] = language.unpackings.find(type(value.type), value.type)(
                self, value, count
            )
            return items
        if len(value.type.items) != count:
            raise Outside(f"unpacking of {value.type}")
        return tuple(ir.part_of(value, place) for place in range(count))

    def augmented(self, node: ast.AugAssign, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
        before: tuple[tuple[str, ir.Expression], ...] = ()
        is_member = isinstance(target, ast.Attribute) or self.attribute_name(target) is not None
        if (
            isinstance(target, ast.Subscript)
            and not is_member
            and isinstance(self.value(target.value).type, Dict)
        ):
            before = ((".index", self.value(target.slice)),)
            self.bind(*before[0])  # a defaultdict may change meanwhile
            index = ast.copy_location(ast.Name(".index", ast.Load()), target.slice)
            target = ast.copy_location(ast.Subscript(target.value, index, ast.Store()), target)
        old = self.either(loaded(target))
        if isinstance(old.type, Either):
            raise split_of_either(
                self.continued,
                target,
                old,
                lambda one: ast.copy_location(ast.Assign([target], ast.BinOp(one, op, value)), node),
                node,
                before,
            )
        if is_member:
            self.stored_name(target)
        if not isinstance(old.type, Scalar | Unsigned):
            rule = language.updates.find(type(old.type), old.type)
            return rule(self, target, old, type(op), self.value(value))
        made = self.value(value)
        rule = language.operators.find((type(old.type), type(made.type)), f"{old.type} and {made.type}")
        result = rule(self, type(op), old, made, True)
        if isinstance(result.type, Either) and node in self.low_bits:
            result = unsigned.apply(type(op), old, made, UNSIGNED)
        if isinstance(result.type, Either):
            raise split_of_either(
                self.continued,
                target,
                result,
                lambda one: ast.copy_location(ast.Assign([target], one), node),
                node,
                before,
            )
        self.assign(target, result)
        return None

    def iterate(self, state: str, iterable: ast.expr) -> None:
        if isinstance(iterable, ast.Call):
            function = self.value(iterable.func).type
            if isinstance(function, Known) and function.value in language.iterables:
                return language.iterables.find(function.value, function)(self, state, iterable)
        if isinstance(iterable, ast.Attribute) and self.object_at(iterable.value) is None:
            attribute = type(self.value(iterable.value).type), iterable.attr
            if attribute in language.iterables:
                return language.iterables.find(attribute, iterable.attr)(self, state, iterable)
        made = self.value(iterable)
        return language.iterations.find(type(made.type), made.type)(self, state, made)

    def method(self, node: ast.Call) -> tuple[ast.Call, ir.Expression | None]:
        """Return a call and the value whose method it calls, None where it calls something else.

        A method that a name holds becomes an attribute in the call.
        """
        if isinstance(node.func, ast.Attribute):
            return node, None if self.object_at(node.func.value) else self.value(node.func.value)
        kind = self.types.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if not isinstance(kind, Method):
            return node, None
        called = ast.copy_location(ast.Attribute(node.func, kind.name, ast.Load()), node.func)
        made = ast.copy_location(ast.Call(called, node.args, node.keywords), node)
        return made, Expected(kind.owner, self.value(node.func))

    def effect(self, node: ast.Call) -> None:
        """Add the steps of a call that is a statement."""
        node, owner = self.method(node)
        if owner is not None:
            assert isinstance(node.func, ast.Attribute)
            if (type(owner.type), node.func.attr) in language.effects:
                rule = language.effects.find((type(owner.type), node.func.attr), node.func.attr)
                return rule(self, node, owner)
        return self.bind(".unused", self.either(node))

    # -- ends --------------------------------------------------------------------------------------------

    def end(self, end: cf.End | None) -> ir.End:
        match end:
            case cf.Jump(target):
                return self.jump(target)
            case cf.Branch(test, then, otherwise):
                self.line = test.lineno
                made = self.decided(self.truth(self.value(test)))
                if isinstance(made, ir.Constant):
                    return self.jump(then if made.value else otherwise)
                return ir.Branch(self.place, self.line, made, self.reach(then), self.reach(otherwise))
            case cf.Return(value) if self.within is not None:
                return self.returned(None if value is None else self.value(value))
            case cf.Compound(statement=statement):
                self.line = statement.lineno
                raise Outside(f"`{type(statement).__name__}` statements")
            case cf.Next(state, item, body, exhausted):
                kind = self.types[state]
                return language.nexts.find(type(kind), kind)(self, state, item, body, exhausted)
        return self.leave(None)

    def returned(self, value: ir.Expression | None) -> ir.End:
        """Return the end of the function at hand. Raises Outside for a value of a third type."""
        assert self.within is not None
        if self.within.item is not None:
            value = as_item(value, self.within.item)
        kind = Known(None) if value is None else value.type
        self.within.result = known = self.within.result or kind
        if known != kind and is_returned(known) and is_returned(kind):
            self.within.result = known = Either((known, kind))
        if isinstance(known, Either) and kind in known.kinds:
            value = either_of(known, ir.Constant(kind, None) if value is None else value)
        elif known != kind:
            raise Outside(f"a function that returns {known} or {kind}")
        for name, left in self.types.items():
            if is_path(name) and self.left_fields.setdefault(name, left) != left:
                raise Outside(f"`{name}`, which is {self.left_fields[name]} or {left} after a call")
        fields = tuple(ir.Read(left, name) for name, left in self.within.left.items())
        return ir.Return(self.place, self.line, None if isinstance(known, Known) else value, fields)

    def jump(self, target: cf.Block) -> ir.End:
        return ir.Jump(self.place, self.line, self.reach(target))

    def reach(self, target: cf.Block) -> ir.Block:
        """Return the version of a block that comes next: a block that leaves where there are too many."""
        found = self.version(target)
        if found is None:
            found = ir.Block(target.number, 0, {})
            place = self.continued.place(target, 0)
            found.end = ir.Leave(place, self.line, f"names of more than {MAX_VERSIONS} combinations of types")
            found = self.left.setdefault(target, found)
        return found

    # -- expressions -------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> ir.Expression:
        """Return the typed expression of a node. Raises Outside, and Split where it has one of two types."""
        made = self.either(node)
        if isinstance(made.type, Either):
            raise split_of_either(self.continued, node, made)
        return made

    def either(self, node: ast.expr) -> ir.Expression:
        """Return the typed expression of a node, which may have one of two types. Raises Outside."""
        rule = language.expressions.find(type(node), type(node).__name__)
        made: ir.Expression = rule(self, node)
        return made

    def truth(self, value: ir.Expression) -> ir.Expression:
        """Return the truth of a value, as a Python bool."""
        return told(language.truths.find(type(value.type), value.type)(self, value), value)

    def decided(self, test: ir.Expression) -> ir.Expression:
        """Return the test of a branch; a constant where types tell which way is taken."""
        for value in test.values if isinstance(test, Told) else ():
            self.bind(".unused", value)
        return test.constant if isinstance(test, Told) else test

    def read(self, name: str) -> ir.Expression:
        """Return the value of a name."""
        name = self.variables.get(name, name)
        kind = self.types.get(name)
        if kind is None and self.outer is not None and name not in self.outer.local:
            return self.outer.read(self, name)
        if kind is None:
            raise Outside(f"`{name}`, which has no value or none that a native loop can hold")
        if isinstance(kind, Reference):
            raise Outside(f"`{name}`, an object of the class {kind}")
        if isinstance(kind, Known):
            return constant(kind.value)
        if is_path(name):
            self.read_fields[name] = self.entry_types.get(name, kind)
        return ir.Read(kind, name)

    def object_at(self, node: ast.expr) -> Instance | Closure | None:
        """Return the object or nested function that a name or an attribute stands for; None where it stands
        for none.
        """
        name = node.id if isinstance(node, ast.Name) else self.attribute_name(node)
        if name is not None and self.outer is not None and name not in self.types:
            name = self.outer.path(name)
        kind = None if name is None else self.types.get(name)
        return kind if isinstance(kind, Instance | Closure) else None

    def attribute_name(self, node: ast.expr) -> str | None:
        """Return the name that stands for an attribute of a user's object, or for a record's item; None for
        what is neither.
        """
        if not isinstance(node, ast.Attribute | ast.Subscript):
            return None
        owner = self.object_at(node.value)
        name = owner.path_to(node) if isinstance(owner, Instance) else None
        if name is not None and name not in self.types:
            self.wanted.add(name)
        return name

    def stored_name(self, node: ast.expr) -> str:
        """Return the name that stands for what is stored to, as `attribute_name`. Raises Outside."""
        name = self.attribute_name(node)
        if name is None or name not in self.storable:
            raise Outside(f"assignment to `{ast.unparse(node)}`")
        return name

    def store_path(self, name: str, value: ir.Expression) -> None:
        """Assign a value to the attribute, or to the variable, that a path names."""
        if name not in self.storable:
            self.wanted.add(name)
            raise Outside(f"assignment to `{name}`, which has no value that native loops hold")
        if not is_held_type(value.type):
            raise Outside(f"{value.type} as an attribute")
        self.change(name, value.type)
        self.bind(name, value)

    def change(self, name: str, kind: Type) -> None:
        """Note that an attribute of a user's object is stored, and the type that it then has."""
        own = variable_of(name) if self.within is None else None
        if own in self.entry_types and self.variables.get(own) != name:
            raise Outside(f"a call that binds `{own}`")
        if self.within is not None and name in self.types:
            self.read(name)  # it is given to the function
        self.changed.add(name)
        self.types[name] = kind
        self.remember(name)

    def attribute(self, owner: Any, name: str) -> ir.Expression:
        """Return the value of an attribute of an object that is known while compiling."""
        try:
            value = getattr(owner, name)
        except AttributeError:
            raise Outside(f"`{name}`, which is missing") from None
        return self.assume(owner, name, value)

    def assume(self, owner: Any, name: str, value: Any) -> ir.Expression:
        """Return a value that is taken to stay the same object."""
        self.assumed.append(Assumed(owner, name, value))
        return constant(value)
