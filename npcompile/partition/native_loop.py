"""Runs one loop statement of a function natively: typed and compiled for the types met, entered and left.

The cut function (`frontend/rewrite/native_entry.py`) calls `enter` where the loop stands, and `resume` from
within it once the code is ready. Python goes on wherever native code leaves.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from dataclasses import replace
from itertools import islice
from time import perf_counter as clock
from time import thread_time
from typing import Any

import numpy as np

from npcompile.diagnostics import log
from npcompile.frontend.boundary.faults import Fault, beside
from npcompile.frontend.eager.errstate import traps, warnings_matter
from npcompile.frontend.loop_pipeline import LoopSource, TypedLoop, typed_loop
from npcompile.frontend.loops.entry.closures import is_nested
from npcompile.frontend.loops.entry.objects import Objects, in_order, is_object, objects_of
from npcompile.frontend.loops.entry.unbound import Unbound, with_values
from npcompile.frontend.loops.entry.values import WIDE, type_of
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.loops.quick_entry import Done, Given, QuickEntry, quick_entry
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.frontend.loops.run.frames import end_calls, go_on, pass_through
from npcompile.frontend.loops.run.generators import SHARED, SHARED_GENERATOR, held
from npcompile.frontend.loops.run.iterators import back_by_one, state_of
from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.loops.source.identity import COMPARED, Comparisons
from npcompile.frontend.replay import residency
from npcompile.frontend.rewrite.partition import captured_by_nested, tree_of
from npcompile.lower.loops.codegen.emitter import OVERFLOW, Exit
from npcompile.lower.loops.service.compiler import want_runtime
from npcompile.lower.loops.types import Known
from npcompile.lower.native import native
from npcompile.partition.large_arrays import LARGEST, is_large
from npcompile.partition.loop_entry import RANGE_ITERATOR, Entry, length_of, state_at, why_not_held
from npcompile.runtime.deadlines import seconds_until
from npcompile.tiering.backoff import UNBOUNDED
from npcompile.tiering.contest import are_held
from npcompile.tiering.deferred_calls import later
from npcompile.tiering.fewest_trips import FewestTrips
from npcompile.tiering.first_trips import FirstTrips
from npcompile.tiering.leave_budget import LeaveBudget
from npcompile.tiering.overhead import is_unlimited
from npcompile.tiering.typing_budget import TypingBudget

MAX_TYPED = 8  # combinations of types of one loop that are compiled
MAX_UNHELD = 2  # entries by types that native loops do not hold, after which the loop stays Python's
MISSING: Any = object()
OFTEN_ENTERED = 8  # entries of one loop after which the native runtime is built, if there is none
ENTERING = 2e-6  # seconds of an entry without Python that are no work
# A loop that rests is done as written without a look at native code where Python takes fewer seconds for it.
SHORT = 1e-4
# The reason of a leave that raises nothing, where no other is known: a check of the statement failed.
NO_ANSWER = "a value that native code does not hold"
_SIZED = frozenset((range, list, tuple))  # loops over these have as many trips as items

# An entry that was made: how long native code has worked, when the thread left it, and its result.
Entered = tuple[float, float, Done]


class NativeLoop:
    """One loop statement of one function.

    ready: native code waits to be entered by a loop that runs. once: the statement is done within a loop of
    one trip. unsure: names that it is given and that may have no value, for which `unbound` stands.
    """

    unbound = Unbound
    once = False
    is_whole = False  # it is the whole body of its function
    _comparisons: Comparisons | None = None  # of the function around it

    def __init__(self, node: ast.stmt, source: LoopSource, within: Any) -> None:
        self.node, self.source, self.within = node, source, within
        fn = within.owner.__wrapped__
        code = fn.__code__
        self.file: str = code.co_filename
        local = {*code.co_varnames, *code.co_cellvars}
        self._captured = frozenset(code.co_cellvars)
        self._made_here, bound = captured_by_nested(fn)
        self.takes = tuple(name for name in self.source.reads if name in local)
        self._bound_by_nested = bound.intersection(self.takes)
        self.unsure: frozenset[str] = frozenset()
        self._outer = tuple(name for name in self.source.reads if name not in local)
        self._cells = dict(zip(code.co_freevars, fn.__closure__ or (), strict=True))
        self._globals = fn.__globals__
        self._numbers = self._ints_outside()  # that have stayed the same so far
        self._scope = Scope(fn)
        self._typed: dict[Any, TypedLoop | None] = {}
        self._paths = source.paths  # attributes of objects, as `self.x`
        self._unsigned: set[str] = set()  # names that were found to take ints of unsigned 64 bits
        # Entries without Python, each for the types of its native code; the one that was used last is first.
        self._quick: list[tuple[TypedLoop, QuickEntry]] = []
        self._entries: dict[TypedLoop, QuickEntry | None] = {}
        self._pending: list[TypedLoop] = []  # those of which it is not known that they are compiled
        self.ready = False
        self._typing = TypingBudget(source.flow.size, within.root.allowance)
        self._first = FirstTrips(within.root.allowance)
        self._unheld = 0  # entries with types that native loops do not hold
        self.trips = FewestTrips(settled=not are_held())
        self.budget = LeaveBudget(is_unlimited())
        self.fewest = 0  # loops of fewer trips are done as written
        self._python_began = 0.0  # when Python began a loop that rests; 0: none
        self.entries = 0  # entries of native code
        self._worked = 0.0  # seconds that native code has worked
        self.leaves = 0  # times that it left before the loop was done
        self.left: dict[tuple[int, str], int] = {}  # likewise, by line and reason

    # -- the cut function's calls ------------------------------------------------------------------------

    def enter(self, iterator: Any, *values: Any) -> Outcome | None:
        """Do the loop natively as far as that goes; None where the loop is the cut function's to do."""
        self._python_began = 0.0
        residency.settle()
        if self.budget.rests and self._is_pythons():
            return Outcome(rest=iterator)
        if self._errors_matter():
            return None
        if self._quick:
            if not self.trips.settled and self.trips.asks_python(length_of(iterator)):
                return Outcome(rest=iterator)
            start, before = clock(), self._worked
            if (found := self._enter_quickly(iterator, values)) is not None:
                self.within.entered = True
                outcome = self._done(found[0], start, found[1], iterator, values)
                if not self.trips.settled:
                    self._note_native(clock() - start, self._worked - before)
                return outcome
        began, known = thread_time(), self.within.typed
        entry = None if self._typing.is_pythons and not self._typed else self._entry(iterator, values)
        typed = None if entry is None else self._find(entry)
        if entry is None or typed is None or not typed.job.done:
            if known == self.within.typed:
                self._note_time(0.0, thread_time() - began)
        if entry is None or typed is None:
            if self._typing.tell_if_postponed(self._make_ready):
                return Outcome(rest=iterator)
            self._refuse_if_never_held(entry, iterator)
            return None
        if any(is_large(entry.names.get(name)) for name in typed.takes_whole):
            return None
        self.within.entered = True
        if not self.within.root.always_waits and (self._first.left or not typed.job.done):
            self.ready = False
            typed.job.tell(self._make_ready)
            return Outcome(rest=iterator)
        if not typed.job.done:
            with log.waiting(self.within.root.name):
                typed.job.wait()
        if typed.job.error is not None:  # since it was found
            self.refuse(str(typed.job.error))
            return None
        if not self.trips.settled and self.trips.asks_python(length_of(iterator)):
            return Outcome(rest=iterator)
        self._keep(typed, entry)
        start, before = clock(), self._worked
        outcome = self._run(typed, entry)
        if not self.trips.settled:
            self._note_native(clock() - start, self._worked - before)
        return outcome

    def _enter_quickly(self, iterator: Any, values: tuple[Any, ...]) -> tuple[TypedLoop, Done] | None:
        """Enter native code without Python; None where it has none for the values' types, or they are
        large."""
        for place, quick in enumerate(self._quick):
            typed, entry = quick
            if typed.takes_whole and any(map(is_large, values)):
                continue
            if (done := entry(iterator, *values)) is not None:
                if place:
                    self._quick.remove(quick)
                    self._quick.insert(0, quick)
                return typed, done
        return None

    def _note_native(self, seconds: float, worked: float) -> None:
        """Note how long native code took for a loop, and how long it worked."""
        self.trips.note_native(seconds, worked)
        self.fewest = self.trips.fewest

    def _keep(self, typed: TypedLoop, entry: Entry) -> None:
        """Enter native code without Python from now on where values have the types of this entry's."""
        if typed in self._entries:
            return
        if (runtime := native.loaded()) is None:
            if self.entries >= OFTEN_ENTERED:
                want_runtime()
            return
        given = Given(
            typed.exchange.layout,
            typed.region.wide,
            entry.unsigned,
            typed.assumed,
            self.takes,
            self.source.flow.state,
            lambda name: self._cells.get(name, self._globals),
            entry.names,
            entry.objects,
            typed.takes_whole,
            LARGEST,
        )
        quick = None if self._bound_by_nested else quick_entry(runtime, typed.job.function, given)
        self._entries[typed] = quick
        if quick is not None:
            self._quick.insert(0, (typed, quick))

    def _refuse_if_never_held(self, entry: Entry | None, iterator: Any) -> None:
        """Leave the loop to Python from now on if none of its first entries had types for native code."""
        self._unheld += 1
        if self._unheld == MAX_UNHELD and not self.typed:
            names = {} if entry is None else entry.names
            bound = ", ".join(f"`{name}`" for name in sorted(self._bound_by_nested))
            if bound and not names:
                return self.refuse(f"{bound}, which nested functions bind")
            self.refuse(*why_not_held(names, self.node, iterator))

    def refuse(self, why: str, line: int | None = None) -> None:
        """Leave the loop to Python from now on. line: where the reason lies."""
        self.within.refuse(self.node, Refusal(why, line))

    @staticmethod
    def own(iterable: Any, iterator: Any) -> Any:
        """Return an iterator that the loop alone holds: others may hold the one that it is given."""
        return islice(iterator, None) if iterator is iterable else iterator

    def is_short(self, iterable: Any) -> bool:
        """Tell if a loop is done as written, as it has few trips or rests."""
        if self.budget.rests:
            if self.budget.is_python():
                return True
            self.fewest = self.trips.fewest
        if type(iterable) in _SIZED or (type(iterable) is np.ndarray and iterable.ndim):
            return len(iterable) < self.fewest
        return iterable is True and self.trips.rests()

    def written(self) -> None:
        """Note that a loop that was entered has been done as written."""
        if self._python_began:
            seconds, self._python_began = thread_time() - self._python_began, 0.0
            self.budget.note_python(seconds)
            if seconds < SHORT:
                self.fewest = UNBOUNDED
        else:
            self.trips.note_python()
            self.fewest = self.trips.fewest

    def _is_pythons(self) -> bool:
        """Tell if the loop at hand is Python's, as native code has left too often; it is timed then."""
        if self.budget.is_python():
            self._python_began = thread_time()
            return True
        self.fewest = self.trips.fewest
        return False

    def _note_worked(self, seconds: float) -> None:
        self._worked += seconds
        self.within.root.worked += seconds

    @property
    def worked(self) -> float:
        """Seconds that native code has worked for this loop."""
        return self._worked

    def _note_time(self, earned: float, spent: float) -> None:
        """Note how long native code has worked, and how long all else of an entry has taken."""
        self._note_worked(earned)
        if self.budget.note(earned, spent):
            self.within.owner.own_stats.loop_rests += 1

    def cut_done(self) -> None:
        """Note that the cut function has done a loop that was not entered."""

    def resume(self, iterator: Any, *values: Any) -> Outcome | None:
        """Go on natively from a trip that is about to be made, whose item was taken from the iterator."""
        self.ready = False
        if self._errors_matter():
            return None
        entry = self._entry(iterator if iterator is True else back_by_one(iterator), values)
        typed = self._compiled(entry)
        return None if entry is None or typed is None else self._run(typed, entry)

    def _errors_matter(self) -> bool:
        """Tell if NumPy is to raise or tell floating-point errors, by settings made since the call began."""
        return traps() or (warnings_matter() and warnings.filters is not self.within.root.filters)

    def _make_ready(self) -> None:
        if left := self._first.left:
            later(left, self._make_ready)
            return
        self.budget = LeaveBudget(is_unlimited())
        self.fewest, self.ready = self.trips.fewest, True

    def wait_until(self, deadline: float | None) -> None:
        """Wait until no native code of this loop is being compiled, and what enters it quickly is there."""
        waits = [typed.job.wait for typed in self.typed]
        for wait in [*waits, want_runtime().wait] if waits else []:
            wait(seconds_until(deadline))

    @property
    def typed(self) -> list[TypedLoop]:
        """The native code of each combination of types that was met."""
        return [typed for typed in self._typed.values() if typed is not None]

    @property
    def is_pending(self) -> bool:
        """Tell if native code is being compiled."""
        if self._pending:
            self._pending = [typed for typed in self._pending if not typed.job.done]
        return bool(self._pending)

    # -- types -------------------------------------------------------------------------------------------

    def _entry(self, iterator: Any, values: tuple[Any, ...]) -> Entry | None:
        """Return the names' values at the entry; None where native loops do not hold one of them."""
        names = dict(zip(self.takes, values, strict=True))
        for name in self._outer:
            value = self._outside(name)
            if value is MISSING:
                return None
            names[name] = value
            if name in self._numbers and value is not self._numbers[name]:
                del self._numbers[name]
        if self.source.flow.state is not None:
            state = state_at(iterator)
            if state is None:
                return None
            names[self.source.flow.state] = state
        objects = None
        if self._paths or any(is_nested(value) or is_object(value) for value in values):
            objects = objects_of(names, self._paths, self.takes, self._globals, self.source.tables)
        if objects is not None:
            objects.name_variables(self._made_here, self._captured)
        if self._bound_by_nested and (objects is None or not self._read_cells(names, objects)):
            return None
        names = names if objects is None else names | objects.values
        constants = frozenset(self._numbers)
        return Entry(names, objects, self._unsigned, constants, self.takes, self._globals)

    def _read_cells(self, names: dict[str, Any], objects: Objects) -> bool:
        """Read the variables that nested functions bind, as these may have run; tell if that can be done."""
        try:
            for name in self._bound_by_nested:
                names[name] = objects.own_cells[name].cell_contents
        except (KeyError, ValueError):
            return False
        return True

    def _scope_of(self, objects: Objects | None) -> Scope:
        """Return the scope of the region in the call at hand."""
        if objects is None or not self._bound_by_nested:
            return self._scope
        return replace(self._scope, own={name: objects.own_cells[name] for name in self._bound_by_nested})

    def _ints_outside(self) -> dict[str, int]:
        """Return the ints among the values of names that the function does not bind."""
        values = {name: self._outside(name) for name in self._outer}
        return {name: one for name, one in values.items() if type(one) is int and abs(one) < 1 << 63}

    def _outside(self, name: str) -> Any:
        """Return the value of a name that the function does not bind."""
        if name == SHARED:
            return SHARED_GENERATOR
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:
                return MISSING
        return self._globals.get(name, getattr(builtins, name, MISSING))

    def _end(self, fault: Fault) -> None:
        """Leave the loop to Python, as npcompile failed before native code has begun."""
        fault.loud()
        self.refuse(str(fault.reason))

    @beside(_end)
    def _find(self, entry: Entry) -> TypedLoop | None:
        """Return the native code for the types of these names; None where there is to be none."""
        key = entry.key
        typed = self._typed.get(key, MISSING)
        if typed is MISSING:
            typed = None
            if key is not None and len(self._typed) < MAX_TYPED:
                typed = self._typing.do(lambda: self._make(entry), self.within.root.has_to_wait)
                if self._typing.postponed:
                    return None
            self._typed[entry.key] = typed
        if typed is None or not typed.holds():
            return None
        if typed.job.error is not None:
            self.refuse(str(typed.job.error))
            return None
        return typed

    def _compiled(self, entry: Entry | None) -> TypedLoop | None:
        """Return the native code for an entry within the loop; None where none is compiled."""
        typed = None if entry is None else self._find(entry)
        if typed is None:
            self._typing.tell_if_postponed(self._make_ready)
            return None
        if not typed.job.done:  # the trips so far have changed the types of names
            typed.job.tell(self._make_ready)
            return None
        return typed

    def _make(self, entry: Entry) -> TypedLoop | None:
        """Type the loop for these names and have it compiled; None where native code would not pay."""
        while True:
            typed = self._type(entry)
            if typed is not None and self._learn_unsigned(typed, entry):
                continue
            wanted = frozenset() if typed is None else typed.wanted.difference(self._paths)
            if not wanted:
                break
            self._paths = tuple(in_order({*self._paths, *wanted}))
            if entry.objects is None:
                return None  # the next entry reads them
            entry.add_attributes(self._paths)
        if typed is None:
            return None
        if (refusal := self._refusal(typed)) is not None:
            self.refuse(*refusal)
            return None
        self.within.owner.own_stats.native_loops += 1
        self._pending.append(typed)
        return typed

    def _learn_unsigned(self, typed: TypedLoop, entry: Entry) -> bool:
        """Note which names take ints of unsigned 64 bits; tell if that changes the types at an entry."""
        before = entry.key
        self._unsigned |= typed.unsigned
        return bool(entry.key != before)

    def _type(self, entry: Entry) -> TypedLoop | None:
        """Type the loop for these names; None where one of them has no type."""
        objects = {} if entry.objects is None else entry.objects.names
        names = {name: value for name, value in entry.names.items() if name not in objects}
        types = {name: type_of(value, name in entry.unsigned) for name, value in names.items()}
        types |= {name: Known(names[name]) for name in entry.constants}
        known = {name: kind for name, kind in types.items() if kind is not None}
        if len(known) < len(types):
            return None
        wide = frozenset(name for name, value in names.items() if entry.key_of(name, value) is WIDE)
        self.within.typed += 1
        wanted_by = log.function_at(self.within.owner.__wrapped__.__name__, self.file, self.node.lineno)
        return typed_loop(self.source.flow, known, wide, entry.objects, wanted_by)

    def _refusal(self, typed: TypedLoop) -> Refusal | None:
        """Return why native code for some types is not worth making; None where it is."""
        if typed.refusal is None and not typed.goes_over_items:
            return Refusal("each trip is work on whole arrays")
        return typed.refusal or self._by_identity(typed)

    def _by_identity(self, typed: TypedLoop) -> Refusal | None:
        """Return a refusal where the function around the loop tells numbers apart that it binds."""
        if self._comparisons is None:
            function = tree_of(self.within.owner.__wrapped__)[0]
            self._comparisons = Comparisons(function if self.is_whole else self.node, function)
        apart = self._comparisons.tell_numbers_apart(typed.may_be_number)
        return Refusal(COMPARED, self.node.lineno) if apart else None

    # -- runs --------------------------------------------------------------------------------------------

    def _done(
        self, typed: TypedLoop, start: float, done: Done, iterator: Any, values: tuple[Any, ...]
    ) -> Outcome:
        """Return the outcome of an entry without Python, after Python has gone on where native code left.

        start: when it began.
        """
        number, words, raised, held = done
        worked = clock() - start
        returned = typed.returns[number]
        if returned is not None and not typed.exchange.has_value(returned, words):
            returned = None
        if raised is None and (typed.finishes[number] or returned is not None):
            self._note_worked(worked)
            self.entries += 1
            self.within.owner.own_stats.loop_entries += 1
            over = () if type(iterator) is RANGE_ITERATOR or iterator is True else (state_of(iterator),)
            given = values + over if held is None else values + over + held.values
            keeps = typed.keeps if returned is None else typed.keeps | {returned}
            names = typed.exchange.unpack(words, arrays_in(given), keeps)
            if held is not None:
                held.store(names)
            if returned is not None:
                return Outcome(names, returns=True, value=names[returned])
            return Outcome(names)
        left, entry = thread_time(), self._entry(iterator, values)
        assert entry is not None
        if held is not None:
            entry.take(held.named_values())
        return self._run(typed, entry, (max(worked - ENTERING, 0.0), left, done))

    def _run(self, typed: TypedLoop, entry: Entry, begun: Entered | None = None) -> Outcome:
        """Do the loop natively; where native code leaves go on in Python, and natively again with the next
        trip, as long as the budget lasts. begun: the first entry, if it was made."""
        bound: dict[str, Any] = {}  # names that were bound before native code was entered again
        began = thread_time()
        self.budget.begin()
        while True:
            names, objects = entry.names, entry.objects
            self.entries += 1
            self.within.owner.own_stats.loop_entries += 1
            worked, left, (number, words, raised, _) = begun or self._entered(typed, names)
            spent, begun = 0.0 if begun else max(left - began - worked, 0.0), None
            arrays = arrays_in(names.values())
            if raised is None and typed.finishes[number]:
                self._note_time(worked, 0.0)
                last = typed.exchange.unpack(words, arrays, typed.keeps)
                if objects is not None:
                    objects.store(last)
                return Outcome(bound | last if bound else last)
            exit_ = typed.exits[number]
            found, frames = typed.unpack(words, arrays, objects)
            names = with_values(names | found)
            if objects is not None:
                for one in (found, *(own for _, _, own in reversed(frames))):
                    objects.store(one)
            if raised is not None:
                error = pass_through(frames, raised)
                return Outcome(bound | self._visible(names), error=error, line=self.node.lineno)
            outcome = go_on(self.source.flow, exit_, names, self._scope_of(objects), end_calls(frames))
            outcome.names = bound = bound | outcome.names
            now = thread_time()
            self._note_time(worked, spent + now - left)
            if outcome.rest is not None or outcome.error is not None or exit_.why is not None:
                self._note_leave(exit_, outcome)
            if outcome.rest is None:
                return outcome
            if exit_.place == (0, 0) or self.budget.rests:  # at the first, no trip was made
                return outcome
            began, known = now, self.within.typed
            again = self._again(outcome, names)
            if again is None:
                return outcome
            if known != self.within.typed:
                began = thread_time()
            typed, entry = again

    @staticmethod
    def _entered(typed: TypedLoop, names: dict[str, Any]) -> Entered:
        """Enter native code with these names."""
        if typed.exchange.draws:
            with held(names.values()):
                return NativeLoop._entered_now(typed, names)
        return NativeLoop._entered_now(typed, names)

    @staticmethod
    def _entered_now(typed: TypedLoop, names: dict[str, Any]) -> Entered:
        words = typed.exchange.pack(names)
        address = typed.exchange.address(words)
        start = clock()
        try:
            number, raised = typed.job.function(address), None
        except BaseException as error:  # by a signal's handler: Ctrl-C
            number, raised = 0, error.with_traceback(None)
        return clock() - start, thread_time(), (number, words, raised, None)

    def _note_leave(self, exit_: Exit, outcome: Outcome) -> None:
        """Count a leave by its line and its reason. outcome: that of Python's going on."""
        stats = self.within.owner.own_stats
        self.leaves += 1
        stats.loop_leaves += 1
        stats.loop_overflows += exit_.why == OVERFLOW
        error = outcome.error
        why = exit_.why or (NO_ANSWER if error is None else type(error).__name__)
        line = self.source.flow.blocks[exit_.place.block].line_at(exit_.place.step) or self.node.lineno
        self.left[line, why] = self.left.get((line, why), 0) + 1
        reason = f"line {line}: {why}"
        stats.leave_reasons[reason] = stats.leave_reasons.get(reason, 0) + 1

    def _missing(self, name: str) -> Any:
        """Return what stands for the value of a name that has none."""
        return Unbound if name in self.unsure else MISSING

    def _visible(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the user's names among those that the region binds."""
        return {name: value for name, value in names.items() if name in self.source.flow.stored}

    def _again(self, outcome: Outcome, names: dict[str, Any]) -> tuple[TypedLoop, Entry] | None:
        """Return the entry that goes on natively after Python has ended a trip; None where none does."""
        if self._errors_matter():
            return None
        values = [outcome.names.get(name, names.get(name, self._missing(name))) for name in self.takes]
        is_missing = any(value is MISSING for value in values)
        entry = None if is_missing else self._entry(outcome.rest, tuple(values))
        typed = self._compiled(entry)
        if entry is None or typed is None:
            return None
        return typed, entry._replace(names=self._visible(outcome.names) | entry.names)
