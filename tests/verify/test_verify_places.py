"""Wherever an operation stands, `npcompile.verify` looks at it: special methods, callbacks, `with`.

A row of `PLACES` is a function of which one line, marked, calls the operation that is wrong.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from npcompile import verify
from tests.verify.test_verify import broken

X = np.linspace(0.5, 2.0, 12).reshape(3, 4)


class Holder:
    def __init__(self, x: Any = None) -> None:
        self.x = X if x is None else np.exp(x)  # wrong

    @property
    def shown(self) -> Any:
        return np.exp(X)  # wrong

    def __call__(self, x: Any) -> Any:
        return np.exp(x)  # wrong

    def __add__(self, x: Any) -> Any:
        return np.exp(x)  # wrong

    def __rsub__(self, x: Any) -> Any:
        return np.exp(x)  # wrong

    def __imul__(self, x: Any) -> Any:
        return np.exp(x)  # wrong

    def __neg__(self) -> Any:
        return np.exp(X)  # wrong

    def __lt__(self, x: Any) -> Any:
        return np.exp(X)  # wrong

    def __getitem__(self, at: Any) -> Any:
        return np.exp(X)  # wrong

    def __setitem__(self, at: Any, value: Any) -> None:
        self.x = np.exp(value)  # wrong

    def __contains__(self, x: Any) -> bool:
        return bool(np.exp(X[0, 0]) > 0)  # wrong

    def __bool__(self) -> bool:
        return bool(np.exp(X[0, 0]) > 0)  # wrong

    def __len__(self) -> int:
        return int(np.exp(X[0, 0]))  # wrong

    def __abs__(self) -> Any:
        return np.exp(X)  # wrong

    def __enter__(self) -> Any:
        return np.exp(X)  # wrong

    def __exit__(self, *error: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        yield np.exp(X)  # wrong


HOLDER = Holder()


def helper(x: Any) -> Any:
    return np.exp(x)  # wrong


def with_manager(x: Any) -> Any:
    with HOLDER as y:
        return y


def stored(x: Any) -> None:
    HOLDER[0] = x


def multiplied(x: Any) -> Any:
    y: Any = Holder()
    y *= x
    return y


def unpacked(x: Any) -> Any:
    (y,) = HOLDER
    return y


PLACES: dict[str, Callable[[Any], Any]] = {
    "a property": lambda x: HOLDER.shown,
    "__init__": lambda x: Holder(x),
    "__call__": lambda x: HOLDER(x),
    "__add__": lambda x: HOLDER + 1.0,
    "__rsub__": lambda x: 1.0 - HOLDER,  # type: ignore[operator]
    "__imul__": multiplied,
    "__neg__": lambda x: -HOLDER,
    "__lt__": lambda x: HOLDER < 1,
    "__gt__, mirrored": lambda x: 1 > HOLDER,
    "__getitem__": lambda x: HOLDER[0],
    "__setitem__": stored,
    "__contains__": lambda x: 1 in HOLDER,
    "__bool__": lambda x: 1 if HOLDER else 2,
    "len": lambda x: len(HOLDER),
    "abs": lambda x: abs(HOLDER),
    "with": with_manager,
    "a comprehension over an object": lambda x: [y for y in HOLDER],  # noqa: C416
    "list of an object": lambda x: list(HOLDER),
    "unpacking an object": unpacked,
    "map over a helper": lambda x: list(map(helper, x)),
    "map over a ufunc": lambda x: list(map(np.exp, x)),  # wrong
    "sorted by a helper": lambda x: sorted([1.0, 2.0], key=helper),
    "reduce": lambda x: functools.reduce(lambda a, b: a + helper(b), x),
    "a partial object": lambda x: functools.partial(helper, x)(),
    "of Python's numbers": lambda x: np.exp(2.5),  # wrong
    "of a list": lambda x: np.exp([1.0, 2.0]),  # wrong
}


@pytest.mark.parametrize("name", PLACES)
def test_the_wrong_line_is_named(name: str) -> None:
    fn = PLACES[name]
    agrees = verify(fn, X.copy())
    assert agrees.ok and agrees.checked and not agrees.skipped, str(agrees)
    with broken("numpy.exp", result=lambda y: y * 1.5):
        outcome = verify(fn, X.copy())
    assert (outcome.op, outcome.what) == ("numpy.exp", "value"), str(outcome)
    lines = inspect.getsource(inspect.getmodule(test_the_wrong_line_is_named)).splitlines()  # type: ignore[arg-type]
    assert outcome.file == __file__ and outcome.line is not None
    assert lines[outcome.line - 1].endswith("# wrong")


@dataclasses.dataclass
class Record:
    x: Any

    def __post_init__(self) -> None:
        self.x = np.exp(self.x)


@functools.lru_cache
def cached(k: float) -> Any:
    return np.exp(X * k)


@pytest.mark.parametrize(
    ("fn", "name"),
    [(lambda x: Record(x).x, "Record.__post_init__"), (lambda x: cached(float(x[0, 0])), "cached")],
)
def test_what_python_calls_itself_is_said(fn: Callable[[Any], Any], name: str) -> None:
    cached.cache_clear()
    outcome = verify(fn, X.copy())
    assert [skipped.partition(" (")[0] for skipped in outcome.skipped] == [name]
    assert f"not looked into: {name} ({__file__}:" in str(outcome)


def test_an_exception_has_a_note_of_what_differed() -> None:
    def fn(x: Any) -> Any:
        helper(x)
        raise ValueError("no")

    with broken("numpy.exp", result=lambda y: y * 1.5), pytest.raises(ValueError, match="no") as caught:
        verify(fn, X.copy())
    assert "numpy.exp differs from NumPy's in value" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="no") as caught:
        verify(fn, X.copy())
    assert not hasattr(caught.value, "__notes__")


def test_operators_of_lists_are_pythons_whatever_is_in_them() -> None:
    def f(x: Any) -> Any:
        return [x[0]] * 2 + [x[1]], (x[0], 1) < (x[1], 2), x * 2

    assert verify(f, np.arange(3.0)).ok
