"""Every field of a recording's state says whether a checkpoint restores it, and those that do come back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from npcompile.frontend.graph.identity import Known
from npcompile.frontend.graph.recorded_state import DECLARED
from npcompile.frontend.record.checkpoint import Checkpoint, restored_fields, states
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.record.recording import Recording

_KNOWN = Known("held", None)


def recording() -> Recording:
    return Recorder("file.py")


def filled(state: Any, name: str, nested: bool, mark: int) -> Any:
    """Return another value for a field than it has: of the same kind, so that it can be told apart."""
    value = getattr(state, name)
    if name == "known":
        return {mark: _KNOWN}
    if nested:
        return {mark: {"touched": {mark: mark}, "new_keys": {mark}}.get(name, [mark])}
    if type(value) is bool:
        return not value
    if type(value) is int:
        return value + mark
    if type(value) is dict:
        return {mark: mark}
    if type(value) in (set, list):
        return type(value)([mark])
    return f"{name} {mark}"


@pytest.mark.parametrize("place", range(len(states(recording()))))
def test_every_field_is_declared(place: int) -> None:
    state = states(recording())[place]
    assert [field.name for field in dataclasses.fields(state) if DECLARED not in field.metadata] == []


def test_every_restored_field_comes_back() -> None:
    own = recording()
    before = {}
    for state in states(own):
        for name, declared in restored_fields(type(state)):
            setattr(state, name, filled(state, name, declared.nested, 1))
            before[id(state), name] = filled(recording_state(state), name, declared.nested, 1)
    checkpoint = Checkpoint(own)
    for state in states(own):
        for name, declared in restored_fields(type(state)):
            value = getattr(state, name)
            if type(value) is dict:
                for held in value.values() if declared.nested else ():
                    held.clear()
                value.clear()
            elif type(value) in (set, list):
                value.clear()
            setattr(state, name, filled(state, name, declared.nested, 2))
    checkpoint.restore(own)
    for state in states(own):
        for name, _ in restored_fields(type(state)):
            assert getattr(state, name) == before[id(state), name], name


def recording_state(state: Any) -> Any:
    """Return the state of a new recording that is of this one's class."""
    return next(other for other in states(recording()) if type(other) is type(state))


def test_state_that_no_field_declares_is_refused() -> None:
    """A checkpoint would forget state that an object keeps beside its fields."""
    for state in states(recording()):
        assert set(vars(state)) <= {field.name for field in dataclasses.fields(state)}
