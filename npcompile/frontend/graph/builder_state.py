"""The state of the builder of a residual program: every field, and whether a checkpoint restores it.

The classes in the other files of this folder that begin with `builder_`, and `graph_builder.GraphBuilder`,
which is the last of them, add methods and no state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from torch import fx

from npcompile.diagnostics.reason import Reason
from npcompile.frontend.graph.identity import Tracked
from npcompile.frontend.graph.memmaps import Mapped
from npcompile.frontend.graph.recorded_state import DECLARED, Declared, nothing, restored, survives
from npcompile.frontend.program.aliasing import Roots

_OPTION = "an option of the recording"
_MEMORY = "memory that was met is numbered once"
_CONSTANT = "a literal is one object at each call, taken back or not"


@dataclass(eq=False, repr=False)
class BuilderState:
    """The graph under construction, and what is known of the live objects that its nodes stand for."""

    filename: str = survives(_OPTION)
    libraries: bool = field(default=True, metadata={DECLARED: Declared(_OPTION)})
    general: bool = survives(_OPTION, bool)  # lengths of arguments are traced numbers
    counting: bool = survives(_OPTION, bool)  # whole numbers among the arguments may be sizes, too
    steady: frozenset[str] = survives(_OPTION, frozenset)  # if not, those of these names
    code: CodeType | None = survives(_OPTION, nothing)  # of the function itself, as it is being run
    # Carries out the stores that are waiting: where an exception ends a call, they have been done.
    settle: Callable[[], None] = field(default=nothing, init=False, metadata={DECLARED: Declared(_OPTION)})
    graph: fx.Graph = survives("the nodes since are erased one by one", fx.Graph)
    inputs: list[fx.Node] = survives("the arguments are there before the first checkpoint", list)
    tracked: Tracked = field(init=False, metadata={DECLARED: Declared("its own fields are restored")})
    count: int = restored(int)  # steps
    host_calls: int = restored(int)  # steps that are calls of real NumPy
    effects: bool = restored(bool)  # something was done outside: a call for its effect, a write
    calls: int = restored(int)  # calls that may have changed things read from outside
    read_last: fx.Node | None = restored(nothing)  # the step of what was read from outside last
    tries: int = survives("who enters a `try` statement leaves it", int)  # around what is being done
    folding: bool = survives("who sets it puts it back", bool)  # a function of NumPy's is being recorded
    refusal: Reason | None = survives("the next step takes it", nothing)  # why the last operation is no op
    things: int = survives("the time is spent", int)  # in containers, that were gone through so far
    # Numbers
    numbers: dict[Any, fx.Node] = restored(dict)  # whole ones that were worked out, by function and operands
    decided: set[fx.Node] = restored(set)
    lengths: dict[Any, fx.Node] = restored(dict)  # the steps of lengths that are traced numbers
    sizes: set[fx.Node] = restored(set)  # numbers that depend on nothing else
    counts: set[fx.Node] = restored(set)  # numbers that depend on arguments that may be sizes, and on lengths
    # Memory
    roots: Roots = survives(_MEMORY, Roots)
    outside_roots: set[int] = survives(_MEMORY, set)  # memory that the function did not make
    mapped: bool = survives(_MEMORY, bool)  # a memmap was met
    holds_objects: bool = survives(_MEMORY, bool)  # an array of Python objects was met
    files: Mapped = field(init=False, metadata={DECLARED: Declared(_MEMORY)})
    devices: set[str] = restored(set)  # of the device arrays met
    # Objects and containers
    made: dict[int, Any] = restored(dict)  # functions that were made inside: their cells are this call's
    objects: dict[int, Any] = restored(dict)  # of the user's classes, made inside: their content is followed
    kept: dict[int, Any] = restored(dict)  # deques and dicts of other kinds, made inside
    partials: dict[int, Any] = restored(dict)  # partial objects that were made inside
    ids: set[int] = restored(set)  # of objects that were made inside, as the function asked for them
    loose: dict[int, Any] = restored(dict)  # lists and dicts that a call may have changed
    containers: dict[int, fx.Node] = restored(dict)  # dicts and lists from outside, for stores to them
    unread: dict[int, tuple[Any, fx.Node]] = restored(dict)  # lists from outside, nothing of them read yet
    appended: dict[int, list[Any]] = restored(dict, nested=True)  # to such lists since
    # Stand-ins that were stored in a container from outside, which holds the numbers they stand for.
    stored_stand_ins: dict[int, list[Any]] = restored(dict, nested=True)
    leaving: set[int] = restored(set)  # objects and containers that are being made into a step
    shown: set[int] = restored(set)  # containers that are a part of the answer
    holding: dict[int, Any] = restored(dict)  # containers and exceptions with numbers that stand for others
    # Texts and tuples
    origins: dict[int, list[Any]] = restored(dict, nested=True)  # each object, and its steps
    checked_ones: set[tuple[fx.Node, ...]] = restored(set)  # steps that are checked to give one object
    written: dict[int, str | bytes] = survives(_CONSTANT, dict)  # texts that are literals
    literals: list[tuple[Any, ...]] = survives(_CONSTANT, list)  # tuples that are one object at each call

    def __post_init__(self) -> None:
        """Make what refers to the builder itself; the classes further down do so."""
