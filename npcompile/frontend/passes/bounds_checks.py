"""Index arrays that are sure to be in range (drawn below a number, places that a search gave): none is
checked, so that a program may index by them after an effect."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator, RandomState
from torch import fx

from npcompile.frontend.catalog.python_operators import GETITEM, SETITEM
from npcompile.frontend.ops.table import TABLE, Op
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.draw_shapes import source_of
from npcompile.frontend.program.guards import ValueEquals
from npcompile.frontend.program.length_origins import origin
from npcompile.frontend.program.memory_versions import Contents
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length
from npcompile.lower.plan.attributes import annotate, attributes, source_place, step_of, value_of
from npcompile.lower.plan.values import Value


class Size(NamedTuple):
    """A whole number: a length or what a step gives, and how much more."""

    key: Any  # the same for those that are equal wherever the program is used; None: only `more`
    source: Any  # the step that gives it, or the array that has it as the length of an axis, and that axis
    more: int


class Bounds(NamedTuple):
    """The least, and what all are below."""

    low: Size
    end: Size


def _number(number: int) -> Size:
    return Size(None, None, int(number))


def _length(node: fx.Node, axis: int) -> Size:
    """Return the length of an axis."""
    first, axis = origin(node, axis)
    if isinstance(first.target, Op) and first.target.function in _MADE:
        shape = first.args[0] if isinstance(first.args[0], tuple | list) else (first.args[0],)
        if (first.target.function is not np.arange or len(first.args) == 1) and (size := _size(shape[axis])):
            return size
    given = step_of(first) in ("input", "read")  # where those are equal now, they are in each call
    key = ("given", value_of(first).shape[axis]) if given else (first, axis)
    return Size(key, (first, axis), 0)


_MADE: frozenset[Any] = frozenset([np.zeros, np.ones, np.empty, np.full, np.arange])


def _size(number: Any) -> Size | None:
    """Return the size that a step's argument is; None if it is not known."""
    if not isinstance(number, fx.Node):
        return _number(number) if _whole(number) else None
    if isinstance(number.target, Length):
        (array,) = number.args
        return _length(array, number.target.axis)  # type: ignore[arg-type]
    if attributes(number).recorded_size is None:
        return None
    if number.target in (operator.add, operator.sub) and type(number.args[1]) is int:
        more = number.args[1] if number.target is operator.add else -number.args[1]
        of = _size(number.args[0])
        return None if of is None else of._replace(more=of.more + more)
    return Size(number, number, 0)


def _whole(*numbers: Any) -> bool:
    return all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers)


def _below(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `integers(low, high)`, or `integers(high)`."""
    given = dict(zip(("low", "high", "size", "dtype", "endpoint"), args[1:], strict=False)) | kwargs
    low, high = given.get("low"), given.get("high")
    if high is None:
        low, high = 0, low
    first, end = _size(low), _size(high)
    if first is None or end is None or not isinstance(given.get("endpoint", False), bool):
        return None
    return Bounds(first, end._replace(more=end.more + bool(given.get("endpoint"))))


def _picked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `choice(n)` and `permutation(n)`."""
    end = _size(source_of(args[1:], kwargs))
    return None if end is None else Bounds(_number(0), end)


_DRAWN: dict[Any, Callable[..., Bounds | None]] = {
    Generator.integers: _below,
    RandomState.randint: _below,
    **dict.fromkeys(
        (Generator.choice, Generator.permutation, RandomState.choice, RandomState.permutation), _picked
    ),
}


def _counted(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.arange(n)`."""
    if len(args) != 1 or kwargs or (end := _size(args[0])) is None:
        return None
    return Bounds(_number(0), end)


def _place(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.argmin(a, axis)`."""
    return _along(args, kwargs, None, general)


def _order(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.argsort(a, axis)`."""
    return _along(args, kwargs, -1, general)


def _along(
    args: tuple[Any, ...], kwargs: dict[str, Any], default: int | None, general: bool
) -> Bounds | None:
    shape = value_of(args[0]).shape if isinstance(args[0], fx.Node) else None
    axis = args[1] if len(args) > 1 else kwargs.get("axis", default)
    if shape is None or not (axis is None or _whole(axis)):
        return None
    if not general:
        length = int(np.prod(shape)) if axis is None or not shape else shape[operator.index(axis)]
        return Bounds(_number(0), _number(length))
    if not shape or (axis is None and len(shape) != 1):
        return None
    return Bounds(_number(0), _length(args[0], operator.index(axis or 0) % len(shape)))


_FOUND: dict[Op | None, Callable[[tuple[Any, ...], dict[str, Any], bool], Bounds | None]] = {
    TABLE.of(np.arange): _counted,
    TABLE.of(np.argmin): _place,
    TABLE.of(np.argmax): _place,
    TABLE.of(np.argsort): _order,
}
_SHIFTED = frozenset(map(TABLE.of, [np.add, np.subtract, np.remainder])) - {None}
_ARRAY = np.ndarray
_SAME = frozenset(  # these give elements of what they are given
    map(
        TABLE.of,
        [GETITEM, np.ravel, np.reshape, np.transpose, np.copy, np.squeeze, np.flip]
        + [_ARRAY.ravel, _ARRAY.reshape, _ARRAY.flatten, _ARRAY.transpose, _ARRAY.T, _ARRAY.copy],
    )
) - {None}


def prove_bounds(program: Program) -> None:
    """Mark the indexing steps of a program whose index arrays are in range: at any lengths in a shape-generic
    program, at the recorded ones elsewhere."""
    graph, general = program.graph, program.shape_generic
    ops = [node for node in graph.nodes if isinstance(node.target, Op) and node.target.checked]
    unproven = {node for node in ops if _is_indexing(node.target) and not attributes(node).unchecked}
    if not unproven:
        return
    contents, checks = Contents(), _Checks(graph)
    known: dict[fx.Node, tuple[Bounds, Any]] = {}  # and what it held
    for node in graph.nodes:
        if node in unproven and _fits(node, known, contents, checks if general else None):
            attributes(node).unchecked = True
        contents.note(node)
        if node.op != "output" and (found := _bounds(node, known, contents, general)) is not None:
            known[node] = found, contents.now(node)


def _is_indexing(op: Any) -> bool:
    return op.function is GETITEM or op.function is SETITEM


def _bounds(
    node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents, general: bool
) -> Bounds | None:
    """Between which numbers all elements of an array lie that was just made."""
    if value_of(node).kind != "array":
        return None
    target = node.target
    if step_of(node) == "opaque" and isinstance(target, Call) and target.function in _DRAWN:
        return _DRAWN[target.function](node.args, node.kwargs)
    if not isinstance(target, Op):
        return None
    if target in _FOUND:
        return _FOUND[target](node.args, node.kwargs, general)
    if target in _SHIFTED:
        return _moved(node, known, contents, general)
    if target in _SAME and isinstance(node.args[0], fx.Node):
        return _now(node.args[0], known, contents)
    return None


def _moved(
    node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents, general: bool
) -> Bounds | None:
    """Of `places + 1`, `places - 1` and `places % n`."""
    array, by = node.args[:2]
    size = _size(by)
    if not isinstance(array, fx.Node) or value_of(array).kind != "array" or size is None:
        return None
    if value_of(node).dtype is not torch.int64 or value_of(array).dtype is not torch.int64 or node.kwargs:
        return None
    if node.target is TABLE.of(np.remainder):  # a length that is not known now is no less than 2
        long = size.more > 0 if size.key is None else isinstance(size.source, tuple) and size.more >= 0
        return Bounds(_number(0), size) if long else None
    found = _now(array, known, contents)
    if found is None or size.key is not None:
        return None
    more = size.more if node.target is TABLE.of(np.add) else -size.more
    low, end = found
    return Bounds(low._replace(more=low.more + more), end._replace(more=end.more + more))


def _now(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents) -> Bounds | None:
    bounds, held = known.get(node, (None, None))
    return bounds if bounds is not None and contents.now(node) == held else None


def _fits(
    node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents, checks: _Checks | None
) -> bool:
    """Tell if each index array of a step is in range along its axis.

    checks: at any lengths; conditions that they do not decide are checked before the first effect.
    """
    array, index = node.args[0], node.args[1]
    if not isinstance(array, fx.Node):
        return False
    shape, items = value_of(array).shape, index if isinstance(index, tuple) else (index,)
    if len(items) > len(shape):
        return False
    needed = []
    for axis, (length, item) in enumerate(zip(shape, items, strict=False)):
        if isinstance(item, slice) or _whole(item):
            if checks is not None and _whole(item):
                return False
            continue  # shapes decide it
        bounds = _now(item, known, contents) if isinstance(item, fx.Node) else None
        if bounds is None:
            return False
        low, end = bounds
        if checks is None:
            if low.key is not None or end.key is not None or not -length <= low.more <= end.more <= length:
                return False
            continue
        size = _length(array, axis)
        if not (low.key is None and low.more >= 0):
            needed.append((low, size, 1))
        if not (end.key == size.key and end.more <= size.more):
            needed.append((size, end, -1))
    return checks is None or checks.made(needed)


class _Checks:
    """Checks of numbers, made before anything is done that others could see: where one fails, the function is
    recorded anew."""

    def __init__(self, graph: fx.Graph) -> None:
        self.graph = graph
        self.first = next((node for node in graph.nodes if step_of(node) in ("opaque", "write")), None)
        self.before: set[fx.Node] = set()
        for node in graph.nodes:
            if node is self.first:
                break
            self.before.add(node)

    def made(self, sums: list[tuple[Size, Size, int]]) -> bool:
        """Check of each of these (a, b, sign) that `a + sign * b` is not negative. False, and none is
        made, where one cannot be known by then, or does not hold now."""
        if self.first is None and sums:
            return False
        terms = [(_value(a) + sign * _value(b), self._early(a), self._early(b), sign) for a, b, sign in sums]
        if any(now < 0 or one is None or other is None for now, one, other, _ in terms):
            return False
        for _, one, other, sign in terms:
            total = self._step(operator.add if sign > 0 else operator.sub, one, other)
            holds = self._step(operator.ge, total, 0)
            guard = self._add(ValueEquals(True), (holds,))
            annotate(guard, "guard", Value("object"), source_place(guard)).precedes_effects = True
        return True

    def _early(self, size: Size) -> Any:
        """The step of a number, before the first effect, or the number itself; None where there is none."""
        source = size.source
        if source is None:
            return size.more
        if isinstance(source, tuple):
            array, axis = source
            if array not in self.before or step_of(array) not in ("input", "read", "view"):
                return None
            source = self._add(Length(axis), (array,))
        elif source not in self.before:
            return None
        return self._step(operator.add, source, size.more) if size.more else source

    def _step(self, function: Any, *args: Any) -> Any:
        return self._add(function, args) if any(isinstance(arg, fx.Node) for arg in args) else function(*args)

    def _add(self, target: Any, args: tuple[Any, ...]) -> fx.Node:
        assert self.first is not None
        with self.graph.inserting_before(self.first):
            node = self.graph.create_node("call_function", target, args)
        annotate(node, "number", Value("int"), source_place(self.first))
        self.before.add(node)
        return node


def _value(size: Size) -> int:
    """Return the value of a number while it was recorded."""
    source, now = size.source, size.more
    if isinstance(source, tuple):
        now += value_of(source[0]).shape[source[1]]
    elif source is not None:
        now += attributes(source).recorded_size or 0
    return now
