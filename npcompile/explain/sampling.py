"""Measures where the time of a call goes: by line, from samples of the stack, and by kernel, with a clock.

`explain.py` runs calls within a `Sampler`, and `profile.py` has a `StackSampler` look at the user's own run.
Neither changes what is done. A sample is worth the seconds since the one before, less those of native loops,
which keep the interpreter's lock and so are never met: they are timed by a clock of their own.
"""

from __future__ import annotations

import ast
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from npcompile.diagnostics.paths import PACKAGE
from npcompile.explain.blocks import functions_under, native_loops_under
from npcompile.frontend.catalog.installed_packages import is_users_file
from npcompile.frontend.replay.replay import around_kernels
from npcompile.frontend.rewrite.call_sites import do
from npcompile.partition.native_body import NativeBody

_INTERVAL = 5e-4  # seconds between samples
_SWITCH = 1e-5  # seconds after which the thread that takes them is given the interpreter's lock
_LOOKER = "npcompile-explain"  # the name of that thread
# Of fewer samples, no part of the time is known: a line that none of them has met may take as much as others.
ENOUGH = 40
_FEWEST = 8  # samples of which parts of the time are told at all
clock = time.perf_counter

NPCOMPILE = "npcompile"


@dataclass(frozen=True)
class Spot:
    """A line that was met by samples.

    code: of the frame, a replay's perhaps. below: the package of the function that the line has called; empty
    where the line itself runs, or C code that it calls.
    """

    file: str
    line: int
    code: types.CodeType
    below: str


@dataclass
class KernelTimes:
    """The runs of one kernel, and their seconds."""

    runs: int = 0
    seconds: float = 0.0


@dataclass
class Looks:
    """Samples that have met one thing, and the seconds that they are worth."""

    count: int = 0
    seconds: float = 0.0


@dataclass
class CallTimes:
    """The times of some calls.

    calls: how many they were. seconds: of all of them. spots: seconds by line, as samples found them.
    own: likewise, without what recording took. looks, own_looks: the numbers of these samples. kernels: by
    the code of the replay and the number of the kernel in it, from 0. replays: the codes of all replays.
    native: seconds of native loops, by their file and line.
    recorded: the call was recorded, so NumPy and Python did it all.
    """

    calls: int = 0
    seconds: float = 0.0
    spots: dict[Spot, float] = field(default_factory=dict)
    kernels: dict[tuple[types.CodeType, int], KernelTimes] = field(default_factory=dict)
    replays: frozenset[types.CodeType] = frozenset()
    native: dict[tuple[str, int], float] = field(default_factory=dict)
    own: dict[Spot, float] = field(default_factory=dict)
    looks: int = 0
    own_looks: int = 0
    recorded: bool = False

    @property
    def are_known(self) -> bool:
        """Tell if the parts that lines have in the time are known: native loops are timed by a clock."""
        return self._looks_worth() >= ENOUGH

    @property
    def are_told(self) -> bool:
        """Tell if there is enough to name parts of the time: one sample would give a line all of it."""
        return self._looks_worth() >= _FEWEST

    def _looks_worth(self) -> float:
        return self.looks + sum(self.native.values()) / _INTERVAL

    def add(self, sample: Sample, looks: Looks) -> None:
        """Add the time that a line was met for."""
        self.spots[sample.spot] = self.spots.get(sample.spot, 0.0) + looks.seconds
        self.looks += looks.count
        if sample.own is not None:
            self.own[sample.own] = self.own.get(sample.own, 0.0) + looks.seconds
            self.own_looks += looks.count

    def of_recorded(self) -> CallTimes:
        """Return the times of calls that were recorded: those of the program's own work."""
        seconds = sum(self.own.values())
        return CallTimes(self.calls, seconds, dict(self.own), looks=self.own_looks, recorded=True)

    def clear(self) -> None:
        """Forget all calls."""
        self.calls, self.seconds = 0, 0.0
        self.looks = self.own_looks = 0
        self.spots.clear()
        self.own.clear()
        self.kernels.clear()
        self.native.clear()


@dataclass(frozen=True)
class Sample:
    """The user's innermost line on a stack, and the codes of the user's frames around it, outermost first.

    They begin at `Sampler.run`, where that is among them. own: the line, below it the package of the library
    that does its work; None while npcompile itself works, as it does where it records.
    """

    spot: Spot
    codes: tuple[types.CodeType, ...]
    own: Spot | None


class StackSampler:
    """Looks at the stack of the thread that enters `sampling`, from another one.

    samples: by what was met. worked: gives the seconds that native loops have worked until now.
    """

    def __init__(self, worked: Callable[[], float]) -> None:
        self.worked = worked
        self.samples: dict[Sample, Looks] = {}
        self._thread = 0
        self._done = threading.Event()

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Take samples until the block ends."""
        self._thread = threading.get_ident()
        before = sys.getswitchinterval()
        looker = threading.Thread(target=self._look, name=_LOOKER, daemon=True)
        sys.setswitchinterval(min(before, _INTERVAL))
        looker.start()
        try:
            yield
        finally:
            self._done.set()
            looker.join()
            sys.setswitchinterval(before)

    def _look(self) -> None:
        last = clock() - self.worked()
        while not self._is_done_within(_INTERVAL):
            sample = _sample(sys._current_frames().get(self._thread))
            now = clock() - self.worked()
            if sample is not None:
                looks = self.samples.setdefault(sample, Looks())
                looks.seconds += max(now - last, 0.0)
                looks.count += 1
            last = now

    def _is_done_within(self, seconds: float) -> bool:
        """Wait for the next sample; return True if there is to be none.

        Code that never waits gives the interpreter's lock away after the interval for switches, but NumPy
        does so in many of its functions: within a long interval, samples would meet these functions alone.
        """
        interval = sys.getswitchinterval()
        if any(thread.ident != self._thread and not _is_own(thread) for thread in threading.enumerate()):
            return self._done.wait(seconds)  # other threads would take turns as often
        sys.setswitchinterval(min(interval, _SWITCH))
        try:
            return self._done.wait(seconds)
        finally:
            sys.setswitchinterval(interval)


def _is_own(thread: threading.Thread) -> bool:
    """Tell if a thread is npcompile's, which waits as a rule."""
    return thread.name.startswith("npcompile-")


def _sample(frame: types.FrameType | None) -> Sample | None:
    below, library, found = "", "", None
    works: bool | None = None  # None until a frame of npcompile's is met
    own = None
    codes: dict[types.CodeType, None] = {}
    while frame is not None:
        code = frame.f_code
        if code is Sampler.run.__code__:
            codes[code] = None
            break
        if is_users_file(code.co_filename):
            if found is None:
                found = Spot(code.co_filename, frame.f_lineno or 0, code, below)
                own = None if works is False else replace(found, below=library)
            codes[code] = None
        if works is None and code.co_filename.startswith(PACKAGE):
            works = code is do.__code__
        below = NPCOMPILE if code.co_filename.startswith(PACKAGE) else package_of(code.co_filename)
        library = library if below == NPCOMPILE else below
        frame = frame.f_back
    return None if found is None else Sample(found, tuple(reversed(codes)), own)


class Sampler:
    """Runs calls of a jitted function, and takes the times of what is below them."""

    def __init__(self, root: Any, measured: CallTimes) -> None:
        self.root = root
        self.measured = measured
        self._stacks = StackSampler(lambda: float(root.worked))

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Take the times of lines, kernels and native loops of what `run` runs, until the block ends."""
        with timed_kernels(self.root, self.measured), timed_loops(self.root, self.measured):
            with self._stacks.sampling():
                yield
        for sample, looks in self._of_calls():
            self.measured.add(sample, looks)

    @property
    def looks(self) -> int:
        """The samples of calls until now."""
        return sum(looks.count for _, looks in self._of_calls())

    def _of_calls(self) -> list[tuple[Sample, Looks]]:
        """Return the samples that were not taken while calls were being prepared."""
        samples = list(self._stacks.samples.items())
        return [(sample, looks) for sample, looks in samples if sample.codes[0] is Sampler.run.__code__]

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return a call's answer."""
        began = clock()
        try:
            return self.root(*args, **kwargs)
        finally:
            self.measured.seconds += clock() - began
            self.measured.calls += 1


def package_of(file: str) -> str:
    """Return the name of the package that a file of installed code belongs to."""
    parts = file.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-1]:
            return parts[parts.index(folder) + 1].removesuffix(".py")
    return parts[-1].removesuffix(".py")


@contextmanager
def timed_kernels(root: Any, measured: CallTimes) -> Iterator[None]:
    """Take the time of each kernel that replays of a function, of its blocks and of its callees call."""
    undo: list[Callable[[], None]] = []

    def around(code: types.CodeType, number: int, kernel: Callable[..., Any]) -> Callable[..., Any]:
        times = measured.kernels.setdefault((code, number), KernelTimes())

        def call(*args: Any) -> Any:
            began = clock()
            result = kernel(*args)
            times.seconds += clock() - began
            times.runs += 1
            return result

        return call

    try:
        for recorded in functions_under(root):
            for state in list(recorded.by_signature.values()):
                for replay, _ in list(state.ready):
                    while (inner := getattr(replay, "replay", None)) is not None:
                        replay = inner
                    if isinstance(replay, types.FunctionType):
                        undo.append(around_kernels(replay, around))
        yield
    finally:
        for each in undo:
            each()


@contextmanager
def timed_loops(root: Any, measured: CallTimes) -> Iterator[None]:
    """Take the time of the native loops of a function and of its callees."""
    loops = list(native_loops_under(root))
    before = [loop.worked for loop in loops]
    bodies = [loop for loop in loops if isinstance(loop, NativeBody)]
    for body in bodies:
        body.time_lent(True)
    try:
        yield
    finally:
        for body in bodies:
            body.time_lent(False)
        known = dict(zip(loops, before, strict=True))
        for loop in native_loops_under(root):
            if (seconds := loop.worked - known.get(loop, 0.0)) > 0.0:
                place = loop.file, _first_line(loop.node)
                measured.native[place] = measured.native.get(place, 0.0) + seconds


def _first_line(node: ast.AST) -> int:
    """Return the line of the first loop in a statement."""
    loops = [part.lineno for part in ast.walk(node) if isinstance(part, ast.For | ast.While)]
    return min(loops, default=getattr(node, "lineno", 0))


def replay_codes(root: Any) -> Iterator[types.CodeType]:
    """Yield the codes of all replays of a function, of its blocks and of its callees."""
    for recorded in functions_under(root):
        for state in list(recorded.by_signature.values()):
            for entry in state.entries:
                yield from entry.replay.codes
