"""One function per way in which a call can turn out otherwise than the one recorded, after an effect.

A row of `DIVERGING`: the function, arguments to record and replay it with, and those that make it diverge.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.classes import JOURNAL, State, entered

S = State()
THERE = tempfile.gettempdir()


def reset() -> None:
    JOURNAL.clear()
    np.random.seed(0)
    S.__init__()  # type: ignore[misc]


class Stop(BaseException):
    """As KeyboardInterrupt: not an Exception."""


def call(value: Any, limit: float = 20.0) -> None:
    """A callback that may interrupt."""
    JOURNAL.append(("call", float(value)))
    if value > limit:
        raise KeyboardInterrupt("from the callback")


def unseen_branch_after_an_effect(x):
    y = x * 2
    JOURNAL.append("before")
    if y.sum() > 20:
        S.n += 1
        return y - 1
    return y + 1


def unseen_branch_after_a_write(x):
    x += 1
    S.u = x * 2
    if x.max() > 4:
        x *= 0.5
    return x + S.u


def two_branches_after_effects(x):
    JOURNAL.append("one")
    if x.sum() > 10:
        S.n += 1
    JOURNAL.append("two")
    x[0] = 0
    if x.max() > 4:
        S.n += 10
    JOURNAL.append("three")
    return x * S.n


def size_after_an_effect(x):
    S.n += 1
    part = x[x > 2]
    JOURNAL.append(part.size)
    return part * 2


def unique_after_an_effect(x):
    JOURNAL.append("before")
    x *= 2
    return np.unique(x) + 1


def nonzero_in_a_loop(x):
    for _ in range(3):
        x = x + 0.5
        S.hist.append(int(np.nonzero(x > 3)[0].sum()))
    return x


def index_error_after_a_write(x):
    x += 1
    S.u = x * 2
    return S.u[int(x[0])]


def index_error_in_a_loop(x):
    at = 0
    for i in range(6):
        x[i % 4] += 1
        JOURNAL.append((i, float(x[at])))
        at = int(x[i % 4])
    return x


def key_error(x):
    table = {0.0: "zero", 1.0: "one", 2.0: "two"}
    x *= 1
    JOURNAL.append("before")
    name = table[float(x[0])]
    S.n += 1
    return x * 2, name


def assertion(x):
    S.u = x * 2
    assert S.u.max() < 20, f"too large: {S.u.max()}"
    JOURNAL.append("after")
    return S.u + 1


def linalg_error(x):
    matrix = np.outer(x, x) + np.diag(x)
    JOURNAL.append("before")
    S.u = np.linalg.solve(matrix, x)
    JOURNAL.append("after")
    return S.u.round(6)


def linalg_error_caught(x):
    matrix = np.diag(x)
    try:
        S.n += 1
        found = np.linalg.inv(matrix)
    except np.linalg.LinAlgError as error:
        JOURNAL.append(str(error))
        found = matrix
    return found * 2


def _inverse_or_itself(matrix):
    try:
        print("inverting")
        S.n += 1
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return matrix * 2


def _inverse_and_a_note(matrix):
    try:
        np.random.random()
        return np.linalg.inv(matrix)
    finally:
        S.n += 1


def linalg_error_caught_by_a_helper(x):
    return _inverse_or_itself(np.diag(x)) + 1


def linalg_error_through_a_helper(x):
    return _inverse_and_a_note(np.diag(x)) + 1


def linalg_error_between_stores(x):
    S.u = x + np.random.random()
    S.n += 1
    found = np.linalg.inv(np.diag(x))
    S.n += 1
    return found


def linalg_error_after_a_write_and_a_store(x):
    x += 1
    S.n += 1
    return np.linalg.inv(np.diag(x - 1))


def value_error_of_shapes(x):
    x += 1
    JOURNAL.append("before")
    y = x[: int(x[0])] + x[:2]
    S.n += 1
    return y


def division_by_zero(x):
    S.t += 1
    rate = 1 / int(x[0])
    JOURNAL.append(rate)
    return x * rate


def stop_iteration(x):
    parts = iter([x, x * 2])
    x = x + 1
    for i in range(int(x[0])):
        JOURNAL.append(i)
        S.u = S.u + next(parts)
    return S.u * 2


def raised_midway(x):
    for i in range(4):
        x[i] *= 2
        S.n += 1
        if x[i] > 8:
            raise ValueError(f"{i}: {x[i]}") from KeyError(i)
    return x


def raised_midway_and_caught(x):
    try:
        for i in range(4):
            x[i] *= 2
            S.n += 1
            if x[i] > 8:
                raise ValueError(str(x[i]))
    except ValueError as error:
        JOURNAL.append(str(error))
        x = -x
    finally:
        S.hist.append(x.copy())
    return x + i


def warning_as_error(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S.n += 1
        with np.errstate(all="warn"):
            y = 1 / x
        JOURNAL.append("after")
    return y + 1


def floating_point_error(x):
    S.n += 1
    with np.errstate(divide="raise"):
        y = 1 / x
    JOURNAL.append("after")
    return y + 1


def interrupt_in_a_callback(x, f=call):
    x += 1
    S.u = x * 2
    f(x.sum())
    S.n += 1
    return x + S.u


def interrupt_in_a_loop(x, f=call):
    for i in range(5):
        x += i
        S.u = x * 2
        f(x.sum())
    return x


def not_an_exception(x):
    x += 1
    if x.max() > 8:
        raise Stop(float(x.max()))
    S.n += 1
    return x * 2


def raised_in_a_helper(x):
    y = x * 2
    JOURNAL.append("before")
    z = _refuse(y)
    S.n += 1
    return z


def _refuse(y):
    y += 1
    if y.max() > 12:
        raise OverflowError(f"of {y.shape}")
    return y * 2


def raised_in_a_method(x):
    for _ in range(3):
        S.step(x)
        _refuse(S.u)
    return S.u * S.t


def raised_in_a_with(x):
    with entered("block"):
        x += 1
        y = _refuse(x)
        JOURNAL.append("inside")
    return y


def more_trips(x):
    n = 0
    while x.max() > 1:
        x = x * 0.5
        n += 1
        JOURNAL.append(n)
    return x, n


def another_type(x):
    JOURNAL.append("before")
    scale = 2 if x.sum() < 10 else 2.5
    S.n += 1
    return x * scale, scale


def raised_from_another(x):
    def limited(v):
        x[:] += 1
        call(v.sum() * 10)
        return v

    try:
        y = limited(x * 2)
    except KeyboardInterrupt as interrupt:
        JOURNAL.append("caught")
        raise KeyError("outer") from interrupt
    return y


def _touched(x, path):
    JOURNAL.append("touched")
    os.utime(path)
    return x + 1


def raised_by_a_call_in_a_helper(x):
    JOURNAL.append("before")
    x += 1
    y = S.applied(_touched, x, THERE if x.max() < 8 else THERE + "not")
    JOURNAL.append("after")
    return y


def raised_by_a_call_in_a_helper_for_what_is_outside(x):
    y = x * 2
    JOURNAL.append("before")
    S.path = str(THERE + "not" * int(x.max() > 8))
    y = _touched(y, S.path)
    return y


def raised_while_another_is_handled(x):
    x += 1
    try:
        _refuse(x * 3)
    except OverflowError:
        JOURNAL.append("caught")
        return x + {}[len(JOURNAL)]
    return x


LOW, HIGH, ZERO = (1.0, 2.0, 1.5, 1.0), (2.0, 3.0, 4.0, 9.0), (0.0, 2.0, 1.5, 1.0)
DIVERGING: list[tuple[Callable[..., Any], tuple[float, ...], tuple[float, ...]]] = [
    (unseen_branch_after_an_effect, LOW, HIGH),
    (unseen_branch_after_a_write, LOW, HIGH),
    (two_branches_after_effects, LOW, HIGH),
    (two_branches_after_effects, HIGH, LOW),
    (size_after_an_effect, LOW, HIGH),
    (unique_after_an_effect, LOW, HIGH),
    (nonzero_in_a_loop, LOW, HIGH),
    (index_error_after_a_write, LOW, HIGH),
    (index_error_in_a_loop, LOW, HIGH),
    (key_error, LOW, (5.0, 2.0, 1.0, 1.0)),
    (key_error, LOW, ZERO),
    (assertion, LOW, (11.0, 2.0, 1.0, 1.0)),
    (linalg_error, LOW, (0.0, 0.0, 1.0, 1.0)),
    (linalg_error_caught, LOW, ZERO),
    (linalg_error_caught_by_a_helper, LOW, ZERO),
    (linalg_error_through_a_helper, LOW, ZERO),
    (linalg_error_between_stores, LOW, ZERO),
    (linalg_error_after_a_write_and_a_store, LOW, ZERO),
    (value_error_of_shapes, LOW, HIGH),
    (division_by_zero, LOW, ZERO),
    (stop_iteration, LOW, HIGH),
    (raised_midway, LOW, HIGH),
    (raised_midway_and_caught, LOW, HIGH),
    (warning_as_error, LOW, ZERO),
    (floating_point_error, LOW, ZERO),
    (interrupt_in_a_callback, LOW, HIGH),
    (interrupt_in_a_loop, LOW, HIGH),
    (not_an_exception, LOW, HIGH),
    (raised_in_a_helper, LOW, HIGH),
    (raised_by_a_call_in_a_helper, LOW, HIGH),
    (raised_by_a_call_in_a_helper_for_what_is_outside, LOW, HIGH),
    (raised_from_another, (0.1, 0.1), HIGH),
    (raised_while_another_is_handled, LOW, HIGH),
    (raised_in_a_method, LOW, HIGH),
    (raised_in_a_with, LOW, HIGH),
    (more_trips, LOW, HIGH),
    (another_type, LOW, HIGH),
]
