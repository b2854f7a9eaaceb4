"""Masks: what `a[m]` picks and is used element by element is computed at full length, as a `where`.

NumPy compacts: `a[m]` is an array of its own, whose length depends on the data. Where all that is made of it
is arithmetic with numbers and with what the same mask picks, ending in a reduction (`a[m].mean()`), in how
many there are, or in a store under the same mask (`a[m] = f(a[m], b[m])`), the elements can stay where they
are: the arithmetic is done on all of them, and the mask decides which count. It all is one kernel then.

Elements that are not picked are computed, too: that costs time where few are picked and the arithmetic is
heavy, which `Costs` weigh; what they come to (NaN, a division by zero) is never seen.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog.python_operators import GETITEM
from npcompile.frontend.ops.masked import put_where
from npcompile.frontend.ops.table import NUMPY, TABLE, Op
from npcompile.frontend.passes.mask_analysis import (
    COSTS,
    EXTREMES,
    REDUCTIONS,
    Finder,
    Together,
    axes_of,
    taken,
    told,
)
from npcompile.frontend.program.array_facts import with_items
from npcompile.frontend.program.guards import InRange
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import (
    StepAttributes,
    annotate,
    attributes,
    source_place,
    step_of,
    value_of,
)
from npcompile.lower.plan.values import Value, c_strides

_INT64 = (-(2**63), 2**63 - 1)


def lower_masks(program: Program) -> None:
    """Choose the form of each mask in a program, and change the program where that is the full length.

    Steps that are left as they are know why (`mask_form`), for `explain`.
    """
    finder = Finder(program.graph)
    finder.run()
    if not finder.picked:
        return
    forms: dict[int, tuple[bool, Reason]] = {}
    for node, picked in finder.picked.items():
        together = picked.together.whole
        if id(together) not in forms:
            forms[id(together)] = decide(together)
        full, why = forms[id(together)]
        for step in (node, *node.users):
            if taken(step) is not None and not (full and step.target is with_items):
                attributes(step).mask_form = "compaction", why
    stays = {node: forms[id(picked.together.whole)] for node, picked in finder.picked.items()}
    rewriter = _Rewriter(program.graph, {node: why for node, (full, why) in stays.items() if full})
    rewriter.run()
    program.host_calls -= rewriter.host_calls


def decide(together: Together) -> tuple[bool, Reason]:
    """Tell if these values stay at full length, and why: the number picked and the work on them decide."""
    if together.reason is not None:
        return False, together.reason
    pair = taken(together.takes[0])
    assert pair is not None
    length, count = math.prod(value_of(pair[1]).shape), value_of(together.takes[0]).shape[0]
    read = sum(math.prod(value_of(take).shape[1:]) for take in together.takes) + 2 * together.stores
    full = length * (together.work + COSTS.read * read)
    turns = min(count, length - count)
    moved = length * COSTS.scanned + count * COSTS.picked + turns * COSTS.turn + COSTS.step
    compacted = moved * (len(together.takes) + together.stores) + count * together.work
    share = f"{100 * count / max(length, 1):.3g}"
    return full <= compacted, Cause.PICKED_SHARE(share, length, _time(full), _time(compacted))


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / 1000:.3g} us"


class _Rewriter:
    """Changes a program so that these values (with the reason why) are at full length."""

    def __init__(self, graph: fx.Graph, full: dict[fx.Node, Reason]) -> None:
        self.graph = graph
        self.full = full
        # Picked items -> the full-length array that holds them, and the rest.
        self.now: dict[fx.Node, fx.Node] = {}
        self.masks: dict[fx.Node, fx.Node] = {}  # picked items -> their mask
        self.rest: dict[fx.Node, tuple[int, ...]] = {}  # picked items -> their shape behind the first axis
        self.gone: list[fx.Node] = []
        self.host_calls = 0  # host calls that are gone

    def run(self) -> None:
        for node in list(self.graph.nodes):
            if node.op != "call_function":
                continue
            if node in self.full and (pair := taken(node)) is not None:
                self._is(node, *pair)
                self._drop(node)
                self.host_calls += 1
            elif used := [arg for arg in node.all_input_nodes if arg in self.masks]:
                self._change(node, used[0])
        for node in reversed(self.gone):
            self.graph.erase_node(node)

    def _is(self, node: fx.Node, full: fx.Node, mask: fx.Node) -> None:
        self.now[node], self.masks[node], self.rest[node] = full, mask, value_of(node).shape[1:]

    def _longer(self, node: fx.Node, mask: fx.Node) -> None:
        """A step that gave what was picked gives all of it."""
        self._is(node, node, mask)
        shape = (*value_of(mask).shape, *self.rest[node])
        attributes(node).value = replace(value_of(node), shape=shape, strides=c_strides(shape), region=None)

    def _drop(self, node: fx.Node) -> None:
        self.gone.append(node)

    def _change(self, node: fx.Node, used: fx.Node) -> None:
        step, target = step_of(node), node.target
        mask = self.masks[used]
        attributes(node).mask_form = "where", Cause.MASK_AS_WHERE(self.full[used])
        if step == "guard":
            self._drop(node)
        elif step == "write":
            self._update(node)
        elif step == "number":
            self._count(node, mask)
        elif target is with_items:
            self._store(node)
        elif isinstance(target, Op) and (target.function in REDUCTIONS or target.function in EXTREMES):
            self._reduce(node, target, used, mask)
        elif isinstance(target, Op) and target.function is np.count_nonzero:
            self._count_true(node, used, mask)
        else:
            self._compute(node, used)

    def _compute(self, node: fx.Node, used: fx.Node) -> None:
        """Element by element: on all elements."""
        mask = self.masks[used]
        node.args, node.kwargs = fx.node.map_arg((node.args, node.kwargs), lambda arg: self.now.get(arg, arg))
        attributes(node).unchecked = True
        self._longer(node, mask)

    def _reduce(self, node: fx.Node, op: Op, used: fx.Node, mask: fx.Node) -> None:
        given = told(node, op)
        assert given is not None
        ndim, more = 1 + len(self.rest[used]), len(value_of(mask).shape) - 1
        axes = axes_of(given.get("axis"), ndim)
        if axes[0] != 0:  # each element by itself
            node.args = (self.now[used],)
            kept = {name: value for name, value in given.items() if name not in ("a", "axis")}
            node.kwargs = {**kept, "axis": tuple(axis + more for axis in axes)}
            self._longer(node, mask)
            return
        over = (*range(more + 1), *(axis + more for axis in axes[1:]))
        where = self._where(mask, ndim - 1, node)
        if op.function in EXTREMES:
            node.target, node.args, node.kwargs = (
                EXTREMES[op.function],
                (self.now[used],),
                {"axis": over, "where": where},
            )
            attributes(node).unchecked = False
            return
        kept = {name: value for name, value in given.items() if name not in ("a", "axis", "keepdims")}
        node.args, node.kwargs = (self.now[used],), {**kept, "axis": over, "where": where}

    def _count_true(self, node: fx.Node, used: fx.Node, mask: fx.Node) -> None:
        """`np.count_nonzero` has no `where=`."""
        full = self.now[used]
        where = self._where(mask, len(self.rest[used]), node)
        shape = (*value_of(mask).shape, *self.rest[used])
        both = self._add("both", node, np.logical_and, (full, where), shape, torch.bool)
        more = len(value_of(mask).shape) - 1
        axes = axes_of((*node.args[1:], node.kwargs.get("axis"))[0], 1 + len(self.rest[used]))
        over = (*range(more + 1), *(axis + more for axis in axes[1:]))
        node.args, node.kwargs = (both,), {} if len(over) == len(shape) else {"axis": over}

    def _count(self, node: fx.Node, mask: fx.Node) -> None:
        node.target, node.args = TABLE.of(np.count_nonzero), (mask,)  # type: ignore[assignment]
        self._is_op(node, Value("int", torch.int64))
        for user in node.users:  # there are never more than fit
            if isinstance(user.target, InRange) and (user.target.low, user.target.high) == _INT64:
                self._drop(user)

    def _update(self, node: fx.Node) -> None:
        """`y[...] = value`, where y was picked: a new value by its name."""
        dst, value = node.args
        assert isinstance(dst, fx.Node) and isinstance(value, fx.Node)
        dtype = value_of(dst).dtype
        assert dtype is not None
        shape = (*value_of(self.masks[dst]).shape, *self.rest[dst])
        full = self._add(
            "cast",
            node,
            np.ndarray.astype,
            (self.now[value], NUMPY[dtype]),
            value_of(self.now[value]).shape,
            dtype,
        )
        # A written value may be less than it says, but not where it is worked out from what it is written to.
        less = attributes(value).broadcast and not (_is_ufunc(value) and self.now[dst] in value.args)
        if value_of(full).shape != shape or less:
            if self.rest[dst]:
                full = self._add("whole", node, np.broadcast_to, (full, shape), shape, dtype)
            else:  # the mask is of that shape at any length
                full = self._add("whole", node, np.where, (self.masks[dst], full, full), shape, dtype)
        self.now[dst] = full
        self._drop(node)

    def _store(self, node: fx.Node) -> None:
        pair = taken(node)
        value: Any = node.args[2]
        assert pair is not None
        array, mask = pair[0], self.masks[value]
        where = self._where(mask, len(value_of(array).shape) - len(value_of(mask).shape), node)
        node.target, node.args = put_where, (array, where, self.now[value])
        self._is_op(node, replace(value_of(node), dtype=value_of(array).dtype)).unchecked = True
        self.host_calls += 1

    def _where(self, mask: fx.Node, more: int, before: fx.Node) -> fx.Node:
        """The mask with so many axes more at its end."""
        if not more:
            return mask
        shape = (*value_of(mask).shape, *(1,) * more)
        return self._add("mask", before, GETITEM, (mask, (Ellipsis, *(None,) * more)), shape, torch.bool)

    def _add(
        self,
        name: str,
        before: fx.Node,
        function: Any,
        args: tuple[Any, ...],
        shape: tuple[int, ...],
        dtype: torch.dtype,
    ) -> fx.Node:
        op = TABLE.of(function)
        assert op is not None
        root, device = _next_root(self.graph), value_of(args[0]).device
        value = Value("array", dtype, shape, c_strides(shape), root, None, device)
        with self.graph.inserting_before(before):
            made = self.graph.create_node("call_function", op, args, {}, name)
        known = annotate(made, "op", value, source_place(before))
        known.mask_form, known.unchecked = attributes(before).mask_form, True
        return made

    def _is_op(self, node: fx.Node, value: Value) -> StepAttributes:
        """Make an op of a step of another kind."""
        known = attributes(node)
        made = annotate(node, "op", value, known.place)
        made.mask_form = known.mask_form
        return made


def _is_ufunc(node: fx.Node) -> bool:
    """Tell if a step computes each element by itself."""
    function = node.target.function if isinstance(node.target, Op) else None
    return isinstance(function, np.ufunc) and function.signature is None


def _next_root(graph: fx.Graph) -> int:
    return 1 + max(value_of(node).root for node in graph.nodes if node.op != "output")
