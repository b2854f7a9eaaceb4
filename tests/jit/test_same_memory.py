"""Arrays from outside that lay in one memory when they were recorded and lie apart later, or the reverse."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import npcompile


def argument(x: np.ndarray, y: np.ndarray) -> Any:
    return x + y * 2


def only_one(x: np.ndarray, y: np.ndarray) -> Any:
    return y * 2


def views(x: np.ndarray, y: np.ndarray) -> Any:
    return x[1:] + y[1:] * 2


def written(x: np.ndarray, y: np.ndarray) -> Any:
    x[0] = 5
    y[1] = 7
    return x + y


def attribute(x: np.ndarray, state: SimpleNamespace) -> Any:
    return state.u * 2 + len(x)


def attribute_views(x: np.ndarray, state: SimpleNamespace) -> Any:
    return x[1:] + state.u[1:] * 2


def attribute_renewed(x: np.ndarray, state: SimpleNamespace) -> Any:
    for _ in range(40):
        state.u = state.u / len(x) + 1
    return state.u.max()


def item(x: np.ndarray, state: dict[str, np.ndarray]) -> Any:
    return state["u"] * 2 + x


def plain(y: np.ndarray) -> Any:
    return y


def in_object(y: np.ndarray) -> Any:
    return SimpleNamespace(u=y)


def in_dict(y: np.ndarray) -> Any:
    return {"u": y}


SHARED = {
    "first": [True, True, False, False],
    "later": [False, False, True, True],
    "in turn": [True, False, True, False],
}


@pytest.mark.parametrize("order", SHARED)
@pytest.mark.parametrize(
    ("function", "wrapped"),
    [
        *((fn, plain) for fn in (argument, only_one, views, written)),
        *((fn, in_object) for fn in (attribute, attribute_views, attribute_renewed)),
        (item, in_dict),
    ],
)
def test_memory_shared_at_some_calls_only(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], wrapped: Callable[..., Any], order: str
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    for call, shared in enumerate(SHARED[order]):
        x, own = np.arange(6.0) + call, np.arange(6.0) + call
        y, other = (x[:], own[:]) if shared else (x + 100, own + 100)
        got, want = jitted(x, wrapped(y)), function(own, wrapped(other))
        np.testing.assert_array_equal(got, want, strict=True)
        np.testing.assert_array_equal(x, own)
        np.testing.assert_array_equal(y, other)
    assert jitted.stats.replays > 0


def swap_rows(A):
    A[1], A[2] = A[2].copy(), A[1].copy()


def a_cast_that_does_nothing(x, z):
    y = x.astype(float)
    x[:] = z * 2
    z[:] = y


def three_in_a_ring(x, z, w):
    t = np.where(x > 2, x, x)
    x[:] = z * 1
    z[:] = w * 1
    w[:] = t


@pytest.mark.parametrize("fn", [swap_rows, a_cast_that_does_nothing, three_in_a_ring])
def test_what_was_read_before_a_write_is_what_it_was(fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled: Inductor reads a copied input where the copy is used, unless the segment ends before that."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    count = fn.__code__.co_argcount

    def arguments() -> list[np.ndarray]:
        return [np.arange(16.0).reshape(4, 4) + 20 * place for place in range(count)]

    jitted = npcompile.jit(fn, wait=True)
    for _ in range(3):
        ours, numpys = arguments(), arguments()
        jitted(*ours)
        fn(*numpys)
        assert all(map(np.array_equal, ours, numpys))
    assert jitted.stats.replays == 2
