"""Programs on a mesh of two processes: NumPy's answers and effects, and what is not split is told.

The processes do their parts op by op; one program is compiled.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.lower.mesh import job
from npcompile.lower.mesh.mesh import Mesh
from npcompile.lower.mesh.pool import end_all, pool_of

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

MESH = Mesh("cpu", 2)


@pytest.fixture(autouse=True)
def op_by_op(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    end_all()


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def assign(x: Any, means: Any) -> Any:
    return np.argmin(np.linalg.norm(x - means[:, None], axis=2), axis=0)


def update(x: Any, labels: Any) -> Any:
    return np.array([x[labels == k].mean(axis=0) for k in range(3)])


def kmeans(x: Any, means: Any) -> Any:
    for _ in range(4):
        labels = assign(x, means)
        one = (labels[:, None] == np.arange(len(means))).astype(x.dtype)
        means = one.T @ x / one.sum(axis=0)[:, None]
    return labels, means


def logistic(x: Any, y: Any, w: Any, rate: Any) -> Any:
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - rate * (x.T @ (p - y)) / len(y)


def nbody(position: Any, mass: Any) -> Any:
    d = position[None, :, :] - position[:, None, :]
    inverse = ((d**2).sum(axis=2) + 0.01) ** -1.5
    return (d * (mass[None, :, None] * inverse[:, :, None])).sum(axis=1)


def moved(position: Any, velocity: Any, step: Any) -> Any:
    velocity *= 0.5
    position[:, 1:] += velocity[:, 1:] * step
    return position.sum()


def along_rows(x: Any) -> Any:
    return np.sort(x, axis=0), np.cumsum(x, axis=0), x[::-1] + 1, np.roll(x, 1, axis=0), x.T + 1, x.std()


def taken(x: Any, i: Any) -> Any:
    return (x * 2)[i]


RNG = np.random.default_rng(3)
X = RNG.normal(size=(320, 4))
LABELS = RNG.integers(0, 3, 320)
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [  # collectives: in a run
    (softmax, (X,), 0),
    (softmax, (X.T.copy().T,), 0),
    (assign, (X, X[:3].copy()), 0),
    (update, (X, LABELS), 4),
    (kmeans, (X, X[:3].copy()), 8),
    (logistic, (X, (LABELS > 1) * 1.0, np.zeros(4), 0.1), 1),
    (nbody, (X[:, :3].copy(), np.ones(320)), 2),
    (moved, (X.copy(), X.copy(), 0.1), 1),
]


def copies(args: tuple[Any, ...]) -> list[Any]:
    return [arg.copy("K") if isinstance(arg, np.ndarray) else arg for arg in args]


def flat(value: Any) -> list[Any]:
    return [item for part in value for item in flat(part)] if isinstance(value, list | tuple) else [value]


def check(fn: Callable[..., Any], args: tuple[Any, ...], calls: int = 3, **options: Any) -> npcompile.Jitted:
    """Compare calls on the mesh with NumPy's, and return the jitted function."""
    jitted = npcompile.jit(fn, **options)
    for _ in range(calls):
        theirs, ours = copies(args), copies(args)
        want = fn(*theirs)
        with npcompile.device("cpu", mesh=2):
            got = jitted(*ours)
        for one, other in zip(flat([got, ours]), flat([want, theirs]), strict=True):
            assert type(one) is type(other)
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
            if isinstance(other, np.ndarray):
                assert one.dtype == other.dtype and one.strides == other.strides
                assert one.flags.owndata and one.flags.writeable
    return jitted


def collectives(jitted: npcompile.Jitted) -> int:
    states = jitted.npcompile_root().by_signature.values()  # type: ignore[attr-defined]
    return sum(one.collectives for state in states for entry in state.entries for one in entry.jobs)


def test_parts_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """First: the processes that it starts have imported the compiler once for all."""
    monkeypatch.delenv("NPCOMPILE_BACKEND")
    jitted = check(softmax, (X,), wait=True)
    assert jitted.stats.replays == 2 and jitted.stats.kernels > 0 and jitted.stats.reasons == []


@pytest.mark.parametrize(("fn", "args", "expected"), PROGRAMS)
def test_programs_are_split(fn: Callable[..., Any], args: tuple[Any, ...], expected: int) -> None:
    jitted = check(fn, args)
    assert jitted.stats.replays == 2 and jitted.stats.host_calls == 0, jitted.stats
    assert jitted.stats.reasons == []
    assert collectives(jitted) == expected


def test_what_crosses_rows_is_numpys() -> None:
    jitted = check(along_rows, (X,))
    assert jitted.stats.replays == 2, jitted.stats


def test_rows_that_are_no_equal_parts_are_done_by_one_device() -> None:
    jitted = check(softmax, (X[:7].repeat(100, axis=1),))
    assert jitted.stats.replays == 2
    assert "largest array has 7 rows" in " ".join(map(str, jitted.stats.reasons))


def test_arrays_without_elements_are_no_endless_work() -> None:
    def stored(x: Any) -> Any:
        y = x * 2
        y[5:5] = np.ones((4, 1)).T * x[5:5]
        return y, x[:0].reshape(0, 2, 2) + 1

    assert check(stored, (X,)).stats.replays == 2


def test_an_op_without_a_rule_gets_its_arrays_whole() -> None:
    def places(x: Any) -> Any:
        return np.argmax(x, axis=0), (x * 2).sum(axis=1)

    jitted = check(places, (X,))
    assert "numpy.argmax gets its arrays whole" in " ".join(map(str, jitted.stats.reasons))


def test_exceptions_and_decisions_are_numpys() -> None:
    jitted = check(taken, (X, np.array([3, 319])))
    with npcompile.device("cpu", mesh=2), pytest.raises(IndexError):
        jitted(X, np.array([3, 320]))

    def decided(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x - 1

    jitted = npcompile.jit(decided)
    for x in (abs(X), abs(X), -abs(X), -abs(X), abs(X)):
        with npcompile.device("cpu", mesh=2):
            np.testing.assert_array_equal(jitted(x), decided(x))


def test_device_arrays_are_answered_with_device_arrays() -> None:
    jitted = npcompile.jit(softmax)
    with npcompile.device("cpu", mesh=2):
        x = npcompile.asarray(X)
        answers = [jitted(x) for _ in range(3)]
    assert jitted.stats.replays == 2 and all(type(answer) is npcompile.ndarray for answer in answers)
    np.testing.assert_allclose(np.asarray(answers[-1]), softmax(X))


def test_other_values_than_one_device_gives_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(x: Any) -> Any:
        return x * 2 + x.mean(axis=0)

    in_parts = job._Kernel._in_parts
    monkeypatch.setattr(job._Kernel, "_in_parts", lambda *args: [one + 1 for one in in_parts(*args)])
    jitted = check(doubled, (X,))
    assert "gave other values" in " ".join(map(str, jitted.stats.reasons))


def test_small_differences_of_sums_are_close() -> None:
    one = torch.tensor([1e10, 1.0, torch.nan, torch.inf])
    assert job.is_close(one * (1 + 1e-6), one)
    assert not job.is_close(one * 1.01, one)
    assert not job.is_close(one[:2], one) and not job.is_close(one.double(), one)
    assert not job.is_close(torch.tensor([1, 2]), torch.tensor([1, 3]))


def test_a_mesh_is_of_devices_of_one_kind() -> None:
    assert repr(npcompile.device("cpu", mesh=2)) == "npcompile.device('cpu', mesh=2)"
    for name, options in (("cuda:1", {}), ("cpu", {"fast_random": True})):
        with pytest.raises((ValueError, RuntimeError)):
            npcompile.device(name, mesh=2, **options)
    for size in (0, -1):
        with pytest.raises(ValueError, match="count"):
            npcompile.device("cpu", mesh=size)


def test_once_a_process_has_ended_one_device_does_the_work() -> None:
    """Last, as the processes stay ended."""
    jitted = check(softmax, (X,))
    os.killpg(pool_of(MESH)._process.pid, signal.SIGKILL)
    for _ in range(2):
        with npcompile.device("cpu", mesh=2):
            np.testing.assert_allclose(jitted(X), softmax(X))
    assert jitted.stats.replays == 4
    assert "have ended" in " ".join(map(str, jitted.stats.reasons))
