"""`np.broadcast` of arrays: its shape is decided, what it goes through is not; and what is called that has no
hash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


def of_shapes(x, y):
    b = np.broadcast(x, y)
    return np.zeros(b.shape) + x, b.nd, b.size, b.numiter


def items(x, y):
    return [p + q for p, q in np.broadcast(x, y)]


def filled(x, y):
    b = np.broadcast(x, y)
    out = np.empty(b.shape)
    out.flat = [p * q for p, q in b]
    return out


def next_one(x, y):
    b = np.broadcast(x, y)
    return next(b), b.index, next(b)


def bases(x, y):
    made = np.empty(x.shape)
    b = np.broadcast(made, y)
    return b.iters[0].base is made, b.iters[1].base is y


def handed_on(x, y):
    return np.broadcast(x, y)


def called_without_hash(x, y):
    p = Polynomial([1, 2, 3])
    return p([-1, 0, 2]), p(x), np.apply_along_axis(p, 0, x)


def array_called(x, y):
    return x(1)


def array_called_with_list(x, y):
    return x([1])


FUNCTIONS = [of_shapes, items, filled, next_one, bases, handed_on, called_without_hash]
FUNCTIONS += [array_called, array_called_with_list]


def outcome(fn: Any, *args: Any) -> Any:
    try:
        found = fn(*args)
    except TypeError as error:
        return str(error)
    return list(found) if isinstance(found, np.broadcast) else found


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_broadcasts(fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for call in range(4):
        x, y = np.arange(3.0) + call, np.arange(2.0)[:, None] * call
        same(outcome(jitted, x, y), outcome(fn, x, y))
    assert fn is not of_shapes or jitted.stats.replays == 3
