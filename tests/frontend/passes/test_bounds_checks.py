"""Indices that are sure to be in range (drawn, searched for, counted) are not checked: a program goes on
after an effect. Where they are not sure, NumPy's exception comes at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


def by_hand(x, rng):
    i = rng.permutation(len(x))
    i += 1
    i[0] = 0
    return x[i[:3] - 1]


def overwritten(x, rng):
    i = rng.integers(0, len(x), 5)
    i[2] = 50
    return x[i]


def batch(x, rng):
    order = rng.permutation(len(x))
    half = order[: len(x) // 2]
    x[half] *= 2
    return x[half[::-1]], x[order.reshape(2, -1)[1]].sum()


def nearest(x, rng):
    noise = rng.normal(size=len(x))
    d = np.abs(x[:, None] - x[None] + noise)
    j = d.argmin(axis=1)
    return d[np.arange(len(x)), j], x[j], x[np.argmax(d, 0)] * noise


def stored(x, rng):
    k = rng.choice(len(x), 3, replace=False)
    x[k] = -1.0
    np.add.at(x, rng.integers(len(x), size=4), 0.5)
    return x * 2


def resampled(x, rng):
    i = rng.integers(0, len(x), (4, len(x)))
    return x[i].mean(axis=1), x[i.T.copy()].std(0), x[i.ravel()[::2]]


SURE: dict[str, Callable[..., Any]] = {
    "drawn": lambda x, rng: x[rng.integers(0, len(x), 7)],
    "drawn below": lambda x, rng: x[rng.integers(len(x), size=7)] * 2,
    "drawn to the end": lambda x, rng: x[rng.integers(0, len(x) - 1, 7, endpoint=True)],
    "drawn from the end": lambda x, rng: x[rng.integers(-len(x), 0, 7)],
    "rows": lambda x, rng: (x[:, None] * [1.0, 2.0])[rng.choice(len(x), 2)],
    "columns": lambda x, rng: np.outer(x, x)[:, rng.permutation(len(x))],
    "both": lambda x, rng: np.outer(x, x)[rng.permutation(len(x)), rng.integers(0, 3, len(x))],
    "the module's": lambda x, rng: x[np.random.randint(0, 3, 4)] + x[np.random.permutation(4)],
    "moved": lambda x, rng: x[rng.integers(1, len(x) - 1, 7) + 1] - x[rng.integers(1, len(x), 7) - 1],
    "around": lambda x, rng: x[(rng.integers(0, 100, 7) + 1) % len(x)],
    "batch": batch,
    "nearest": nearest,
    "resampled": resampled,
}
CHECKED: dict[str, Callable[..., Any]] = {
    "one too many": lambda x, rng: x[rng.integers(0, len(x) + 1, 40)],
    "one too few": lambda x, rng: x[rng.integers(0, len(x), 40) - len(x) - 1],
    "small integers": lambda x, rng: x[rng.integers(0, 5, 40, np.int8) + 123],
    "its end": lambda x, rng: x[rng.integers(0, len(x), 40, np.int64, True)],
    "of another": lambda x, rng: x[:3][rng.permutation(len(x))],
    "along another axis": lambda x, rng: np.outer(x, x[:2])[0, rng.permutation(len(x))],
    "by hand": by_hand,
    "overwritten": overwritten,
    "stored": stored,
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", [*SURE, *CHECKED])
def test_as_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    program = (SURE | CHECKED)[name]
    jitted = npcompile.jit(program)
    streams = [np.random.default_rng(3), np.random.default_rng(3)]
    for call, length in enumerate((6, 6, 6, 8, 10, 4, 6, 10, 12)):
        found = []
        for run, rng in zip((program, jitted), streams, strict=True):
            np.random.seed(call)
            x = np.linspace(1, call + 2, length)
            try:
                answer = run(x, rng)
            except Exception as error:
                answer = type(error), str(error)
            found.append((answer, x, rng.random(), np.random.random()))
        same(found[1], found[0], 4, where=f"call {call}")


@pytest.mark.parametrize("name", SURE)
def test_it_is_one_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, rng = npcompile.jit(SURE[name]), np.random.default_rng(3)
    for call in range(5):
        jitted(np.linspace(1, call + 2, 6), rng)
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 4), jitted.stats
