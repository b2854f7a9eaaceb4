"""The same array on a GPU: views, writes, ops and host calls. Skipped where there is none."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.ndarray import ndarray
from tests.cases import CASES, Case, expand
from tests.cases.framework import limit, scale
from tests.checker import same, same_exception
from tests.frontend.eager.test_cases import ours, run

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def moved(value: Any) -> Any:
    made = ours(value)
    return made.to_device("cuda") if isinstance(made, ndarray) else made


def back(value: Any) -> Any:
    if isinstance(value, ndarray):
        return value._on_host()
    if isinstance(value, (list, tuple)):
        items = [back(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def test_views_and_writes() -> None:
    theirs = numpy.arange(24.0).reshape(2, 3, 4)
    a = moved(theirs.copy())
    assert a.device == "cuda:0"
    for one, other in [(theirs, a)]:
        view = one[:, ::-1].transpose(2, 0, 1)
        mine = other[:, ::-1].transpose(2, 0, 1)
        assert mine.strides == view.strides
        assert mine.base is a
        view[1:, 0] = -1
        mine[1:, 0] = -1
        view[[0, 2], 1] *= 2
        mine[[0, 2], 1] *= 2
        view += 1
        mine += 1
        view.reshape(-1)[0] = 100
        mine.reshape(-1)[0] = 100
    numpy.testing.assert_array_equal(back(a), theirs)
    assert not counters.host_calls
    assert type(a[0, 0, 0]) is numpy.float64
    assert (a > 3)._memory.device.type == "cuda"
    numpy.testing.assert_array_equal(numpy.asarray(a), theirs)


def test_host_calls_write_back() -> None:
    a = moved(numpy.arange(6.0))
    np.add.at(a, [0, 0], 5)
    np.copyto(a[::-2], 9)
    assert a.tolist() == [10, 9, 2, 9, 4, 9]
    assert np.linalg.inv(moved(numpy.eye(2) * 2)).device == "cuda:0"


# Their vectors have signs of the library's choosing: tests/gpu judges them by what they are factors of.
FACTORS = ("numpy.linalg.eig", "numpy.linalg.eigh", "numpy.linalg.svd")
# An error of the logarithm is multiplied by the exponent, in NumPy's complex answers, too: up to e**-690.
POWERS = ("numpy.power", "numpy.float_power")


def allowed(case: Case, want: Any) -> float:
    """The ulp that an answer of the device may be off."""
    if case.op.startswith(POWERS) and numpy.iscomplexobj(want):
        return 1024
    return max(limit(case, want), 2)


@pytest.mark.parametrize("case", [case for case in CASES if case.op not in FACTORS], ids=lambda case: case.id)
def test_the_answer_is_numpys(case: Case) -> None:
    problems = []
    for (label, body, args), (_, _, own) in zip(expand(case), expand(case), strict=True):
        want, raised = run(body, numpy, *args)
        got, error = run(body, np, *map(moved, own))
        try:
            same_exception(error, raised)
            if raised is None:
                same(back(got), want, allowed(case, want), scale(case, args))
            assert not counters.op_failures, f"op failures: {dict(counters.op_failures)}"
        except AssertionError as wrong:
            problems.append(f"{label}: {wrong}")
        counters.reset()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
