"""Functions that NumPy composes in Python, under the shim: NumPy's answer, without a host call."""

from __future__ import annotations

import pytest

from npcompile.frontend.catalog.inlinable import INLINABLE
from npcompile.frontend.eager import counters
from tests.cases.composed import TABLE
from tests.cases.framework import Case, judged
from tests.frontend.eager.test_cases import problem


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.id)
def test_the_answer_is_numpys(case: Case) -> None:
    problems = judged(case, problem)
    counters.reset()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])


def test_every_listed_function_has_cases() -> None:
    modules = {"numpy.linalg": "numpy.linalg.", "numpy.fft": "numpy.fft."}
    listed = {modules.get(item.__module__, "numpy.") + item.__name__ for item in INLINABLE}
    assert {case.op for case in TABLE} == listed


def test_cases_have_ids_of_their_own() -> None:
    ids = [case.id for case in TABLE]
    assert sorted(set(ids)) == sorted(ids)
