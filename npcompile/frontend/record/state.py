"""Defines the state of a recording, its end, and `note`, by which a note never fails the user's call.

`recording.Recording` adds the hooks, and `recorder.Recorder` the tables of handlers; neither has state of its
own. Each field declares whether a checkpoint restores it (`checkpoint.py`), or why it survives.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from math import inf
from types import CellType, CodeType, FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.boundary.faults import Fault, noting
from npcompile.frontend.graph.graph_builder import GraphBuilder
from npcompile.frontend.graph.recorded_state import DECLARED, Declared, nothing, restored, survives
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.object_steps import Store
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.nested_functions import unhooked
from npcompile.tiering.overhead import Call, current

# Types whose operations follow from the signature and from values decided before.
SIMPLE = (list, tuple, dict, str, bytes, set, frozenset, range, slice, type(None), bool, type(Ellipsis))
# Types of which items are read one by one where the object comes from outside and is long, or grows.
READ_BY_ITEM = (list, tuple, deque)


class Cells(NamedTuple):
    """The closure of a function that is running."""

    of: dict[str, CellType]
    node: fx.Node | None  # the step that gave the function, if any: the closure is read from it


_OPTION = "an option of the recording"
_STAYS = "what the function made or was shown stays"
_BALANCED = "who enters leaves"


class Deferred(NamedTuple):
    """A store that waits to become a step."""

    obj: Any
    store: Store
    value: Any
    place: tuple[int | None, int | None, str]  # the source line of the store: see `ValueBuilder.where`


@dataclass(eq=False, repr=False)
class Effects:
    """Stores to objects from outside, and the objects that a replay has to tell apart."""

    waiting: dict[Any, Deferred] = restored(dict)
    # For each attribute's name, the objects from outside in which it was read or stored, and their classes.
    touched: dict[str, dict[fx.Node, Any]] = restored(dict, nested=True)
    stored: set[tuple[fx.Node, str]] = restored(set)  # objects, and names of attributes
    apart: set[tuple[fx.Node, fx.Node]] = restored(set)  # pairs that a guard tells apart
    identified: list[fx.Node] = restored(list)  # objects whose identity was asked for
    changed: set[fx.Node] = restored(set)  # lists, dicts and deques that were stored into
    read_whole: bool = restored(bool)  # the `__dict__` of an object was read
    new_keys: dict[int, set[Any]] = restored(dict, nested=True)  # by the identity of the dict


@dataclass(eq=False, repr=False)
class State(Hooks):
    """The state of one recording.

    After `stop`, and on other threads, the hooks do what Python does and note nothing.
    """

    filename: InitVar[str]
    default_float: np.dtype[Any] | None = field(default=None, metadata={DECLARED: Declared(_OPTION)})
    libraries: InitVar[bool] = True
    builder: GraphBuilder = field(init=False, metadata={DECLARED: Declared("its own fields are restored")})
    effects: Effects = field(
        init=False, default_factory=Effects, metadata={DECLARED: Declared("its own fields are restored")}
    )
    # Options
    fast_random: bool = survives(_OPTION, bool)
    limit: float = survives(_OPTION, lambda: inf)  # seconds of npcompile's own work
    uncompiled: dict[str, Reason] = survives(_OPTION, dict)  # ops that are left to NumPy, by name, and why
    at_hand: Call = survives(_OPTION, current)  # the jitted call that is running
    thread: int = survives(_OPTION, threading.get_ident)
    # Is it still recording, and if not, why?
    active: bool = restored(lambda: True)
    done: bool = restored(bool)
    reason: Reason | None = restored(nothing)  # why the recording was given up
    at: int | None = restored(nothing)  # the user's line at which it was given up
    top: int | None = restored(nothing)  # the line of the function itself that led to it
    exceeded: bool = survives("the time is spent", bool)  # it took too long
    fault: Fault | None = survives("a fault is told whatever is taken back", nothing)
    ended: bool = survives("nothing is taken back after the end", bool)  # the function has returned or raised
    all_shown: bool = survives(_STAYS, bool)  # no stand-in is left in objects that it made
    # Reads from outside, which hold until something may have changed
    reads_seen: dict[Any, tuple[Any, Any]] = restored(dict)  # by place: the value, and the object for it
    type_checked: set[fx.Node] = restored(set)
    held_by_class: dict[tuple[type, str], Any] = restored(dict)  # of user classes (`...`: no attribute)
    not_in_module: dict[Any, tuple[dict[str, Any], str]] = restored(dict)  # modules that lack a name
    gone_into: dict[FunctionType, CodeType] = restored(dict)  # functions that no step gave, with their code
    # Objects that the function has made, by identity
    inner_functions: dict[int, Any] = survives(_STAYS, dict)  # nested functions, rewritten already
    managers: dict[int, Any] = survives(_STAYS, dict)  # context managers of Python's own
    flat_views: dict[int, Any] = survives(_STAYS, dict)
    # Where the recording is: calls, loops
    closures: list[Cells] = survives(_BALANCED, list)  # of the functions being run
    passed_step: fx.Node | None = restored(nothing)  # gave the last result of `passing`
    raised: Any = survives("it is on its way", nothing)  # the last exception whose class is decided
    own_trips: list[int] = survives("no listed function has such", list)  # trips of each loop of the function
    loops_open: int = survives(_BALANCED, int)
    inner_trips: int = survives("the steps are spent", int)  # trips of loops within the outermost one
    inside_numpy: int = survives(_BALANCED, int)  # depth of calls of NumPy's functions written in Python
    inside_masking: int = survives(_BALANCED, int)  # those in `USES_MASKS_IN_PLACE`
    inside_trimming: int = survives(_BALANCED, int)  # those that cut zeros off: `np.roots`, `np.trim_zeros`

    goes_on: ClassVar[bool] = True  # after `stop`, loops go on as the user wrote them

    def __post_init__(self, filename: str, libraries: bool) -> None:
        self.builder = GraphBuilder(filename, libraries)

    def forget(self) -> None:
        """Have everything from outside read again: a call may have changed anything."""
        self.reads_seen.clear()
        self.builder.calls += 1

    def stop(self, reason: Reason) -> None:
        """Give the recording up, for this reason; the call itself goes on."""
        if self.active:
            self.active = False
            self.done = self.goes_on and self.default_float is None and not self.fast_random
            self.at, self.top, elsewhere = self.builder.where()
            self.reason = reason.at(None, elsewhere) if elsewhere else reason
            self.reads_seen.clear()  # objects that nothing else holds die now, as in Python

    def exceed(self) -> None:
        """Give the recording up because it takes too long."""
        self.exceeded = self.exceeded or self.active
        self.stop(Cause.TOO_SLOW())

    def faulted(self, fault: Fault) -> None:
        """Give the recording up for a fault of npcompile's own; the call itself goes on."""
        fault.loud()
        self.fault = self.fault or fault
        self.active, self.reason = False, self.reason or fault.reason
        self.reads_seen.clear()

    def unhook(self) -> None:
        """End the recording: functions that it has made and that live on get the code that the user wrote."""
        self.ended = True
        for function in list(self.inner_functions.values()):
            if (code := unhooked(function.__code__)) is not None:
                function.__code__ = code
        self.inner_functions.clear()

    def let_go(self) -> None:
        """Follow no object any more: NumPy resizes no array that has weak references."""
        self.builder.tracked.clear(self.ended)
        self.builder.roots.clear()

    @property
    def on(self) -> bool:
        """Return True if this thread's operations are recorded."""
        return self.active and threading.get_ident() == self.thread

    def note(self, note: Callable[..., Any], *args: Any) -> Any:
        """Run a note. If it cannot follow Python, or fails, the recording ends; the user's call goes on.

        The last argument is the result that Python gave; it is returned if the note fails.
        """
        try:
            return note(*args)
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
        except Exception as error:
            self.faulted(noting(error))
        return args[-1]
