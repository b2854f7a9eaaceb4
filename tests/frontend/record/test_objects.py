"""Objects of the user's classes: made inside, their operators, and what is stored to those from outside."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs import array_holder_functions
from tests.programs.array_holder_classes import Body, Dual, Vector
from tests.programs.array_holder_functions import FUNCTIONS

X = np.array([0.5, 0.75, 1.0, 1.25, 1.5, 2.0])  # sums of these are exact


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def state(value: Any) -> Any:
    """What an object holds, in containers that can be compared."""
    if isinstance(value, np.ndarray | np.generic | int | float | str | type(None)):
        return value
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(state, value)]
    if isinstance(value, dict):
        return {key: state(item) for key, item in value.items()}
    names = getattr(type(value), "__slots__", None) or vars(value)
    return [type(value).__name__, {name: state(getattr(value, name)) for name in names}]


def arguments(fn: Callable[..., Any], scale: float) -> list[Any]:
    made = array_holder_functions.ARGUMENTS.get(fn, (Vector,))
    return [kind(X * (scale + place)) for place, kind in enumerate(made)]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=[fn.__name__ for fn in FUNCTIONS])
def test_one_program_as_plain_python(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for scale in (1.0, 1.5, 0.25, 2.0):
        given = arguments(fn, scale)
        others = copy.deepcopy(given)
        same(state(jitted(*given)), state(fn(*others)), where=f"{scale}: result")
        same(state(given), state(others), where=f"{scale}: arguments")
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.divergences) == (1, 3, 0)
    assert jitted.stats.host_calls == 0 and not jitted.stats.reasons


def test_what_is_answered_is_what_was_stored() -> None:
    jitted = npcompile.jit(array_holder_functions.stores_and_answers)
    for _ in range(4):
        body = Body(X)
        answer, kept = jitted(body)
        assert answer is body.made and kept is answer.x and body.again is body.made
    assert jitted.stats.replays == 3


def test_two_objects_that_become_one() -> None:
    """A store to one of two objects is seen in the other where both are one."""
    jitted = npcompile.jit(array_holder_functions.stores_to_both)
    for _ in range(2):
        one, other = Body(X), Body(X * 2)
        assert float(jitted(one, other)) == float(array_holder_functions.stores_to_both(Body(X), Body(X * 2)))
    one, plain = Body(X), Body(X)
    assert float(jitted(one, one)) == float(array_holder_functions.stores_to_both(plain, plain))
    assert np.array_equal(one.x, plain.x)
    assert jitted.stats.divergences >= 1


def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    old = owner.__dict__[name]
    setattr(owner, name, value)
    yield
    setattr(owner, name, old)


CHANGES: list[tuple[Any, str, Any, Callable[..., Any]]] = [
    (Vector, "__add__", lambda self, other: Vector(self.x - other.x), array_holder_functions.operators),
    (Vector, "__init__", lambda self, x: setattr(self, "x", x * 3), array_holder_functions.makes_one),
    (Vector, "total", property(lambda self: self.x.max()), array_holder_functions.asks_a_property),
    (Vector, "norm", lambda self: self.x.min(), array_holder_functions.calls_a_method),
    (Vector, "unit", 5.0, array_holder_functions.reads_of_the_class),
    (Vector, "__getitem__", lambda self, place: self.x[place] * 2, array_holder_functions.items),
    (Vector, "__len__", lambda self: 2, array_holder_functions.length),
    (Vector, "__neg__", lambda self: Vector(self.x + 1), array_holder_functions.unary),
    (Vector, "__iter__", lambda self: iter((self.x + 1, self.x)), array_holder_functions.unpacks),
    (Vector, "__bool__", lambda self: False, array_holder_functions.truth),
    (
        Body,
        "__setattr__",
        lambda self, name, value: object.__setattr__(self, name, 1.0),
        array_holder_functions.stores,
    ),
    (Dual, "__mul__", lambda self, other: Dual(self.v, self.d), array_holder_functions.dual),
]


@pytest.mark.parametrize(("kind", "name", "value", "fn"), CHANGES, ids=[row[1] for row in CHANGES])
def test_a_class_that_changes(kind: type, name: str, value: Any, fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)

    def both() -> None:
        given = arguments(fn, 1.0)
        others = copy.deepcopy(given)
        same(state(jitted(*given)), state(fn(*others)))
        same(state(given), state(others))

    both()
    both()
    had = name in kind.__dict__
    change = replaced(kind, name, value) if had else added(kind, name, value)
    next(change)
    try:
        both()
        both()
    finally:
        next(change, None)
    both()


def added(owner: Any, name: str, value: Any) -> Iterator[None]:
    setattr(owner, name, value)
    yield
    delattr(owner, name)
