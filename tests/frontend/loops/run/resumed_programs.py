"""Functions that end in a loop and `return locals()`: `test_resume.py` runs their loops in parts.

Where a step raises, it has changed nothing before, as in native code.
"""
# Each way to write a thing is tried, and names are for `locals` to see.
# ruff: noqa: B007, C420, F821, F842, RUF021

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

Made = Callable[[], dict[str, Any]]
PROGRAMS: list[Any] = []


def program(make: Made) -> Callable[[Any], Any]:
    """Add a function to those that are run. make: makes its arguments."""

    def add(function: Any) -> Any:
        PROGRAMS.append(pytest.param(function, make, id=function.__name__))
        return function

    return add


counter = 0


def helper(value: Any) -> Any:
    if value == 3:
        return deeper(value)
    return value + 1


def deeper(value: Any) -> Any:
    raise ValueError(f"no {value}")


@program(lambda: {"a": np.arange(5.0)})
def reads_and_stores(a: Any) -> Any:
    total = 0
    for i in range(4):
        a[i] += a[i + 1] * 2
        total += a[i]
    return locals()


@program(lambda: {"a": np.arange(5.0)})
def index_error(a: Any) -> Any:
    total = 0
    for i in range(9):
        total = total + (a[i] + a[i + 1])
    return locals()


@program(lambda: {"n": 9})
def zero_division(n: Any) -> Any:
    x = 0
    for i in range(-3, n):
        x = 10 // i
        y = x
    return locals()


@program(lambda: {"n": 5})
def big_numbers(n: Any) -> Any:
    x = 1
    for i in range(n):
        x = x * 10**8 + i
        if x > 10**20:
            x = -x
    return locals()


@program(lambda: {"a": np.arange(12.0).reshape(3, 4)})
def nested_loops(a: Any) -> Any:
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if j == i:
                continue
            k = 0
            while k < 2:
                total += a[i, j] * k
                k += 1
                if total > 40:
                    break
            else:
                total -= 1
            if total > 50:
                break
        else:
            total += 100
        a[i, 0] = total
    else:
        done = True
    return locals()


@program(lambda: {"a": np.array([3, 1, 2, 0])})
def early_return(a: Any) -> Any:
    found = -1
    for i, x in enumerate(a):
        for j in range(3):
            if x == j and i > 1:
                return i, x, j
        found = i
    return locals()


@program(lambda: {"a": np.array([3, 1, 2, 0])})
def bare_return(a: Any) -> Any:
    for x in a:
        if x == 2:
            return
    return locals()


@program(lambda: {"n": 27})
def while_collatz(n: Any) -> Any:
    steps = 0
    while n != 1 and steps < 20:
        if n % 2:
            n = 3 * n + 1
        else:
            n //= 2
        steps += 1
    else:
        over = steps
    return locals()


@program(lambda: {"a": [5, 2, 8, 1]})
def insertion_sort(a: Any) -> Any:
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return locals()


@program(lambda: {"n": 6})
def helper_raises(n: Any) -> Any:
    total = 0
    for i in range(n):
        total += 1
        total += helper(i)
    return locals()


@program(lambda: {"n": 6})
def inner_loop_raises(n: Any) -> Any:
    total = 0
    for i in range(n):
        for j in range(i):
            total += 1
            total += helper(j)
        total = total * 2
    return locals()


@program(lambda: {"n": 4})
def unbound(n: Any) -> Any:
    for i in range(n):
        if i == 2:
            x = y
        else:
            x = i
    y = 1
    return locals()


@program(lambda: {"n": 4})
def deleted(n: Any) -> Any:
    x = 1
    for i in range(n):
        if i == 1:
            del x
        if i == 2:
            x = 5
        if i == 3:
            del x, n
    return locals()


@program(lambda: {"n": 4})
def deleted_twice(n: Any) -> Any:
    x = 1
    for i in range(n):
        if i > 1:
            del x
    return locals()


@program(lambda: {"a": np.arange(6), "b": [1, 2, 3]})
def comprehensions(a: Any, b: Any) -> Any:
    for i in range(3):
        rows = [[x * i + j for j in b if j < len(a)] for x in a]
        sums = {i: sum(x + i for x in b), **{x: i for x in b}}
        some = {x for x in b if x != i}
        ordered = sorted(b, key=lambda x: (x - i) ** 2)
        total = len(rows) + len(sums) + len(some)
    return locals()


@program(lambda: {"n": 3})
def nested_function(n: Any) -> Any:
    total = 0
    for i in range(n):
        j = i + 1

        def add(x: Any, by: Any = j) -> Any:
            return x + by

        total = add(total)
        del add
    return locals()


@program(lambda: {"a": [1, 0, "x", 2, None]})
def exceptions_caught(a: Any) -> Any:
    seen = []
    for x in a:
        try:
            seen.append(1 / x)
        except ZeroDivisionError as error:
            seen.append(str(error))
        except TypeError:
            if x is None:
                break
            continue
        finally:
            last = x
        after = len(seen)
    else:
        after = -1
    return locals()


@program(lambda: {"a": [1, 2, 0, 4]})
def exception_in_context(a: Any) -> Any:
    for x in a:
        try:
            1 / x
        except ZeroDivisionError as error:
            raise ValueError("bad") from error
    return locals()


@program(lambda: {"a": [1, 2, 0, 4]})
def exception_while_handling(a: Any) -> Any:
    for i, x in enumerate(a):
        try:
            1 / x
        except ZeroDivisionError:
            a[i + 9]
    return locals()


@program(lambda: {"a": [1, 2, 3, 4], "b": [0]})
def return_from_try(a: Any, b: Any) -> Any:
    for x in a:
        try:
            if x == 3:
                return x, b
        finally:
            b[0] += x
    return locals()


@program(lambda: {"a": [1, 2, 3, 4]})
def match_statement(a: Any) -> Any:
    total = 0
    for x in a:
        match x:
            case 1:
                continue
            case 4:
                break
            case other:
                total += other
        total *= 2
    return locals()


@program(lambda: {"a": [1.0, -2.0, 0.0]})
def with_statement(a: Any) -> Any:
    kept = []
    for x in a:
        with np.errstate(divide="ignore") as state:
            kept.append(np.float64(1) / x)
            if x < 0:
                continue
        y = x
    return locals()


@program(lambda: {"a": [3, 1, 2]})
def ternaries(a: Any) -> Any:
    best = None
    for x in a:
        best = x if best is None or x < best else best
        z = best and x or -1
        w = not (x > 1 and z)
        v = (x == 1) and (y := x)
    return locals()


@program(lambda: {"a": np.arange(-2.0, 5.0)})
def chained_comparisons(a: Any) -> Any:
    hits = []
    for i in range(len(a)):
        if 0 <= a[i] < 3 and i != a[i] + 2 < 5 < 7:
            hits.append(i)
        elif -9 < a[i] - 1 < a[i] if i else a[0] < 0:
            hits.append(-i)
        while 0 < a[i] <= abs(a[i]) < 4:
            a[i] -= 1.5
    return locals()


class Noisy:
    """Notes each access."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        self.log.append(name)
        return len(self.log) % 5

    def __getitem__(self, index: Any) -> Any:
        if len(self.log) > 12:
            raise KeyError(index)
        self.log.append(index)
        return len(self.log) % 3


@program(lambda: {"box": Noisy()})
def accesses_in_order(box: Any) -> Any:
    n = 0
    for i in range(9):
        if box.left < box.middle < box.right:
            n += 1
        if n < box[i] < 2:
            n -= 1
    return locals()


@program(lambda: {"n": 4})
def truth_raises(n: Any) -> Any:
    for i in range(n):
        a = np.ones(3 - i) if i < 3 else np.ones(2)
        if a:
            b = i
        while not a:
            pass
    return locals()


@program(lambda: {"a": [(1, 2), (3, 4), (5,)]})
def unpacking(a: Any) -> Any:
    x = y = 0
    for p, q in a:
        x, y = y + p, x + q
        first, *rest = (p, q, x)
        x: int = x + 1
        z: int
    return locals()


@program(lambda: {"n": 3})
def global_names(n: Any) -> Any:
    global counter
    counter = 0
    for i in range(n):
        counter += i
        counter = counter + 1
        total = counter
    return locals()


@program(lambda: {"n": 3})
def sees_locals(n: Any) -> Any:
    one = 1
    for i in range(n):
        two = eval("one + i + n")
        names = "one" in locals() and "i" in dir() and vars()["n"]
    return locals()


@program(lambda: {"n": 3})
def imports(n: Any) -> Any:
    for i in range(n):
        import math
        from math import floor as down

        x = down(math.sqrt(i))
        del math, down
    return locals()


@program(lambda: {"n": 3})
def raises_plain(n: Any) -> Any:
    for i in range(n):
        if i == 1:
            raise KeyError(i, "one")
    return locals()


@program(lambda: {"n": 3})
def raises_from(n: Any) -> Any:
    for i in range(n):
        if i == 1:
            raise KeyError(i) from OverflowError("big")
    return locals()


@program(lambda: {"n": 3})
def asserts(n: Any) -> Any:
    for i in range(n):
        assert i < n - 1, f"too large: {i}"
        x = i
    return locals()


@program(lambda: {"rows": [[1, 2], [], 5]})
def not_iterable(rows: Any) -> Any:
    total = 0
    for row in rows:
        for x in row:
            total += x
        else:
            total += 10
    return locals()


def fails_at_last(n: int) -> Iterator[int]:
    yield from range(n)
    raise StopAsyncIteration("over")


@program(lambda: {"n": 3})
def generator_raises(n: Any) -> Any:
    total = 0
    for i in range(n):
        for x in fails_at_last(i + 1):
            total += x
            if total > i:
                break
    return locals()


class NoIter:
    """An iterator that is none by itself: `iter(iter(x))` raises."""

    def __init__(self) -> None:
        self.n = 0

    def __next__(self) -> int:
        self.n += 1
        if self.n > 4:
            raise StopIteration
        return self.n


class Numbers:
    def __iter__(self) -> Any:
        return NoIter()


@program(lambda: {"numbers": Numbers()})
def own_iterator(numbers: Any) -> Any:
    total = 0
    for i in range(3):
        for x in numbers:
            total += x * i
            y = total
    return locals()


@program(lambda: {"n": 30})
def primes(n: Any) -> Any:
    sieve = np.ones(n, bool)
    sieve[:2] = False
    for i in range(2, n):
        if sieve[i]:
            j = i * i
            while j < n:
                sieve[j] = False
                j += i
    return locals()


@program(lambda: {"text": b"a1(b)"})
def parser(text: Any) -> Any:
    depth, i, stack = 0, 0, []
    while i < len(text):
        c = text[i]
        if c == 40:
            stack.append(i)
            depth += 1
        elif c == 41:
            start = stack.pop()
            depth -= 1
        i += 1
    return locals()


class Account:
    def __init__(self) -> None:
        self.__sum = 0

    def _private(self, by: Any) -> Any:
        return by + self.__sum

    def __plus(self, by: Any) -> Any:
        return by + 1

    def mangled(self, n: Any) -> Any:
        __x = 0
        for __i in range(n):
            __x = self.__plus(__x) + __i
            self.__sum += __x
            __y = [__x + __z for __z in range(__i)]
            if __i == 4:
                del __x
        return locals()


class Saving(Account):
    def _private(self, by: Any) -> Any:
        return by * 2

    def uses_super(self, n: Any) -> Any:
        x = 0
        for i in range(n):
            x = super()._private(x) + i
            y = __class__.__name__  # type: ignore[name-defined]
        return locals()


def enclosing(scale: int) -> Any:
    hits = 0

    def uses_cells(n: Any) -> Any:
        nonlocal hits
        hits = 0
        total = 0
        for i in range(n):
            total += scale * i
            hits += 1
            seen = [hits + scale + x for x in range(i)]
        return locals()

    return uses_cells


PROGRAMS.append(pytest.param(Account.mangled, lambda: {"self": Account(), "n": 6}, id="mangled"))
PROGRAMS.append(pytest.param(Saving.uses_super, lambda: {"self": Saving(), "n": 3}, id="uses_super"))
PROGRAMS.append(pytest.param(enclosing(3), lambda: {"n": 3}, id="uses_cells"))
