"""Arrays whose elements are Python objects (arrays, lists, texts, None, users' own): each call is Python's.

Compared after each of six calls: the answer and the arguments, in value, dtype, shape and type, which of the
objects in them are one object, and which arrays share memory.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.object_arrays import ALL, Arguments, Meter


def described(*things: Any) -> Any:
    """What things are, with each object that may change by the place where it was seen first."""
    seen: dict[int, int] = {}
    arrays: list[np.ndarray] = []

    def one(thing: Any) -> Any:
        kind = type(thing)
        if isinstance(thing, np.ndarray | list | tuple | dict | Meter):
            if id(thing) in seen:
                return "seen", seen[id(thing)]
            seen[id(thing)] = len(seen)
        if isinstance(thing, np.ndarray):
            if thing.dtype.hasobject:
                return kind, str(thing.dtype), thing.shape, [one(item) for item in thing.ravel("K").tolist()]
            arrays.append(thing)
            return kind, str(thing.dtype), thing.shape, thing.tobytes()
        if isinstance(thing, list | tuple):
            return kind, [one(item) for item in thing]
        if isinstance(thing, dict):
            return kind, [(key, one(item)) for key, item in thing.items()]
        if isinstance(thing, Meter):
            return kind, thing.count
        return kind, repr(thing)

    told = one(list(things))
    shared = [np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2)]
    return told, shared


def judge(function: Callable[..., Any], given: Arguments, **options: Any) -> npcompile.Jitted:
    jitted = npcompile.jit(function, wait=True, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in range(6):
            found = []
            for called, args in ((function, given(call)), (jitted, given(call))):
                try:
                    found.append(described(called(*args), args))
                except Exception as error:
                    found.append((type(error), str(error), described(args)))
            assert found[0] == found[1], f"call {call}"
    return jitted


@pytest.fixture(params=["interpreter", "kernels"], autouse=True)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    else:
        monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)


@pytest.mark.parametrize(("function", "given"), ALL, ids=lambda one: one.__name__)
def test_each_call_is_plain_pythons(function: Callable[..., Any], given: Arguments) -> None:
    judge(function, given)


def large(call: int) -> tuple[Any, ...]:
    """As `arrays`, with enough elements that kernels pay."""
    x = np.arange(200_000.0) + call
    held = np.empty(3, object)
    held[0], held[1], held[2] = (x, x, x + 1) if call < 2 else (x[1:], x.copy(), x)
    return x, held


def stored_between_blocks(x, held):
    y = np.sqrt(x + 1) * np.cos(x)
    held[1] = y
    z = np.exp(-y) + y * 3
    held[0] += 1
    return z * 2 - x


def shown_to_a_call(x, held):
    x *= 2
    x -= 1
    total = totals(held)
    x += total
    return np.sqrt(np.abs(x)) + x


def totals(held):
    return sum(float(item[:5].sum()) for item in held.tolist())


def computed_from_an_element(x, held):
    first = held[2]
    x += 1
    y = first * 2 + np.sin(first) - first[:5].sum()
    first[:] = 0
    return y + 1 + x * 3


@pytest.mark.parametrize(
    "function",
    [stored_between_blocks, shown_to_a_call, computed_from_an_element],
    ids=lambda one: one.__name__,
)
def test_work_on_arrays_beside_it_is_compiled(
    function: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    jitted = judge_closely(function, large)
    assert jitted.stats.programs > 0 and jitted.stats.replays > 0


def judge_closely(function: Callable[..., Any], given: Arguments) -> npcompile.Jitted:
    """As `judge`, but that kernels may round otherwise."""
    jitted = npcompile.jit(function, wait=True)
    for call in range(6):
        one, other = given(call), given(call)
        want, got = [function(*one), *one[1], one[0]], [jitted(*other), *other[1], other[0]]
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
        ids = [[id(item) for item in found] for found in (want, got)]
        assert [[a == b for b in ids[0]] for a in ids[0]] == [[a == b for b in ids[1]] for a in ids[1]]
    return jitted


calls: list[Any] = []


def noted(one):
    calls.append(one)
    return one


noting = np.frompyfunc(noted, 1, 1)


def told_twice(x):
    y = x * 2
    noting(len(calls))
    if y.sum() > 20:
        return y + 1
    return y


def test_a_function_of_pythons_made_a_ufunc_is_called_once_a_call() -> None:
    jitted = npcompile.jit(told_twice, wait=True)
    calls.clear()
    for call in range(8):
        np.testing.assert_array_equal(
            jitted(np.arange(4.0) + call % 3 * 3), told_twice(np.arange(4.0) + call % 3 * 3)
        )
    assert calls == list(range(16))
