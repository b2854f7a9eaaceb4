"""Results whose dtype their values decide: eigenvalues, real or complex until NumPy 2.4, roots and such."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

TURNS = np.array([[0, 1 / 3], [-1 / 2, 0]])  # complex eigenvalues
SCALES = np.array([[2.0, 1], [0, 3]])  # real ones


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def decided(a):
    w = np.linalg.eigvals(a)
    return abs(w) if w.dtype.kind == "c" else w


BODIES: dict[str, Any] = {
    "eigvals": lambda a: np.linalg.eigvals(a),
    "negative": lambda a: -np.linalg.eigvals(a)[0],
    "its dtype": lambda a: np.linalg.eigvals(a).dtype,
    "its size": lambda a: np.linalg.eigvals(a).nbytes,
    "its kind": lambda a: np.iscomplexobj(np.linalg.eigvals(a)),
    "a dtype for others": lambda a: np.zeros(3, np.linalg.eigvals(a).dtype),
    "put together": lambda a: (lambda w: np.array([1, -w[0]], dtype=w.dtype))(np.linalg.eigvals(a)),
    "a scalar's type": lambda a: "c" if isinstance(np.linalg.eigvals(a)[0], complex) else "f",
    "a branch": decided,
    "promoted": lambda a: np.concatenate([np.linalg.eigvals(a), [1.0]]).dtype,
    "eig": lambda a: [item.dtype for item in np.linalg.eig(a)],
    "eig sorted": lambda a: (lambda w, v: v[:, np.argsort(w.real)])(*np.linalg.eig(a)),
    "poly": lambda a: np.poly(a),
    "roots": lambda a: np.roots(a[0] + 1).dtype,
    "emath": lambda a: np.emath.sqrt(a[0] - 1) * 2,
    "real_if_close": lambda a: np.real_if_close(a + 1j * (a - 1) * (a > 2)).dtype,
}


@pytest.mark.parametrize("order", [(SCALES, TURNS), (TURNS, SCALES)], ids=["real first", "complex first"])
@pytest.mark.parametrize("name", BODIES)
def test_values_decide_a_dtype(name: str, order: tuple[np.ndarray, np.ndarray]) -> None:
    body = BODIES[name]
    jitted = npcompile.jit(lambda a: body(a))
    one, other = order
    for a in (one, one, other, other, one, other, one + 1, one[::-1], other):
        got, want = jitted(a), body(a)
        if isinstance(want, np.ndarray | np.generic):
            same(got, want, ulp=64, scale=1.0)
        else:
            assert got == want and type(got) is type(want)
