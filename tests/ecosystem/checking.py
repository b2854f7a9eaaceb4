"""Compares calls of a jitted function with those of the plain one, whatever kinds of arrays they are given.

`check` compares answers, exceptions, the arguments after the call, and which results are an argument or share
its memory. A library says by `EQUAL` how two of its objects are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import npcompile

# Pairs of a class, and of the function that raises AssertionError where two of its objects differ.
EQUAL: list[tuple[type, Callable[[Any, Any], None]]] = []

Maker = Callable[[], tuple[Any, ...]]


def same(got: Any, want: Any) -> None:
    """Raise AssertionError where `got` is not what the plain function gave."""
    assert type(got) is type(want)
    for kind, equal in EQUAL:
        if isinstance(want, kind):
            return equal(got, want)
    if want is np.ma.masked:
        assert got is want
    elif isinstance(want, list | tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        same([*got.values()], [*want.values()])
    elif isinstance(want, np.ndarray):
        _same_arrays(got, want)
    elif isinstance(want, float | np.floating):
        np.testing.assert_allclose(got, want, rtol=1e-11)
    else:
        assert repr(got) == repr(want)


def _same_arrays(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.flags.writeable == want.flags.writeable
    same(getattr(got, "unit", None), getattr(want, "unit", None))
    if isinstance(want, np.ma.MaskedArray):
        same(np.ma.getmask(got), np.ma.getmask(want))
        same(got.fill_value, want.fill_value)
        assert got.hardmask == want.hardmask
        got, want = got.data, want.data
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype.kind in "fc":
        np.testing.assert_allclose(got, want, rtol=1e-11 if want.itemsize >= 8 else 1e-5, atol=1e-12)
    else:
        np.testing.assert_array_equal(got, want)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _flat(item)
    else:
        yield value


def _memory(value: Any) -> Any:
    found = value if isinstance(value, np.ndarray) else getattr(value, "values", None)
    return np.asarray(found) if isinstance(found, np.ndarray) else np.zeros(0)


def _relations(results: Any, args: Any) -> list[tuple[bool, bool]]:
    """Return, for each result and argument, if they are one object, and if they share memory."""
    return [
        (one is other, np.shares_memory(_memory(one), _memory(other)))
        for one in _flat(results)
        for other in _flat(args)
        if not isinstance(one, bool | int | float | str | np.generic | None)
    ]


def _called(function: Callable[..., Any], args: Any) -> tuple[Any, BaseException | None]:
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def check(function: Callable[..., Any], *makers: Maker, calls: int = 4) -> Any:
    """Call a function plain and jitted, on the arguments that each maker gives in turn; return it jitted."""
    jitted: Any = npcompile.jit(function)
    for call in range(calls * len(makers)):
        make = makers[call % len(makers)]
        args, theirs = make(), make()
        want, raised = _called(function, args)
        got, error = _called(jitted, theirs)
        assert type(error) is type(raised) and str(error) == str(raised)
        if raised is None:
            same(got, want)
            assert _relations(got, theirs) == _relations(want, args)
        same(theirs, args)
        jitted.wait()
    return jitted
