"""What a recording knew at one moment, to go back to: all that a step may have left behind."""

from __future__ import annotations

import weakref
from typing import Any

from npcompile.frontend.graph.constant_folding import Constant
from npcompile.frontend.graph.graph_builder import Steps
from npcompile.frontend.graph.identity import Known
from npcompile.frontend.passes.mask_analysis import taken
from npcompile.frontend.program.array_facts import with_items
from npcompile.frontend.program.program import step_of
from npcompile.frontend.record.calls import Calls

# What the notes and the recorder know, by attribute: containers, which may hold further ones, and values.
_NOTED = (
    *("numbers", "decided", "devices", "lengths", "sizes", "counts", "made"),
    *("objects", "kept", "loose", "containers", "unread", "appended", "partials", "ids", "_leaving", "shown"),
    *("holding", "origins", "checked_ones"),
)
_NOTED_VALUES = ("count", "host_calls", "calls", "read_last", "effects")
_RECORDED = (
    *("_seen", "_typed", "held_by_class", "not_in_module", "gone_into"),
    *("_stores", "_touched", "_stored", "_apart", "_identified", "_changed", "_news"),
)
_RECORDED_VALUES = ("_open",)
_NESTED = ("appended", "origins", "_touched", "_news")


def _copy(held: Any, name: str) -> Any:
    """A container, and those in it that are the recording's own."""
    if name in _NESTED:
        return {key: type(item)(item) for key, item in held.items()}
    return type(held)(held)


class Moment:
    """What a recording knows now."""

    def __init__(self, recorder: Calls) -> None:
        notes = recorder.notes
        self.nodes = list(notes.graph.nodes)
        self.metas = [dict(node.meta) for node in self.nodes]
        self.ranges = [set(node.meta.get("ranges", ())) for node in self.nodes]
        self.known = dict(notes.tracked._known)
        self.held: list[tuple[Any, str, Any, Any]] = []
        self.values: list[tuple[Any, str, Any]] = []
        for of, names, values in (
            (notes, _NOTED, _NOTED_VALUES),
            (recorder, _RECORDED, _RECORDED_VALUES),
        ):
            self.held += [(of, name, held := getattr(of, name), _copy(held, name)) for name in names]
            self.values += [(of, name, getattr(of, name)) for name in values]

    def calls(self, recorder: Calls, masks: bool) -> str | None:
        """What has been noted since that is no operation of ours, and why. masks: what they pick is one."""
        for node in list(recorder.notes.graph.nodes)[len(self.nodes) :]:
            if step_of(node) in ("host", "opaque") and not isinstance(node.target, Constant):
                if masks and (taken(node) is not None or node.target is with_items):
                    continue
                why = node.meta.get("reason")
                return f"{node.name}: {why}" if why else f"it calls {node.name}"
        return None

    def restore(self, recorder: Calls) -> None:
        """Take back what was noted since. The objects that are still followed are followed as they were."""
        notes: Steps = recorder.notes
        kept = set(self.nodes)
        for node in reversed(list(notes.graph.nodes)):
            if node not in kept:
                notes.graph.erase_node(node)
        for node, meta, ranges in zip(self.nodes, self.metas, self.ranges, strict=True):
            node.meta.clear()
            node.meta.update(meta)
            if "ranges" in meta:
                node.meta["ranges"] = ranges
        known = notes.tracked._known
        known.clear()
        known.update({key: entry for key, entry in self.known.items() if _alive(entry)})
        for of, name, held, was in self.held:
            setattr(of, name, held)
            held.clear()
            (held.extend if type(held) is list else held.update)(was)
        for of, name, value in self.values:
            setattr(of, name, value)
        recorder.active, recorder.reason, recorder.at, recorder.top = True, None, None, None
        recorder.done = False  # loops go on being noted
        vars(recorder).pop("meant", None)


def _alive(entry: Known) -> bool:
    return not isinstance(entry.holder, weakref.ref) or entry.holder() is not None
