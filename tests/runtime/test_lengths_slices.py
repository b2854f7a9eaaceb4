"""Slices as objects, sizes in bytes, parts that NumPy gives as a list: right at each length, few programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
LENGTHS = [10, 13, 16, 17, 19, 20, 21, 24, 12, 40, 33, 11, 26, 28, 29]


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def sliced(x):
    k = len(x) // 3
    return x[slice(k, 2 * k)] * 2, x[(slice(None, -k),)] + 1


def along_an_axis(m):
    where = [slice(None)] * m.ndim
    where[-1] = slice(1, m.shape[1] - 3)
    return m[tuple(where)] * 2


def written(x):
    y = x.copy()
    y[slice(0, len(x) // 2)] = 0
    return y


def ends(x):
    part = slice(1, len(x) // 2)
    return x * part.stop + part.start, part.step is None


def indices(x):
    start, stop, step = slice(None, -(len(x) // 3)).indices(len(x))
    return x[start:stop:step] * stop, slice(1, len(x) // 2).indices(7)


def in_bytes(x):
    return x * (len(x) // 2 * 8 // x[: len(x) // 2].nbytes), x.nbytes, (x > 0).nbytes


def some_of_it(m):
    return m[: m.nbytes // 4000] * 2, np.zeros(m.T.nbytes // 8)


def parts(x):
    found = np.array_split(x, 3)
    return found[0] * len(found[0]), found[-1].sum(), x * (found[1].nbytes // 32)


def factored(m):
    return np.abs(np.linalg.qr(m)[1])


def middle(x):
    return np.median(x)


class Rows:
    def __init__(self, x: np.ndarray) -> None:
        self.x = x

    def __getitem__(self, index: Any) -> Any:
        if index == slice(0, 6):
            return self.x[index] * 100
        return self.x[index] * index.stop if index < slice(0, 10) else self.x[index]


def compared(x):
    return Rows(x)[0 : len(x) // 2]


def among(x):
    half = slice(0, len(x) // 2)
    return x * 2 if half in [slice(0, 5), slice(0, 8)] else x * 3


def strides(m):
    return m * (m.strides[0] // 64), m * (m.T.strides[1] // 100), m.copy("F").strides[1] // 64


def apart(m):
    return m * (m[:, 0].strides[0] // 64), m[:, ::2].strides[0] // 100


def broadcast(x):
    return x * (np.broadcast(x, x).size // 8), x + np.broadcast(x[None], x[:, None]).shape[0] // 8


def grids(x):
    n = len(x)
    i, j = np.mgrid[:n, 0 : n // 2]
    a, b = np.ogrid[-n : n + 1 : 2, :3]
    return i * 2.0 + j, a * b, np.mgrid[:n] * x, np.mgrid[0:1:5j], np.ogrid[0 : 1 : n * 1j] + x


def shapes_of_grids(m):
    i, j = np.mgrid[: m.shape[0], : m.shape[1]]
    return (i * m).sum() / m.sum(), np.mgrid[0 : 1 : 1 / len(m)] * 2, j * m


def divided(x):
    rows, rest = divmod(len(x), 4)
    return x[: 4 * rows].reshape(rows, 4).sum(axis=1), x * rest


# With the programs that they may have. A median is another for odd lengths.
COUNTED = [(sliced, 3), (along_an_axis, 3), (written, 3), (ends, 3), (indices, 3), (in_bytes, 3)]
COUNTED += [
    (divided, 3),
    (grids, 3),
    (shapes_of_grids, 3),
    (some_of_it, 4),
    (parts, 3),
    (factored, 3),
    (middle, 5),
]
FUNCTIONS: list[Callable[..., Any]] = [compared, among, strides, apart, broadcast]


def judge(fn: Callable[..., Any], lengths: list[int]) -> Any:
    jitted = npcompile.jit(fn)
    for n in [*lengths, *lengths]:
        rng = np.random.default_rng(n)
        x = rng.standard_normal((n, n + 3) if fn.__code__.co_varnames[0] == "m" else n)
        same(jitted(x.copy()), fn(x), ulp=1 << 10, scale=10.0, where=f"{fn.__name__} at {n}")
    return jitted


@pytest.mark.parametrize(("fn", "programs"), COUNTED)
def test_few_programs(fn: Callable[..., Any], programs: int) -> None:
    stats = judge(fn, LENGTHS).stats
    assert stats.programs <= programs and stats.plain_calls == 0, stats


@pytest.mark.parametrize("fn", [*(fn for fn, _ in COUNTED), *FUNCTIONS])
@pytest.mark.parametrize(
    "lengths", [[8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 31, 32, 33], [*range(40, 11, -1)]]
)
def test_right_at_each_length(fn: Callable[..., Any], lengths: list[int]) -> None:
    judge(fn, lengths)


def printed(x):
    found = np.array_split(x, 3)
    found.reverse()
    return found[0] * 2


def kept(x):
    found = np.array_split(x, 3)
    log.append(len(found))
    return found[0] * 2, [part.sum() for part in found]


log: list[int] = []


@pytest.mark.parametrize("fn", [printed, kept])
def test_a_list_that_is_changed(fn: Callable[..., Any]) -> None:
    judge(fn, LENGTHS)


def peaks(x):
    return np.where((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))[0] + 1


def test_few_found_at_first_are_more_later() -> None:
    """Recordings that met nothing, or one of it, say nothing of others: there are some more."""
    stats = judge(peaks, [*range(1, 51)]).stats
    assert stats.programs <= 8 and stats.plain_calls == 0, stats


def joined(x):
    return np.r_[x, 0.0 : len(x) / 4] * x[0], np.r_[0 : len(x) // 2]


def test_slices_that_stand_for_ranges() -> None:
    stats = judge(joined, LENGTHS).stats
    assert stats.programs <= 6 and stats.plain_calls == 0, stats
