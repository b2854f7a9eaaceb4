"""Shares a recorded function's programs among calls that differ in lengths and sizes alone.

It is a base of `RecordedFunction`, and keeps signatures, of which there may be so many.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import Fault, InternalError, fault_of, told
from npcompile.frontend.graph.options import on_device
from npcompile.frontend.pipeline import Traced
from npcompile.frontend.program.generic_signature import split_lengths, without_layouts
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.signature import key_of
from npcompile.frontend.rewrite.block_levels import MAX_WORK
from npcompile.lower.device.transfers import counting
from npcompile.runtime import fast_path
from npcompile.runtime.binding import Binding
from npcompile.runtime.current_device import current_device
from npcompile.runtime.guarded_replays import AsNumpys, Sliced
from npcompile.runtime.linking import KernelLinking
from npcompile.runtime.polymorphic import LengthGroup, PolymorphicProgram, Waiting
from npcompile.runtime.specialization import Specialization
from npcompile.tiering.backoff import Backoff
from npcompile.tiering.contest import CrowdedSignatures
from npcompile.tiering.overhead import current, this_thread, users
from npcompile.tiering.protocols import PartitionedLike
from npcompile.verify.verify import verifying

# Replays of one signature, each for other lengths of what is read from outside.
KEPT = 8
# Signatures of one function that are recorded: each is a compilation of some seconds, on one core.
MAX_SIGNATURES = 64
# Those that a program for many lengths answers, or the cut that all have in common: some kilobytes each.
MAX_FOUND_AGAIN = 512
FORGOTTEN = 64  # forgotten at once: the native runtime then learns all others anew
KEPT_ANEW = 16  # where all places are taken, another signature takes one at one call in this many
# Calls by signatures that are not kept are NumPy's. Where that is going to stay so, one in LOOKED_AT, or in
# up to twice as many, is looked at; the native runtime has the others done by the function itself.
LOOKED_AT = 16
# After SELDOM looks at which there was no room for a signature, each look passes over twice as many calls as
# the one before, MOST_SELDOM times.
SELDOM, MOST_SELDOM = 4, 8
# Groups of calls that differ in lengths alone.
MAX_GROUPS = 2 * MAX_SIGNATURES

# The most operations of a block where a recording of the whole takes too long.
SHORT = 100


class ShapeSharing(KernelLinking):
    """A function of which some programs answer for more than one signature."""

    __slots__ = (
        "_crowd",
        "_full",
        "_groups",
        "_kinds",
        "_looks",
        "_unkept",
        "_waits",
        "always_waits",
        "balance",
        "cost",
        "default_float",
        "fast_random",
        "unlooked",  # calls still to pass unlooked at: the native runtime counts them
    )
    max_signatures = MAX_SIGNATURES
    cost: float  # seconds that a recording is taken to take: as many as the last one
    block_work = MAX_WORK  # the most operations of a block of it
    # The function itself, where programs are valid for others of its code: they read its closure.
    own: tuple[Any, ...] = ()
    always_waits: bool
    argument_binding: Binding
    # Whole numbers among its arguments may be sizes: these, or (True) all of them and such as are read.
    _counting: frozenset[str] | bool = True

    def __init__(self, fn: Callable[..., Any], stats: Stats, strict: bool) -> None:
        super().__init__(fn, stats, strict)
        self._groups: dict[Any, LengthGroup] = {}
        self._kinds: set[Any] = set()  # their signatures, whatever the lengths
        self._crowd = CrowdedSignatures()
        self._full = self.max_signatures  # at so many signatures it is looked whether there is room for more
        self._looks = self._unkept = self.unlooked = 0
        self.debt = self.overdrawn = 0.0
        self._waits: Backoff | None = None  # the calls to pass over while nothing is kept

    def _affords(self) -> bool:
        """Tell whether the function's calls have paid for a recording."""
        return self.has_to_wait or current().affords(self.cost)

    @property
    def _limit(self) -> float:
        """The seconds past which a recording is given up."""
        return math.inf if self.has_to_wait else current().limit(self.cost)

    @property
    def has_to_wait(self) -> bool:
        """Tell if calls wait for the compiler."""
        return self.always_waits or config.wait or this_thread.ahead

    def _plain(self, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Reason | None = None) -> Any:
        """A call that Python answers."""
        raise NotImplementedError

    def _meanwhile(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call while the kernels of a program for many lengths are being compiled."""
        raise NotImplementedError

    def _pass_over(self, most: int, least: int = LOOKED_AT) -> int:
        """Have the native runtime leave some of the calls to come to NumPy, by signatures that are not known.

        Returns their number: about `least`, and `most` at most; 0 where there is no native runtime.
        """
        self._looks += 1
        calls = min(most, least + self._looks % LOOKED_AT)  # no rhythm of the calls' own
        seen: Any = self  # as `fast_path.Seen`
        self.unlooked = calls if calls > 0 and fast_path.passes_over(seen) else 0
        return self.unlooked

    def _seldom(self) -> int:
        """Give the least number of calls to pass over after one of which nothing is kept: ever more."""
        self._unkept += 1
        if self._unkept == 1 or self._waits is None:
            self._waits = Backoff(LOOKED_AT, most=LOOKED_AT << MOST_SELDOM)
        elif self._unkept % SELDOM == 0:
            self._waits.lengthen()
        return self._waits.length

    def signature(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> tuple[Any, ...]:
        """The signature of a call, whose leaves are put into `leaves`."""
        raise NotImplementedError

    def _first_line(self) -> int | None:
        """Of what is recorded, where that is not the whole function."""
        return None

    def _raised(self, state: Specialization, error: BaseException) -> None:
        """A recording ended in an exception. Where such calls are Python's from now on, it is told."""
        if isinstance(error, InternalError):
            state.settle()
            self.note(error.reason, self.at(self._first_line()))
        elif state.raised_again():
            reason = Cause.RAISES(type(error).__name__)
            self.root.note(reason, self.at(self.led_to(error) or self._first_line()))

    def _in_python(self, device: bool = False) -> Any:
        """The function as Python runs it, with its options."""
        raise NotImplementedError

    def _tell_of(self, fault: Fault) -> None:
        try:
            self.root.failed(fault)
        except Exception as error:
            if fault_of(error) is None:
                raise

    def despite(self, error: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer of a call of which a replay raised under the native runtime: the exception itself where
        it is the user's."""
        if (fault := fault_of(error, 0)) is None:
            told(error)
            return error
        return self.answer_despite(fault, args, kwargs)

    def answer_despite(self, fault: Fault, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer of a call in which npcompile itself failed: Python's, and so are later calls of the
        signature. What has been done is not done again."""
        try:
            self._tell_of(fault)
            with contextlib.suppress(Exception):  # where signatures cannot be told, each call comes to this
                bound = self.argument_binding.bind(args, kwargs) or (args, kwargs)
                self.by_signature.setdefault(self.signature(*bound, []), Specialization()).settle()
            if fault.done:
                return fault.outcome()
            if fault.begun:
                raise fault.torn() from fault.error
            function: Any = self.__wrapped__
            with contextlib.suppress(Exception):
                function = self._in_python(on_device((args, kwargs)))
            return function(*args, **kwargs)
        except BaseException as error:
            told(error)
            raise

    def _group(self, key: Any) -> tuple[LengthGroup | None, tuple[int, ...]]:
        """The calls that differ from this one in lengths alone, and its lengths."""
        if current_device() is not None or verifying():
            return None, ()
        general, lengths = split_lengths(key)
        with self._lock:
            if (group := self._groups.get(general)) is None:
                if len(self._groups) >= MAX_GROUPS:  # a text among the arguments is another at each call
                    self._groups = {key: known for key, known in self._groups.items() if known.is_used}
                    self._kinds.clear()
                if len(self._groups) >= MAX_GROUPS:
                    return None, ()
                group = self._groups[general] = LengthGroup(general)
                kind = without_layouts(general)
                group.seen += kind in self._kinds  # with lengths of 0 or 1, say
                self._kinds.add(kind)
            return group, lengths

    def _cut(self, failed: Traced | None) -> PartitionedLike | None:
        """The function cut into blocks, where it cannot be recorded as a whole: by its source, or (`failed`)
        because that was tried."""
        return None

    def _cut_after(self, state: Specialization, call: Traced) -> PartitionedLike | None:
        """The function cut into blocks where a recording of the whole met a call for its effect, or one whose
        answer decides: where that was the same one at two lengths, for all."""
        group = state.group
        if group is None:
            return self._cut(call)
        if (cut := group.calls.get(call.top)) is not None:
            group.partitioned = cut
        elif (cut := self._cut(call)) is not None:
            group.calls[call.top] = cut
        return cut

    def _is_general(self, key: Any) -> bool:
        """Tell if a program for many lengths may answer."""
        group, lengths = self._group(key)
        return group is not None and bool(group.followed_by(lengths))

    def _generally(
        self, general: PolymorphicProgram, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call that a program for many lengths answers. Raises Diverged."""
        if not general.done:
            return self._meanwhile(args, kwargs)
        if key in self.by_signature or len(self.by_signature) < MAX_SIGNATURES or not general.entry.jobs:
            return self._for_lengths(general, key, args, kwargs)
        crowd = self._crowd
        if crowd.is_numpys(key):
            self._pass_over(2 * LOOKED_AT)
            return self._plain(args, kwargs)
        contest, crowd.contest = crowd.contest, None
        if contest is None:
            return self._for_lengths(general, key, args, kwargs)
        try:
            start = time.thread_time()
            if ours := contest.is_our_turn:
                result = self._for_lengths(general, key, args, kwargs)
            else:
                result = self._plain(args, kwargs)
            contest.note(ours, time.thread_time() - start)
        finally:
            if (slower := contest.is_ours_slower()) is None:
                crowd.contest = contest
        if slower:
            crowd.slower = True
            self.note(Cause.OTHER_LENGTHS(), self.at(None))
        return result

    def by_replay(self, args: tuple[Any, ...], given: tuple[Any, ...], given_key: Any) -> Any:
        """Return the answer of a program that there is, and keep it for the call's own arguments and their
        signature, too. Raises Diverged. given: these arguments."""
        leaves: list[Any] = [*self.own]
        key = self.signature(args, {}, leaves)
        state = self.by_signature.get(key)
        for replay, host_calls in () if state is None else list(state.ready):
            with contextlib.suppress(Diverged):
                result = users(replay, tuple(leaves), {})
                self.own_stats.replays += 1
                self.own_stats.host_calls += host_calls
                self._lend(replay, host_calls, leaves, given, given_key)
                return result
        group, lengths = self._group(key)
        for general in () if group is None else group.followed_by(lengths):
            if general.done:
                with contextlib.suppress(Diverged):
                    return self._for_lengths(general, key, args, {}, given)
        raise Diverged

    def _lend(
        self, replay: Any, host_calls: int, leaves: list[Any], given: tuple[Any, ...], key: Any
    ) -> None:
        """Keep a replay for arguments of another signature, too."""
        theirs: list[Any] = [*self.own]
        self.signature(given, {}, theirs)
        kinds = {
            place: type(leaf)
            for place, (leaf, own) in enumerate(zip(leaves, theirs, strict=True))
            if leaf is not own
        }
        with self._lock:
            state = self.by_signature.get(key)
            if state is None and self._has_room():
                state = self.by_signature[key] = Specialization(None, ())
                state.kind, state.count, state.answered = split_lengths(key)[0], 1, True
            if state is not None:
                state.ready, state.misses = [(AsNumpys(kinds, replay), host_calls)], 0

    def _for_lengths(
        self,
        general: PolymorphicProgram,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        given: tuple[Any, ...] | None = None,
    ) -> Any:
        """Answer a call by kernels that are found for its lengths. given: what NumPy is to answer meanwhile,
        if not `args`."""
        entry = general.entry
        leaves = [*self.own]
        for arg in args:
            key_of(arg, leaves)
        if kwargs:
            key_of(kwargs, leaves)
        general_key, lengths = split_lengths(key)
        while True:
            try:
                with counting(self.own_stats):
                    result, replays = general.answer(leaves, lengths, self.own_stats)
                break
            except Waiting as waiting:  # for work of this size there is no kernel yet
                with self._lock:
                    if waiting.job not in self._awaited:
                        self._awaited += (waiting.job,)
                if not self.has_to_wait:
                    return self._plain(args if given is None else given, kwargs)
                with log.waiting(self.name):
                    users(waiting.job.wait, (), {})
        if self._awaited:
            self._count_awaited()
        self.own_stats.replays += 1
        self.own_stats.host_calls += entry.host_calls
        with self._lock:
            state = self.by_signature.get(key)
            if state is None:
                self._has_room()
                state = self.by_signature[key] = Specialization(None, ())
                state.kind = general_key
                state.entries, state.count, state.answered = [entry], 1, True
            for replay in replays:
                if isinstance(replay, Sliced):
                    replay.state = state
            further = general.counts or len(replays) > 1
            kept = state.ready if further and state.general is not general else []
            kept = state.ready[: KEPT - 1] if general.outside else kept
            first, *rest = ((replay, entry.host_calls) for replay in replays)
            state.ready, state.general = [first, *kept, *rest], general
        if entry.jobs:  # else they are interpreted
            state.try_out(entry, self.first_replays)
        return result

    def _cut_of_all(self, group: LengthGroup | None) -> Any:
        """The cut that signatures which differ in lengths have in common, where as many as are kept have been
        met: keeping this one in place of another would cost each call more than it saves. One call in some
        does, as those that come now may be those that come again."""
        full = len(self.by_signature) >= MAX_FOUND_AGAIN and self.own_stats.calls % KEPT_ANEW
        return group.partitioned if full and group is not None else None

    def _has_room(self) -> bool:
        """Tell if another signature may be kept. Of those that can be found again the oldest make room."""
        if len(self.by_signature) < self._full:
            return True
        again = [key for key, state in self.by_signature.items() if state.is_found_again()]
        if len(again) >= MAX_FOUND_AGAIN:
            oldest, again = again[:FORGOTTEN], again[FORGOTTEN:]
            for key in oldest:
                del self.by_signature[key]
            fast_path.forget(self)
        recorded = len(self.by_signature) - len(again)
        left = min(self.max_signatures - recorded, MAX_FOUND_AGAIN - len(again))
        self._full = len(self.by_signature) + max(left, 0)
        return recorded < self.max_signatures
