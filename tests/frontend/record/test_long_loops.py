"""A recording ends before a loop over a range that it would not follow to its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.pipeline import Traced, trace
from npcompile.frontend.record.loops import MAX_INNER, MAX_OWN_TRIPS, MAX_TRIPS
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite


def filled(x, n, m):
    for i in range(n):
        for _ in range(m):
            x[0] += i
    return x


def by_a_helper(x, n, m):
    return filled(x, n, m)


def until_found(x, n):
    for i in range(n):
        x[0] += i
        if i == 2:
            break
    return x


def traced(fn: Any, *args: Any) -> Traced:
    rewritten = rewrite(fn)
    assert isinstance(rewritten, Rewritten)
    return trace(fn, rewritten, args, {}, [*fn.__code__.co_varnames[: len(args)]], None, "cpu")


@pytest.mark.parametrize(
    ("function", "n", "m", "line", "cause"),
    [
        (filled, MAX_OWN_TRIPS + 1, 1, 1, Cause.OWN_LOOP_TOO_LONG),
        (filled, 2, MAX_OWN_TRIPS + 1, 2, Cause.OWN_LOOP_TOO_LONG),
        (by_a_helper, MAX_TRIPS + 1, 2, 1, Cause.LOOP_TOO_LONG),
        (by_a_helper, 2, MAX_TRIPS + 1, 2, Cause.LOOP_TOO_LONG),
        (by_a_helper, MAX_INNER // MAX_TRIPS + 1, MAX_TRIPS, 2, Cause.LOOP_TOO_LONG),
    ],
)
def test_it_ends_at_the_header(function: Any, n: int, m: int, line: int, cause: Any) -> None:
    got = traced(function, np.zeros(3), n, m)
    assert got.program is None and got.reason is not None
    assert (got.reason.code, got.line) == (cause, filled.__code__.co_firstlineno + line)
    np.testing.assert_array_equal(got.result, function(np.zeros(3), n, m))


@pytest.mark.parametrize(("n", "m"), [(MAX_TRIPS, 1), (MAX_INNER // MAX_TRIPS, MAX_TRIPS)])
def test_a_loop_of_fewer_trips_is_followed(n: int, m: int) -> None:
    assert traced(by_a_helper, np.zeros(3), n, m).program is not None


def test_a_loop_that_may_end_before_its_last_trip_is_followed() -> None:
    assert traced(until_found, np.zeros(3), 1000).program is not None
