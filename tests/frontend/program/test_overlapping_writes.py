"""Writes into memory that no array owns, and into arrays that show the same memory twice, compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.lib.stride_tricks import as_strided

import npcompile

Maker = Callable[[Path], np.ndarray]


def mapped(folder: Path) -> np.ndarray:
    made = np.memmap(folder / "file", "f8", "w+", shape=(6,))
    made[:] = np.arange(6.0)
    return np.asarray(made)


OWNERS: dict[str, Maker] = {
    "an array": lambda _: np.arange(6.0),
    "a tensor": lambda _: torch.arange(6, dtype=torch.float64).numpy(),
    "a capsule": lambda _: np.from_dlpack(torch.arange(6, dtype=torch.float64)),
    "bytes": lambda _: np.frombuffer(bytearray(np.arange(6.0).tobytes())),
    "a memory view": lambda _: np.asarray(memoryview(np.arange(6.0))),
    "a file": mapped,
    "a strided view": lambda _: as_strided(np.arange(6.0), (6,), (8,)),
}


def written_through_a_view(x: Any) -> Any:
    part = x[1:]
    part[...] = part * 2
    return x + 1


def shifted(x: Any) -> Any:
    part, rest = x[1:][1:], x[2:]
    part[...] = rest * 2
    rest[1:] = part[:-1]
    return x + 1, part * 2


def strided(x: Any) -> Any:
    part = as_strided(x, (3,), (16,))
    part[...] = part * 3
    return x + 1


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("fn", [written_through_a_view, shifted, strided])
def test_whatever_owns_the_memory(fn: Any, owner: str, tmp_path: Path) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(3):
        x, y = OWNERS[owner](tmp_path), np.arange(6.0)
        want, got = fn(y), jitted(x)
        for one, other in zip(*(v if isinstance(v, tuple) else (v,) for v in (want, got)), strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(x, y)
    assert jitted.stats.replays == 2


def rows_that_are_one(rng: Any) -> tuple[Any, ...]:
    return as_strided(rng.integers(9, size=2), (2, 2), (0, 8)), rng.integers(9, size=(2, 2))


def windows(rng: Any) -> tuple[Any, ...]:
    return as_strided(rng.integers(9, size=5), (4, 2), (8, 8)), rng.integers(9, size=(4, 2))


def added_in_place(x: Any, y: Any) -> Any:
    x += y
    return x * 1


def stored(x: Any, y: Any) -> Any:
    x[...] = y * 2
    return x * 1


def stored_constant(x: Any, y: Any) -> Any:
    x[:, 0] = 7
    return x * y


def one_row(x: Any, y: Any) -> Any:
    x[0] = y[0] * 2
    return x + 1


@pytest.mark.parametrize("backend", ["interpreter", "compiler"])
@pytest.mark.parametrize("make", [rows_that_are_one, windows])
@pytest.mark.parametrize("fn", [added_in_place, stored, stored_constant, one_row])
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_arrays_that_show_memory_twice(
    fn: Any, make: Any, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for seed in range(4):
        (x, y), (same_x, same_y) = (make(np.random.default_rng(seed)) for _ in range(2))
        want = fn(x, y)
        got = jitted(same_x, same_y)
        assert np.array_equal(got, want) and got.dtype == want.dtype
        assert np.array_equal(same_x, x)
