"""Hooks of statements and displays: dict and set displays, expressions as statements, imports.

Each recording has all of them. `unsupported` ends a recording at a statement that it cannot follow.
"""

from __future__ import annotations

import types
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog.assumed_modules import is_fixed
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.recording import Recording


def take_key(recording: Recording, value: Any) -> Any:
    """Return a key of a dict display: it is decided."""
    return recording.note(decide_keys, recording, (value,), value) if recording.on else value


def take_keys(recording: Recording, values: Any) -> Any:
    """Return the keys of a dict or set that a comprehension makes: they are decided."""
    if not recording.on:
        return values
    result = list(values)
    return recording.note(decide_keys, recording, result, result)


def build(recording: Recording, value: Any) -> Any:
    """Return a container that a display has made."""
    if recording.on and type(value) in (dict, set):
        recording.note(decide_keys, recording, value, value)
    if recording.is_over():
        return recording.shown(value)
    if recording.on and type(value) in HOLDING:
        recording.builder.holds(value, *value, *(value.values() if isinstance(value, dict) else ()))
    return value


def discard(recording: Recording, value: Any) -> None:
    """Note that nothing uses the value of an expression."""
    if recording.on:
        recording.note(recording.builder.unused, None)


def unsupported(recording: Recording, what: str, line: int) -> None:
    """End the recording at a statement that it cannot follow."""
    if recording.on:
        recording.stop(Cause[what]())


def imported(recording: Recording, name: str, value: Any) -> None:
    """End the recording at the import of a module that may change."""
    if recording.on and isinstance(value, types.ModuleType) and not is_fixed(value):
        recording.stop(Cause.IMPORT(name))
