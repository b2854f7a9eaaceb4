"""Parses Python text while other threads run: CPython keeps one depth counter for all threads that parse.

Every file of npcompile that parses text does it through `parse`.
"""

from __future__ import annotations

import ast
import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ATTEMPTS = 10  # other code than ours may be parsing, too


_lock = threading.RLock()  # a finalizer may parse while its own thread does


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage within the block, which makes a large tree and gives it up at its end.

    A collection that comes meanwhile would count the tree's nodes as objects that stay. Trees of some files
    bring a full collection by that, which goes through all of PyTorch's objects: 0.1 s.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def parse(text: str, filename: str = "<npcompile>") -> ast.Module:
    """`ast.parse`, safe among threads.

    While CPython 3.11 makes the tree's nodes, a garbage collection may let another thread run; if that
    thread parses as well, one of them is told "AST constructor recursion depth mismatch" (SystemError).
    Raises SyntaxError as `ast.parse` does.
    """
    for _ in range(_ATTEMPTS):
        try:
            with _lock:
                return ast.parse(text, filename)
        except SystemError:
            continue
    return ast.parse(text, filename)
