"""The turn of a call in contests, which `npcompile.explain` asks to be that of compiled code.

Such a call counts in no contest: it is looked at while it runs, which takes time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ours: ContextVar[bool] = ContextVar("npcompile.tiering.ours", default=False)
# Tells if compiled code is to answer this thread's calls, whosever turn it would be.
are_ours = _ours.get


@contextmanager
def ours() -> Iterator[None]:
    """Have compiled code answer the calls of the `with` block that contests would give to NumPy by turns."""
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)
