"""Keys and lengths of containers: the decisions that a recording takes for valid about them."""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.identity import is_nan
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.equality import DICTS, is_key
from npcompile.frontend.program.guards import LengthIs, MembersAre
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.record.recording import Recording
from npcompile.lower.plan.attributes import attributes

MAX_MEMBERS = 64  # of a set from outside, whose members decide as a whole


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


def note_gone_through(recording: Recording, obj: Any) -> None:
    """Note that the items of a list, dict or deque are asked for as a whole."""
    recording.builder.tight(obj)
    node = recording.builder.tracked.node(obj)
    if node is not None and attributes(node).contents_epoch not in (None, recording.builder.calls):
        raise Unfollowed(Cause.CONTAINER_MAY_HAVE_CHANGED())
    if type(obj) in DICTS:
        recording.builder.constant(tuple(obj))


def note_members(recording: Recording, obj: Any) -> None:
    """Note that the members of a set decide."""
    node = recording.builder.tracked.node(obj)
    if node is None or attributes(node).members_epoch == recording.builder.calls:
        return  # made inside: that was decided then
    members = tuple(obj)
    if len(members) > MAX_MEMBERS or not all(map(is_key, members)):
        raise Unfollowed(Cause.CONTENTS_DECIDE(type(obj).__name__))
    attributes(node).members_epoch = recording.builder.calls
    recording.builder.guard(MembersAre(type(obj), members), node)
