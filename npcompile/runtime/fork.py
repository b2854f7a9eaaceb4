"""Lets jitted functions go on in a forked child.

Locks are made anew there, programs that were being compiled start over, and what was recorded stays valid.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Protocol

import torch

# The layers below have registered their handlers when they were imported: these come after them.
import npcompile.lower.service.compiler  # noqa: F401
from npcompile.runtime import fast_path, recording_families


class Alive(Protocol):
    """A function that a forked child goes on with: `RecordedFunction`."""

    _front: Any
    _lock: threading.Lock
    by_signature: dict[Any, Any]


class Cut(Protocol):
    """A function cut into blocks: `partition.call.PartitionedCalls`."""

    lock: threading.Lock


alive: weakref.WeakSet[Alive] = weakref.WeakSet()
cuts: weakref.WeakSet[Cut] = weakref.WeakSet()
_threads_before = 0


def _before() -> None:
    global _threads_before
    _threads_before = torch.get_num_threads()


def _after() -> None:
    """Make locks anew, which another thread may have held; what was under way starts over.

    Kernels run on one thread there, and torch may have been set to that: what was recorded stays valid.
    """
    threads = torch.get_num_threads()
    fast_path.lock = threading.Lock()
    for cut in list(cuts):
        cut.lock = threading.Lock()
    renewed: dict[Any, tuple[Any, dict[Any, Any]]] = {}  # by the lock: what is shared stays so
    for recorded in list(alive):
        fast_path.forget(recorded)
        if recorded._lock not in renewed:
            states: dict[Any, Any] = {}
            for key, state in recorded.by_signature.items():
                state.lock = threading.Lock()
                if not state.pending:
                    states[(threads, *key[1:]) if key[0] == _threads_before else key] = state
            renewed[recorded._lock] = threading.Lock(), states
        recorded._lock, recorded.by_signature = renewed[recorded._lock]
    recording_families.renew(renewed)


os.register_at_fork(before=_before, after_in_child=_after)
