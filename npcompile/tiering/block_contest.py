"""Contests between a function that was cut into blocks and the plain function, on calls that are made anyway.

`Specialization` has one, as calls of one signature are compared: each is done once, by either.
The loser rests, and is tried again ever more seldom.
"""

from __future__ import annotations

import ast
import math
import time
from typing import Any

from npcompile.tiering.backoff import Backoff
from npcompile.tiering.contest import Contest, calls_between_turns
from npcompile.tiering.cuts import blocks_within, cuts_of_callees, specializations_of_callees
from npcompile.tiering.idle_calls import ALL
from npcompile.tiering.protocols import Contested, SpecializationLike
from npcompile.tiering.turns import are_ours

clock = time.thread_time

# Where the plain function takes LONG seconds contests begin with the second call, and a call of ours that
# takes LOSES times as long loses at once. Else they begin after SETTLING calls: the first ones record blocks.
LONG, LOSES, SETTLING = 2e-3, 1.3, 6
# Calls that record a block, type a loop for native code, or leave that to a later call, are no measure of
# later ones. After this many they are judged, too: every call of some functions does so.
UNJUDGED = 8
# The winner answers FIRST calls alone, LONGER times as many after each contest, and MOST at most.
FIRST, LONGER, MOST = 32, 4, 1 << 20
# Native loops that are this many times faster than the plain function are not in doubt, nor are those that
# are FAR times faster than a call that nothing compiled answered: the first one, as a rule.
CLEAR, FAR = 4, 16
# Where ours has won, the plain function's next turn comes after RARE calls, however long it takes: later ones
# may have less work.
RARE = 1 << 13
# Calls of which native code takes less than this part are in doubt, however long they are: the plain function
# takes not much longer for them.
PART = 1 / 64
# The most calls by the plain function, of a function with native loops, before these are tried again.
TRIPS_MAY_CHANGE = 256
# While kernels are compiled, calls of MEANWHILE seconds in all are left out, or FEW where they are long, as
# later ones may be faster at any time.
MEANWHILE, FEW = 2e-3, 8
# This many calls in a row that raise are no measure of those that do not. Where more raise all calls may.
FEW_RAISED = 8


def rests_of_losers() -> Backoff:
    """Return the waits, in calls, after which the loser of a contest is tried again."""
    return Backoff(FIRST, LONGER, MOST)


class BlockContest:
    """Compares the times of one signature's calls by a function's blocks and by the plain function."""

    def __init__(self) -> None:
        self.left = 0  # calls not measured: the function that was cut answers them
        self._decided = False  # a contest was over
        self._begun = False  # it is known how long the plain function takes
        self._resting = rests_of_losers()
        self._trial: Contest | None = None  # the contest at hand
        self._settled = False  # nothing was being compiled when it began
        self._unjudged = 0  # calls that recorded a block or typed a loop, or were to
        self._raised = 0  # measured calls in a row that raised
        self._inside = False  # a call is being measured: those within it are none of the contest
        self._inside_plain = False  # that call is the plain function's

    def answer(
        self,
        partitioned: Contested,
        state: SpecializationLike,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call, by whose turn it is."""
        if are_ours():
            return partitioned.run(args, kwargs)
        if self._inside_plain:  # the function calls itself: it is measured plain throughout
            partitioned.rest = ALL
            return partitioned.plain(args, kwargs)
        # Calls of a recursion have any part of its work: none is a measure of another one.
        if self.left > 0 or self._inside or partitioned.is_within:
            self.left -= not partitioned.is_within
            return partitioned.run(args, kwargs)
        if self._trial is None:
            self._trial, self._settled = Contest(first=0), is_settled(partitioned)
        trial = self._trial
        # The plain function begins, as its time tells if a call is long. Where loops are native ours begins:
        # the plain function may take a thousand times as long.
        native, counts = partitioned.reaches_loops, partitioned.root.block_stats
        ours = (native or bool(trial.numpys)) and trial.is_our_turn
        recordings, typed, worked = counts.recordings, partitioned.typed, partitioned.root.worked
        call = partitioned.run if ours else partitioned.plain
        self._inside, self._inside_plain, rest = True, not ours, partitioned.rest
        self._raised += 1
        start = clock()
        try:
            result = call(args, kwargs)
            self._raised = 0
            return result
        finally:
            seconds = clock() - start
            if not ours:
                partitioned.rest = rest
            self._inside = self._inside_plain = False
            made = (recordings, typed) != (counts.recordings, partitioned.typed)
            if (made or (ours and partitioned.lacks)) and self._unjudged < UNJUDGED:
                self._unjudged += 1
            elif self._raised == 0 or self._raised > FEW_RAISED:
                if recordings == counts.recordings:
                    trial.note(ours, seconds)
                # Native code may have been entered for the first time, which takes longer than later entries.
                native = native or partitioned.reaches_loops
                is_native = native and partitioned.root.worked - worked >= PART * seconds
                self._judge(partitioned, state, trial, seconds, ours=ours, native=native, is_native=is_native)

    def _judge(
        self,
        partitioned: Contested,
        state: SpecializationLike,
        trial: Contest,
        seconds: float,
        *,
        ours: bool,
        native: bool,
        is_native: bool,
    ) -> None:
        """Decide the contest, if the call at hand was enough. is_native: native code did much of the call.

        native: the function's loops are native, or such a loop was entered.
        """
        if is_native and ours and seconds >= LONG and not trial.numpys:
            self.left, self._trial = FEW, None
            return
        if not self._begun and trial.numpys:
            self._begun = True
            if seconds < LONG:
                self.left, self._trial = SETTLING, None
                return
        slower = trial.is_ours_slower()
        if ours and slower is None and min(trial.numpys, default=0.0) >= LONG:
            # The first call links kernels, so it has more time.
            times = LOSES if self._decided or len(trial.ours) > 1 else CLEAR
            slower = min(trial.ours, default=seconds) > times * min(trial.numpys) or None
        best = min(trial.ours, default=math.inf)  # none yet where a call by the plain function reached loops
        if native and slower is None and min(trial.numpys, default=0.0) > CLEAR * best:
            slower = False
        is_first = not (self._decided or trial.numpys)
        if native and is_first and partitioned.as_written >= max(LONG, FAR * best):
            slower = False
        if slower is not None:
            self._trial = None
            self._decide(partitioned, state, trial, slower)

    def _decide(self, cut: Contested, state: SpecializationLike, trial: Contest, slower: bool) -> None:
        """End a contest. One that ours has lost while kernels were compiled says nothing of later calls."""
        least = 0
        if trial.numpys and not slower:
            ours = min(trial.ours, default=math.inf)
            least = calls_between_turns(ours, min(trial.numpys), RARE)
        if is_settled(cut):
            if slower and not self._settled:
                return
            self._decided = True
            calls = max(self._resting.wait(), least)
        else:
            plain = max(min(trial.numpys, default=LONG), 1e-7)
            calls = FEW if plain >= LONG else min(max(int(MEANWHILE / plain), FIRST), MOST)
            calls = max(calls, least)
        if slower:
            # The next call of equal signature may have a thousand times as many trips.
            state.rest = min(calls, TRIPS_MAY_CHANGE) if cut.reaches_loops else calls
        else:
            self.left = calls


def is_settled(partitioned: Contested, loop: ast.AST | None = None) -> bool:
    """Tell if a function that was cut, and its callees, have nothing left to compile or try out.

    loop: of its blocks, those in this loop alone count. Blocks of a function that is native as a whole are
    called no more: what is to be tried out of them would never be.
    """
    if loop is None and partitioned.is_native:
        return True
    if loop is None and any(cut.compiles_loops for cut in (partitioned, *cuts_of_callees(partitioned.root))):
        return False
    states = specializations(partitioned, loop)
    under_way = [entry for state in states for entry in state.pending if not entry.parked]
    return not under_way and all(state.trial is None for state in states)


def specializations(partitioned: Contested, loop: ast.AST | None = None) -> list[SpecializationLike]:
    """Return the signatures of the blocks of a function that was cut, or of those in a loop of it, and of its
    callees.
    """
    own = [block for block in partitioned.current() if loop is None or block.is_in(loop)]
    others = [block for cut in cuts_of_callees(partitioned.root) for block in cut.current()]
    states = specializations_of_callees(partitioned.root)
    for block in blocks_within([*own, *others]):
        states += list(block.by_signature.values())
    return states
