"""Contests end at the calls at which their hand-written forerunners ended: results are pinned here."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from npcompile.tiering.contest import CHANGING_WORK, Contest, are_held, costly_parts

# Seconds of ours and of NumPy's.
PAIRS = [(1e-6, 1e-6), (3e-6, 2e-6), (1e-3, 1.02e-3), (1e-3, 0.7e-3), (5e-5, 5.3e-5)]


def held(contest: Contest | None, times: random.Random, ours: float, numpys: float, spread: float) -> str:
    """Hold contests: O and N for the turns, + and - where ours was found to be faster or slower."""
    found = ""
    while contest is not None and len(found) < 120:
        mine = contest.is_our_turn
        found += "ON"[not mine]
        contest.note(mine, (ours if mine else numpys) * times.uniform(1 - spread, 1 + 3 * spread))
        slower = contest.is_ours_slower()
        if slower is not None:
            found += "+-"[slower]
            contest = None if slower or contest.rules is CHANGING_WORK else contest.again()
    return found


def replays() -> Iterator[str]:
    for seed in range(20):
        times = random.Random(seed)
        ours, numpys = times.choice(PAIRS)
        clear = times.choice([0.0, 0.0, 2e-6])
        known = [numpys * times.uniform(0.9, 1.3) for _ in range(times.randrange(4))]
        first, taken = times.choice([0, 3, 8]), times.choice([0.0, 0.9e-6])
        contest = Contest(clear=clear, numpys=known, first=first, taken=taken)
        yield held(contest, times, ours, numpys, 0.1)


def at_changing_sizes() -> Iterator[str]:
    for seed in range(20):
        times = random.Random(seed)
        yield held(Contest(CHANGING_WORK), times, *times.choice(PAIRS), 0.15)


REPLAYS = [
    "OOONNNONONONONON-",
    "OOONNN-",
    "OOONNNONONONONON-",
    "OOOOOOOONNNNNNN-",
    "OOOOOOOONNNNNNNN-",
    "OOOOOOOONNNNNN+",
    "OOOOOOOONNNNN+",
    "OOOONONONONON+",
    "OOOONONONONON-",
    "OOOOOOOONNNNN-",
    "OOOONONONONON+",
    "OOOOOOOONNNNN-",
    "OOON-",
    "OOOOOOOONN+",
    "OOO+OOO+",
    "ONONONONONONONON-",
    "OOOOOOOONNNNN+",
    "OOOOOOOONNNNNN+",
    "OOO-",
    "OOO+",
]
CHANGING = "--+--+++--+--++-++-+"


def test_contests_of_replays() -> None:
    assert [*replays()] == REPLAYS


def test_contests_at_changing_sizes() -> None:
    found = [*at_changing_sizes()]
    assert all(turns[:-1] == "ONNO" * 12 for turns in found)
    assert "".join(turns[-1] for turns in found) == CHANGING


@pytest.mark.parametrize(
    ("backend", "contests", "held"), [("", "1", True), ("", "0", False), ("interpreter", "1", False)]
)
def test_contests_are_pinned_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, backend: str, contests: str, held: bool
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", contests)
    assert are_held() is held


def test_parts_that_cost_are_those_of_the_quickest_calls() -> None:
    calls = [(1.0, {"a": 0.5, "b": 0.05}), (2.0, {"a": 1.5, "b": 1.0}), (9.0, {"a": 8.0})]
    assert costly_parts(calls, 0.1, 0.0) == [("a", 0.5)]
    assert costly_parts(calls, 0.1, 0.6) == []
