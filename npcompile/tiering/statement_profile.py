"""Measures which statements that are left to Python cost, on a few calls of a function cut into blocks.

It does so once compiling is over. A statement that takes more than a tenth of the time is told, once.
"""

from __future__ import annotations

import ast
import functools
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.diagnostics.uncompiled_statements import first_line, reasons_of, why_it_costs
from npcompile.frontend.boundary.faults import Fault, beside
from npcompile.frontend.rewrite.partition import Piece, outline, tree_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.frontend.rewrite.statement_forms import ENTER
from npcompile.tiering.block_contest import is_settled
from npcompile.tiering.contest import computing_seconds, costly_parts
from npcompile.tiering.overhead import current
from npcompile.tiering.protocols import BlockLike, PartitionedLike

clock, wall = time.thread_time, time.perf_counter
# CALLS calls are measured, after one that makes the measuring code. A statement that takes more than PART of
# the time is told, if it takes SECONDS.
CALLS = 3
PART = 0.1
SECONDS = 5e-6
# After this many cuts of a function it is not measured again.
ROUNDS = 4
# As long as kernels are compiled, one call in this many is looked at, past the first.
OFTEN = 8
# One call times at most MOST statements, each of which takes EACH seconds of what the call may spend; later
# ones go on untimed, in loops from the next trip on. A call with room for fewer than LEAST is not measured.
MOST, EACH, LEAST = 1000, 3e-6, 100
# Reasons that any loop over elements has: what keeps this one from being native says more.
_OF_ANY_LOOP = (Cause.LITTLE_EACH_TRIP, Cause.PYTHONS_OWN, Cause.CHANGES_OR_LITTLE)


def _is_jitted(fn: Any) -> bool:
    """Tell if users have jitted a function (or a method's) themselves: it is measured by itself."""
    return hasattr(type(getattr(fn, "__func__", fn)), "npcompile_function")


class _Frame:
    """One function that is being run: the statement at hand, since when, and what blocks took of that."""

    __slots__ = ("inside", "partitioned", "since", "unit")

    def __init__(self, partitioned: PartitionedLike) -> None:
        self.partitioned = partitioned
        self.unit: int | None = None
        self.since = 0.0
        self.inside = 0.0


def _called(partitioned: PartitionedLike, piece: Piece, block: BlockLike | None) -> Any:
    """Return the function that a cut function calls for one of its blocks."""
    return partitioned.as_called(block, piece.function if block is None else block.instead or block)


def _stop(watch: Any, fault: Fault) -> None:
    """A fault in what takes the time: nothing of the function is timed any more."""
    watch._times(False)
    watch.partitioned.watch = None
    watch.root.failed(fault)


class Watch:
    """The measuring of one function, with those that it calls, from when it is cut."""

    def __init__(self, partitioned: PartitionedLike) -> None:
        self.partitioned = partitioned
        self.root = partitioned.root
        self.thread = 0
        self.frames: list[_Frame] = []
        self.made: dict[PartitionedLike, tuple[Callable[..., Any], list[ast.stmt]]] = {}
        self.spent: dict[tuple[PartitionedLike, int], float] = {}  # in the call at hand
        # The time of each call: all of it, and by statement.
        self.calls: list[tuple[float, dict[tuple[PartitionedLike, int], float]]] = []
        # Where functions that are measured find what to call: what takes its time, and what gives it plain.
        self.cells: list[tuple[types.CellType, Any, Callable[[], Any]]] = []
        self.timed, self.most = 0, 0.0  # statements of the call at hand, and how many may be
        self.enough = False  # of these: nothing of the call at hand is timed any more
        self.until = 0.0, 0.0  # since when, by either clock
        self.looks = 0  # calls at which something may still have been compiled
        self.quiet = False  # nothing was recorded at the last call, and nothing is being compiled
        self.overhead = self._overhead()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function, measured where it is time for that."""
        if self.root.session is not None:  # a call within a call, or of another thread
            return function(*args, **kwargs)
        before = self.root.block_stats.recordings
        if not self.quiet:
            result = function(*args, **kwargs)
            self.looks += 1
            if self.looks < OFTEN or self.looks % OFTEN == 0:
                self.quiet = before == self.root.block_stats.recordings and is_settled(self.partitioned)
            return result
        if not self._affords(self.partitioned):
            return function(*args, **kwargs)
        self.thread = threading.get_ident()
        self.root.session = self
        at_hand, began, start = current(), wall(), clock()
        try:
            function = self.of(self.partitioned, function)
            self.timed, self.most = 0, min(at_hand.left / EACH, MOST)
            self._times(True)
            result = function(*args, **kwargs)
        finally:
            self.root.session = None
            at_hand.machinery += self.timed * EACH
            until, ended = self.until if self.enough else (clock(), wall())
            total = computing_seconds(until - start, ended - began)
            spent, self.spent = self.spent, {}
        self.quiet = before == self.root.block_stats.recordings
        if self.quiet:
            self.calls.append((total, spent))
            if len(self.calls) > CALLS:
                del self.calls[0]
                self.partitioned.watch = None
                self._tell()
        return result

    def _affords(self, partitioned: PartitionedLike) -> bool:
        """Tell whether there is room to take the time of what stays Python in a function that was cut."""
        made = 0.0 if partitioned in self.made else partitioned.took
        return self.partitioned.owner.has_to_wait or current().left >= made + LEAST * EACH

    # -- taking the time -----------------------------------------------------------------------------------

    def of(self, partitioned: PartitionedLike, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that was cut, with the time taken of what stays Python in it."""
        if threading.get_ident() != self.thread:
            return function
        made = self.made.get(partitioned)
        if made is None:
            if not self._affords(partitioned):
                return function
            at_hand = current()
            before = at_hand.switch(True)
            try:
                made = self.made[partitioned] = self._clocked(partitioned) or (function, [])
            finally:
                at_hand.switch(before)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._begin(partitioned)
            try:
                return made[0](*args, **kwargs)
            finally:
                self._end()

        return call

    @beside(_stop)
    def _begin(self, partitioned: PartitionedLike) -> None:
        """Note that a function which is measured is called."""
        self.frames.append(_Frame(partitioned))

    @beside(_stop)
    def _end(self) -> None:
        """Note that the innermost of these calls is over."""
        self.tock()
        self.frames.pop()

    def _clocked(self, partitioned: PartitionedLike) -> tuple[Callable[..., Any], list[ast.stmt]] | None:
        """Return a function that was cut with calls of `tick` and `tock` around what stays Python in it.

        Beside it, the statements that they number; None where it is not cut.
        """
        fn = partitioned.owner.__wrapped__
        assert isinstance(fn, types.FunctionType)

        def enter(callee: Any) -> Any:
            made = partitioned.enter(callee)
            states = getattr(made, "by_signature", {}).values()
            plain = made is callee or any(state.is_closed for state in states)
            return made if plain and not _is_jitted(callee) else self._timed(made)

        def as_it_is(called: Any) -> bool:
            return partitioned.as_it_is(called) and not _is_jitted(called)

        try:
            idler, native = partitioned.idler, partitioned.native
            made = outline(fn, partitioned.levels, enter, as_it_is, self, idler, native, partitioned.table)
        except NotFound:
            return None
        closure = zip(made.function.__code__.co_freevars, made.function.__closure__ or (), strict=True)
        self.cells += [(cell, enter, lambda: partitioned.enter) for name, cell in closure if name == ENTER]
        for piece in made.pieces:
            block = partitioned.blocks.get(partitioned.key_of(piece))
            plain = functools.partial(_called, partitioned, piece, block)
            self.cells.append((piece.cell, self._timed(plain()), plain))
        self._times(not self.enough)
        return made.function, made.units

    def _times(self, takes: bool) -> None:
        """Put the functions that take times in the place of those that they measure, or take them out."""
        self.enough = not takes
        for cell, timed, plain in self.cells:
            cell.cell_contents = timed if takes else plain()

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a block or jitted function whose time is taken: it is none of the statement around it."""

        def call(*args: Any, **kwargs: Any) -> Any:
            start = clock()
            try:
                return function(*args, **kwargs)
            finally:
                if self.frames:
                    self.frames[-1].inside += clock() - start

        return call

    @beside(_stop)
    def tick(self, unit: int) -> None:
        """Begin to take the time of a statement; the function calls this before it."""
        if not self.frames:  # a generator goes on after the call
            return
        frame = self.frames[-1]
        if frame.unit is not None:  # left by `break` or `continue`
            self.tock()
        if self.enough:
            return
        self.timed += 1
        if self.timed > self.most:
            self._ends()
            return
        frame.unit, frame.inside, frame.since = unit, 0.0, clock()

    def _ends(self) -> None:
        """End the timing of this call. The statement at hand is left out."""
        self._times(False)
        self.until = clock(), wall()
        for frame in self.frames:
            frame.unit = None

    @beside(_stop)
    def tock(self) -> None:
        """Count the time of the statement at hand; the function calls this after it."""
        now = clock()
        if not self.frames or (frame := self.frames[-1]).unit is None:
            return
        key = frame.partitioned, frame.unit
        took = now - frame.since - frame.inside - self.overhead
        self.spent[key] = self.spent.get(key, 0.0) + max(took, 0.0)
        frame.unit = None

    def _overhead(self) -> float:
        """Return the seconds that taking the time itself takes."""
        found = []
        for _ in range(16):
            start = clock()
            found.append(clock() - start)
        return 2 * min(found)

    # -- telling -------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        """Tell of the statements that cost, by the calls that were measured."""
        for (partitioned, unit), part in costly_parts(self.calls, PART, SECONDS):
            self._tell_of(partitioned, self.made[partitioned][1][unit], part)

    def _tell_of(self, partitioned: PartitionedLike, unit: ast.stmt, part: float) -> None:
        fn: Any = partitioned.owner.__wrapped__
        tree, _ = tree_of(fn)
        node = written(tree, unit)
        reason = why_it_costs(node, partitioned.levels, reasons_of(fn, self.root.own_stats))
        if reason is None:
            return
        refusal = partitioned.refusals.get(node)
        if refusal is not None and reason.code in _OF_ANY_LOOP:
            reason = Cause.LOOP_LEFT(refusal.told)
        self.root.tell(
            f"{fn.__code__.co_filename}:{node.lineno}",
            f"{part:.0%} of its time goes into `{first_line(node)}`, which runs uncompiled: {reason}",
            reason.advice,
        )


def written(tree: ast.AST, unit: ast.stmt) -> ast.stmt:
    """The user's statement that one of a cut function is, or is a part of: the innermost around it."""
    first, last = (unit.lineno, unit.col_offset), (unit.end_lineno or 0, unit.end_col_offset or 0)
    found = unit
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and (node.lineno, node.col_offset) <= first:
            if last <= (node.end_lineno or 0, node.end_col_offset or 0):
                found = node  # inner ones come later
    return found
