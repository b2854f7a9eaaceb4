"""Calls functions after some seconds, on one thread of its own.

Calls that have spent their allowance are given another one by it, and loops are tried again.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable

LINGERING = 1.0  # seconds for which the thread waits for another function before it ends


class _Calls:
    """Functions that are called at a time to come, all by one thread, which ends where there are none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, list[Callable[[], None]]]] = []  # a heap; an empty list: prevented
        self._numbers = itertools.count()
        self._runs = False

    def add(self, seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        held = [function]
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._numbers), held))
            if self._runs:
                if self._due[0][2] is held:
                    self._changed.notify()
            else:
                try:
                    threading.Thread(target=self._run, name="npcompile-later", daemon=True).start()
                    self._runs = True
                except RuntimeError:  # no thread can be started any more: the process ends
                    self._due.clear()
        return held.clear

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._due and not self._due[0][2]:
                    heapq.heappop(self._due)
                left = self._due[0][0] - time.monotonic() if self._due else LINGERING
                if left > 0:
                    if not self._changed.wait(left) and not self._due:
                        self._runs = False
                        return
                    continue
                *_, held = heapq.heappop(self._due)
            for function in [*held]:
                function()


_calls = _Calls()


def _forget_threads() -> None:
    """A forked child has none of the threads that were there."""
    global _calls
    _calls = _Calls()


os.register_at_fork(after_in_child=_forget_threads)


def later(seconds: float, function: Callable[[], None]) -> Callable[[], None]:
    """Call a function on another thread, after some seconds. The function returned prevents the call."""
    return _calls.add(seconds, function)
