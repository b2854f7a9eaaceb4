"""A warning with `stacklevel=2` names the line that has called the jitted function, whoever answers it."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock
from warnings import warn

import numpy as np
import pytest

import npcompile
from npcompile.frontend.rewrite.call_sites import with_users_levels

CALLS = 12
Box = types.SimpleNamespace


def plain(x: Any, box: Any) -> Any:
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    return np.sin(x) + 1


def cut(x: Any, box: Any) -> Any:
    box.log.append(len(x))
    warnings.warn("old", DeprecationWarning, 2)
    y = np.sin(x)
    print(len(y), end="")
    warn(message="odd", stacklevel=1)
    for _ in range(3):
        y = y + 1
    return y


def raising(x: Any, box: Any) -> Any:
    warn("once more", stacklevel=2)
    if box.log is not None:
        raise ValueError(len(x))
    return x


def own(x: Any, box: Any) -> Any:
    warn("own", UserWarning, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warn("never", stacklevel=2)
    return x * 2


def ambiguous(x: Any, box: Any) -> Any:
    box.warn(len(x))
    warn("own", stacklevel=1)
    return x * 2


def wrong(x: Any, box: Any) -> Any:
    y = x + 1
    warnings.warn("category", int, stacklevel=2)
    return y


FUNCTIONS = [plain, cut, raising, own, ambiguous, wrong]


def called(function: Callable[..., Any], x: Any, box: Any) -> Any:
    """Return what a call gave or raised, and where its warnings are."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            outcome: Any = function(x, box)
        except Exception as error:
            outcome = type(error), str(error)
    return outcome, [(str(one.message), one.category, one.filename, one.lineno) for one in told]


@pytest.mark.parametrize("unlimited", ["unlimited", ""])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_warning_names_the_callers_line(
    function: Callable[..., Any], unlimited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_OVERHEAD", unlimited)
    jitted = npcompile.jit(function)
    for number in range(CALLS):
        x = np.arange(3.0) + number
        want, places = called(function, x, Box(log=[], warn=lambda count: None))
        got, found = called(jitted, x, Box(log=[], warn=lambda count: None))
        np.testing.assert_equal(got, want)
        assert found == places and all(place[2] == __file__ for place in found)


def test_a_warning_that_is_an_error_shows_the_users_lines() -> None:
    jitted = npcompile.jit(cut)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(CALLS):
            with pytest.raises(DeprecationWarning, match="old") as raised:
                jitted(np.ones(3), Box(log=[]))
            assert [entry.path.name for entry in raised.traceback] == ["test_warned_callers.py"] * 2


def test_a_function_in_its_place_is_called() -> None:
    jitted = npcompile.jit(plain)
    for _ in range(CALLS):
        with mock.patch("warnings.warn") as replaced:
            jitted(np.ones(3), Box())
        replaced.assert_called_once_with("old", DeprecationWarning, stacklevel=2)


def test_other_code_stays_as_it_is() -> None:
    assert with_users_levels(own.__code__, globals()) is not own.__code__
    assert with_users_levels(own.__code__, {**globals(), "warn": print, "warnings": types}) is own.__code__
    assert with_users_levels(ambiguous.__code__, globals()) is ambiguous.__code__  # so is an attribute named
