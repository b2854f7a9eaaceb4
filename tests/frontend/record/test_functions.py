"""Functions made inside functions, and functions as arguments: recorded once for all that one `def` makes,
with what is in their closures and defaults as it is at each call."""

from __future__ import annotations

import functools
import gc
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


X = np.linspace(0.5, 2.0, 6)


def newton(x, k):
    def f(t):
        return t**3 - k * t - x

    def df(t):
        return 3 * t**2 - k

    t = np.full_like(x, 2.0)
    for _ in range(12):
        t = t - f(t) / df(t)
    return t


def runge_kutta(x, k):
    def rhs(t, y):
        return np.sin(t) - y * k

    def step(f, y, t, h):
        a = f(t, y)
        b = f(t + h / 2, y + h / 2 * a)
        return y + h * b

    times = np.linspace(0, 1, 7)
    out = [x]
    for one, other in itertools.pairwise(times):
        out.append(step(rhs, out[-1], one, other - one))
    return np.array(out)


def defaults(x, k):
    made = []
    for trip in range(40):
        x = x * 1.01
        if trip % 13 == 0:
            made.append(lambda y=x, *, scale=k + trip: y * scale)
    return [f() for f in made]


def lambda_each_trip(x, k):
    for trip in range(40):
        x = apply(lambda v, by=float(trip): v * k + by, x) * 0.5
    return x


def counted(x, k):
    count = 0

    def tick(v):
        nonlocal count
        count += 1
        return v * k

    for _ in range(7):
        x = tick(x)
    return x, count


def shared_cell(x, k):
    def shift(v):
        return v + offset

    out = []
    for trip in range(9):
        offset = x * trip + k
        out.append(shift(x) * 2)
    return out


def recursive(x, k):
    def half(v, depth):
        return v if depth == 0 else half(v * 0.5 + k, depth - 1)

    for _ in range(6):
        x = half(x, 3)
    return x


def of_a_factory(x, k):
    def scaled(by):
        def inner(v):
            return v * by - k

        return inner

    functions = [scaled(2.5), scaled(k)]
    for _ in range(5):
        x = functions[0](x) + functions[1](x)
    return x


def class_inside(x, k):
    class Scaled:
        def __init__(self, by):
            self.by = by

        def __call__(self, v):
            return v * self.by

        def shifted(self, v):
            return self(v) + k

    scaled = Scaled(0.5)
    for _ in range(5):
        x = scaled(x) + scaled.shifted(x)
    return x


def apply(f, v):
    return f(v) + 0.5


# Functions that make functions, and how many programs 30 calls of each may leave.
MAKERS: dict[Callable[..., Any], int] = {
    newton: 4,
    runge_kutta: 4,
    defaults: 6,
    lambda_each_trip: 4,
    counted: 4,
    shared_cell: 4,
    recursive: 6,
    of_a_factory: 4,
    class_inside: 12,
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("function", MAKERS, ids=lambda function: function.__name__)
def test_functions_made_inside_are_recorded_once(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    recorded = []
    for call in range(30):
        k = 0.25 + call / 7
        same(jitted(X + call, k), function(X + call, k), ulp=16, where=f"call {call}")
        recorded.append(jitted.stats.recordings)
    assert jitted.stats.programs <= MAKERS[function], jitted.stats
    assert recorded[-1] == recorded[9], recorded


def plus_one(v):
    return v + 1


def times_three(v):
    return v * 3


def scaled(by):
    def inner(v):
        return v * by

    return inner


class Model:
    def __init__(self, k):
        self.k = k
        self.calls = []

    def scale(self, v):
        return v * self.k

    def shift(self, v):
        return v - self.k

    def __call__(self, v):
        self.calls.append(self.k)
        return v / self.k


class Other(Model):
    def scale(self, v):
        return v - 100 * self.k


def with_default(by):
    def inner(v, scale=by, *, power=by + 1):
        return v * scale / power

    return inner


# Functions of one kind, given one after the other.
GIVEN: dict[str, list[Any]] = {
    "functions": [plus_one, times_three, plus_one],
    "jitted": [npcompile.jit(plus_one), npcompile.jit(times_three), npcompile.jit(scaled(3.5))],
    "closures": [scaled(2.0), scaled(3.0), scaled(np.arange(6.0)), scaled(2), scaled(np.arange(6.0) * 2)],
    "defaults": [with_default(2.0), with_default(3.0), with_default(0.5)],
    "lambdas": [lambda v: v + 2, lambda v: v + 3],
    "methods": [Model(2.0).scale, Model(3.0).scale, Model(3.0).shift, Other(2.0).scale, Model(4).scale],
    "objects": [Model(2.0), Model(5.0)],
    "partial": [functools.partial(np.multiply, 2.0), functools.partial(np.multiply, 3.0)],
    "ufuncs": [np.sin, np.cos],
    "made ufuncs": [np.frompyfunc(plus_one, 1, 1), np.frompyfunc(times_three, 1, 1)],
    "types": [np.float32, np.float64],
}


def calls(f, v):
    return f(v) + 0


def calls_for_its_effect(f, v):
    f(v)
    return v + 1


def calls_in_a_loop(f, v):
    for _ in range(40):
        v = f(v) * 0.125 + 1
    return v


def tells_apart(f, v):
    if f is plus_one:
        return v * 2
    return v * 3 if f in (times_three, np.sin) else f(v)


def looks_up(f, v):
    return {plus_one: v + 7, times_three: v + 8}.get(f, v)


def calls_those_in_a_list(f, v):
    return [g(v) for g in (f, plus_one, f)]


def hands_it_on(f, v):
    return [np.asarray(part, float) for part in map(f, (v, v + 1))]


def is_given_back(f, v):
    return f, v + 1


TAKERS = [calls, calls_for_its_effect, calls_in_a_loop, tells_apart, looks_up]
TAKERS += [calls_those_in_a_list, hands_it_on, is_given_back]


def _judged(taker: Any, function: Any) -> Any:
    answer = taker(function, X)
    effects = function.calls if isinstance(function, Model) else None
    if effects is not None:
        effects = list(effects)
        function.calls.clear()
    if isinstance(answer, tuple):
        assert answer[0] is function
        answer = answer[1]
    return (answer if not isinstance(answer, np.ndarray) else answer.astype(answer.dtype)), effects


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("taker", TAKERS, ids=lambda taker: taker.__name__)
@pytest.mark.parametrize("kind", GIVEN)
def test_another_function_is_another_answer(kind: str, taker: Callable[..., Any]) -> None:
    jitted = npcompile.jit(taker)
    for call in range(3):
        for place, function in enumerate(GIVEN[kind]):
            want, effects = _judged(taker, function)
            got, done = _judged(jitted, function)
            if isinstance(want, np.ndarray) and want.dtype == object:
                assert list(got) == list(want), f"call {call} of {place}"
            else:
                same(got, want, ulp=16, where=f"call {call} of {place}")
            assert done == effects, f"call {call} of {place}"


def test_lambdas_as_arguments_are_recorded_once() -> None:
    jitted = npcompile.jit(calls)
    for call in range(30):
        same(jitted(lambda v, by=call * 1.5: v * by, X), X * (call * 1.5) + 0, where=f"call {call}")
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.programs) == (1, 29, 1)


def test_closures_as_arguments_are_recorded_once() -> None:
    jitted = npcompile.jit(calls)
    for call in range(30):
        same(jitted(scaled(X + call), X), X * (X + call) + 0, where=f"call {call}")
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.programs) == (1, 29, 1)


def test_a_closure_that_changes_between_calls_is_read_again() -> None:
    by: Any = 2.0

    def inner(v):
        return v * by

    jitted = npcompile.jit(calls)
    for by in (2.0, 3.0, X, X + 1, np.float32(2), 4.0):
        same(jitted(inner, X), X * by + 0, where=repr(by))


def test_the_same_code_under_other_globals_is_another_function() -> None:
    code = compile("def f(v):\n    return v * K\n", "made.py", "exec")
    jitted = npcompile.jit(calls)
    for by in (2.0, 3.0, 2.0):
        space = {"K": by}
        exec(code, space)
        same(jitted(space["f"], X), X * by + 0)


def test_functions_that_were_given_are_not_kept() -> None:
    jitted = npcompile.jit(calls_in_a_loop)
    for _ in range(2):
        held = X + 1
        jitted(scaled(held), X)
    seen = weakref.ref(held)
    del held
    gc.collect()
    assert seen() is None


NOT_PYTHON: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "ufunc": (np.sin, (X.reshape(2, 3),), {}),
    "ufunc of two": (np.add, (X, 1.5), {"dtype": "f4", "casting": "same_kind"}),
    "method of a ufunc": (np.add.reduce, (X.reshape(2, 3),), {"axis": 1}),
    "NumPy function": (np.sum, (X.reshape(2, 3),), {"axis": 0}),
    "method of arrays": (np.ndarray.sum, (X.reshape(2, 3),), {}),
    "builtin": (max, (2, 3), {}),
    "builtin on an array": (abs, (X - 1,), {}),
    "partial": (functools.partial(np.sum, axis=0), (X.reshape(2, 3),), {"keepdims": True}),
    "class": (np.float32, (2,), {}),
}


@pytest.mark.parametrize("name", NOT_PYTHON)
def test_what_is_not_written_in_python_runs_as_it_is(name: str) -> None:
    function, args, kwargs = NOT_PYTHON[name]
    jitted = npcompile.jit(function)
    with pytest.warns(npcompile.NotCompiledWarning, match="is not a Python function"):
        same(jitted(*args, **kwargs), function(*args, **kwargs))
    same(jitted(*args, **kwargs), function(*args, **kwargs))
    assert (jitted.stats.calls, jitted.stats.plain_calls, jitted.stats.recordings) == (2, 2, 0)


def keeping_axes(function):
    @functools.wraps(function)
    def kept(x, axis, **kwargs):
        return np.expand_dims(function(x, axis=axis, **kwargs), axis)

    return kept


def test_a_function_that_wraps_another_has_its_own_parameters() -> None:
    """`functools.wraps` shows the signature of what is wrapped."""
    plain = keeping_axes(np.max)
    jitted = npcompile.jit(plain)
    for call in range(3):
        x = np.arange(6.0).reshape(2, 3) + call
        same(jitted(x, axis=1), plain(x, axis=1))
    assert jitted.stats.replays == 2


def names_of_ours(x, k2, f2, f3, segment0, copyto, error, ok0_0):
    y = np.sort(x, axis=None)
    x[1:] = y[:-1] * np.float32(3) + k2
    return np.cumsum(y) + f2 + f3 * segment0 + copyto + error + ok0_0


def segment0(x):
    return x * 2 + 1


def copyto(x):
    x[1:] = x[:-1] * 2
    return np.sort(x)


def test_the_users_names_are_not_taken_for_the_replays() -> None:
    for function, count in ((names_of_ours, 7), (segment0, 0), (copyto, 0)):
        jitted = npcompile.jit(function)
        for call in range(3):
            own, plain = np.array([3.0, 1, 2]) + call, np.array([3.0, 1, 2]) + call
            numbers = range(call + 5, call + 5 + count)
            np.testing.assert_array_equal(jitted(own, *numbers), function(plain, *numbers))
            np.testing.assert_array_equal(own, plain)
        assert jitted.stats.replays == 2, jitted.stats
