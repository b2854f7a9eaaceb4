# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Parts of arrays in native loops, compiled as for users: several items at once, temporaries on the stack.

Items of products are small integers, of which each order of a sum is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.native import assert_same, begin, copies, run_in_python


def sample(code: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-4, 5, shape).astype(code)


def columns(A, x, n):
    for j in range(1, n):
        A[:, j] = A[:, j - 1] * x + A[:, j]
        A[1:, j] += A[:-1, j]
        A[::-1, j] += A[::-2, j - 1][:1]
        x[:] = A[::-1, j]


def overlaps(x, y, n):
    for i in range(n):
        x[1:] = x[:-1] + y[1:]
        x[:-1] += x[1:]
        x[::-1] += x
        x[::2] += x[1::2]


def dots(A, x, n):
    for i in range(n):
        a = A[i, :i] @ A[:i, i]
        b = np.dot(x[::-1][:i], x[:i])


def small_matrices(A, B, n):
    for i in range(n):
        a = A[:i, :3] @ B[:3, :i]
        b = A[:, :i] @ B[:i]


def items_at_one_place(x, A, y, n):
    for i in range(n):
        x += y
        A[:, 1:] += y


Case = tuple[Callable[..., Any], tuple[Any, ...]]
CASES: list[Case] = []
for code in ("f4", "f8", "c16"):
    CASES += [
        (columns, (sample(code, size, size), sample(code, size), min(size, 3))) for size in (1, 2, 9, 40)
    ]
    CASES += [(overlaps, (sample(code, size), sample(code, size), 2)) for size in (2, 8, 2000)]
for code in ("f2", "f8"):
    CASES += [(dots, (sample(code, 42, 42), sample(code, 42), size)) for size in range(0, 43, 3)]
    CASES.append((small_matrices, (sample(code, 9, 9), sample(code, 9, 9)[::-1], 9)))
for code, step in (("f8", 0), ("c16", 8)):
    x = np.ndarray((7,), code, np.arange(20.0), 0, (step,))
    A = np.ndarray((3, 8), code, np.arange(40.0), 0, (16, 16))
    CASES.append((items_at_one_place, (x, A, np.arange(2.0, 9.0).astype(code), 2)))


def test_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    begun = [begin(function, *copies(args)) for function, args in CASES]  # they are compiled together
    for one, (function, args) in zip(begun, CASES, strict=True):
        run, want = one.run(), run_in_python(function, *copies(args))
        assert run.is_done, function
        for name, value in want.items():
            assert_same(run.names[name], value, f"{name} of {function.__name__}")
