"""Measures how long the engine takes to be imported, while a program runs, where no earlier run has told.

The import is done once in a process of its own, of the lowest priority, whose end nobody awaits. It is none
of the program's children: a program may wait for all that it has.
"""

from __future__ import annotations

import contextlib
import os
import sys

from npcompile.commands import history

_FROM = 5.0  # seconds of work: shorter programs end long before the engine would be imported
_LAUNCH = '"$@" </dev/null >/dev/null 2>&1 &'  # the shell ends at once, and what it has started goes on
_PROGRAM = """
import gc, sys, time
gc.disable()
began = time.thread_time()
import npcompile
seconds = time.thread_time() - began
from npcompile.commands import history
history.remember_import(sys.argv[1], seconds)
"""


class ImportTime:
    """The time that the engine takes to be imported, known from an earlier run or measured in this one.

    folder: where it is written down. part: of a program's work, the most that the import may be.
    """

    def __init__(self, folder: str, part: float) -> None:
        self._folder, self._part = folder, part
        self._is_known = history.is_import_measured(folder)
        self._is_begun = False
        self._seconds = history.import_seconds(folder)

    def after(self, work: float) -> float:
        """Return the seconds of work from which the engine may be imported, as known after some of them."""
        if not self._is_known and work >= _FROM:
            if not self._is_begun:
                self._is_begun = True
                self._begin()
            elif history.is_import_measured(self._folder):
                self._is_known, self._seconds = True, history.import_seconds(self._folder)
        return self._seconds / self._part

    def _begin(self) -> None:
        import signal  # the program's start does not wait for it

        has_room = len(os.sched_getaffinity(0)) > 1
        # A handler would be called at the shell's end. The first process gets the children that others leave.
        if has_room and signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL and os.getpid() != 1:
            measure = ["nice", "-n19", sys.executable, "-P", "-c", _PROGRAM, self._folder]
            shell = ["sh", "-c", _LAUNCH, "sh", *measure]
            with contextlib.suppress(OSError, NotImplementedError):
                os.waitpid(os.posix_spawn("/bin/sh", shell, os.environ, setsid=True), 0)
