"""Inner functions that are jitted anew at each call of the function around them share their recordings."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime import recording_families

X = np.arange(64.0)
made: list[Any] = []


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield
    made.clear()


def without_a_closure(x, k):
    @npcompile.jit
    def inner(y):
        return y * 2 + 1

    made.append(inner)
    return inner(x)


def with_a_closure(x, k):
    by, row = float(k), x[:3] + k

    @npcompile.jit
    def inner(y):
        return y * by + row.sum()

    made.append(inner)
    return inner(x)


def with_defaults(x, k):
    most = x.sum() + k

    @npcompile.jit
    def inner(y, by=k + 0.5, *, more=most):
        return y * by + more

    made.append(inner)
    return inner(x), inner(x, more=np.float64(2.0))


def of_lambdas(x, k):
    inner = npcompile.jit(lambda y: y * k + x)
    made.append(inner)
    return inner(x + 1)


def of_a_callable(x, k):
    f = (np.sin, np.cos, np.tanh)[k % 3]

    @npcompile.jit
    def inner(y):
        return f(y) + k

    made.append(inner)
    return inner(x)


def of_a_function_of_the_users(x, k):
    f = (lambda z: z * 2) if k % 2 else (lambda z: z + k)

    @npcompile.jit
    def inner(y):
        return f(y) * f(y[::-1])

    made.append(inner)
    return inner(x)


def of_a_flag(x, k):
    flag, name = bool(k % 2), ("a", "b", "c")[k % 3]

    @npcompile.jit
    def inner(y):
        if flag:
            return y * 2
        return {"a": y + 1, "b": y + 2, "c": y + 3}[name]

    made.append(inner)
    return inner(x)


def of_a_cell_that_changes(x, k):
    by = 1.0

    @npcompile.jit
    def inner(y):
        return y * by

    made.append(inner)
    first = inner(x)
    by = float(k)
    return first, inner(x)


def of_types_that_change(x, k):
    by = (1, 2.0, np.float32(3), np.ones(64), None)[k % 5]

    @npcompile.jit
    def inner(y):
        return y if by is None else y * by

    made.append(inner)
    return inner(x)


def that_writes(x, k):
    total = np.zeros_like(x)

    @npcompile.jit
    def inner(y):
        total[:] += y * k
        return total

    made.append(inner)
    return inner(x), inner(x) is total, total


def that_is_recursive(x, k):
    @npcompile.jit
    def inner(y, depth=2):
        return y * k if depth == 0 else inner(y + 1, depth - 1)

    made.append(inner)
    return inner(x)


def that_reads_itself(x, k):
    @npcompile.jit
    def inner(y):
        return y * inner.by, inner.__name__

    inner.by = k
    made.append(inner)
    return inner(x)


def of_a_class(x, k):
    class Base:
        def of(self, y):
            return y * k

    class Scale(Base):
        @npcompile.jit
        def of(self, y):
            return super().of(y) + k

        @npcompile.jit
        def by(self, y):
            return y * k

    made.append(Scale.by)
    return Scale().of(x), Scale().by(x)


def that_loops(x, k):
    history = []

    @npcompile.jit
    def inner(y):
        for _ in range(40):
            y = y * 0.5 + k
            history.append(y.sum())
        return y

    made.append(inner)
    return inner(x), list(history), len(history)


def that_counts(x, k):
    count = k

    @npcompile.jit
    def inner(y):
        nonlocal count
        count += 1
        return y * count

    made.append(inner)
    return inner(x), count, inner(x), count


def that_raises(x, k):
    @npcompile.jit
    def inner(y):
        if k == 3:
            raise ValueError(k)
        return y * k

    made.append(inner)
    try:
        return inner(x)
    except ValueError as error:
        return error.args


def with_sentinels(x, k):
    absent = object()

    @npcompile.jit
    def inner(y, other=absent):
        return y * 2 if other is absent else y * other

    made.append(inner)
    return inner(x), inner(x, k)


SHARED = [without_a_closure, with_a_closure, with_defaults, of_lambdas, that_writes]
FUNCTIONS = [*SHARED, of_a_callable, of_a_function_of_the_users, of_a_flag, of_a_cell_that_changes]
FUNCTIONS += [of_types_that_change, that_is_recursive, that_reads_itself, of_a_class, that_loops, that_counts]
FUNCTIONS += [that_raises, with_sentinels]


def plain(fn: Any) -> Any:
    """The same, with nothing jitted."""
    jit = types.SimpleNamespace(jit=lambda one: one)
    names = {**fn.__globals__, "npcompile": jit, "made": []}
    return types.FunctionType(fn.__code__, names, fn.__name__)


def same(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    if isinstance(want, tuple | list):
        for one, other in zip(got, want, strict=True):
            same(one, other)
    elif isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-12)
    else:
        assert got == want


@pytest.mark.parametrize("outer_too", [False, True])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_answers_are_pythons(fn: Callable[..., Any], outer_too: bool) -> None:
    outer = npcompile.jit(fn) if outer_too else fn
    for k in range(9):
        x = X[: 64 if fn is of_types_that_change else 64 - k % 3] + k
        same(outer(x, k), plain(fn)(x, k))


@pytest.mark.parametrize("fn", SHARED, ids=lambda fn: fn.__name__)
def test_one_is_recorded_for_all(fn: Callable[..., Any]) -> None:
    for k in range(10):
        fn(X, k)
    assert sum(one.stats.recordings for one in made) == 1
    assert all(one.stats.replays == one.stats.calls for one in made[1:])
    assert not made[-1].stats.reasons and made[-1].programs == made[0].programs


def test_lengths_are_shared() -> None:
    for k in range(12):
        with_a_closure(X[: 20 + k], k)
    assert sum(one.stats.recordings for one in made) <= 3


def test_other_options_and_other_functions_are_by_themselves() -> None:
    def maker(**options):
        return npcompile.jit(**options)(lambda y: y / 3)

    kinds = [maker(), maker(default_float="float32"), maker(fast_random=True), maker(wait=True)]
    for one in kinds:
        one(X)
        assert one.stats.recordings == 1
    pair = [npcompile.jit(lambda y: y + 1), npcompile.jit(lambda y: y - 1)]
    assert (pair[0](X) == X + 1).all() and (pair[1](X) == X - 1).all()


def test_what_cannot_be_recorded_whole_is_each_ones_own() -> None:
    """Blocks are made with the closure."""
    for k in range(6):
        x = X + k
        same(that_loops(x, k), plain(that_loops)(x, k))
    assert all(one.npcompile_root()._family is None for one in made[1:])


def test_nothing_holds_what_a_call_has_made() -> None:
    kept: list[Any] = []

    def outer(k):
        big = X * k

        @npcompile.jit
        def inner(y):
            return y + big + np.nanmedian(big)

        kept.extend((weakref.ref(big), weakref.ref(inner), weakref.ref(inner.__wrapped__)))
        return inner(X)

    for k in range(7):
        outer(k)
    gc.collect()
    assert [ref() for ref in kept] == [None] * len(kept)


def test_a_bounded_number_is_kept() -> None:
    for _ in range(3 * recording_families.MAX_FAMILIES):
        names: dict[str, Any] = {"npcompile": npcompile}
        exec("def outer():\n    return npcompile.jit(lambda y: y)\n", names)
        names["outer"]()
    assert recording_families.known() <= recording_families.MAX_FAMILIES


def test_code_that_is_replaced() -> None:
    with_a_closure(X, 1)
    with_a_closure(X, 2)
    made[0].__code__ = (lambda by, row: lambda y: y * by - row.sum())(1, X).__code__
    row = X[:3] + 1
    same(made[0](X), X - row.sum())
    same(made[1](X), X * 2.0 + (X[:3] + 2).sum())


def test_threads() -> None:
    wrong: list[int] = []

    def run(k: int) -> None:
        for trip in range(20):
            if not np.allclose(with_a_closure(X, k + trip), plain(with_a_closure)(X, k + trip)):
                wrong.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert not wrong


def decorating(fn):
    def wrapper(y, k):
        return fn(y, k) * 2

    return wrapper


DECORATED = [
    lambda y, k: y * 0 + k,
    lambda y, k: y * 1 + k,
    lambda y, k: y * 2 + k,
    lambda y, k: y * 3 + k,
    lambda y, k: y * 4 + k,
    lambda y, k: y * 5 + k,
    lambda y, k: y * 6 + k,
    lambda y, k: y * 7 + k,
    lambda y, k: y * 8 + k,
    lambda y, k: y * 9 + k,
]


def test_what_decorators_make_of_other_functions_is_by_itself() -> None:
    """The code of the wrapper is one, that of the functions in its closure is not."""
    functions = [npcompile.jit(decorating(fn)) for fn in DECORATED]
    for k in range(4):
        for at, fn in enumerate(functions):
            assert (fn(X, k) == (X * at + k) * 2).all()
    assert all(fn.stats.recordings == 1 and fn.stats.replays == 3 for fn in functions)


def of_many_flags(x, k):
    @npcompile.jit
    def inner(y):
        return {name: y * at for at, name in enumerate("abcdefghijkl")}["abcdefghijkl"[k]]

    return inner


def test_closures_of_more_kinds_than_programs_are_kept() -> None:
    """Each is replayed in the end, as if nothing were shared."""
    functions = [of_many_flags(X, k) for k in range(12)]
    for _ in range(40):
        for k, inner in enumerate(functions):
            assert (inner(X) == X * k).all()
    before = [inner.stats.replays for inner in functions]
    for k, inner in enumerate(functions):
        assert (inner(X) == X * k).all()
    assert [inner.stats.replays for inner in functions] == [count + 1 for count in before]


def test_what_is_made_anew_and_recorded_by_itself_rests() -> None:
    """The forty-first waits for 32 calls before it is recorded."""
    for k in range(40):
        that_loops(X, k)
    assert sum(one.stats.recordings > 0 for one in made) < 12
    that_loops(X, 1)
    inner = made[-1]
    for _ in range(50):
        inner(X)
    assert inner.stats.recordings


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_children_share_on() -> None:
    for k in range(3):
        with_a_closure(X, k)
    old = made[0]
    lock = old.npcompile_root()._lock
    with lock:
        child = os.fork()
        if not child:
            fine = 0
            with contextlib.suppress(BaseException):
                for k in range(3):
                    same(with_a_closure(X, k), plain(with_a_closure)(X, k))
                old(X)
                renewed = old.npcompile_root()._lock
                fine = all(not one.stats.recordings for one in made[1:])
                fine = fine and made[-1].npcompile_root()._lock is renewed is not lock
            os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
