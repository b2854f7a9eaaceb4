"""Methods of containers that come from outside by themselves, such as `callback=history.append`: what they do
to their container is done at each call, and what they find in it is never stale."""

from __future__ import annotations

import copy
import functools
import operator
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

LOG: list[Any] = []
TABLE: dict[Any, Any] = {}
NAMES: set[Any] = set()
QUEUE: deque[Any] = deque()
ORDERED: OrderedDict[Any, Any] = OrderedDict()
COUNTS: Counter[Any] = Counter()
ALL = (LOG, TABLE, NAMES, QUEUE, ORDERED, COUNTS)
push, pop, put, merge, look, add = LOG.append, LOG.pop, TABLE.__setitem__, TABLE.update, TABLE.get, NAMES.add
enqueue, count, first = QUEUE.append, COUNTS.update, ORDERED.setdefault
pair = (push, add)
holder = SimpleNamespace(push=LOG.append)


class Holder:
    push = LOG.append

    def __init__(self) -> None:
        self.add = LOG.extend


held = Holder()


def of_list(x, k):
    y = x * k
    push(1.0)
    push(y)
    return y + 1


def of_dict(x, k):
    y = x * k
    put("k", k)
    merge(q=y)
    return y + look("k", 0.0) + look("none", 2.0)


def read_only(x, k):
    return x * look("calls", 0.0) + k


def of_set(x, k):
    add(k)
    return x * k


def of_deque(x, k):
    enqueue(k)
    return x * k


def of_others(x, k):
    count(["a"])
    return x * first("a", k)


def of_attribute(x, k):
    y = x * k
    holder.push(y)
    held.push(k)
    held.add([k, y])
    return y + 1


def by_default(x, k, keep=LOG.append):
    y = x * k
    keep(k)
    return y + 1


def helper(y, keep=LOG.append):
    keep(y)
    return y * 2


def by_default_of_helper(x, k):
    return helper(x * k) + 1


def of_tuple(x, k):
    y = x * k
    for one in pair:
        one(k)
    return y + 1


def mapped(x, k):
    y = x * k
    list(map(push, [k, y]))
    return y + 1


def by_both_names(x, k):
    y = x * k + len(LOG)
    push(k)
    return y + len(LOG) + LOG[-1]


def taken_out(x, k):
    push(k)
    return x * pop()


def counted(x, k):
    n = look("n", 0)
    TABLE["n"] = n + 1
    return x * n + k, look("n")


FUNCTIONS = (of_list, of_dict, read_only, of_set, of_deque, of_others, of_attribute, by_default)
FUNCTIONS += (by_default_of_helper, of_tuple, mapped, by_both_names, taken_out, counted)


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_of_what_lies_outside(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    seen = []
    for called in (fn, npcompile.jit(fn)):
        for one in ALL:
            one.clear()
        for call in range(7):
            TABLE["calls"] = float(call)
            result = called(np.arange(3.0), call + 1.5)
            seen.append([result, [copy.deepcopy(one) for one in (*map(list, ALL), TABLE)]])
    same(seen[7:], seen[:7])


def stepped(x, n, each=None):
    while n > 0:
        x = x * 0.5
        n -= 1.0
        if each:
            each(x)
    return x


def told(x, n, each=None):
    y = x * n
    each(y)
    z = y + 1
    each(z)
    return z * 2


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("make", [list, deque])
@pytest.mark.parametrize("fn", [stepped, told])
def test_of_a_new_container_at_each_call(
    fn: Callable[..., Any], make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are one signature: which container it is does not count."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for call in range(14):
        ours, plain = make(), make()
        x = np.arange(3.0) + call
        same(jitted(x, 2.0, ours.append), fn(x, 2.0, plain.append), where=f"call {call}")
        same(list(ours), list(plain), where=f"call {call}")
    assert jitted.stats.plain_calls == 0
    assert jitted.stats.replays >= 10
    kept: set[Any] = set()
    same(jitted(x, 1.0, lambda y: kept.add(y.sum())), fn(x, 1.0, lambda y: None))
    assert len(kept) == (1 if fn is stepped else 2)


@functools.cache
def counted_up(n):
    return np.arange(3.0) + n


@functools.cache
def counted_down(n):
    return 9.0 - np.arange(3.0) * n


def squared(n, by):
    return np.arange(3.0) ** n * by


def of_number(x, f):
    return x * f(2) + 1


def of_array(x, f):
    return f(x) * 2


TAKING = {
    of_number: (
        counted_up,
        counted_down,
        functools.partial(squared, by=2.0),
        functools.partial(squared, by=3.0),
    ),
    of_array: (
        *(operator.itemgetter(0), operator.itemgetter(1), operator.itemgetter(slice(1, 3))),
        *(operator.attrgetter("T"), operator.attrgetter("size"), operator.attrgetter("real")),
        *(operator.methodcaller("sum"), operator.methodcaller("max"), operator.methodcaller("sum", axis=0)),
        *(np.poly1d([1.0, 2.0]), np.poly1d([1.0, 3.0]), np.vectorize(abs), np.vectorize(float)),
    ),
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", TAKING)
def test_callables_of_one_type_as_arguments(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The signature says their type alone: which one it is, is seen at each call."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for given in (*TAKING[fn], *reversed(TAKING[fn])) * 2:
        for call in range(2):
            x = np.arange(3.0) - call
            same(jitted(x, given), fn(x, given), where=repr(given))


def next_of(x, source):
    return x * next(source)


def sum_of_next(x, source):
    k = next(source)
    y = x * (k + 1)
    return y + 1, k


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [next_of, sum_of_next])
def test_what_a_call_gives_may_be_of_another_type(
    fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    given: list[Any] = [2.5, 3.5, 2, 3, np.float64(3), np.float64(4), 3, np.float32(2), np.int64(3)]
    given += [np.arange(3), True, 1j, np.arange(3.0), 2.5]
    jitted = npcompile.jit(fn)
    x = np.arange(3)
    ours, plain = iter(given), iter(given)
    for call in range(len(given)):
        same(jitted(x, ours), fn(x, plain), where=f"call {call}")
