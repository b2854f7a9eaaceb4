"""Loops over elements, and over parts that move with a counter: Python's, and told by their lines."""

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
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]  # told
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]  # told
    return A


def cholesky(A):
    A = A.copy()
    for i in range(len(A)):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])  # told
            A[i, j] /= A[j, j]  # told
        A[i, i] -= np.dot(A[i, :i], A[i, :i])  # told
        A[i, i] = np.sqrt(A[i, i])  # told
    return A


def substitution(A):
    x = A[0].copy()
    for i in range(len(x)):
        x[i] = (x[i] - A[i, :i] @ x[:i]) / A[i, i]  # told
    return x


def seidel(A):
    for i in range(1, len(A) - 1):
        for j in range(1, len(A) - 1):
            A[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])  # told
    return A


def prefix(A):
    x = A[1].copy()
    k = 1
    while k < len(x):
        x[k] += x[k - 1]  # told
        k += 1
    return x


def counts(A):
    found = np.zeros(10, int)
    for value in A.ravel():
        found[int(value) % 10] += 1  # told
    return found


LOOPS = [factors, cholesky, substitution, seidel, prefix, counts]


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", LOOPS, ids=lambda fn: fn.__name__)
def test_they_are_told_by_line(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for seed in range(4):
        judge(jitted, fn, (np.random.default_rng(seed).uniform(1, 2, (8, 8)) + 8 * np.eye(8),))
    lines, first = inspect.getsourcelines(fn)
    told = {first + at for at, line in enumerate(lines) if line.rstrip().endswith("# told")}
    assert {int(reason.split(":")[1]) for reason in jitted.stats.reasons} == told, jitted.stats.reasons
    assert all(reason.startswith(__file__) for reason in jitted.stats.reasons)
