"""Keeps garbage collections away: from a block of statements, and from the objects that the import makes.

The import of npcompile makes 300,000 objects, PyTorch's for the most part, and they stay until the process
ends. Collections that go through all objects would take 0.08 s longer, and the end of a process 0.2 s.
Objects that were there before are collected as ever.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, cycle
from operator import call

_MOST = 200_000  # objects of the program's before the import: more take longer to be told apart than is saved


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage within the block."""
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()


@contextmanager
def made_permanent() -> Iterator[None]:
    """Collect no garbage within the block; afterwards, collections leave out the objects that it has made."""
    try:
        with uncollected():
            before = gc.get_objects()
            if len(before) > _MOST:
                before.clear()
            try:
                yield
            finally:
                if before:
                    gc.freeze()
                    _collect_as_ever(before)
                    before.clear()
    finally:
        if gc.isenabled():
            # Else the first full collection would come soon, in somebody's call.
            gc.collect()


def _collect_as_ever(objects: list[object]) -> None:
    """Have collections go through frozen objects again.

    All is done by calls from C, between which no other thread can run: it might track what is not for a
    moment.
    """
    import ctypes  # PyTorch's import has imported it

    untrack, track = (ctypes.pythonapi[f"PyObject_GC_{name}"] for name in ("UnTrack", "Track"))
    untrack.restype = track.restype = None
    twice = chain.from_iterable(zip(objects, objects, strict=True))
    # `py_object` asks no object for attributes, as ctypes asks the arguments that are not of its own types.
    deque(map(call, cycle((untrack, track)), map(ctypes.py_object, twice)), maxlen=0)
