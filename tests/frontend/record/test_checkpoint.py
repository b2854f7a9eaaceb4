"""What was waiting before a function of NumPy's whose recording was taken back is done all the same."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Model:
    def __init__(self) -> None:
        self.w: Any = None
        self.q = 40.0
        self.count = 3
        self.seen: list[Any] = []
        self.table: dict[str, Any] = {"a": 0}


def stores_an_attribute(model: Any, x: Any, of: Any) -> Any:
    model.w = np.mean(x)
    return of(x, model.q)


def stores_an_item(model: Any, x: Any, of: Any) -> Any:
    model.table["a"] = np.mean(x)
    return of(x, model.q)


def appends(model: Any, x: Any, of: Any) -> Any:
    model.seen.append(np.mean(x))
    return of(x, model.q)


def stores_a_list(model: Any, x: Any, of: Any) -> Any:
    model.w = [np.mean(x), 1.0]
    found = of(x, model.q)
    model.q = found + 1.0
    return found


def counts(model: Any, x: Any, of: Any) -> Any:
    model.count += 1
    found = of(x, model.q)
    model.w = x * model.count
    return found


def stores_on_both_sides(model: Any, x: Any, of: Any) -> Any:
    model.w = np.mean(x)
    model.w = model.w + of(x, model.q)
    return of(x, model.q / 2)


BEFORE = [stores_an_attribute, stores_an_item, appends, stores_a_list, counts, stores_on_both_sides]
# Which of the numbers are taken depends on the share that is asked for: NumPy does that.
TAKEN_BACK = [np.percentile, np.nanpercentile]


@pytest.mark.parametrize("of", TAKEN_BACK, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("fn", BEFORE, ids=lambda fn: fn.__name__)
def test_what_was_stored_before_is_stored(
    fn: Callable[..., Any], of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for seed in range(4):
        x = np.random.default_rng(seed).random((20, 4))
        want, got = Model(), Model()
        want.q = got.q = 40.0 + seed
        expected = fn(want, copy.deepcopy(x), of)
        answer = jitted(got, x, of)
        same(answer, expected, ulp=4, scale=1.0)
        same(vars(got), vars(want), ulp=4, scale=1.0)


def two(one: Any, other: Any, x: Any) -> Any:
    one.w = np.mean(x)
    found = np.percentile(x, one.q)
    return found + other.w


def test_two_objects_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(two)
    for seed in range(6):
        x = np.random.default_rng(seed).random((20, 4))
        want, got = [Model(), Model()], [Model(), Model()]
        for models in (want, got):
            models[1].w = 1.0
        at = int(seed < 3)  # later it is one object
        same(jitted(got[0], got[at], x), two(want[0], want[at], x), ulp=4, scale=1.0)
        same(got[0].w, want[0].w, ulp=4, scale=1.0)
