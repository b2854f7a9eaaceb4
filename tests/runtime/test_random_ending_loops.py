"""Random loops on a device that end by a number: plain Python's answers, most of them by graphs of trips."""

from __future__ import annotations

import random
from pathlib import Path

from tests.programs.random_ending_loops import EndingLoopGrower, check


def test_answers_are_plain_pythons(tmp_path: Path) -> None:
    trips = [check(EndingLoopGrower(random.Random(seed)).source, tmp_path, seed) for seed in range(16)]
    assert sum(map(bool, trips)) >= 8, trips
