"""The examples against plain NumPy, call by call, and what was counted; k-means as a stranger runs it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
EXAMPLE = EXAMPLES / "kmeans.py"


def load(name: str) -> ModuleType:
    """An example as a module of its own: its functions have been called by nobody yet."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- every example


class Row(NamedTuple):
    """One function of an example, called six times on other values of one size, and what that counts."""

    module: str
    entry: str  # gives the function and fresh arguments
    size: dict[str, Any]
    programs: int
    replays: int
    plain: int
    host_calls: int  # in all four calls
    because: str = ""  # part of the reason why calls ran plain; empty where all that can be replayed is
    tolerance: float = 1e-12  # relative to the largest number: what is chaotic or cancels needs more


CALLS = 6

# The examples' compiled parts as of now. A row may get better; then its numbers are tightened here.
TABLE = [
    Row("life", "example", {"size": 24, "generations": 40}, 2, 5, 0, 0),
    Row("gray_scott", "one_step", {"size": 20}, 1, 5, 0, 0),
    Row("gray_scott", "example", {"size": 20, "steps": 50}, 3, 5, 0, 0),
    Row(
        "boids",
        "example",
        {"size": 30},
        9,
        0,
        0,
        72,
        "what is done depends on the trip or on data (an index or a size that changes)",
    ),
    Row(
        "lattice_boltzmann",
        "example",
        {"size": 12, "steps": 40},
        10,
        4,
        0,
        4,
        "what is done depends on the trip or on data (an index or a size that changes)",
    ),
    Row("finite_volume", "example", {"size": 16, "t_end": 0.3}, 7, 4, 0, 0),
    Row("spectral", "example", {"size": 16, "steps": 40}, 3, 5, 0, 0),
    Row("spectral", "rings", {"size": 16}, 1, 5, 0, 0),
    Row(
        "particle_in_cell",
        "example",
        {"size": 500},
        3,
        3,
        0,
        0,
        "what is done depends on the trip or on data (an index or a size that changes)",
    ),
    Row("particle_in_cell", "histogram", {"size": 500}, 1, 5, 0, 12),
    Row("ray_tracing", "example", {"size": 32}, 15, 0, 0, 72, "a container from outside is used in place"),
    Row("gpt", "example", {"size": 16, "tokens": 8}, 5, 3, 0, 0, tolerance=1e-06),
    Row("autograd", "example", {"size": 8, "length": 6}, 1, 5, 0, 0),
    Row("kalman", "one_step", {"size": 2}, 1, 5, 0, 0),
    Row("kalman", "outlier", {"size": 2}, 1, 5, 0, 0),
    Row("kalman", "example", {"size": 40}, 5, 5, 0, 0),
    Row("gaussian_mixture", "example", {"size": 200}, 8, 0, 0, 0),
    Row("gaussian_mixture", "classify", {"size": 200}, 1, 5, 0, 0),
    Row("convolution", "example", {"size": 8, "batch": 6}, 1, 5, 0, 0),
    Row("convolution", "inference", {"size": 8, "batch": 6}, 1, 5, 0, 0),
    Row("group_by", "example", {"size": 500}, 3, 3, 0, 6),
    Row("group_by", "table", {"size": 500}, 1, 5, 0, 0),
    Row("group_by", "accumulated", {"size": 500}, 3, 3, 0, 18),
    Row("group_by", "months", {"size": 500}, 1, 5, 0, 0),
    Row("stretch_moves", "one_move", {"size": 16}, 1, 5, 0, 0),
    Row("stretch_moves", "example", {"size": 16, "steps": 40}, 8, 4, 0, 0),
]
# Those that are run with their kernels compiled, too.
COMPILED = [("gray_scott", "one_step"), ("group_by", "months"), ("spectral", "rings")]


@pytest.fixture(autouse=True)
def beside_each_other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples import what they share as scripts do, from their own folder."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    sys.modules.pop("side_by_side", None)


def matches(got: Any, want: Any, tolerance: float, at: str) -> None:
    """Raise AssertionError unless `got` is `want`: types, dtypes, shapes, attributes, values."""
    assert type(got) is type(want), f"{at}: {type(got).__name__} instead of {type(want).__name__}"
    if isinstance(want, np.ndarray | np.generic | float | complex):
        left, right = np.asarray(got), np.asarray(want)
        assert left.dtype == right.dtype, f"{at}: {left.dtype} instead of {right.dtype}"
        assert left.shape == right.shape, f"{at}: {left.shape} instead of {right.shape}"
        if right.dtype.kind in "fc":
            size = np.max(np.abs(right), initial=0.0, where=np.isfinite(right))
            np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * size, err_msg=at)
        else:
            np.testing.assert_array_equal(left, right, err_msg=at)
    elif isinstance(want, dict):
        assert list(got) == list(want), f"{at}: {list(got)} instead of {list(want)}"
        for key in want:
            matches(got[key], want[key], tolerance, f"{at}[{key!r}]")
    elif isinstance(want, tuple | list):
        assert len(got) == len(want), f"{at}: {len(got)} items instead of {len(want)}"
        for index, (one, other) in enumerate(zip(got, want, strict=True)):
            matches(one, other, tolerance, f"{at}[{index}]")
    elif isinstance(want, np.random.Generator):
        assert got.bit_generator.state == want.bit_generator.state, f"{at}: another place in the stream"
    elif hasattr(want, "__dict__"):
        matches(vars(got), vars(want), tolerance, at)
    else:
        assert got == want, f"{at}: {got!r} instead of {want!r}"


def arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from arrays(item)
    elif hasattr(value, "__dict__") and not isinstance(value, np.random.Generator):
        yield from arrays(vars(value))


def sharing(answer: Any) -> list[bool]:
    """Which of an answer's arrays (results, arguments, attributes) lie in the same memory."""
    found = list(arrays(answer))
    return [np.may_share_memory(one, other) for i, one in enumerate(found) for other in found[:i]]


def call_by_call(row: Row) -> Any:
    """Calls the function on fresh arguments and judges every call by plain NumPy's; returns its counts."""
    entry = getattr(load(row.module), row.entry)
    for seed in range(CALLS):
        jitted, args = entry(seed=seed, **row.size)
        _, others = entry(seed=seed, **row.size)
        answer, expected = (jitted(*args), args), (jitted.__wrapped__(*others), others)
        matches(answer, expected, row.tolerance, f"{row.module}.{row.entry}, call {seed + 1}")
        assert sharing(answer) == sharing(expected)
        jitted.wait()
    return jitted.stats


def name_of(row: Row) -> str:
    return f"{row.module}-{row.entry}"


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_an_example_gives_numpys_answers(monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    stats = call_by_call(row)
    now = row._replace(
        programs=stats.programs,
        replays=stats.replays,
        plain=stats.plain_calls,
        host_calls=stats.host_calls,
        because=row.because if any(row.because in reason for reason in stats.reasons) else "",
    )
    assert now == row, f"{stats.reasons}\nif that is better, the row is now {now}"
    assert bool(stats.reasons) == bool(row.because), stats.reasons


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("row", [row for row in TABLE if (row.module, row.entry) in COMPILED], ids=name_of)
def test_a_compiled_example_gives_numpys_answers(row: Row) -> None:
    stats = call_by_call(row)
    assert (stats.replays, stats.host_calls) == (row.replays, row.host_calls), stats
    assert stats.kernels > 0


def test_every_example_is_in_the_table() -> None:
    files = {file.stem for file in EXAMPLES.glob("*.py")} - {"kmeans", "kmeans_dask", "side_by_side", "tour"}
    assert files == {row.module for row in TABLE}
    assert set(COMPILED) <= {(row.module, row.entry) for row in TABLE}


# -- k-means


@pytest.fixture
def kmeans() -> ModuleType:
    return load("kmeans")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_iteration_is_numpys(kmeans: ModuleType, dtype: str) -> None:
    X = kmeans.two_blobs(10_001, dtype)
    means = X[:3].copy()  # more means than blobs, and no memory shared with X: a signature of its own
    for iteration in range(4):
        labels, found = kmeans.step(X, means)
        expected_labels, expected = kmeans.step.__wrapped__(X, means)
        np.testing.assert_array_equal(labels, expected_labels, strict=True)
        np.testing.assert_allclose(found, expected, rtol=2e-7 if dtype == "float32" else 1e-14, strict=True)
        assert kmeans.step.stats.replays == iteration
        kmeans.step.wait()
        means = found
    assert kmeans.step.stats.recordings == 1


def test_an_empty_cluster_keeps_its_mean(kmeans: ModuleType) -> None:
    X = kmeans.two_blobs(1000, "float64")
    means = np.array([[5.0, 5.0], [1e6, 1e6]])
    for _ in range(2):
        labels, found = kmeans.step(X, means)
        kmeans.step.wait()
        assert not labels.any()
        np.testing.assert_array_equal(found[1], means[1])
        np.testing.assert_allclose(found[0], X.mean(axis=0))
    assert kmeans.step.stats.replays == 1


@pytest.mark.slow
def test_the_whole_example_gives_numpys_labels_in_every_row() -> None:
    done = run("--points", "20_001", "--iterations", "4", "--threads", "2", NPCOMPILE_WAIT="1")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\S.*?)  .* x  ([\d,]+) of ([\d,]+)$", done.stdout, flags=re.MULTILINE)
    assert [name for name, _, _ in rows] == [
        "NumPy",
        "torch.compile, 1 thread",
        "torch.compile, 2 threads",
        "npcompile, 1 thread",
        "npcompile, 2 threads",
    ], done.stdout
    assert {(equal, points) for _, equal, points in rows} == {("20,001", "20,001")}
    assert re.search(r"^ +[34] compiled: ", done.stdout, flags=re.MULTILINE), done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--k", "0"), "at least 1"),
        (("--points", "1"), "--points at least --k"),
        (("--dtype", "int8"), "invalid choice"),
    ],
)
def test_bad_arguments_are_named(
    kmeans: ModuleType, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        kmeans.main(list(arguments))
    assert stopped.value.code == 2
    assert says in capsys.readouterr().err
