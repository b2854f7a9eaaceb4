"""Holds all that is known of one signature of a function: its programs, replays, tier and back-offs.

`RecordedFunction` has one `Specialization` a signature; the native runtime looks into its slots at each call.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import attributes, source_place
from npcompile.runtime.guarded_replays import Sliced
from npcompile.runtime.polymorphic import LengthGroup, PolymorphicProgram
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.runtime.tiers import FOR_GOOD, MOVES, UNRECORDED, Event, Tier
from npcompile.tiering.account import Account
from npcompile.tiering.backoff import Backoff, Patience
from npcompile.tiering.block_contest import BlockContest, rests_of_losers
from npcompile.tiering.contest import EQUAL_WORK, FEWEST, Contest, are_held
from npcompile.tiering.numpy_cost import LEAST, numpy_cost
from npcompile.tiering.overhead import calls_unseen, users
from npcompile.tiering.protocols import PartitionedLike
from npcompile.tiering.recording_budget import RecordingBudget

# Replays for slices of certain lengths that are kept beside the one for any.
KEPT_SHAPES = 4
# MAX_AMBIGUOUS recordings may fail to tell one small int from another, or a counter from an equal number.
# After the first of them AMBIGUOUS_FIRST calls are not recorded, and twice as many each time.
MAX_AMBIGUOUS, AMBIGUOUS_FIRST = 9, 1
# After this many calls for which all programs diverged, where next to none is replayed, they are given up.
MAX_WASTED = 12
# After MAX_RAISED recordings in a row that ended in an exception, calls are plain until one that no replay
# answers does not raise; from then on until four, sixteen, ... do not. Each time more recordings in a row may
# raise, up to MOST_RAISED: where good calls and bad ones take turns, a good one is to be recorded.
MAX_RAISED, MOST_RAISED = 2, 8
OWED_FIRST, OWED_LONGER, OWED_MOST = 1, 4, 1024
# After this many calls for which all programs diverged, and that were not recorded, replays are measured with
# such calls: to ask them may take longer than a short function does. Such contests come ever more seldom.
UNJUDGED = 8
# After this many calls by NumPy it is asked if a parked program is to be compiled.
ASKED = 16


class Measured(Protocol):
    """A function whose replays are measured beside NumPy: `RecordedFunction`."""

    tries_again: bool
    own_stats: Stats

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Answer a call."""

    def beside(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what has NumPy answer a call."""

    def gave_up(self) -> None:
        """Take note that replays lost."""


class Chunked(Protocol):
    """Calls with Dask arrays: `DaskCalls`."""

    def answer(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call."""

    def wait(self, deadline: float | None) -> None:
        """Wait until its kernels are compiled."""


class Specialization(Account):
    """All that is known of one signature."""

    # The native runtime looks into these at each call (lower/native/front.h).
    __slots__ = (
        "__dict__",
        "block_contest",
        "is_numpys",
        "lent",
        "misses",
        "owed",
        "partitioned",
        "raises",
        "ready",
        "rest",
        "trial",
    )

    chunks: Chunked | None = None  # Dask arrays are among the arguments

    def __init__(self, group: LengthGroup | None = None, lengths: tuple[int, ...] = ()) -> None:
        self.debt = self.overdrawn = 0.0
        self.group = group  # calls that differ in lengths alone
        self.lengths = lengths
        self.kind: Any = None  # its signature without lengths
        # The program whose replay for any numbers is among `ready`.
        self.general: PolymorphicProgram | None = None
        self.ready: list[tuple[Callable[..., Any], int]] = []  # replays with their host calls, newest first
        self.pending: list[RecordedProgram] = []
        self.postponed: list[RecordedProgram] = []  # those of them that are compiled once another call comes
        self.entries: list[RecordedProgram] = []  # all of them, oldest first: what `explain` shows
        self.plain_seconds: list[float] = []  # of calls that NumPy answered while kernels were compiled
        self.tried = False  # True: a contest has been asked for
        self.trial: Contest | None = None  # it is being measured
        self.shares = False  # a call's arguments share memory that it writes to: they cannot move to a device
        self.misses = 0  # calls in a row for which all programs diverged
        self.unjudged: Patience | None = None  # such calls of which nothing was recorded
        self.judges_misses = False  # the contest at hand measures such calls, too
        self.wasted = 0  # calls for which all diverged, of a function where that is the rule
        self.refused: str | None = None  # why a call under `strict` was not to run
        self.answered = False  # by a program for many lengths
        # Recordings in a row that ended in an exception, and the calls to wait for after too many of them.
        self.raising: Patience | None = None
        self.raised_waits: Backoff | None = None
        self.owed = 0  # calls without a replay that still come before one is recorded
        self.raises = False  # the last of them raised, and nothing but the function itself answers such
        self.tier = Tier.RECORDING
        self.is_numpys = False  # for good: the native runtime has the function itself called
        self.rest = 0  # calls left to the plain function, as nothing is compiled yet
        # The function cut into blocks, where it cannot be recorded as a whole.
        self.partitioned: PartitionedLike | None = None
        self.block_contest: BlockContest | None = None  # of the cut, beside the plain function
        # The native runtime answers calls by it, where the function is native as a whole.
        self.lent: Any = None
        self.waited = 0  # calls by NumPy since it was last asked if what is parked is to be compiled
        self.aside: list[tuple[Callable[..., Any], int]] | None = None  # replays that lost, and rest
        self.resting: Backoff | None = None  # of replays that lost
        self.count = 0
        self.grows: frozenset[int] = frozenset()  # the places of arguments that are known by their type alone
        self.lock = threading.Lock()
        # Recordings of which nothing was kept, as numbers could not be told apart: none follows at once.
        self.ambiguous: Backoff | None = None

    def move(self, event: Event) -> None:
        """Go to the tier to which an event leads from this one, if it leads to another."""
        self.tier = MOVES[event].get(self.tier, self.tier)
        self.is_numpys = self.tier in FOR_GOOD

    @property
    def is_closed(self) -> bool:
        """Tell if nothing further is recorded."""
        return self.tier in UNRECORDED

    def is_unsure(self, program: Program | None) -> bool:
        """Tell if a further program would decide by a number that to CPython is one object with another: a
        count, say, and that count modulo something. Later on they may be told apart."""
        assert program is not None
        waits = 0 if self.ambiguous is None else self.ambiguous.waits
        if self.count < 2 or waits >= MAX_AMBIGUOUS:
            return False
        confused = _confused(program)
        if not confused:
            return False
        if any(_confused(entry.program) == confused for entry in self.entries):
            return False  # it decides as an earlier one does: what made that diverge was something else
        self.ambiguous = self.ambiguous or Backoff(AMBIGUOUS_FIRST)
        self.ambiguous.rest()
        return True

    @property
    def is_paused(self) -> bool:
        """Tell if calls are not recorded for now, as numbers could not be told apart."""
        return self.ambiguous is not None and self.ambiguous.left > 0

    def settle(self) -> None:
        """Leave its calls to NumPy, for good."""
        self.ready, self.pending, self.postponed, self.entries = [], [], [], []
        self.partitioned = self.trial = self.aside = None
        self.owed, self.raises = 0, False
        self.move(Event.FAILED)

    def give_up_replays(self) -> None:
        """Ask its replays no more, nor measure them: too many calls in a row went another way."""
        self.ready.clear()
        self.trial, self.misses = None, 0
        self.move(Event.CLOSED)

    def is_found_again(self) -> bool:
        """Tell if nothing is lost with it: a program for many lengths answered, or the cut that all have."""
        cut = None if self.group is None else self.group.partitioned
        return self.answered or (cut is not None and self.partitioned is cut)

    def missed(self, balance: RecordingBudget, affords: bool, tries_again: bool) -> bool:
        """Take note that all programs diverged; tell if they are given up, as that is the rule. affords: a
        further one may be recorded. tries_again: replays that lose a contest are measured again."""
        if self.pending or not affords:  # there may be one for such calls before long
            self.misses = max(self.misses, 1)
            self._missed_in_vain(tries_again)
            return False
        self.misses += 1
        # The values that it would decide by cannot be told apart yet: it says nothing of later calls.
        if self.is_paused:
            self._missed_in_vain(tries_again)
            return False
        balance.missed()
        self.wasted += balance.useless
        if self.wasted <= MAX_WASTED:
            return False
        self.ready = []
        self.move(Event.CLOSED)
        return True

    def _missed_in_vain(self, tries_again: bool) -> None:
        """Count a call that replays were asked for in vain, and that is not recorded; after many of them
        measure those to come."""
        on_host = all(entry.program.device in (None, "cpu") for entry in self.entries)
        self.unjudged = self.unjudged or Patience(UNJUDGED)
        if tries_again and not self.pending and on_host and are_held() and self.unjudged.fails():
            self.judges_misses = True
            self.trial = self.trial or Contest(taken=seconds_taken())

    def raised_again(self) -> bool:
        """A recording ended in an exception: after a few, others follow at calls ever further apart. Whether
        none follows for now."""
        if self.raising is None or self.raised_waits is None:
            self.raising = Patience(MAX_RAISED, most=MOST_RAISED)
            self.raised_waits = Backoff(OWED_FIRST, OWED_LONGER, OWED_MOST)
        if not self.raising.fails():
            return False
        self.owed = self.raised_waits.wait()
        return True

    @property
    def has_raised(self) -> bool:
        """Tell if recordings ended in an exception so often that none followed for a while."""
        return self.raised_waits is not None and self.raised_waits.waits > 0

    def has_answered(self) -> None:
        """Take note that a call by the function itself, of such as raised, did not raise."""
        self.owed, self.raises = self.owed - 1, False

    def may_follow(self) -> bool:
        """Tell if a program of other signatures may answer calls that none of its own does."""
        known = [] if self.group is None else self.group.followed_by(self.lengths)
        return any(one.by_data or one.outside or (one.counts and self.general is not one) for one in known)

    def found(self, balance: RecordingBudget) -> None:
        """All programs diverged, but the one for many lengths answered."""
        self.misses = 0
        if not self.pending:
            balance.found()

    def rests(self) -> bool:
        """Tell if this call is not to be recorded."""
        if self.ambiguous is None or not self.ambiguous.rests():
            return False
        self.misses = 1  # none that counts
        return True

    def waits(self) -> bool:
        """Tell if there is nothing to do but to wait for the compiler."""
        if len(self.plain_seconds) < FEWEST or (self.group is not None and self.group.may_answer):
            return False
        if not self.pending or any(entry.done for entry in self.pending):
            return False
        if self.waited >= ASKED and any(entry.parked for entry in self.pending):
            return False
        self.rest = calls_unseen(min(self.plain_seconds))
        self.waited += self.rest
        return True

    def prefer(self, replay: Callable[..., Any]) -> None:
        """Try this one, which was right just now, first from now on."""
        if self.ready[0][0] is not replay and type(replay) is not Sliced:
            found = [known for known in self.ready if known[0] is replay]
            self.ready = [*found, *(known for known in self.ready if known[0] is not replay)]

    def keep(self, replay: Callable[..., Any], host_calls: int) -> None:
        """Another replay for certain slices, before the one for any."""
        others = [known for known in self.ready if type(known[0]) is not Sliced]
        general = [known for known in self.ready if type(known[0]) is Sliced]
        self.ready = [(replay, host_calls), *others[: KEPT_SHAPES - 1], *general]

    def timed(self, seconds: float) -> None:
        """Keep how long NumPy took for a call."""
        self.waited += 1
        if len(self.plain_seconds) < FEWEST:
            self.plain_seconds.append(seconds)

    def try_out(self, entry: RecordedProgram, first: int) -> None:
        """Measure replays, after so many first ones, beside NumPy."""
        if are_held() and not self.tried and entry.program.device in (None, "cpu"):
            if entry.segments:
                clear = numpy_cost(entry.plan, LEAST) * 1e-9
                self.trial = Contest(EQUAL_WORK, clear, self.plain_seconds, first, seconds_taken())
            else:  # nothing of it is compiled: steps are Python's, which may be more than before
                self.trial = Contest(taken=seconds_taken())
        self.tried = True

    def measured(self, recorded: Measured, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by which it is measured whether replays take less time than NumPy does."""
        trial, self.trial = self.trial, None  # calls from within this one are none of it
        if trial is None:  # one on another thread is
            return users(recorded.beside(args, kwargs), args, kwargs)
        of_replay = trial.is_our_turn
        if of_replay:
            recorded.own_stats.calls -= 1  # the measured call goes through the native runtime and counts
        call = recorded if of_replay else recorded.beside(args, kwargs)
        try:
            start = time.thread_time()
            result = users(call, args, kwargs)
            seconds = time.thread_time() - start
            if not self.misses or self.judges_misses:  # or it was recorded anew
                trial.note(of_replay, seconds)
        finally:
            slower = trial.is_ours_slower()
            if self.is_closed and not self.ready:
                pass  # the replays were given up meanwhile, and no others will be measured
            elif slower is None:
                self.trial = trial
            elif slower:  # the next contest measures misses where this one did
                self.trial = None
                self._lose(recorded)
            else:
                self.trial, self.judges_misses = trial.again(), False
        return result

    def _lose(self, recorded: Measured) -> None:
        """Leave calls to NumPy, which takes less time than the replays that there are."""
        event = Event.TOO_SMALL
        if recorded.tries_again and are_held():
            event = Event.LOST
            self.resting = self.resting or rests_of_losers()
            self.aside, self.rest = self.ready, self.resting.wait()
        self.ready = []
        self.move(event)
        recorded.gave_up()

    def tries_again(self) -> bool:
        """Tell if replays that lost are to be measured once more, from the next call on."""
        if self.aside is None or self.rest > 0:
            self.rest -= self.rest > 0
            return False
        self.ready, self.aside = self.aside, None
        self.move(Event.RESTED)
        self.trial = Contest(taken=seconds_taken())
        return True


@functools.cache
def seconds_taken() -> float:
    """The seconds that a call which does nothing is measured to take."""
    least = 1.0
    for _ in range(64):
        start = time.thread_time()
        users(_nothing, (), {})
        least = min(least, time.thread_time() - start)
    return least


def _nothing() -> None:
    pass


def _confused(program: Program) -> list[tuple[Any, Any]]:
    """The lines and values of what was decided as two numbers were one object."""
    guards = [node for node in program.graph.nodes if attributes(node).is_collision]
    return [(source_place(node).line, node.target.expected) for node in guards]
