"""What a function reads changes again and again: how many recordings that takes, and that replays follow."""

from __future__ import annotations

import collections
import collections.abc
import contextvars
import functools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 7.0).reshape(2, 3)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


PART: Any = None
SLICES: dict[str, tuple[Any, list[Any]]] = {
    "an index": (lambda x: x[PART] * 2, [slice(0, 1), slice(0, 2), slice(None, None, -1), slice(1, 9), 1]),
    "after another": (lambda x: x[:, PART] * 2, [slice(1, None), slice(1, None, 2), slice(True, 3)]),
    "its ends": (lambda x: x * PART.start + (PART.step is None), [slice(1, 2), slice(2, 2), slice(1, 2, 1)]),
    "its indices": (lambda x: x * PART.indices(len(x))[1], [slice(0, 1), slice(2), slice(-1)]),
    "compared": (lambda x: x if PART == slice(0, 1) else -x, [slice(0, 1), slice(0, 2)]),
    "a tuple": (lambda x: x[PART] * 2, [(slice(0, 1), slice(2)), (slice(1), ...), (slice(None), slice(2))]),
    "NumPy's": (lambda x: x[PART] * 2, [slice(0, 1), slice(np.int64(0), 1), slice(0, np.uint8(2))]),
}


@pytest.mark.parametrize("kind", SLICES)
def test_slices(kind: str) -> None:
    global PART
    fn, parts = SLICES[kind]
    jitted = npcompile.jit(fn)
    for part in [*parts, *parts]:
        PART = part
        for _ in range(2):
            same(jitted(X), fn(X))
    assert jitted.stats.recordings == len(parts), jitted.stats.reasons
    assert jitted.stats.replays == 3 * len(parts)


class Table(collections.abc.MutableMapping):
    """What is not written here `MutableMapping` has."""

    def __init__(self, **held: Any) -> None:
        self.held = held

    def __getitem__(self, key: Any) -> Any:
        return self.held[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.held[key]

    def __iter__(self) -> Any:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class Named(collections.UserDict):
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key) * 2


def _items(held: Any, x: Any) -> Any:
    held["n"] += 1
    held["u"] = held["u"] + x * held["k"]
    return held["u"] * held["n"]


def _of_list(held: Any, x: Any) -> Any:
    held[0] += 1
    held[1] = held[1] + x * held[2]
    return held[1] * held[0]


def _asked(held: Any, x: Any) -> Any:
    if "m" in held:
        x = x * held["m"]
    return x + held.get("k", 1.0) + held.get("z", 2.0) * held.setdefault("s", 3)


def _counted(held: Any, x: Any) -> Any:
    held["n"] += 1
    if x.sum() > 1e3:
        held["much"] += 1
    return x * held["n"] + held["never"] + held.get("z", 1) + held["k"]


_ITEMS = {"n": 0, "u": np.zeros((2, 3)), "k": 2.0}
HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "UserDict": (_items, lambda: collections.UserDict(_ITEMS)),
    "UserDict, a subclass": (_items, lambda: Named(_ITEMS)),
    "UserDict, asked": (_asked, lambda: collections.UserDict(_ITEMS)),
    "ChainMap": (_items, lambda: collections.ChainMap({"n": 1}, dict(_ITEMS))),
    "ChainMap, asked": (_asked, lambda: collections.ChainMap({"n": 1}, dict(_ITEMS))),
    "MutableMapping": (_items, lambda: Table(**_ITEMS)),
    "MutableMapping, asked": (_asked, lambda: Table(**_ITEMS)),
    "Counter": (_counted, lambda: collections.Counter(k=3)),
    "defaultdict": (_items, lambda: collections.defaultdict(int, _ITEMS)),
    "OrderedDict": (_items, lambda: collections.OrderedDict(_ITEMS)),
    "UserList": (_of_list, lambda: collections.UserList([*_ITEMS.values()])),
}


@pytest.mark.parametrize("how", ["argument", "closure"])
@pytest.mark.parametrize("kind", HELD)
def test_containers_of_other_kinds(kind: str, how: str) -> None:
    """What they hold is read and stored at each call, and array work around it is replayed."""
    fn, make = HELD[kind]
    held, mirror = make(), make()
    jitted = npcompile.jit(fn if how == "argument" else lambda x: fn(held, x))
    given = (held,) if how == "argument" else ()
    for number in range(12):
        if number in (4, 8):
            for one in (held, mirror):
                one[2 if fn is _of_list else "k"] = number * 3
        x = X * (number % 3 + 1)
        same(jitted(*given, x), fn(mirror, x))
        keys = range(len(mirror)) if fn is _of_list else mirror
        same([held[key] for key in keys], [mirror[key] for key in keys])
    replays = jitted.stats.replays + jitted.npcompile_root().block_stats.replays
    assert replays >= 6 and jitted.stats.recordings <= 8, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("of", [lambda: os.environ, lambda: collections.ChainMap({}, os.environ)])
def test_what_was_missing_from_the_environment(of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    held = of()
    jitted = npcompile.jit(lambda x: x * float(held.get("NPCOMPILE_TEST_READ_AGAIN", "2")))
    for text, factor in ((None, 2.0), ("5", 5.0), ("7", 7.0)):
        if text is not None:
            monkeypatch.setenv("NPCOMPILE_TEST_READ_AGAIN", text)
        for _ in range(3):
            same(jitted(X), X * factor)


class Local(threading.local):
    scale = 2.0

    @property
    def half(self) -> Any:
        return self.k / 2


VARIABLE: contextvars.ContextVar[Any] = contextvars.ContextVar("VARIABLE")
LOCAL = Local()


@pytest.mark.parametrize("values", [(1.0, 2.0, 3.0), (np.ones(3), np.zeros(3))])
def test_variables_of_the_context_and_of_the_thread(values: tuple[Any, ...]) -> None:
    """What they are is asked again, in the thread and the context of the call."""

    def fn(x):
        return x * VARIABLE.get() + LOCAL.k + LOCAL.half * LOCAL.scale

    def inside(value: Any) -> Any:
        VARIABLE.set(value)
        LOCAL.k = value + 1
        got, want = jitted(X), fn(X)
        same(got, want)

    jitted = npcompile.jit(fn)
    for value in (*values, *values):
        contextvars.copy_context().run(inside, value)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(inside, value).result()
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 4 * len(values) - 1)


def with_default(a, k=2.0):
    return a * k


def with_keyword(a, *, k=2.0):
    return a * k


def test_defaults_that_are_others_again_and_again() -> None:
    jitted = npcompile.jit(lambda x: with_default(x) + with_keyword(x))
    for number in (3.0, 4.0, 5.0):
        with_default.__defaults__, with_keyword.__kwdefaults__ = (number,), {"k": number + 1}
        for _ in range(3):
            same(jitted(X), X * number + X * (number + 1))
    assert (jitted.stats.recordings, jitted.stats.replays) == (3, 6)


@functools.singledispatch
def by_type(value: Any, x: Any) -> Any:
    return x


def test_a_function_that_is_registered_for_a_type() -> None:
    """It is found by a call in a helper, and what it is has to be checked."""
    jitted = npcompile.jit(lambda x: by_type(2.0, x) + 1)
    for factor in (2.0, 3.0):
        by_type.register(float, lambda value, x: x * value * factor)  # noqa: B023
        for _ in range(3):
            same(jitted(X), X * 2.0 * factor + 1)
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.reasons) == (1, 5, [])
