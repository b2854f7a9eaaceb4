"""Loops over batches, of which the last is shorter: at most three programs a block, whatever the lengths."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


def gradient(w, x, y):
    return x.T @ (x @ w - y) / len(x)


def in_order(x, y, w):
    w = w.copy()
    for i in range(0, len(x), 8):
        a, b = x[i : i + 8], y[i : i + 8]
        w -= 0.1 * (a.T @ (a @ w - b)) / len(a)
    return w


def by_index(x, y, w, order):
    w = w.copy()
    n = len(x)
    for i in range(0, n, 8):
        j = order[i : i + 8]
        a = x[j]
        w -= 0.1 * (a.T @ (a @ w - y[j])) / len(j)
    return w


def epochs(x, y, w):
    w = w.copy()
    for _ in range(3):
        for i in range(0, len(x), 8):
            a, b = x[i : i + 8], y[i : i + 8]
            w -= 0.1 * (a.T @ (1 / (1 + np.exp(-(a @ w))) - b)) / len(b)
    return w


def helper(x, y, w):
    w = w.copy()
    for i in range(0, len(x), 8):
        w -= 0.1 * gradient(w, x[i : i + 8], y[i : i + 8])
    return w


def to_the_end(x, y, w):
    w = w.copy()
    n = len(x)
    for i in range(0, n, 8):
        j = min(i + 8, n)
        w -= 0.1 * (x[i:j].T @ (x[i:j] @ w - y[i:j])) / (j - i)
    return w


def whole_ones(x, y, w):
    w = w.copy()
    for b in range(len(x) // 8):
        a, c = x[b * 8 : (b + 1) * 8], y[b * 8 : (b + 1) * 8]
        w -= 0.1 * (a.T @ (a @ w - c)) / 8
    return w


def with_losses(x, y, w):
    w = w.copy()
    total = 0.0
    for i in range(0, len(x), 8):
        a = x[i : i + 8]
        r = a @ w - y[i : i + 8]
        total += (r**2).sum()
        w -= 0.1 * (a.T @ r) / len(r)
    return w, total / len(x)


def in_place(x, y, w):
    x = x.copy()
    for i in range(0, len(x), 8):
        x[i : i + 8] -= x[i : i + 8].mean(axis=0) * y[i : i + 8, None]
        x[i : i + 8, 0] += 1.0
    return x


def step(x, y, i):
    a = x[i : i + 8]
    return (a * y[i : i + 8, None]).sum(axis=0), len(a)


def added_up(x):
    total = np.zeros((8, 3))
    for i in range(0, len(x), 8):
        a = x[i : i + 8]
        total[: len(a)] += a
    return total


def arguments(fn: Callable[..., Any], n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    given = {"x": rng.standard_normal((n, 3)), "y": rng.standard_normal(n), "w": rng.standard_normal(3)}
    given |= {"order": rng.permutation(n), "i": int(rng.integers(0, n + 1))}
    return tuple(given[name] for name in inspect.signature(fn).parameters)


# With the programs that their blocks may have in all: three each, and where the first trip's numbers are of
# another type, three more. A last batch of one element has two of its own.
COUNTS = [
    (in_order, 4),
    (by_index, 6),
    (epochs, 4),
    (helper, 4),
    (to_the_end, 6),
    (whole_ones, 5),
    (with_losses, 10),
    (in_place, 4),
]
FUNCTIONS: dict[Callable[..., Any], int] = dict(COUNTS)


def run(jitted: Any, fn: Callable[..., Any], lengths: Any) -> None:
    for n in lengths:
        for _ in range(2):
            mine, theirs = arguments(fn, n), arguments(fn, n)
            same(jitted(*mine), fn(*theirs), ulp=1e5, where=f"{fn.__name__} at n = {n}")
            same(mine, theirs, where=f"the arguments of {fn.__name__} at n = {n}")


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_fifty_lengths_have_three_programs_a_block(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    lengths = [int(n) for n in np.random.default_rng(1).integers(20, 150, 50)]
    run(jitted, fn, lengths)
    assert jitted.stats.programs <= FUNCTIONS[fn] + 2 and jitted.stats.plain_calls == 0, jitted.stats
    replays = jitted.stats.replays
    run(jitted, fn, lengths)
    assert jitted.stats.programs <= FUNCTIONS[fn] + 2 and jitted.stats.replays == replays + 100, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [*FUNCTIONS, step, added_up], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("order", ["up", "down", "any"])
def test_they_are_right_at_each_length(fn, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    lengths = [*range(1, 36), 70, 71, 72, 73]
    if order == "any":
        random.Random(7).shuffle(lengths)
    run(npcompile.jit(fn, wait=True), fn, lengths[::-1] if order == "down" else lengths)


def test_what_stays_the_same_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two recordings that met the same slice say nothing of others."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def part(x, at):
        i = int(at[0])
        return x[i : i + 4] * 2, len(x[i : i + 4])

    jitted = npcompile.jit(part, wait=True)
    for n, i in [
        (20, 3),
        (30, 3),
        (40, 3),
        (50, 3),
        (60, 3),
        (60, 5),
        (60, 58),
        (61, 61),
        (70, 3),
        (71, 70),
        (5, 3),
    ]:
        x, at = np.arange(float(n)), np.array([i])
        same(jitted(x, at), part(x, at), where=f"{n}, {i}")


def few(x):
    a = x[3:11]
    return a.sum(), len(a)


def the_rest(x):
    a = (x * 2)[5:]
    return a * len(a), a.shape


def each_thirtieth(x):
    a = x[::30]
    return a.sum() / len(a), (x[:, None] * a).size


def twentieth(x):
    n = len(x) // 20
    a = x[:n]
    return a.sum(), a.size, n, x[None, :n].shape


@pytest.mark.parametrize("fn", [few, the_rest, each_thirtieth, twentieth], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("order", [range(1, 64), range(63, 0, -1), [1, 2, 3, 4, 5, 20, 30, 40, 2, 3, 60]])
def test_parts_of_no_or_one_element_are_longer_elsewhere(fn, order, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for n in [*order, *order]:
        x = np.random.default_rng(n).integers(-8, 8, n) / 4
        same(jitted(x), fn(x), where=f"n = {n}")


@pytest.mark.parametrize("fn", [in_order, by_index], ids=lambda fn: fn.__name__)
def test_compiled_batches_share_their_kernels(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npcompile.partition.unit.is_small", lambda plan: False)
    jitted = npcompile.jit(fn, wait=True)
    run(jitted, fn, [100, 204, 301, 87, 340, 398, 212, 93, 1004, 100])
    assert jitted.stats.programs <= FUNCTIONS[fn] + 2 and jitted.stats.compilations <= 8, jitted.stats
    assert jitted.stats.plain_calls == 0, jitted.stats


def columns(x):
    found = []
    for i in range(0, x.shape[1], 8):
        part = x[:, i : i + 8]
        found.append((part - part.mean(axis=0)).std())
    return found


def while_any(x):
    i, found = 0, []
    while i < len(x):
        part = x[i : i + 8]
        found.append((part**2).mean())
        i += 8
    return found


def drawn(x):
    def parts():
        for i in range(0, len(x), 8):
            yield x[i : i + 8]

    found = []
    for part in parts():
        found.append((part * part).sum())
    return found


def listed(x):
    found, n = [], 0
    for part in [x[i : i + 8] for i in range(0, len(x), 8)]:
        found.append((part * 2).max())
        n += len(part)
    return found, n


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [columns, while_any, drawn, listed])
def test_what_is_appended_is_worked_out_by_blocks(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    lengths = [int(n) for n in np.random.default_rng(1).integers(20, 150, 30)]
    for n in [*lengths, *range(9, 30), *lengths]:
        x = np.random.default_rng(n).standard_normal((5, n) if fn is columns else n)
        same(jitted(x.copy()), fn(x), ulp=64, scale=1.0, where=f"{fn.__name__} at n = {n}")
    assert jitted.stats.programs <= 8 and jitted.stats.replays >= 70, jitted.stats


class Log:
    """What is appended to is looked up before the value is worked out, whatever that does."""

    def __init__(self, told: list[str]) -> None:
        self.told = told

    @property
    def append(self) -> Callable[[Any], None]:
        self.told.append("looked up")
        return self.told.append


class Told:
    def __init__(self, told: list[str]) -> None:
        self.told = told

    def sum(self) -> str:
        self.told.append("worked out")
        return "value"


def in_its_order(log, told, n):
    for _ in range(n):
        log.append(told.sum())
    return n


def rebound(told, n):
    found = []

    class Replaced:
        def sum(self):
            nonlocal found
            found = [told]
            return told.sum()

    for _ in range(n):
        found.append(Replaced().sum())
    return len(found)


def test_methods_are_looked_up_where_python_does() -> None:
    for fn in (in_its_order, rebound):
        results = []
        for call in (fn, npcompile.jit(fn)):
            for n in (5, 7, 5):
                told: list[str] = []
                given = (Log(told), Told(told), n) if fn is in_its_order else (Told(told), n)
                results.append((call(*given), tuple(told)))
        assert results[:3] == results[3:]


def cropped(m):
    where = [slice(None)] * m.ndim
    for axis in range(m.ndim):
        where[axis] = slice(2, m.shape[axis] - 2)
    return m[tuple(where)] * 2


def test_a_loop_over_the_axes_is_a_part_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(cropped)
    for n in (*range(9, 20), 9, 12):
        m = np.random.default_rng(n).standard_normal((n, n + 1))
        same(jitted(m), cropped(m), where=f"n = {n}")
    assert jitted.stats.programs == 3 and jitted.stats.replays == 10, jitted.stats
