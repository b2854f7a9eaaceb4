"""Values that are decided: no step of the program gave them, and each replay has them as they are.

Handlers of Python's own library ask here if they can make a call once for all replays.
"""

from __future__ import annotations

import enum
import functools
from typing import Any

from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.recording import Recording

_PLAIN = (*NUMBERS, bool, str, bytes, type(None))


def is_decided(recording: Recording, value: Any) -> bool:
    """Return True if nothing in a value came from a step, and nothing in it is an array."""
    if type(value) in (list, tuple):
        if type(value) is list and recording.builder.tracked.get(value) is not None:
            return False
        decided = functools.partial(is_decided, recording)
        return not recording.builder.traced(value) and all(map(decided, value))
    return not recording.builder.traced(value) and type(value) in _PLAIN


def is_decided_or_member(recording: Recording, value: Any) -> bool:
    """Return True if a value is decided, or is a member of an enumeration."""
    return is_decided(recording, value) or (
        isinstance(value, enum.Enum) and not recording.builder.traced(value)
    )


def note_decided(recording: Recording, result: Any) -> Any:
    """Note the result of a call whose arguments are decided: a constant."""
    if type(result) in NUMBERS:
        recording.builder.constant(result)
    elif isinstance(result, enum.Enum):
        recording.builder.tracked.keep(result, None)
    return result
