"""Functions that a jitted function makes are functions as they were written: they can be jitted themselves,
and outlive the recording that made them."""

from __future__ import annotations

import dis
import inspect
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile

X = np.arange(64.0)
kept: list[Any] = []


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield
    kept.clear()


def by_decorator(x):
    @npcompile.jit
    def inner(y):
        return y * 2 + 1

    kept.append(inner)
    return inner(x)


def by_call(x):
    def inner(y):
        return y * 2 + 1

    kept.append(npcompile.jit(inner))
    return kept[-1](x) + inner(x)


def with_options(x):
    @npcompile.jit(wait=True)
    def inner(y, *, by=3.0):
        return y * by

    kept.append(inner)
    return inner(x) + inner(x, by=1.0)


def with_a_closure(x):
    by, total = 3.0, x.sum()

    @npcompile.jit
    def inner(y):
        return y * by + total + x

    kept.append(inner)
    return inner(x)


def within_a_closure(x):
    def between(by):
        @npcompile.jit
        def inner(y):
            return y * by + x

        kept.append(inner)
        return inner

    return between(2.0)(x) + between(3.0)(x)


def by_lambdas(x):
    kept.extend((npcompile.jit(lambda y: y * 2), npcompile.jit(lambda y: y * 3 + x)))
    return kept[-1](x) + kept[-2](x)


def in_a_loop(x):
    @npcompile.jit
    def inner(y, by=1):
        return y * 0.5 + by

    kept.append(inner)
    for trip in range(5):
        x = inner(x, trip)
    return x


def that_loops(x):
    @npcompile.jit
    def inner(y):
        found = []
        for trip in range(5):
            y = y * 0.5 + trip
            found.append(y.sum())
        return y, found

    kept.append(inner)
    return inner(x)[0]


def that_recurses(x):
    @npcompile.jit
    def inner(y, depth=3):
        return y if depth == 0 else inner(y * 2 + 1, depth - 1)

    kept.append(inner)
    return inner(x)


def of_a_class(x):
    class Scale:
        def __init__(self, by):
            self.by = by

        @npcompile.jit
        def of(self, y):
            return y * self.by

    kept.append(Scale(3.0).of)
    return kept[-1](x)


def after_an_effect(x):
    print(end="")
    x = x + 1

    @npcompile.jit
    def inner(y):
        return y * 2 + x

    kept.append(inner)
    return inner(x)


def by_a_generator(x):
    def several():
        for by in (1.0, 2.0):
            yield npcompile.jit(lambda y, by=by: y * by + x)

    return sum(fn(x) for fn in several())


MAKERS = [
    by_decorator,
    by_call,
    with_options,
    with_a_closure,
    within_a_closure,
    by_lambdas,
    in_a_loop,
    that_loops,
]
MAKERS += [that_recurses, of_a_class, after_an_effect, by_a_generator]


@pytest.mark.parametrize("fn", MAKERS, ids=lambda fn: fn.__name__)
def test_answers_are_pythons(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for call in range(6):
        assert np.array_equal(jitted(X + call), fn(X + call))


@pytest.mark.parametrize("fn", MAKERS[:-1], ids=lambda fn: fn.__name__)
def test_functions_that_a_recording_made_are_compiled(fn: Callable[..., Any]) -> None:
    """At the first call of the maker, which is recorded: theirs outlive it."""
    npcompile.jit(fn)(X)
    for inner in list(kept):
        for call in range(4):
            assert np.array_equal(_first(inner(X + call)), _first(inner.__wrapped__(*_own(inner), X + call)))
        assert inner.stats.replays > 0 and not inner.stats.reasons


def _own(inner: Any) -> tuple[Any, ...]:
    return (inner.__self__,) if inspect.ismethod(inner) else ()


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def makes(x):
    y = x + 1
    numbers = [1.0, 2.0]

    def plain(z):
        "Adds."
        return z + y

    def of_others(z):
        def further(u):
            return u * 2

        return plain(z) + sum(further(z) * n for n in numbers) + (lambda u: u / 2)(z)

    def generator(z):
        for n in numbers:
            yield z * n

    def raises(z):
        z = z + 1
        raise KeyError(z)

    return plain, of_others, generator, raises, (lambda z: z * 2), (lambda z: z + y), lambda z=2.0: 1.0


@pytest.mark.parametrize("call", [1, 2, 3])
def test_what_a_recording_made_is_as_it_was_written(call: int) -> None:
    """No hooks are left in it: not at the first call either."""
    jitted = npcompile.jit(makes)
    for _ in range(call):
        made = jitted(X)
    for got, want in zip(made, makes(X), strict=True):
        names = [one.argval for one in dis.get_instructions(got) if one.opname.startswith("LOAD")]
        assert ".hooks" not in names and got.__doc__ == want.__doc__
        assert got.__defaults__ == want.__defaults__ and str(inspect.signature(got)) == str(
            inspect.signature(want)
        )
        if got.__name__ == "generator":
            assert all(map(np.array_equal, got(X), want(X)))
        elif got.__name__ == "raises":
            with pytest.raises(KeyError) as error:
                got(1)
            (entry,) = traceback.extract_tb(error.tb)[1:]
            assert entry.line == "raise KeyError(z)" and entry.name == "raises"
        else:
            assert np.array_equal(got(X), want(X))


def test_functions_that_a_call_made_before_it_raised() -> None:
    def fn(x):
        y = x + 1
        kept.append(lambda z: z + y)
        raise ValueError(x)

    with pytest.raises(ValueError):
        npcompile.jit(fn)(X)
    assert np.array_equal(kept[0](X), X + X + 1)
    jitted = npcompile.jit(kept[0])
    assert np.array_equal(jitted(X), jitted(X)) and jitted.stats.replays == 1


def test_lambdas_of_one_line_are_told_apart() -> None:
    def fn(x):
        return [lambda y: y + x, lambda y: y - x, lambda y: lambda z: y * z + x]

    plus, minus, times = npcompile.jit(fn)(X)
    for inner, want in ((plus, X + X), (minus, X - X), (times(X), X * X + X)):
        jitted = npcompile.jit(inner)
        assert np.array_equal(jitted(X), want) and np.array_equal(jitted(X), want)
        assert jitted.stats.replays == 1
