"""Every case under `npcompile.numpy`: NumPy's answer, types, aliasing and exceptions, without a host call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.convert import TORCH_OF
from npcompile.frontend.eager.ndarray import asarray, ndarray
from npcompile.frontend.ops.table import TORCH
from tests.cases import CASES, Case
from tests.cases.framework import judged, limit, scale
from tests.checker import aliasing, same, same_exception


def run(body: Callable[..., Any], *args: Any) -> tuple[Any, Exception | None]:
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return body(*args), None
        except Exception as error:
            return None, error


def ours(value: Any) -> Any:
    """An operand as the shim gets it: arrays become ours, on the same memory."""
    return asarray(value) if type(value) is numpy.ndarray and value.dtype in TORCH_OF else value


def theirs(value: Any, want: Any) -> Any:
    """An answer of the shim's as NumPy would have typed it; NumPy's pass where torch lacks the dtype."""
    if isinstance(value, ndarray):
        return value._layout
    if type(value) is numpy.ndarray:
        assert value.dtype not in TORCH_OF, f"a NumPy array of dtype {value.dtype}"
    if isinstance(value, (list, tuple)) and isinstance(want, (list, tuple)) and len(value) == len(want):
        items = [theirs(item, other) for item, other in zip(value, want, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def native(value: Any) -> bool:
    """Has it only dtypes that bodies compute in?"""
    if isinstance(value, (list, tuple)):
        return all(map(native, value))
    return not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype in TORCH


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def problem(case: Case, body: Callable[..., Any], args: tuple[Any, ...], own: tuple[Any, ...]) -> str | None:
    counters.reset()
    want, raised = run(body, numpy, *args)
    got, error = run(body, npcompile.numpy, *map(ours, own))
    try:
        same_exception(error, raised)
        assert not counters.op_failures, f"op failures: {dict(counters.op_failures)}"
        if raised is not None:
            return None
        got = theirs(got, want)
        same(got, want, limit(case, want), scale(case, args))
        assert aliasing(listed(got), own) == aliasing(listed(want), args), "memory is shared otherwise"
        for mine, other in zip(own, args, strict=True):
            same(mine, other)  # the operands as they were written
    except AssertionError as wrong:
        return str(wrong)
    if counters.host_calls and native(args) and native(want) and not case.refused and case.op not in ORDERED:
        return f"host calls: {dict(counters.host_calls)}"
    return None


# Their order is NumPy's own: users get it from NumPy, functions that look at few places get the op's.
ORDERED = ("numpy.partition", "numpy.argpartition", "numpy.unique_values")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_answer_is_numpys(case: Case) -> None:
    problems = judged(case, problem)
    counters.reset()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
