"""The recordings of a jitted function as a whole, what its blocks and callees share with it, and its handle.

`jit.py` has the jitted function as users see it: a handle.
"""

from __future__ import annotations

import contextlib
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.not_compiled import NotCompiledError, warn
from npcompile.diagnostics.reason import Cause
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog.called_libraries import calls_libraries
from npcompile.frontend.pipeline import Traced
from npcompile.frontend.program.program import Program
from npcompile.frontend.rewrite.long_loops import goes_over_many
from npcompile.frontend.rewrite.partition import goes_as_before, must_be_cut, tree_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.lower.plan.attributes import source_place
from npcompile.partition.loops_left import with_loops_left
from npcompile.partition.partitioned import PartitionedFunction
from npcompile.partition.suitability import done_for_effect, recurs_over_items
from npcompile.runtime import fast_path
from npcompile.runtime.function import MAX_MISSES, RecordedFunction
from npcompile.runtime.recording_families import Family, family_of
from npcompile.runtime.request import ONWARD, Request
from npcompile.runtime.specialization import Specialization
from npcompile.tiering.compile_budget import CompileBudget
from npcompile.tiering.contest import CrowdedSignatures
from npcompile.tiering.overhead import Allowance
from npcompile.tiering.recording_budget import WHOLE, RecordingBudget
from npcompile.tiering.statement_profile import Watch


class RootFunction(RecordedFunction):
    """A jitted function with its recordings, which its blocks and callees are parts of."""

    __slots__ = (
        "_earns",
        "_family",
        "_rest",
        "_told",
        "allowance",
        "balances",
        "block_stats",
        "callees",
        "filters",
        "own",
        "session",
        "spending",
        "worked",
    )
    _earns: bool | None  # its calls have to earn the work done for it; None: unknown yet
    _direct = True
    tries_again = True
    root = property(lambda self: self)
    is_root = True
    # Leaves of signatures that are the function's own: itself, where it shares programs with others of its
    # code.
    own: tuple[Any, ...]

    def __init__(
        self,
        fn: Callable[..., Any],
        wait: bool,
        strict: bool,
        default_float: np.dtype[Any] | None,
        fast_random: bool,
    ) -> None:
        self._family: Family | None = None
        self.own = ()
        self._rest = 0  # the number of next calls that are not recorded
        super().__init__(fn, wait, strict, default_float, Stats(), [])
        self.fast_random = fast_random
        # The jitted callees that Python between blocks calls, by the function, or by the key that all
        # functions made by one `def` share.
        self.callees: dict[Any, Any] = {}
        self.balances: dict[Any, RecordingBudget] = {}  # of the places in it
        self.spending = CompileBudget()
        self.allowance = Allowance()
        self.worked = 0.0  # seconds that native code of loops has worked
        self.filters: Any = None  # of warnings, where a call that was cut into blocks began
        self.session: Watch | None = None  # the watch of the call at hand, while one is measured
        self._told: tuple[str, ...] = ()  # places of which it was told that they cost
        self.block_stats = Stats()  # counts of the function's blocks, and of functions that it calls
        if not strict and (family := family_of(fn, (wait, default_float, fast_random))) is not None:
            if family.parted:
                self._rest = family.rest()
            else:
                self._family, self.own = family, (fn,)
                family.take(self)

    @property
    def stats(self) -> Stats:
        """Counts of what the function and its blocks did."""
        if self._front is not None:
            self._front.settle()
        return with_loops_left(self, self.own_stats.with_blocks(self.block_stats))

    @property
    def has_options(self) -> bool:
        """Tell if calls may give other values than the plain function's."""
        return self.default_float is not None or self.fast_random

    def _is_to_earn(self) -> bool:
        """Tell if first calls may spend no more than later ones, as the function calls libraries."""
        if self._earns is None:
            self._earns = not self.is_strict and calls_libraries(self.__wrapped__)
            if self._earns:
                self.allowance.first = False
        return self._earns

    def _before_recording(self, request: Request) -> Any:
        """Python answers calls of a function that is one of many of its kind, and short-lived; none answers
        where that is refused. Its signature may spend what a first call may, and its family may be left."""
        state = request.state = self.by_signature.get(request.key)
        if (state is None or (state.ready and not state.pending)) and not self._is_to_earn():
            self.allowance.begin(state is not None, self.has_to_wait)
        if self._rest:
            self._rest -= 1
            self.note(Cause.SHORT_LIVED(), self.at(None))
            return self._plain(request.args, request.kwargs)
        if self._family is not None and (self._family.parted or self._is_full(state)):
            self._leave_family()
            state = None
        if state is not None and state.refused is not None and self.is_strict:
            raise NotCompiledError(state.refused)
        return ONWARD

    ways = (RecordedFunction._by_replay, _before_recording, *RecordedFunction.ways_without_replay)

    def tell(self, where: str, what: str, instead: str) -> None:
        """Warn, once for each place, of code that runs uncompiled and costs time; strict=True: raise it."""
        if where in self._told:
            return
        self._told += (where,)
        text = f"{self.name}: {where}: {what}; instead: {instead}"
        if self.is_strict:
            raise NotCompiledError(text)
        warn(text)

    def gave_up(self) -> None:
        self.note(Cause.NUMPY_FASTER(), self.at(None))

    def _start_anew(self) -> None:
        self._earns = None
        if self._family is not None:
            self._family, self.own = None, ()
            self._lock = threading.Lock()
            self.balance, self.balances, self.spending = RecordingBudget(WHOLE), {}, CompileBudget()
            self.kept_programs, self._uncompiled, self._kinds = [], {}, set()
            self._crowd = CrowdedSignatures()
        super()._start_anew()

    def share_nothing(self) -> None:
        """Have a function that has not been called be recorded by itself, whatever is known of others of its
        code."""
        self._rest = 0
        self._start_anew()

    def _leave_family(self) -> bool:
        """Leave the family, if there is one, whose programs cannot be this function's. Recordings of it begin
        anew."""
        if self._family is None:
            return False
        self._family.part()
        self._start_anew()
        return True

    def _is_full(self, state: Specialization | None) -> bool:
        """Tell if calls of a signature go more ways than are kept, as closures differ."""
        if state is None or state.pending:
            return False
        return state.count >= self.max_programs or state.misses >= MAX_MISSES

    def _not_followed(self, state: Specialization, traced: Traced) -> None:
        if self._leave_family():
            state = Specialization()  # the family's stays as it is
        super()._not_followed(state, traced)

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        assert traced.program is not None and isinstance(self.__wrapped__, types.FunctionType)
        if not super()._worth(state, traced):
            return False
        if self._family is not None:
            many = state.count > 0 and self._family.differs(self.balance.replays)
            return not ((many or self._is_cut(traced.program)) and self._leave_family())
        try:
            body = tree_of(self.__wrapped__)[0].body
            fn = self.__wrapped__
            if fn.__name__ in fn.__code__.co_names and recurs_over_items(fn, traced.program):
                return self._cut_at_last(state) is None
            if not goes_as_before(fn, traced.program.trips):
                state.partitioned = self._cut_alike(state)
                return state.partitioned is None
        except NotFound:
            return True
        if (done := done_for_effect(traced.program, body)) is None:
            return True
        traced.reason = Cause.EFFECT()
        traced.line, traced.top, _ = source_place(done)
        state.partitioned = self._cut_after(state, traced)
        return state.partitioned is None

    def _is_cut(self, program: Program) -> bool:
        """Tell if the function is cut into blocks though it was recorded whole."""
        fn: Any = self.__wrapped__
        with contextlib.suppress(NotFound):
            body = tree_of(fn)[0].body
            others = recurs_over_items(fn, program) or not goes_as_before(fn, program.trips)
            return others or done_for_effect(program, body) is not None
        return False

    def _goes_over_many(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        fn = self.__wrapped__
        if self._family is not None or not isinstance(fn, types.FunctionType):
            return False
        return goes_over_many(fn, args, kwargs)

    def _cut(self, failed: Traced | None) -> PartitionedFunction | None:
        fn = self.__wrapped__
        if not isinstance(fn, types.FunctionType) or self._family is not None:
            return None
        if failed is None and not must_be_cut(fn):
            return None
        return PartitionedFunction.of(self, self, failed)


class Handle:
    """Holds a root function for users, and is called like it; its attributes are the program's own."""

    __slots__ = ("__dict__", "__root", "__vector", "__weakref__")

    def __init__(self, root: RootFunction) -> None:
        self.__root = root

    def npcompile_root(self) -> RootFunction:
        """Return what it holds."""
        return self.__root

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.__root(*args, **kwargs)
        except BaseException as error:
            assert error.__traceback__ is not None
            error.__traceback__ = error.__traceback__.tb_next  # tracebacks show users' functions alone
            raise

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


performs(Handle.__call__)
fast_path.classes["handle"] = Handle
