"""Sizes as parameters: what segments have in common that differ in sizes alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from npcompile.lower.plan.graph import Sized, pack

# Lengths 0 and 1 are never parameters: broadcasting and layouts depend on them.
SMALLEST = 2
# Code made for small sizes is not used for large ones, and the other way round: from SHARED_FROM elements in
# and out threads share work, and results from STREAMED_FROM bytes are stored past the caches (X + 1 on 72 MB:
# 2.8 ms against 3.6; below half of this it lost, with 32 MB of last-level cache).
SHARED_FROM = 1 << 17
STREAMED_FROM = 32 << 20
LENGTH, STRIDE, FREE, ARGUMENT, RESULT = "length", "stride", "free", "argument", "result"

Visit = Callable[[int, str], Any]


def visited(rows: list[tuple[Any, ...]], visit: Visit) -> list[tuple[Any, ...]]:
    """A segment's rows with each of its numbers n replaced by `visit(n, kind)`.

    kind: LENGTH of an input's axis, STRIDE of one that follows from lengths, FREE: of one that does not,
    ARGUMENT of an op (where it does not stand for an operand), RESULT: of an output. Always in the same
    order.
    """
    changed: list[tuple[Any, ...]] = []
    for row in rows:
        if row[0] == "in":
            shape, strides = row[1][2:4]
            kinds = [STRIDE if follows else FREE for follows in following(shape, strides)]
            changed.append(("in", _value(row[1], visit, LENGTH, kinds)))
        elif row[0] == "out":
            values = tuple(_value(value, visit, RESULT, [RESULT] * len(value[3])) for value in row[2])
            changed.append(("out", row[1], values))
        else:
            operands = getattr(row[1], "operands", ())
            args = tuple([a if p in operands else _argument(a, visit) for p, a in enumerate(row[2])])
            kwargs = {k: a if k in operands else _argument(a, visit) for k, a in row[3].items()}
            changed.append(("call", row[1], args, kwargs))
    return changed


def _value(value: tuple[Any, ...], visit: Visit, length: str, kinds: list[str]) -> tuple[Any, ...]:
    kind, dtype, shape, strides, *rest = value
    lengths = tuple([visit(n, length) for n in shape])
    return kind, dtype, lengths, tuple(map(visit, strides, kinds)), *rest


def following(shape: Sequence[int], strides: Sequence[int]) -> list[bool]:
    """Which strides (in elements) follow from the lengths of the axes that lie further in; the others may be
    anything, as that of a column."""
    found = [True] * len(strides)
    regular = 1
    for axis in sorted(range(len(strides)), key=lambda axis: (strides[axis], shape[axis])):
        found[axis] = strides[axis] == regular
        regular = strides[axis] * shape[axis]
    return found


def _argument(arg: Any, visit: Visit) -> Any:
    kind = type(arg)
    if kind is int or kind is Sized:
        return visit(arg, ARGUMENT)
    if kind is tuple or kind is list:
        return kind([_argument(a, visit) for a in arg])
    if kind is dict:
        return {k: _argument(a, visit) for k, a in arg.items()}
    if kind is slice:
        return slice(*[_argument(a, visit) for a in (arg.start, arg.stop, arg.step)])
    return arg


class Form(NamedTuple):
    """A segment taken apart. `skeleton`: all of it but its sizes; equal for segments that may share code."""

    skeleton: bytes
    sizes: tuple[int, ...]  # without their signs, which the skeleton has
    scale: int  # code for small work is not used for large


def form(rows: list[tuple[Any, ...]]) -> Form:
    """The form of a segment's rows (`graph.rows_of`)."""
    sizes: list[int] = []

    def hole(number: int, kind: str) -> Any:
        if not _may_vary(number, kind):
            return number
        if kind in (LENGTH, FREE, ARGUMENT):
            sizes.append(abs(number))
        if number < 0:
            return "a size from the end"
        return "a stride" if kind == FREE else "a size"

    skeleton = pack(visited(rows, hole))
    return Form(skeleton, tuple(sizes), _scale(rows))


def _may_vary(number: int, kind: str) -> bool:
    """Tell if a number may be a parameter. An argument below zero (`x[:-k]`) is the parameter k."""
    return number >= SMALLEST or (kind == ARGUMENT and number <= -SMALLEST)


def _scale(rows: list[tuple[Any, ...]]) -> int:
    """Return the scale of the work: 0, 1 (shared among threads) or 2 (stored past the caches)."""
    inputs = [row[1] for row in rows if row[0] == "in"]
    outputs = [value for row in rows if row[0] == "out" for value in row[2]]
    if any(dtype and math.prod(shape) * dtype.itemsize >= STREAMED_FROM for _, dtype, shape, *_ in outputs):
        return 2
    return int(sum([math.prod(value[2]) for value in (*inputs, *outputs)]) >= SHARED_FROM)


class Pattern(NamedTuple):
    """Which sizes of a form are parameters.

    parameters: for each size the parameter that it is, or None; constants: for each size its value, or None.
    """

    parameters: tuple[int | None, ...]
    constants: tuple[int | None, ...]

    def values(self, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
        """The parameters' values where a segment has these sizes; None: it does not follow the pattern."""
        if len(sizes) != len(self.parameters):
            return None
        found: dict[int, int] = {}
        for size, parameter, constant in zip(sizes, self.parameters, self.constants, strict=True):
            if (constant if parameter is None else found.setdefault(parameter, size)) != size:
                return None
        return tuple(found[p] for p in range(len(found)))


def pattern(seen: list[tuple[int, ...]]) -> Pattern | None:
    """The pattern of the sizes of segments of one skeleton: one that differs among them is a parameter, sizes
    that have always been the same are one. None where none differs."""
    histories = list(zip(*seen, strict=True))
    differ = [len(set(history)) > 1 for history in histories]
    if not any(differ):
        return None
    numbers: dict[tuple[int, ...], int] = {}
    parameters = tuple(
        numbers.setdefault(history, len(numbers)) if d else None
        for history, d in zip(histories, differ, strict=True)
    )
    return Pattern(parameters, tuple(None if d else h[0] for h, d in zip(histories, differ, strict=True)))


def symbolic(
    rows: list[tuple[Any, ...]], parameters: tuple[int | None, ...], symbols: list[Any]
) -> list[tuple[Any, ...]]:
    """The rows with `symbols[p]` for each size that is parameter p."""
    place = iter(parameters)

    def put(number: int, kind: str) -> Any:
        if kind not in (LENGTH, FREE, ARGUMENT) or not _may_vary(number, kind):
            return number
        parameter = next(place)
        if parameter is None:
            return number
        return symbols[parameter] if number > 0 else -symbols[parameter]

    return visited(rows, put)


def steps_of(rows: list[tuple[Any, ...]]) -> list[Any]:
    """The steps of the program that give numbers among the arguments of these rows."""
    found: dict[Any, None] = {}

    def note(number: int, kind: str) -> int:
        if isinstance(number, Sized):
            found[number.node] = None
        return number

    visited(rows, note)
    return list(found)


def resized(
    rows: list[tuple[Any, ...]],
    layouts: list[tuple[tuple[int, ...], tuple[int, ...]]],
    numbers: dict[Any, int],
) -> list[tuple[Any, ...]]:
    """The rows with inputs of these shapes and strides, and these numbers given by the program's steps.

    Outputs stay as they are.
    """

    def put(number: int, kind: str) -> int:
        return numbers[number.node] if isinstance(number, Sized) else number

    given = iter(layouts)
    changed = []
    for row in visited(rows, put):
        if row[0] == "in":
            kind, dtype, _, _, *rest = row[1]
            changed.append(("in", (kind, dtype, *next(given), *rest)))
        else:
            changed.append(row)
    return changed
