"""Programs on arrays whose elements are Python objects, and the arguments of each of their calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

Arguments = Callable[[int], tuple[Any, ...]]


class Meter:
    """Counts how often it was added to, and compares and is true by its count."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __add__(self, other: Any) -> Any:
        self.count += 1
        return other + self.count

    def __eq__(self, other: Any) -> bool:
        self.count += 1
        return isinstance(other, Meter) and self.count == other.count

    def __bool__(self) -> bool:
        self.count += 1
        return self.count % 2 == 0

    __hash__ = None  # type: ignore[assignment]


def cube(call: int) -> tuple[Any, ...]:
    """Blocks of one element at first, of three from the third call on."""
    shape = (2, 2, 1 if call < 2 else 3)
    return (np.arange(float(np.prod(shape))).reshape(shape) + call,)


def table(call: int) -> tuple[Any, ...]:
    """Numbers, and objects of all kinds, among them an array twice."""
    x = np.arange(4.0) + call
    held = np.empty(6, object)
    held[:] = [None, "text", call + 0.5, [1, x], Fraction(call, 3), None]
    held[0] = held[5] = x * 2
    return x, held


def numbers(call: int) -> tuple[Any, ...]:
    return np.arange(4.0) + call, np.array([call, 2.5, 10**30, np.float32(call)], object)


def meters(call: int) -> tuple[Any, ...]:
    return np.arange(3.0) + call, np.array([Meter(call), Meter(1), Meter(2)], object)


def arrays(call: int) -> tuple[Any, ...]:
    """An array that the objects hold as well, as a view from the third call on."""
    x = np.arange(6.0) + call
    held = np.empty(3, object)
    held[0], held[1], held[2] = (x, x, x + 1) if call < 2 else (x[1:], x.copy(), x)
    return x, held


def blocks(data):
    out = np.empty(data.shape[:2], dtype=object)
    for i, j in itertools.product(range(data.shape[0]), range(data.shape[1])):
        out[i, j] = data[i, j, :]
    return out


def blocks_computed(data):
    out = np.empty(data.shape[:2], dtype=object)
    for i in range(data.shape[0]):
        for j in range(data.shape[1]):
            out[i, j] = np.sqrt(data[i, j] + 1) * 2
    return out


def one_block(data):
    out = np.empty(2, dtype=object)
    out[0] = data[0] * 2
    out[1] = data
    return out, data.sum()


def kept_in_one(data):
    out = np.empty((), dtype=object)
    out[()] = data[0]
    return out


def rows(data):
    out = np.empty(2, dtype=object)
    out[:] = [data[0], data[1]]
    return out


def filled(data):
    out = np.empty(3, dtype=object)
    out.fill(data[0])
    return out


def full(data):
    return np.full(2, None), np.full((2,), data.sum(), dtype=object), np.zeros(2, object), np.ones(2, "O")


def made(data):
    first = data[0] * 2
    return np.array([first, None], dtype=object), np.array([data.sum(), "a"], dtype=object), first


def made_anew(data):
    return data.astype(object), np.asarray(data[0], dtype=object), np.array(data.sum(), dtype=object)


def joined(data):
    one = np.array([None, data.mean()], dtype=object)
    return np.concatenate([one, one]), np.stack([one, one]), np.append(one, data[0, 0, 0])


def copied_into(data):
    out = np.empty(data.shape, dtype=object)
    np.copyto(out, data)
    np.copyto(out, 5.5, where=data > 1)
    return out


def masked(data):
    out = np.zeros(data.shape, dtype=object)
    out[data > 1] = None
    out[..., 0] = data[..., 0]
    out[np.array([0]), 0] = "row"
    return out


def put(data):
    out = np.zeros(4, dtype=object)
    np.put(out, [1, 2], data[0, 0, 0])
    np.place(out, out == 0, [None])
    np.putmask(out, [True, False, False, False], data.sum())
    return out


def read(x, held):
    return held[0], held[1], held[2] * x, held[3][0], held[5] is held[0]


def read_and_written(x, held):
    first = held[0]
    first += x
    x += 1
    return held[5].sum() + x, first


def gone_through(x, held):
    found = []
    for item in held:
        if isinstance(item, np.ndarray):
            x = x + item
        else:
            found.append(item)
    return x, found


def unpacked(x, held):
    first, *rest = held
    return first * x, rest, list(held), held.tolist(), held.item(2), tuple(held)


def compared(x, held):
    none = held == None  # noqa: E711
    return x * 2, none, np.equal(held[1:3], "text"), "text" in held[1:3].tolist(), np.count_nonzero(none)


def viewed(x, held):
    part = held[1:4]
    part[0] = x
    other = held.reshape(2, 3)
    other[1, 1] = "other"
    held.T[0] = x[0]
    return x + 1, held.copy(), held[::-1], held[[0, 2]], held.ravel()


def swapped(x, held):
    held[0], held[1] = held[1], held[0]
    held[2] = held
    held[2] = held[0]
    return np.exp(x)


def flat(x, held):
    held.flat[1] = x
    held.flat[2:4] = None
    return [type(item) for item in held.flat]


def shapes(x, held):
    return x * len(held) + held.shape[0] + held.size + held.ndim, held.dtype, held.dtype == object


def added(x, held):
    total = held + 1
    held += x
    return total, held * x, np.add(held, x), -held, abs(held), np.sum(held), held.sum()


def sorted_by_numpy(x, held):
    held.sort()
    return np.sort(held), np.argsort(held), held.min(), np.max(held), x[np.argmax(held)], np.unique(held)


def powers(x, held):
    return (
        x**held,
        held**2,
        np.dot(held, x),
        held @ x,
        np.cumsum(held),
        np.prod(held),
        np.where(x > 2, held, x),
    )


def back(x, held):
    y = held.astype(float)
    x[:] = held
    return y + x, np.array(held, dtype=np.float64), np.asarray(held.tolist(), float)


def into(x, held):
    np.add(x, x, out=held)
    np.multiply(held, 2, out=held, where=x > 2)
    return held, np.maximum(held, x)


def counted(x, held):
    y = x + 1
    total = held + y
    return y * 2, total


def counted_then_decided(x, held):
    total = held + x
    return x * 2 if x.sum() > 6 else total


def true(x, held):
    y = x * 2
    return y if held[0] else -y, bool(held[:1]), any(held), held[1:2] and 3


def equal(x, held):
    return held == held[::-1], x + 1, held[0] == held[1], np.array_equal(held, held)


def held_by_arguments(x, held):
    x += 1
    first = held[0].sum()
    held[1] *= 2
    return first, held[2] + x


def stored_in_both(x, held):
    y = x * 2
    held[1] = y
    y += 1
    held[2] = x
    x[0] = -1
    return held[1].sum()


def as_attributes(x, held):
    box = Box(held, x * 2)
    box.held[0] = box.x
    return box.held[0] is box.x, box.x


class Box:
    def __init__(self, held, x):
        self.held = held
        self.x = x


def in_a_dict(x, held):
    return {"held": held, "y": x * 2, "both": [held, x]}


def of_structures(x, held):
    records = np.zeros(2, dtype=[("a", "O"), ("b", "f8")])
    records["a"][0] = x
    records["b"] = x[:2]
    records[1] = (held, 3.0)
    return records["a"][0], records["b"] * 2, records[1]["b"], records["a"][1] is held


def by_a_function(x, held):
    pick = np.frompyfunc(lambda a, b: (a, b), 2, 1)
    return pick(x, 3), np.vectorize(lambda a: [a], otypes=[object])(x), x + 1


def helped(x, held):
    place(held, 1, x * 2)
    place(held, 2, None)
    return held[1] + 1


def place(held, at, value):
    held[at] = value


def ragged(x, held):
    parts = [x[: k + 1] for k in range(3)]
    out = np.empty(len(parts), dtype=object)
    for k, part in enumerate(parts):
        out[k] = part
    sizes = np.array([len(part) for part in out])
    return out, sizes, sum(part.sum() for part in out)


def lists(x, held):
    lists = np.empty(2, dtype=object)
    lists[:] = [[], []]
    lists[0].append(x.sum())
    lists[1] = lists[0]
    lists[1].append(x * 2)
    return lists


def frompy(x, held):
    texts = np.array(["a", "bc", None], dtype=object)
    texts[0] += "d"
    texts[1] = texts[1] * 2
    return texts, x + len(texts[0])


def memo(x, held):
    memory = np.full(4, None, dtype=object)
    for k in range(4):
        if memory[k] is None:
            memory[k] = x[k] * 2
    return memory, memory[0] is memory[0]


CUBES = [
    blocks,
    blocks_computed,
    one_block,
    kept_in_one,
    rows,
    filled,
    full,
    made,
    made_anew,
    joined,
    copied_into,
]
CUBES += [masked, put]
TABLES = [
    read,
    read_and_written,
    gone_through,
    unpacked,
    compared,
    viewed,
    swapped,
    flat,
    shapes,
    as_attributes,
]
TABLES += [in_a_dict, of_structures, by_a_function, helped, ragged, lists, frompy, memo]
NUMBERS = [added, sorted_by_numpy, powers, back, into, shapes, viewed, unpacked, flat]
ALL = [(function, cube) for function in CUBES] + [(function, table) for function in TABLES]
ALL += [(function, numbers) for function in NUMBERS]
ALL += [(function, meters) for function in (counted, counted_then_decided, true, equal)]
ALL += [(function, arrays) for function in (held_by_arguments, stored_in_both)]
