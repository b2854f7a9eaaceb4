"""Watches a program that runs as it is, and has its functions jitted once that can pay.

A thread looks at the stacks ten times a second. The engine takes seconds to import; it is imported once these
are a small part of what the program has taken, at a call of a function that takes much of the time. A program
that ends before pays nothing; one that ends right after pays that part.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time
import types

from npcompile.commands.forwarding import Forwarding, can_forward

TYPE_CHECKING = False  # a program that runs waits for the imports of this file
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_INTERVAL = 0.1  # seconds between looks at the stacks
_FIRST = 1.0  # seconds before the first
# Seconds after which the thread that looks is given the interpreter's lock, in place of Python's 5 ms: until
# then Python code would have gone on to where NumPy gives the lock away, and would never be met. It holds for
# `_BEFORE` seconds at most before each look, as other threads that the program may start would take turns as
# often. They begin where NumPy gives the lock away, and last another time for each look: by golden sections,
# looks are spread evenly over the work that a program repeats.
_SWITCH, _BEFORE, _GOLDEN = 1e-5, 0.03, 0.618034
_BUSY = 0.1  # of an interval: a process that computes for less of it waits, for more than its turn
_MUCH = 0.2  # of the looks: a function that is met in fewer has little to gain
_WITHIN = 0.9  # of the looks at a function that meet another around it, which then is jitted alone
_CALLS, _LONG = 8, 0.05  # calls, or seconds of calls, by which a function is judged
_SHORT = 40e-6  # seconds of a call: what is done for each call would show
_OWN_PART = 0.5  # of the engine's import is npcompile's, the rest is torch's
_AGAIN = 5.0  # seconds after which a program that could not have the engine is asked again
# A jitted function is asked every few seconds for the part of its calls that were replays. Where it is less
# than `_FEW`, the calls may cost no more than `_LEAST` of the time, at `_COST` seconds each. After `_LONGEST`
# seconds, something of it has to be compiled.
_PATIENCE, _FEW, _LEAST, _COST, _LONGEST = 5.0, 0.1, 0.01, 4e-6, 30.0
clock = time.perf_counter


class Watch:
    """The watch over one run of a program.

    may_compile: tells if functions of a file are to be jitted. engine: imports npcompile and returns its
    `jit`. after_of: returns the seconds of work from which the engine may be imported, as far as that is
    known after some seconds of work; after: the last that it has returned. retry_after: seconds from which
    the import is tried again. jitted: the jitted functions. import_seconds: the work of the import, 0 where
    the program had imported torch. jitted_after: seconds until it was done. why_not: the reason why there is
    no engine, empty where nothing asked for it. seconds, work: how long the program ran, and its main thread
    worked, once the watch is over.
    """

    def __init__(
        self,
        may_compile: Callable[[str], bool],
        engine: Callable[[], Callable[..., Any]],
        after_of: Callable[[float], float],
    ):
        self.after, self._after_of = after_of(0.0), after_of
        self.retry_after = 0.0
        self._began = clock()
        self.seconds = self.work = 0.0
        # A busy machine makes the program and the import slower alike: both are measured by a thread's work.
        self._work_clock = time.pthread_getcpuclockid(_thread.get_ident())
        self._worked_before = time.clock_gettime(self._work_clock)
        self.jitted: list[Any] = []
        self.import_seconds, self.jitted_after = 0.0, 0.0
        self.why_not = ""
        self._may_compile, self._engine = may_compile, engine
        self._jit: Callable[..., Any] | None = None
        self._process = os.getpid()
        self._judging = _thread.allocate_lock()
        # By the identity of codes: codes that are equal may be of several functions.
        self._met: dict[int, _Met] = {}
        self._looks = self._waits = 0
        self._gates: dict[int, _Gate] = {}
        self._forwarding: dict[int, types.CodeType] = {}  # codes that hand on are none of the program's
        self._cpu = 0.0
        self._interval = self._short = sys.getswitchinterval()
        os.register_at_fork(after_in_child=self._restore_interval)
        self._stop = _thread.allocate_lock()
        self._stop.acquire()

    def start(self) -> None:
        """Begin to watch. The thread is none of `threading`'s, whose threads the program may count."""
        _thread.start_new_thread(self._look_until_stopped, ())

    def stop(self) -> None:
        """Watch no longer. In a child that the program has forked, there is no watch."""
        if os.getpid() == self._process:
            self._stop.release()
            self.seconds, self.work = self._seconds(), self._work()

    def _seconds(self) -> float:
        return clock() - self._began

    def _work(self) -> float:
        """Return the seconds that a processor has worked for the program's main thread."""
        return time.clock_gettime(self._work_clock) - self._worked_before

    @property
    def in_functions(self) -> float:
        """The part of the busy time in which a function that could be jitted was met, from 0 to 1."""
        most = max((met.looks for met in list(self._met.values()) if met.is_candidate()), default=0)
        return most / self._looks if self._looks else 0.0

    # -- looking -----------------------------------------------------------------------------------------

    def _look_until_stopped(self) -> None:
        try:
            self._look_often()
        except Exception as error:  # the program goes on
            self.why_not = f"npcompile cannot watch the program: {error!r}"

    def _look_often(self) -> None:
        wait = min(_FIRST, self.after)
        last = clock()
        while not self._is_stopped_within(wait):
            wait = min(_INTERVAL, self.after)
            now, cpu = clock(), time.process_time()
            if cpu - self._cpu > _BUSY * (now - last):
                self._look()
            last, self._cpu = now, cpu
            self.after = self._after_of(self._work())
            if self._seconds() >= self.retry_after and self._work() >= self._after_imports():
                self._place_gates()
            self._leave_what_gains_nothing()

    def _is_stopped_within(self, seconds: float) -> bool:
        """Wait for the next look; return True if the watch is stopped."""
        self._waits += 1
        before = min(_BEFORE * (self._waits * _GOLDEN % 1.0), seconds)
        if self._stop.acquire(timeout=seconds - before):
            return True
        if len(sys._current_frames()) > 2:  # the program has other threads than its main thread
            return False
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        self._short = sys.getswitchinterval()
        try:
            return self._stop.acquire(timeout=before)
        finally:
            self._restore_interval()

    def _restore_interval(self) -> None:
        if sys.getswitchinterval() == self._short:  # the program has not set another
            sys.setswitchinterval(self._interval)
            self._short = self._interval

    def _after_imports(self) -> float:
        """Return the seconds of work from which the engine may be imported: fewer with some of it there."""
        if hasattr(sys.modules.get("npcompile"), "__all__"):
            return 0.0
        return self.after * (_OWN_PART if "torch" in sys.modules else 1.0)

    def _look(self) -> None:
        self._looks += 1
        own = _thread.get_ident()
        for thread, innermost in sys._current_frames().items():
            frame: types.FrameType | None = innermost
            stack: dict[int, _Met] = {}
            while frame is not None:
                code = frame.f_code
                if code.co_name != "<module>" and self._is_of_program(code) and thread != own:
                    if (key := id(code)) in stack:
                        stack[key].is_recursive = True
                    else:
                        stack[key] = self._met.setdefault(key, _Met(code, frame.f_globals))
                frame = frame.f_back
            keys = list(stack)
            for place, met in enumerate(stack.values()):
                met.looks += 1
                for outer in keys[place + 1 :]:
                    met.around[outer] = met.around.get(outer, 0) + 1

    def _is_of_program(self, code: types.CodeType) -> bool:
        return self._may_compile(code.co_filename) and id(code) not in self._forwarding

    # -- finding what to jit -----------------------------------------------------------------------------

    def _place_gates(self) -> None:
        """Have calls of the functions that take much of the time pass a gate."""
        for key, met in list(self._met.items()):
            if key in self._gates or met.looks < _MUCH * self._looks or not met.is_candidate():
                continue
            function = _function_of(met.code, met.namespace)
            if function is not None:
                gate = self._gates[key] = _Gate(self, function)
                self._forwarding[id(gate.forwarding.code)] = gate.forwarding.code

    def judge(self, gate: _Gate) -> None:
        """Jit the function of a gate if its calls are long enough, and if the engine can be had now."""
        if os.getpid() != self._process or gate.seconds / gate.calls < _SHORT:
            gate.forwarding.end()
            return
        if not self._judging.acquire(blocking=False):
            return  # another thread does
        try:
            if self._jit is None and not self._start_engine():
                self.retry_after = max(self.retry_after, self._seconds() + _AGAIN)
                for each in list(self._gates.values()):
                    each.forwarding.end()
                self._gates.clear()
                return
            self._jit_function(gate)
        except Exception as error:  # a fault of ours is none of the program's
            self.why_not = f"npcompile cannot jit {gate.forwarding.function.__qualname__}: {error!r}"
            gate.forwarding.end()
        finally:
            self._judging.release()

    def _start_engine(self) -> bool:
        if sys.gettrace() or sys.getprofile():
            self.why_not = "the program is traced"
            return False
        if len(sys._current_frames()) > 2:  # this thread and the watch's
            # They would meet modules that are being imported.
            self.why_not = "the program has other threads"
            return False
        began = time.thread_time()
        is_whole = "torch" not in sys.modules
        collecting = gc.isenabled()
        gc.disable()  # all that an import makes stays
        try:
            self._jit = self._engine()
        except Exception as error:
            self.why_not = f"npcompile cannot be imported: {error}"
            self.retry_after = float("inf")
            return False
        finally:
            if collecting:
                gc.enable()
        self.import_seconds = time.thread_time() - began if is_whole else 0.0
        self.jitted_after = self._seconds()
        return True

    def _jit_function(self, gate: _Gate) -> None:
        assert self._jit is not None
        if any(
            self._is_within(gate, other) for other in list(self._gates.values()) if other.jitted is not None
        ):
            gate.forwarding.end()
            return
        gate.jitted = self._jit(gate.forwarding.plain)
        gate.jitted_at = gate.asked_at = clock()
        gate.calls = 0
        self.jitted.append(gate.jitted)
        for other in list(self._gates.values()):
            if other is not gate and self._is_within(other, gate):
                other.forwarding.end()
        gate.forwarding.hand_to(gate.jitted)

    def _is_within(self, inner: _Gate, outer: _Gate) -> bool:
        met = self._met[id(inner.forwarding.first)]
        return met.around.get(id(outer.forwarding.first), 0) >= _WITHIN * met.looks

    def _leave_what_gains_nothing(self) -> None:
        """Have jitted functions run as before whose calls are many, and are not replayed."""
        for gate in list(self._gates.values()):
            seconds = clock() - gate.asked_at
            if gate.jitted is None or seconds < _PATIENCE:
                continue
            gate.asked_at = clock()
            stats = gate.jitted.stats
            calls, replays = stats.calls - gate.calls, stats.replays - gate.replays
            gate.calls, gate.replays = stats.calls, stats.replays
            is_compiled = stats.kernels or stats.native_loops
            is_dear = calls * _COST > _LEAST * seconds and replays < _FEW * calls
            is_hopeless = clock() - gate.jitted_at > _LONGEST and not stats.compilations and not stats.replays
            if (is_dear or is_hopeless) and not is_compiled:
                gate.forwarding.end()


class _Met:
    """Looks that met a function: their number, the globals of its module, and the codes around it."""

    def __init__(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        self.code, self.namespace = code, namespace
        self.looks = 0
        self.is_recursive = False
        self.around: dict[int, int] = {}

    def is_candidate(self) -> bool:
        """Tell if the function may be jitted as the program runs."""
        name = self.code.co_name
        special = name.startswith("__") and name != "__call__"
        return not special and not self.is_recursive and can_forward(self.code)


class _Gate:
    """Measures calls of a function, which run as ever, until the watch has judged it by them."""

    def __init__(self, watch: Watch, function: types.FunctionType) -> None:
        self.watch = watch
        self.calls, self.seconds = 0, 0.0
        self.jitted: Any = None
        self.jitted_at = self.asked_at = 0.0
        self.replays = 0
        self.forwarding = Forwarding(function, self._before)

    def _before(self, plain: types.FunctionType) -> _Measured:
        return _Measured(self, plain)


class _Measured:
    """A plain function whose calls are measured for a gate; pickled, it is the plain function."""

    def __init__(self, gate: _Gate, plain: types.FunctionType) -> None:
        self._gate, self._plain = gate, plain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        gate = self._gate
        began = clock()
        try:
            return self._plain(*args, **kwargs)
        finally:
            gate.calls += 1
            gate.seconds += clock() - began
            if gate.calls >= _CALLS or gate.seconds >= _LONG:
                gate.watch.judge(gate)

    def __reduce__(self) -> tuple[Any, ...]:
        return next, (iter([self._plain]),)


def _function_of(code: types.CodeType, namespace: dict[str, Any]) -> types.FunctionType | None:
    """Return the function of a code that a module or a class in it has by its name, or below a decorator."""
    module = sys.modules.get(namespace.get("__name__", ""))
    if (
        module is None or vars(module) is not namespace
    ):  # a recording's copy of a function has globals of its own
        return None
    found: Any = None
    names: Any = namespace
    for name in code.co_qualname.split("."):
        found = names.get(name)
        names = vars(found) if isinstance(found, type) else {}
    while found is not None and not (isinstance(found, types.FunctionType) and found.__code__ is code):
        inner = (getattr(found, name, None) for name in ("__wrapped__", "__func__", "fget", "func"))
        found = next((one for one in inner if one is not None), None)
    return found
