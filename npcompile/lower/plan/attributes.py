"""Attributes of the steps of a residual program: one typed object a node, read through `attributes(node)`.

Recordings and passes set attributes, planning and replaying read them. Each node of a residual program has an
object of its own; of a segment's graph, inputs have one, and the output has the values of its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from types import CodeType
from typing import Any, Literal, NamedTuple

from torch import fx

from npcompile.diagnostics.reason import Reason
from npcompile.lower.plan.values import Value

# The name under which a node has them.
_NAME = "npcompile"

# Of a slice, for each item of the index, the ends that data decide: (0 for start or 1 for stop, the number).
# Of a size, the number.
DataEnds = tuple[Any, ...]
# The kinds of step; the rules of each are in `frontend/program/verifier.py`. "output" ends a graph.
StepKind = Literal[
    "input", "read", "guard", "number", "op", "view", "part", "write", "library", "host", "opaque", "output"
]


# The elements at a mask's places are computed in place, with all others, or in an array of their own.
MaskForm = Literal["where", "compaction"]


class SourcePlace(NamedTuple):
    """Where in the user's source a step comes from. Inputs come from no line, as does what passes add."""

    line: int | None = None
    top: int | None = None  # the line of the function itself that led there
    elsewhere: str = ""  # a line of another file, as "file:line", where one is nearer


NOWHERE = SourcePlace()


class StepAttributes:
    """The attributes of one step.

    Most attributes are set on a few steps alone. Their defaults belong to the class: to make an object takes
    three assignments, and to copy one takes as many as were made.
    """

    kind: StepKind
    value: Value  # the step's result
    place: SourcePlace  # in the user's source

    # Of any step that gives a value.
    wrapped: bool = False  # the array is an `npcompile.ndarray`, not NumPy's own
    inspected: bool = False  # Python looked at its type, shape or length: its guard stays
    broadcast: bool = False  # its own shape may be less than that of what it is written to
    layout_decides: bool = False  # something depends on the order in which the array lies
    range_guards: set[tuple[float, float]] | None = None  # the bounds that guards hold it to
    parts_read: dict[tuple[type, Any], fx.Node] | None = None  # the steps that read its parts, by class, name
    called: bool = False  # it was called as a function: a guard holds it to its code
    last_call: fx.Node | None = None  # the last opaque call before the object died, where others notice that
    mask_form: tuple[MaskForm, Reason] | None = (
        None  # the form in which a mask's elements are computed, and why
    )

    # Of numbers that sizes may be made of.
    recorded_size: int | None = None  # the number while recording
    is_size: bool = False  # sizes do depend on it

    # Of containers. An epoch counts the calls so far that may have changed what lies outside.
    container_type: type | None = None
    result_count: int | None = None  # the count of things in a step's result
    items: dict[Any, fx.Node] | None = None  # the steps that read what lies in it, by key or position
    keys: tuple[Any, ...] | None = None  # of a dict: a guard holds it to these
    given_epoch: int | None = None  # when a step gave it: what lies in it is known up to the next call
    contents_epoch: int | None = None  # when what lies in it was read
    members_epoch: int | None = None  # of a set: when a guard was made of what lies in it

    # Of reads.
    incidental: bool = False  # it was read as a part of its container alone: it goes, if nothing uses it
    looked_up: bool = False  # the function has taken this number out of its container

    # Of ops, views and calls of NumPy's libraries.
    unchecked: bool = False  # a checked op that cannot fail here: its flag is left out
    returns_view: bool = False  # NumPy answered with a view of what it had made
    dynamic_view: bool = False  # a view at a place that a step gives, known at replay alone
    same_view: fx.Node | None = None  # the first step that makes this view: the two are one array
    data_ends: DataEnds = ()  # of a slice, the ends that data decide; of a size, the number

    # Of host calls.
    reason: Reason | None = None  # why no op takes the call

    # Of opaque calls.
    inert: bool = False  # it changes nothing that the function reads
    call_frames: tuple[tuple[CodeType, int, dict[str, Any]], ...] = ()  # of functions within, that led to it

    # Of guards.
    exact_guard: Callable[..., bool] | None = None  # a guard that lets no other lengths pass
    precedes_effects: bool = False  # a pass needs its check before anything is done that others could see
    is_collision: bool = False  # it holds a number to its value as another number was the same object

    def __repr__(self) -> str:
        return f"StepAttributes({', '.join(f'{name}={found!r}' for name, found in vars(self).items())})"

    def copy(self) -> StepAttributes:
        """Return an object of its own with these attributes; sets and dicts among them are copied, too."""
        made = StepAttributes.__new__(StepAttributes)
        vars(made).update(vars(self))
        if self.range_guards is not None:
            made.range_guards = set(self.range_guards)
        if self.parts_read is not None:
            made.parts_read = dict(self.parts_read)
        if self.items is not None:
            made.items = dict(self.items)
        return made


# Planning, passes and replaying read these of every step, many times: `attrgetter` makes no Python call.
attributes: Callable[[fx.Node], StepAttributes] = attrgetter(_NAME)
value_of: Callable[[fx.Node], Value] = attrgetter(f"{_NAME}.value")  # all that is known of what a step gives
step_of: Callable[[fx.Node], StepKind] = attrgetter(f"{_NAME}.kind")
source_place: Callable[[fx.Node], SourcePlace] = attrgetter(f"{_NAME}.place")


def has_attributes(node: fx.Node) -> bool:
    """Tell whether a node has attributes: every node of a residual program is to have some."""
    return isinstance(vars(node).get(_NAME), StepAttributes)


def annotate(node: fx.Node, kind: StepKind, value: Value, place: SourcePlace = NOWHERE) -> StepAttributes:
    """Give a node attributes, in place of any that it has, and return them."""
    # Without a call of `__init__`: every step of a recording comes through here.
    vars(node)[_NAME] = made = StepAttributes.__new__(StepAttributes)
    made.kind, made.value, made.place = kind, value, place
    return made


def reset(node: fx.Node, known: StepAttributes) -> None:
    """Give a node these attributes."""
    vars(node)[_NAME] = known


def copied(graph: fx.Graph, node: fx.Node, operand: Callable[[fx.Node], fx.Node]) -> fx.Node:
    """Copy a node with its attributes to the end of another graph; `operand` maps its operands."""
    made = graph.node_copy(node, operand)
    vars(made).update(vars(node))
    return made


def decided_by_data(node: fx.Node) -> Any:
    """Return which ends data decide, whatever the numbers are: two recordings of one program agree on it."""
    return tuple(
        tuple(place for place, _ in item) if type(item) is tuple else int
        for item in attributes(node).data_ends
    )


def set_results(graph: fx.Graph, results: tuple[fx.Node, ...], values: Sequence[Value]) -> None:
    """End a segment's graph with its results, and what is known of each."""
    graph.output(results).meta[_NAME] = tuple(values)


def result_values(graph: fx.Graph) -> tuple[Value, ...]:
    """Return what is known of each result of a segment's graph."""
    found: tuple[Value, ...] = graph.output_node().meta[_NAME]
    return found
