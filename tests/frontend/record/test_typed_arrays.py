"""Arrays of Python's `array` module, and NumPy's arrays on the memory of such, as plain Python has them.

Each program is called four times, plain and jitted: answers, exceptions, and what is left in the arrays are
compared.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Box:
    def __init__(self, held: Any) -> None:
        self.held = held
        self.total = 0.0


def items(b: Any, x: Any) -> Any:
    return x * b[0] + b[-1] * 2, b[1] + 1


def length(b: Any, x: Any) -> Any:
    return x / len(b), len(b)


def decided(b: Any, x: Any) -> Any:
    return x + 1 if b[0] > 2 else x - len(b)


def stored(b: Any, x: Any) -> Any:
    b[0] = b[0] + 1
    y = x * 2
    b[1] = b[0] * 2
    return y + b[1]


def stored_result(b: Any, x: Any) -> Any:
    y = x * 2 + 1
    b[2] = int(y.sum())
    return y, b[2]


def appended(b: Any, x: Any) -> Any:
    y = np.sqrt(x) * 2
    b.append(len(b))
    return y * b[len(b) - 1], len(b)


def summed(b: Any, x: Any) -> Any:
    total = 0
    for number in b:
        total += number
    return x * total


def viewed(b: Any, x: Any) -> Any:
    v = np.asarray(b)
    b[0] = b[0] + 1
    return v * 2 + x[: len(v)]


def of_buffer(b: Any, x: Any) -> Any:
    return np.frombuffer(b, dtype=b.typecode, offset=b.itemsize) * 2, np.frombuffer(b, b.typecode)[0] + x


def written(b: Any, x: Any) -> Any:
    v = np.asarray(b)
    v += 1
    return x * 2 if x.sum() > 10 else v * 3


def written_twice(b: Any, x: Any) -> Any:
    v, w = np.asarray(b), np.asarray(b)
    v[0] = 5
    return w * 2 + b[0], v


def put(b: Any) -> Any:
    exec("b.append(1)", {"b": b})
    return b


def viewed_and_put(b: Any, x: Any) -> Any:
    y = np.asarray(b)[1:] * 2
    return y * 2, put(b), x + 1


def held_and_put(b: Any, x: Any) -> Any:
    v = np.asarray(b)
    y = v[1:] * 2
    del v
    c = put(b)
    return y * 2, c


def of_buffer_and_put(b: Any, x: Any) -> Any:
    y = np.frombuffer(b, b.typecode).sum() + x
    return y * 2, put(b)


def viewed_and_appended(b: Any, x: Any) -> Any:
    y = np.asarray(b) * 2
    b.append(3)
    return y + 1


def grown(b: Any, value: Any) -> Any:
    b.append(value)
    return b


def viewed_and_grown(b: Any, x: Any) -> Any:
    y = np.asarray(b) * 2
    c = grown(b, y[0])
    return y + b[1], len(c), c


def held_and_appended(b: Any, x: Any) -> Any:
    v = np.asarray(b)
    y = v * 2 + x[: len(v)]
    b.append(1)  # v is held: BufferError
    return y


def held_while_put(b: Any, x: Any) -> Any:
    v = np.asarray(b)
    c = put(b)
    return v * 2, c


def past_the_end(b: Any, x: Any) -> Any:
    return x * b[len(b)]


def too_large(b: Any, x: Any) -> Any:
    y = x * 2
    b[0] = 1 << 70
    return y


def of_an_object(b: Any, x: Any) -> Any:
    return x * b[0] + len(b)


PROGRAMS: list[Callable[..., Any]] = [
    *(items, length, decided, stored, stored_result, appended, summed, viewed, of_buffer, written),
    *(written_twice, viewed_and_put, held_and_put, of_buffer_and_put, viewed_and_appended),
    *(viewed_and_grown, held_and_appended, held_while_put, past_the_end, too_large, of_an_object),
]
TYPECODES = "dfiqB"


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    """Return what a call gives, or the exception that it raises."""
    try:
        return copy.deepcopy(fn(*args))
    except Exception as error:
        return type(error).__name__, str(error)


def check(fn: Callable[..., Any], calls: list[tuple[Any, Any]]) -> Any:
    """Call a function and the jitted one with each of these; compare answers, and arguments after it."""
    jitted = npcompile.jit(fn, wait=True)
    for place, (b, x) in enumerate(calls):
        mine, theirs = copy.deepcopy((b, x)), copy.deepcopy((b, x))
        want, got = outcome(fn, *theirs), outcome(jitted, *mine)
        same(got, want, where=f"call {place}")
        assert repr(mine[0]) == repr(theirs[0]), f"call {place}: what is left"
        same(mine[1], theirs[1], where=f"call {place}: the array")
    return jitted


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("backend", ["", "interpreter"])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_as_plain_python(fn: Any, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend:
        monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    check(fn, [(array("d", [1.0, 2.0, 3.0]), np.arange(4.0) + call) for call in range(4)])


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [items, decided, stored, appended, of_buffer, viewed, viewed_and_put])
def test_other_elements_and_lengths_at_each_call(fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    x = np.arange(9.0)
    calls = [(array(code, range(1, n)), x) for n in (4, 5, 4, 8) for code in TYPECODES]
    check(fn, [*calls, *((array("d", [3.0, k, 2.5]), x) for k in range(3)), (array("d"), x)])


@pytest.mark.parametrize(
    "fn", [items, length, stored, of_buffer, written_twice, viewed_and_put, viewed_and_grown, held_and_put]
)
def test_they_are_recorded_once_and_replayed(fn: Any) -> None:
    jitted = check(fn, [(array("d", [1.0, 2.0, 3.0]), np.arange(4.0) + call) for call in range(4)])
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 3), jitted.stats.reasons


@pytest.mark.parametrize("other", [bytearray, memoryview])
def test_other_buffers(other: Any) -> None:
    def f(b: Any, x: Any) -> Any:
        v = np.frombuffer(b, "u1")
        return v[:2] + x, v.sum()

    jitted = npcompile.jit(f, wait=True)
    for call in range(4):
        held = other(bytearray([1, 2, 3, 4 + call]))
        same(jitted(held, np.ones(2)), f(held, np.ones(2)))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_bytearray_is_resized_after_its_array_has_died() -> None:
    def grown(b: Any) -> Any:
        exec("b.append(7)", {"b": b})
        return Box(b)

    def f(b: Any, x: Any) -> Any:
        y = np.frombuffer(b, "u1")[:3] * 2 + x
        return y * 2, grown(b).held

    jitted = npcompile.jit(f, wait=True)
    mine, theirs = bytearray(b"abc"), bytearray(b"abc")
    for _ in range(4):
        same(jitted(mine, np.ones(3))[0], f(theirs, np.ones(3))[0])
        assert mine == theirs


def test_two_arrays_on_one_memory_or_on_two(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(b: Any, c: Any, x: Any) -> Any:
        v, w = np.asarray(b), np.asarray(c)
        v += x
        return w * 2

    jitted = npcompile.jit(f, wait=True)
    for shared in (False, False, True, True, False):
        outcomes = []
        for fn in (f, jitted):
            b = array("d", [1.0, 2.0, 3.0])
            c = b if shared else array("d", b)
            outcomes.append((fn(b, c, np.ones(3)), list(b), list(c)))
        same(outcomes[1], outcomes[0])
