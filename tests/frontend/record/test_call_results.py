"""Calls that are made again may give another thing, of another kind, too: no answer is of the first.

One row of `GIVEN` is what a call gives, and what it gives at another time; each is used in each of `USES`.
"""

from __future__ import annotations

import datetime
import enum
import functools
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")


class Kind(enum.Enum):
    ONE = 1
    OTHER = 2


class Thing:
    def __init__(self, size: float) -> None:
        self.size = size


Pair = namedtuple("Pair", "a b")
Other = namedtuple("Other", "a c")
ONE, TWO, ROW = Thing(1.0), Thing(2.0), np.arange(3.0)

GIVEN: dict[str, tuple[Any, Any]] = {
    "whole slices": (slice(None), slice(None, None, -1)),
    "slices": (slice(0, 2), slice(1, 3)),
    "no list, one": ([], [1]),
    "no tuple, one": ((), (1,)),
    "no dict, one": ({}, {"a": 1}),
    "lists": ([1], [1, 2]),
    "tuples": ((1, 2), (1, 2, 3)),
    "dicts": ({"a": 1}, {"b": 1}),
    "orders of dicts": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "lists of objects": ([ONE], [ONE, TWO]),
    "shorter lists of objects": ([ONE, TWO], [ONE]),
    "tuples of objects": ((ONE,), (ONE, TWO)),
    "dicts of objects": ({"a": ONE}, {"a": ONE, "b": TWO}),
    "lists of arrays": ([ROW], [ROW, ROW]),
    "nested": ((ONE, [2]), (ONE, [2, 3])),
    "numbers in what is nested": ((ONE, (2,)), (ONE, (2.5,))),
    "a list, a tuple": ([1, 2], (1, 2)),
    "named tuples": (Pair(1, 2), Other(1, 2)),
    "classes": (np.float32, np.float64),
    "dtypes": (np.dtype("f4"), np.dtype("f8")),
    "byte orders": (np.dtype(">f4"), np.dtype("<f4")),
    "ufuncs": (np.add, np.subtract),
    "functions": (np.sum, np.prod),
    "functions of Python": (len, max),
    "members": (Kind.ONE, Kind.OTHER),
    "ranges": (range(3), range(2)),
    "texts": ("ab", "cd"),
    "bytes": (b"ab", b"cd"),
    "bytearrays": (bytearray(b"ab"), bytearray(b"cd")),
    "bools": (True, False),
    "NumPy's bools": (np.True_, np.False_),
    "integers": (1, 2),
    "an integer, a float": (1, 1.0),
    "nothing, a number": (None, 1),
    "scalars": (np.float32(1), np.float64(1)),
    "arrays": (np.arange(3.0), np.arange(3)),
    "lengths": (np.arange(3.0), np.arange(4.0)),
    "days": (datetime.date(2000, 1, 1), datetime.date(2001, 1, 1)),
    "decimals": (Decimal(1), Decimal(2)),
    "frozen sets": (frozenset([1]), frozenset([2])),
    "signs of zero": (0.0, -0.0),
    "modules": (np, np.linalg),
    "methods": ("ab".upper, "cd".upper),
    "partials": (functools.partial(np.add, 1), functools.partial(np.add, 2)),
}  # fmt: skip


def answered(give, x):
    return give(), x * 2


def index(give, x):
    return x[give()]


def cast(give, x):
    return x.astype(give())


def length(give, x):
    return x * len(give())


def times(give, x):
    return x * give()


def true(give, x):
    return x * 2 if give() else x * 3


def gone_through(give, x):
    for _ in give():
        x = x + 1
    return x


def unpacked(give, x):
    _, *rest = give()
    return x * len(rest)


def shown(give, x):
    return repr(give()), x * 2


def chosen(give, x):
    return x * 2 if give() == FIRST[0] else x * 3


USES: list[Callable[..., Any]] = [
    *(answered, index, cast, length, times, true, gone_through, unpacked, shown, chosen)
]
FIRST: list[Any] = [None]
TIMES = (0, 0, 1, 0, 1, 1, 0)


def _run(fn: Callable[..., Any], given: tuple[Any, Any]) -> list[Any]:
    give = iter([given[time] for time in TIMES]).__next__
    found: list[Any] = []
    for _ in TIMES:
        try:
            found.append(fn(give, np.arange(3.0)))
        except (TypeError, IndexError, ValueError, KeyError) as error:
            found.append(type(error))
    return found


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("use", USES, ids=[use.__name__ for use in USES])
def test_it_is_what_the_call_gave(given: str, use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    FIRST[0] = GIVEN[given][0]
    want = _run(use, GIVEN[given])
    same(_run(npcompile.jit(use), GIVEN[given]), want)


def shrunk(mask: Any) -> Any:
    return np.ma.make_mask(mask, shrink=True)  # the array that it is given, or else no mask at all


def shrunk_and_counted(mask: Any) -> Any:
    given = np.ma.make_mask(mask, shrink=True)
    return given, mask.sum() * 2


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("function", [shrunk, shrunk_and_counted], ids=lambda function: function.__name__)
def test_a_call_that_gave_its_argument(function: Any, first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may give something else at the next call: the answer was the argument all the same."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    for some in [first] * 3 + [not first] * 3 + [first] * 2:
        mask = np.array([some, False, False])
        same(jitted(mask.copy()), function(mask))
