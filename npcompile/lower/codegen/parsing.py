"""Parses Python text while other threads run: CPython keeps one depth counter for all threads that parse.

Every file of npcompile that parses text does it through `parse`.
"""

from __future__ import annotations

import ast
import os
import threading

_ATTEMPTS = 10  # other code than ours may be parsing, too


_lock = threading.RLock()  # a finalizer may parse while its own thread does


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


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
