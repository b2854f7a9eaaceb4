"""Programs with loops of each kind, for what a call does when it goes on plainly from some trip on.

Each takes an array of `n` numbers and a log that it writes to, and answers something.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
PROGRAMS: list[Callable[[Array, list[Any]], Any]] = []


def program(fn: Any) -> Any:
    PROGRAMS.append(fn)
    return fn


class Body:
    """Something that moves."""

    def __init__(self, at: Any) -> None:
        self.at, self.steps = at, 0

    def move(self, by: Any) -> Any:
        self.at = self.at + by * 2
        self.steps += 1
        return self.at


@contextmanager
def noted(log: list[Any], what: Any) -> Iterator[None]:
    log.append(("in", what))
    try:
        yield
    finally:
        log.append(("out", what))


@program
def appending(x: Array, log: list[Any]) -> Any:
    out, best = [], None
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1]:
            out.append(i)
            if best is None or x[i] > x[best]:
                best = i
    return np.array(out), best


@program
def closure(x: Array, log: list[Any]) -> Any:
    c = x[0] * 0.5

    def acceleration(a: Any, b: Any) -> Any:
        return -np.sin(a) - c * b

    at, speed, found = 1.0, 0.0, []
    for _ in range(len(x)):
        speed += acceleration(at, speed) * 0.1
        at += speed * 0.1
        found.append(at)
    return np.array(found), at, speed


@program
def callable_argument(x: Array, log: list[Any]) -> Any:
    def area(f: Any, n: int) -> Any:
        total = 0.0
        for k in range(n):
            total += f(k / n)
        return total / n

    return area(math.exp, len(x)), area(lambda v: v * v, len(x)), area(np.sqrt, len(x))


@program
def storing_in_a_dict(x: Array, log: list[Any]) -> Any:
    counts: dict[Any, Any] = {}
    for i, value in enumerate(x):
        key = round(float(value), 1)
        counts[key] = counts.get(key, 0) + 1
        counts[i] = value * 2
    return counts


@program
def recurrence(x: Array, log: list[Any]) -> Any:
    y = np.zeros_like(x)
    x1 = y1 = 0.0
    for n in range(len(x)):
        y0 = 0.2 * x[n] + 0.3 * x1 - 0.4 * y1
        x1, y1 = x[n], y0
        y[n] = y0
    return y, x1, y1


@program
def nested(x: Array, log: list[Any]) -> Any:
    d = np.zeros((len(x) + 1, len(x) + 1))
    for i in range(1, len(x) + 1):
        row = d[i - 1] + x[i - 1]
        for j in range(1, len(x) + 1):
            if j == i:
                continue
            d[i, j] = min(d[i - 1, j] + 1, row[j - 1], abs(x[i - 1] - x[j - 1]))
        else:
            log.append(i)
        d[i] += np.sqrt(np.abs(d[i - 1]))
    return d


@program
def going_on_while(x: Array, log: list[Any]) -> Any:
    error, trips = 1.0, 0
    u = x.copy()
    while error > 1e-3 and trips < 2 * len(x):
        new = 0.5 * (u + np.roll(u, 1))
        error = np.abs(new - u).max()
        u = new
        trips += 1
    else:
        log.append("done")
    return u, error, trips


@program
def a_generator(x: Array, log: list[Any]) -> Any:
    def sums(values: Array) -> Iterator[Any]:
        total = 0.0
        for value in values:
            total = total + np.tanh(value)
            yield total

    kept = []
    for total in sums(x):
        kept.append(total * 2)
        if len(kept) > 5000:
            break
    return kept


@program
def method_calls(x: Array, log: list[Any]) -> Any:
    body = Body(x.copy())
    for i in range(len(x)):
        body.move(x[i])
        if body.steps % 3 == 0:
            log.append(body.at.sum())
    return body.at, body.steps


@program
def building_text(x: Array, log: list[Any]) -> Any:
    text = ""
    for i in range(len(x)):
        text += f"{x[i]:.3f};"
        text = text.upper() if i % 2 else text
    return text


@program
def trying(x: Array, log: list[Any]) -> Any:
    total = 0.0
    for i in range(len(x) + 3):
        try:
            value = x[i + 2] * 2
            if i % 4 == 3:
                raise ValueError(i)
            total += value
        except ValueError as error:
            log.append(error.args)
        except IndexError:
            total -= 1
        else:
            log.append(total)
        finally:
            log.append(i)
    return total, value


@program
def raising_at_last(x: Array, log: list[Any]) -> Any:
    for i in range(len(x) + 1):
        x[i] = x[i] + np.cos(x[i])
        log.append(x[: i + 1].sum())
    return x


@program
def returning_within(x: Array, log: list[Any]) -> Any:
    for i in range(len(x)):
        for j in range(i):
            s = x[i] * x[j]
            if s < -1.5:
                return i, j, s
        x *= 1.01
    return None


@program
def managers(x: Array, log: list[Any]) -> Any:
    for i in range(len(x)):
        with noted(log, i):
            y = x * 2 + i
            if i == len(x) - 2:
                break
        x += y * 0.1
    return x, y


@program
def functions_made_inside(x: Array, log: list[Any]) -> Any:
    made = []
    for i in range(len(x)):
        y = x * i

        def scaled(z: Any, y: Any = y) -> Any:
            return z * y.sum() + i  # noqa: B023

        made.append(scaled)
        y = y + 1
    return [function(2.0) for function in made], y


@program
def unbound_at_last(x: Array, log: list[Any]) -> Any:
    for i in range(len(x)):
        if i > len(x) - 3:
            del value  # noqa: F821
        value = x * i
        if i == len(x) - 2:
            del value
    return value


@program
def matching(x: Array, log: list[Any]) -> Any:
    state = ("start", 0)
    for i in range(len(x)):
        match state:
            case ("start", n):
                y = x * 2
                state = ("run", n + 1)
            case ("run", n) if n > 3:
                y = y + x
                state = ("end", n)
            case ("run", n):
                y = y * 1.5
                state = ("run", n + 1)
            case _:
                log.append(i)
    return y, state


@program
def growing_lists_of_arrays(x: Array, log: list[Any]) -> Any:
    history = [x]
    for i in range(len(x)):
        x = 0.9 * x + 0.1 * history[i // 2]
        history.append(x)
        log.append(x)
    return history, len(history)


@program
def stopping_at_zero(x: Array, log: list[Any]) -> Any:
    n, seen = len(x) * 7, []
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seen.append(n)
        if len(seen) > 40:
            break
    y = x * len(seen)
    return seen, y
