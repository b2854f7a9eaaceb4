"""Five programs as they print, compared with text files beside this one: what users read stays readable.

After a change that is meant, `python -m tests.explain.test_printed_programs` writes the files anew: read the
difference.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

GOLDEN = Path(__file__).parent / "golden"
SCALE = 2.5
OFFSETS = np.array([0.5, -1.0, 2.0])


def kmeans(X, means):
    labels = np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)
    counts = np.bincount(labels, minlength=len(means))
    sums = [np.bincount(labels, weights=X[:, axis], minlength=len(means)) for axis in range(X.shape[1])]
    return labels, np.stack(sums, axis=1) / counts[:, None]


def stencil(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u[0] = 1.0
        u[:, -1] = u[:, -2]
    return u


def traced_numbers(x, n, h):
    width = h / (n - 1)
    if h > 0:
        x = x + width
    return x[: n // 2] * width**2, len(x) * n, round(width, 3)


def from_outside(x):
    return helper(x * SCALE) + OFFSETS


def helper(x):
    return np.where(x > OFFSETS.max(), x, -x)


def host_call(x):
    ordered = np.unique(x)[:2]
    x -= ordered
    return np.abs(x).sum(), ordered


def points() -> np.ndarray:
    return np.arange(12.0).reshape(6, 2)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "kmeans": (kmeans, lambda: (points(), points()[::3])),
    "stencil": (stencil, lambda: (np.arange(25.0).reshape(5, 5), 2)),
    "traced_numbers": (traced_numbers, lambda: (np.arange(8.0), 12, 0.5)),
    "from_outside": (from_outside, lambda: (np.arange(6.0).reshape(2, 3),)),
    "host_call": (host_call, lambda: (points(),)),
}


def printed(name: str) -> str:
    """The program as a user sees it, its lines counted from the function's first."""
    fn, make = PROGRAMS[name]
    jitted = npcompile.jit(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jitted(*make())
        jitted(*make())
    assert jitted.stats.replays == 1, jitted.stats
    return relative(str(jitted.programs[0])) + "\n"


def relative(text: str) -> str:
    """Line numbers as from the top of this file's functions, so that an edit above them changes nothing."""

    first = kmeans.__code__.co_firstlineno
    return re.sub(r"line (\d+)$", lambda found: f"line {int(found[1]) - first}", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_prints_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    assert printed(name) == (GOLDEN / f"{name}.txt").read_text()


def test_there_is_no_other_file() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(PROGRAMS)


if __name__ == "__main__":
    os.environ["NPCOMPILE_BACKEND"] = "interpreter"
    for name in PROGRAMS:
        (GOLDEN / f"{name}.txt").write_text(printed(name))
