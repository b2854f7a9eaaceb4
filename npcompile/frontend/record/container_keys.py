"""Keys and lengths of containers: the decisions that a recording takes for valid about them."""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.identity import is_nan
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.guards import LengthIs
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.record.recording import Recording


def note_mutation(recording: Recording, container: Any, result: Any) -> Any:
    """A method of a container: fine on one made inside; one from outside would need a store."""
    if recording.builder.tracked.get(container) is not None:
        raise Unfollowed(Cause.CONTAINER_IN_PLACE())
    return result


def decide_length_of_set(recording: Recording, obj: Any) -> None:
    """The length of a set from outside decides: no signature says it."""
    if type(obj) in (set, frozenset) and (node := recording.builder.tracked.node(obj)) is not None:
        recording.builder.guard(LengthIs(len(obj)), node)


def decide_keys(recording: Recording, keys: Any, result: Any) -> Any:
    """Which keys of a dict or set are one key is a decision about their values."""
    for key in recording.builder.through(keys):
        if type(key) is int and key in recording.builder.ids:
            continue
        if is_nan(key):
            raise Unfollowed(Cause.NAN_AS_KEY())
        if id(key) not in recording.builder.objects or not is_plain(type(key), "__hash__", "__eq__"):
            recording.builder.ref(key, True)
    return result
