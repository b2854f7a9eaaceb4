"""Compiles loops of most parametrized tests here without optimization, which takes a third of the time."""

from __future__ import annotations

import pytest

OPTIMIZED_EVERY = 6  # of a test's parameters: the first ones, and every sixth place on from there


@pytest.fixture(autouse=True)
def _sampled_optimization(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile a sample of a function's tests as for users: the same one, whichever tests are chosen.

    Tests without parameters are compiled as for users, and so are those that set the variable themselves.
    A source that this process has compiled already stays as it was compiled.
    """
    places = request.node.callspec.indices.values() if hasattr(request.node, "callspec") else ()
    if sum(places) % OPTIMIZED_EVERY:
        monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
