"""An op of which no kernel can be made is NumPy's; the rest of the function is compiled all the same."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.not_compiled import NotCompiledError

X = np.linspace(0.0, 2.0, 20)


def moved(x):
    y = np.sin(x) * 2
    z = np.moveaxis(y.reshape(4, 5), np.array(0), 1)
    return np.cos(z) + 1


def test_one_op_that_has_no_kernel_is_a_call_of_numpy() -> None:
    jitted = npcompile.jit(moved)
    for k in range(4):
        assert np.allclose(jitted(X + k), moved(X + k), 1e-14)
        jitted.wait()
    stats = jitted.stats
    assert (stats.recordings, stats.replays, stats.plain_calls, stats.divergences) == (2, 2, 0, 0)
    assert stats.kernels == 2 and stats.host_calls == 3
    assert len(stats.reasons) == 1 and "numpy.moveaxis: no kernel can be made of it" in stats.reasons[0]


def test_strict_says_so() -> None:
    jitted = npcompile.jit(moved, strict=True)
    with pytest.raises(NotCompiledError, match="DataDependentOutputException"):
        for _ in range(2):
            jitted(X)
            jitted.wait()
