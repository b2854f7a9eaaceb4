"""Arrays that are read while they are written: NumPy's order of writing decides the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy as npc
from tests.programs import copying_device

PICKED = np.array([1, 1, 0, 0, 1, 0, 1, 0, 1], bool)


def column_from_row(a: Any) -> None:
    a[..., 0] = a[1]


def row_from_column(a: Any) -> None:
    a[2] = a[:, 1]
    np.copyto(a[3], a[:, 0])


def row_from_diagonal(a: Any) -> None:
    a += 1
    a[3] = np.diagonal(a)


def under_a_mask(a: Any) -> None:
    row = a.reshape(-1)[:9]
    row[PICKED] = row[:5]


def under_a_mask_backwards(a: Any) -> None:
    row = a.reshape(-1)[:9]
    row[::-1][PICKED] = row[:5]


def by_a_flat_iterator(a: Any) -> None:
    a.flat[2:] = a.reshape(-1)[:7]


def mask_ahead(a: Any) -> None:
    b = a.reshape(-1).astype(bool)
    b[:-1][b[1:]] = False
    np.copyto(b[:-1], True, where=b[1:])
    a[0] = b[:4]


STORES = [
    column_from_row,
    row_from_column,
    row_from_diagonal,
    under_a_mask,
    under_a_mask_backwards,
    by_a_flat_iterator,
    mask_ahead,
]
LAYOUTS: list[Callable[[Any], Any]] = [lambda a: a, lambda a: a[::-1, ::-1], lambda a: a[:, ::-1]]


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.__name__)
def test_jitted(store: Callable[[Any], None], on_device: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    if on_device:
        copying_device.use(monkeypatch)
    for lie in LAYOUTS:
        jitted = npcompile.jit(store, wait=True)
        for call in range(4):
            given, want = (lie(np.arange(16.0).reshape(4, 4) + call) for _ in range(2))
            store(want)
            jitted(given)
            np.testing.assert_array_equal(given, want)


@pytest.mark.parametrize("store", STORES[:2], ids=lambda store: store.__name__)
def test_eager(store: Callable[[Any], None]) -> None:
    for lie in LAYOUTS:
        given, want = (lie(np.arange(16.0).reshape(4, 4)) for _ in range(2))
        ours = npc.asarray(given)
        store(want)
        store(ours)
        np.testing.assert_array_equal(np.asarray(ours), want)


def test_a_mask_elsewhere_on_the_array_is_read_by_numpy() -> None:
    def ends(flags: Any) -> Any:
        flags[:-1][flags[1:]] = False
        return flags

    jitted = npcompile.jit(ends, wait=True)
    for call in range(3):
        flags = np.arange(12) % (call + 2) == 0
        np.testing.assert_array_equal(jitted(flags.copy()), ends(flags.copy()))
    assert "__setitem__" in str(jitted.stats.reasons) or jitted.stats.host_calls


def test_empty_views_on_a_device_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)

    def views(a: Any) -> Any:
        return np.diagonal(a / a), np.swapaxes(a[:, 1:], 0, 1)

    jitted = npcompile.jit(views, wait=True)
    empty = np.zeros((0, 4))
    empty.flags.writeable = False
    for _ in range(3):
        assert not any(view.flags.writeable for view in jitted(empty))
    assert jitted.stats.replays
