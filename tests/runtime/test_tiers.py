"""A signature goes from tier to tier by one table, and what the native runtime looks at goes with it."""

from __future__ import annotations

import pytest

from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import FOR_GOOD, MOVES, NUMPYS, TOO_SMALL, UNRECORDED, Event, Tier

CLOSED, SMALL, LOST, RESTED, ENDED, FAILED = Event


@pytest.mark.parametrize(
    ("events", "tier"),
    [
        ([], Tier.RECORDING),
        ([CLOSED], Tier.PLAIN),
        ([CLOSED, CLOSED], Tier.PLAIN),
        ([CLOSED, ENDED], Tier.SETTLED),
        ([ENDED], Tier.RECORDING),
        ([SMALL], Tier.SMALL),
        ([SMALL, CLOSED, RESTED, FAILED], Tier.SMALL),
        ([LOST], Tier.RESTING),
        ([LOST, RESTED], Tier.RECORDING),
        ([LOST, CLOSED, RESTED], Tier.PLAIN),
        ([CLOSED, LOST], Tier.RESTING_PLAIN),
        ([CLOSED, LOST, RESTED], Tier.PLAIN),
        ([LOST, FAILED, RESTED], Tier.SETTLED),
    ],
)
def test_moves(events: list[Event], tier: Tier) -> None:
    state = Specialization()
    for event in events:
        state.move(event)
    assert state.tier is tier
    assert state.is_numpys is (tier in FOR_GOOD) and state.is_closed is (tier in UNRECORDED)


def test_each_event_moves_and_each_tier_is_reached() -> None:
    assert {*MOVES} == {*Event}
    reached, left = {Tier.RECORDING}, [Tier.RECORDING]
    while left:
        tier = left.pop()
        further = {moves[tier] for moves in MOVES.values() if tier in moves} - reached
        reached |= further
        left += further
    assert reached == {*Tier}
    assert {*NUMPYS} == {*TOO_SMALL} | {*FOR_GOOD}


def test_failing_leaves_nothing_behind() -> None:
    state = Specialization()
    state.aside, state.rest = [(print, 0)], 0
    state.move(Event.LOST)
    state.settle()
    assert not state.tries_again() and state.ready == [] and state.tier is Tier.SETTLED
