"""`x.resize(...)` in jitted functions: NumPy counts references, and those of ours are not to count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

CALLS = 4


def made(x: Any) -> Any:
    b = x * 2
    b.resize((5,))
    return b + 1


def zeros(x: Any) -> Any:
    b = np.zeros(3)
    b.resize(2, 4)
    b[1, 1] = x[0]
    return b


def given(x: Any) -> Any:
    x.resize(2, 4)
    return x + 1


def unchecked(x: Any) -> Any:
    x.resize(2, 4, refcheck=False)
    return x + 1


def last(x: Any) -> None:
    b = x + 1
    b.resize(7)


def in_loop(x: Any) -> Any:
    found = np.empty(0)
    for step in range(5):
        n = len(found)
        found.resize(n + 2)
        found[n:] = x[0] + step
    return found


def longer(a: Any) -> Any:
    a.resize(6)
    return a


def by_helper(x: Any) -> Any:
    y = x * 3
    return longer(y + 1) + x.sum()


def smaller_given(x: Any) -> Any:
    y = x + 1
    x.resize(2)
    return x, y


def with_view(x: Any) -> Any:
    b = x + 1
    v = b[:2]
    b.resize(5)
    return b, v


def two_names(x: Any) -> Any:
    b = x + 1
    c = b
    b.resize(5)
    return b, c


def caught(x: Any) -> Any:
    b = x + 1
    v = b[:2]
    try:
        b.resize(5)
    except ValueError:
        b = np.resize(b, 5)
    return b + v[0]


def unbound(x: Any) -> Any:
    b = x * 2
    np.ndarray.resize(b, 5)
    return b + 1


def unbound_of_shape(x: Any) -> Any:
    b = np.zeros((2, 3))
    np.ndarray.resize(b, (3, 3))
    return b + x


def unbound_unchecked(x: Any) -> Any:
    b = x * 2
    c = b
    np.ndarray.resize(b, 5, refcheck=False)
    return b, c


def unbound_two_names(x: Any) -> Any:
    b = x * 2
    c = b
    np.ndarray.resize(b, 5)
    return b, c


def unbound_with_view(x: Any) -> Any:
    b = x * 2
    v = b[:1]
    np.ndarray.resize(b, 5)
    return b, v


def unbound_given(x: Any) -> Any:
    np.ndarray.resize(x, (2, 4))
    return x + 1


def unbound_in_loop(x: Any) -> Any:
    b = x * 2
    for step in range(3):
        np.ndarray.resize(b, 5 + step)
    return b


def unbound_of_item(x: Any) -> Any:
    held = [x * 2]
    np.ndarray.resize(held[0], 5)
    return held[0]


def by_its_method(x: Any) -> Any:
    b = x * 2
    method = b.resize
    method(5)
    return b


resize_of_any = np.ndarray.resize


def by_another_name(x: Any) -> Any:
    b = x * 2
    resize_of_any(b, 5)
    return b + x[0]


FUNCTIONS = [made, zeros, given, unchecked, last, in_loop, by_helper, smaller_given, with_view, two_names]
FUNCTIONS += [caught, unbound, unbound_of_shape, unbound_unchecked, unbound_two_names, unbound_with_view]
FUNCTIONS += [unbound_given, unbound_in_loop, unbound_of_item, by_another_name]
FUNCTIONS += [by_its_method]


def answer(f: Callable[..., Any]) -> Any:
    try:
        return f(np.arange(3.0))
    except ValueError as error:
        return type(error), str(error)[:30]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_resizing_is_as_in_plain_python(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(f)
    for _ in range(CALLS):
        np.testing.assert_equal(answer(jitted), answer(f))


def test_what_is_no_switch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def bound(x: Any) -> None:
        b = x + 1
        b.resize(5, refcheck="no")

    def unbound(x: Any) -> None:
        b = x + 1
        np.ndarray.resize(b, 5, refcheck="no")

    for f in (bound, unbound):
        jitted = npcompile.jit(f)
        for _ in range(CALLS):
            with pytest.raises(TypeError):
                jitted(np.arange(3.0))


def test_a_caller_that_has_the_array_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(given)
    for _ in range(CALLS):
        x = np.arange(3.0)
        v = x[1:]
        with pytest.raises(ValueError, match="cannot resize"):
            jitted(x)
        with pytest.raises(ValueError, match="cannot resize"):
            jitted(*(x,))
        assert v.sum() == 3
