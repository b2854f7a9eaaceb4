"""Values: the live objects that a recording knows, the nodes they came from, and the frames that led to each
step."""

from __future__ import annotations

import array
import operator
import sys
from collections import deque
from collections.abc import Callable
from enum import Enum
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.paths import AROUND_HOOKS, PACKAGE
from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog.foreign_arrays import reason_of
from npcompile.frontend.catalog.purity import NEVER_RAISES
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.graph.builder_escapes import EscapeBuilder
from npcompile.frontend.graph.coercions import as_number
from npcompile.frontend.graph.data_sizes import size_by_data
from npcompile.frontend.graph.identity import Tracked
from npcompile.frontend.graph.memmaps import Mapped
from npcompile.frontend.graph.object_arrays import refuse_objects
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import computed
from npcompile.frontend.program.array_facts import ARRAYS, is_uneven, layout
from npcompile.frontend.program.dynamic_sizes import sized_by_data
from npcompile.frontend.program.guards import (
    Guard,
    IsObject,
    SameObject,
    SizeEquals,
    ValueEquals,
    ValuesEqual,
)
from npcompile.frontend.program.length_origins import keeps_length, origin
from npcompile.frontend.program.object_steps import Build, Store
from npcompile.frontend.program.reads import Length, Read
from npcompile.frontend.program.signature import NUMBERS, by_value
from npcompile.frontend.rewrite.call_sites import frames
from npcompile.lower.plan.attributes import (
    NOWHERE,
    SourcePlace,
    StepKind,
    annotate,
    attributes,
    has_attributes,
    step_of,
    value_of,
)
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.sizes import SMALLEST
from npcompile.lower.plan.values import NUMBER_KINDS, Value

# A function with more steps than this is a loop that was unrolled: it stays plain. Segments of any length are
# cut into such as compile in some seconds (`plan.MAX_OPS`).
MAX_STEPS = 2000


# Steps whose NumPy name says little as the name of a value.
_NAMES = {"getitem": "part", "setitem": "stored", "_part": "item"}


# The types that may hold traced values: elements of sets and keys of dicts are decided as those are made.
_HOLDERS: tuple[type, ...] = (list, tuple, deque, type({}.values()), type({}.items()))


# The function that gives the number of an array of no dimension, by the kind of its dtype.
_PLAIN: dict[str, Callable[[Any], Any]] = {"i": operator.index, "u": operator.index, "b": bool, "f": float}


_NUMPY = np.__file__.rpartition("/")[0] + "/"  # its functions are recorded, too; their lines are nobody's

# Objects whose memory moves when they are resized, which they refuse while an array shows it.
RESIZED_BUFFERS = (array.array, bytearray)


class ValueBuilder(EscapeBuilder):
    """The graph under construction, and the live objects that its nodes stand for."""

    def __post_init__(self) -> None:
        self.tracked = Tracked(self.confused, self.equated, self.united)
        self.files = Mapped()

    # -- values ------------------------------------------------------------------------------------------

    def value(self, obj: Any, outside: bool = False) -> Value:
        """Return the facts about a live object that planning needs."""
        kind = type(obj)
        if kind in ARRAYS:
            device = "cpu"
            if kind is ndarray:
                device = obj.device
                self.devices.add(device)
                if len(self.devices) > 1:
                    raise Unfollowed(Cause.SEVERAL_DEVICES(", ".join(sorted(self.devices))))
            if kind is not np.ndarray:
                self.mapped |= kind is np.memmap
                obj = layout(obj)
            dtype = computed(obj.dtype)
            if is_uneven(obj):
                dtype = None
            size = max(obj.itemsize, 1)
            strides = tuple([stride // size for stride in obj.strides])
            root, region = self.roots.of(obj, outside)
            if outside:
                self.outside_roots.add(root)
            # Where it lies in memory depends on lengths: what is the caller's is looked at again.
            known = None if self.general and root not in self.outside_roots else region
            held = obj.dtype.hasobject
            self.holds_objects |= held
            return Value("array", dtype, obj.shape, strides, root, known, device, held, kind is np.memmap)
        if (number := NUMBER_KINDS.get(kind)) is not None:
            return Value(number)
        if isinstance(obj, np.generic):
            held = obj.dtype.hasobject
            self.holds_objects |= held
            return Value("scalar", computed(obj.dtype), holds_objects=held)
        return Value("object")

    def know(self, obj: Any, node: fx.Node) -> None:
        """Follow a live object as the value of a node."""
        kind = type(obj)
        if kind in ARRAYS:
            attributes(node).wrapped = kind is ndarray
            if id(obj) not in self.tracked.known:
                self.tracked.array(obj, node, self._ended if _holds_buffer(obj) else None)
        elif kind in NUMBERS or isinstance(obj, np.generic):
            self.tracked.number(obj, node)
        elif kind in (bool, str, range, slice) or obj is None:
            self.decide(node, obj)
        elif by_value(obj) and kind is not bytes and not isinstance(obj, Enum):
            self.identify(node, obj)  # a class, a function of NumPy's: it decides what is done
        elif step_of(node) == "opaque" and kind.__weakrefoffset__:
            self.tracked.array(obj, node, self._ended)
        else:
            self.tracked.keep(obj, node)

    def _ended(self, node: fx.Node) -> None:
        """Note that an object died after the last call so far: at replay it is to die there, too."""
        # An object can die while a step is being added, which has no attributes yet.
        known = (one for one in reversed(self.graph.nodes) if one is node or has_attributes(one))
        calls = (one for one in known if one is node or step_of(one) == "opaque")
        attributes(node).last_call = next(calls)

    def constant(self, value: Any) -> None:
        """Follow a number that the signature and the guards decide."""
        if type(value) in NUMBERS or isinstance(value, np.generic):
            self.tracked.number(value, None)
        elif type(value) is tuple:
            self.literals.append(value)
            for item in self.through(value):
                self.constant(item)
        elif type(value) is slice:
            self.constant((value.start, value.stop, value.step))

    def know_literals(self, values: tuple[Any, ...]) -> None:
        """Follow what a function's code holds, or its defaults are: each is one object at each call."""
        for value in values:
            self.constant(value)
            if type(value) is str or type(value) is bytes:
                self.written[id(value)] = value

    def length(self, array: Any, axis: int) -> int:
        """The length of an array's axis, as a number to hand on."""
        size: int = array.shape[axis]
        node = self.tracked.node(array)
        by_data = self.by_data(array)
        if not (self.general or (by_data and axis == 0)) or node is None or size < SMALLEST:
            if not by_data or axis == 0:
                self.asked(array)
            if self.general and node is not None and not keeps_length(*origin(node, axis)):
                self._decide_length(*origin(node, axis), size)
            self.constant(size)
            return size
        node, axis = origin(node, axis)
        # Lengths of what is given and read that are equal now are equal wherever the program is used.
        key = size if step_of(node) in ("input", "read") else (node, axis)
        if key not in self.lengths:
            self.lengths[key] = self.add("number", Length(axis), (node,), {}, Value("int"))
            if self.general:
                self.sized(self.lengths[key], size)
        size = self.tracked.result(size)
        self.tracked.number(size, self.lengths[key])
        return size

    def _decide_length(self, node: fx.Node, axis: int, size: int) -> None:
        """Guard that an axis is as long as this: what is 0 or 1 is a constant, and may be more elsewhere."""
        if (node, axis) not in self.lengths:
            self.lengths[node, axis] = self.add("number", Length(axis), (node,), {}, Value("int"))
            self.guard(ValueEquals(size), self.lengths[node, axis])

    def by_data(self, array: Any) -> bool:
        """Tell if an array's first axis is as long as there are True places in a mask."""
        node = self.tracked.node(array)
        if node is None or array.ndim == 0 or array.shape[0] < SMALLEST:
            return False
        first, axis = origin(node, 0)
        return axis == 0 and first.target is np.ndarray.__getitem__ and sized_by_data(first)

    def sized(self, node: fx.Node, value: Any) -> fx.Node:
        """A number that depends on lengths alone may stand wherever an op takes one."""
        self.sizes.add(node)
        if type(value) is int:
            attributes(node).recorded_size = value
        return node

    def counted(self, node: fx.Node, value: Any) -> None:
        """A number that depends on whole numbers among the arguments: it may stand for a size."""
        self.counts.add(node)
        if type(value) is int:
            attributes(node).recorded_size = value

    def is_size(self, node: fx.Node) -> None:
        """Sizes depend on this number, so what it is made of is part of what a program is valid for."""
        known = attributes(node)
        if known.is_size:
            return
        known.is_size = True
        if step_of(node) == "read":
            assert known.recorded_size is not None
            with self.graph.inserting_after(node):
                guard = self.graph.create_node("call_function", SizeEquals(known.recorded_size), (node,))
            annotate(guard, "guard", Value("object"), known.place)
        for source in node.all_input_nodes:
            if source in self.counts:
                self.is_size(source)

    # -- guards: what is taken for decided, so that the program is valid only where it is decided alike --

    def decide(self, node: fx.Node, value: Any) -> None:
        """Guard that a node has this value, at this point of the program."""
        if node not in self.decided:
            self.decided.add(node)
            self.guard(ValueEquals(value), node)

    def confused(self, node: fx.Node, value: Any) -> None:
        """Guard that a node has this value, because another value is the same object."""
        if node not in self.decided:
            self.decide(node, value)
            attributes(next(iter(reversed(self.graph.nodes)))).is_collision = True

    def equated(self, one: fx.Node, other: fx.Node) -> bool:
        """Guard that two sizes, which are one object now, are equal: it does not matter which is meant. In a
        program for many lengths all whole numbers that are worked out may be sizes."""
        worked_out = all(step_of(node) == "number" and value_of(node).kind == "int" for node in (one, other))
        if not (self.general and worked_out) and not {one, other} <= self.sizes | self.counts:
            return False
        self.guard(ValuesEqual(), other, one)
        return True

    def united(self, one: fx.Node | None, other: fx.Node | None, value: Any) -> fx.Node:
        """Guard that two are one object, which they are now: either is the other. None: what is decided."""
        if one is not None and other is not None:
            self.guard(SameObject(), other, one)
            return one
        node = one if other is None else other
        assert node is not None
        self.identify(node, value)
        return node

    def guard(self, guard: Guard, *nodes: fx.Node) -> None:
        self.add("guard", guard, nodes, {}, Value("object"))

    def identify(self, node: fx.Node, obj: Any) -> None:
        """Guard that a node is this object."""
        if node not in self.decided:
            self.decided.add(node)
            self.guard(IsObject(obj), node)

    # -- nodes -------------------------------------------------------------------------------------------

    def add(
        self,
        step: StepKind,
        target: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        value: Value,
    ) -> fx.Node:
        """A new node, with the line of the user's that it came from."""
        if self.holds_objects:
            refuse_objects(step, target, (args, kwargs), value)
        if self.mapped:
            self.files.check(step, target, (args, kwargs), value)
        self.count += 1
        if self.count > MAX_STEPS:
            raise Unfollowed(Cause.TOO_MANY_STEPS(MAX_STEPS))
        if (self.tries or self.effects) and _may_raise(step, target, args):
            if self.tries and (self.effects or step == "opaque"):
                raise Unfollowed(Cause.MAY_RAISE_AFTER_EFFECT())
            if self.effects:
                self.settle()
        self.effects |= step == "opaque" or (step == "write" and value_of(args[0]).root in self.outside_roots)
        named = None if isinstance(target, Store) else getattr(target, "name", None)
        name = named or getattr(target, "__name__", step)
        name = str(name).rpartition(".")[2].strip("_")
        node = self.graph.create_node("call_function", target, args, kwargs, _NAMES.get(name, name))
        known = annotate(node, step, value, self.where())
        if step == "opaque":
            known.call_frames = self._inside()
        if step == "host":
            known.reason, self.refusal = self.refusal, None
        return node

    def _inside(self) -> tuple[tuple[CodeType, int, dict[str, Any]], ...]:
        """The frames of functions that the function called and that led here, the outermost first."""
        found: list[tuple[CodeType, int, dict[str, Any]]] = []
        for frame in frames():
            if frame.f_code is self.code:
                return tuple(reversed(found))
            found.append((frame.f_code, frame.f_lineno, frame.f_globals))
        return ()

    def where(self) -> SourcePlace:
        """The user's line being recorded, that of the nearest frame of the function's file; the line of the
        function itself that led there, None before it has begun; and, where a line of another file (that is
        not ours) is nearer, that one as "file:line"."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith((*AROUND_HOOKS, _NUMPY)):
            frame = frame.f_back
        if frame is None or frame.f_code.co_filename.startswith(PACKAGE):
            return NOWHERE
        nearest, file = frame.f_lineno, frame.f_code.co_filename
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        top = None if frame is None else frame.f_lineno
        if file == self.filename:
            return SourcePlace(nearest, top, "")
        return SourcePlace(top, top, f"{file}:{nearest}")

    def placeholder(self, name: str, leaf: Any) -> None:
        """An argument's leaf."""
        node = self.graph.create_node("placeholder", name, name=name)
        annotate(node, "input", self.value(leaf, outside=True))
        self.inputs.append(node)
        if (self.counting or name in self.steady) and type(leaf) is int and leaf >= SMALLEST:
            self.counted(node, leaf)
        known = self.tracked.get(leaf)
        if (
            known is not None
            and known.node is not None
            and type(leaf) not in NUMBERS
            and type(leaf) is not np.bool_
        ):
            self.guard(SameObject(), node, known.node)  # one object given twice
        else:
            self.know(leaf, node)

    # -- references to live objects ----------------------------------------------------------------------

    def ref(self, obj: Any, static: bool = False, sizes: bool = False) -> Any:
        """A live object as an argument of a node: its node, or itself if it is decided.

        static: traced numbers are decided by value (axes, shapes, indices, the ends of a range). sizes: of an
        op, for which members of enums are the numbers that they are; those that depend on lengths alone are
        not decided.
        """
        if obj is None:
            return None
        if sizes and static and self.general and (size := size_by_data(self, obj)) is not None:
            return size
        kind = type(obj)
        if kind in ARRAYS or kind in NUMBERS or isinstance(obj, np.generic):
            known = self.tracked.known.get(id(obj))
            if known is None:
                unknown = Cause.ARRAY_UNKNOWN() if kind in ARRAYS else Cause.NUMBER_UNKNOWN(repr(obj))
                raise Unfollowed(unknown)
            decided = static and not (
                sizes and known.node is not None and attributes(known.node).recorded_size is not None
            )
            if known.node is not None and decided and kind not in ARRAYS:
                self.decide(known.node, obj)
                return self.tracked.meant(obj)
            if known.node is not None and kind in ARRAYS and static and not sizes and obj.ndim == 0:
                return self._plain(known.node, obj)
            if static and known.node in self.counts and known.node is not None:
                self.is_size(known.node)
            return self.tracked.meant(obj) if known.node is None else known.node
        if kind in (list, dict):
            self.tight(obj)
        if kind is tuple or kind is list:
            return kind([self.ref(item, static, sizes) for item in self.through(obj)])
        if kind is dict:
            entries = self.through(obj).items()
            return {self.ref(key, True): self.ref(item, static, sizes) for key, item in entries}
        if kind is slice:
            return slice(*[self.ref(part, True, sizes) for part in (obj.start, obj.stop, obj.step)])
        if kind is str or kind is bytes:
            node = self.tracked.node(obj)
            if node is not None and static:
                self.decide(node, obj)
                return obj
            return obj if node is None else node
        if id(obj) in self.made:
            raise Unfollowed(Cause.INNER_FUNCTION())
        if kind is FunctionType:
            node = self.tracked.node(obj)
            if node is not None and static:
                self.identify(node, obj)
                return obj
            return obj if node is None else node
        if by_value(obj) and not isinstance(obj, Enum):
            return obj
        if isinstance(obj, np.ndarray):
            raise Unfollowed(reason_of(kind))
        known = self.tracked.get(obj)
        if known is not None:
            if known.node is not None and static:
                self.identify(known.node, obj)
                return obj
            return as_number(obj) if sizes and known.node is None else known.node or obj
        if isinstance(obj, Enum):
            return as_number(obj) if sizes else obj
        if id(obj) in self.objects:
            return self.leave(obj)
        if id(obj) in self.kept:
            return self.given_away(obj)
        raise Unfollowed(Cause.OBJECT_UNKNOWN(kind.__name__))

    def _plain(self, node: fx.Node, array: np.ndarray[Any, Any]) -> Any:
        """An array of no dimension where Python takes its number (`names[np.array(1)]`), which decides."""
        plain = _PLAIN.get(array.dtype.kind)
        if plain is None:
            raise Unfollowed(Cause.ARRAY_AS_NUMBER(str(array.dtype)))
        number = plain(array)
        self.decide(self.add("number", plain, (node,), {}, Value(NUMBER_KINDS[type(number)])), number)
        return number

    def inside(self, node: fx.Node, how: type[Read], name: Any) -> fx.Node:
        """A part of an object that is only read to get at its own parts: noted once."""
        known = attributes(node)
        if known.parts_read is None:
            known.parts_read = {}
        if (how, name) not in known.parts_read:
            found = self.add("read", how(name), (node,), {}, Value("object"))
            known.parts_read[how, name] = found
        return known.parts_read[how, name]

    def traced(self, *objs: Any) -> bool:
        """Tell if any of these came from a step (rather than being decided), or is an object that was made
        inside.

        The attributes of the latter may have come from a step, and how it compares is the user's code.
        """
        for obj in objs:
            kind = type(obj)
            if self.tracked.node(obj) is not None or id(obj) in self.objects:
                return True
            if kind in _HOLDERS and self.traced(*obj):
                return True
            if kind is slice and self.traced(obj.start, obj.stop, obj.step):
                return True
            if isinstance(obj, dict) and self.traced(*obj.values()):
                return True
            if isinstance(obj, BaseException) and self.traced(*obj.args):
                return True
        return False

    def known(self, *objs: Any) -> None:
        """Where these came from is known: a number that was drawn unseen is no constant. (Whole numbers may
        be defaults of NumPy's own functions.)"""
        for obj in objs:
            if type(obj) is tuple or type(obj) is list:
                self.known(*obj)
            elif isinstance(obj, float | complex | np.generic) and self.tracked.get(obj) is None:
                raise Unfollowed(Cause.NUMBER_UNKNOWN(repr(obj)))

    def asked(self, *objs: Any) -> None:
        """The type, the shape or the length of these decides: it stays checked."""
        for obj in objs:
            if (node := self.tracked.node(obj)) is not None:
                attributes(node).inspected = True


def _may_raise(step: StepKind, target: Any, args: tuple[Any, ...]) -> bool:
    """Tell if a step may end a replay with an exception."""
    if step == "number":
        return target not in NEVER_RAISES and target is not len
    if step == "view":
        return bool(nodes_in(args[1:]))
    if step == "library":
        return target.checked
    if step == "host":
        return not isinstance(target, Build)
    return step == "opaque" and not isinstance(target, Store) and target.function is not print


def _holds_buffer(array: np.ndarray) -> bool:
    """Tell if an array shows the memory of an object that cannot be resized as long as the array lives."""
    base: Any = array
    while type(base) is np.ndarray:
        base = base.base
    if type(base) is memoryview:
        base = base.obj
    return type(base) in RESIZED_BUFFERS
