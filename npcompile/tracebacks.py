"""Tracebacks as the function as it was written gives them."""

from __future__ import annotations

import os
import types

from npcompile.frontend.recording.place import is_place
from npcompile.frontend.rewriting.source import is_given

_HERE = os.path.dirname(__file__) + os.sep


def as_written(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without our frames; where a function was in a block that was cut out of it, the block's
    frame stands in place of its own."""
    entries: list[types.TracebackType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith(_HERE) and not is_place(code):
            if is_given(code) and entries:
                entries.pop()
            entries.append(traceback)
        traceback = traceback.tb_next
    made = None
    for entry in reversed(entries):
        made = types.TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made
