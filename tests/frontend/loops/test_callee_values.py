"""Native loops call functions that return tuples and arrays, that store slices, that are nested or jitted.

All programs are compiled in few batches; each is then compared with Python, call by call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.test_callees import outcome
from tests.loops.random_check import compile_loops_alone

Make = Callable[[], tuple[Any, ...]]
CALLS = 4


class Case:
    """A function that is called with several sets of arguments. leaves: they make native code leave."""

    def __init__(self, function: Callable[..., Any], makes: tuple[Make, ...], leaves: bool) -> None:
        self.function, self.makes, self.leaves = function, makes, leaves
        self.jitted: Any = None
        self.got: list[tuple[int, Any, Any]] = []  # the number of the call, its outcome, and Python's


CASES: dict[str, Case] = {}


def case(*makes: Make, leaves: bool = False) -> Callable[[Any], Any]:
    """Register a function."""

    def register(function: Any) -> Any:
        CASES[function.__name__] = Case(function, makes, leaves)
        return function

    return register


# -- tuples ------------------------------------------------------------------------------------------------


def extremes(x: Any, start: Any, stop: Any) -> Any:
    low = high = x[start]
    for i in range(start + 1, stop):
        if x[i] < low:
            low = x[i]
        elif x[i] > high:
            high = x[i]
    return low, high


@case(
    lambda: (np.arange(12.0) % 5, 3),
    lambda: (np.arange(12) % 5, 4),
    lambda: (np.arange(12.0), 5),
    leaves=True,
)
def spreads(x: Any, width: Any) -> Any:
    total, pair = 0.0, None
    for start in range(0, 12, width):
        low, high = extremes(x, start, start + width)
        pair = extremes(x, 0, start + 1)
        total += high - low + pair[0]
    return total, pair


def meets(origin: Any, direction: Any, center: Any, radius: Any) -> Any:
    b = c = 0.0
    for k in range(3):
        b += (origin[k] - center[k]) * direction[k]
        c += (origin[k] - center[k]) ** 2
    c -= radius * radius
    rest = b * b - c
    if rest < 0:
        return False, 0.0
    near = -b - rest**0.5
    return near > 0, near


@case(
    lambda: (np.linspace(-1, 1, 30).reshape(10, 3), np.array([0.0, 0, 1]), np.array([0.2, 0.1, 3]), 1.0),
    lambda: (np.zeros((4, 3)), np.array([0.0, 0, 1]), np.array([0.2, 0.1, 3]), np.float64(2)),
)
def hits(origins: Any, direction: Any, center: Any, radius: Any) -> Any:
    count, nearest = 0, 1e9
    found = None
    for i in range(len(origins)):
        hit, t = meets(origins[i], direction, center, radius)
        if hit:
            count += 1
            found = t
            if t < nearest:
                nearest = t
    return count, nearest, found


def search(x: Any, value: Any) -> Any:
    for i in range(len(x)):
        if x[i] == value:
            return i, x[i]
    return None


@case(lambda: (np.arange(5), np.array([3, 9, 1])))
def searches(x: Any, values: Any) -> Any:
    places = 0
    for k in range(len(values)):
        found = search(x, values[k])
        if found is None:
            places -= 1
        else:
            places += found[0] + found[1]
    return places, found


def nested_pair(i: Any, x: Any) -> Any:
    return (i, x), (x * 2, (i + 1, None))


@case(lambda: (np.arange(4.0),))
def nested_pairs(x: Any) -> Any:
    total = 0
    for i in range(len(x)):
        (a, b), (c, (d, e)) = nested_pair(i, x[i])
        whole = nested_pair(i, b)
        total += a + b * c + d + (e is None)
    return total, whole


def gcd(a: Any, b: Any) -> Any:
    if b == 0:
        return a, 1, 0
    g, x, y = gcd(b, a % b)
    return g, y, x - (a // b) * y


@case(lambda: (12, 30), lambda: (2**40, 9))
def bezout(a: Any, n: Any) -> Any:
    total = 0
    for k in range(1, n):
        g, x, y = gcd(a, k)
        total += g * 7 + x - y
    return total, (g, x, y)


def swapped(a: Any, i: Any) -> Any:
    a[i] += 1
    return a[i], a[i + 1]


@case(lambda: (np.arange(6.0), 5), lambda: (np.arange(6.0), 6), leaves=True)
def swaps(a: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        one, other = swapped(a, i)
        total += one * other
    return total


# -- arrays ------------------------------------------------------------------------------------------------


def scaled(x: Any, by: Any) -> Any:
    return x * by


def row(a: Any, i: Any) -> Any:
    return a[i]


def same(a: Any) -> Any:
    return a


def built(x: Any, i: Any) -> Any:
    b = np.zeros_like(x)
    b[1:-1] = x[2:] - x[:-2]
    b[0] = i
    b[-1] = x[i]
    return b


@case(lambda: (np.arange(12.0).reshape(3, 4), 3), lambda: (np.arange(12.0).reshape(3, 4), 4), leaves=True)
def arrays(a: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        r = row(a, i)
        s = scaled(r, 2.0)
        t = same(s)
        b = built(t, i)
        whole = same(a)
        total += b[1] + s[0] + r[3]
        r[0] += 1
    return total, r, s, t, b, whole, t is s, whole is a


def either(x: Any, i: Any) -> Any:
    if i % 2:
        return x
    return x[::2] + 1


@case(lambda: (np.arange(8.0), 5))
def either_of_arrays(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        y = either(x, i)
        total += y[1] * len(y)
        x[i] += 1
    return total, y


def halves(x: Any) -> Any:
    middle = len(x) // 2
    return x[:middle], x[middle:] * 2, middle


@case(lambda: (np.arange(9.0), 3))
def tuples_of_arrays(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        left, right, middle = halves(x)
        left[0] += 1
        pair = halves(right)
        total += left[0] + right[i] + pair[1][0] + middle
    return total, left, right, pair


@case(lambda: (np.arange(6.0), np.arange(4)), lambda: (np.arange(6.0), np.arange(7)), leaves=True)
def a_temporary_for_a_function_with_effects(x: Any, k: Any) -> Any:
    total = 0.0
    for i in range(len(k)):
        one, other = swapped(x[1:] * 2, k[i])
        total += one - other
        x[i] += swapped(x, 0)[0]
    return total


def chosen(x: Any, i: Any) -> Any:
    return np.sum(x * 2 if i % 2 else x * 3)


@case(lambda: (np.arange(6.0), 5))
def arrays_in_a_choice(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += chosen(x, i) + np.sum(x + 1 if x[i] > 2 else x - 1)
        x[i] += 1
    return total


# -- stores ------------------------------------------------------------------------------------------------


def smooths(a: Any, i: Any, by: Any) -> None:
    a[i, 1:-1] = (a[i, 2:] + a[i, :-2]) * by
    a[i, 0] = a[i, 1]
    a[:, -1] += 1
    a[i, -by] = 0


@case(
    lambda: (np.arange(12.0).reshape(3, 4), 3, 1),
    lambda: (np.arange(12.0).reshape(3, 4), 4, 1),
    lambda: (np.arange(12.0).reshape(3, 4), 3, 5),
    leaves=True,
)
def stores_slices(a: Any, n: Any, by: Any) -> Any:
    for i in range(n):
        smooths(a, i, by)
    return i


def works(a: Any, i: Any) -> Any:
    space = np.empty(len(a))
    for j in range(len(a)):
        space[j] = a[j] * i
    b = space[::-1]
    a[i] = b[0]
    b[2] = a[i + 1]
    return b.sum()


@case(lambda: (np.arange(5.0), 4), lambda: (np.arange(5.0), 6), leaves=True)
def makes_and_stores(a: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += works(a, i)
    return total


def pushes(stack: Any, i: Any) -> Any:
    stack.append(i * 2)
    if i % 3 == 0:
        stack.pop()
    return len(stack)


@case(lambda: ([1, 2], np.arange(9.0), 9), lambda: ([], np.arange(9.0), 9))
def lists_that_functions_change(stack: Any, x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += pushes(stack, i) + stack[-1 if stack else 0] * x[i]
        stack.append(i)
    return total


# -- nested functions --------------------------------------------------------------------------------------


def step(f: Any, t: Any, y: Any, h: Any = 0.1) -> Any:
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@case(lambda: (0.7, 9), lambda: (3, 9), lambda: (np.float64(2), 4))
def runge_kutta(rate: Any, n: Any) -> Any:
    shift = 0.25

    def slope(t: Any, y: Any) -> Any:
        return t - rate * y + shift

    y = 1.0
    for i in range(n):
        y = step(slope, i * 0.1, y)
    return y, slope(0.0, 1.0)


def bisect(f: Any, low: Any, high: Any) -> Any:
    below = f(low) < 0
    for _ in range(60):
        middle = (low + high) / 2
        if (f(middle) < 0) == below:
            low = middle
        else:
            high = middle
    return low


@case(
    lambda: (lambda t: t * t - 2, np.arange(2.0, 6.0)),
    lambda: ((lambda by: lambda t: t * t - by)(3.0), np.arange(2.0, 6.0)),
    lambda: ((lambda by: lambda t: t**3 - by)(4), np.arange(2.0, 6.0)),
)
def roots(f: Any, x: Any) -> Any:
    total = 0.0
    if f is not None:
        for i in range(len(x)):
            total += bisect(f, 0.0, x[i])
    return total


@case(lambda: (np.arange(5.0),))
def nested_with_defaults(x: Any) -> Any:
    scale = x[1] + 1

    def inner(v: Any, by: Any = scale, shift: Any = 1) -> Any:
        return v * by + shift

    def outer(i: Any) -> Any:
        x[i] += 1
        return inner(x[i]) + inner(x[i], shift=2)

    total = 0.0
    for i in range(len(x) + 0):
        total += outer(i)
    return total


def only_by_keyword(x: Any, /, i: Any, *, by: Any = 2, scale: Any) -> Any:
    return x[i] * by + scale


@case(lambda: (np.arange(5.0), 5))
def keywords_alone(x: Any, n: Any) -> Any:
    def inner(i: Any, *, by: Any = n) -> Any:
        return x[i] - by

    total = 0.0
    for i in range(n):
        total += only_by_keyword(x, i, scale=1.5) + only_by_keyword(x, scale=i, by=0.5, i=0)
        total += inner(i) * inner(by=i, i=0)
    return total


@case(lambda: (np.arange(5.0), 6), leaves=True)
def nested_that_raises(x: Any, n: Any) -> Any:
    def add(i: Any) -> Any:
        x[i] += 1
        return x[i]

    total = 0.0
    for i in range(n):
        total += add(i)
    return total


@case(lambda: (np.arange(5.0), 5))
def nested_recursion(x: Any, n: Any) -> Any:
    def power(i: Any, k: Any) -> Any:
        return x[i] if k <= 0 else x[i] * power(i, k - 1)

    total = 0.0
    for i in range(n):
        total += power(i, i)
    return total


# -- jitted functions --------------------------------------------------------------------------------------


@npcompile.jit
def jitted(x: Any, i: Any) -> Any:
    return x[i] * 2, i


@npcompile.jit
def jitted_effect(x: Any, i: Any) -> None:
    x[i:] += 1


@case(lambda: (np.arange(5.0), 5), lambda: (np.arange(5.0), 6), leaves=True)
def calls_jitted(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        one, place = jitted(x, i)
        jitted_effect(x, i)
        total += one + place
    return total


# -- methods that store ------------------------------------------------------------------------------------


class Counter:
    """An object whose methods store its attributes."""

    def __init__(self, n: int) -> None:
        self.count: Any = 0
        self.mean: Any = 0.0
        self.seen: Any = np.zeros(n)
        self.last: Any = None

    def note(self, value: Any) -> Any:
        self.count += 1
        self.mean += (value - self.mean) / self.count
        self.seen[self.count - 1] = value
        return self.count

    def note_twice(self, value: Any) -> Any:
        self.note(value)
        if value > 3:
            self.count -= 1
        return self.note(-value)

    def __repr__(self) -> str:
        return f"{self.count} {self.mean!r} {self.seen.tolist()} {self.last}"


@case(lambda: (Counter(9), np.arange(5.0)), lambda: (Counter(3), np.arange(5.0)), leaves=True)
def notes(counter: Any, x: Any) -> Any:
    total = 0
    for value in x:
        total += counter.note(value) + counter.count
    return total


@case(lambda: (Counter(12), np.arange(5.0)), lambda: (Counter(6), np.arange(5.0)), leaves=True)
def notes_twice(counter: Any, x: Any) -> Any:
    total = 0
    for i in range(len(x)):
        total += counter.note_twice(x[i]) + counter.count
    return total


# -- loops of several statements ---------------------------------------------------------------------------


def bound(i: Any) -> Any:
    return 10 - i


@case(lambda: (np.arange(12.0), 3), lambda: (np.arange(12.0), 13), leaves=True)
def heads_with_calls(x: Any, n: Any) -> Any:
    total, k = 0.0, 0
    for i in range(bound(n)):
        total += x[i]
    while bound(k) > n and total < 1000:
        total += x[k]
        k += 1
    else:
        total += 0.5
    while bound(k) > 0:
        k += 1
        if k > n + 7:
            break
    else:
        k = -k
    return total, k


@functools.cache
def ran() -> dict[str, Case]:
    """Call all programs in turn; the native code of each round is compiled together."""
    for one in CASES.values():
        one.jitted = [npcompile.jit(one.function) for _ in one.makes]
    for number in range(CALLS):
        for one in CASES.values():
            for function, make in zip(one.jitted, one.makes, strict=True):
                one.got.append((number, outcome(function, make), outcome(one.function, make)))
        for one in CASES.values():
            for function in one.jitted:
                function.wait()
    return CASES


@pytest.fixture(scope="module")
def cases() -> Iterator[dict[str, Case]]:
    with pytest.MonkeyPatch.context() as patch:
        compile_loops_alone(patch)
        yield ran()


@pytest.mark.parametrize("name", CASES)
def test_answers_as_python_does(cases: dict[str, Case], name: str) -> None:
    one = cases[name]
    for number, got, want in one.got:
        assert got == want, f"call {number + 1}"
    for function in one.jitted:
        assert function.stats.loop_entries > 0, function.stats.reasons
    if not one.leaves:
        for function in one.jitted:
            left = [why for why in function.stats.leave_reasons if not why.endswith("Error")]
            assert not left, function.stats.reasons  # but where Python raises, too
