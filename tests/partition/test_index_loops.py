"""Loops over elements, and over parts that move with a counter: native, or Python's and told by their
lines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)  # interpreted, nothing is too little work


def factors(A):
    n = len(A)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


def cholesky(A):
    A = A.copy()
    for i in range(len(A)):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


def substitution(A):
    x = A[0].copy()
    for i in range(len(x)):
        x[i] = (x[i] - A[i, :i] @ x[:i]) / A[i, i]
    return x


def seidel(A):
    for i in range(1, len(A) - 1):
        for j in range(1, len(A) - 1):
            A[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
    return A


def prefix(A):
    x = A[1].copy()
    k = 1
    while k < len(x):
        x[k] += x[k - 1]
        k += 1
    return x


def counts(A):
    found = np.zeros(10, int)
    for value in A.ravel():
        found[int(value) % 10] += 1
    return found


SCALES = {"half": 0.5}
OBJECTS = {"third": object()}  # no native loop holds a dict of objects


def scaled(A):
    x = A[1].copy()
    for k in range(1, len(x)):
        x[k] += SCALES["half"] * x[k - 1]
    return x


def scaled_by_method(A):
    x = A[1].copy()
    for k in range(1, len(x)):
        x[k] += SCALES.get("half", 1) * x[k - 1]
    return x


def scaled_by_object(A):
    x = A[1].copy()
    for k in range(1, len(x)):
        x[k] += OBJECTS.get("half", 1) * x[k - 1]  # told
    return x


NATIVE = [factors, cholesky, substitution, seidel, prefix, counts, scaled, scaled_by_method]
TOLD = [scaled_by_object]


@pytest.mark.parametrize("fn", NATIVE, ids=lambda fn: fn.__name__)
def test_native_ones_are_not_told(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for seed in range(4):
        judge(jitted, fn, (np.random.default_rng(seed).uniform(1, 2, (8, 8)) + 8 * np.eye(8),))
    assert jitted.stats.native_loops and jitted.stats.loop_entries, jitted.stats
    assert not jitted.stats.reasons and not jitted.stats.loop_leaves, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", TOLD, ids=lambda fn: fn.__name__)
def test_they_are_told_by_line(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for seed in range(4):
        judge(jitted, fn, (np.random.default_rng(seed).uniform(1, 2, (8, 8)) + 8 * np.eye(8),))
    lines, first = inspect.getsourcelines(fn)
    told = {first + at for at, line in enumerate(lines) if line.rstrip().endswith("# told")}
    assert {int(reason.split(":")[1]) for reason in jitted.stats.reasons} == told, jitted.stats.reasons
    assert all(reason.startswith(__file__) for reason in jitted.stats.reasons)
