"""Native loops call users' functions that return one of two types, and know which it is at each statement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check


def find(parent: Any, x: Any) -> Any:
    """Return a root: the argument itself or an item."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def root(parent: Any, x: Any) -> Any:
    while parent[x] != x:
        x = parent[x]
    return x


def joined(edges: Any, n: Any) -> Any:
    parent = np.arange(n)
    merged = 0
    a = b = 0
    for k in range(len(edges)):
        a = find(parent, k % n)
        b = find(parent, edges[k])
        if a != b:
            parent[a] = b
            merged += 1
    return parent, merged, a, b


def rooted(parent: Any) -> Any:
    total = last = 0
    for k in range(len(parent)):
        total += root(parent, k) * 2 - root(parent, parent[k])
        last = root(parent, k)
    return total, last


def added(parent: Any, weights: Any) -> Any:
    value: Any = 0
    for k in range(len(parent)):
        value = find(parent, k)
        value += 1.5
        weights[k] = value * find(parent, k) + max(value, find(parent, k))
    return value


def first_above(a: Any, start: Any, least: Any) -> Any:
    for k in range(start, len(a)):
        if a[k] > least:
            return k
    return None


def climbs(a: Any) -> Any:
    count, at = 0, 0
    for k in range(len(a)):
        at = first_above(a, k, a[k])
        if at is None:
            continue
        count += at - k
    return count, at


def height(heights: Any, n: Any) -> Any:
    if n == 0:
        return 0
    return heights[n] + height(heights, n // 2)


def heights_of(heights: Any) -> Any:
    total: Any = 0
    for n in range(len(heights)):
        total = max(total, height(heights, n))
    return total


def put(a: Any, k: Any, value: Any) -> Any:
    """Store an item: the index may be none, and then Python ends the call."""
    a[k] = value
    if value > 3:
        return a[k]
    return k


def puts(a: Any, n: Any) -> Any:
    got: Any = None
    try:
        for k in range(n):
            got = put(a, k, k)
            a[k] += got
    except IndexError as error:
        return got, str(error), k
    return got


def sign(x: Any) -> Any:
    if x > 0.5:
        return 1
    if x > 0.25:
        return 0.5
    return x


def signs(a: Any) -> Any:
    total: Any = 0
    for x in a:
        total = total + sign(x)
    return total


def big(n: Any, x: Any) -> Any:
    return n * n if n % 2 else x


def squares(a: Any, n: Any) -> Any:
    total: Any = 0
    for k in range(len(a)):
        total = total + big(n + k, a[k])
    return total


TREE = np.array([0, 0, 1, 1, 2, 3, 3, 5, 8, 8])
PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = [
    (joined, (np.random.default_rng(1).integers(0, 40, 100), 40)),
    (joined, (np.zeros(0, int), 40)),
    (rooted, (TREE,)),
    (added, (TREE, np.zeros(10))),
    (added, (np.arange(10), np.zeros(10, np.float32))),
    (climbs, (np.random.default_rng(2).random(30),)),
    (climbs, (np.arange(5)[::-1],)),
    (heights_of, (np.random.default_rng(3).random(30),)),
    (heights_of, (np.arange(9, dtype=np.int8),)),
    (puts, (np.zeros(8), 8)),
    (puts, (np.zeros(8), 11)),
    (puts, (np.zeros(8, int), 11)),
    (squares, (np.arange(6.0), 3)),
    (squares, (np.arange(6.0), (1 << 32) - 2)),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda one: getattr(one, "__name__", ""))
def test_values_of_either_type(function: Any, args: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    check(function, *args)


def test_a_third_type_is_python_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    stats = check(signs, np.random.default_rng(4).random(100))
    assert stats.loop_leaves > 0


def test_union_find_stays_in_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    stats = check(joined, np.random.default_rng(1).integers(0, 40, 100), 40)
    assert stats.loop_leaves == 0
