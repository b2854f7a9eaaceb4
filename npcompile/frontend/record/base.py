"""The state of a recording, and how a hook takes a note without ever failing the user's call."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from math import inf
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from torch import fx

from npcompile.frontend.boundary.faults import Fault, noting
from npcompile.frontend.eager.dispatch import map_arrays
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.graph_builder import Steps
from npcompile.frontend.graph.identity import is_nan
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import layout
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.nested_functions import unhooked
from npcompile.tiering.overhead import current

# Types whose operations are decided by the signature and the decisions made before.
SIMPLE = (list, tuple, dict, str, bytes, set, frozenset, range, slice, type(None), bool, type(Ellipsis))
# Of these, where they come from outside and are long or grow, items are read one by one.
READ_BY_ITEM = (list, tuple, deque)


class Cells(NamedTuple):
    """The closure of a function that is being run."""

    of: dict[str, CellType]
    node: fx.Node | None  # the function itself, where a step gave it: its closure is read from that


class Base(Hooks):
    """The state of one recording. After `stop` (or on another thread) the hooks do what Python does and
    nothing else."""

    goes_on = True  # loops go on as they were written when it has been given up

    def __init__(
        self, filename: str, default_float: np.dtype[Any] | None = None, libraries: bool = True
    ) -> None:
        self.notes = Steps(filename, libraries)
        self.active = True
        self.at_hand = current()
        self.limit = inf  # the seconds of machinery at which the recording is given up
        self.exceeded = False  # it was given up for that
        self.done = False
        self.reason: str | None = None  # why the recording was given up
        self.fault: Fault | None = None  # that was a fault of npcompile's own
        self.at: int | None = None  # the user's line where it was
        self.top: int | None = None  # the line of the function itself that led there
        self.default_float = default_float
        self.fast_random = False
        self.uncompiled: dict[str, str] = {}  # ops that are left to NumPy, by name, and why
        self._thread = threading.get_ident()
        self._inner: dict[int, Any] = {}  # functions made inside: they are rewritten already
        self.ended = False  # what is recorded has answered, or raised
        self._cells: list[Cells] = []  # of the functions being run
        self.not_in_module: dict[Any, tuple[dict[str, Any], str]] = {}  # modules that have no such name
        # What classes of the user's hold that decides something (`...`: nothing).
        self.held_by_class: dict[tuple[type, str], Any] = {}
        self.gone_into: dict[FunctionType, CodeType] = {}  # of the user's, that stay from call to call
        # what has been read from outside: place -> (value, handed on)
        self._seen: dict[Any, tuple[Any, Any]] = {}

    def forget(self) -> None:
        """A call may have changed anything: what is read after it is read again."""
        self._seen.clear()
        self.notes.calls += 1

    def stop(self, reason: str) -> None:
        """Give the recording up; the call itself goes on."""
        if self.active:
            self.active = False
            self.done = self.goes_on and self.default_float is None and not self.fast_random
            self.at, self.top, elsewhere = self.notes.where()
            self.reason = f"{reason} (at {elsewhere})" if elsewhere else reason
            self._seen.clear()  # what nobody else holds dies as it would

    def exceed(self) -> None:
        """Give the recording up, as it takes too long."""
        self.exceeded = self.exceeded or self.active
        self.stop("to record it takes too long")

    def faulted(self, fault: Fault) -> None:
        """Give the recording up for a fault of npcompile's own; the call itself goes on."""
        fault.loud()
        self.fault = self.fault or fault
        self.active, self.reason = False, self.reason or fault.reason
        self._seen.clear()

    def unhook(self) -> None:
        """The recording has ended: functions that it made and that live on are as they were written."""
        self.ended = True
        for function in list(self._inner.values()):
            if (code := unhooked(function.__code__)) is not None:
                function.__code__ = code
        self._inner.clear()

    def let_go(self) -> None:
        """Follow nothing any more: NumPy resizes no array that is referred to weakly."""
        self.notes.tracked.clear()
        self.notes.roots.clear()

    @property
    def on(self) -> bool:
        return self.active and threading.get_ident() == self._thread

    def _note(self, note: Callable[..., Any], *args: Any) -> Any:
        """Run a note; what cannot be followed ends the recording, never the user's call.

        Its last argument is the result that Python gave, and stays the result then.
        """
        try:
            return note(*args)
        except Unfollowed as reason:
            self.stop(str(reason))
        except Exception as error:
            self.faulted(noting(error))
        return args[-1]

    def _mutated(self, container: Any, result: Any) -> Any:
        """A method of a container: fine on one made inside; one from outside would need a store."""
        if self.notes.tracked.get(container) is not None:
            raise Unfollowed("a container from outside is used in place")
        return result

    def _of_set(self, obj: Any) -> None:
        """The length of a set from outside decides: no signature says it."""
        if type(obj) in (set, frozenset) and (node := self.notes.tracked.node(obj)) is not None:
            self.notes.guard("length", len(obj), node)

    def _keys(self, keys: Any, result: Any) -> Any:
        """Which keys of a dict or set are one key is a decision about their values."""
        for key in self.notes.through(keys):
            if type(key) is int and key in self.notes.ids:
                continue
            if is_nan(key):
                raise Unfollowed("a NaN as a key: it matters which one it is")
            if id(key) not in self.notes.objects or not is_plain(type(key), "__hash__", "__eq__"):
                self.notes.ref(key, True)
        return result

    def _refuses(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        if self.notes.devices or self.notes.mapped:
            args, kwargs = layouts(args), layouts(kwargs)
        self.notes.refusal = self.uncompiled.get(op.name) or op.refuses(args, kwargs)
        return self.notes.refusal


def layouts(value: Any) -> Any:
    """Arguments with each device array and memmap as the NumPy array that lies as it does."""
    return map_arrays(value, layout, (Strided, np.memmap))
