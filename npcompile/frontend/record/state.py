"""The state of a recording, and how a hook takes a note without ever failing the user's call.

`recording.Recording` adds the hooks, `recorder.Recorder` the order of their handlers. Neither holds state.
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
from npcompile.frontend.eager.dispatch import map_arrays
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.graph.graph_builder import GraphBuilder
from npcompile.frontend.graph.recorded_state import DECLARED, Declared, nothing, restored, survives
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import layout
from npcompile.frontend.program.object_steps import Store
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.nested_functions import unhooked
from npcompile.tiering.overhead import Call, current

# Types whose operations are decided by the signature and the decisions made before.
SIMPLE = (list, tuple, dict, str, bytes, set, frozenset, range, slice, type(None), bool, type(Ellipsis))
# Of these, where they come from outside and are long or grow, items are read one by one.
READ_BY_ITEM = (list, tuple, deque)


class Cells(NamedTuple):
    """The closure of a function that is being run."""

    of: dict[str, CellType]
    node: fx.Node | None  # the function itself, where a step gave it: its closure is read from that


_OPTION = "an option of the recording"
_STAYS = "what the function made or was shown stays"
_BALANCED = "who enters leaves"


class Deferred(NamedTuple):
    """A store that is yet to become a step."""

    obj: Any
    store: Store
    value: Any
    place: tuple[int | None, int | None, str]  # where it is done: see `ValueBuilder.where`


@dataclass(eq=False, repr=False)
class Effects:
    """Stores to what comes from outside, and what they have to be told apart from."""

    waiting: dict[Any, Deferred] = restored(dict)
    # For each attribute's name, the objects from outside in which it was read or stored, and their classes.
    touched: dict[str, dict[fx.Node, Any]] = restored(dict, nested=True)
    stored: set[tuple[fx.Node, str]] = restored(set)  # attributes
    apart: set[tuple[fx.Node, fx.Node]] = restored(set)  # that are checked to be two objects
    identified: list[fx.Node] = restored(list)  # objects from outside of which the identity was asked
    changed: set[fx.Node] = restored(set)  # lists, dicts and deques that were stored into
    read_whole: bool = restored(bool)  # what objects hold was read as a whole
    new_keys: dict[int, set[Any]] = restored(dict, nested=True)  # stored into dicts, by their identity


@dataclass(eq=False, repr=False)
class State(Hooks):
    """The state of one recording. After `stop` (or on another thread) the hooks do what Python does and
    nothing else."""

    filename: InitVar[str]
    default_float: np.dtype[Any] | None = field(default=None, metadata={DECLARED: Declared(_OPTION)})
    libraries: InitVar[bool] = True
    builder: GraphBuilder = field(init=False, metadata={DECLARED: Declared("its own fields are restored")})
    effects: Effects = field(
        init=False, default_factory=Effects, metadata={DECLARED: Declared("its own fields are restored")}
    )
    # Options
    fast_random: bool = survives(_OPTION, bool)
    limit: float = survives(_OPTION, lambda: inf)  # the seconds of machinery at which it is given up
    uncompiled: dict[str, Reason] = survives(_OPTION, dict)  # ops that are left to NumPy, by name, and why
    at_hand: Call = survives(_OPTION, current)  # the call that is recorded
    thread: int = survives(_OPTION, threading.get_ident)
    # Status
    active: bool = restored(lambda: True)
    done: bool = restored(bool)
    reason: Reason | None = restored(nothing)  # why the recording was given up
    at: int | None = restored(nothing)  # the user's line where it was
    top: int | None = restored(nothing)  # the line of the function itself that led there
    exceeded: bool = survives("the time is spent", bool)  # it was given up for that
    fault: Fault | None = survives("a fault is told whatever is taken back", nothing)
    ended: bool = survives("nothing is taken back after the end", bool)  # it has answered, or raised
    all_shown: bool = survives(_STAYS, bool)  # what the function made holds what Python would have in it
    # What was read, and is taken to be as it was
    reads_seen: dict[Any, tuple[Any, Any]] = restored(dict)  # place: value, and what was handed on
    type_checked: set[fx.Node] = restored(set)
    held_by_class: dict[tuple[type, str], Any] = restored(dict)  # by classes of the user's (`...`: nothing)
    not_in_module: dict[Any, tuple[dict[str, Any], str]] = restored(dict)  # modules that lack a name
    gone_into: dict[FunctionType, CodeType] = restored(dict)  # the user's that stay from call to call
    # What was made inside
    inner_functions: dict[int, Any] = survives(_STAYS, dict)  # they are rewritten already
    managers: dict[int, Any] = survives(_STAYS, dict)  # context managers of Python's own
    flat_views: dict[int, Any] = survives(_STAYS, dict)
    # What is being done
    closures: list[Cells] = survives(_BALANCED, list)  # of the functions being run
    passed_step: fx.Node | None = restored(nothing)  # of what the next hook is given, which is not followed
    raised: Any = survives("it is on its way", nothing)  # the last exception that was decided
    own_trips: list[int] = survives("no listed function has such", list)  # of the function's own loops
    loops_open: int = survives(_BALANCED, int)
    inner_trips: int = survives("the steps are spent", int)  # of loops inside the outermost
    inside_numpy: int = survives(_BALANCED, int)  # calls of listed functions that are being recorded
    inside_masking: int = survives(_BALANCED, int)  # those that pick by masks what may stay at full length
    inside_trimming: int = survives(_BALANCED, int)  # those in which the zeros of a few numbers decide

    goes_on: ClassVar[bool] = True  # loops go on as they were written when it has been given up

    def __post_init__(self, filename: str, libraries: bool) -> None:
        self.builder = GraphBuilder(filename, libraries)

    def forget(self) -> None:
        """A call may have changed anything: what is read after it is read again."""
        self.reads_seen.clear()
        self.builder.calls += 1

    def stop(self, reason: Reason) -> None:
        """Give the recording up; the call itself goes on."""
        if self.active:
            self.active = False
            self.done = self.goes_on and self.default_float is None and not self.fast_random
            self.at, self.top, elsewhere = self.builder.where()
            self.reason = reason.at(None, elsewhere) if elsewhere else reason
            self.reads_seen.clear()  # what nobody else holds dies as it would

    def exceed(self) -> None:
        """Give the recording up, as it takes too long."""
        self.exceeded = self.exceeded or self.active
        self.stop(Cause.TOO_SLOW())

    def faulted(self, fault: Fault) -> None:
        """Give the recording up for a fault of npcompile's own; the call itself goes on."""
        fault.loud()
        self.fault = self.fault or fault
        self.active, self.reason = False, self.reason or fault.reason
        self.reads_seen.clear()

    def unhook(self) -> None:
        """The recording has ended: functions that it made and that live on are as they were written."""
        self.ended = True
        for function in list(self.inner_functions.values()):
            if (code := unhooked(function.__code__)) is not None:
                function.__code__ = code
        self.inner_functions.clear()

    def let_go(self) -> None:
        """Follow nothing any more: NumPy resizes no array that is referred to weakly."""
        self.builder.tracked.clear()
        self.builder.roots.clear()

    @property
    def on(self) -> bool:
        return self.active and threading.get_ident() == self.thread

    def note(self, note: Callable[..., Any], *args: Any) -> Any:
        """Run a note; what cannot be followed ends the recording, never the user's call.

        Its last argument is the result that Python gave, and stays the result then.
        """
        try:
            return note(*args)
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
        except Exception as error:
            self.faulted(noting(error))
        return args[-1]


def layouts(value: Any) -> Any:
    """Arguments with each device array and memmap as the NumPy array that lies as it does."""
    return map_arrays(value, layout, (Strided, np.memmap))
