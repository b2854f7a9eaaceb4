"""Device arrays as arguments: the case table, and indices, lengths and counts that lie on the device.

The device is one that copies (tests/programs/copying_device.py). A second call must be a replay.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.table import computed
from tests.cases import CASES, Case, expand
from tests.cases.framework import limit, scale
from tests.checker import same, same_exception
from tests.frontend.ops.test_eager import run
from tests.programs import copying_device
from tests.runtime.test_cases_interpreted import PLAIN

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)


def moved(value: Any) -> Any:
    """Return an operand with its arrays on the device, where torch has their dtype."""
    if type(value) is np.ndarray and computed(value.dtype) is not None and value.dtype.isnative:
        return npcompile.asarray(value.copy())
    if type(value) in (tuple, list):
        return type(value)([moved(item) for item in value])
    return value


def back(value: Any) -> Any:
    """Return an answer with its arrays on the host."""
    if type(value) is ndarray:
        return np.asarray(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(back, value))
    if isinstance(value, (tuple, list)):
        return type(value)([back(item) for item in value])
    return value


def problem(case: Case, body: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
    """Return what is wrong with two calls on device arrays, None where they are right."""
    after = copy.deepcopy(args)
    want, raised = run(body, np, *after)
    jitted = npcompile.jit(body)
    for call in ("recorded", "replayed"):
        operands = [moved(operand) for operand in copy.deepcopy(args)]
        if not any(type(operand) is ndarray for operand in operands):
            return None
        got, error = run(jitted, np, *operands)
        if type(error) is TypeError and str(error).startswith("descriptor"):
            return None  # a method of NumPy's own class, which takes no other
        try:
            same_exception(error, raised)
            if raised is None:
                same(back(got), want, limit(case, want), scale(case, args))
            same(back(operands), list(after))
        except AssertionError as wrong:
            return f"{call}: {wrong}"
    if raised is None and jitted.stats.replays != 1 and case.id not in PLAIN:
        return f"is not replayed: {jitted.stats.reasons or 'diverged'}"
    return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_answers_on_device_arrays_are_numpys(case: Case) -> None:
    label, body, args = next(iter(expand(case)))
    found = problem(case, body, args)
    assert found is None, f"{label}: {found}"


def gathered(x, i):
    return x[i] + np.take(x, i)


def outer(x, i):
    return x[i, None] * x[None, i]


def stored(x, i):
    x[i] = -1.0
    return x.sum()


def at_once(x, i):
    np.add.at(x, i, 1.0)
    return x


def split(x, i):
    return np.split(x, i), np.delete(x, i), np.insert(x, i, 1.0)


def ordered(x, i):
    return x[np.argsort(x)[i]], np.searchsorted(np.sort(x), x[i])


def iterated(x, i):
    return [x[j] for j in i]


def chosen(x, i):
    return np.bincount(i, weights=x[: len(i)])


def from_an_end(x, k):
    return x[k:] * 2, x[k - 1], np.roll(x, k)


def counted(x, k):
    return np.zeros(k) + x[0], np.arange(k) * x[1], np.full((k, 2), x[2])


def column(x, k):
    return x.reshape(2, -1)[:, k], x[int(k)]


def decided(x, k):
    return x if x[k] > 1 else -x


def masked(x, m):
    kept = x[m > 0]
    x[m < 0] = 0.5
    return kept


DECIDED = (split, iterated)  # the places are lengths there, or Python's own
PLACES = {"i": np.array([1, 2, 5]), "k": np.array(3), "m": np.arange(8) - 4}


@pytest.mark.parametrize("on_device", [True, False], ids=["device index", "host index"])
@pytest.mark.parametrize(
    "function",
    [
        *(gathered, outer, stored, at_once, split, ordered, iterated, chosen),
        *(from_an_end, counted, column, decided, masked),
    ],
)
def test_places_on_the_device_are_no_constants(function: Callable[..., Any], on_device: bool) -> None:
    """The second call has other places than the recorded one, and is a replay."""
    jitted = npcompile.jit(function)
    given = PLACES[function.__code__.co_varnames[1]]
    changes = function not in DECIDED and given.ndim > 0
    for place in (given, given[::-1].copy() if changes else given):
        x = np.arange(8.0)[::-1].copy()
        there = npcompile.asarray(x.copy())
        want = function(x, place.copy())
        got = jitted(there, npcompile.asarray(place.copy()) if on_device else place.copy())
        same(back(got), want)
        same(np.asarray(there), x)
    assert jitted.stats.replays == 1, jitted.stats.reasons


@pytest.mark.parametrize("name", ["eigh", "slogdet", "qr", "svd"])
def test_named_tuples_of_results_are_made_anew(name: str) -> None:
    function = getattr(np.linalg, name)
    jitted = npcompile.jit(lambda a: function(a))
    matrix = np.eye(3) + 1.0
    for _ in range(2):
        got = jitted(npcompile.asarray(matrix))
        assert type(got) is type(function(matrix))
        for mine, theirs in zip(back(got), function(matrix), strict=True):
            np.testing.assert_allclose(np.abs(mine), np.abs(theirs), atol=1e-12)
    assert jitted.stats.replays == 1, jitted.stats.reasons
