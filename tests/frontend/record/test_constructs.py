"""What Python offers around array work: right at each call, and recorded whole where not said otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs import (
    constructs,
    constructs_flow,
    constructs_library,
    constructs_mixed,
    constructs_objects,
    constructs_order,
)

PROGRAMS = constructs.programs_of(
    constructs_flow, constructs_library, constructs_objects, constructs_mixed, constructs_order
)

# Recorded in pieces, or left to Python.
IN_PIECES = frozenset(
    """
    with_stack deque_popped class_inside data_asdict try_from format_text while_number
    """.split()
)


def outcome(fn: Callable[..., Any], seed: int) -> dict[str, Any]:
    constructs.LOG.clear()
    rng = np.random.default_rng(seed)
    box = constructs.Box(rng.random(6), seed + 0.5)
    x = rng.random(6) + 0.1
    try:
        result = fn(x, 1 + seed % 2, box)
    except Exception as error:
        result = "raised", type(error), str(error), type(error.__cause__)
    return {"result": result, "left": [x, box.y, box.t, box.log], "log": list(constructs.LOG)}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_at_each_call_and_recorded_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    plain = PROGRAMS[name]
    jitted = npcompile.jit(plain)
    for seed in range(1, 9):
        want, got = outcome(plain, seed), outcome(jitted, seed)
        same(got, want, ulp=8, scale=4.0, where=f"call {seed}")
    whole = (
        jitted.npcompile_root().block_stats.recordings == 0 and jitted.npcompile_root().own_stats.replays >= 6
    )
    assert whole is (name not in IN_PIECES), jitted.stats.reasons
    if whole:
        assert jitted.stats.plain_calls == jitted.stats.host_calls == 0
        assert jitted.stats.recordings <= 2  # a literal and the argument may be one object to CPython
