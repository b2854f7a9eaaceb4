"""Numbers whose type follows from values: the greater of an int and a float, a power that may be complex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 4.0)
WHOLE = np.arange(5)
SINGLE = np.arange(5, dtype=np.float32)


def at_least_none(x, k):
    return WHOLE + max(x.max(), 0)


def told_first(x, k):
    print("greatest:")
    return WHOLE + max(x.max(), 0)


def stored_first(x, k):
    LOG.append(k)
    return WHOLE * min(k, 2.5)


def of_several(x, k):
    return SINGLE * max([x.sum(), np.float32(1), k]), max(x.min(), 0.5) * SINGLE


def of_a_row(x, k):
    kept = np.zeros(3)
    for j in range(3):
        kept[j] = np.sign(x[j]) * max(abs(x[j]) - k, 0) / 2
    return kept


def power(x, k):
    return WHOLE * k ** int(x[0])


def power_of_a_truth(x, k):
    return WHOLE * True ** int(x[0])


def root(x, k):
    return WHOLE * (k - 2) ** 0.5, k**2, 2**k


LOG: list[Any] = []
FUNCTIONS = (at_least_none, told_first, stored_first, of_several, of_a_row, power, power_of_a_truth, root)
CALLS = ((X, 3), (-X, 3), (X, 1), (X, 1.5), (-X, -1.5), (X, 3), (-X, 1), (X * 0.3, 0.7))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("backend", ["interpreter", None])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_the_type_is_pythons(
    fn: Callable[..., Any],
    backend: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    jitted = npcompile.jit(fn)
    for x, k in CALLS * 3:
        seen = []
        for call in (fn, jitted):
            LOG.clear()
            seen.append((call(x, k), list(LOG), capsys.readouterr().out))
        same(*reversed(seen))
        jitted.wait()
    assert jitted.stats.replays or backend is None
