"""Functions that are replaced where they are: their code on reloading, NumPy's and Python's own by mocks.

A row of `REPLACED`: a function that reads, and the change. To add a kind, add a row.
"""

from __future__ import annotations

import builtins
import dataclasses
import enum
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 7.0).reshape(2, 3)
NUMBER, NUMPY = 2.0, np


def doubled(a):
    return a * 2


def tripled(a):
    return a * 3


def recoded(a):
    return a + 5


class Holder:
    factor = 2.0

    def recoded(self, a):
        return a + 5

    def method(self, a):
        return a * self.factor


class Between:
    def method(self, a):
        return super().method(a) * -1  # type: ignore[misc]


@dataclasses.dataclass
class Record:
    x: Any
    k: float = 2.0
    parts: list[float] = dataclasses.field(default_factory=lambda: [1.0])
    shift: float = dataclasses.field(default=1.0, kw_only=True)

    def value(self):
        return self.x * self.k + self.shift * sum(self.parts)


class Pair(NamedTuple):
    x: Any
    k: float = 2.0


def getter() -> Any:
    class Inner:
        @property
        def k(self):
            return 2.0

    return Inner()


INNER = getter()


class Mode(enum.Enum):
    A = "a"
    B = "b"

    def __init__(self, _: str) -> None:
        self.weight = 2.0

    def apply(self, x):
        return x + 1 if self is Mode.A else x - 1

    @property
    def scale(self):
        return {"a": NUMBER, "b": 3.0}[self.value]


MODE = Mode.A
OBJECT, HELD = Holder(), {"f": recoded}
Change = Callable[[pytest.MonkeyPatch], None]


def code(of: Any, other: Any) -> Change:
    """Another code for a function that stays: as when a module is loaded again."""
    return lambda patch: patch.setattr(of, "__code__", other.__code__)


def defaults(of: Any, given: tuple[Any, ...]) -> Change:
    return lambda patch: patch.setattr(of, "__defaults__", given)


def replace(space: Any, name: str, value: Any) -> Change:
    """Another function for one that is not the user's: as a test's mocks do."""
    return lambda patch: patch.setattr(space, name, value)


def replace_in(name: str, value: Any) -> Change:
    return lambda patch: patch.setattr(Mode, name, value)


def define(name: str, value: Any) -> Change:
    return lambda patch: patch.setitem(globals(), name, value)


REPLACED: dict[str, tuple[Callable[[Any], Any], Change]] = {
    "code of a function": (lambda x: recoded(x) + 1, code(recoded, tripled)),
    "code of a method": (lambda x: OBJECT.recoded(x) + 1, code(Holder.recoded, Holder.method)),
    "a method of an enumeration": (lambda x: MODE.apply(x), replace_in("apply", lambda self, x: x * 7)),
    "code of a property of a class made in a function": (
        lambda x: x * INNER.k,
        code(type(INNER).k.fget, lambda self: 5.0),
    ),
    "what a member of an enumeration holds": (
        lambda x: x * MODE.weight,
        lambda patch: patch.setattr(Mode.A, "weight", 5.0),
    ),
    "a default of a data class": (
        lambda x: Record(x).value(),
        defaults(Record.__init__, (5.0, Record.__init__.__defaults__[1])),  # type: ignore[index]
    ),
    "a default where a factory was": (
        lambda x: Record(x).value(),
        defaults(Record.__init__, (5.0, [3.0, 4.0])),
    ),
    "a default by name of a data class": (
        lambda x: Record(x).value(),
        lambda patch: patch.setattr(Record.__init__, "__kwdefaults__", {"shift": 3.0}),
    ),
    "a default by name of a data class, in place": (
        lambda x: Record(x).value(),
        lambda patch: patch.setitem(Record.__init__.__kwdefaults__, "shift", 3.0),
    ),
    "a default of a named tuple": (lambda x: x * Pair(x).k, defaults(Pair.__new__, (5.0,))),
    "a property of an enumeration": (
        lambda x: x * MODE.scale,
        replace_in("scale", property(lambda self: 7.0)),
    ),
    "what a property of an enumeration reads": (lambda x: x * MODE.scale, define("NUMBER", 7.0)),
    "code of a function that a call is made of": (lambda x: HELD["f"](x), code(recoded, tripled)),
    "a function of NumPy's": (lambda x: np.sqrt(x) + 1, replace(np, "sqrt", np.square)),
    "a function of NumPy's by another name": (lambda x: NUMPY.sqrt(x) + 1, replace(np, "sqrt", np.square)),
    "a function of NumPy's linear algebra": (
        lambda x: np.linalg.norm(x) * x,
        replace(np.linalg, "norm", lambda x: x * 2),
    ),
    "a random stream": (lambda x: x * (np.random.rand() < 2), replace(np.random, "rand", lambda: 7.0)),
    "a clock": (lambda x: x * (time.time() > 0), replace(time, "time", lambda: -7.0)),
    "a function of math's": (lambda x: x * math.exp(NUMBER), replace(math, "exp", lambda x: 7.0)),
    "a builtin": (lambda x: x * len(x), replace(builtins, "len", lambda x: 7)),
    "a builtin that the module comes to have": (lambda x: x * abs(x), define("abs", doubled)),
    "a name that was added to the builtins": (
        lambda x: x * added(x),  # type: ignore[name-defined]  # noqa: F821
        replace(builtins, "added", tripled),
    ),
    "a name that was added to NumPy's": (
        lambda x: x * np.added(x),  # type: ignore[attr-defined]
        replace(np, "added", tripled),
    ),
}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setattr("npcompile.frontend.passes.order._VERIFIES", False)  # it calls what is replaced, too
    for space in (builtins, np):
        monkeypatch.setattr(space, "added", doubled, raising=False)
    yield


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("kind", REPLACED)
def test_what_is_replaced_changes_the_answer(kind: str) -> None:
    fn, change = REPLACED[kind]
    before = fn(X)
    jitted = npcompile.jit(fn)
    for _ in range(2):
        for _ in range(3):
            same(jitted(X), before, where="before")
        with pytest.MonkeyPatch.context() as patch:
            change(patch)
            after = fn(X)
            with pytest.raises(AssertionError):
                same(after, before)  # or the row tests nothing
            for _ in range(3):
                same(jitted(X), after, where="after")
    for _ in range(2):
        same(jitted(X), before, where="restored")
    assert jitted.stats.recordings <= 2, jitted.stats


def test_a_function_that_has_other_code_is_recorded_anew() -> None:
    """As when its module is loaded again, and functions are kept with the new code."""

    def fn(x, k=2.0):
        return x * k

    def other(x, k=2.0, *, more=1.0):
        return x + k + more

    jitted = npcompile.jit(fn)
    before, defaults = fn.__code__, fn.__defaults__
    for _ in range(2):
        for _ in range(3):
            same(jitted(X), X * 2)
        fn.__code__, fn.__kwdefaults__ = other.__code__, {"more": 3.0}
        for _ in range(3):
            same(jitted(X), X + 5)
            same(jitted(X, more=1.0), X + 3)
        fn.__code__, fn.__kwdefaults__, fn.__defaults__ = before, None, defaults
    assert jitted.stats.replays >= 8


def test_functions_that_are_replaced_and_back_again_cost_no_recording() -> None:
    jitted = npcompile.jit(lambda x: np.sqrt(x) * len(x))
    sqrt = np.sqrt
    mocks = [lambda x: x * 3, lambda x: x * 5]
    try:
        for _ in range(3):
            for now in (sqrt, *mocks):
                np.sqrt = now  # type: ignore[assignment]
                for _ in range(2):
                    same(jitted(X), now(X) * 2)
    finally:
        np.sqrt = sqrt
    assert jitted.stats.recordings == 3 and jitted.stats.replays == 15
    assert "sqrt" in str(npcompile.explain(jitted, X).recompilations[0])


def test_a_class_that_gets_other_bases() -> None:
    class Other(Holder):
        def method(self, a):
            return super().method(a) + 1

    one = Other()
    jitted = npcompile.jit(lambda x: one.method(x))
    for bases in ((Holder,), (Between, Holder), (Holder,)):
        Other.__bases__ = bases
        for _ in range(3):
            same(jitted(X), one.method(X))
    assert jitted.stats.recordings == 2
