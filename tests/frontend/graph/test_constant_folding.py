"""What nothing but constants decides is a constant: another array at each call, and nothing else is one."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

A = np.arange(25.0).reshape(5, 5)
N = 4


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def checked(body: Callable[..., Any], *calls: Any) -> npcompile.jit:
    jitted = npcompile.jit(body)
    for args in calls:
        same(list(jitted(*args)), list(body(*args)), 8, 64.0)
    return jitted


def places(a):
    i, j = np.tril_indices(5, -1)
    return i, j, a[i, j] * 2


def test_results_are_another_array_at_each_call() -> None:
    jitted = checked(places, (A,))
    first, second = jitted(A), jitted(A)
    first[0][:] = 9
    assert (second[0] == np.tril_indices(5, -1)[0]).all() and first[0] is not second[0]
    same(list(jitted(A)), list(places(A)), 8, 64.0)
    assert (jitted.stats.recordings, jitted.stats.host_calls) == (1, 0)


def masked(a):
    keep = np.ones(5, bool)
    keep[[1, 3]] = False
    b = a.copy()
    b[:, ~keep] = 0.0
    return a[keep] + 1, b, keep


def test_masks_that_are_constants_are_no_calls() -> None:
    jitted = checked(masked, (A,), (A + 1,), (A - 1,))
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.host_calls) == (1, 2, 0)


def copied_twice(a):
    first, second = np.empty(5), np.empty(5)
    first[:] = a[0]
    second[:] = first
    return np.unique(second), np.interp(2.5, second, second)


def test_what_was_written_has_a_past_of_its_own() -> None:
    checked(copied_twice, (A,), (A + 1,), (A * 2,), (A - 1,))


def by_data(a, k):
    keep = np.ones(5, bool)
    keep[np.argmax(a[:, 0])] = False
    return a[keep], np.nonzero(keep)[0]


def by_number(a, k):
    keep = np.ones(5, bool)
    keep[k] = False
    return a[keep], np.nonzero(keep)[0]


def shuffled(a, k):
    order = np.arange(5)
    np.random.shuffle(order)
    return a[order > 2], np.nonzero(order > 2)[0]


def in_a_list(a, k):
    order = np.arange(5)
    held = [order]
    operator.methodcaller("sort")(order)
    HELD(held, k)
    return a[order > 2], np.nonzero(order > 2)[0]


def change(held: list[Any], k: int) -> None:
    np.random.shuffle(held[0])


HELD = functools.lru_cache(0)(change)  # called as it is


def of_a_global(a, k):
    return a[np.arange(5) > N], np.nonzero(np.arange(5) > N)[0]


@pytest.mark.parametrize("body", (by_data, by_number, shuffled, in_a_list), ids=lambda body: body.__name__)
def test_what_anything_else_decides_is_none(body: Callable[..., Any]) -> None:
    rows = [(np.roll(A, k, axis=0), k) for k in (0, 1, 2, 3, 1, 0)]
    jitted = npcompile.jit(body)
    for args in rows:
        np.random.seed(args[1])
        got = jitted(*args)
        np.random.seed(args[1])
        same(list(got), list(body(*args)), 8, 64.0)


def test_a_global_that_decides_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(of_a_global)
    for limit in (1, 1, 2, 1, 3):
        monkeypatch.setitem(globals(), "N", limit)
        same(list(jitted(A, 0)), list(of_a_global(A, 0)), 8, 64.0)


def of_lengths(a):
    i, j = np.triu_indices(len(a), 1)
    return a[i] - a[j], np.delete(a, [0, 2]), np.percentile(a, 30)


def test_lengths_are_no_constants() -> None:
    rng = np.random.default_rng(0)
    checked(of_lengths, *((rng.standard_normal(size),) for size in (5, 5, 6, 7, 8, 9, 9, 5, 12)))


def truth_of_a_constant(a):
    text = bytearray(b"012")
    if bool(a.shape[1] * 2) and bool(a.shape[0] * 300):
        text[0] = len(a)
    return text, a.sum()


def test_the_truth_of_a_constant_needs_no_guard() -> None:
    checked(truth_of_a_constant, (A,), (A,), (A[:, :0],), (A[:0],))
