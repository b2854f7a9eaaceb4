"""`OrderedDict.move_to_end` of a dict from outside is a step of the program, as a store of an item is.

The registry lists the handler. The keys of a dict from outside and their order are guarded where it is read:
a recording knows the order that a move leaves.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.equality import place_of
from npcompile.frontend.program.object_steps import Store
from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import Deferred
from npcompile.frontend.record.stores import note_membership
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import attributes

if TYPE_CHECKING:
    from npcompile.frontend.program.replay_interface import ReplayText


class MoveToEnd(Store):
    """`obj.move_to_end(name, last=value)`."""

    def __call__(self, obj: Any, value: Any) -> None:
        obj.move_to_end(self.name, value)

    def statement(self, text: ReplayText, obj: Any, value: Any) -> str:
        return f"{text.arg(obj)}.move_to_end({text.arg(self.name)}, {text.leaf(value)})"

    def words(self, obj: str, value: str) -> str:
        return f"{obj}.move_to_end({self.name!r}, last={value})"


def call_move_to_end(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Move a key of an OrderedDict to its end, or to its beginning."""
    own: Any = fn.__self__
    if type(own) is not OrderedDict or fn.__name__ != "move_to_end":
        return PASS
    if len(args) not in (1, 2) or kwargs.keys() - {"last"} or (kwargs and len(args) == 2):
        return PASS
    key, last = args[0], args[1] if len(args) == 2 else kwargs.get("last", True)
    inside = id(own) in recording.builder.kept
    if type(last) is not bool or not (inside or id(own) in recording.builder.containers):
        return PASS
    recording.note(recording.builder.ref, last, True)
    if inside:
        recording.note(decide_keys, recording, (key,), None)
    else:
        recording.note(note_membership, recording, key, own, None)
    try:
        result = do(fn, key, last=last)
    except KeyError as error:
        recording.raising(error)
        raise
    return result if inside else recording.note(_note_move, recording, own, key, last, result)


def _note_move(recording: Recording, own: Any, key: Any, last: bool, result: None) -> None:
    """Note a move of a key that Python has done in a dict from outside."""
    node = recording.builder.containers[id(own)]
    given = recording.builder.tracked.node(own) is None  # an argument, of which the signature has the keys
    if id(own) in recording.builder.loose or not (given or attributes(node).keys is not None):
        raise Unfollowed(Cause.CONTAINER_IN_PLACE())
    place = id(own), (MoveToEnd, place_of(key))
    recording.effects.waiting.pop(place, None)  # the last move of a key decides its place
    recording.effects.waiting[place] = Deferred(own, MoveToEnd(key), last, recording.builder.where())
    return result
