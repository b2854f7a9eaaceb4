"""Runs a whole function natively, where its loops are native and nothing around them is worth a block.

`partition/call.py` makes one for a function whose calls are so short that Python's way through the cut
function takes a good part of them. Once native code has left it, the cut function answers again.
"""

from __future__ import annotations

from inspect import CO_VARARGS, CO_VARKEYWORDS
from time import perf_counter as clock
from types import FunctionType
from typing import Any, Final

from npcompile.frontend.loop_pipeline import TypedLoop, function_source
from npcompile.frontend.loops.control_flow import ANSWER
from npcompile.frontend.loops.frames import raised_within
from npcompile.partition.native_loop import NativeLoop

NOT_ANSWERED: Final = object()


class NativeBody(NativeLoop):
    """The body of one function as one region. closed: it answers no more calls."""

    @classmethod
    def of(cls, function: Any, within: Any) -> NativeBody | None:
        """Return the body of a function; None where it is none that a region may hold."""
        if not isinstance(function, FunctionType):
            return None
        code = function.__code__
        if code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS) or code.co_cellvars:
            return None
        source = function_source(function)
        return None if source is None else cls(source.node, source, within)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        code = self.within.owner.__wrapped__.__code__
        self.takes = code.co_varnames[: code.co_argcount]
        self.closed = False

    def answer(self, args: tuple[Any, ...]) -> Any:
        """Answer a call natively; NOT_ANSWERED where the cut function has to."""
        if (latest := self._latest) is not None:
            start = clock()
            if (done := latest[1](True, *args)) is not None:
                outcome = self._done(latest[0], start, done, True, args)
                if outcome.error is not None:
                    names = dict(zip(self.takes, args, strict=True)) | outcome.names
                    raise raised_within(outcome.error, self._scope, outcome.line, names)
                if not latest[0].finishes[done[0]]:
                    self.closed = True
                return outcome.names[ANSWER]
        if (typed := self._typed_for(args)) is None:
            self.closed = True
        elif typed.job.done:
            self._keep(typed)
            self.closed = typed in self._entries and self._latest is None
        return NOT_ANSWERED

    def _typed_for(self, args: tuple[Any, ...]) -> TypedLoop | None:
        """Return the native code for the types of a call's arguments; None where there is to be none."""
        entry = self._entry(True, args)
        return None if entry is None or entry.objects is not None else self._find(entry)

    def refuse(self, why: str) -> None:
        self.closed = True
