"""Defines the typed IR of a loop region: blocks of steps over typed expressions, by versions of types.

`frontend/loops/` makes it and `lower/loops/codegen/emit.py` writes C++ of it; `print` shows it as Python with
types. Every name has one type in a block, and expressions have no effect: steps do.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.partial_ir import PartialSums
from npcompile.lower.loops.types import BOOL, INT, Array, Either, Known, Tuple, Type


class Place(NamedTuple):
    """Where Python goes on if native code leaves: a block of the control-flow graph, and a step in it."""

    block: int
    step: int


class State(Type):
    """An iterator."""

    @property
    def item(self) -> Type:
        """The type of its items."""
        raise NotImplementedError


@dataclass(frozen=True)
class RangeState(State):
    """An iterator over a range.

    stride: its step where that is known while compiling. nonnegative: no number of it is below 0.
    """

    stride: int | None = None
    nonnegative: bool = False

    @property
    def item(self) -> Type:
        return INT

    def __str__(self) -> str:
        return "iter(range)"


# -- expressions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expression:
    """A value. Evaluating it may leave, and does nothing else."""

    type: Type


@dataclass(frozen=True, eq=False)
class Compound(Expression):
    """An expression of another file's. Its parts are the expressions among its fields."""

    @property
    def parts_within(self) -> tuple[Expression, ...]:
        """The expressions that are evaluated for it."""
        return _among_fields(self)


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """A number that is known while compiling; a NumPy scalar's as a Python number."""

    value: Any

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, eq=False)
class Unused(Expression):
    """Some value of a type, which nothing reads."""

    def __str__(self) -> str:
        return "_"


@dataclass(frozen=True, eq=False)
class Read(Expression):
    """The value of a name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Apply(Expression):
    """An operation on scalars. operator: the class of the operator in the source, where it is one."""

    operation: Operation
    operands: tuple[Expression, ...]
    operator: type[ast.AST] | None = None

    def __str__(self) -> str:
        return f"{self.operation.function}({', '.join(map(str, self.operands))})"


@dataclass(frozen=True, eq=False)
class Item(Expression):
    """An item of an array, by one int for each axis."""

    array: Expression
    indices: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.array}[{', '.join(map(str, self.indices))}]"


@dataclass(frozen=True, eq=False)
class Length(Expression):
    """The length of an array's axis, an int."""

    array: Expression
    axis: int

    def __str__(self) -> str:
        return f"{self.array}.shape[{self.axis}]"


@dataclass(frozen=True, eq=False)
class Choose(Expression):
    """One of two values of one type, of which both are pure and cannot leave."""

    test: Expression
    one: Expression
    other: Expression

    def __str__(self) -> str:
        return f"({self.one} if {self.test} else {self.other})"


@dataclass(frozen=True, eq=False)
class MakeTuple(Expression):
    items: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))},)"


@dataclass(frozen=True, eq=False)
class Part(Expression):
    """An item of a tuple."""

    whole: Expression
    index: int

    def __str__(self) -> str:
        return f"{self.whole}[{self.index}]"


@dataclass(frozen=True, eq=False)
class Call(Expression):
    """A call of a user's function that has no effects: where that leaves, the statement of the call does."""

    function: Function
    operands: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.function.name}({', '.join(map(str, self.operands))})"


# -- steps -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Step:
    """An effect. If its expressions leave, Python goes on at `place`."""

    place: Place
    line: int


@dataclass(frozen=True, eq=False)
class CompoundStep(Step):
    """A step of another file's. Its parts are the expressions among its fields."""

    @property
    def parts_within(self) -> tuple[Expression, ...]:
        """The expressions that it evaluates."""
        return _among_fields(self)


@dataclass(frozen=True, eq=False)
class Bind(Step):
    """Give a name a value."""

    name: str
    value: Expression

    def __str__(self) -> str:
        return f"{self.name}: {self.value.type} = {self.value}"


@dataclass(frozen=True, eq=False)
class StoreItem(Step):
    """Store a scalar, of the array's dtype, as an item."""

    array: Expression
    indices: tuple[Expression, ...]
    value: Expression

    def __str__(self) -> str:
        return f"{self.array}[{', '.join(map(str, self.indices))}] = {self.value}"


@dataclass(frozen=True, eq=False)
class CallFunction(Step):
    """Call a user's function and give a name its value, if that is no known object.

    Where a function that has effects leaves half-way, Python first ends that call, and goes on after the
    statement of the call.
    """

    name: str
    function: Function
    operands: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.name} = {self.function.name}({', '.join(map(str, self.operands))})"


@dataclass(frozen=True, eq=False)
class BeginRange(Step):
    """Begin to iterate over `range(start, stop, step)`."""

    kind: RangeState
    state: str
    start: Expression
    stop: Expression
    stride: Expression

    def __str__(self) -> str:
        return f"{self.state} = iter(range({self.start}, {self.stop}, {self.stride}))"


# -- ends of blocks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class End:
    """The end of a block. Python goes on at `place` if it leaves."""

    place: Place
    line: int


@dataclass(frozen=True, eq=False)
class Jump(End):
    target: Block

    def __str__(self) -> str:
        return f"goto {self.target.label}"


@dataclass(frozen=True, eq=False)
class Branch(End):
    test: Expression
    then: Block
    otherwise: Block

    def __str__(self) -> str:
        return f"if {self.test}: goto {self.then.label}; else: goto {self.otherwise.label}"


@dataclass(frozen=True, eq=False)
class Next(End):
    """Take the next item of an iterator, or go to `exhausted`."""

    kind: State
    state: str
    item: str
    body: Block
    exhausted: Block

    def __str__(self) -> str:
        item = f"{self.item}: {self.kind.item}"
        return f"{item} = next({self.state}); goto {self.body.label}; if none: {self.exhausted.label}"


@dataclass(frozen=True, eq=False)
class NextOfRange(Next):
    """Take the next number of a range, or go to `exhausted`."""

    kind: RangeState


@dataclass(frozen=True, eq=False)
class Leave(End):
    """Python goes on here. why: the reason, if it is the language's; None at the region's ordinary end."""

    why: str | None

    def __str__(self) -> str:
        place = f"leave at {self.place.block}.{self.place.step}"
        return f"{place}  # {self.why}" if self.why else place


@dataclass(frozen=True, eq=False)
class Return(End):
    """Return from a function. value: None for Python's None. fields: the attributes that it has changed."""

    value: Expression | None
    fields: tuple[Read, ...] = ()

    def __str__(self) -> str:
        return f"return {self.value}"


@dataclass(eq=False)
class Function:
    """A user's function, typed for its arguments.

    result: the type of all values that it returns; `body` is None until they are known. has_effects: it
    changes arrays; where it leaves, it says how far it has come. item: the type to which its results are
    converted, as items of arrays are, if any: a scalar, an exact one, or a tuple of scalars. changed: the
    attributes of objects that it stores, with their types after a call.
    """

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type | None = None
    body: Region | None = None
    has_effects: bool = False
    item: Type | None = None
    changed: dict[str, Type] = field(default_factory=dict)

    @property
    def left(self) -> dict[str, Type]:
        """The attributes among those changed whose values a call hands back."""
        return {name: kind for name, kind in self.changed.items() if not isinstance(kind, Known)}

    def __str__(self) -> str:
        given = ", ".join(f"{name}: {kind}" for name, kind in self.parameters)
        return f"def {self.name}({given}) -> {self.result}"


@dataclass(eq=False)
class Block:
    """One version of a block of the control-flow graph."""

    source: int  # the block's number there
    version: int
    types: dict[str, Type]  # of the names that are read later
    steps: list[Step] = field(default_factory=list)
    end: End | None = None
    is_header: bool = False

    @property
    def label(self) -> str:
        return f"b{self.source}_{self.version}"

    def __str__(self) -> str:
        head = ", ".join(f"{name}: {kind}" for name, kind in sorted(self.types.items()))
        return "\n    ".join((f"{self.label}:  # {head}", *map(str, self.steps), str(self.end)))


SMALL = 1 << 40  # ints from outside are taken to be smaller, or names of them are wide


@dataclass(frozen=True)
class Access:
    """The place of an item along one axis of an array, in a loop over a range.

    index: affine in the loop's item and names that stay, or in one that trips move. moves: 1 after that.
    """

    array: Expression
    axis: int
    index: Expression
    moves: int = 0


class Kept:
    """The items that a loop keeps in local variables: `register_ir.py`."""


@dataclass(eq=False)
class FastLoop:
    """An innermost loop over a range, or items of arrays, that has a version without checks.

    items: names of the range's item, or of an item's number. accesses: checks, for the first and the last
    item. unchecked: items that need none then. sums: ints to which trips add little, by the additions: none
    leaves if they are below 2^62 at first. moved: ints to which each trip adds. partial: sums made in parts.
    """

    header: Block
    blocks: set[Block]
    items: set[str]
    accesses: list[Access]
    unchecked: set[Any]
    sums: dict[Expression, str] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    kept: Kept | None = None  # items of one more version
    partial: PartialSums | None = None


class Shared:
    """A loop whose trips threads share; `parallel_ir.py` has its fields."""


class Nest:
    """A nest of loops that has a version without bounds checks; `nest_ir.py` has its fields."""


class Composed:
    """Trips of a loop that are done several at once; `recurrence_ir.py` has its fields."""


@dataclass(eq=False)
class Region:
    """The typed program of one region.

    Parameters
    ----------
    entry
        The block that native code begins with.
    names
        The types of the names that are given at the entry.
    blocks
        All blocks, the entry first.
    stored
        The names of the user's and of temporaries that it binds, each with all types that they take.
    wide
        The names at the entry whose ints may have any 64 bits; those of others are below `SMALL`.
    certain
        The operations that are proved not to leave.
    nonnegative
        The ints that are proved not to be negative.
    narrow
        Operations on ints that are proved to have operands and a result of 16 or 32 bits, and how many.
    short
        Operands of sums, by their bounds, which are far from 64 bits.
    paired
        Sines and cosines of numbers of which both are computed.
    limits
        Ints, and a limit of each: native code leaves where one is negative, or not below its limit. The ints
        that they mask, or shift, may wrap.
    fast_loops
        By the headers of innermost loops over ranges: the items that need no checks, if one before holds.
    nests
        The nests of loops that have versions without bounds checks, by their outermost loops' headers.
    shared
        The loops whose trips threads may share, by their headers.
    unshared
        The lines of loops over ranges that one thread does, and why.
    recurrences
        By the headers of innermost loops: the trips that are done several at once.
    ended
        Of a function's body: the places where no name is of use any more but the answer's, which it names.
    """

    entry: Block
    names: dict[str, Type]
    blocks: list[Block]
    stored: dict[str, list[Type]]
    wide: frozenset[str] = frozenset()
    certain: set[Expression] = field(default_factory=set)
    nonnegative: set[Expression] = field(default_factory=set)
    narrow: dict[Expression, int] = field(default_factory=dict)
    short: dict[Expression, tuple[int, int]] = field(default_factory=dict)
    paired: set[Expression] = field(default_factory=set)
    limits: dict[Expression, int] = field(default_factory=dict)
    fast_loops: dict[Block, FastLoop] = field(default_factory=dict)
    nests: dict[Block, Nest] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    shared: dict[Block, Shared] = field(default_factory=dict)
    unshared: dict[int, str] = field(default_factory=dict)
    recurrences: dict[Block, Composed] = field(default_factory=dict)
    ended: dict[Place, str] = field(default_factory=dict)

    def __str__(self) -> str:
        # Functions may call themselves, so each is printed once, beside the region.
        bodies = [(function, function.body) for function in self.functions if function.body is not None]
        parts = [part for function, body in bodies for part in (f"{function}:", *body.texts())]
        return "\n".join([*parts, *self.texts()])

    def texts(self) -> list[str]:
        """Return the blocks, the items that loops keep, and the trips done at once, as texts."""
        kept = [f"{at.label} keeps {loop.kept}" for at, loop in self.fast_loops.items() if loop.kept]
        at_once = [f"{at.label} does {trips} at once" for at, trips in self.recurrences.items()]
        return [*map(str, self.blocks), *kept, *at_once]


def length(array: Expression, axis: int) -> Length:
    assert isinstance(array.type, Array)
    return Length(INT, array, axis)


def integer(value: int) -> Constant:
    return Constant(INT, value)


def truth(value: bool) -> Constant:
    return Constant(BOOL, value)


def tuple_of(items: tuple[Expression, ...]) -> MakeTuple:
    return MakeTuple(Tuple(tuple(item.type for item in items)), items)


def part_of(whole: Expression, place: int) -> Expression:
    """Return an item of a tuple, or of a value of one of two types."""
    assert isinstance(whole.type, Tuple | Either)
    kind = whole.type.items[place]
    if isinstance(kind, Known):
        return Constant(kind, None)
    if isinstance(whole, MakeTuple):
        return whole.items[place]
    return Part(kind, whole, place)


def targets(end: End | None) -> tuple[Block, ...]:
    """Return the blocks that may come next."""
    match end:
        case Jump():
            return (end.target,)
        case Branch():
            return (end.then, end.otherwise)
        case Next():
            return (end.body, end.exhausted)
    return ()


def bound_by(step: Step | End) -> dict[str, Type]:
    """Return the names that a step or an end gives a value, with its type."""
    match step:
        case Bind(name=name, value=value):
            return {name: value.type}
        case CallFunction(name=name, function=function):
            return function.changed | ({} if function.result is None else {name: function.result})
        case BeginRange(kind=kind, state=state):
            return {state: kind}
        case NextOfRange(kind=kind, item=item) | Next(kind=kind, item=item):
            return {item: kind.item}
    return {}


def parts_of(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions that an expression is made of."""
    match node:
        case Apply(operands=operands) | Call(operands=operands):
            return operands
        case Item(array=array, indices=indices):
            return (array, *indices)
        case Length(array=whole) | Part(whole=whole):
            return (whole,)
        case Choose():
            return (node.test, node.one, node.other)
        case MakeTuple(items=items):
            return items
        case Compound():
            return node.parts_within
    return ()


def _among_fields(node: Expression | Step) -> tuple[Expression, ...]:
    """Return the expressions among the fields of a node, in order, also those in tuples."""
    found: list[Expression] = []
    for one in fields(node):
        value = getattr(node, one.name)
        parts = value if isinstance(value, tuple) else (value,)
        found += [part for part in parts if isinstance(part, Expression)]
    return tuple(found)


def expressions_of(step: Step | End | None) -> tuple[Expression, ...]:
    """Return the expressions that a step or an end evaluates."""
    match step:
        case Bind(value=value):
            return (value,)
        case StoreItem(array=array, indices=indices, value=value):
            return (array, *indices, value)
        case CallFunction(operands=operands):
            return operands
        case BeginRange():
            return (step.start, step.stop, step.stride)
        case Branch(test=test):
            return (test,)
        case Return(value=value, fields=fields_):
            return fields_ if value is None else (value, *fields_)
        case CompoundStep():
            return step.parts_within
    return ()
