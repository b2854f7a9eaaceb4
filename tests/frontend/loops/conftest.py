"""Compiles loops of most parametrized tests here without optimization, which takes a third of the time.

It also calls the programs of a test file, whose loops are compiled together.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.loops.random_check import compile_loops_alone

OPTIMIZED_EVERY = 10  # of a test's parameters: the first ones, and every tenth place on from there


@pytest.fixture(autouse=True)
def _sampled_optimization(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile a sample of a function's tests as for users: the same one, whichever tests are chosen.

    Tests without parameters are compiled as for users, and so are those that set the variable themselves.
    A source that this process has compiled already stays as it was compiled.
    """
    places = request.node.callspec.indices.values() if hasattr(request.node, "callspec") else ()
    if sum(places) % OPTIMIZED_EVERY:
        monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


@pytest.fixture(scope="module")
def jitted(request: pytest.FixtureRequest) -> dict[str, tuple[Any, list[Any]]]:
    """The jitted function of each program of a file (`program`), and the outcomes of its calls."""
    with pytest.MonkeyPatch.context() as patch:
        compile_loops_alone(patch)
        return request.module.program.called()
