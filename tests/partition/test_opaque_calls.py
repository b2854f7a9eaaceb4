"""Calls of other libraries' functions within an expression, and of those that are given a function: Python
makes them, in their place, and what is around them is compiled."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.stats
from scipy.ndimage import gaussian_filter

import npcompile
from tests.programs.jit_lane import judge

LOG: list[str] = []


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def first(x):
    return np.sqrt(np.abs(scipy.ndimage.gaussian_filter(x, 2.0))) * 2 + np.sin(x)


def after_other_work(x):
    return np.sin(x) * 2 + gaussian_filter(x, sigma=1.0) / (1 + x**2)


def of_work(x):
    return gaussian_filter(np.cos(x) * 3 + 1, 1.0) - x


def assigned(x):
    y = x @ scipy.linalg.expm(0.1 * (x + x.T)) + 1
    return y * x


def two(x):
    return gaussian_filter(x, 1.0) * 2 - gaussian_filter(x * x, 1.0)[::-1].sum(axis=0)


def decides(x):
    if (gaussian_filter(x, 1.0) - x).max() > 0.5:
        return x + np.exp(-x)
    return x - np.exp(-x)


def method_of_an_object(x):
    return scipy.stats.norm.pdf(x).sum(axis=0) * x + np.cos(x)


def given_a_lambda(x):
    return scipy.optimize.brentq(lambda v: v - float(x[0, 0]), -100, 100) * x + np.cos(x)


def along_an_axis(x):
    return x * 2 + np.apply_along_axis(lambda row: row.sum() / 2, 0, x * 3 + 1) * np.sin(x)


def of_a_generator(x):
    return sum(row * 2 for row in x) * np.cos(x) + 1


def in_a_tuple(x):
    return gaussian_filter(x, 1.0) * 2, np.sin(x) + 1


AROUND = [
    first,
    after_other_work,
    of_work,
    assigned,
    two,
    decides,
    method_of_an_object,
    given_a_lambda,
    along_an_axis,
    of_a_generator,
    in_a_tuple,
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("function", AROUND)
def test_what_is_around_a_call_is_compiled(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    for call in range(6):
        judge(jitted, function, (np.random.default_rng(call).normal(size=(4, 4)),))
    assert jitted.stats.programs and jitted.stats.replays >= 2, jitted.stats


def said(value, text):
    LOG.append(text)
    return value


class Told:
    def __getattr__(self, name: str) -> float:
        LOG.append(name)
        return 2.0


def in_order(x, told):
    return (
        said(x, "a") * told.p + copy.deepcopy(x) * said(2, "b") - np.sin(x) * told.q + copy.copy(x) * told.r
    )


def reads_what_a_callback_writes(x, told):
    return (np.sin(x) * 2)[0] + _called(lambda v: x.__setitem__(0, v))[0] + copy.copy(x) * x[0]


def _called(function):
    function(5.0)
    return [1.0]


def adds_to_what_is_there(x, told):
    x += copy.copy(x) * 2
    x[1:] *= copy.copy(x)[1:] + 1
    return x * copy.copy(x)


def raises_after_a_call(x, told):
    return np.sin(x) * copy.copy(x) + said(x, "taken")[told.k_too_far or 9] * copy.copy(x)


def raises_before_a_call(x, told):
    return x[9] * 2 + said(copy.copy(x), "never") * 2


def binds_a_name(x, told):
    y = (z := copy.copy(x) * 2) + z
    return y * copy.copy(z) + 1


def chooses(x, told):
    return copy.copy(x) * 2 if x[0] > 0 else x - copy.copy(x) * told.k


IN_ORDER = [
    in_order,
    reads_what_a_callback_writes,
    adds_to_what_is_there,
    raises_after_a_call,
    raises_before_a_call,
    binds_a_name,
    chooses,
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("function", IN_ORDER)
def test_all_is_done_in_pythons_order(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    for call in range(8):
        x = np.random.default_rng(call).integers(-8, 9, 5) / 4
        LOG.clear()
        own = x.copy()
        try:
            want: Any = function(own, Told())
        except IndexError as error:
            want = str(error)
        told = [*LOG]
        LOG.clear()
        try:
            got = jitted(x, Told())
        except IndexError as error:
            got = str(error)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(x, own)
        assert told == LOG
