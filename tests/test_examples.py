"""The example as a stranger runs it, and its Lloyd iterations against NumPy's own."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "kmeans.py"


@pytest.fixture
def kmeans() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_kmeans", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, timeout=600)


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
