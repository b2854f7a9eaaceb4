"""Every case through the op bodies on eager tensors: NumPy's answer, or NumPy's exception, or an announced
refusal."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile.frontend.ops  # noqa: F401
from npcompile.frontend.ops.table import TORCH
from tests.cases import CASES, Case, expand
from tests.cases.eager import Failed, Lane, Refused
from tests.cases.framework import limit, scale
from tests.checker import same, same_exception


def run(body: Callable[..., Any], *args: Any) -> tuple[Any, Exception | None]:
    """What the body answers, or what it raises. Warnings are NumPy's own business and not compared."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return body(*args), None
        except Exception as error:
            return None, error


def native(value: Any) -> bool:
    """Has it only dtypes that bodies compute in?"""
    if isinstance(value, (list, tuple)):
        return all(map(native, value))
    return not isinstance(value, (np.ndarray, np.generic)) or value.dtype in TORCH


def problem(case: Case, body: Callable[..., Any], args: tuple[Any, ...], lane: Lane) -> str | None:
    want, raised = run(body, np, *args)
    got, error = run(body, lane, *args)
    if isinstance(error, Failed):
        return None if raised is not None else "a checked op failed where NumPy does not raise"
    if isinstance(error, Refused):
        if case.refused or raised is not None or not native(args) or not native(want):
            return None
        return f"refused: {error}"
    if lane.traced and isinstance(raised, OverflowError):
        return None  # a traced number out of bounds is the recorder's guard, not the op's
    try:
        same_exception(error, raised)
        if raised is None:
            same(got, want, limit(case, want), scale(case, args))
            if case.refused:
                return "is not refused any more"
    except AssertionError as wrong:
        return str(wrong)
    return None


@pytest.mark.parametrize("traced", [False, True], ids=["", "traced"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_answer_is_numpys(case: Case, traced: bool) -> None:
    lane = Lane(traced=traced)
    problems = []
    for label, body, args in expand(case):
        if traced and not any(type(item) in (int, float, complex) for item in args):
            continue
        if (found := problem(case, body, args, lane)) is not None:
            problems.append(f"{label}: {found}")
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
