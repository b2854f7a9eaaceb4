"""What a function holds, and until when: Python lets go of an object, and ends a generator, at a time that
can be seen. The same with blocks cut out of the function."""

from __future__ import annotations

import os
import tempfile
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


LOG: list[Any] = []


def delegated(items: list[np.ndarray]) -> Iterator[np.ndarray]:
    def inner() -> Iterator[np.ndarray]:
        try:
            yield from items
        finally:
            LOG.append("closed")

    yield from inner()


def left_by_break(a: np.ndarray) -> np.ndarray:
    it = delegated([a, a * 2, a * 3])
    for v in it:
        if v.sum() > 3:
            break
        LOG.append(next(it, None) is None)
    LOG.append("after")
    b = a + 1
    LOG.append("end")
    return b


def simple(a: np.ndarray) -> Iterator[np.ndarray]:
    try:
        yield a
        yield a
    finally:
        LOG.append("closed")


def let_go_beside_a_number(a: np.ndarray, k: int = 1) -> np.ndarray:
    for i in range(3):
        k = k + i
        it = simple(a)
        next(it)
        LOG.append(i)
    return a * k


def let_go_by_another_value(a: np.ndarray) -> np.ndarray:
    it: Any = delegated([a, a * 2, a * 3])
    for v in it:
        if v.sum() > 3:
            break
    LOG.append("after")
    it = None
    LOG.append("end")
    return a + 1


def held_by_the_loop_alone(a: np.ndarray) -> np.ndarray:
    for v in delegated([a, a * 2, a * 3]):
        if v.sum() > 3:
            break
    LOG.append("after")
    b = a + v
    LOG.append("end")
    return b


def one_at_each_trip(a: np.ndarray) -> np.ndarray:
    for trip in range(3):
        it = delegated([a, a * 2, a * 3])
        x = next(it)
        LOG.append(trip)
        a = a + x
    LOG.append("end")
    return a


def left_at_each_trip(a: np.ndarray) -> np.ndarray:
    x = a + 1
    for _ in range(3):
        it = delegated([a, a * 2, a * 3])
        for _v in it:
            if x[0] > 1:
                break
        LOG.append(next(it, None) is None)
    return x


def in_no_name(a: np.ndarray) -> np.ndarray:
    x = next(delegated([a, a * 2]))
    LOG.append("after")
    return x


def until_it_raises(a: np.ndarray) -> np.ndarray:
    it = delegated([a, a * 2, a * 3])
    x = next(it)
    LOG.append("drawn")
    if x.sum() > 2:
        raise ValueError("large")
    LOG.append("small")
    return x * 2


def in_a_function_inside(a: np.ndarray) -> np.ndarray:
    def first(v: np.ndarray) -> np.ndarray:
        it = delegated([v, v * 2])
        y = next(it)
        LOG.append("inside")
        return y + 1

    z = first(a)
    LOG.append("between")
    w = first(z)
    LOG.append("end")
    return w


def over_an_exception(a: np.ndarray) -> np.ndarray:
    try:
        it = delegated([a, a * 2, a * 3])
        x = next(it)
        raise KeyError("k")
    except KeyError:
        LOG.append("caught")
    LOG.append("end")
    return x * 2


def closed_by_hand(a: np.ndarray) -> np.ndarray:
    it: Any = delegated([a, a * 2, a * 3])
    x = next(it)
    it.close()
    LOG.append("end")
    return x * 2


def deleted(a: np.ndarray) -> np.ndarray:
    it = delegated([a, a * 2, a * 3])
    x = next(it)
    del it
    LOG.append("end")
    return x * 2


def outcome(fn: Callable[..., Any], a: np.ndarray) -> tuple[str, list[Any]]:
    LOG.clear()
    try:
        result = str(fn(a))
    except ValueError as error:
        result = repr(error)
    return result, list(LOG)


HALF_DRAWN = [
    left_by_break,
    let_go_beside_a_number,
    let_go_by_another_value,
    held_by_the_loop_alone,
    one_at_each_trip,
    left_at_each_trip,
    in_no_name,
    until_it_raises,
    in_a_function_inside,
    over_an_exception,
    closed_by_hand,
    deleted,
]


@pytest.mark.parametrize("fn", HALF_DRAWN, ids=lambda fn: fn.__name__)
def test_a_generator_half_drawn_ends_when_pythons_does(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for call in range(6):
        a = np.full(4, call % 2 + 0.5)
        assert outcome(jitted, a) == outcome(fn, a), call
    assert jitted.stats.programs


class Guard:
    """As a lock, or a temporary directory: it stays as long as something refers to it."""

    def __init__(self, name="guard") -> None:
        self.name = name
        LOG.append(f"{name} made")

    def __del__(self) -> None:
        LOG.append(f"{self.name} gone")


def held_by_an_unread_name(a):
    guard = Guard()  # noqa: F841
    y = a * 2 + len(LOG)
    return y * 2, len(LOG)


def held_while_python_calls(a):
    guard = Guard()  # noqa: F841
    y = a * 2
    LOG.append("between")
    z = np.sin(y) + len(LOG)
    LOG.append("end")
    return z


def let_go_by_none(a):
    guard = Guard("first")
    LOG.append("made")
    y = a * 2
    guard = None  # noqa: F841
    LOG.append("after")
    z = y + len(LOG)
    _takes(Guard("second"))
    LOG.append("end")
    return z


def _takes(guard):
    LOG.append("in")


def an_array_let_go_by_none(a):
    y = a * 2
    gone = weakref.ref(y, lambda _: LOG.append("gone"))
    z = y + 1
    y = None
    return z + len(LOG), gone() is None


def a_directory(a):
    kept = tempfile.TemporaryDirectory()
    name = kept.name
    y = a * 2
    z = y + 1
    return z * 2, os.path.isdir(name)


KEPT = [
    held_by_an_unread_name,
    held_while_python_calls,
    let_go_by_none,
    an_array_let_go_by_none,
    a_directory,
]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fn", KEPT, ids=lambda fn: fn.__name__)
def test_what_a_name_keeps_is_there_as_long_as_pythons(
    fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for call in range(6):
        a = np.full(4, call % 2 + 0.5)
        assert outcome(jitted, a) == outcome(fn, a), call


def test_values_of_a_statement_are_let_go_after_it() -> None:
    seen: list[Any] = []

    def show(x: np.ndarray) -> int:
        seen.append(weakref.ref(x))
        return len(seen)

    def shown(a: np.ndarray) -> Any:
        n = 0
        while n < 2:
            n = show(a * 2 + n)
        m = show(a * 3 + n)
        return [ref() is None for ref in seen], a + m

    jitted = npcompile.jit(shown, wait=True)
    for _ in range(5):
        seen.clear()
        gone, result = jitted(np.ones(3))
        assert gone == [True, True, True]
        assert result.tolist() == [4.0, 4.0, 4.0]


def test_a_block_in_a_block_is_one_line_of_a_traceback() -> None:
    def kept(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        t = [a]
        for r in [a, b]:
            x = r * 2
            while x.max() > 1:
                x = x * 0.5
                t[0] = ([v for v in (a, x) if np.any(t[0] > 2.5)][-1] + np.random.randint(0, 3)) % 4
                if b.min() < 1 or len(t) > 3:
                    continue
        return b

    jitted = npcompile.jit(kept, wait=True)
    for _ in range(3):
        with pytest.raises(IndexError) as caught:
            jitted(np.ones(3), np.ones(3))
        frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.name == "kept"]
        assert len(frames) == 1
