"""Functions that end in a loop with `try` or `with` in it, and `return locals()`, for `test_resume.py`."""
# Each way to write a thing is tried, and names are for `locals` to see.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

PROGRAMS: list[Any] = []


def program(make: Callable[[], dict[str, Any]]) -> Callable[[Any], Any]:
    """Add a function to those that are run. make: makes its arguments."""

    def add(function: Any) -> Any:
        PROGRAMS.append(pytest.param(function, make, id=function.__name__))
        return function

    return add


def _numbers() -> dict[str, Any]:
    return {"x": [2.0, 0.0, -1.0, 4.0, 0.0]}


@program(_numbers)
def handled(x: Any) -> Any:
    total, bad = 0.0, 0
    for i in range(len(x)):
        try:
            before = total
            total += 1 / x[i]
            last = i
        except ZeroDivisionError:
            bad += 1
    return locals()


@program(_numbers)
def handled_by_one_of_several(x: Any) -> Any:
    total, kinds = 0.0, 0
    for i in range(len(x) + 2):
        try:
            if x[i] < 0:
                raise ValueError(i)
            total += 1 / x[i]
        except (ValueError, KeyError) as error:
            kinds += 10 + error.args[0]
        except ZeroDivisionError:
            kinds += 1
        except IndexError as error:
            kinds += len(str(error))
            continue
        else:
            total += 1
        total *= 2
    return locals()


@program(_numbers)
def not_handled(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        try:
            total += 1 / x[i]
        except ValueError:
            total -= 1
    return locals()


@program(_numbers)
def raised_again(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        try:
            total += 1 / x[i]
        except ZeroDivisionError as error:
            total -= 1
            raise ValueError("none") from error
    return locals()


@program(_numbers)
def left_by_break(x: Any) -> Any:
    total, found = 0.0, -1
    for k in range(3):
        for i in range(len(x)):
            try:
                if x[i] == 4.0 and k == 1:
                    break
                if x[i] < 0 or (k == 2 and i > 2):
                    continue
                total += k / x[i]
            except ZeroDivisionError:
                found = i
                if k == 2:
                    break
        else:
            total += 100
        total += i
    return locals()


@program(_numbers)
def bound_in_the_body(x: Any) -> Any:
    total, value = 0.0, 7.0
    for i in range(len(x)):
        try:
            value = 1 / x[i]
        except ZeroDivisionError:
            pass
        try:
            other = 2 / x[i] if i else 0.5
        except ZeroDivisionError:
            other = -1.0
        total += value + other
    return locals()


@program(_numbers)
def at_last(x: Any) -> Any:
    total, count = 0.0, 0
    for i in range(len(x)):
        try:
            total += 1 / x[i]
        except ZeroDivisionError:
            total += 0.5
        finally:
            count += 1
            total += count
    return locals()


@program(_numbers)
def at_last_alone(x: Any) -> Any:
    total, count = 0.0, 0
    for i in range(len(x)):
        try:
            total += 1 / x[i]
        finally:
            count += 1
    return locals()


@program(lambda: {"x": np.array([2.0, 0.0, 4.0])})
def errors_ignored(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        with np.errstate(divide="ignore", invalid="ignore"):
            total += 1 / x[i]
            if total > 1e300:
                total = 1.0
    return locals()


@program(_numbers)
def with_and_or(x: Any) -> Any:
    total, bad = 0.0, 0
    while bad < 2 and total < 50:
        try:
            total += 1 / x[bad] if x[bad] or total > 3 else 5 // (int(x[bad]) - bad + 1)
            assert total < 3 or bad, "too large"
            total += 1
        except (ZeroDivisionError, AssertionError):
            bad += 1
    return locals()


@program(_numbers)
def left_through_finally(x: Any) -> Any:
    total, done = 0.0, []
    for i in range(len(x) + 3):
        value = -1.0
        try:
            if i == 2:
                continue
            if total > 100:
                break
            value = 1 / x[i]
            total += value
        except ZeroDivisionError:
            total += 0.5
            continue
        except IndexError:
            total += 101
        finally:
            done += [i, value]
            last = i
        total += 1
    return locals()


def returned(x: Any) -> Any:
    return 1 / x


@program(_numbers)
def in_a_function(x: Any) -> Any:
    total, bad = 0.0, ()
    for i in range(len(x)):
        try:
            total += returned(x[i])
        except Exception as error:
            bad += (str(error), error.__traceback__ is not None)
    return locals()
