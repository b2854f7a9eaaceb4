"""Bounds the time in which one native loop is typed: by what its call may spend, or calls have paid for.

`partition/native_loop.py` has one for each loop. A loop of few lines may have very many types: a function
that goes down a tree of tuples is typed anew for each of its subtrees. The first time a loop is typed in what
its size is taken to need. Typing that takes longer than it may is given up, and done again when several times
as much is paid for. The loop is Python's until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from npcompile.tiering import deferred_calls, overhead
from npcompile.tiering.overhead import TIMES, Allowance, Call, TooLong, ending, this_thread

# The seconds that typing is taken to need: at least, and for each step of the control-flow graph.
AT_LEAST, A_STEP = 1e-3, 5e-4
AT_FIRST = 0.25  # seconds at most that a loop's size lets its first typing take
# Typing that has begun may take so many times as long as the call at hand has for it.
LONGER = 2

Result = TypeVar("Result")


class TypingBudget:
    """The budget of one loop. postponed: it was not typed the last time, as that had not been paid for.

    steps: those of its control-flow graph. allowance: that of the function whose calls come to the loop. The
    native runtime calls it outside of any call that is accounted for.
    """

    def __init__(self, steps: int, allowance: Allowance) -> None:
        self.postponed = False
        self._allowance = allowance
        self._needs = AT_LEAST + A_STEP * steps  # seconds
        self._free = min(self._needs, AT_FIRST)  # those that the next typing may take in any case
        self._asked = False  # somebody waits to be told that it is paid for

    @property
    def is_pythons(self) -> bool:
        """Tell if the loop is Python's in the call at hand, as its typing has still not been paid for."""
        return self.postponed and self._call.for_typing < self._needs

    def tell_if_postponed(self, ready: Callable[[], None]) -> bool:
        """Tell if the loop's typing was postponed; `ready` is called if the call comes to pay for it."""
        if self.postponed and not self._asked:
            self._asked = True
            deferred_calls.later(self._call.until_typing(self._needs), partial(self._tell, ready))
        return self.postponed

    def _tell(self, ready: Callable[[], None]) -> None:
        self._asked = False
        ready()

    @property
    def _call(self) -> Call:
        return this_thread.call or Call(self._allowance)

    def do(self, typing: Callable[[], Result], waits: bool) -> Result | None:
        """Type the loop; None where that is postponed. waits: the call waits for the compiler in any case."""
        call, before = overhead.enter(self._allowance)
        call.switch(False)
        try:
            most = math.inf if waits else max(call.for_typing, self._free)
            self._free = 0.0
            self.postponed = most < self._needs
            return None if self.postponed else self._limited(typing, most, call)
        finally:
            overhead.leave(call, before)

    def _limited(self, typing: Callable[[], Result], most: float, call: Call) -> Result | None:
        began = overhead.cpu()
        try:
            with ending(LONGER * most):
                return typing()
        except TooLong:
            self.postponed, self._needs = True, TIMES * (overhead.cpu() - began)
            return None
        finally:
            call.note_typing(overhead.cpu() - began)
