"""Sums of values by place: several of each place, as on a GPU, are those that one of each is."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from npcompile.frontend.ops import sums_at_places
from npcompile.frontend.ops.sums_at_places import sums_at, sums_of_one


@pytest.mark.parametrize("several", [1, 2, 7, 1024])
@pytest.mark.parametrize("number", [0, 1, 1000])
def test_sums_are_numpys(monkeypatch: pytest.MonkeyPatch, several: int, number: int) -> None:
    monkeypatch.setattr(sums_at_places, "sums_of_one", lambda device, length: several)
    rng = np.random.default_rng(0)
    places, values = rng.integers(0, 65, number), rng.integers(0, 9, number).astype(float)
    found = sums_at(torch.from_numpy(places), torch.from_numpy(values), 65)
    assert found.tolist() == np.bincount(places, values, 65).tolist()


@pytest.mark.parametrize("length", [0, 1, 64, 1 << 15, 1 << 16, 1 << 20])
def test_many_places_have_one_sum_each(length: int) -> None:
    several = sums_of_one(torch.device("cuda"), length)
    assert 1 <= several <= 1024 and several * length <= max(length, 1 << 16)
    assert sums_of_one(torch.device("cpu"), length) == 1
