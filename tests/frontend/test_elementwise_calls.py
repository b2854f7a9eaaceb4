"""Calls of `np.vectorize` objects and `np.frompyfunc` functions in jitted functions give NumPy's answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend import elementwise_calls, elementwise_loop, loop_pipeline

MANY = elementwise_calls.LEAST
X = np.linspace(-2, 3, 2 * MANY)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def described(value: Any) -> Any:
    """Return what tells apart values, their types and layouts, down to the types of objects."""
    if isinstance(value, tuple):
        return tuple(map(described, value))
    if not isinstance(value, np.ndarray):
        return type(value), repr(value)
    items = [(type(item), repr(item)) for item in value.ravel(order="K").astype(object)]
    return type(value), value.dtype.char, value.shape, value.strides, items


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return described(function(*args))
    except Exception as error:
        return type(error), str(error)


def compare(programs: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[int]:
    """Compare calls with plain ones; return how many calls were native in the last round, by program."""
    jitted = [npcompile.jit(function) for function, _ in programs]
    native = [0] * len(programs)
    for _ in range(4):
        for place, (function, args) in enumerate(programs):
            want = outcome(function, *args)
            before = elementwise_calls.native_calls()
            assert outcome(jitted[place], *args) == want, function
            native[place] = elementwise_calls.native_calls() - before
        for one in jitted:
            one.wait()
        elementwise_calls.wait()
    return native


def stepped(x: Any, y: Any = 2.5) -> Any:
    return x * y - x if x > y else y


def either_kind(x: Any) -> Any:
    if x < 0:
        return 0
    return x


def both(x: Any, y: Any) -> Any:
    return (x if x > y else y), x > y


def root(x: Any) -> Any:
    return np.sqrt(abs(x))


def collatz(n: Any) -> Any:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


made_outside = np.vectorize(stepped)
of_objects = np.frompyfunc(stepped, 2, 1)


def of_a_global(x: Any) -> Any:
    return made_outside(x) + 1


def made_within(x: Any) -> Any:
    return np.vectorize(stepped)(x, 1.0)


def of_a_lambda(x: Any, top: Any) -> Any:
    return np.vectorize(lambda v, w: v * w if v < top else top)(x, x[::-1])


def of_a_nested_function(x: Any, top: Any) -> Any:
    def clipped(v: Any) -> Any:
        return min(v, top)

    total = 0.0
    for _ in range(3):
        total += np.vectorize(clipped)(x).sum()
    return total, np.vectorize(clipped)(x)


def of_two_results(x: Any) -> Any:
    larger, is_first = np.vectorize(both)(x, x[::-1])
    return larger, is_first


def of_two_results_with_types(x: Any) -> Any:
    return np.vectorize(both, otypes=[np.float32, int])(x, 0.5)


def with_types(x: Any) -> Any:
    return np.vectorize(either_kind, otypes="f")(x), np.vectorize(either_kind, otypes=[complex])(x)


def by_the_first_item(x: Any) -> Any:
    return np.vectorize(either_kind)(x), np.vectorize(either_kind)(x[::-1])


def excluding(x: Any) -> Any:
    weights = np.arange(3.0)
    return np.vectorize(lambda v, w: v * w[0] + w[2], excluded={1})(x, weights)


def broadcast(x: Any) -> Any:
    rows = x.reshape(4, -1)
    return np.vectorize(stepped)(rows.T, rows[:, 0]), np.vectorize(stepped)(rows[::2, ::-1])


def in_a_loop(x: Any) -> Any:
    lengths = np.vectorize(collatz)
    found = []
    for k in range(3):
        found.append(lengths(np.arange(k, k + 100)).max())
    return found[0], found[-1]


def of_objects_with_floats(x: Any) -> Any:
    return of_objects(x, 0.5), np.frompyfunc(root, 1, 1)(x), np.frompyfunc(collatz, 1, 1)(np.arange(100))


def of_objects_in_rows(x: Any) -> Any:
    rows = x.reshape(4, -1)
    return np.frompyfunc(lambda v: v > 0, 1, 1)(rows.T), np.frompyfunc(root, 1, 1)(rows[:, ::-1].T)


NATIVE: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (of_a_global, (X,), 1),
    (made_within, (X,), 1),
    (of_a_lambda, (X, 1.5), 1),
    (of_a_lambda, (X.astype(np.float32), 2), 1),
    (of_a_nested_function, (X, 0.25), 4),
    (of_two_results, (X,), 1),
    (of_two_results, (np.arange(100),), 1),
    (of_two_results_with_types, (X,), 1),
    (with_types, (X,), 2),
    (by_the_first_item, (X,), 2),
    (excluding, (X,), 1),
    (broadcast, (X,), 2),
    (in_a_loop, (X,), 3),
    (of_objects_with_floats, (X,), 3),
    (of_objects_in_rows, (X,), 2),
]


def test_native_calls() -> None:
    native = compare([(function, args) for function, args, _ in NATIVE])
    assert native == [count for _, _, count in NATIVE]


seen: list[Any] = []
scale = 2.0


def noted(x: Any) -> Any:
    seen.append(x)
    return x


def inverse(x: Any) -> Any:
    return 1 / x


def of_effects(x: Any) -> Any:
    seen.clear()
    first = np.vectorize(noted)(x)
    count = 0

    def counted(v: Any) -> Any:
        nonlocal count
        count += 1
        return v + count

    log: list[Any] = []

    def logged(v: Any) -> Any:
        log.append(v)
        return v

    again = np.vectorize(counted)(x), np.vectorize(logged)(x), np.frompyfunc(logged, 1, 1)(x)
    return first, again, len(seen), count, len(log)


def of_exceptions(x: Any) -> Any:
    return np.vectorize(inverse)(x)


def of_few(x: Any) -> Any:
    return np.vectorize(stepped)(x[:5]), np.vectorize(stepped)(x[0]), of_objects(x[0], 2)


def of_nothing(x: Any) -> Any:
    return np.vectorize(stepped)(x[:0])


def of_nothing_with_types(x: Any) -> Any:
    return np.vectorize(stepped, otypes=[float])(x[:0]), of_objects(x[:0], 1)


def with_a_signature(x: Any) -> Any:
    return np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")(x.reshape(2, -1), x[: len(x) // 2])


def of_mixed_objects(x: Any) -> Any:
    made = np.frompyfunc(either_kind, 1, 1)
    pairs = np.frompyfunc(stepped, 2, 1)
    return made(x), pairs.reduce(x), pairs.accumulate(x), pairs.outer(x[:3], x[:2]), made(x, dtype=object)


def of_lists(x: Any) -> Any:
    return np.vectorize(stepped)([*x, 3]), np.vectorize(str)(x), np.vectorize(lambda v: f"{v:.1f}")(x)


PLAIN = [
    (of_effects, (X,)),
    (of_exceptions, (np.arange(100),)),
    (of_few, (X,)),
    (of_nothing, (X,)),
    (of_nothing_with_types, (X,)),
    (with_a_signature, (X,)),
    (of_mixed_objects, (X,)),
    (of_lists, (X,)),
]


def test_calls_that_numpy_does() -> None:
    assert compare(PLAIN) == [0] * len(PLAIN)


def scaled(x: Any) -> Any:
    return x * scale


def of_a_changing_global(x: Any) -> Any:
    return np.vectorize(scaled)(x)


def test_functions_that_share_their_code(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(of_a_lambda)
    for top in (1.5, 0.5, 2, 2.5, -1):
        for x in (X, X[::2], np.arange(100)):
            assert outcome(jitted, x, top) == outcome(of_a_lambda, x, top)
        jitted.wait()
        elementwise_calls.wait()
    jitted = npcompile.jit(of_a_changing_global)
    for value in (2.0, 2.0, 3, 2.5):
        monkeypatch.setitem(globals(), "scale", value)
        for _ in range(2):
            assert outcome(jitted, X) == outcome(of_a_changing_global, X)
            elementwise_calls.wait()


def of_whole_numbers(x: Any) -> Any:
    return np.frompyfunc(collatz, 1, 1)(x)


def test_results_are_not_looked_at_while_native_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []

    def looks(result: Any) -> Any:
        looked.append(result)
        return results_of(result)

    results_of = elementwise_loop.results_of
    monkeypatch.setattr(elementwise_loop, "results_of", looks)
    job = SimpleNamespace(done=False)
    monkeypatch.setattr(loop_pipeline, "submit", lambda *_: job)
    elementwise_calls._by_code.pop((collatz,), None)
    jitted = npcompile.jit(of_whole_numbers)
    for _ in range(5):
        assert outcome(jitted, np.arange(100)) == outcome(of_whole_numbers, np.arange(100))
    assert len(looked) == 1
    job.done = True  # contests wait for all that is being compiled
    elementwise_calls._by_code.pop((collatz,), None)
