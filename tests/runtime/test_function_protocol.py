"""What those who ask are told of a jitted function: what they are told of the plain one.

A row of `ASKED` is one way to ask. To add one, add a row.
"""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import pydoc
import sys
import types
import typing
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(3.0)


def plain(x, k=2.0, *, shift: float = 1.0) -> Any:
    """Twice, and one."""
    return x * k + shift


plain.unit = "m"  # type: ignore[attr-defined]
jitted = npcompile.jit(plain)
again = npcompile.jit(plain)  # not to be found under its name


def held(g: Any) -> Any:
    made = type("Holder", (), {"g": g})
    return made.g, made().g, inspect.isroutine(made.g), inspect.ismethod(made().g)


def wrapped(g: Any) -> Any:
    made: Any = functools.wraps(g)(lambda *args: g(*args))
    names = {name for name in vars(made) if not name.startswith("__")}
    return names, made.__name__, made.__doc__, made.unit, str(inspect.signature(made)), made(X)


def is_one(found: Any, g: Any) -> bool:
    return found is g


ASKED: dict[str, Callable[[Any], Any]] = {
    "signature": inspect.signature,
    "source": lambda g: inspect.getsource(inspect.unwrap(g)),
    "module": inspect.getmodule,
    "documentation": inspect.getdoc,
    "arguments": inspect.getfullargspec,
    "hints": typing.get_type_hints,
    "what it has": lambda g: (g.__name__, g.__qualname__, g.__module__, g.__defaults__, g.__kwdefaults__),
    "attributes": lambda g: (g.unit, g.__code__, g.__closure__, g.__globals__["X"]),
    "kinds": lambda g: [
        ask(g) for ask in (inspect.isroutine, inspect.iscoroutinefunction, inspect.isgeneratorfunction)
    ],
    "calls": lambda g: inspect.getcallargs(g, X),
    "help": lambda g: pydoc.plaintext.document(g).splitlines()[1:],  # type: ignore[attr-defined]
    "copies": lambda g: (is_one(copy.copy(g), g), is_one(copy.deepcopy([g])[0], g)),
    "pickled": lambda g: is_one(pickle.loads(pickle.dumps(g)), g),
    "referred to": lambda g: (is_one(weakref.ref(g)(), g), is_one({g: g}[g], g)),
    "bound": lambda g: type(g.__get__(3)),
    "in a class": lambda g: held(g)[2:],
    "wrapped": wrapped,
    "some arguments": lambda g: (
        functools.partial(g, k=3.0)(X),
        inspect.signature(functools.partial(g, k=1)),
    ),
    "remembered": lambda g: functools.cache(g)(3.0),
    "one of several": lambda g: functools.singledispatch(g)(X),
    "vectorized": lambda g: np.vectorize(g)(X),
    "of each": lambda g: list(map(g, [X, X])),
    "method": lambda g: types.MethodType(g, X)(3.0),
}


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("how", ASKED)
def test_as_of_the_plain_function(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ASKED[how]
    want = ask(plain)
    monkeypatch.setitem(globals(), "plain", jitted)  # as a decorator leaves it
    for _ in range(3):
        found = ask(jitted)
        if isinstance(want, (np.ndarray, list, tuple)):
            same(found, want)
        else:
            assert found == want


def test_to_jit_a_function_does_next_to_nothing() -> None:
    def made(k: float) -> Any:
        def scaled(x: Any) -> Any:
            return x * k

        return scaled

    npcompile.jit(made(1.0))
    functions, calls = [made(float(k)) for k in range(20)], 0

    def note(frame: types.FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call"

    gc.collect()
    objects = len(gc.get_objects())
    sys.setprofile(note)
    try:
        kept = [npcompile.jit(function) for function in functions]
    finally:
        sys.setprofile(None)
    assert calls <= 50 * len(kept) and len(gc.get_objects()) - objects <= 16 * len(kept)


def test_a_decorator_of_the_users_keeps_what_is_its_own() -> None:
    class Counting:
        def __init__(self, fn: Any) -> None:
            self.own_stats: list[int] = []
            self.filters = self.session = self.balance = None
            functools.update_wrapper(self, fn)
            self.fn = fn

        def __call__(self, x: Any) -> Any:
            self.own_stats.append(1)
            return self.fn(x)

    counting = Counting(again)
    for _ in range(3):
        same(counting(X), X * 2 + 1)
    assert (
        counting.own_stats == [1, 1, 1] and counting.filters is counting.session is counting.balance is None
    )
