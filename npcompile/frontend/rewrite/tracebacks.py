"""Rewrites tracebacks: they show the functions that the user wrote, without npcompile's frames and blocks.

Each exception that leaves a jitted function goes through `tell`.
"""

from __future__ import annotations

import types

from npcompile.diagnostics.paths import PACKAGE
from npcompile.frontend.rewrite.call_sites import is_place
from npcompile.frontend.rewrite.source import is_given


def tell(error: BaseException) -> None:
    """Clean the tracebacks of an exception and of those that it came from."""
    error.__traceback__ = as_written(error.__traceback__)
    seen = {id(error)}
    further = [error.__cause__, error.__context__]
    while further:
        one = further.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if _passes(one.__traceback__):
            one.__traceback__ = as_written(one.__traceback__)
        further += (one.__cause__, one.__context__)


def _passes(traceback: types.TracebackType | None) -> bool:
    """Tell if a frame of npcompile or of a block is in a traceback."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if _is_ours(code) or is_given(code):
            return True
        traceback = traceback.tb_next
    return False


def as_written(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Return a traceback without npcompile's frames.

    Where a function was in a block that was cut out of it, the block's frame replaces the function's own.
    """
    entries: list[types.TracebackType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not _is_ours(code):
            if is_given(code):
                of = _origin(traceback.tb_frame)
                while entries and _is_in(entries[-1].tb_frame, of):  # a block may be in a block
                    entries.pop()
            entries.append(traceback)
        traceback = traceback.tb_next
    made = None
    for entry in reversed(entries):
        made = types.TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


def _is_in(frame: types.FrameType, of: types.FrameType | None) -> bool:
    """Tell if this is a function's own frame or that of a block of it."""
    return frame is of or (is_given(frame.f_code) and _origin(frame) is of)


def _is_ours(code: types.CodeType) -> bool:
    return code.co_filename.startswith(PACKAGE) or is_place(code)


def _origin(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame of the function that a block was cut out of."""
    back = frame.f_back
    while back is not None and (_is_ours(back.f_code) or is_given(back.f_code)):
        back = back.f_back
    return back
