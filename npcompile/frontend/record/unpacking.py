"""Unpacking (`a, *b = value`) draws the items of a value by the hooks: two hooks of every recording."""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.record.container_keys import note_gone_through
from npcompile.frontend.record.flat_iterators import flat_array
from npcompile.frontend.record.loops import is_known, is_walked
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed


def unpack(recording: Recording, value: Any, count: int) -> Any:
    """Return the object that an assignment to so many names unpacks in place of a value."""
    return _unpacked(recording, value, count + 1)


def unpack_star(recording: Recording, value: Any, before: int, after: int) -> Any:
    """Return the object that an assignment with a starred name unpacks in place of a value."""
    return _unpacked(recording, value, None)


def merge(recording: Recording, mapping: Any) -> Any:
    """Return a mapping, of which two stars take all items."""
    if recording.on and type(mapping) in DICTS:
        recording.note(note_gone_through, recording, mapping)
    return mapping


def _unpacked(recording: Recording, value: Any, most: int | None) -> Any:
    if flat_array(recording, value) is not None:
        return [*itertools.islice(recording.iterate(value), most)]
    if recording.on and is_array(value):
        return list(recording.iterate(value))
    if recording.on and type(value) in (list, deque, *DICTS):
        recording.note(note_gone_through, recording, value)
    if recording.on and (is_followed(recording, value) or type(value) in (set, frozenset)):
        return list(itertools.islice(recording.iterate(value), most))
    if recording.on and not (is_walked(recording, value) and is_known(recording, value)):
        recording.stop(Cause.TAKEN_APART(type(value).__name__))
    return value
