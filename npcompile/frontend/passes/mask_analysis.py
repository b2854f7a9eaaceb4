"""Analysis of masks: finds the values that masks pick in a program, and which of them could stay at full
length.

`mask_lowering.py` changes the program by it.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog.python_operators import GETITEM
from npcompile.frontend.ops.masked import Extreme
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import with_items
from npcompile.frontend.program.guards import Guard
from npcompile.frontend.program.memory_versions import Contents
from npcompile.frontend.program.reads import Length
from npcompile.lower.arithmetic.unsigned import WIDE
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.segment import nodes_in

_TAKING: tuple[Any, ...] = (np.extract, np.compress)

# Functions that work element by element, beside ufuncs.
ELEMENTWISE: frozenset[Any] = frozenset(
    [np.where, np.clip, np.round, np.ndarray.astype, np.astype, np.ndarray.copy, np.copy]
)
# Reductions that have `where=`.
REDUCTIONS: frozenset[Any] = frozenset([np.sum, np.prod, np.mean, np.any, np.all, np.std, np.var])
EXTREMES: dict[Any, Extreme] = {np.min: Extreme(False), np.max: Extreme(True)}
# The arguments with which a reduction of masked values may be done at full length.
TOLD = frozenset(["a", "axis", "dtype", "out", "ddof", "keepdims"])

# Functions that take some ten times as long as an addition, and those that take a hundred times.
COSTLY: frozenset[Any] = frozenset(
    [np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.cbrt, np.tanh]
    + [np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh]
    + [np.arcsinh, np.arccosh, np.arctanh]
)
HEAVY: frozenset[Any] = frozenset(
    [np.power, np.float_power, np.hypot, np.arctan2, np.logaddexp, np.logaddexp2]
    + [np.fmod, np.remainder, np.floor_divide]
)


@dataclass(frozen=True)
class Costs:
    """Nanoseconds on one thread. For each element: of an operation by its kind, and of an array that is read
    at full length or stored. Of NumPy's compaction: for each element of the mask, for each picked, for each
    place where the mask changes (the processor guesses wrong there), and each time."""

    cheap: float = 0.05
    costly: float = 0.7
    heavy: float = 5.0
    read: float = 0.1
    scanned: float = 0.15
    picked: float = 0.4
    turn: float = 12.0
    step: float = 1500.0

    def of(self, function: Any, operands: tuple[Any, ...]) -> float:
        """An operation on an element."""
        if function is np.power and operands[1:] in ((2,), (3,)):
            return self.cheap
        return self.heavy if function in HEAVY else self.costly if function in COSTLY else self.cheap


# Measured on 400,000 elements of float64: `d[m]` takes 44 us where one of a thousand is picked, 70 at 1%, 670
# at 10%, 1780 at half, 160 where all are; `d[m].mean()` as a `where` in one kernel 45 us at any of these.
COSTS = Costs()


@dataclass
class Together:
    """Values that are used with each other: they take one form. reason: why that is compaction."""

    reason: Reason | None = None
    takes: list[fx.Node] = field(default_factory=list)
    work: float = 0.0  # nanoseconds an element
    stores: int = 0
    into: Together | None = None

    @property
    def whole(self) -> Together:
        return self if self.into is None else self.into.whole

    def join(self, other: Together) -> Together:
        one, another = self.whole, other.whole
        if one is not another:
            one.reason = one.reason or another.reason
            one.takes += another.takes
            one.work += another.work
            one.stores += another.stores
            another.into = one
        return one


@dataclass
class Picked:
    """A value along whose first axis are the True places of a mask.

    contents: of the mask when it was picked. source: what it was picked from, with its contents, while the
    value is just that.
    """

    mask: fx.Node
    contents: Any
    together: Together
    source: tuple[fx.Node, Any] | None = None


class Finder:
    """Walks a program once, in order, and finds what masks pick and what becomes of it."""

    def __init__(self, graph: fx.Graph) -> None:
        self.graph = graph
        self.contents = Contents()
        self.picked: dict[fx.Node, Picked] = {}

    def run(self) -> None:
        for node in self.graph.nodes:
            used = [arg for arg in node.all_input_nodes if arg in self.picked]
            if used:
                reason = Cause.PICKED_RETURNED() if node.op == "output" else self._use(node, used)
                if reason:
                    for arg in used:
                        together = self.picked[arg].together.whole
                        together.reason = together.reason or reason
            elif node.target is not with_items and (pair := taken(node)) is not None:
                self._take(node, *pair)
            if node in self.picked and attributes(node).inspected:
                together = self.picked[node].together.whole
                together.reason = together.reason or Cause.PICKED_SHAPE_DECIDES()
            self.contents.note(node)

    def _take(self, node: fx.Node, array: fx.Node, mask: fx.Node) -> None:
        now = self.contents.now
        together = Together(takes=[node])
        self.picked[node] = Picked(mask, now(mask), together, (array, now(array)))
        if value_of(node).dtype is None:
            together.reason = Cause.PICKED_DTYPE()

    # -- uses --------------------------------------------------------------------------------------------

    def _use(self, node: fx.Node, used: list[fx.Node]) -> Reason | None:
        """Note a use of picked values; or why it needs them compacted."""
        for arg in used:
            source = self.picked[arg].source
            if source is not None and self.contents.now(source[0]) != source[1]:
                return Cause.PICKED_FROM_WRITTEN(str(source[0]))
        step, target = step_of(node), node.target
        if step == "guard":
            return None if _of_its_size(node) else Cause.PICKED_DECIDES()
        if step == "write":
            return self._update(node)
        if step == "number" and isinstance(target, Length):
            return self._count(node)
        if step == "host" and target is with_items:
            return self._store(node)
        if step == "op" and isinstance(target, Op):
            function = target.function
            if isinstance(function, np.ufunc) or function in ELEMENTWISE:
                return self._elementwise(node, target, used)
            if function in REDUCTIONS or function in EXTREMES or function is np.count_nonzero:
                return self._reduction(node, target, used)
        name = getattr(target, "name", None) or getattr(target, "__name__", step)
        return Cause.PICKED_IN_ORDER(str(name).replace("numpy.", "np.", 1))

    def _same_mask(self, used: list[fx.Node]) -> bool:
        return len({self.picked[arg].contents for arg in used}) == 1

    def _still(self, picked: Picked) -> bool:
        """Tell if the contents of the mask are unchanged."""
        return bool(self.contents.now(picked.mask) == picked.contents)

    def _elementwise(self, node: fx.Node, op: Op, used: list[fx.Node]) -> Reason | None:
        if isinstance(op.function, np.ufunc):
            if op.function.nout != 1 or not set(node.kwargs) <= {"dtype", "casting"}:
                return Cause.PICKED_KEYWORDS(op.name)
            if op.checked and not _is_sure(node):
                return Cause.PICKED_MAY_RAISE(op.name)
        if not self._same_mask(used):
            return Cause.PICKED_BY_ANOTHER()
        ndim = len(value_of(used[0]).shape)
        arguments = (*node.args, *node.kwargs.values())
        if any(nodes_in(arg) for arg in arguments if not isinstance(arg, fx.Node)):
            return Cause.PICKED_IN_LIST()
        for arg in arguments:
            if isinstance(arg, fx.Node) and value_of(arg).kind == "array":
                if len(value_of(arg).shape) != ndim if arg in used else len(value_of(arg).shape) >= ndim:
                    return Cause.PICKED_OTHER_LENGTH(str(arg))
            elif isinstance(arg, (list, tuple)) and np.ndim(arg) >= ndim:
                return Cause.PICKED_MEETS_LIST()
        together = self._joined(used)
        together.work += COSTS.of(op.function, node.args) * math.prod(value_of(node).shape[1:])
        first = self.picked[used[0]]
        self.picked[node] = Picked(first.mask, first.contents, together)
        return None

    def _joined(self, used: list[fx.Node]) -> Together:
        together = self.picked[used[0]].together.whole
        for arg in used[1:]:
            together = together.join(self.picked[arg].together)
        return together

    def _reduction(self, node: fx.Node, op: Op, used: list[fx.Node]) -> Reason | None:
        given = told(node, op)
        if given is None or used != [given["a"]]:
            return Cause.PICKED_ARGUMENTS(op.name)
        picked, value = self.picked[used[0]], value_of(used[0])
        axes = axes_of(given.get("axis"), len(value.shape))
        if not axes or axes[0] != 0:  # each element is reduced by itself
            if not axes or op.function is np.count_nonzero:
                return Cause.PICKED_NO_AXIS(op.name)
            together = picked.together.whole
            together.work += COSTS.cheap * math.prod(value.shape[1:])
            self.picked[node] = Picked(picked.mask, picked.contents, together)
            return None
        if given.get("keepdims"):
            return Cause.PICKED_KEEPDIMS(op.name)
        if not self._still(picked):
            return Cause.PICKED_MASK_WRITTEN()
        if op.function in EXTREMES and (value.dtype is None or value.dtype in WIDE or value.dtype.is_complex):
            return Cause.PICKED_EXTREME(op.name)
        picked.together.whole.work += COSTS.cheap * math.prod(value.shape[1:])
        return None

    def _count(self, node: fx.Node) -> Reason | None:
        """Note a use of the number of picked elements. If it shapes something, the count itself is needed."""
        (array,) = nodes_in(node.args)
        if not self._still(self.picked[array]) or node.target.axis != 0:  # type: ignore[union-attr]
            return Cause.PICKED_COUNTED_LATE()
        return Cause.PICKED_COUNT_SHAPES() if _shapes(node) else None

    def _update(self, node: fx.Node) -> Reason | None:
        """`y[...] = value`, where y was picked."""
        dst: Any = node.args[0]
        value: Any = node.args[1]
        if dst not in self.picked or value not in self.picked or not self._same_mask([dst, value]):
            return Cause.PICKED_STORED_ELSEWHERE()
        one, other = value_of(dst).shape, value_of(value).shape
        if len(one) != len(other):
            return Cause.PICKED_MORE_AXES()
        self._joined([dst, value])
        self.picked[dst] = replace(self.picked[dst], source=None)
        return None

    def _store(self, node: fx.Node) -> Reason | None:
        """`array[mask] = value`."""
        pair = taken(node)
        value: Any = node.args[2]
        array = None if pair is None else pair[0]
        if pair is None or array is None or value not in self.picked or array in self.picked:
            return Cause.PICKED_OTHER_INDEX()
        picked, mask = self.picked[value], pair[1]
        if self.contents.now(mask) != picked.contents or not self._still(picked):
            return Cause.PICKED_OTHER_MASK()
        there, given = value_of(array), value_of(value)
        if value_of(mask).root == there.root and value_of(mask).region != there.region:
            return Cause.MASK_OVERLAPS()
        if there.dtype is None or there.dtype in WIDE:
            return Cause.PICKED_INTO_DTYPE()
        if given.dtype is None or (given.dtype.is_complex and not there.dtype.is_complex):
            return Cause.PICKED_COMPLEX()
        if len(given.shape) != len(there.shape) - len(value_of(mask).shape) + 1:
            return Cause.PICKED_MORE_AXES()
        picked.together.whole.stores += 1
        return None


def taken(node: fx.Node) -> tuple[fx.Node, fx.Node] | None:
    """The array and the mask of a step `array[mask]`, or of a store under one mask over the first axes."""
    if step_of(node) != "host" or node.kwargs:
        return None
    array: Any
    mask: Any
    if node.target in _TAKING and len(node.args) == 2:
        mask, array = node.args
        if not _is_array(array) or len(value_of(array).shape) != 1:
            return None
    elif node.target is GETITEM or node.target is with_items:
        array, index = node.args[0], node.args[1]
        items = index if isinstance(index, tuple) else (index,)
        mask = items[0] if items else None
        if not all(item is Ellipsis or item == slice(None) for item in items[1:] if not _is_array(item)):
            return None
        if any(_is_array(item) for item in items[1:]):
            return None
    else:
        return None
    if not _is_array(array) or not _is_array(mask) or value_of(mask).dtype is not torch.bool:
        return None
    shape = value_of(mask).shape
    return (array, mask) if shape and shape == value_of(array).shape[: len(shape)] else None


def _is_array(arg: Any) -> bool:
    return isinstance(arg, fx.Node) and value_of(arg).kind == "array"


def _of_its_size(node: fx.Node) -> bool:
    """Tell if a guard only makes sure what a call has to give again."""
    return isinstance(node.target, Guard) and node.target.of_array


def _is_sure(node: fx.Node) -> bool:
    """Tell if a power cannot fail: only integers to negative integer powers do."""
    if attributes(node).unchecked:
        return True
    base, exponent = node.args
    if type(exponent) is int and exponent >= 0:
        return True
    dtypes = [value_of(arg).dtype for arg in (base, exponent) if isinstance(arg, fx.Node)]
    return any(dtype is not None and (dtype.is_floating_point or dtype.is_complex) for dtype in dtypes)


def _shapes(count: fx.Node) -> bool:
    """Tell if a number, or one made of it, is an argument of an op where that takes no operand."""
    numbers = [count]
    for number in numbers:  # it grows
        for user in number.users:
            if step_of(user) == "number" and user not in numbers:
                numbers.append(user)
            elif isinstance(user.target, Op):
                given = [*enumerate(user.args), *user.kwargs.items()]
                if any(number in nodes_in(arg) and at not in user.target.operands for at, arg in given):
                    return True
    return False


def told(node: fx.Node, op: Op) -> dict[str, Any] | None:
    """A reduction's arguments by name, or None where there are some that only compacted arrays have."""
    try:
        bound = inspect.signature(op.body).bind(*node.args, **node.kwargs).arguments
    except TypeError:
        return None
    given = {name: value for name, value in bound.items() if value is not None}
    return (
        given if set(given) <= TOLD and not any(nodes_in(v) for k, v in given.items() if k != "a") else None
    )


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(n % ndim for n in (axis if isinstance(axis, tuple) else (axis,))))
