"""Every public name of NumPy's is in the shim: the same set, each of the same kind."""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy
import pytest

MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.random",
    "numpy.polynomial",
    "numpy.polynomial.polynomial",
    "numpy.polynomial.chebyshev",
    "numpy.polynomial.legendre",
    "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre",
    "numpy.polynomial.polyutils",
    "numpy.lib",
    "numpy.lib.scimath",
)
STRIDES = ("as_strided", "sliding_window_view")


def ours(module: str) -> Any:
    return importlib.import_module(f"npcompile.{module}")


def kind(item: Any) -> str:
    """What can be done with it: module, class, ufunc or other callable, value."""
    if isinstance(item, types.ModuleType):
        return "module"
    if isinstance(item, type):
        return "class"
    return "callable" if callable(item) else "value"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_there(module: str) -> None:
    theirs = importlib.import_module(module)
    mine = ours(module)
    wrong = [
        name
        for name in theirs.__all__
        if not hasattr(mine, name) or kind(getattr(mine, name)) != kind(getattr(theirs, name))
    ]
    assert wrong == []


@pytest.mark.parametrize("module", [name for name in MODULES if name not in ("numpy.linalg", "numpy.fft")])
def test_star_imports_give_the_same_names(module: str) -> None:
    assert set(ours(module).__all__) == set(importlib.import_module(module).__all__)


def test_no_public_function_is_numpys_own() -> None:
    """A function that takes arrays is ours, so that it knows our arrays and counts what it hands on."""
    from npcompile.numpy import own

    named = {name for name in vars(own) if not name.startswith("_")}
    mine = ours("numpy")
    left = [
        name
        for name in numpy.__all__
        if getattr(mine, name) is getattr(numpy, name)
        and not isinstance(getattr(numpy, name), types.ModuleType)
        and name not in named
        and not name.startswith("__")
    ]
    assert sorted(left) == []


def test_stride_tricks_are_there() -> None:
    for name in STRIDES:
        assert callable(getattr(ours("numpy.lib.stride_tricks"), name))


def test_a_generator_draws_numpys_stream_into_our_arrays() -> None:
    mine, theirs = ours("numpy").random.default_rng(5), numpy.random.default_rng(5)
    drawn = mine.normal(size=4)
    assert isinstance(drawn, ours("numpy").ndarray)
    assert drawn.tolist() == theirs.normal(size=4).tolist()
    row = ours("numpy").arange(6)
    mine.shuffle(row)
    assert row.tolist() == theirs.permutation(6).tolist()
    assert isinstance(mine, numpy.random.Generator)
    assert ours("numpy").random.default_rng(mine) is mine


def test_names_of_one_object_are_names_of_one_object_here() -> None:
    names = [name for name in numpy.__all__ if callable(getattr(numpy, name))]
    for name in names:
        same = {other for other in names if getattr(numpy, other) is getattr(numpy, name)}
        mine = getattr(ours("numpy"), name)
        assert {other for other in names if getattr(ours("numpy"), other) is mine} == same
