"""Contests between a device and the host: whose turn it is, what counts, and how long the winner answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.tiering.contest import FEWEST, MOST
from npcompile.tiering.device_contest import (
    CLEAR,
    FIRST,
    MOST_CONTESTS,
    UNJUDGED,
    DeviceContest,
    DeviceContests,
)


@dataclass
class Entry:
    done: bool = False
    parked: bool = False


@dataclass
class State:
    pending: list[Entry] = field(default_factory=list)
    partitioned: Any = None


def turns(contest: DeviceContest, device: float, host: float, most: int = 40) -> str:
    """Hold a contest of calls that take so long: D and H for the turns."""
    found = ""
    while len(found) < most:
        on_device = contest.is_devices_turn(None, None)
        found += "HD"[on_device]
        if contest.note(on_device, device if on_device else host, replayed=True, recorded=False):
            break
    return found


@pytest.mark.parametrize(
    ("device", "host", "found"),
    [
        (1e-3, 1e-4, "DH" + "DHD"),  # far slower: at its second call, as the first one links kernels
        (1e-4, 1e-3, "DH" + "DHDH"),
        (1e-4, 1e-2, "DH" + "DH"),  # the host is told by a long call at once
        (1e-3, 6e-4, "DH" + "DH" * FEWEST),
        (1e-3, 1.01e-3, "DH" + "DH" * MOST),
    ],
)
def test_turns(device: float, host: float, found: str) -> None:
    contest = DeviceContest()
    assert turns(contest, device, host) == found
    assert contest.on_device is (device <= host)
    assert contest.seconds == (device, host)


def test_while_one_compiles_the_other_one_answers() -> None:
    contest = DeviceContest()
    device, host = State([Entry()]), State([Entry()])
    assert [contest.is_devices_turn(None, None), contest.is_devices_turn(device, None)] == [True, False]
    assert not any(contest.is_devices_turn(device, None) for _ in range(5))
    assert not any(contest.is_devices_turn(device, host) for _ in range(5))
    device.pending[0].done = True  # it is linked by its next call
    assert all(contest.is_devices_turn(device, host) for _ in range(5))
    device.pending, host.pending = [Entry(parked=True)], []
    assert contest.is_devices_turn(device, host)


def test_calls_that_record_or_that_no_replay_answers_do_not_count() -> None:
    contest = DeviceContest()
    for _ in range(2):
        contest.is_devices_turn(None, None)
    for _ in range(10):
        assert not contest.note(True, 1.0, replayed=True, recorded=True)
    for _ in range(UNJUDGED):
        assert not contest.note(True, 1.0, replayed=False, recorded=False)
    assert turns(contest, 1e-4, 1.1e-4 * CLEAR) == "DHDH"


def test_the_loser_is_measured_ever_more_seldom() -> None:
    contest, rests = DeviceContest(), []
    for _ in range(4):
        turns(contest, 3e-4, 2e-4)
        rests.append(contest.left)
    assert rests == [FIRST, 4 * FIRST, 16 * FIRST, 64 * FIRST]


def test_a_far_slower_loser_takes_a_small_part_of_all_calls() -> None:
    contest = DeviceContest()
    turns(contest, 1.0, 1e-4)
    assert contest.left == pytest.approx(200_000, rel=1e-3)
    assert turns(contest, 1.0, 1e-4) == "DH"


def test_kinds_of_calls() -> None:
    contests = DeviceContests()

    def of(*leaves: Any) -> DeviceContest | None:
        return contests.of(("key", *(getattr(leaf, "dtype", type(leaf)) for leaf in leaves)), leaves)

    small, large = np.zeros(1000), np.zeros(100_000)
    assert of(small) is of(np.zeros(1001)) is not of(large)
    assert of(small, 1000) is of(small, 1001) is not of(small, 4)
    assert of(npcompile.asarray(small)) is None
    for size in range(2 * MOST_CONTESTS):
        of(small, 1 << size)
    assert of(small, 1 << 200) is None
