"""`array.resize(...)` ends a recording: NumPy counts references to the array, and a recording holds some.

The registry lists these handlers; `resize_refcount` resizes, by the references that Python would count.
"""

from __future__ import annotations

from typing import Any

from npcompile.frontend.graph.resize_refcount import counted, counting
from npcompile.frontend.record.calls import end_for_resize
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording


def resize_attribute(recording: Recording, obj: Any, name: str) -> Any:
    """End the recording where an array's `resize` is looked up."""
    if (resize := counted(obj, name)) is None:
        return PASS
    end_for_resize(recording)
    return resize


def plain_attribute(recording: Recording, obj: Any, name: str) -> Any:
    """Do `obj.name` where nothing is recorded."""
    found = resize_attribute(recording, obj, name)
    return getattr(obj, name) if found is PASS else found


def call_resize(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a call of an array's `resize`, and end the recording."""
    if (resize := counting(fn)) is None:
        return PASS
    end_for_resize(recording)
    return resize(*args, **kwargs)
