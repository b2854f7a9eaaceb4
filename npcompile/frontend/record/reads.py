"""Reads from outside the function: values are followed if they are data, and guarded if they decide."""

from __future__ import annotations

import builtins
from typing import Any

from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog.assumed_modules import take
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.equality import place_of
from npcompile.frontend.program.reads import Read, ReadGlobal
from npcompile.frontend.record.recording import Recording


def note_read(recording: Recording, how: type[Read], name: Any, holder: Any, base: Any, value: Any) -> Any:
    """A value from outside: followed if it is data, guarded if it decides."""
    builder = recording.builder
    if how is ReadGlobal and name not in holder:
        return _note_builtin(recording, name, holder, value)
    place = (how, place_of(name), id(holder) if base is None else base)
    seen = recording.reads_seen.get(place)
    if seen is not None and seen[0] is value:
        return seen[1]
    read = builder.outside(how(name, holder), base, value)
    recording.reads_seen[place] = (value, read)
    return read


def _note_builtin(recording: Recording, name: str, space: dict[str, Any], value: Any) -> Any:
    """A name that the function's module has not."""
    if (name, id(space)) not in recording.not_in_module:
        recording.not_in_module[name, id(space)] = space, name
    if take(vars(builtins), name) or vars(builtins).get(name) is not value:
        return value
    return note_read(recording, ReadGlobal, name, vars(builtins), None, value)


def touch(recording: Recording, name: str, node: fx.Node, obj: Any) -> None:
    """Note that an attribute of an object from outside is read or stored."""
    if name == "__dict__":
        recording.effects.read_whole = True
        if recording.effects.waiting:
            raise Unfollowed(Cause.WHOLE_AFTER_STORE())
    recording.effects.touched.setdefault(name, {})[node] = type(obj)
