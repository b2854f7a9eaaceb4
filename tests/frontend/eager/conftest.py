"""Counters start from nothing in each test, and no op may fail where NumPy has an answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from npcompile.frontend.eager import counters


@pytest.fixture(autouse=True)
def fresh_counters() -> Iterator[None]:
    counters.reset()
    yield
    assert not counters.op_failures
