"""Loops with `try` and `with` in them: their bodies are native, and Python does the handlers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

X = np.linspace(-1, 1, 41)
ZEROS = np.where(np.arange(41) % 7 == 3, 0.0, X + 2)
program = Programs()


@program(ZEROS)
@program(X + 2)
@program(X[:1] + 2)
@program(X[:0])
def inverses(x: Any) -> Any:
    total, bad = 0.0, []
    for i in range(len(x)):
        try:
            value = 1 / float(x[i])
        except ZeroDivisionError:
            bad.append(i)
            value = -1.0
        total += value
    return total, bad, type(total)


@program([3, 1, 4, 1, 5], 12)
@program([3, 1], 2)
def by_index(a: Any, n: Any) -> Any:
    found, missing = 0, 0
    for i in range(n):
        try:
            found += a[a[i]]
        except IndexError:
            missing += i
    return found, missing


@program(ZEROS, 0.5)
def by_kind(x: Any, least: Any) -> Any:
    low, zero = 0, ()
    total = 0.0
    for i in range(len(x)):
        try:
            if x[i] < least:
                raise ValueError(f"{i} is low")
            total += x[i]
        except ValueError as error:
            low += 1
            zero = (i, str(error))
        else:
            total *= 0.5
    return low, zero, total


@program(np.arange(30), 1 << 58)
def large(x: Any, factor: Any) -> Any:
    over, total = 0, 0
    for i in range(len(x)):
        try:
            total = int(x[i]) * factor
            if total > 1 << 62:
                raise OverflowError
        except OverflowError:
            over += total
    return over, total


def halved(x: Any, out: Any, i: Any) -> Any:
    out[i] = x[i]
    out[i + 1] = 1 / float(x[i])
    return out[i] + 1


@program(ZEROS, np.zeros(42))
def with_a_function_that_stores(x: Any, out: Any) -> Any:
    bad, total = 0, 0.0
    for i in range(len(x)):
        try:
            total += halved(x, out, i)
        except ZeroDivisionError as error:
            bad += len(str(error))
    return total, bad, out


@program(ZEROS)
def within_a_function(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += safe(float(x[i]))
    return total


def safe(v: Any) -> Any:
    try:
        return 1 / v
    except ZeroDivisionError:
        return 0.25


@program(ZEROS)
def uncaught(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        try:
            total += 1 / float(x[i])
        except ValueError:
            total = 0.0
    return total


@program(ZEROS)
def errors_ignored(x: Any) -> Any:
    total, infinite = 0.0, 0
    for i in range(len(x)):
        with np.errstate(divide="ignore"):
            value = 1 / x[i]
        if np.isinf(value):
            infinite += 1
        else:
            total += value
    return total, infinite


@program(ZEROS, native=None)
def errors_raised(x: Any) -> Any:
    total, bad = 0.0, 0
    for i in range(len(x)):
        try:
            with np.errstate(divide="raise"):
                total += 1 / x[i]
        except FloatingPointError:
            bad += 1
    return total, bad


@program(ZEROS)
def at_last(x: Any) -> Any:
    total, count = 0.0, 0
    for i in range(len(x)):
        try:
            total += 1 / float(x[i])
        except ZeroDivisionError:
            total = 0.5
        finally:
            count += 1
    return total, count


@program(np.arange(1, 60.0).reshape(-1, 1), 7)
def until_it_fails(x: Any, n: Any) -> Any:
    rows = 0.0
    for k in range(3):
        for i in range(len(x)):
            try:
                rows += x[i, 0] / (n - i if k == 1 else 2)
                if i == n:
                    break
            except ZeroDivisionError:
                break
    return rows, i, k


@program(ZEROS, native=False)
@program(X + 2, native=False)
def a_name_that_a_handler_deletes(x: Any) -> Any:
    error, total = 5, 0.0
    for i in range(len(x)):
        try:
            total += 1 / float(x[i])
        except ZeroDivisionError as error:  # noqa: F841
            total -= 1
    return total, error


@program(X, X)
@program(ZEROS, X[:2])
def a_name_that_the_loop_binds_before_it_reads_it(x: Any, y: Any) -> Any:
    scaled, product = x * 2, 7  # the loop never reads this value: no block needs to give it
    total, at = 0.0, 0
    while True:
        at += 1
        if at >= len(x):
            break
        if y[0] < np.dot(y, y):
            try:
                product = y[at]
            except IndexError:
                continue
            else:
                product = product + 1
            finally:
                total += 0.5
    return scaled, total, at


@program(ZEROS)
def names_of_which_some_are_bound(x: Any) -> Any:
    one, other, total, label = -1.0, -2.0, 0.0, "none"
    for i in range(len(x)):
        try:
            other = float(i)
            one = 1 / float(x[i])
            other = one
        except ZeroDivisionError:
            label = f"bad {i}"
        total += one * 2 + other
    return total, one, other, label


@program(ZEROS)
@program(X + 2)
def returns(x: Any) -> Any:
    for i in range(len(x)):
        try:
            if x[i] > 2.9:
                return i
            inverse = 1 / float(x[i])
        except ZeroDivisionError:
            return -i
    return inverse


@program(ZEROS)
@program(X + 2)
@program((X * 20).tolist())
def left_through_finally(x: Any) -> Any:
    out, tries, i = [], 0, -1
    for i in range(len(x)):
        try:
            if x[i] == 1.5:
                continue
            if tries > 400:
                break
            out.append(1 / float(x[i]))
        except ZeroDivisionError:
            out.append(-1.0)
            continue
        finally:
            tries += i
        out[-1] += 1
    return out, tries, i


def first_above(x: Any, least: Any, seen: Any) -> Any:
    for i in range(len(x)):
        try:
            if x[i] > least:
                return i + 1 // int(x[i] + 1)
            if x[i] == 1.5:
                return
        finally:
            seen.append(i)
            least -= 1
    return -1


@program(ZEROS)
@program(X + 2)
@program((X * 20).tolist())
def a_function_returns_through_finally(x: Any) -> Any:
    seen, found = [], []
    for k in range(30):
        at = first_above(x, 35.0 - k, seen)
        found.append(-9 if at is None else at)
    return seen, found


@program([1.5, 2.5], 60)
@program([*range(90)], 60)
def finally_sees_what_was_bound(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        bound = 1
        try:
            bound = 2
            item = x[i]
            bound = 3
            total = total + item
            if i % 5 == 0:
                continue
            bound = 0.25
        except IndexError:
            total += 100
        finally:
            total = total * 0.5 + bound
    return total


@program([*range(50)], 45)
@program([*range(50)], 48)
def finally_raises(x: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        for j in range(4):
            try:
                if j == 2:
                    break
                if (i + j) % 3 == 0:
                    continue
                total += x[i]
            finally:
                total += x[i + j + 1]
        else:
            total -= 1000
    return total


@program(X, 3)
@program(X, 38)
@program([1, 2, 3], 0)
@program(X, 5000)
def a_function_returns_after_its_loop(x: Any, k: Any) -> Any:
    for _ in range(20):
        k += 1
    try:
        if k > 40:
            return x[k]
    except IndexError:
        return -1
    return 0


@pytest.mark.parametrize("name", program.cases)
def test_jitted_as_plain(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
