"""Answers the calls of a function that was cut into blocks: chooses the form that runs, notes the result."""

from __future__ import annotations

import contextlib
import math
import threading
import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, cast

from npcompile.diagnostics.not_compiled import NotCompiledError
from npcompile.frontend.boundary.faults import fault_of
from npcompile.frontend.rewrite.partition import Outline, calls_itself
from npcompile.frontend.rewrite.source import NotFound
from npcompile.frontend.rewrite.tracebacks import tell
from npcompile.partition.callees import CalleeSubstitution
from npcompile.partition.examples import example_of
from npcompile.partition.native_body import NOT_ANSWERED, NativeBody, makes_containers
from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import Tier
from npcompile.tiering import overhead
from npcompile.tiering.account import clock
from npcompile.tiering.backoff import Patience
from npcompile.tiering.block_contest import BlockContest, specializations
from npcompile.tiering.contest import are_held
from npcompile.tiering.idle_calls import AGAIN, ALL, IdleCalls
from npcompile.tiering.overhead import Call, enter, leave, this_thread, users
from npcompile.tiering.protocols import BlockLike
from npcompile.tiering.statement_profile import Watch

# A native body answers calls of fewer than BODY_WITHIN seconds, and saves some microseconds at each; where a
# function makes containers, whose items it may keep as values, of fewer than FILLING_WITHIN; where it calls
# itself, any call. It is asked at BODY_ASKED calls at most if there is to be one.
BODY_WITHIN, FILLING_WITHIN, BODY_ASKED = 2e-3, 1e-1, 16
# Python takes some hundred times as long: after a first call of fewer than FIRST_WITHIN, `wait` has it made.
FIRST_WITHIN = 2e-1
# A function that calls itself is asked by its outermost calls, and by those within them that take LONG_WITHIN
# seconds; after each shorter one UNASKED calls are the plain function's, as those within DEEPEST_ASKED are.
LONG_WITHIN, UNASKED, DEEPEST_ASKED = 1e-4, 256, 4
# The most calls that are lent to the native runtime at once, of those that no contest measures.
MOST_LENT = 256


class PartitionedCalls(CalleeSubstitution):
    """A cut function's calls."""

    made: Outline | None
    lock: threading.Lock
    owed: float  # seconds that the next recording in it takes, and that calls have not paid for; 0: none
    took: float  # seconds that it took to cut it
    stale: bool  # the levels have changed since the function was cut
    refused: str | None  # why a call under `strict` was not to run
    idling: IdleCalls
    raising: Patience  # with calls that raise
    answered: bool  # a block did in the last call
    watch: Watch | None
    typed: int
    enters: Any  # the cut function asks it for the functions that it calls
    has_run: bool
    _direct: bool
    _contested: bool  # it is measured beside the plain function
    body: NativeBody | None  # answers whole calls
    lacks: bool  # the last call has left something to be recorded or cut
    useful: bool  # compiled code answered in the last call, or something was recorded
    ran: float  # the seconds that the function itself, as it is or cut, took in the last call
    lasted: float  # the seconds of the last call that were the user's
    as_written: float  # those that the plain function takes at least, by its last call or by a first call
    further: int  # calls that may go on with that, beside those that calls have paid for
    asked: int  # at so many calls it was to be seen if its body might be native as a whole
    asking: int  # calls at hand, each within the one before, at which that is to be seen
    recurs: bool  # one of these was within another one
    # Examples of the first call's arguments, and its seconds; None: it was long, or one of them has none.
    first: tuple[tuple[Any, ...], float] | None

    def cut(self) -> None:
        """Cut the function anew."""
        raise NotImplementedError

    def current(self) -> Iterable[BlockLike]:
        """Return the blocks of the cut as it is now."""
        raise NotImplementedError

    @property
    def runs_loops(self) -> bool:
        """Tell if it has loops that are done natively, or is as a whole."""
        raise NotImplementedError

    @property
    def reaches_loops(self) -> bool:
        """Tell if it has loops that are done natively, or calls functions that have some."""
        raise NotImplementedError

    @property
    def may_be_native(self) -> bool:
        """Tell if all of its loops are done natively, whatever the sizes, or if it has none but calls."""
        raise NotImplementedError

    @property
    def only_calls(self) -> bool:
        """Tell if it has no loops, and calls functions of the user's, which may have some."""
        raise NotImplementedError

    @property
    def compiles_loops(self) -> bool:
        """Tell if native code of a loop is being compiled: until it is there, calls are no measure of it."""
        raise NotImplementedError

    @property
    def is_native(self) -> bool:
        """Tell if native code of the whole function answers its calls."""
        return self.body is not None and self.body.answers

    @property
    def _is_deep(self) -> bool:
        """Tell if the call is one too many within calls."""
        return self._direct and (self.idling.deep or overhead.is_deepest())

    @property
    def is_within(self) -> bool:
        """Tell if the call at hand is within another one of the function's."""
        return self.idling.at_hand.calls > 1

    @property
    def _is_stale(self) -> bool:
        """Tell whether it would be cut otherwise by now."""
        return self.stale or self.enters is not type(self).enter  # the native runtime has it now

    def _affords(self, call: Call) -> bool:
        """Tell whether it may be cut anew in the call at hand."""
        return self.owner.has_to_wait or call.affords(self.took)

    def _go_further(self, call: Call) -> None:
        """Have a call go on with what calls before it have left."""
        self.further -= 1
        call.go_further(self.lasted)
        for state in specializations(self):
            if state.tier is Tier.RECORDING and not (state.ready or state.pending):
                state.rest = 0

    def _cut_anew(self) -> None:
        with contextlib.suppress(NotFound):  # then it stays as it was cut before
            self.cut()

    def leave_if_plain(self) -> None:
        """If it is called between blocks of another, and comes to the function itself, have it called so."""
        raise NotImplementedError

    def answer(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a known signature: where the plain function takes less time, it answers."""
        began, is_first = clock(), self.root.allowance.is_first
        self.useful, self.ran = False, 0.0
        is_deep, at_hand = self._is_deep, self.idling.at_hand
        at_hand.calls += 1
        try:
            if is_deep:
                return self._run_cut(args, kwargs)
            contest, body = state.block_contest, self.body
            # Most calls of a short native function go no further, as Python that did not run of late is slow.
            if contest is not None and contest.left > 0 and body is not None and not body.closed:
                if state.rest <= 0 and not kwargs and self.root.session is None:
                    if (answer := body.answer(args)) is not NOT_ANSWERED:
                        contest.left -= 1
                        self.owner.own_stats.replays += 1
                        if contest.left > 0 and (lent := body.lent) is not None:
                            lent.left = min(contest.left, MOST_LENT)
                            contest.left -= lent.left
                            state.lent = lent
                        return answer
            call = this_thread.call
            if call is None or self.is_native:
                return self._answer(state, args, kwargs)
            before = call.switch(True)  # a recursion comes here by the native runtime, which takes no time
            try:
                return self._answer(state, args, kwargs)
            finally:
                call.switch(before)
        except BaseException as error:  # the native runtime calls this, and not `RecordedFunction.__call__`
            if (fault := fault_of(error)) is None:
                with contextlib.suppress(Exception):
                    tell(error)
                raise
        finally:
            at_hand.calls -= 1
            if not (self.useful or is_first) and this_thread.call is None:
                state.charge(clock() - began - self.ran, self.ran)
                self.root.allowance.lasted += self.ran
        return self.owner.answer_despite(fault, args, kwargs)

    def _answer(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call that native code of the whole function does not answer at once."""
        wants_body = self._wants_body
        if self.only_calls and (wants_body or (self.body is not None and self.body.is_pending)):
            return self._timed(self.plain, args, kwargs)  # no blocks are wanted before it is there
        if not self.is_native:
            if self.owed or self.compiles_loops:
                return self.run(args, kwargs)
            if wants_body:
                return self._timed(self.run, args, kwargs)
            if self.lacks and self.further:
                return self.run(args, kwargs)
        if state.block_contest is None:
            if not (self._contested and are_held()):
                return self.run(args, kwargs)
            state.block_contest = BlockContest()
        if state.rest > 0:
            state.rest -= 1
            return self.plain(args, kwargs)
        return state.block_contest.answer(self, state, args, kwargs)

    @property
    def _wants_body(self) -> bool:
        """Tell if its body might be native as a whole, as its loops are."""
        if self.body is not None or self.asked == BODY_ASKED or not (self._contested and are_held()):
            return False
        is_settled = self.only_calls or not self.stale
        return self.may_be_native and self.root.session is None and is_settled

    def _timed(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call; where it was a short one the body is to be native as a whole."""
        is_outermost = not (self.asking or self.idling.depth)
        if is_outermost:
            self.asked += not self.lacks  # else the call may have been a long one for what it recorded
        else:
            self.recurs = True
            if self.asking >= DEEPEST_ASKED:
                self.rest = UNASKED
        self.asking += 1
        try:
            start = overhead.clock()
            result = call(args, kwargs)
            # Cutting it anew, and finding what enters its loops, is done once.
            seconds = overhead.clock() - start if self.only_calls else self.ran
        finally:
            self.asking -= 1
            if self.only_calls:
                self.rest = 0 if is_outermost else UNASKED
        if not is_outermost and seconds < LONG_WITHIN:
            return result
        if not self._wants_body:
            return result
        # Calls within one another may be far shorter than this one, or far longer.
        recurs, function = self._recurs, self.owner.__wrapped__
        if (
            self.only_calls
            or recurs
            or seconds < BODY_WITHIN
            or (seconds < FILLING_WITHIN and makes_containers(function))  # last, as that reads its code
        ):
            self._make_body(None if kwargs else args, math.inf if recurs else seconds)
        return result

    @property
    def _recurs(self) -> bool:
        """Tell if the function calls itself, as far as its code or its calls have shown."""
        return self.recurs or calls_itself(cast("FunctionType", self.owner.__wrapped__))

    def _make_body(self, args: tuple[Any, ...] | None, most: float) -> None:
        """Have the body compiled for the types of a call's arguments, if they are given.

        most: the seconds that the call took without it.
        """
        self.body, self.asked, self.useful = NativeBody.of(self.owner.__wrapped__, self), BODY_ASKED, True
        if self.body is not None and args is not None:
            self.body.most = most
            self.body.prepare(args)

    def wait_for_body(self, deadline: float | None) -> None:
        """Wait until the body is compiled, also for the types of a short first call."""
        first, self.first = self.first, None
        if first is not None and self._wants_body and not self.compiles_loops:
            args, seconds = first
            self._make_body(args, math.inf if self._recurs else seconds)
        if self.body is not None:
            self.body.wait_until(deadline)

    def _keep_first(self, args: tuple[Any, ...], seconds: float) -> None:
        """Keep the types of a short first call's arguments, and how long the call took."""
        if seconds >= FIRST_WITHIN:
            return
        examples = tuple(map(example_of, args))
        if not any(example is None for example in examples):
            self.first = examples, seconds

    def plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function as it is."""
        self.owner.own_stats.plain_calls += 1
        start = clock()
        try:
            return users(self.owner.as_called(), args, kwargs)
        finally:
            self.useful, self.ran = False, clock() - start

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function. It counts as a replay if all that was recorded of it was replayed."""
        # Where statements are timed, or done beside Python, the cut function does them one by one.
        looked_at = self.root.session is not None
        if (body := self.body) is not None and not (body.closed or kwargs or looked_at):
            if (answer := body.answer(args)) is not NOT_ANSWERED:
                self.owner.own_stats.replays += 1
                self.useful = True
                return answer
        return self._run_cut(args, kwargs)

    def _run_cut(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the cut function."""
        call, outer = enter(self.root.allowance)
        outermost = call.allowance is self.owner.allowance and not self.idling.depth
        outermost = outermost and self.owner is self.root
        try:
            if outermost and self.lacks and self.further and not call.is_first:
                self._go_further(call)
            with self.lock:
                if self._is_stale and (self.made is None or self._affords(call)):
                    self._cut_anew()
                assert self.made is not None
                if not self.has_run:
                    self.leave_if_plain()
                deep = self._is_deep
                # The first function of a call has its loops ask at each trip: it may go on otherwise later.
                spent = call.spent and call.begun and not self._substitutes
                call.begun = True
                work = self.rest <= 0 or self.made.pieces or self.watch or self._substitutes
                # Where no block has answered yet, the function itself does until they may be recorded, and
                # it does so where none answered the last time and it is to be cut otherwise by now.
                owes = self.owed > 0 and not call.affords(self.owed)
                unpaid = (owes or (self.stale and not self.answered)) and not self._substitutes
                resting = self.raises or deep or spent or unpaid or not work
                is_plain = resting or self.made.function is self.owner.__wrapped__
                function: Any = self.owner.as_called() if is_plain else self.made.function
                if spent:
                    self.rest = max(self.rest, AGAIN)
                else:
                    self.rest = ALL if deep else self.rest - (resting and not (self.raises or unpaid))
            own, inner = self.owner.own_stats, self.root.block_stats
            if own is not inner:
                self.root.filters = warnings.filters
                if self.refused is not None and self.owner.is_strict:
                    raise NotCompiledError(self.refused)
            before = inner.calls, inner.replays, inner.recordings
            entries = own.loop_entries, inner.loop_entries
            self.has_run, self.entered, self.owed = True, False, self.owed if unpaid else 0.0
            began, start = overhead.clock(), clock()
            self.idling.depth += 1
            call.switch(False)
            machinery = call.machinery
            try:
                if self.watch is not None and not (deep or spent or unpaid):
                    result = self.watch.call(function, args, kwargs)
                else:
                    if self.root.session is not None:
                        function = self.root.session.of(self, function)
                    result = function(*args, **kwargs)
                self.raises = False
                self.raising.succeeds()
                return result
            except BaseException as error:
                if self._direct and not self.raises:
                    self.raises = self.raising.fails()
                if isinstance(error, NotCompiledError):
                    self.refused = str(error)
                raise
            finally:
                call.switch(True)
                ran = max(clock() - start - (call.machinery - machinery), 0.0)
                self.idling.depth -= 1
                if unpaid and self.owner is self.root and not self.idling.depth:
                    self.rest = self.owner.root.allowance.passes(overhead.clock() - began)
                if outermost:
                    self.lacks, self.lasted = call.lacks, call.lasted
                entered = (own.loop_entries, inner.loop_entries) != entries
                self.answered = entered or inner.replays != before[1]
                if outermost and not self.answered:
                    self.as_written = self.lasted
                elif outermost and call.is_first:  # Python's first trips alone took almost as long
                    self.as_written = max(self.as_written, self.lasted)
                if self.answered:
                    self.owed = 0.0
                self.useful, self.ran = self.answered or inner.recordings != before[2], ran
                if outermost and call.is_first and self.typed and self.body is None and not kwargs:
                    self._keep_first(args, ran)
                call.useful = call.useful or self.useful
                if own is inner:  # a block that was cut further, or a function that a block calls
                    own.calls -= 1
                elif inner.calls - before[0] == inner.replays - before[1] != 0:
                    own.replays += 1
                elif entered and inner.calls == before[0]:
                    own.replays += 1
                elif inner.recordings == before[2]:
                    own.plain_calls += 1
                if deep or not (resting or call.spent):
                    self.rest = 0 if deep else self.idling.note(self.entered or bool(self.made.pieces))
                    if self.rest:
                        self.leave_if_plain()
                elif outermost and self.owner.recursion is not None:
                    self.rest = 0  # it was for calls within this one, which did not come here
                if self.stale and call.is_first and self.idling.depth == 0 and self._affords(call):
                    with self.lock:
                        self._cut_anew()
        finally:
            leave(call, outer)
