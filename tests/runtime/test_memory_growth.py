"""What does not grow with the number of calls, however much these differ: what is kept of them.

One row of `CALLS` is one kind of calls: the function, and its arguments by the number of the call.
"""

from __future__ import annotations

import collections
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile

MANY = 1200  # past all that is kept: signatures, programs, groups of lengths


class Held:
    def __init__(self, n: int) -> None:
        self.u = np.ones(3)
        self.n = n


def by_text(x, text):
    return x * len(text)


def by_number(x, k):
    return x * k + k


def by_object(x, held):
    held.u = held.u + x * held.n
    return held.u


def by_decision(x, k):
    return x + 1 if k % 7 == 3 else x[: k % 5]


def by_function(x, f):
    return f(x) + 1


def by_error(x, k):
    return x[k]


def in_a_loop(x, n):
    for k in range(n % 9):
        x = x * 0.5 + k
    return x


def by_class_made_inside(x, k):
    class Made:
        v = x

    return Made.v * k


def scaled(k: int) -> Callable[..., Any]:
    return lambda x: x * k


CALLS: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "text": (by_text, lambda i: (np.ones(3), f"k{i}")),
    "number": (by_number, lambda i: (np.ones(3), i)),
    "float": (by_number, lambda i: (np.ones(3), i / 3)),
    "large number": (by_number, lambda i: (np.ones(3), i**12)),
    "length": (by_number, lambda i: (np.ones(i + 1), 2.0)),
    "two lengths": (by_number, lambda i: (np.ones((i % 30 + 1, i % 20 + 1)), 2.0)),
    "strides": (by_number, lambda i: (np.ones(2000)[:: i % 600 + 1], 2.0)),
    "number of axes": (by_number, lambda i: (np.ones((1,) * (i % 40)), 2.0)),
    "keys of a dict": (by_number, lambda i: ({f"k{i}": 1}, 2)),
    "length of a tuple": (by_number, lambda i: ((0,) * i, 2)),
    "length of a list": (by_number, lambda i: ([np.ones(2)] * i, 2)),
    "object": (by_object, lambda i: (np.ones(3), Held(i))),
    "decision": (by_decision, lambda i: (np.ones(9), i)),
    "function": (by_function, lambda i: (np.ones(3), scaled(i))),
    "class": (by_error, lambda i: (type("Made", (list,), {})([1]), 0)),
    "error": (by_error, lambda i: (np.ones(3), i)),
    "trips": (in_a_loop, lambda i: (np.ones(3), i)),
    "class made inside": (by_class_made_inside, lambda i: (np.ones(3), i)),
}


@pytest.fixture(autouse=True)
def others_frozen() -> Iterator[None]:
    """Keep the collector from what earlier tests have left: it would go through that at each collection."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CALLS)
def test_what_is_kept_of_calls_is_bounded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    function, arguments = CALLS[kind]
    jitted = npcompile.jit(function)

    def live(calls: range) -> collections.Counter[str]:
        for i in calls:
            try:
                jitted(*arguments(i))
            except (IndexError, ValueError, TypeError):
                pass
        gc.collect()
        return collections.Counter(type(found).__name__ for found in gc.get_objects())

    before = live(range(MANY))
    grown = {name: n for name, n in (live(range(MANY, 2 * MANY)) - before).items() if n > MANY // 3}
    assert not grown
