"""The case table under `npcompile.jit`, through the replay interpreter: the recorded call and its replay.

Every expansion of every case is called twice on copies of its operands, and the second call must be a replay.
What cannot be one is listed with the reason; one that is listed and replays all the same fails.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.cases import CASES, Case, expand
from tests.cases.framework import limit, scale
from tests.checker import same, same_exception
from tests.frontend.ops.test_eager import run

UNBOUND = "the descriptor of an attribute, called by itself"
ARGUMENT = "NumPy answers with the argument itself, and what it may have done to it is not known"
PRECISION = "NumPy computes in the precision of out="
OF_A_VIEW = "NumPy adds to 0.0 what it answers with a view of where there is no out="
_CAST = "c16 {'dtype': 'i8', 'casting': 'unsafe'}"
# Cases that are not replayed: the id up to the operands, the reason, and the operands (None: all).
PLAIN: dict[str, tuple[str, set[str] | None]] = {
    **{f"fft.{name}-no axes": (ARGUMENT, None) for name in ("fft2", "ifft2", "fftn", "ifftn")},
    **{
        f"einsum-out {kind}": (PRECISION, None)
        for kind in ("float32 True", "complex128 False", "complex128 True")
    },
    **{f"einsum-out of a view {told}": (OF_A_VIEW, None) for told in ("f8 {}", "f4 {}", _CAST)},
    **{f"fft.{name}-out complex128 (4, 4)": (PRECISION, None) for name in ("fft", "ifft", "ihfft", "fftn")},
    "ndarray.T": (UNBOUND, None),
    "ndarray.mT": (UNBOUND, None),
}


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def listed(case: Case, label: str) -> bool:
    """Whether this expansion of a case is one that is not replayed."""
    _, only = PLAIN.get(case.id, ("", set()))
    return only is None or label.removeprefix(case.id)[1:-1] in only


def problem(case: Case, label: str, body: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
    """What is wrong with the two calls, or None."""
    after = copy.deepcopy(args)
    want, raised = run(body, np, *after)
    jitted = npcompile.jit(body)
    for call in ("recorded", "replayed"):
        operands = copy.deepcopy(args)
        got, error = run(jitted, np, *operands)
        try:
            same_exception(error, raised)
            if raised is None:
                same(got, want, limit(case, want), scale(case, args))
            same(list(operands), list(after))
        except AssertionError as wrong:
            return f"{call}: {wrong}"
    if raised is not None:
        return None
    replayed = jitted.stats.replays == 1
    if replayed and listed(case, label):
        return "is replayed: take it off the list"
    if not replayed and not listed(case, label):
        return f"is not replayed: {jitted.stats.reasons or 'diverged'}"
    return None


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_recorded_and_replayed_answers_are_numpys(case: Case) -> None:
    problems = []
    for label, body, args in expand(case):
        if (found := problem(case, label, body, args)) is not None:
            problems.append(f"{label}: {found}")
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])


def test_what_is_listed_exists() -> None:
    assert set(PLAIN) <= {case.id for case in CASES}
