"""Programs on two GPUs: NumPy's answers and effects, split and whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from tests.checker import same
from tests.runtime.test_mesh import PROGRAMS, copies, flat

pytestmark = [
    pytest.mark.skipif(torch.cuda.device_count() < 2, reason="fewer than two CUDA devices"),
    pytest.mark.usefixtures("quiet"),
]


@pytest.mark.parametrize("where", ["numpy", "device"])
@pytest.mark.parametrize(("fn", "args", "_"), PROGRAMS)
def test_programs_are_split(fn: Any, args: Any, _: int, where: str) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for _call in range(3):
        theirs, ours = copies(args), copies(args)
        want = fn(*theirs)
        with npcompile.device("cuda", mesh=2):
            if where == "device":
                ours = [npcompile.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in ours]
            got = jitted(*ours)
        for one, other in zip(flat([got, ours]), flat([want, theirs]), strict=True):
            same(_back(one), other, ulp=64, scale=100.0)
    assert jitted.stats.replays == 2 and jitted.stats.reasons == [], jitted.stats


def test_the_second_device_computes_alone() -> None:
    def doubled(x: Any) -> Any:
        return x * 2 + x.mean(axis=0)

    jitted = npcompile.jit(doubled, wait=True)
    x = np.arange(600.0).reshape(200, 3)
    with npcompile.device("cuda:1"):
        given = npcompile.asarray(x)
        answers = [jitted(given) for _ in range(3)]
        for _ in range(3):
            same(jitted(x), doubled(x))
    assert jitted.stats.replays == 4, jitted.stats
    for answer in answers:
        assert answer.device == "cuda:1"
        same(np.asarray(answer), doubled(x))


def test_arrays_on_two_devices_are_an_error() -> None:
    def added(x: Any, y: Any) -> Any:
        return x + y

    one, other = (npcompile.asarray(np.ones(3)).to_device(f"cuda:{place}") for place in (0, 1))
    for function in (added, npcompile.jit(added, wait=True)):
        with pytest.raises(ValueError, match=r"cuda:0, cuda:1"):
            function(one, other)
    assert np.asarray(added(one, other.to_device("cuda:0"))).tolist() == [2, 2, 2]


def _back(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, npcompile.ndarray) else value
