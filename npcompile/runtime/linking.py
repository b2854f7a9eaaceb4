"""Links a recorded function's programs to their kernels once these are compiled, and tells of failures.

It is the base of `RecordedFunction`; everything that waits for the compiler is here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from traceback import walk_tb
from typing import Any

from npcompile.diagnostics import log
from npcompile.diagnostics.naming import object_name
from npcompile.diagnostics.not_compiled import NotCompiledError, warn
from npcompile.diagnostics.reason import Cause, Place, Reason
from npcompile.diagnostics.settings import config
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import Fault, noting
from npcompile.lower.mesh.job import MeshJob
from npcompile.lower.plan.interpreter import eager
from npcompile.lower.service import compiler
from npcompile.runtime import fast_path
from npcompile.runtime.deadlines import deadline_after, seconds_until
from npcompile.runtime.guarded_replays import Exactly
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import Event
from npcompile.tiering.account import Account
from npcompile.tiering.host_call_profile import HostCallProfile
from npcompile.tiering.overhead import Allowance, this_thread, users
from npcompile.verify.verify import verifying, watched

# The request that ends a message about a fault of npcompile's own.
REPORT = ". Please report this, with the traceback that a run with NPCOMPILE_INTERNAL_ERRORS=raise shows"

_said: set[Reason] = set()  # causes that are not one function's


class KernelLinking(Account):
    """A function whose programs, by signature, are being compiled."""

    # Its own attributes are not in its `__dict__`: `functools.wraps` copies all of that into the wrapper.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_awaited",
        "_front",
        "_lock",
        "_uncompiled",
        "_vector",  # the native runtime's: what it calls an instance by
        "by_signature",
        "is_strict",
        "own_stats",
    )
    _front: Any  # the native runtime's record of it, which is read at each call
    # The first replays are not measured beside NumPy: their number.
    first_replays = 8
    root: Any  # the root function that it is, or is a part of
    is_root = False
    allowance: Allowance  # of its calls

    def __init__(self, fn: Callable[..., Any], stats: Stats, strict: bool) -> None:
        self.__wrapped__ = fn
        self._front = None
        self.own_stats = stats
        self.is_strict = strict
        self.by_signature: dict[Any, Specialization] = {}
        self._lock = threading.Lock()
        self._uncompiled: dict[str, Reason] = {}  # ops that no kernel can be made of here, and why
        self._awaited: tuple[Any, ...] = ()  # jobs of kernels for further sizes of programs that are there

    @property
    def name(self) -> str:
        name: str | None = getattr(self.__wrapped__, "__name__", None)
        return object_name(self.__wrapped__) if name is None else name

    def look_again(self) -> None:
        """Have the next call looked at: another program may answer by now."""
        if self._front is not None:
            self._front.look()

    @property
    def has_to_wait(self) -> bool:
        """Tell if calls wait for the compiler."""
        raise NotImplementedError

    def _have_compiled(self, state: Specialization, entry: RecordedProgram, later: bool) -> None:
        """Have a new program compiled. later: another call may see to that, if none waits for kernels."""
        waits = self.has_to_wait or config.backend == "interpreter"
        if later and not waits:
            entry.postponed = True
            state.postponed.append(entry)
        elif not self._begin(state, entry):
            return
        state.pending.append(entry)
        if waits and not entry.parked:
            with log.waiting(self.name):
                users(self._wait_for, (entry,), {})
        if waits or entry.done:
            self._link(state)

    def _answer_op_by_op(self, state: Specialization, entry: RecordedProgram) -> None:
        """Have a new program's steps done by torch one by one, without kernels."""
        fast_path.use()
        self.own_stats.segments += len(entry.segments)
        if not entry.alone or not self._writes(state, entry):
            return
        stand_ins = [eager(segment.graph, entry.program.device) for segment in entry.segments]
        replay = entry.replay.link(stand_ins, self.own_stats, instead=entry.exactly)
        replay = Exactly(entry.counts, replay) if entry.counts else replay
        state.ready.insert(0, (replay, entry.host_calls))

    def _begin(self, state: Specialization, entry: RecordedProgram) -> bool:
        """Have a program compiled; park it where its calls have not done enough for that yet.

        False if its replay function could not be written.
        """
        entry.parked = not self._allows(entry, 1)
        if not entry.parked:
            if not self._writes(state, entry):
                return False
            fast_path.use()
            entry.start()
        entry.postponed = False
        return True

    def _writes(self, state: Specialization, entry: RecordedProgram) -> bool:
        """Write a program's replay function. Where that fails, tell of it, and leave the signature to
        NumPy."""
        try:
            entry.write()
        except Exception as error:
            state.settle()
            self.root.failed(noting(error))
            return False
        return True

    def _begin_postponed(self, state: Specialization) -> None:
        """Have compiled what has waited for another call of the signature, which has come."""
        with self._lock:
            postponed, state.postponed = state.postponed, []
        for entry in postponed:
            self.root.allowance.renew()  # the call that recorded it left the work to this one
            self._begin(state, entry)

    def _unpark(self, state: Specialization) -> None:
        """Have compiled what has waited until that is worth it. No call waits for that."""
        waited, state.waited = state.waited, 0
        for entry in [entry for entry in state.pending if entry.parked]:
            seconds = min(state.plain_seconds, default=0.0)
            if self._allows(entry, waited, seconds) and self._writes(state, entry):
                fast_path.use()
                entry.start()

    def _allows(self, entry: RecordedProgram, calls: int, seconds: float = 0.0) -> bool:
        """Tell if a program is to be compiled, after so many calls by NumPy in so many seconds each."""
        part = not self.is_root
        if this_thread.ahead:
            return True
        return bool(self.root.spending.allows(entry, calls, self.has_to_wait, part, seconds))

    def _link(self, state: Specialization) -> bool:
        """Make what has been compiled replayable; True if anything was."""
        linked = False
        if state.postponed:
            self._begin_postponed(state)
        self._unpark(state)
        for entry in [entry for entry in state.pending if entry.done]:
            with self._lock:
                if entry not in state.pending:
                    linked = linked or bool(state.ready)
                    continue
                error = entry.error()
                if error is None and not entry.alone:
                    self._count(entry)
                elif error is None:
                    kernels: list[Any] = [job.kernel for job in entry.jobs]
                    if verifying() and entry.program.device in (None, "cpu"):
                        kernels = watched(kernels, entry.segments, entry.program.filename, self.name)
                    fast_path.use()
                    replay = entry.replay.link(kernels, self.own_stats, instead=entry.exactly)
                    if entry.counts:
                        replay = Exactly(entry.counts, replay)
                    elif entry.replay.hosts and entry.program.device in (None, "cpu"):
                        replay = HostCallProfile(self, state, entry, kernels, replay)
                    state.ready.insert(0, (replay, entry.host_calls))
                    if not verifying():
                        state.try_out(entry, self.first_replays)
                    self._count(entry)
                    linked = True
                state.pending.remove(entry)
                self.look_again()
            if error is not None and not self._without(entry):
                state.move(Event.CLOSED)
                if not compiler.is_shutting_down():  # threads may go on meanwhile: that is nothing to tell
                    self.report_uncompiled(
                        error, self.at(None), everywhere=True, ask=f"; instead: {error.advice}"
                    )
        return linked

    def _without(self, entry: RecordedProgram) -> bool:
        """Leave to NumPy what no kernel can be made of: whether the rest may be recorded again."""
        culprits = entry.culprits()
        if self.is_strict or not culprits or culprits.keys() & self._uncompiled.keys():
            return False
        for name, error in culprits.items():
            self._uncompiled[name] = Cause.NO_KERNEL(error)
            self.note(Cause.WITHIN(name, self._uncompiled[name]), self.at(None))
        return True

    def _count(self, entry: RecordedProgram) -> None:
        stats = self.own_stats
        stats.segments += len(entry.jobs)
        stats.kernels += sum(job.kernels for job in entry.jobs)
        for job in entry.jobs:
            self._count_job(job)
            if isinstance(job, MeshJob):
                job.tell(lambda reason: self.note(reason, self.at(None)))
        stats.bytes_written = sum(job.bytes_written for job in entry.jobs)

    def _count_job(self, job: Any) -> None:
        self.own_stats.compilations += not job.from_disk and not job.counted
        job.counted = True

    def _count_awaited(self) -> None:
        with self._lock:
            done = [job for job in self._awaited if job.done]
            self._awaited = tuple([job for job in self._awaited if job not in done])
        for job in done:
            self._count_job(job)

    def _wait_for(self, entry: RecordedProgram, deadline: float | None = None) -> None:
        for job in entry.jobs:
            job.wait(seconds_until(deadline))

    def wait(self, timeout: float | None = None) -> None:
        """Wait until all that this function has under way is compiled, or has failed.

        timeout: in seconds; raises TimeoutError after it.
        """
        self.allowance.renew()
        with log.waiting(self.name):
            self._wait_for_all(deadline_after(timeout))

    def _wait_for_all(self, deadline: float | None) -> None:
        with self._lock:
            states = list(self.by_signature.values())
        for state in states:
            if state.partitioned is not None:
                state.partitioned.wait(deadline)
            if state.chunks is not None:
                state.chunks.wait(deadline)
            self._begin_postponed(state)
            for entry in [entry for entry in state.pending if not entry.parked]:
                if entry.postponed:  # another thread is about to begin it, and may be held up
                    self._begin(state, entry)
                self._wait_for(entry, deadline)
            self._link(state)
        for job in self._awaited:
            job.wait(seconds_until(deadline))
        self._count_awaited()

    def at(self, line: int | None) -> Place | None:
        """A line of this function's own file, or its first one; None where Python has no code of it."""
        code = getattr(self.__wrapped__, "__code__", None)
        return None if code is None else Place(code.co_filename, line or code.co_firstlineno)

    def led_to(self, error: BaseException) -> int | None:
        """The line of this function's own file from which an exception was raised."""
        file = self.__wrapped__.__code__.co_filename
        entries = walk_tb(error.__traceback__)
        return next((line for frame, line in entries if frame.f_code.co_filename == file), None)

    def note(self, reason: Reason, place: Place | None) -> bool:
        """Keep in `stats` why something runs uncompiled, and where; whether that is new."""
        located = reason.at(place)
        new = self.own_stats.because(located)
        if new:
            log.fell_back(self.name, located)
        return new

    def failed(self, fault: Fault) -> None:
        """Tell of a fault of npcompile's own: in `stats`, and once by a warning that asks for a report."""
        fault.loud()
        self.report_uncompiled(fault.reason, self.at(None), ask=REPORT)

    def report_uncompiled(
        self, reason: Reason, place: Place | None, everywhere: bool = False, ask: str = ""
    ) -> None:
        """Say why something runs uncompiled: in `stats`, and once as a warning; strict=True: raise it.

        place: the user's, where one is to blame. everywhere: the reason is not this function's alone
        (there is no C++ compiler, say): one warning is enough for all. ask: what the warning says beside.
        """
        new = self.note(reason, place)
        if everywhere:
            new = new and reason not in _said
            _said.add(reason)
        if self.is_strict:
            text = reason.at(place).located
            raise NotCompiledError(f"{self.name} cannot be compiled: {text}; instead: {reason.advice}")
        if new:
            warn(f"{self.name} runs uncompiled: {reason.at(place).located}{ask}")
