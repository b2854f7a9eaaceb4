"""Loops over few constants, written out: what the item decides is decided then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import PartsState
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import check


def neighbours(g: Any, out: Any) -> None:
    h, w = g.shape
    for i in range(h):
        for j in range(w):
            c = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        c += g[(i + di) % h, (j + dj) % w]
            out[i, j] = c


def cases(g: Any, out: Any) -> None:
    for i in range(g.shape[0]):
        for k in range(4):
            if k == 1:
                out[i, k] += g[i, 0]
                continue
            if k >= 3:
                break
            out[i, 4] -= k


def ended(g: Any, out: Any) -> None:
    for i in range(g.shape[0]):
        for k in range(4):
            if k > 2:
                break
        else:
            out[i, 0] += 1
        for k in range(3):
            if 5 == k:
                break
        else:
            out[i, 1] += k


@pytest.mark.parametrize(
    ("function", "loops", "name"), [(neighbours, 2, "dj"), (cases, 1, "k"), (ended, 1, "k")]
)
def test_tests_of_items_alone_are_decided(function: Callable[..., Any], loops: int, name: str) -> None:
    g = np.random.default_rng(0).integers(-5, 5, (6, 5))
    region = check(function, g, np.zeros((6, 5), int)).loop.region
    assert len({one.source for one in region.blocks if isinstance(one.end, ir.NextOfRange)}) == loops, region
    tests = [str(block.end.test) for block in region.blocks if isinstance(block.end, ir.Branch)]
    assert not [one for one in tests if f"({name}, " in one or f", {name})" in one or "(-1" in one], tests


def looked_at(g: Any, out: Any) -> None:
    for i in range(len(g)):
        for k in range(3):
            if g[i + k] > 0:
                pass
            out[i] += 1


def test_a_test_that_changes_nothing_may_raise() -> None:
    check_calls(looked_at, np.arange(9), np.zeros(9, int))
    check_calls(looked_at, np.arange(9), np.zeros(4, int))


def neighbours_of_tuples(g: Any, out: Any) -> None:
    h, w = g.shape
    for i in range(h):
        c = 0
        for j in range(w):
            c = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di != 0 or dj != 0:
                        c += g[(i + di) % h, (j + dj) % w]
            out[i, j] = c


def steps_of_tuples(g: Any, out: Any) -> None:
    h, w = g.shape
    for i in range(h):
        ways = ((0, 1), (1, 0), (0, -1), (-1, 0))
        for j in range(w):
            for di, dj in ways:
                if 0 <= i + di < h and 0 <= j + dj < w:
                    out[i, j] += g[i + di, j + dj]
            for k, (a, b) in ((1, (2, 3)), (4, (5, 6))):
                out[i, j] += k * a - b
            for factor in (0.5, -0.0):
                out[i, j] -= int(factor * 2)


@pytest.mark.parametrize(("function", "loops"), [(neighbours_of_tuples, 0), (steps_of_tuples, 0)])
def test_loops_over_constant_tuples_are_written_out(function: Callable[..., Any], loops: int) -> None:
    g = np.random.default_rng(0).integers(-5, 5, (6, 5))
    region = check(function, g, np.zeros((6, 5), int)).loop.region
    kinds = {block.source: getattr(block.end, "kind", None) for block in region.blocks}
    assert sum(isinstance(kind, PartsState) for kind in kinds.values()) == loops, region


def tuples_bound_twice(g: Any, out: Any) -> None:
    ways = ((0, 1), (1, 0))
    for i in range(len(g)):
        for a, b in ways:
            out[i] += a * 3 + b
        ways = ((1, 1), (2, 0)) if g[i] > 4 else ((0, 1), (1, 0))


def leaving(g: Any, out: Any) -> Any:
    done = []
    for i in range(len(g)):
        for k, by in ((2, 1), (5, -2), (0, 7)):
            done.append(k)
            out[g[i] + k] += by
    return done


def changed_items(g: Any, out: Any) -> None:
    for i in range(len(g)):
        for k in (1, 2, 3):
            k += g[i]
            out[i] += k
            for k in (4, 5):
                out[i] -= k


def test_loops_over_tuples_leave_and_go_on() -> None:
    for function in (tuples_bound_twice, leaving, changed_items):
        check_calls(function, np.arange(9), np.zeros(20, int))
    for size in range(3, 15):
        check_calls(leaving, np.arange(9), np.zeros(size, int))


def by_ways(g: Any, out: Any) -> None:
    h, w = g.shape
    head, tail = 0, 1
    out[0, 0] = 1
    while head < tail:
        y = head // w
        x = head % w
        head += 1
        for k in range(4):
            if k == 0:
                ny, nx = y - 1, x
            elif k == 1:
                ny, nx = y + 1, x
            elif k == 2:
                ny, nx = y, x - 1
            else:
                ny, nx = y, x + 1
            if 0 <= ny < h and 0 <= nx < w and g[ny, nx] > 0 and out[ny, nx] == 0:
                out[ny, nx] = out[y, x] + 1
                tail += 1


def with_queue(g: Any, out: Any) -> Any:
    h, w = g.shape
    queue = [(0, 0)]
    head = 0
    while head < len(queue):
        y, x = queue[head]
        head += 1
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            ny = y + dy
            nx = x + dx
            if 0 <= ny < h and 0 <= nx < w and g[ny, nx] > 0 and out[ny, nx] == 0:
                out[ny, nx] = out[y, x] + 1
                queue.append((ny, nx))
    return queue


def with_stack(g: Any, out: Any) -> Any:
    stack = [0]
    order = []
    while stack:
        at = stack.pop()
        order.append(at)
        for k in range(1, 4):
            if at + k < len(g) and out[at + k, 0] == 0:
                out[at + k, 0] = at + g[at + 9, k]  # out of bounds later on
                stack.append(at + k)
    return order


@pytest.mark.parametrize("function", [by_ways, with_queue, with_stack])
def test_searches_write_out_their_ways(function: Callable[..., Any]) -> None:
    g = np.random.default_rng(2).integers(-1, 4, (12, 11))
    region = check(function, g, np.zeros((12, 11), int)).loop.region if function is not with_stack else None
    if region is not None:
        iterators = ir.NextOfRange | ir.Next
        assert not any(isinstance(block.end, iterators) for block in region.blocks), region
    for side in range(1, 12):
        check_calls(function, g[:side], np.zeros((side, 11), int))


def many_ways(g: Any, out: Any) -> None:
    for i in range(g.shape[0]):
        for k in range(5):
            for n in range(1, 4):
                if (g[i, k] > n and g[i, k] < 5 * n and g[i, n] != 7) or g[i, k] == -n:
                    out[i, k] += n
                elif g[i, k] % 3 == 1 or g[i, n] % 3 == 2:
                    out[i, k] -= k
                else:
                    out[i, n] += 1


def test_loops_of_too_many_blocks_stay() -> None:
    g = np.random.default_rng(2).integers(-9, 9, (12, 11))
    region = check(many_ways, g, np.zeros((12, 11), int)).loop.region
    assert any(isinstance(block.end, ir.NextOfRange) and block.source > 0 for block in region.blocks), region
    assert len(region.blocks) < 240
