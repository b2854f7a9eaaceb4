"""Numbers that are computed take part in np.stack, np.concatenate and np.pad: no value is decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

JOINED = [
    lambda x, k: np.stack([x[0] * 2, x[1] + x[2]], -1),
    lambda x, k: np.stack([x[0] * 2, k + 1]),
    lambda x, k: np.hstack([k * 2, x]),
    lambda x, k: np.hstack((k + k, 1.5, True)),
    lambda x, k: np.vstack(((k, 1), (x[0], x[1]))),
    lambda x, k: np.dstack([x[0] * 2, x[1] + x[2]]),
    lambda x, k: np.column_stack([x.sum(), k]),
    lambda x, k: np.concatenate([x, [x[0] * 2]]),
    lambda x, k: np.concatenate([[k, k + 1], x[:2], [0.0]]),
    lambda x, k: np.concatenate(([k], (x.sum(), 2)), axis=0),
    lambda x, k: np.atleast_1d(x[0] * 2),
    lambda x, k: np.atleast_1d(x[0] * 2, x, k),
    lambda x, k: np.atleast_2d(x.max() + k),
    lambda x, k: np.atleast_3d(x.max() + k),
    lambda x, k: np.pad(x, 1, constant_values=k),
    lambda x, k: np.pad(x, (0, 2), "constant", constant_values=x[0] * 2),
    lambda x, k: np.flip([x[0] * 2, k, 3]),
    lambda x, k: np.rot90([[x[0], k]], 3) + np.fliplr(((1, k),))[0, 0],
    lambda x, k: np.select([x > 3, x > 5], [x, 2], k),
    lambda x, k: np.broadcast_arrays(x, k)[1] + 1,
    lambda x, k: np.broadcast_arrays([k, 1], [[k], [2]])[0] * 2,
    lambda x, k: np.lexsort([[k, 2, k], [x[0], 3, x[1]]]),
    lambda x, k: (y := x.copy(), np.put_along_axis(y, np.array([0, 2]), k, 0))[0],
    lambda x, k: np.r_[k, x, k],
    lambda x, k: np.add([x[0], x[1]], k),
    lambda x, k: np.maximum(((x[0], x[1]), (x[2], x[0])), k),
]


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.mark.parametrize("place", range(len(JOINED)))
def test_one_program_for_all_values(place: int) -> None:
    function: Any = JOINED[place]
    jitted = npcompile.jit(function)
    for call in range(8):
        x, k = np.arange(4.0) + 1 + call * 0.37, 2.5 + call
        same(jitted(x, k), function(x, k), ulp=2)
    assert jitted.stats.recordings == 1 and jitted.stats.replays == 7
    assert jitted.stats.host_calls == 0


# Beside an int that no dtype holds, NumPy makes arrays of Python objects: those are Python's.
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("place", range(len(JOINED)))
def test_whatever_their_types(place: int) -> None:
    function: Any = JOINED[place]
    jitted = npcompile.jit(function)
    numbers = (3, 5, -300, 2**40, 2**63, 2**64 + 1, -(2**70), 2.5, 7.25, True, False)
    numbers += (np.int32(3), np.int32(9), np.float32(2), np.float32(3), 1j)
    for dtype in (np.float64, np.int64, np.int8, np.float32):
        for k in numbers:
            x = np.arange(4).astype(dtype) + dtype(3)
            try:
                expected = function(x.copy(), k)
            except Exception as error:
                with pytest.raises(type(error)):
                    jitted(x, k)
            else:
                same(jitted(x, k), expected, ulp=2)
