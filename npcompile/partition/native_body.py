"""Runs a whole function natively, where its loops are native and nothing around them is worth a block.

`partition/call.py` makes one for a function whose calls are so short that Python's way through the cut
function takes a good part of them, and for a function that has no loops but calls functions of the user's.
Once native code has left it, the cut function answers again.
"""

from __future__ import annotations

from collections.abc import Callable
from dis import get_instructions
from inspect import CO_VARARGS, CO_VARKEYWORDS
from time import perf_counter as clock
from types import FunctionType
from typing import Any, Final

from npcompile.frontend.boundary.faults import fault_of, told
from npcompile.frontend.loop_pipeline import TypedLoop, function_source
from npcompile.frontend.loops.quick_answer import body_calls
from npcompile.frontend.loops.quick_entry import SharingEntry
from npcompile.frontend.loops.run.frames import raised_within
from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.source.control_flow import ANSWER
from npcompile.partition.large_arrays import LARGEST, is_large
from npcompile.partition.loop_entry import Entry
from npcompile.partition.native_loop import NativeLoop

NOT_ANSWERED: Final = object()
# Instructions, and functions by name, that make containers.
_MAKING, _MAKERS = {"BUILD_LIST", "BUILD_MAP", "BUILD_SET"}, {"dict", "list", "set"}
TIMED = 4  # calls of a body that are timed: it is closed where the cut function takes less time


def makes_containers(function: Any) -> bool:
    """Tell if a function's own code may make lists, dicts or sets."""
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    makers = not _MAKERS.isdisjoint(code.co_names)
    return makers or any(one.opname in _MAKING for one in get_instructions(code))


class NativeBody(NativeLoop):
    """The body of one function as one region.

    closed: it answers no more calls. most: the seconds that the cut function takes for one.
    """

    is_whole = True

    @classmethod
    def of(cls, function: Any, within: Any) -> NativeBody | None:
        """Return the body of a function; None where a region cannot hold it."""
        if not isinstance(function, FunctionType):
            return None
        code = function.__code__
        unusual = code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
        if unusual:
            return None
        source = function_source(function)
        return None if source is None else cls(source.node, source, within)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        code = self.within.owner.__wrapped__.__code__
        self.takes = code.co_varnames[: code.co_argcount]
        self.closed = False
        self.most = float("inf")
        self._least, self._timed = float("inf"), 0
        self._lent: dict[TypedLoop, Any] = {}  # what answers calls without Python; None: nothing may

    @property
    def answers(self) -> bool:
        """Tell if there is native code that answers calls."""
        return bool(self._quick) and not self.closed

    @property
    def worked(self) -> float:
        """Seconds that native code has worked, also without Python where `time_lent` has asked for that."""
        return self._worked + sum(lent.worked for lent in self._lent.values() if lent is not None)

    def time_lent(self, timed: bool) -> None:
        """Have the calls that are answered without Python counted in `worked`, or no longer."""
        for lent in self._lent.values():
            if lent is not None:
                lent.timed = timed

    @property
    def lent(self) -> Any:
        """Return what answers calls without Python, if anything may; the caller says how many."""
        if not self._quick or self.closed or self._timed < TIMED:
            return None
        typed, entry = self._quick[0]
        if typed not in self._lent:
            most_bytes = LARGEST if typed.takes_whole else 0
            self._lent[typed] = body_calls(
                entry, typed.exchange.layout, typed.finishes, self._ended(typed), most_bytes
            )
        lent = self._lent[typed]
        if lent is not None and isinstance(entry, SharingEntry):
            lent.threads = entry.function.count
        return lent

    def _ended(self, typed: TypedLoop) -> Callable[..., Any]:
        """Return what ends a call after native code has run without Python."""

        def ended(
            seconds: float, number: int, words: bytearray, raised: BaseException | None, args: tuple[Any, ...]
        ) -> Any:
            start = clock() - seconds
            try:
                outcome = self._done(typed, start, (number, words, raised, None), True, args)
                return self._answer(outcome, start, not typed.finishes[number], args)
            except BaseException as error:
                if (fault := fault_of(error)) is None:
                    told(error)
                    raise
            return self.within.owner.answer_despite(fault, args, {})

        return ended

    def answer(self, args: tuple[Any, ...]) -> Any:
        """Answer a call natively; NOT_ANSWERED where the cut function has to."""
        for _ in range(2):
            start, known = clock(), len(self._quick)
            if (found := self._enter_quickly(True, args)) is not None:
                typed, done = found
                ended = typed.finishes[done[0]]
                if self._timed == TIMED and done[2] is None and done[3] is None and ended:
                    self._note_worked(clock() - start)
                    self.entries += 1
                    self.within.owner.own_stats.loop_entries += 1
                    return typed.exchange.value(ANSWER, done[1], args)
                return self._answer(self._done(typed, start, done, True, args), start, not ended, args)
            packed = self.prepare(args)
            if packed is not None:
                return self._by_packing(*packed, args)
            if self.closed or len(self._quick) == known:
                break
        return NOT_ANSWERED

    def _by_packing(self, typed: TypedLoop, entry: Entry, args: tuple[Any, ...]) -> Any:
        """Answer a call whose values Python packs, as the native runtime packs none of their types."""
        if typed.takes_whole and any(map(is_large, args)):
            return NOT_ANSWERED
        start, leaves = clock(), self.leaves
        outcome = self._run(typed, entry)
        return self._answer(outcome, start, self.leaves > leaves, args)

    def _answer(self, outcome: Outcome, start: float, left: bool, args: tuple[Any, ...]) -> Any:
        """Return the function's value, or raise its exception, after native code has run."""
        if outcome.error is not None:
            names = dict(zip(self.takes, args, strict=True)) | outcome.names
            raise raised_within(outcome.error, self._scope, outcome.line, names)
        if self._timed < TIMED:
            self._timed += 1
            self._least = min(self._least, clock() - start)
            self.closed = self._timed == TIMED and self._least > self.most
        self.closed = self.closed or left
        return outcome.value if outcome.returns else outcome.names[ANSWER]

    def prepare(self, args: tuple[Any, ...]) -> tuple[TypedLoop, Entry] | None:
        """Find native code for the types of a call's arguments, or have it compiled. Return it where Python
        has to pack its values."""
        if self._typing.is_pythons and not self._typed:
            return None
        entry = self._entry(True, args) if len(args) == len(self.takes) else None
        typed = None if entry is None else self._find(entry)
        if typed is None:
            self.closed = not (entry is not None and self._typing.postponed)
        elif typed.job.done:
            assert entry is not None
            self._keep(typed, entry)
            # Where the runtime is not loaded yet, short calls are better left to the cut function.
            no_quick = self._entries.get(typed) is None
            if no_quick and (typed in self._entries or self.within.only_calls):
                return typed, entry
        return None

    def refuse(self, why: str, line: int | None = None) -> None:
        self.closed = True
