"""A function that is recorded while NumPy answers, compiled behind its back, and replayed from then on."""

from __future__ import annotations

import opcode
import sys
import types
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch

from npcompile.diagnostics import log
from npcompile.diagnostics.not_compiled import NotCompiledError, owed, tell_owed
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.recompilations import last_difference, why_given_up, why_recorded
from npcompile.diagnostics.settings import config
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import fault_of, performs, told
from npcompile.frontend.catalog.assumed_modules import replaced
from npcompile.frontend.catalog.foreign_arrays import is_dask, is_foreign, reason_of
from npcompile.frontend.eager.errstate import all_warnings_are_errors
from npcompile.frontend.pipeline import Traced, trace
from npcompile.frontend.program.dynamic_sizes import counts_of
from npcompile.frontend.program.generic_signature import split_lengths
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.signature import BY_NAME, are_apart, key_of
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.rewrite.partition import may_resize, tried_whole
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.lower.device import memory
from npcompile.lower.device.transfers import counting
from npcompile.lower.mesh.mesh import mesh_of
from npcompile.runtime import fast_path, fork
from npcompile.runtime.binding import Binding
from npcompile.runtime.current_device import current_device
from npcompile.runtime.device_choice import DeviceChoice
from npcompile.runtime.growing_arguments import GrowingArguments
from npcompile.runtime.plain_streaks import PlainStreak
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.runtime.request import AGAIN, ONWARD, NoAnswer, Request, Way
from npcompile.runtime.shape_sharing import LOOKED_AT, SHORT
from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import NUMPYS, TOO_SMALL, UNRECORDED, Event, Tier
from npcompile.tiering.compile_budget import waits_for_another
from npcompile.tiering.overhead import DEEPEST, LONG, TIMES, Call, enter, estimate, leave, this_thread
from npcompile.tiering.protocols import PartitionedLike
from npcompile.tiering.recording_budget import WHOLE, RecordingBudget
from npcompile.verify.verify import Watch, verifying

# Programs of one signature (they differ in what was decided on the way); past this many, the function runs
# plain.
MAX_PROGRAMS = 8

_FOR_ITER = opcode.opmap["FOR_ITER"]
# Classes of most arguments, of which it is known without a look that they are no foreign arrays.
_NEVER_FOREIGN = frozenset(
    [np.ndarray, np.memmap, int, float, complex, bool, str, bytes, tuple, list, dict, set, type(None)]
)

# After this many calls in a row for which no program was right, the programs of a signature are given up.
MAX_MISSES = 12


class RecordedFunction(DeviceChoice):
    """A function with its recordings, by signature."""

    __slots__ = ("_arity", "_code", "_growing", "_made_so", "argument_binding", "kept_programs")
    fast_random: bool
    max_programs = MAX_PROGRAMS
    _alone = True  # it is not one of those that share their recordings
    cut: Any = None  # whose loop calls it, a block
    # True: replays that were measured to be slower than NumPy are measured again, ever more seldom.
    tries_again = False
    _direct = False  # True: the native front calls the plain function, without entering Python here

    def __init__(
        self,
        fn: Callable[..., Any],
        wait: bool,
        strict: bool,
        default_float: Any,
        stats: Stats,
        programs: list[Program],
    ) -> None:
        super().__init__(fn, stats, strict)
        self.always_waits = wait
        self.default_float: np.dtype[Any] | None = default_float
        self._made_so = all_warnings_are_errors()  # then they are a test runner's
        self.balance = RecordingBudget(WHOLE)
        self.kept_programs: list[Program] = programs
        self._start_anew()
        fork.alive.add(self)

    def _start_anew(self) -> None:
        """Forget all about the function, which may have had other code until now (it was reloaded)."""
        fn = self.__wrapped__
        with self._lock:
            self._code = getattr(fn, "__code__", None)
            self.by_signature, self._groups = {}, {}
            self.cost = estimate(self._code)
            self._growing = GrowingArguments(fn)
            self.argument_binding = Binding(fn)
            self._arity = self.argument_binding.arity
            self._rewritten: Rewritten | Reason | None = None
            self._levels = self._recursion = None, None
            self._front = None
            self._passing = PlainStreak()
            self.resizes = isinstance(fn, types.FunctionType) and may_resize(fn)

    # -- calling -----------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        is_passing = self._passing.left > 0 or self.overdrawn > 0 or this_thread.call is not None
        if is_passing and not kwargs:
            try:
                plain = self._passing_function(args)
            except BaseException as error:
                if (fault := fault_of(error)) is None:
                    raise
                return self.answer_despite(fault, args, kwargs)
            if plain is not None:
                return self._passed(plain, args)
        call, before = enter(self.allowance, self)
        call.depth += 1
        try:
            try:
                if call.depth > DEEPEST:
                    self.own_stats.calls += 1
                    function = DeviceChoice.beside(self, args, kwargs)
                    call.switch(False)
                    return function(*args, **kwargs)
                return self._answer(args, kwargs, call)
            except BaseException as error:
                if (fault := fault_of(error)) is None:
                    told(error)
                    raise
            return self.answer_despite(fault, args, kwargs)
        finally:
            call.depth -= 1
            leave(call, before)

    def _answer(self, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> Any:
        """Count a call and answer it by the first of `ways` that may."""
        self.own_stats.calls += 1
        if owed:
            tell_owed()
        code = getattr(self.__wrapped__, "__code__", None)
        if code is not self._code and code != self._code:
            self._start_anew()
        if self._is_numpys_now():
            if sys.gettrace() is not None:
                self.note(Cause.TRACED(), self.at(None))
            return self._plain(args, kwargs)
        if kwargs or len(args) != self._arity:
            bound = self.argument_binding.bind(args, kwargs)
            if bound is None:  # the function itself says what is wrong
                return self._plain(args, kwargs)
            args, kwargs = bound
        if call.spent:
            return self._beyond(args, kwargs)
        request = Request()
        request.args, request.kwargs, request.call = args, kwargs, call
        ways = iter(self.ways)
        try:
            while type(answer := next(ways)(self, request)) is NoAnswer:
                if answer is AGAIN:
                    ways = iter(self.ways)
        except NotCompiledError as error:
            if request.state is not None:
                request.state.refused = str(error)
            raise
        if (failure := request.failure) is not None:
            result, request.failure = answer, None
            self._tell_of_failure(failure)
            return result
        return answer

    def _tell_of_failure(self, failure: BaseException) -> None:
        """Tell of a replay that raised before any effect where the function itself did not: that is ours."""
        what = f"{type(failure).__name__}: {failure}"
        self.note(Cause.REPLAY_RAISED(what), self.at(self.led_to(failure)))

    def _answered(self, state: Specialization, replay: Any, host_calls: int, seen: bool = True) -> None:
        """Take note of a call that one of a signature's replays answered. seen: as in `_replayed`."""
        self.own_stats.replays += 1
        self.own_stats.host_calls += host_calls
        self._replayed(seen)
        state.misses = 0
        if len(state.ready) > 1:
            state.prefer(replay)

    def _replayed(self, seen: bool = True) -> None:
        """Take note of a call that a program answered. seen: the budget weighs it, too."""
        if (call := this_thread.call) is not None:
            call.useful = True
        if seen:
            self.balance.replayed()
        if self.cut is not None:
            self.cut.unanswered = self.cut.idle = 0

    def signature(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> tuple[Any, ...]:
        """Return the signature of a call with its arguments in the one form; put its leaves into `leaves`.
        Raises TypeError where containers hold themselves, or are nested too deeply."""
        try:
            if self._growing.has_long(args):
                self._front = None
            grow = self._growing.places
            parts = self._growing.parts(args, leaves) if grow else [key_of(arg, leaves) for arg in args]
            if kwargs:
                parts.append((BY_NAME, key_of(kwargs, leaves)))
        except RecursionError:
            raise TypeError(str(Cause.NO_SIGNATURE())) from None
        return (torch.get_num_threads(), current_device(), replaced(), *parts)

    # -- ways to answer, in the order of `ways` ----------------------------------------------------------

    def _by_replay(self, request: Request) -> Any:
        """A known signature: blocks, a contest at hand, or replays answer; NumPy does where it has won, and
        while kernels are compiled."""
        args, kwargs, call = request.args, request.kwargs, request.call
        leaves: list[Any] = [*self.own]
        try:
            key = request.key = self.signature(args, kwargs, leaves)
            state = self.by_signature.get(key)
        except TypeError:  # an argument that has no hash
            return self._plain(args, kwargs, Cause.NO_SIGNATURE())
        if key[1] is not None and self.is_root:
            if (answer := self._by_choice(request, leaves)) is not ONWARD:
                return answer
        if state is None:
            return ONWARD
        if state.chunks is not None:
            return state.chunks.answer(state, args, kwargs)
        fast_path.note(self, args, kwargs, state, key)
        if call.account is self:  # this call is the outermost one
            call.account = state
        if state.overdrawn > 0:
            self._pay_for(state)
        if state.partitioned is not None:
            return state.partitioned.answer(state, args, kwargs)
        if state.trial is not None and state.ready:
            return state.measured(self, args, kwargs)
        failure = None
        for replay, host_calls in state.ready:
            call.switch(False)
            try:
                result = replay(*leaves)
            except Diverged as diverged:
                call.in_vain()
                self.own_stats.divergences += 1
                failure = diverged.__cause__ or failure
                continue
            finally:
                call.switch(True)
            self._answered(state, replay, host_calls, seen=not request.linked or self._front is None)
            return result
        if failure is not None and memory.is_exhausted(failure):
            return self._without_memory(request, leaves, failure)
        if state.ready:
            if not (state.owed or _is_shared(state, args, kwargs)):
                self._missed(state)
        elif state.tier in NUMPYS or state.waits():
            if state.tries_again():
                return AGAIN
            self.balance.replayed()
            if not kwargs:
                self._pass_on(state, args)
            return self._by_numpy(state, args, kwargs)
        request.failure = failure or request.failure
        return ONWARD

    def _by_generic(self, request: Request) -> Any:
        """A program for many lengths answers. Before that, what has been compiled is linked."""
        key, args, kwargs = request.key, request.args, request.kwargs
        with self._lock:
            state = request.state = self.by_signature.get(key)
        request.linked = state is not None and self._link(state)
        group, lengths = self._group(key) if state is None else (state.group, state.lengths)
        request.group, request.lengths = group, lengths
        missed = False
        for general in group.followed_by(lengths) if group is not None and group.generals else ():
            numbers = general.counts and (state is None or state.general is not general)
            missed |= bool(general.counts) and not numbers  # it has been asked
            if state is None or general.by_data or general.outside or numbers:
                try:
                    result = self._generally(general, key, args, kwargs)
                except Diverged:
                    missed = True
                    continue
                assert group is not None
                group.misses = self._unkept = 0
                self._replayed()
                if state is not None and state.misses and not state.owed:
                    state.found(self.balance)
                return result
        if missed and group is not None:
            self.own_stats.divergences += 1
            # Else there may be no answer.
            if state is None or not (state.owed or _is_shared(state, args, kwargs)):
                group.missed()
        return ONWARD

    def _by_other_signature(self, request: Request) -> Any:
        """A container among the arguments is found to grow: the call has another signature now."""
        if (request.state is None or self._growing.unread) and self._grows(request.args):
            return AGAIN
        return ONWARD

    def _without_room(self, request: Request) -> Any:
        """A new signature is kept if there is room for it. If there is none, Python answers, or blocks that
        other signatures have, too."""
        if request.state is not None:
            return ONWARD
        key, args, kwargs = request.key, request.args, request.kwargs
        if self.balance.rests():
            # A part is cut anew, and what it was to pass over is lost then.
            least = self._seldom() if self.is_root else LOOKED_AT
            self.balance.passed_over(self._pass_over(self.balance.resting, least))
            return self._too_often(args, kwargs)
        if (cut := self._cut_of_all(request.group)) is not None:
            return cut.run(args, kwargs)
        with self._lock:
            state = self.by_signature.get(key)
            if state is None and self._has_room():
                state = self.by_signature[key] = Specialization(request.group, request.lengths)
                state.kind = split_lengths(key)[0] if request.group is None else request.group.kind
                if self._growing.places:
                    state.grows = self._growing.among(args)
        if state is None:
            least = self._seldom()
            self._pass_over(2 * least, least)
            return self._too_many(args, kwargs, Cause.SIGNATURES, self.max_signatures)
        request.state = state
        return ONWARD

    def _by_new_replay(self, request: Request) -> Any:
        """A program was found compiled, or is now: replays are asked again."""
        assert request.state is not None
        return AGAIN if request.linked or self._link(request.state) else ONWARD

    def _by_python(self, request: Request) -> Any:
        """Python answers what is not to be recorded now: because it is for good, raised lately, is being
        compiled, or has not paid for a recording."""
        state, args, kwargs = request.state, request.args, request.kwargs
        assert state is not None
        if state.tier in TOO_SMALL:
            return self._too_small(args, kwargs)
        if _is_shared(state, args, kwargs):
            return self._plain(args, kwargs, Cause.SHARED_ON_DEVICE())
        if state.owed > 0:
            return self._raising(state, args, kwargs)
        if state.misses > MAX_MISSES and not state.is_paused:
            with self._lock:
                state.give_up_replays()
            return self._too_many(args, kwargs, Cause.OTHER_WAYS, MAX_MISSES)
        if state.tier is Tier.PLAIN and self._direct and not (self.is_strict or state.pending or state.ready):
            if request.group is None or request.group.general is None:
                state.move(Event.ENDED)
        if state.tier in UNRECORDED or state.pending or state.rests():
            return self._timed(state, args, kwargs)
        return ONWARD if self._affords() else self._unpaid(state, args, kwargs)

    def _by_recording(self, request: Request) -> Any:
        """NumPy answers while the call is recorded, or blocks do where the function is cut by its source."""
        state, args, kwargs = request.state, request.args, request.kwargs
        assert state is not None
        if not state.lock.acquire(blocking=False):
            return self._timed(state, args, kwargs)
        try:
            if state.pending or state.tier in UNRECORDED:
                return self._timed(state, args, kwargs)
            if state.partitioned is None and state.count == 0:
                state.partitioned = self._cut_alike(state)
                code = self._code
                loops = code is not None and _FOR_ITER in code.co_code[::2]  # most functions have none
                if state.partitioned is None and loops and self._goes_over_many(args, kwargs):
                    self._cut_at_last(state)
            ordinary = _NEVER_FOREIGN.issuperset(map(type, args))
            if not ordinary and self.is_root and any(is_dask(type(arg)) for arg in args):
                from npcompile.runtime.dask_calls import DaskCalls

                state.chunks = DaskCalls(self)
                return AGAIN
            if state.partitioned is None and not ordinary and self._has_foreign(state, args):
                cut = state.partitioned
                return self._plain(args, kwargs) if cut is None else cut.run(args, kwargs)
            if state.partitioned is None:
                return self._record(state, args, kwargs, request.call)
        finally:
            state.lock.release()
        return state.partitioned.run(args, kwargs)

    # The order in which a call is answered: where no replay does, by the first of these that may. Subclasses
    # put ways of their own in between.
    ways_without_replay: ClassVar[tuple[Way, ...]] = (
        _by_generic,
        _by_other_signature,
        _without_room,
        _by_new_replay,
        _by_python,
        _by_recording,
    )
    ways: ClassVar[tuple[Way, ...]] = (_by_replay, *ways_without_replay)

    def _has_foreign(self, state: Specialization, args: tuple[Any, ...]) -> bool:
        """Tell if arguments are foreign arrays: their statements are Python's, and blocks do the others.

        A lambda has no statements: it is recorded as far as that goes.
        """
        found = [place for place, arg in enumerate(args) if is_foreign(type(arg))]
        if not found or getattr(self.__wrapped__, "__name__", "") == "<lambda>":
            return False
        names, reason = self.argument_binding.names(len(args)), reason_of(type(args[found[0]]))
        foreign = frozenset(names[place] for place in found)
        self._not_followed(state, Traced(None, reason=reason, foreign=foreign))
        return True

    def leave_to_class(self, state: Specialization, args: tuple[Any, ...]) -> None:
        """Leave work on foreign arrays to their class, and tell why."""
        if state.partitioned is None and not self._has_foreign(state, args):
            foreign = (type(arg) for arg in args if is_foreign(type(arg)))
            self.report_uncompiled(reason_of(next(foreign)), self.at(self._first_line()))

    def count_for(self, whole: RecordedFunction) -> None:
        """Have what is counted and recorded be another function's, of which this computes a part."""
        self.own_stats, self.kept_programs = whole.own_stats, whole.kept_programs
        self.always_waits = whole.always_waits

    def _grows(self, args: tuple[Any, ...]) -> bool:
        """Tell if an argument is now found to grow or to vary: signatures are others from now on."""
        is_cut = any(state.partitioned is not None for state in list(self.by_signature.values()))
        found = self._growing.look(args, self._affords, is_cut)
        if found:
            self._front = None
        return found

    def _goes_over_many(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell if the function has loops over more items of its arguments than a recording follows."""
        return False

    def _cut_alike(self, state: Specialization) -> PartitionedLike | None:
        """Return the function cut into blocks by its source: one for all calls that differ in lengths."""
        if state.group is None:
            return self._cut(None)
        if state.group.partitioned is None:
            state.group.partitioned = self._cut(None)
        return state.group.partitioned

    def _cut_at_last(self, state: Specialization) -> PartitionedLike | None:
        """Return the function cut into blocks by its source, where it was tried to record it whole."""
        tried_whole(self.__wrapped__)
        state.partitioned = self._cut_alike(state)
        return state.partitioned

    def _missed(self, state: Specialization) -> None:
        """Take note that all programs of a signature diverged. Where that is the rule they are given up,
        and it is told."""
        if state.missed(self.balance, self._affords(), self.tries_again):
            self.root.note(why_given_up(self), self.at(self._first_line()))

    def _too_many(self, args: tuple[Any, ...], kwargs: dict[str, Any], cause: Cause, limit: int) -> Any:
        """A call past the number of signatures, or of programs for one, that are kept."""
        return self._plain(args, kwargs, cause(limit, last_difference(self)))

    def _too_often(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call that is not recorded, as those before were recorded in vain."""
        return self._plain(args, kwargs, why_given_up(self))

    def gave_up(self) -> None:
        """Take note that a signature was left to NumPy, which was measured to take less time."""

    def _record(
        self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call
    ) -> Any:
        """Answer a call by NumPy, and record it meanwhile, if the function can be and another way is kept."""
        rewritten = self._source()
        if isinstance(rewritten, Reason):
            state.move(Event.CLOSED)
            return self._plain(args, kwargs, rewritten)
        if state.count >= self.max_programs:
            if (cut := self._cut_at_last(state)) is not None:
                return cut.run(args, kwargs)
            state.move(Event.CLOSED)
            return self._too_many(args, kwargs, Cause.WAYS, self.max_programs)
        if self.balance.rests():
            return self._too_often(args, kwargs)
        fn: Any = self.__wrapped__
        self.own_stats.recordings += 1
        call.useful = True
        self.balance.recorded(state.kind, state.misses > 0)
        names, floats = self.argument_binding.names(len(args)), self.default_float
        device = str(current_device() or "cpu")
        group = state.group
        general = group is not None and group.is_general(state.lengths) and are_apart(args, kwargs)
        leaves: list[Any] = [*self.own]
        key = self.signature(args, kwargs, leaves)  # before the call changes containers among them
        with counting(self.own_stats):
            hooks = Watch(self.name) if verifying() else Recorder
            before, limit = call.machinery, self._limit
            options = self.own, self.fast_random, general, state.grows, self._counting, self._uncompiled
            rest = *options, before + limit
            try:
                traced = trace(fn, rewritten, args, kwargs, names, floats, device, hooks, *rest)
            except BaseException as error:
                self._raised(state, error)
                raise
            result = traced.result
            if state.raising is not None:
                state.raising.succeeds()
            self.cost = call.machinery - before
        if traced.exceeded and limit < LONG and traced.fault is None:
            self.cost *= TIMES
            return result
        if isinstance(hooks, Watch):
            hooks.report()
        self.own_stats.host_calls += traced.host_calls
        if traced.fault is not None:
            state.settle()
            self.root.failed(traced.fault)
            return result
        reason = traced.reason
        if reason and reason.code is Cause.SHARED_ON_DEVICE and not are_apart(args, kwargs):
            state.shares = True
            self.report_uncompiled(reason, self.at(traced.line))
            return result
        if traced.program is None and general and group is not None:
            group.give_up()  # at these lengths alone it may do
            return result
        if traced.program is None:
            self._not_followed(state, traced)
            return result
        self.balance.learn(key, traced.program)
        if self._worth(state, traced):
            self._keep_program(state, traced, general, leaves, call)
        return result

    def _keep_program(
        self, state: Specialization, traced: Traced, general: bool, leaves: list[Any], call: Call
    ) -> None:
        """Keep the program of a recording, and have it compiled. general: lengths in it are traced numbers.

        leaves: those of the call's signature.
        """
        assert traced.program is not None
        state.count += 1
        self.own_stats.programs += 1
        self.kept_programs.append(traced.program)
        entry = RecordedProgram(traced, general)
        state.entries.append(entry)
        has_others = len(state.entries) > 1 or len(self.by_signature) > 1
        if has_others and log.explains_recordings():
            cause = why_recorded(self, state)
            if cause is not None:
                log.recorded_again(self.name, self.at(self._first_line()), cause)
        if state.group is not None:
            entry.counts = {place: leaves[place] for place in counts_of(traced.program)}
            state.group.add(state.lengths, entry, general, leaves)
        if config.backend == "interpreter" and mesh_of(entry.program.device) is None:
            self._answer_op_by_op(state, entry)
            return
        calls = self.own_stats.calls if self.is_root else self.root.own_stats.calls
        again = calls > 1 or general or has_others
        self._have_compiled(state, entry, later=not again and waits_for_another(call.lasted))

    def _not_followed(self, state: Specialization, traced: Traced) -> None:
        """Cut the function into blocks, as the recording of a call was given up; else leave it to Python."""
        if traced.exceeded:
            self.block_work = SHORT
        cut = self._cut(traced) if traced.foreign else self._cut_at_last(state)
        if traced.foreign and state.group is not None:
            state.group.partitioned = cut
        elif cut is None:
            cut = self._cut_after(state, traced) if traced.late else self._cut(traced)
        if cut is not None:
            state.partitioned, cut.why = cut, cut.why or (traced.reason, traced.line)
        else:
            state.move(Event.CLOSED)
            self.report_uncompiled(traced.reason or Cause.NOT_RECORDED(), self.at(traced.line))

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        """Tell if to compile what was recorded."""
        return not state.is_unsure(traced.program)


performs(RecordedFunction.__call__)
fast_path.classes |= {"__call__": RecordedFunction, "state": Specialization, "stats": Stats}


def _is_shared(state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if a call is Python's, as its arguments share memory; others of the signature are recorded."""
    return state.shares and not are_apart(args, kwargs)
