"""A checkpoint keeps the state of a recording; going back to it takes back all that was noted since.

`numpy_inlining.py` makes one before it records a function of NumPy's as the Python that NumPy wrote, and goes
back if that fails. Every field of the recording, of its effects, of its builder and of the identity tracker
declares whether a checkpoint restores it (`graph/recorded_state.py`). Nodes are erased one by one.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.graph.constant_folding import Constant
from npcompile.frontend.graph.recorded_state import DECLARED, Declared
from npcompile.frontend.passes.mask_analysis import taken
from npcompile.frontend.program.array_facts import with_items
from npcompile.frontend.record.recording import Recording
from npcompile.lower.plan.attributes import attributes, reset, step_of

_CONTAINERS = (list, dict, set)


@functools.cache
def restored_fields(kind: type) -> tuple[tuple[str, Declared], ...]:
    """Return the fields of a state's class that a checkpoint restores, with their declarations."""
    declared = [(field.name, field.metadata[DECLARED]) for field in dataclasses.fields(kind)]
    return tuple((name, how) for name, how in declared if not how.survives)


def states(recording: Recording) -> tuple[Any, ...]:
    """Return the objects whose fields make up what a recording knows."""
    return recording, recording.effects, recording.builder, recording.builder.tracked


class Checkpoint:
    """A copy of what a recording knows at one moment."""

    def __init__(self, recording: Recording) -> None:
        self.nodes = list(recording.builder.graph.nodes)
        self.attributes = [attributes(node).copy() for node in self.nodes]
        # For each field: its owner, name and declaration, the object that it holds, and a copy of that.
        self.fields: list[tuple[Any, str, Declared, Any, Any]] = []
        for state in states(recording):
            for name, declared in restored_fields(state.__class__):
                held = getattr(state, name)
                self.fields.append((state, name, declared, held, _copied(held, declared.nested)))

    def calls(self, recording: Recording, masks: bool) -> Reason | None:
        """Return the reason why the steps noted since are not all operations; None if they are.

        masks: steps that pick elements by masks count as operations.
        """
        for node in list(recording.builder.graph.nodes)[len(self.nodes) :]:
            if step_of(node) in ("host", "opaque") and not isinstance(node.target, Constant):
                if masks and (taken(node) is not None or node.target is with_items):
                    continue
                why = attributes(node).reason
                return Cause.WITHIN(node.name, why) if why else Cause.CALLS(node.name)
        return None

    def restore(self, recording: Recording) -> None:
        """Take back all that was noted since. Objects that have died since are not followed again."""
        graph, kept = recording.builder.graph, set(self.nodes)
        for node in reversed(list(graph.nodes)):
            if node not in kept:
                graph.erase_node(node)
        for node, known in zip(self.nodes, self.attributes, strict=True):
            reset(node, known.copy())
        for state, name, declared, held, was in self.fields:
            setattr(state, name, held)
            if type(held) is list:
                held[:] = was
            elif type(held) in _CONTAINERS:
                held.clear()
                holds = declared.holds
                held.update(was if holds is None else {key: item for key, item in was.items() if holds(item)})
        vars(recording).pop("meant", None)  # `Recording.meant` replaced itself when it found no stand-ins


def _copied(held: Any, nested: bool) -> Any:
    """Return a copy of a container (nested: of those in it, too); anything else is returned as it is."""
    if type(held) not in _CONTAINERS:
        return held
    return {key: type(item)(item) for key, item in held.items()} if nested else type(held)(held)
