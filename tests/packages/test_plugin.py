"""`python -m tests.packages` on a small package: same outcomes pass, and each kind of difference is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.__main__ import main

MODULE = """
import warnings

import numpy as np


def doubled(x):
    return x * 2


def chosen(x, key):
    if key not in {"a": 1}:
        raise KeyError(key)
    return doubled(x) + 1


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scaled(self, x):
        return doubled(x) * self.factor

    @property
    def half(self):
        return self.factor / 2


def kind():
    return type(kind).__name__


def ends():
    if kind() == "Jitted":
        import os

        os._exit(3)


def stalls():
    while kind() == "Jitted":
        pass
"""
SAME = """
import numpy as np
import pytest

from little.core import Scaler, chosen, doubled


@pytest.mark.parametrize("length", [1, 2, 5])
def test_doubled(length):
    assert (doubled(np.ones(length)) == 2).all()


def test_raises():
    with pytest.raises(KeyError):
        chosen(np.ones(2), "b")
    assert (chosen(np.ones(2), "a") == 3).all()


def test_scaler():
    assert (Scaler(3.0).scaled(np.ones(3)) == 6).all() and Scaler(3.0).half == 1.5


def test_fails():
    assert doubled(np.ones(1)) == 3


def test_skipped():
    pytest.skip("never")


def test_random():
    assert np.random.random() == pytest.approx(0.5488135)


@pytest.fixture
def broken():
    raise OSError("no file")


def test_error(broken):
    pass
"""


def package(folder: Path, tests: str) -> Path:
    place = folder / "little"
    (place / "tests").mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "core.py": MODULE,
        "tests/__init__.py": "",
        "tests/test_it.py": tests,
    }.items():
        (place / name).write_text(text)
    return place


def test_same_outcomes_pass(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = package(tmp_path, SAME)
    assert main(["--path", str(place), "--backend", "interpreter"]) == 0
    rows = [line.split("|") for line in capfd.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row[2].strip() for row in rows] == ["run", "plain", "interpreter"]
    assert all(row[3].strip() == "6 passed, 1 failed, 1 skipped, 1 error" for row in rows[1:])
    functions, calls, replays = map(int, rows[2][5:8])
    assert functions == 7 and calls > 10 and replays > 0


DIFFERENT = """
from little import core


def test_answer():
    assert core.kind() == "function"


def test_exception():
    raise {"function": KeyError, "Jitted": OSError}[core.kind()]


def test_stall():
    core.stalls()


def test_same():
    assert core.doubled(2) == 4


def test_the_end():
    core.ends()


def test_never_reached():
    pass
"""
FOUND = [
    "test_answer: plain passed, jitted failed (AssertionError)",
    "test_exception: plain failed (KeyError), jitted failed (OSError)",
    "test_never_reached: plain passed, jitted not run",
    "test_stall: plain passed, jitted failed (Stalled)",
    "test_the_end: plain passed, jitted the process ended",
]


def test_differences_are_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = package(tmp_path, DIFFERENT)
    options = ["--path", str(place), "--backend", "interpreter", "--rounds", "1", "--timeout", "0.1"]
    assert main(options) == 1
    told = [line for line in capfd.readouterr().out.splitlines() if line.startswith("interpreter: round")]
    assert told == [f"interpreter: round 1: little/tests/test_it.py::{line}" for line in FOUND]
