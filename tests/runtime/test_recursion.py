"""Plain calls of a jitted function that calls itself are Python's throughout: as deep, with as few frames."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")


def flooded(grid: Any, i: int, j: int) -> int:
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 0:
        return 0
    grid[i, j] = 1
    return (
        1
        + flooded(grid, i + 1, j)
        + flooded(grid, i - 1, j)
        + flooded(grid, i, j + 1)
        + flooded(grid, i, j - 1)
    )


def product(n: int) -> int:
    return 1 if n == 0 else n * product(n - 1)


def depth(items: Any) -> int:
    return 1 + max([depth(item) for item in items], default=0) if isinstance(items, list) else 0


def walked(items: Any) -> Iterator[Any]:
    for item in items:
        if isinstance(item, list):
            yield from walked(item)
        else:
            yield item


def grid_of(size: int) -> Any:
    return lambda: (np.zeros((size, size), dtype=np.int64), 0, 0)


def nested(levels: int) -> list[Any]:
    return [1, nested(levels - 1)] if levels else []


@pytest.fixture
def jit(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what jits a function of this module where its own calls find it."""

    def jitted(fn: Any, **options: Any) -> Any:
        made = npcompile.jit(fn, **options)
        monkeypatch.setitem(fn.__globals__, fn.__name__, made)
        return made

    return jitted


@pytest.fixture(params=["as tests are", "contests", "native runtime"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "contests":
        monkeypatch.setattr("npcompile.partition.call.are_held", lambda: True)
    if request.param == "native runtime":
        request.getfixturevalue("native_runtime")


# Pytest's own frames are some 60 of the 1000 that Python allows.
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("fn", "arguments"),
    [
        (flooded, grid_of(15)),
        (flooded, grid_of(25)),
        (product, lambda: (600,)),
        (depth, lambda: (nested(250),)),
    ],
    ids=["flooded", "flooded deep", "product", "depth"],
)
def test_recursion_is_as_deep_as_pythons(jit: Any, fn: Any, arguments: Any) -> None:
    want = [fn(*given), given] if (given := arguments()) else None
    jitted = jit(fn)
    for call in range(8):
        given = arguments()
        same([jitted(*given), given], want)
        if call in (2, 5):
            jitted.wait()


def test_calls_within_plain_ones_are_not_the_jitted_functions(jit: Any) -> None:
    jitted = jit(flooded)
    for _ in range(4):
        jitted(*grid_of(12)())
    before = jitted.stats.calls
    for _ in range(8):
        jitted(*grid_of(12)())
    assert jitted.stats.calls - before < 8 * 64  # each of the 8 makes 576


def test_generators_walk_as_pythons_do(jit: Any) -> None:
    items = [1, [2, [3, 4], 5], [[6]]]
    jitted = jit(walked)
    for _ in range(4):
        assert list(jitted(items)) == [1, 2, 3, 4, 5, 6]


# Functions of which something else than a call is done by their own name, or whose name is another's.


def remembers(n: int) -> int:
    remembers.calls = getattr(remembers, "calls", 0) + 1
    return 0 if n == 0 else 1 + remembers(n - 1)


def itself(n: int) -> Any:
    return itself if n == 0 else itself(n - 1)


def mapped(items: Any) -> Any:
    return sum(map(mapped, items)) if isinstance(items, list) else items


def numbered(n: int, start: int = 5, *, step: int = 1) -> int:
    return start if n == 0 else numbered(n - 1) + step


def test_the_name_is_the_jitted_function(jit: Any) -> None:
    jitted = jit(remembers)
    for _ in range(4):
        assert jitted(10) == 10
    assert jitted.calls == 44 and not hasattr(jitted.__wrapped__, "calls")
    jitted = jit(itself)
    for _ in range(4):
        assert jitted(3) is jitted
    jitted = jit(mapped)
    for _ in range(4):
        assert jitted([1, [2, [3]], 4]) == 10


def test_a_name_bound_anew_is_called(jit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = jit(product)
    for _ in range(4):
        assert jitted(5) == 120
    monkeypatch.setitem(globals(), "product", lambda n: -1)
    for _ in range(4):
        assert jitted(5) == -5
    calls = []

    @functools.wraps(jitted.__wrapped__)
    def counted(n: int) -> int:
        calls.append(n)
        return jitted(n)

    monkeypatch.setitem(globals(), "product", counted)
    for _ in range(4):
        assert jitted(5) == 120
    assert calls == [4, 3, 2, 1, 0] * 4
    monkeypatch.setitem(globals(), "product", jitted)
    for _ in range(4):
        assert jitted(5) == 120


def test_defaults_set_anew_are_used(jit: Any) -> None:
    jitted = jit(numbered)
    for _ in range(4):
        assert jitted(3) == 8
    numbered_plain = jitted.__wrapped__
    numbered_plain.__defaults__ = (7,)
    numbered_plain.__kwdefaults__ = {"step": 2}
    try:
        for _ in range(4):
            assert jitted(3) == 13
    finally:
        numbered_plain.__defaults__, numbered_plain.__kwdefaults__ = (5,), {"step": 1}


def test_functions_within_functions_call_themselves() -> None:
    def outer(scale: int) -> Any:
        @npcompile.jit
        def inner(n: int) -> int:
            return 0 if n == 0 else scale + inner(n - 1)

        return inner

    two, three = outer(2), outer(3)
    for _ in range(6):
        assert two(500) == 1000 and three(500) == 1500


class Counter:
    def __init__(self) -> None:
        self.seen = 0

    @npcompile.jit
    def count(self, n: int) -> int:
        self.seen += 1
        return 0 if n == 0 else 1 + self.count(n - 1)


def test_methods_call_themselves() -> None:
    for _ in range(5):
        counter = Counter()
        assert counter.count(40) == 40 and counter.seen == 41


def failing(n: int) -> int:
    if n == 0:
        raise ValueError("the last one")
    return failing(n - 1)


def test_tracebacks_show_each_level(jit: Any) -> None:
    jitted = jit(failing)
    for _ in range(5):
        with pytest.raises(ValueError, match="the last one") as caught:
            jitted(6)
        frames = [entry.name for entry in caught.traceback]
        assert frames[1:] == ["failing"] * 7


def test_a_debugger_sees_the_users_own_variables(jit: Any) -> None:
    jitted, seen = jit(product), set()
    for _ in range(4):
        jitted(5)

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_name == "product":
            seen.update(frame.f_locals)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert jitted(5) == 120
    finally:
        sys.settrace(before)
    assert seen == {"n"}


def test_without_end_it_raises_pythons_error(jit: Any) -> None:
    jitted = jit(endless)
    for _ in range(4):
        with pytest.raises(RecursionError):
            jitted(1)


def endless(n: int) -> int:
    return endless(n + 1)


@npcompile.jit
def length(items: Any) -> int:
    return len(items)


def test_arguments_may_hold_themselves_or_be_nested_deeply() -> None:
    own: Any = [1]
    own.append(own)
    named: Any = {"a": 1}
    named["itself"] = named
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    for given, want in ((own, 2), (named, 2), (deep, 1), ([1, 2, 3], 3)):
        for _ in range(3):
            assert length(given) == want
