"""Jitted functions in Dask's graphs, on each kind of scheduler, and Dask's arrays as arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.reason import Cause

dask: Any = pytest.importorskip("dask")
da: Any = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

from tests.ecosystem import dask_functions as functions  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "tests/ecosystem/dask_program.py"
WAYS = "map_blocks", "blockwise", "apply_gufunc", "delayed"


@npcompile.jit
def scaled(x: Any, k: float = 2.0) -> Any:
    return np.sqrt(x) * k + 1


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_use_a_jitted_function(way: str, scheduler: str) -> None:
    lazy, expected = functions.results(scaled)[way]
    for _ in range(3):
        (answer,) = dask.compute(lazy, scheduler=scheduler)
        np.testing.assert_allclose(np.ravel(answer), np.ravel(expected), rtol=1e-12)
    used = {"blockwise": functions.nearest, "apply_gufunc": functions.norm}.get(way, scaled)
    assert used.stats.replays > 0


def run(program: str, *arguments: str, cache: Path, backend: str) -> str:
    """Run a main program, whose functions Dask pickles by value."""
    environment = os.environ | {"NPCOMPILE_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    environment["NPCOMPILE_BACKEND"] = backend
    command = [sys.executable, str(ROOT / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_processes(tmp_path: Path) -> None:
    run(PROGRAM, "processes", cache=tmp_path, backend="interpreter")


@pytest.mark.slow
def test_workers_of_a_cluster_replay_and_compile_nothing_that_is_on_disk(tmp_path: Path) -> None:
    said = run(PROGRAM, "cluster", cache=tmp_path, backend="inductor")
    assert said.splitlines() == ["[(0, True), (0, True), (0, True)]"] * 2


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    arguments = "--points", "20_001", "--chunk", "5_000", "--iterations", "3"
    said = run("examples/kmeans_dask.py", *arguments, cache=tmp_path, backend="interpreter")
    assert "20,001 points in 5 chunks" in said and "equal: yes" in said


# -- Dask's arrays as arguments: what each is told of the work that stays with Dask


def centred(x: Any) -> Any:
    return (x - x.mean(axis=0)) / x.std(axis=0)


def branched(x: Any) -> Any:
    return np.where(x > 0.5, x, -x) if x.ndim == 2 else x


def products(x: Any, means: Any) -> Any:
    return np.exp(-(x @ means.T)).sum(axis=1)


def lengths(x: Any) -> Any:
    picked = x[x[:, 0] > 0.5]
    return picked.sum(axis=0)


def looped(x: Any) -> Any:
    total = x
    for k in range(3):
        total = np.sin(total) + k
    return total


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("function", [centred, lengths, products])
def test_a_dask_array_gives_what_plain_code_gives(function: Any) -> None:
    jitted = npcompile.jit(function)
    args = (functions.MEANS,) if function is products else ()
    for _ in range(3):
        answer, expected = jitted(functions.chunked(), *args), function(functions.chunked(), *args)
        assert type(answer) is type(expected) is da.Array
        assert answer.dtype == expected.dtype and str(answer.chunks) == str(expected.chunks)
        given, wanted = (one.compute(scheduler="sync") for one in (answer, expected))
        np.testing.assert_allclose(given, wanted, rtol=1e-12, atol=1e-14)
    (reason,) = jitted.stats.told
    assert reason.code is Cause.DASK_ARRAY and "map_blocks" in reason.advice


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("function", [branched, looped])
def test_kernels_do_all_work_on_chunks(function: Any) -> None:
    jitted = npcompile.jit(function)
    for _ in range(3):
        answer, expected = jitted(functions.chunked()), function(functions.chunked())
        assert type(answer) is type(expected) is da.Array
        assert answer.dtype == expected.dtype and answer.chunks == expected.chunks
        given, wanted = (one.compute(scheduler="sync") for one in (answer, expected))
        np.testing.assert_allclose(given, wanted, rtol=1e-12)
    assert jitted.stats.told == [] and jitted.stats.replays > 0


@pytest.mark.usefixtures("interpreted")
def test_dask_and_numpy_arrays_by_turns() -> None:
    jitted = npcompile.jit(centred)
    for _ in range(3):
        np.testing.assert_allclose(jitted(functions.X), centred(functions.X), rtol=1e-12, atol=1e-14)
        lazy = jitted(functions.chunked()).compute(scheduler="sync")
        np.testing.assert_allclose(lazy, centred(functions.X), rtol=1e-12, atol=1e-14)
    assert jitted.stats.replays > 0
