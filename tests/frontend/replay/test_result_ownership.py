"""Results that own their memory, and those that do not: where NumPy answers with a view of what it made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

CALLS: dict[str, Callable[[Any], Any]] = {
    "add": lambda a: a + 1,
    "copy": lambda a: a.T.copy(),
    "concatenate": lambda a: np.concatenate([a, a]),
    "tile": lambda a: np.tile(a, 2),
    "kron": lambda a: np.kron(a, a[0]),
    "roll": lambda a: np.roll(a, 1),
    "roll along an axis": lambda a: np.roll(a, 1, axis=0),
    "reshape": lambda a: a.T.reshape(-1),
    "reshape in Fortran order": lambda a: np.reshape(a, (4, 3), order="F"),
    "columns": lambda a: a[:, [0, 1]],
    "a new axis": lambda a: a[None, :, [0]],
    "isclose": lambda a: np.isclose(a, a),
    "linspace": lambda a: np.linspace(a[0, 0], a[1, 1], 4),
    "cross": lambda a: np.cross(a[:, :3], a[:, 1:]),
    "keepdims": lambda a: np.linalg.vector_norm(a, axis=0, keepdims=True),
    "fused": lambda a: np.roll(a * 2, 1) + np.tile(a, 1),
    "of nothing": lambda a: a[:0].T,
}


@pytest.mark.parametrize("backend", ["interpreter", ""])
def test_a_result_owns_its_memory_as_numpys_does(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", backend) if backend else monkeypatch.delenv(
        "NPCOMPILE_BACKEND", raising=False
    )
    calls = list(CALLS.values())

    def together(a: Any) -> Any:
        return [call(a) for call in calls]

    jitted = npcompile.jit(together, wait=True)
    a = np.arange(12.0).reshape(3, 4)
    for _ in range(3):
        for name, got, want in zip(CALLS, jitted(a), together(a), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-15)
            assert got.flags.owndata == want.flags.owndata, name
            assert (got.base is None) == (want.base is None), name
    assert jitted.stats.replays == 2


def appended(a: Any, seen: Any) -> Any:
    b = np.roll(a, 1)
    seen.append(b)
    return b


def twice(a: Any, seen: Any) -> Any:
    b = np.roll(a, 1)
    return b, b


def test_a_result_that_goes_to_two_places_is_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    for call in (appended, twice):
        jitted = npcompile.jit(call)
        for _ in range(3):
            seen: list[Any] = []
            got = jitted(np.arange(3.0), seen)
            assert seen[0] is got if call is appended else got[0] is got[1]
