"""Memory-mapped arrays are compiled, with NumPy's result types, and writes go to the file."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

START = np.arange(1.0, 25.0)


@pytest.fixture(params=["interpreter", "kernels"], autouse=True)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    else:
        monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Mapped(np.memmap):
    """A subclass of the user's."""


def opened(file: Path, mode: Any = "r+", rows: int = 3, offset: int = 0, kind: Any = np.memmap) -> Any:
    if mode == "w+":
        made = kind(file, dtype=float, mode=mode, shape=(rows, 4), offset=offset)
        made[...] = START[: rows * 4].reshape(rows, 4)
        return made
    START.tofile(file)
    return kind(file, dtype=float, mode=mode, shape=(rows, 4), offset=offset)


def types_of(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value), [types_of(item) for item in value]
    if isinstance(value, np.ndarray):
        mapped = isinstance(value, np.memmap)
        return (
            type(value),
            value.dtype,
            value.shape,
            value.flags.writeable,
            mapped and value._mmap is not None,
        )
    return type(value)


def close(got: Any, want: Any) -> None:
    if isinstance(want, str):
        assert got == want
    elif isinstance(want, tuple | list):
        for one, other in zip(got, want, strict=True):
            close(one, other)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-12)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def judge(function: Callable[..., Any], tmp_path: Path, made: Callable[[Path, int], tuple[Any, ...]]) -> Any:
    jitted = npcompile.jit(function, wait=True)
    for call in range(6):
        file = tmp_path / "a"
        args = made(file, call)
        want, written = outcome(function, *args), np.fromfile(file)
        del args
        args = made(file, call)
        got = outcome(jitted, *args)
        assert types_of(got) == types_of(want), f"call {call}"
        if not (isinstance(want, tuple) and isinstance(want[0], type)):
            close(got, want)
        else:
            assert str(got) == str(want)
        np.testing.assert_allclose(np.fromfile(file), written, rtol=1e-12)
    return jitted


def shape_of_work(m):
    y = np.sqrt(m) + 1
    return y.sum(axis=0), y.mean(), (m * y).max(), m[0, 0] * 2, m > 3, -m


def written(m):
    m[1:] += 2
    m[0] = m[2] * 3
    m *= 2
    return m.sum()


def out_given(m):
    np.multiply(m, 2, out=m)
    np.copyto(m[0], m[1])
    m[:, 1].fill(7)
    return np.exp(-m)


def views_within(m):
    part = m[1:].T
    rows = m[[0, 1]] + 1
    part[0] = 5
    flat = m.reshape(-1)
    return part * 2 + flat[0], flat.sum(), rows, np.where(m > 3, m, 0), m[m > 3].sum()


def views_between_blocks(m):
    part = m[1:].T
    part[0] = 5
    flat = m.reshape(-1)
    return part * 2 + flat[0], flat.sum(), m[[0, 1]] + 1  # indices are checked after the write


def answered(m):
    y = m * 2
    return m, m[1:], y, m.copy(), np.sort(m), m.T, np.split(m, 3), np.asarray(m)


def own_attributes(m):
    m += 1
    m.flush()
    return m * 2, m.mode, m.offset, isinstance(m, np.memmap), type(m).__name__


def sorted_within(m):
    return np.sort(m, axis=1) * 2, m.copy() + 1, m.argsort(axis=0) + 1, np.cumsum(m), np.dot(m, m.T) + 1


def looped(m):
    total = 0.0
    for i in range(m.shape[0]):
        total += (m[i] * 2).sum()
        m[i] = m[i] + total
    return total


def helped(m):
    return helper(m) + helper(m[1:]).sum()


def helper(m):
    return np.sqrt(m) * 2


def told(m):
    print(type(m))
    return m + 1


PROGRAMS = [shape_of_work, written, out_given, views_within, answered, own_attributes, sorted_within, looped]
PROGRAMS += [helped, told, views_between_blocks]
COMPILED = [shape_of_work, written, out_given, views_within, sorted_within]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda one: one.__name__)
def test_values_types_and_the_file(function: Callable[..., Any], tmp_path: Path) -> None:
    jitted = judge(function, tmp_path, lambda file, call: (opened(file, rows=3 + call % 2),))
    if function in COMPILED:
        assert jitted.stats.replays > 0 and not jitted.stats.reasons


@pytest.mark.parametrize("function", [shape_of_work, written, views_within], ids=lambda one: one.__name__)
@pytest.mark.parametrize("mode", ["r", "c", "w+"])
def test_modes_and_offsets(function: Callable[..., Any], mode: str, tmp_path: Path) -> None:
    judge(function, tmp_path, lambda file, call: (opened(file, mode, 3, 0 if mode == "w+" else 8 * call),))


def both(a, b):
    y = b + 1
    a[...] = y * 2
    return y, b + a


def test_two_of_one_file(tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        one = opened(file)
        return one, np.memmap(file, dtype=float, mode="r+", shape=(3, 4))

    judge(both, tmp_path, made)


def test_one_given_twice_is_seen_to_be_one(tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        one = opened(file)
        return one, one

    jitted = judge(both, tmp_path, made)
    assert jitted.stats.replays == 5 and jitted.stats.recordings == 1


def test_one_given_another_shape(tmp_path: Path) -> None:
    one = opened(tmp_path / "a")
    jitted = npcompile.jit(shape_of_work, wait=True)
    for shape in ((3, 4), (4, 3), (2, 6), (6, 2)) * 2:
        one.shape = shape
        close(jitted(one), shape_of_work(one))


def test_one_given_twice_and_a_plain_array_beside_it(tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        one = opened(file)
        return (one, one) if call % 2 else (one, one[:] if call % 4 else np.ones((3, 4)))

    judge(both, tmp_path, made)


space = types.SimpleNamespace(data=None)
held: Any = None


def of_attribute(x):
    return np.sqrt(space.data) * x + space.data[0]


def of_global(x):
    held[0] = x
    return (held * x).sum()


def of_list(x, rows):
    return rows[0] * x + rows[1], len(rows)


@pytest.mark.parametrize("function", [of_attribute, of_global], ids=lambda one: one.__name__)
def test_those_that_are_read(function: Callable[..., Any], tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        global held
        held = space.data = opened(file) if call < 5 else np.ones((3, 4))
        START.tofile(file)
        return (2.0 + call,)

    assert judge(function, tmp_path, made).stats.replays > 0


def of_two_paths(x):
    y = space.data * x
    return (y + held).sum()


def test_one_that_is_read_twice(tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        global held
        held = space.data = opened(file)
        if call > 3:
            held = opened(file)
        return (2.0 + call,)

    assert judge(of_two_paths, tmp_path, made).stats.replays > 1


def test_those_in_a_list(tmp_path: Path) -> None:
    def made(file: Path, call: int) -> tuple[Any, ...]:
        one = opened(file)
        return 2.0, [one, one[0]]

    assert judge(of_list, tmp_path, made).stats.replays > 0


def test_subclasses_of_the_users_stay_plain(tmp_path: Path) -> None:
    judge(shape_of_work, tmp_path, lambda file, call: (opened(file, kind=Mapped),))


def test_workers_of_joblib_replay(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    x = np.ones((4, 100_000))
    rows = joblib.Parallel(n_jobs=2)(joblib.delayed(in_a_worker)(x + k) for k in range(2))
    for k, (kinds, total, replays) in enumerate(rows):
        assert kinds == "memmap" and replays >= 3
        assert total == pytest.approx((np.sqrt(x + k) + 1).sum())


def in_a_worker(x: Any) -> Any:
    jitted = npcompile.jit(lambda m: (np.sqrt(m) + 1).sum(), wait=True)
    for _ in range(5):
        total = jitted(x)
    return type(x).__name__, total, jitted.stats.replays
