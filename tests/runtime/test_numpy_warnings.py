"""Which of NumPy's warnings a replay repeats: those that the function itself has asked to see."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

ZEROS = np.array([1.0, 0.0, 2.0])


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
        yield


def recorded(x: np.ndarray) -> Any:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = 1 / x
    return y, [str(one.message) for one in seen]


def in_a_loop(x: np.ndarray) -> Any:
    found = []
    for power in (1, 2, 3):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            y = power / x**power
        found.append(y)
    return found


def inverse(x: np.ndarray) -> Any:
    return 1 / x


def by_a_helper(x: np.ndarray) -> Any:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        y = inverse(x)
    return y + 1, len(seen)


def made_errors(x: np.ndarray) -> Any:
    y = x + 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y = y + 1 / x
    except RuntimeWarning as warning:
        return y, str(warning)
    return y, "none"


def told_by_numpy(x: np.ndarray) -> Any:
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        y = np.nanmax(x * np.nan)
    return y


@pytest.mark.parametrize("fn", [recorded, in_a_loop, by_a_helper, made_errors, told_by_numpy])
def test_a_function_that_looks_for_warnings_sees_them_at_each_call(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for _ in range(4):
        same(jitted(ZEROS), fn(ZEROS))


def quiet(x: np.ndarray) -> Any:
    y = x + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        y = y + 1 / x
    return y


def test_where_warnings_are_ignored_kernels_answer() -> None:
    jitted = npcompile.jit(quiet)
    for _ in range(4):  # the first call finds that this manager is Python's
        same(jitted(ZEROS), quiet(ZEROS))
    assert jitted.stats.replays == 2


def test_a_filter_from_around_the_call_changes_nothing() -> None:
    """What a replay does not repeat: a warning of which its caller wants to know."""
    jitted = npcompile.jit(inverse)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            same(jitted(ZEROS), np.array([1.0, np.inf, 0.5]))
    assert [str(one.message) for one in seen] == ["divide by zero encountered in divide"]
    assert jitted.stats.replays == 2


def test_telling_puts_no_name_into_the_module_that_calls(recwarn: pytest.WarningsRecorder) -> None:
    """A loop over the names of a module may be running: `warnings` would add one."""
    warnings.simplefilter("default", npcompile.NotCompiledWarning)
    of_module = {"f": npcompile.jit(np.float32), "__name__": "of_a_module"}
    exec("for x in list(range(3)): f(x)\ndone = [f(2) for name in locals().values()]", of_module)
    assert set(of_module) == {"f", "x", "done", "__name__", "__builtins__"}
    told = [one for one in recwarn if one.category is npcompile.NotCompiledWarning]
    assert [(one.filename, one.lineno) for one in told] == [("<string>", 1)]
