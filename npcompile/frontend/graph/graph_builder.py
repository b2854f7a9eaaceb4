"""The steps of a recording: each turns what Python has just done to live objects into a node."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.python_operators import GETITEM, SETITEM
from npcompile.frontend.eager.ndarray import is_basic
from npcompile.frontend.graph import store_casts
from npcompile.frontend.graph.arange import ranged
from npcompile.frontend.graph.builder_reads import ReadBuilder, is_called, is_steady
from npcompile.frontend.graph.coercions import TAKING_COUNTS, as_counts, as_index, as_value, is_whole
from npcompile.frontend.graph.constant_folding import folded, folds, stored, without_masks
from npcompile.frontend.graph.data_sizes import (
    are_whole,
    ends_by_data,
    on_host,
    sources,
)
from npcompile.frontend.graph.roll import rolled
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.symbolic_sizes import broadcasts_to
from npcompile.frontend.ops.table import TABLE, TORCH, Op, computed
from npcompile.frontend.ops.write_order import is_read_late
from npcompile.frontend.program.aliasing import Moving, form_of, is_on
from npcompile.frontend.program.array_facts import (
    facts,
    is_array,
    is_numpy,
    is_uneven,
    layout,
    layouts,
    outline,
    with_copied,
    with_items,
)
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.guards import (
    ArrayMatches,
    InRange,
    OutlineMatches,
    ShapeIs,
    TypeIs,
    ValueEquals,
)
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.signature import NUMBERS
from npcompile.lower.plan.attributes import StepKind, annotate, attributes, step_of, value_of
from npcompile.lower.plan.graph import write
from npcompile.lower.plan.products import is_small
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.values import Value

# The dtypes whose small products are sums in a kernel: no complex ones, nor C's second name for int64, whose
# scalars are of a type of their own.
_SUMMED = "?bBhHiIlLefd"


class GraphBuilder(ReadBuilder):
    """The residual program under construction."""

    def op(
        self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, view: bool = False
    ) -> Any:
        """Note a registered op that NumPy has just carried out; returns the result to hand on."""
        if result is None or result is NotImplemented:
            raise Unfollowed(Cause.OP_GAVE(op.name, repr(result)))
        if isinstance(result, np.generic) and not self.traced(*args, *kwargs.values()):
            self.known(*args, *kwargs.values())
            self.constant(result)  # arithmetic of decided numbers
            return result
        if self.folding and folds(self, result, (*args, *kwargs.values())):
            return result
        if id(result) in self.tracked.known and is_array(result):
            return result  # NumPy answered with an array that is there already
        if op.function in TAKING_COUNTS:
            args, kwargs = as_counts(self, op.function, args, kwargs)
        if op.function is np.roll and (found := rolled(self, args, kwargs, result)) is not None:
            return found
        if op.function is np.arange and (found := ranged(self, args, kwargs, result)) is not None:
            return found
        is_view = view or (op.view and self._is_view(result, args))
        if not is_view and not self.in_library(op, args):
            args = self.even(args)
            kwargs = {key: self.even(arg) for key, arg in kwargs.items()}
        moving = self._moves(op, args)
        if moving and not is_array(result):
            return self._element(op, args, result)
        refs: Any
        named: Any
        if moving:
            refs, named = (self.ref(args[0]), self._index(args[1])), {}
        else:
            refs, named = self.operands(op, args, kwargs, result)
        if "length" in op.accepts and is_array(result) and not self.general:
            # The op's length is decided by data: it checks that it still is this.
            named["length"] = len(result)
        value = self.value(result)
        if type(result) is int:  # a count (`Op.numbers`)
            value, result = Value("int", TORCH[np.dtype(np.int64)]), self.tracked.result(result)
        step: StepKind = "view" if is_view else "op"
        # A read-only result shows one element many times.
        read_only = type(result) is np.ndarray and not result.flags.writeable
        if step == "op" and (self.in_library(op, args) or read_only or self._has_views(result, args)):
            step = "library"
        by_data = op.varies and step == "library"
        if step == "op" and self.general and "length" in op.accepts:
            step, by_data = "library", True  # its length depends on data: NumPy makes it
        if step == "view" and moving:
            index = tuple(map(form_of, _items(refs[1])))
            index = index[:-1] if index[-1] is Ellipsis else index
            region = None if self.general else Moving(refs[0], value_of(refs[0]).shape, index)
            value = replace(value, region=region)  # where in the memory is known at replay
        elif step == "view" and (
            attributes(refs[0]).dynamic_view or any(attributes(one).data_ends for one in nodes_in(refs[1:]))
        ):
            value, moving = replace(value, region=None), True
        node = self.add(step, op, refs, named, value)
        if by_data and is_array(result):
            self.still(result, node)
        known = attributes(node)
        known.unchecked = op.sure is not None and op.sure(args, result)
        known.dynamic_view = moving and step == "view"
        known.returns_view = step == "op" and type(result) is np.ndarray and result.base is not None
        if moving and op.function is GETITEM and any(map(self._is_window, _items(args[1]))):
            if self.general:
                known.data_ends = tuple(ends_by_data(self, item) for item in _items(args[1]))
            else:
                self.guard(ShapeIs(result.shape), node)  # at the array's end it is shorter
        return self.result(node, result)

    def even(self, arg: Any) -> Any:
        """An operand that tensors can be laid over: of a record's field, a copy that NumPy makes."""
        if type(arg) in (tuple, list):
            made = [self.even(item) for item in arg]
            return arg if all(map(operator.is_, made, arg)) else type(arg)(made)
        if not isinstance(arg, np.ndarray) or not is_uneven(arg) or computed(arg.dtype) is None:
            return arg
        refusal, self.refusal = self.refusal, Cause.FIELD_COPIED()
        made = self.call("host", np.array, (arg,), {}, np.array(arg))
        self.refusal = refusal
        return made

    def _moves(self, op: Op, args: tuple[Any, ...]) -> bool:
        """Tell if this is `array[i, ...]` or `array[i:i+3, ...]` with an integer that a step gave.

        The element, row or window taken may change from call to call, its shape does not.
        """
        if op.function is not GETITEM or not is_basic(args[1]) or not isinstance(args[0], np.ndarray):
            return False
        return any(map(self._is_step, _items(args[1])))

    def _is_step(self, item: Any) -> bool:
        """Tell if an item of an index is an integer that a step gave (no length), or a window."""
        if not _is_integer(item):
            return self._is_window(item)
        node = self.tracked.node(item)
        return node is not None and node not in self.sizes

    def _is_window(self, item: Any) -> bool:
        """Tell if both ends of a slice depend on one number that a step gave, or data decide one."""
        if type(item) is not slice:
            return False
        if self.general:
            return bool(ends_by_data(self, item))
        if not (_is_integer(item.start) and _is_integer(item.stop)):
            return False
        start, stop = self.tracked.node(item.start), self.tracked.node(item.stop)
        return start is not None and stop is not None and bool(sources(start) & sources(stop))

    def _index(self, index: Any) -> Any:
        """A basic index whose integers, and the ends of whose windows, may be steps."""
        if type(index) is tuple:
            return tuple([self._place(item) for item in index])
        return self._place(index)

    def _place(self, item: Any) -> Any:
        if self._is_window(item):
            return slice(self._end(item.start), self._end(item.stop), self.ref(item.step, True))
        return self.ref(item, not _is_integer(item), self.general)

    def _end(self, end: Any) -> Any:
        node = self.tracked.node(end) if end is not None else None
        return self.ref(end, True, True) if node in self.sizes | self.counts else self.ref(end)

    def _element(self, op: Op, args: tuple[Any, ...], result: Any) -> Any:
        """An element at a place that a step gave: NumPy takes it at replay."""
        node = self.add("library", op, (self.ref(args[0]), self._index(args[1])), {}, self.value(result))
        return self.result(node, result)

    def operands(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> tuple[Any, Any]:
        """An op's arguments as references; Python ints stay traced only where the op takes operands."""
        refs = tuple([self.ref(arg, position not in op.operands, True) for position, arg in enumerate(args)])
        named = {key: self.ref(arg, key not in op.operands, True) for key, arg in kwargs.items()}
        operands = (*args, *kwargs.values())
        if isinstance(op.function, np.ufunc):
            self.bound(operands, args)
        else:
            self.bound(operands, (*args, result))
            if op.function in store_casts.CONVERTING:
                for number, how in store_casts.given(op, args, kwargs, result):
                    if (node := self.tracked.node(number)) is not None:
                        self.fits(node, result.dtype, how)
        return refs, named

    def result(self, node: fx.Node, result: Any) -> Any:
        """Follow a step's result, returned as an object of its own where Python has one for its equals."""
        if type(result) is tuple and step_of(node) == "number":
            result = tuple([self.tracked.result(item) if type(item) in NUMBERS else item for item in result])
        elif type(result) in NUMBERS or isinstance(result, np.generic):
            given = step_of(node) in ("opaque", "host")  # it may have been there before
            result = self.tracked.stand(result) if given else self.tracked.result(result)
        self._follow(node, result)
        return result

    def _follow(self, node: fx.Node, result: Any) -> None:
        kind = type(result)  # of a tuple, list or dict the parts are followed one by one, however deep
        if not (kind in (tuple, list, dict) or (isinstance(result, tuple) and hasattr(result, "_fields"))):
            self.know(result, node)
            return
        self.held(result, node)
        for key, item in result.items() if kind is dict else enumerate(result):
            if is_array(item) and self.tracked.get(item) is not None and not is_called(node):
                continue
            part = self.add("part", part_of_result, (node, key), {}, self.value(item))
            if is_array(item) and step_of(node) != "op" and self.tracked.get(item) is None:
                self.still(item, part)
            self.typed(item, part, node)
            self._follow(part, item)  # as it is: what holds it is not ours to change
        if is_named_tuple(kind) and step_of(node) == "op":
            self.objects[id(result)] = result  # made of its parts where it is handed out
        elif kind is not tuple:
            self.tracked.keep(result, node)

    def in_library(self, op: Op, args: tuple[Any, ...]) -> bool:
        """Tell if NumPy's own libraries do an op at replay.

        On the CPU they are the best there is, but for work that is done before they are called.
        """
        if not op.library or not self.libraries or not self.devices <= {"cpu"}:
            return False
        return not (op.product and not self.general and self._is_small(args))

    def _is_small(self, args: tuple[Any, ...]) -> bool:
        """Tell if these are the operands of a product that kernels do, at each call."""
        operands = [layout(arg) for arg in args[:2] if is_array(arg)]
        return (
            len(operands) == 2
            and not any(map(self.by_data, args[:2]))
            and all(array.dtype in TORCH and array.dtype.char in _SUMMED for array in operands)
            and is_small(*(array.shape for array in operands))
        )

    def _is_view(self, result: Any, args: tuple[Any, ...]) -> bool:
        if not is_array(result) or not args or not is_array(args[0]):
            return False
        return layout(result).base is not None and is_on(layout(result), layout(args[0]))

    def _has_views(self, result: Any, args: tuple[Any, ...]) -> bool:
        """Tell if any of several results is a view of an argument (as those of `np.split` are)."""
        if type(result) not in (tuple, list):
            return False
        arrays = [layout(arg) for arg in args if is_array(arg)]
        parts = [layout(part) for part in result if is_array(part)]
        return any(part.base is not None and any(is_on(part, a) for a in arrays) for part in parts)

    def bound(self, operands: tuple[Any, ...], typed: tuple[Any, ...]) -> None:
        """Python ints that meet integer arrays (`typed`) must stay where NumPy converts them without
        complaint, and all of them where a segment can take them."""
        ints = [
            (arg, node)
            for arg in operands
            if type(arg) is int and (node := self.tracked.node(arg)) is not None
        ]
        if not ints:
            return
        dtypes = {item.dtype for item in store_casts.leaves(typed) if is_numpy(item)}
        limits = [np.iinfo(np.int64), *[np.iinfo(dtype) for dtype in dtypes if dtype.kind in "iu"]]
        low, high = max([int(info.min) for info in limits]), min([int(info.max) for info in limits])
        for arg, node in ints:
            if not low <= arg <= high:
                self.decide(node, arg)
            else:
                self.within(node, (low, high))

    def number(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        """Note a pure function of numbers; returns the result to hand on."""
        if not self.traced(*args, *kwargs.values()):
            self.known(*args, *kwargs.values())
            result = self.tracked.result(result)
            self.constant(result)
            return result
        if self.folding and folds(self, result, (*args, *kwargs.values())):
            return result
        refs = tuple(self.ref(arg) for arg in args)
        named = {key: self.ref(arg) for key, arg in kwargs.items()}
        node = self.number_step(function, refs, named, result)
        if purity.type_follows_values(function, args, refs):
            self.guard(TypeIs(type(result)), node)
        return self.result(node, result)

    def number_step(
        self, function: Callable[..., Any], refs: tuple[Any, ...], named: dict[str, Any], result: Any
    ) -> fx.Node:
        """The step of a pure function of numbers, of nodes and what is decided; its result nobody follows."""
        # CPython has one object for two small ints: they are to be one step, too.
        same = (function, refs) if type(result) is int and are_whole(refs) and not named else None
        node = None if same is None else self.numbers.get(same)
        if node is None:
            refs = fx.node.map_arg(refs, lambda arg: on_host(self, arg)) if self.general else refs
            node = self.add("number", function, refs, named, self.value(result))
            if same is not None:
                self.numbers[same] = node
            sources = set(node.all_input_nodes)
            if self.general and sources <= self.sizes:
                self.sized(node, result)
            elif self.counts and sources <= self.sizes | self.counts:
                self.counted(node, result)
        return node

    def host(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """Note a call of real NumPy that is not an op (yet), without effects."""
        if (found := folded(self, args, kwargs, result)) is not None:
            return found[0]
        self.host_calls += 1
        return self.call("host", function, args, kwargs, result)

    def call(
        self, step: StepKind, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        if step == "host" and is_array(result) and any(result is arg for arg in (*args, *kwargs.values())):
            raise Unfollowed(Cause.ANSWERS_WITH_ARGUMENT())
        ref = self.handed if step == "opaque" else self.ref
        refs = tuple(ref(arg) for arg in args)
        named = {key: ref(arg) for key, arg in kwargs.items()}
        if function in purity.VIEWS:
            for number in self.counts.intersection(nodes_in((refs, named))):
                self.is_size(number)
        node = self.add(step, function, refs, named, self.value(result))
        if is_array(result) and self.tracked.get(result) is None:
            self.still(result, node)
        elif not is_steady(function, args):
            self.typed(result, node, node)
        return self.result(node, result)

    def still(self, array: Any, node: fx.Node) -> None:
        """A call has to give an array of this kind again; of this shape as well, if lengths are constants."""
        if self.general:
            self.guard(OutlineMatches(outline(array)), node)
            attributes(next(iter(reversed(self.graph.nodes)))).exact_guard = ArrayMatches(facts(array))
        else:
            self.guard(ArrayMatches(facts(array)), node)

    def opaque(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """Note a call that may have effects: made again at replay."""
        return self.call("opaque", call, args, kwargs, result)

    def unused(self, result: None) -> None:
        """Note that the result of the last call is not used, and decides nothing."""
        last = next(iter(reversed(self.graph.nodes)), None)
        if last is None or not isinstance(last.target, ValueEquals):
            return
        (node,) = last.all_input_nodes
        if step_of(node) == "opaque" and len(node.users) == 1 and node is last.prev:
            self.graph.erase_node(last)
            self.decided.discard(node)

    def effect(
        self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], inert: bool, result: None
    ) -> None:
        """Note an opaque call that always answers None. inert: it changes nothing that the function reads."""
        refs = tuple(self.handed(arg) for arg in args)
        named = {key: self.handed(arg) for key, arg in kwargs.items()}
        node = self.add("opaque", call, refs, named, Value("object"))
        attributes(node).inert = inert

    def write(self, dst: Any, value: Any, how: str = store_casts.ITEM) -> None:
        """Note that a value (a node, or a decided number) was written over the whole of `dst`."""
        value, target = store_casts.ready(value, dst.dtype), self.ref(dst)
        self.fits(value, dst.dtype, how)
        self.add("write", write, (target, value), {}, Value("object"))

    def fits(self, value: Any, dtype: np.dtype[Any], how: str) -> None:
        """A traced number that is stored as this dtype must stay where NumPy does so without complaint."""
        if isinstance(value, fx.Node):
            bounds = store_casts.limits(value_of(value), dtype, how)
            if bounds is not None:
                self.within(value, bounds)

    def within(self, node: fx.Node, bounds: tuple[float, float]) -> None:
        """Guard, once, that a number lies between these bounds."""
        known = attributes(node)
        if known.range_guards is None:
            known.range_guards = set()
        if bounds not in known.range_guards:
            known.range_guards.add(bounds)
            self.guard(InRange(*bounds), node)

    def copied(self, dst: Any, value: Any, where: Any, result: None) -> None:
        """Note `np.copyto(dst, value, where=where)`."""
        if type(value) in (list, tuple):
            raise Unfollowed(Cause.LIST_COPIED())
        value, where = self.even(value), self.even(where)
        if is_read_late(layouts(where), layout(dst)):
            self.instead(with_copied, (dst, value, where), dst)
            return
        source = self.ref(value)
        if where is not True:
            self.fits(source, dst.dtype, store_casts.COPY)
            if not broadcasts_to(np.shape(where), dst.shape):  # onto itself, NumPy lets it pass
                raise Unfollowed(Cause.COPYTO_OTHER_MASK())
            op = TABLE.of(np.where)
            assert op is not None
            if op.refuses(layouts((where, value, dst)), {}) is not None:
                raise Unfollowed(Cause.COPYTO_NOT_NATIVE())
            whole = self.value(dst).renewed(self.roots.new(), dst.shape, None)
            source = self.add("op", op, (self.ref(where), source, self.ref(dst)), {}, whole)
        self.write(dst, source, store_casts.COPY)

    def store(self, array: Any, index: Any, value: Any) -> None:
        """Note `array[index] = value`."""
        if type(value) in (list, tuple) and (value := as_value(self, value, array)) is None:
            raise Unfollowed(Cause.LIST_STORED())
        value, index = self.even(value), as_index(self, index)
        if is_basic(index):
            full = index if type(index) is tuple else (index,)
            if not any(item is Ellipsis for item in full):
                full = (*full, Ellipsis)
            view, op = array[full], TABLE.of(GETITEM)
            assert op is not None
            if full != (Ellipsis,):
                self.op(op, (array, full), {}, view, view=True)
            else:
                view = array
            self.write(view, self.ref(value, sizes=True))
            return
        op = TABLE.of(SETITEM)
        assert op is not None
        refusal = op.refuses(layouts((array, index, value)), {})
        places = None if refusal is None else without_masks(self, index)
        if places is not None and op.refuses(layouts((array, places, value)), {}) is None:
            refusal, index = None, places
        self.refusal = refusal
        if refusal is not None:
            self.instead(with_items, (array, index, value), array)
            return
        self.fits(self.ref(value), array.dtype, store_casts.ITEM if is_whole(index) else store_casts.CAST)
        self.update(op, (array, index, value), {})

    def update(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note an op that gives the whole new value of its first argument, to be written over it."""
        array, args = args[0], (args[0], *self.even(args[1:]))
        refs, named = self.operands(op, args, kwargs, array)
        whole = self.value(array).renewed(self.roots.new(), array.shape, computed(array.dtype))
        node = self.add("op", op, refs, named, whole)
        attributes(node).unchecked = op.sure is not None and op.sure(args, array)
        self.write(array, node)

    def instead(self, function: Any, args: tuple[Any, ...], array: Any) -> None:
        """Note that NumPy has written what `function` of these arguments gives over an array: a host call."""
        if (made := stored(self, array, args)) is not None:
            return self.write(array, made)
        refs = tuple(self.ref(arg) for arg in args)
        whole = self.value(array).renewed(self.roots.new(), array.shape, None)
        self.host_calls += 1
        self.write(array, self.add("host", function, refs, {}, whole))

    def finish(self, name: str, result: Any) -> Program:
        """The program, with steps that nothing uses."""
        structure = self.structure(result)
        annotate(self.graph.output(tuple(structure.leaves())), "output", Value("object"))
        device = next(iter(self.devices), None)
        program = Program(name, self.graph, self.inputs, structure, self.filename, device, self.literals)
        program.shape_generic, program.host_calls = self.general, self.host_calls
        return program


def _is_integer(item: Any) -> bool:
    return type(item) is int or isinstance(item, np.integer)


def _items(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def part_of_result(value: Any, position: Any) -> Any:
    """One of the several results of a step."""
    return value[position]
