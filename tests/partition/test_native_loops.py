"""Native code of loops that Python goes on with, and that goes on after Python."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import npcompile


def left_in_last_trip(a: Any, big: Any) -> Any:
    first = last = -1
    for i in range(len(a)):
        if i == 0:
            first = i
        last = i
        a[i] = big * i > 1
    return first, last, i


def test_names_bound_before_native_code_leaves_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(left_in_last_trip)
    for _ in range(3):
        assert jitted(np.zeros(3), 1 << 62) == left_in_last_trip(np.zeros(3), 1 << 62)
        jitted.wait()
    assert jitted.stats.loop_leaves > 0


def left_at_its_test(a: Any, big: Any) -> Any:
    i = 0
    while big * (i + 1) > 1 and i < len(a):
        a[i] = i
        i += 1
    return i


def test_python_does_a_test_at_which_native_code_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(left_at_its_test)
    for _ in range(3):
        assert jitted(np.zeros(3), 1 << 62) == left_at_its_test(np.zeros(3), 1 << 62)
        jitted.wait()
    assert jitted.stats.loop_leaves > 0


def raising_by_errstate(a: Any) -> Any:
    total = 0.0
    with np.errstate(divide="raise"):
        for i in range(len(a)):
            total += a[1] / a[i]
    return total


def raising_by_a_filter(a: Any) -> Any:
    total = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(len(a)):
            total += a[1] / a[i]
    return total


def raising_from_a_trip_on(a: Any, text: str) -> Any:
    total = 0.0
    with np.errstate(divide="ignore"):
        for i in range(len(a)):
            if i == 3:
                np.seterr(**{text: "raise"})  # Python does it, and native code would go on
            total += a[1] / a[i]
    return total


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (raising_by_errstate, (), FloatingPointError),
        (raising_by_a_filter, (), RuntimeWarning),
        (raising_from_a_trip_on, ("divide",), FloatingPointError),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_errors_that_numpy_is_to_raise_are_raised(
    function: Any, args: tuple[Any, ...], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(function)
    for _ in range(3):
        assert jitted(np.arange(1.0, 9.0), *args) == function(np.arange(1.0, 9.0), *args)
        jitted.wait()
    for _ in range(2):
        with pytest.raises(error, match="divide by zero"):
            jitted(np.append(np.arange(1.0, 9.0), 0.0), *args)


def overflowing(a: Any, factor: int) -> Any:
    total = 1
    for i in range(len(a)):
        total = total * factor + i
        a[i] = total % 97
    return total


def missing_an_item(a: Any, factor: int) -> Any:
    for i in range(len(a) + 1):
        a[i] = factor
    return a


def raised(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize(
    "function, overflows, reason",
    [(overflowing, True, "a Python int beyond 64 bits"), (missing_an_item, False, "IndexError")],
)
def test_leaves_are_counted_by_line_and_reason(
    function: Any, overflows: bool, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(function)
    for _ in range(3):
        assert raised(jitted, np.zeros(30), 1000) == raised(function, np.zeros(30), 1000)
        jitted.wait()
    stats, line = jitted.stats, function.__code__.co_firstlineno + (3 if overflows else 2)
    assert stats.leave_reasons == {f"line {line}: {reason}": stats.loop_leaves} and stats.loop_leaves > 0
    assert stats.loop_overflows == (stats.loop_leaves if overflows else 0)
    if overflows:
        (loop,) = npcompile.explain(jitted, np.zeros(30), 1000).loops
        assert loop.left == ((line, reason, jitted.stats.loop_leaves),)
        assert f"left {jitted.stats.loop_leaves} times at line {line}: {reason}" in str(loop)


WAITING: list[npcompile.Jitted] = []


def wait_for_native_code() -> None:
    for jitted in WAITING:
        jitted.wait()


def summing_from_an_exact_zero(a: Any) -> Any:
    total = 0.0
    for i in range(len(a)):
        if i < 4:
            wait_for_native_code()
        total += a[i]
    return total


def summing_items(a: Any) -> Any:
    total = 0.0
    for k, value in enumerate(a):
        if k < 4:
            wait_for_native_code()
        total += value
    return total


@pytest.mark.parametrize("function", [summing_from_an_exact_zero, summing_items])
def test_a_first_call_goes_on_natively_with_the_types_that_its_names_have_taken(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(function)
    WAITING[:] = [jitted]
    assert jitted(np.arange(30.0)) == function(np.arange(30.0))
    WAITING.clear()
    assert jitted.stats.loop_entries > 0


def counting_over_a_length(a: Any) -> Any:
    checksum = 0
    for i in range(len(a)):
        checksum = (checksum * 31 + i) % 1009
    return checksum


def calling_lambdas_within_calls(a: Any) -> Any:
    square = lambda one: one * one  # noqa: E731

    def larger(one: Any, other: Any) -> Any:
        return one if one > other else other

    total = 0.0
    for value in a:
        total = larger(total, square(value)) + square(larger(value, 0.5))
    return total


@pytest.mark.parametrize("function", [counting_over_a_length, calling_lambdas_within_calls])
def test_numbers_and_calls_of_nested_functions_within_calls_are_native(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(function)
    for _ in range(3):
        assert jitted(np.arange(40.0)) == function(np.arange(40.0))
        jitted.wait()
    assert jitted.stats.loop_entries > 0
    assert jitted.stats.loop_leaves == 0


def rebinding(a: Any) -> Any:
    def first(one: Any, other: Any) -> Any:
        return one - other

    def second(one: Any, other: Any) -> Any:
        return one + other

    def switched(one: Any) -> Any:
        nonlocal first
        first = second
        return one

    total = 0.0
    for value in a:
        total = first(total, switched(value))
    return total


def test_a_function_that_a_call_binds_anew_is_called_as_it_was_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(rebinding)
    for _ in range(3):
        assert jitted(np.arange(40.0)) == rebinding(np.arange(40.0)) == np.arange(1.0, 40.0).sum()
        jitted.wait()
