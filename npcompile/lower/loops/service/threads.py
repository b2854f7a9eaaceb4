"""Gives native loops the threads that share their trips: the process's team, as many as torch has.

`compiler.py` wraps the functions of loops that threads may share. A process that was forked has one thread.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import torch

from npcompile.lower.native import native

# Nanoseconds that are left of a loop whose trips threads begin to share.
WORTH_SHARING = 200e3


class _Given(ctypes.Structure):
    """The threads that a library is given (`npl_threads_given` in `parallel.h`)."""

    _fields_ = (
        ("team", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("worth", ctypes.c_double),
        ("rounds", ctypes.c_int64),
    )


# The team, the count and the worth that each library was given last, by the address of its threads: a library
# may have several loops.
_last: dict[int, tuple[int | None, int, float]] = {}
_givens: dict[int, _Given] = {}


class SharingFunction:
    """A native loop whose trips threads may share."""

    def __init__(self, library: ctypes.PyDLL, function: Any) -> None:
        self.function = function
        self.given = _Given.in_dll(library, "npl_threads")
        self.address = ctypes.addressof(self.given)
        native.load_if_built()

    def __call__(self, words: int) -> int:
        self.give()
        number: int = self.function(words)
        return number

    def give(self) -> None:
        """Give the library the threads that there are now."""
        module = native.loaded()
        wanted = None if module is None else module.team, thread_count(), WORTH_SHARING
        if _last.get(self.address) != wanted:
            self.given.team, self.given.count, self.given.worth = _last[self.address] = wanted
            _givens[self.address] = self.given

    @property
    def count(self) -> int:
        """The number of threads that the library was given last."""
        count: int = self.given.count
        return count

    @property
    def count_address(self) -> int:
        """The address of that number."""
        return self.address + _Given.count.offset

    @property
    def rounds(self) -> int:
        """The number of rounds of trips, of all loops in the library, that were shared."""
        rounds: int = self.given.rounds
        return rounds


_is_forked = False


def thread_count() -> int:
    """Return how many threads may share a loop."""
    return 1 if _is_forked else torch.get_num_threads()


def _at_fork() -> None:
    global _is_forked
    _is_forked = True
    _last.clear()
    for given in _givens.values():  # calls that go on without Python see that it has changed
        given.count = 1


os.register_at_fork(after_in_child=_at_fork)
