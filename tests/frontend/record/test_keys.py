"""Keys of dicts and items of sets that are computed: which of them are one is decided anew at each call."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


def set_display(x, i):
    return x * 2, len({i[0], x[0]}), sum({i[0], x[0]})


def dict_display(x, i):
    return x * 2, {i[0]: 1, x[0]: 2}, {i[0]: 3, x[0]: 4, "a": 1}


def set_comprehension(x, i):
    return x * 2, sorted({v * 2 for v in (i[0], x[0], x[1])})


def dict_comprehension(x, i):
    return x * 2, {v + 1: v for v in (i[0], x[0], x[1])}


def starred(x, i):
    items = [x[0], x[1]]
    return x * 2, len({*items, i[0]})


def called(x, i):
    pairs = [(i[0], 1), (x[0], 2)]
    return x * 2, len(set([i[0], x[0]])), len(frozenset((i[0], x[1]))), dict(pairs), OrderedDict(pairs)  # noqa: C405


def added(x, i):
    s = {i[0]}
    s.add(x[0])
    s |= {x[1]}
    d: Any = {}
    d[x[0]] = 1
    d.setdefault(x[1], 2)
    d.update({i[0]: 5})
    return x * 2, len(s), d


def updated(x, i):
    s: Any = set()
    s.update([x[0], i[0]])
    d: Any = {}
    d.update([(x[0], 1), (i[0], 2)])
    return x * 2, len(s), d, len({1}.union([x[0], i[0]]))


def algebra(x, i):
    return x * 2, len({x[0], x[1]} & {i[0], 2.5}), len({x[0]} - {i[0]}), {x[0]} <= {i[0], x[1]}


def made_of_nothing(x, i):
    try:
        return x * 2, {i, 1}
    except TypeError as error:
        return str(error)


FUNCTIONS = [set_display, dict_display, set_comprehension, dict_comprehension, starred, called, added]
FUNCTIONS += [updated, algebra, made_of_nothing]
CALLS = [([3.0, 1.0], 3), ([3.0, 1.0], 3), ([2.5, 1.0], 3), ([2.5, 2.5], 3), ([3.0, 3.0], 3), ([1.0, 2.0], 2)]


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_which_keys_are_one(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for values, number in (*CALLS, *CALLS):
        want, got = fn(np.array(values), [number]), jitted(np.array(values), [number])
        assert repr(got) == repr(want)
        same(got[0], want[0])
    assert fn is made_of_nothing or jitted.stats.replays
