"""Lists, dicts and tuples from outside are themselves, and what a call may change in one is not known."""

from __future__ import annotations

import bisect
import copy
import heapq
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.array([0.5, 0.75, 1.0, 1.25, 1.5, 2.0])


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


class Run:
    def __init__(self) -> None:
        self.u = X * 2
        self.hist: list[Any] = []
        self.last: deque[Any] = deque(maxlen=3)
        self.state = {"t": 0.0, "u": X * 0}
        self.row = [1.0, 2.0, 3.0]
        self.heap: list[Any] = [7.0]
        self.energies = np.zeros(1000)
        self.n = 300


def heap_made_inside(x, y):
    heap: list[Any] = []
    heapq.heappush(heap, x.sum())
    heapq.heappush(heap, y.sum())
    return heap[0], heap


def sorted_insertion(x):
    found: list[Any] = []
    for place in range(3):
        bisect.insort(found, x[place])
    return found, x * 2


def shuffled(arrays):
    random.seed(3)
    random.shuffle(arrays)
    return arrays[0] * 2, arrays


def pushed_outside(values, x):
    heapq.heappush(values, x.sum())
    return x * 2


def answered(values, named, x):
    return values, named, [values, named["a"]], x + 1


def of_an_object(run, x):
    return run.hist, {"row": run.row}, run.state, x * 2


def pushed_to_an_object(run, x):
    heapq.heappush(run.heap, float(x.sum()))
    return x * run.heap[0]


def appends(run, x):
    run.hist.append(float(x.sum()))
    run.u = run.u + x
    run.hist.append((run.u.max(), "max"))
    run.last.append(run.u)
    return run.u


def appends_and_looks(run, x):
    run.hist.append(x.sum())
    return x * len(run.hist)


def stores_items(run, x):
    run.state["t"] += 0.5
    run.state["u"] = x * run.state["t"]
    run.row[1] += x.sum()
    run.row[-1] = run.row[1] * 2
    return run.state["u"] + run.row[2]


def stores_a_new_key(run, x):
    run.state["new"] = x * 2
    return run.state["new"] + 1


def stores_at_a_count(run, x):
    run.energies[run.n % 1000] = x.sum()
    run.n += 1
    return x * 2


def stores_to_an_argument(state, x):
    state["t"] += 0.5
    state["u"] = state["u"] + x * state["t"]
    return state["u"].sum()


def stores_to_a_list(row, x):
    row[0] = row[0] + x
    row[-1] = row[0] * 2
    return row


def stores_to_two(one, other, x):
    one["u"] = one["u"] + x
    other["u"] = other["u"] * 2
    return one["u"] + other["u"]


def lists() -> list[Any]:
    return [X * place for place in range(4)]


def state() -> dict[str, Any]:
    return {"t": 0.0, "u": X * 1}


# The callee, the maker of all its arguments but the last, and the recordings that eight calls take.
CASES: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], int]] = [
    (heap_made_inside, lambda: (X * 3,), 8),
    (sorted_insertion, lambda: (), 8),
    (shuffled, lambda: (lists(),), 8),
    (pushed_outside, lambda: ([1.0, 2.0],), 8),
    (answered, lambda: (lists(), {"a": X, "b": 1}), 1),
    (of_an_object, lambda: (Run(),), 1),
    (pushed_to_an_object, lambda: (Run(),), 8),
    (appends, lambda: (Run(),), 1),
    (appends_and_looks, lambda: (Run(),), 8),
    (stores_items, lambda: (Run(),), 2),
    (stores_a_new_key, lambda: (Run(),), 8),
    (stores_at_a_count, lambda: (Run(),), 1),
    (stores_to_an_argument, lambda: (state(),), 1),
    (stores_to_a_list, lambda: (lists(),), 1),
    (stores_to_two, lambda: (state(), state()), 1),
]


def flat(value: Any) -> Any:
    if isinstance(value, Run):
        return {key: flat(item) for key, item in vars(value).items()}
    return list(value) if isinstance(value, deque) else value


@pytest.mark.parametrize("kept", [True, False], ids=["the same", "others"])
@pytest.mark.parametrize(("fn", "make", "most"), CASES, ids=[row[0].__name__ for row in CASES])
def test_as_plain_python(fn: Any, make: Any, most: int, kept: bool) -> None:
    """kept: one set of arguments is given to each call, as it was left."""
    jitted = npcompile.jit(fn)
    given, others = make(), make()
    for call in range(8):
        if not kept:
            given, others = make(), make()
        x = X * (-1.5) ** call
        if fn in (shuffled, stores_to_a_list) or fn in (sorted_insertion,):
            arguments, plain = (*given, x)[: fn.__code__.co_argcount], (*others, x)[: fn.__code__.co_argcount]
        else:
            arguments, plain = (*given, x), (*others, x)
        got, want = jitted(*arguments), fn(*plain)
        same(flat_all(got), flat_all(want), where=f"call {call}: result")
        same(flat_all(list(arguments)), flat_all(list(plain)), where=f"call {call}: arguments")
        if isinstance(want, list):
            assert [got is item for item in arguments] == [want is item for item in plain]
    assert jitted.stats.recordings <= most + (kept and most > 1)


def flat_all(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [flat_all(item) for item in value]
    return flat(value)


def test_what_is_answered_is_what_was_given() -> None:
    jitted = npcompile.jit(answered)
    for _ in range(4):
        values, named = lists(), {"a": X, "b": 1}
        got = jitted(values, named, X)
        assert got[0] is values and got[1] is named and got[2][0] is values and got[2][1] is X
    run, jitted = Run(), npcompile.jit(of_an_object)
    for _ in range(4):
        got = jitted(run, X)
        assert got[0] is run.hist and got[1]["row"] is run.row and got[2] is run.state
    assert jitted.stats.replays == 3


def test_two_that_become_one() -> None:
    jitted = npcompile.jit(stores_to_two)
    for once in (False, False, True, False, True):
        one = state()
        other = one if once else state()
        plain = copy.deepcopy(one)
        second = plain if once else copy.deepcopy(other)
        same(jitted(one, other, X), stores_to_two(plain, second, X))
        same([one, other], [plain, second])
    assert jitted.stats.recordings == 2


def test_a_count_and_what_is_made_of_it() -> None:
    """To CPython 5 and 5 % 1000 are one object: from 257 on they are two, and one program is for all."""
    jitted = npcompile.jit(stores_at_a_count)
    run, plain = Run(), Run()
    run.n = plain.n = 0
    for _ in range(800):
        same(jitted(run, X), stores_at_a_count(plain, X))
    same(run.energies, plain.energies)
    assert run.n == plain.n
    assert jitted.stats.programs <= 3 and jitted.stats.recordings < 15 and jitted.stats.replays > 250
    assert not jitted.stats.reasons


class Kernel:
    def __init__(self, bounds: Any) -> None:
        self.bounds = bounds


def stores_bounds(kernel: Any) -> Any:
    kernel.last = kernel.bounds
    return kernel.last


def made_of_the_same(kernel: Any) -> bool:
    made = Kernel(kernel.bounds)
    return made.bounds is kernel.bounds


WITH_TUPLES: dict[str, Callable[[Any], Any]] = {
    "answered": lambda kernel: kernel.bounds,
    "answered in a tuple": lambda kernel: (kernel.bounds[0] * 2, kernel.bounds)[1],
    "answered in a list": lambda kernel: [kernel.bounds],
    "answered in a dict": lambda kernel: {"bounds": kernel.bounds},
    "held by an object": lambda kernel: Kernel(kernel.bounds),
    "held in a tuple": lambda kernel: Kernel((kernel.bounds, kernel.bounds[0] * 2)),
    "stored": stores_bounds,
}


@pytest.mark.parametrize(
    "bounds", [(1e-5, 1e5), (2.5, X), ((1.5, 2), "fixed")], ids=["numbers", "array", "nested"]
)
@pytest.mark.parametrize("name", WITH_TUPLES)
def test_tuples_from_outside(name: str, bounds: Any) -> None:
    """Scikit-learn's `clone` asks whether what a constructor was given is what the object has."""
    jitted = npcompile.jit(WITH_TUPLES[name])
    for _ in range(5):
        kernel = Kernel((*bounds,))
        got = jitted(kernel)
        while got is not kernel.bounds:  # its holder
            got = (
                got.bounds if type(got) is Kernel else next(iter(got.values() if type(got) is dict else got))
            )
            assert got is not bounds[0]
    assert jitted.stats.replays >= 3


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_tuples_that_an_object_was_made_of() -> None:
    jitted = npcompile.jit(made_of_the_same)
    assert [jitted(Kernel((1.0 + i, 2.0))) for i in range(6)] == [True] * 6


def are_one(one: Any, other: Any) -> Any:
    return one is other, one[0] * 2


def are_two(one: Any, other: Any) -> Any:
    return one is not other, one[0] * 2


def is_held(one: Any, kernel: Any) -> Any:
    return one is kernel.bounds, one[0] * 2


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("function", [are_one, are_two, is_held], ids=lambda function: function.__name__)
def test_one_tuple_or_two(function: Callable[..., Any]) -> None:
    """Those among the arguments are recorded with numbers as objects of their own."""
    one, other = (1.0, 2.5), (1.0, 2.5 * X[2])
    for pairs in ([(one, one), (one, other)] * 3, [(one, other), (one, one)] * 3):
        jitted = npcompile.jit(function)
        for given, second in pairs:
            held = Kernel(second) if function is is_held else second
            same(jitted(given, held), function(given, held))
