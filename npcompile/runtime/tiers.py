"""Tiers of a signature tell who answers a call that no replay answers; a table holds all moves between them.

`Specialization` has one tier at a time, and `Specialization.move` is the only place that changes it. Programs
that are being compiled, replays and a contest at hand are data beside the tier: replays are asked first in
any tier, and where there are none in the tiers of `NUMPYS`, no call is looked at further.
"""

from __future__ import annotations

import enum


class Tier(enum.Enum):
    """Who answers a call of a signature that no replay answers."""

    RECORDING = "NumPy, while the call is recorded"
    PLAIN = "Python; nothing further is recorded"
    SMALL = "NumPy, for good: calling kernels takes longer than their work"
    RESTING = "NumPy, until replays that lost against it are measured again"
    RESTING_PLAIN = "NumPy, until replays that lost are measured again; nothing further is recorded"
    SETTLED = "Python, for good: nothing is going to change"


class Event(enum.Enum):
    """A cause of a move from tier to tier."""

    CLOSED = "it cannot be recorded, or is not to be recorded again"
    TOO_SMALL = "NumPy takes less time than calling its kernels"
    LOST = "NumPy took less time than its replays, which are to be measured again"
    RESTED = "its replays are measured again"
    ENDED = "nothing is left that could answer in place of Python"
    FAILED = "npcompile itself failed at it"


MOVES: dict[Event, dict[Tier, Tier]] = {
    Event.CLOSED: {Tier.RECORDING: Tier.PLAIN, Tier.RESTING: Tier.RESTING_PLAIN},
    Event.TOO_SMALL: {Tier.RECORDING: Tier.SMALL, Tier.PLAIN: Tier.SMALL, Tier.SETTLED: Tier.SMALL},
    Event.LOST: {Tier.RECORDING: Tier.RESTING, Tier.PLAIN: Tier.RESTING_PLAIN},
    Event.RESTED: {Tier.RESTING: Tier.RECORDING, Tier.RESTING_PLAIN: Tier.PLAIN},
    Event.ENDED: {Tier.PLAIN: Tier.SETTLED},
    Event.FAILED: {
        Tier.RECORDING: Tier.SETTLED,
        Tier.PLAIN: Tier.SETTLED,
        Tier.RESTING: Tier.SETTLED,
        Tier.RESTING_PLAIN: Tier.SETTLED,
    },
}

# Tiers by what they have in common. (Tuples: to look for an enum's member in a set calls Python.)
UNRECORDED = (Tier.PLAIN, Tier.RESTING_PLAIN, Tier.SETTLED)  # nothing further is recorded
TOO_SMALL = (Tier.SMALL, Tier.RESTING, Tier.RESTING_PLAIN)  # NumPy takes less time than calling kernels
FOR_GOOD = (Tier.SMALL, Tier.SETTLED)  # nothing is looked at any more
NUMPYS = (*TOO_SMALL, Tier.SETTLED)  # a call is NumPy's at once where there is no replay
