"""What NumPy's generators pick and mix (`choice`, `permutation`): their own streams at each call, in order,
and the array work around them in one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

PROGRAMS: dict[str, Callable[..., Any]] = {
    "a mixed range": lambda x, rng: rng.permutation(len(x)) * 2.5 + x,
    "a mixed array": lambda x, rng: rng.permutation(x) - x,
    "mixed rows": lambda x, rng: rng.permutation(x[:, None] * [1.0, 2.0]).sum(1),
    "mixed columns": lambda x, rng: rng.permutation(x[:4].reshape(2, 2).T, axis=1) * 2,
    "picked numbers": lambda x, rng: rng.choice(5, 3) + x[:3],
    "one picked number": lambda x, rng: rng.choice(7) * x,
    "one picked element": lambda x, rng: rng.choice(x) * x,
    "picked elements": lambda x, rng: rng.choice(x, size=(2, 3), replace=True).mean(0),
    "picked rows": lambda x, rng: rng.choice(x[:, None] * [1.0, 2.0], 2, axis=0) * 2,
    "by weights": lambda x, rng: rng.choice(x, 4, p=np.abs(x) / np.abs(x).sum()) - 1,
    "of what is worked out": lambda x, rng: (
        rng.choice(x * 2 - 1, 3, replace=False) + rng.permutation(x * x)[:3]
    ),
    "of a range": lambda x, rng: rng.choice(range(2, 9), 3) * x[0],
    "names": lambda x, rng: (rng.choice(["a", "b"], 2), x * 2),
    "the module's": lambda x, rng: np.random.permutation(x) + np.random.choice(3, len(x)),
    "refused": lambda x, rng: rng.choice(3, 5, replace=False) * x[0],
    "of nothing": lambda x, rng: rng.choice(x[:0]) + x,
}


def written(x, rng):
    y = x * 2
    one = rng.permutation(y)
    y *= 3
    other = rng.choice(y, len(y), replace=False)
    one += y
    return one, other, rng.permutation(one), x


def bootstrap(x, rng):
    means = np.empty(3)
    for k in range(3):
        means[k] = rng.choice(x, len(x)).mean()
    return means, np.percentile(means, [5, 95])


PROGRAMS |= {"written": written, "a bootstrap": bootstrap}
FOLLOWED = [
    name
    for name in PROGRAMS
    if name not in ("names", "refused", "of nothing", "one picked number", "a bootstrap")
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_streams_are_numpys(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    program = PROGRAMS[name]
    jitted = npcompile.jit(program)
    streams = [np.random.default_rng(3), np.random.default_rng(3)]
    for call, length in enumerate((6, 6, 6, 7, 9, 8, 6, 10, 9)):
        found = []
        for run, rng in zip((program, jitted), streams, strict=True):
            np.random.seed(call)
            x = np.linspace(1, call + 2, length).astype("f4" if call == 5 else "f8")
            try:
                answer = run(x, rng)
            except Exception as error:
                answer = type(error), str(error)
            found.append((answer, np.random.random(), rng.random(), x))
        same(found[1], found[0], 4, where=f"call {call}")


@pytest.mark.parametrize("name", FOLLOWED)
def test_it_is_recorded_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, rng = npcompile.jit(PROGRAMS[name]), np.random.default_rng(3)
    for call in range(5):
        jitted(np.linspace(1, call + 2, 6), rng)
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 4), jitted.stats
