"""Registered ops and cases are equal as sets: no op without a case, no case for an op that is gone."""

from __future__ import annotations

import npcompile.frontend.ops  # noqa: F401
from npcompile.frontend.ops.table import TABLE
from tests.cases import CASES


def test_every_op_has_cases() -> None:
    assert {case.op for case in CASES} == set(TABLE.by_name)


def test_cases_have_ids_of_their_own() -> None:
    ids = [case.id for case in CASES]
    assert sorted(set(ids)) == sorted(ids)
