"""Arrays from outside that lay in one memory when they were recorded and lie apart later, or the reverse."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import npcompile
import npcompile.numpy
from tests.programs.jit_lane import judge


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


def windows(x, z):
    y = x * 2
    w = sliding_window_view(y, 3, writeable=True)
    w[0], y[1] = 7, -1
    w[2] += z[:3]
    return y, w.sum(1), sliding_window_view(x, 2)


def windows_of_an_argument(x, z):
    w = as_strided(x, (len(x) - 2, 3), (x.strides[0],) * 2)
    x[0] = 99
    return w * 1, w, sliding_window_view(z, 4).max(axis=-1)


@pytest.mark.parametrize("fn", [windows, windows_of_an_argument])
def test_windows_are_views(fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the same memory as ever; what is done with them is recorded with the rest."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for length in (8, 8, 9, 10, 11, 12, 8):
        judge(jitted, fn, (np.arange(length) + 1.0, np.arange(length) * 2.0))
    assert jitted.stats.replays and jitted.stats.host_calls == 0, jitted.stats
    if fn is windows:
        assert jitted.stats.recordings <= 4, jitted.stats


def fields(rec, x):
    y = np.where(rec["ok"], rec["v"], rec["v"] * 2 + rec["id"])
    z = np.stack([rec["v"], x]).sum(axis=0)
    return y, z, rec["v"] @ x, np.dot(x, rec["v"]), rec["v"][2:9].T


def stored_fields(rec, x):
    x += rec["v"]
    x[1:4] = rec["v"][5:8]
    np.add.at(x, rec["id"] % 3, rec["v"])
    np.copyto(x, rec["v"], where=rec["id"] > 20)
    return x.sum()


def a_field_as_argument(v):
    return v * 2 + 1, v[1:].sum(), v[::2]


def test_fields_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor can be laid over a field: NumPy copies it for the kernel, and it is a view as ever."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    kinds = np.dtype([("ok", "?"), ("id", "i4"), ("v", "f8")])

    def records() -> np.ndarray:
        made = np.zeros(30, kinds)
        made["ok"], made["id"], made["v"] = np.arange(30) % 3 == 0, np.arange(30), np.linspace(0, 5, 30)
        return made

    whole, argument, stored = map(npcompile.jit, (fields, a_field_as_argument, stored_fields))
    for _ in range(4):
        judge(whole, fields, (records(), np.ones(30)))
        judge(argument, a_field_as_argument, (records()["v"],))
        judge(stored, stored_fields, (records(), np.ones(30)))
    assert [(fn.stats.recordings, fn.stats.replays) for fn in (whole, argument)] == [(1, 3)] * 2
    assert stored.stats.plain_calls == 0 and not stored.stats.reasons


def masked_store(np, a, m):
    a[m] = a[1]
    return a


def masked_place(np, a, m):
    np.place(a, m, a[1])
    return a


def joined_onto_itself(np, a, m):
    return np.concatenate([a[1:], a[:1]], out=a)


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("function", [masked_store, masked_place, joined_onto_itself])
def test_what_is_written_over_while_it_is_read_is_read_as_numpy_goes(function: Any) -> None:
    rng = np.random.default_rng(0)
    jitted = npcompile.jit(function)
    for _ in range(6):
        a, m = rng.integers(0, 9, (4, 6)), np.zeros(24, bool)
        m[rng.permutation(24)[:6]] = True
        m = m.reshape(4, 6)
        want = function(np, a.copy(), m)
        np.testing.assert_array_equal(jitted(np, a.copy(), m), want)
        shim = npcompile.numpy
        np.testing.assert_array_equal(
            np.asarray(function(shim, shim.asarray(a.copy()), shim.asarray(m))), want
        )


def whole_beside_a_view(seen, x):
    x += 1
    return (seen * 2,)


def views_beside_a_view(seen, x):
    t = seen[2:50] * 2
    x[2:50] = np.sin(t)
    x[50:100] = 3
    v = seen[2:50] + t
    x[2:50] += 1
    return v * seen[50:98], seen[::2] + 1


@pytest.mark.parametrize("backend", ["", "interpreter"])
@pytest.mark.parametrize("function", [whole_beside_a_view, views_beside_a_view])
def test_kernels_write_through_the_array_that_may_be_written_to(
    function: Any, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first array on a memory may be a read-only view, as `Series.to_numpy()` gives one."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    jitted = npcompile.jit(function, wait=True)
    for apart in (False, False, True, False):
        x, theirs = np.arange(2000.0), np.arange(2000.0)
        seen, seen_there = x.view(), theirs.view()
        seen.flags.writeable = False
        if apart:
            seen, seen_there = seen.copy(), seen_there.copy()
        want, got = function(seen_there, theirs), jitted(seen, x)
        for one, other in zip((x, *got), (theirs, *want), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
