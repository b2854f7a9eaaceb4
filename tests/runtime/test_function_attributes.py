"""What a jitted function is asked for, and what it asks for itself: its parameters, its kind, its frame."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


X = np.linspace(0.5, 2.0, 6)


def of_its_own_frame(x, k=2):
    frame = sys._getframe()
    y = x * k
    return y + 1, frame.f_lineno, frame.f_code.co_name, sorted(frame.f_locals)


def of_its_callers(x):
    y = x * 2
    return y, [(one.name, one.lineno) for one in traceback.extract_stack()][-1]


@pytest.mark.parametrize("function", [of_its_own_frame, of_its_callers])
def test_a_function_that_looks_at_its_frame_finds_its_own(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    with pytest.warns(npcompile.NotCompiledWarning, match="looks at its own frame"):
        same(jitted(X), function(X))
    same(jitted(X), function(X))


def of_a_breakpoint(x):
    y = x * 2
    breakpoint()
    return y + 1


def test_a_breakpoint_is_in_the_function_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def hook() -> None:
        frame = sys._getframe(1)
        seen.append((frame.f_code, frame.f_lineno, sorted(frame.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    jitted = npcompile.jit(of_a_breakpoint)
    with pytest.warns(npcompile.NotCompiledWarning, match="looks at its own frame"):
        jitted(X)
    jitted(X)
    code = of_a_breakpoint.__code__
    assert seen == [(code, code.co_firstlineno + 2, ["x", "y"])] * 2


async def later(x):
    return x


def one_by_one(x, *, k: int = 2):
    yield x * k


def test_what_functions_are_asked_for() -> None:
    """Whoever asks what kind of function it is, and of what parameters, gets the same answer."""
    functions: tuple[Any, ...] = (of_its_own_frame, later, one_by_one, lambda x, k=(1, 2): x)
    for function in functions:
        jitted = npcompile.jit(function)
        for ask in (
            inspect.signature,
            inspect.getfullargspec,
            inspect.isgeneratorfunction,
            inspect.iscoroutinefunction,
            inspect.getsource,
            inspect.getdoc,
        ):
            assert ask(jitted) == ask(function), ask
        for name in ("__code__", "__defaults__", "__kwdefaults__", "__closure__", "__globals__"):
            assert getattr(jitted, name) is getattr(function, name)
    assert not hasattr(npcompile.jit(np.sin), "__code__")


def test_defaults_set_on_the_jitted_function_are_the_functions() -> None:
    def scaled(x, k=2.0):
        return x * k

    jitted = npcompile.jit(scaled)
    for default in (2.0, 5.0, 3):
        jitted.__defaults__ = (default,)
        for _ in range(2):
            same(jitted(X), X * default)
    assert jitted.stats.replays >= 3


def by_name(x):
    y = x * 2  # noqa: F841
    return np.r_["x,y"], np.bmat("x,y; y,x")


def named_otherwise(x):
    """x, that is."""
    return np.r_["0,2", x, x + 1]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning", "ignore::PendingDeprecationWarning")
def test_texts_that_name_variables() -> None:
    for function, replays in ((by_name, 0), (named_otherwise, 2)):
        jitted = npcompile.jit(function)
        for _ in range(3):
            got, want = jitted(X), function(X)
            for mine, other in zip(got, want, strict=True):
                assert type(mine) is type(other)
                same(np.asarray(mine), np.asarray(other))
        assert jitted.stats.replays == replays


def of_its_exception(x):
    try:
        return x.reshape(7)
    except ValueError:
        error, trace = sys.exc_info()[1:]
        return str(error), {(one.filename, one.lineno, one.name) for one in traceback.extract_tb(trace)}


def test_a_traceback_within_the_function_shows_its_own_lines() -> None:
    jitted = npcompile.jit(of_its_exception)
    for x in (X, np.ones(7), X, X):
        same(jitted(x), of_its_exception(x))
