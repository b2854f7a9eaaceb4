"""Cuts a function into blocks: each is recorded, compiled and replayed by itself, with Python in between.

Where a recording cannot follow a function as a whole (loops, calls for their effect, exceptions caught,
decisions after effects), its runs of array statements still can be. What a block cannot do is found out as
it is recorded: its statements are then taken apart further, at once, while the call goes on.
"""

from __future__ import annotations

import ast
import functools
import inspect
import threading
import time
import types
from typing import Any, cast

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.diagnostics.uncompiled_statements import tell_libraries
from npcompile.frontend.catalog import inlining
from npcompile.frontend.catalog.item_functions import are_compiled
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.pipeline import Traced
from npcompile.frontend.program.generic_signature import split_lengths
from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.dual_loops import IDLE
from npcompile.frontend.rewrite.foreign_names import mark
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import loads
from npcompile.frontend.rewrite.long_loops import goes_over_many
from npcompile.frontend.rewrite.partition import Outline, Piece, goes_as_before, must_be_cut, outline, tree_of
from npcompile.frontend.rewrite.scopes import WORK
from npcompile.frontend.rewrite.source import NotFound
from npcompile.lower.plan.attributes import attributes, source_place, step_of
from npcompile.partition.accumulators import Accumulators
from npcompile.partition.call import PartitionedCalls
from npcompile.partition.callees import PLAIN
from npcompile.partition.native_code import native_code
from npcompile.partition.native_loop import NativeLoop
from npcompile.partition.resident_block import ResidentCalls, ResidentCut
from npcompile.partition.suitability import (
    decided_by,
    done_for_effect,
    driven,
    goes_over_items,
    only_calls,
)
from npcompile.partition.unit import Unit, take_over
from npcompile.runtime import fast_path, fork
from npcompile.runtime.current_device import is_apart
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.request import AGAIN, ONWARD, Request
from npcompile.runtime.specialization import AMBIGUOUS_FIRST, MAX_AMBIGUOUS, Specialization
from npcompile.runtime.tiers import Event, Tier
from npcompile.tiering import overhead
from npcompile.tiering.backoff import Backoff, Patience
from npcompile.tiering.contest import CHANGING_WORK, Contest
from npcompile.tiering.idle_calls import IdleCalls
from npcompile.tiering.overhead import users
from npcompile.tiering.statement_profile import ROUNDS, Watch
from npcompile.verify.verify import verifying

# A block whose signature was another at this many calls is left to Python.
MAX_SIGHTED = 16
# A block in a loop is recorded for many lengths after this many that were met once.
LIKE_IT = 2
# After MAX_RAISED calls in a row that raised, functions are called as they are until one does not raise; from
# then on after LONGER times as many, each time: a function that answers now and then is to be compiled.
MAX_RAISED, LONGER = 8, 4
# Where to record a block takes too long, its parts have SHORTER times fewer operations, LEAST_WORK at least.
SHORTER, LEAST_WORK = 4, 32


class PartitionedFunction(ResidentCut, PartitionedCalls):
    """The cut of one function for one signature of its arguments."""

    def __init__(self, owner: RecordedFunction, root: Any, levels: Levels, whole: float = 0.0) -> None:
        self.owner, self.root = owner, root
        self.whole = whole  # seconds that it took to record all of it, in vain, with all that it goes over
        self.levels = levels
        self._as_they_are = []
        self.stale = True  # the levels have changed since the function was cut
        self.made: Outline | None = None
        # The reason and line for which it could not be recorded whole.
        self.why: tuple[Reason | None, int | None] | None = None
        self.blocks: dict[Any, Block] = {}
        self.natives: dict[ast.AST, NativeLoop | None] = {}  # of loops; None: the loop stays Python's
        self.body, self.asked, self.asking, self.recurs, self.first = None, 0, 0, False, None
        self.lacks, self.lasted, self.further = False, 0.0, overhead.FURTHER_CALLS
        self.useful, self.ran, self.as_written = False, 0.0, 0.0
        self.typed = 0  # times that a loop was typed, for native code
        self.refusals: dict[ast.AST, Refusal] = {}  # why loops stay Python's that might have been native
        self.lock = threading.Lock()
        fork.cuts.add(self)
        self.refused: str | None = None  # why a call under `strict` was not to run
        # Calls that Python makes between blocks have the function's options, whatever is compiled.
        self._substitutes = owner.default_float is not None or owner.fast_random or owner.resizes
        has_options = owner.is_strict or self._substitutes
        self._direct = owner._direct and not has_options
        self._holds_native = root._direct and not has_options  # loops of functions that are called, too
        code = owner.__wrapped__.__code__
        self._contested = self._direct and owner is root and not code.co_flags & inspect.CO_GENERATOR
        self.took, self.owed, self.has_run, self.entered, self.answered = 0.0, 0.0, False, False, False
        self.idling = IdleCalls()
        self.raising = Patience(MAX_RAISED, LONGER)
        self.rest, self.raises, self.idle, self.unanswered = 0, False, 0, 0
        self._replays, self._tries_at = 0, 0.0  # when its loops' blocks are called again
        self.tried = 0  # times that they were to be
        self.rounds = 0  # times that Python's work was measured
        if is_apart() and not verifying():
            self.keep_arrays()
        self.watch: Watch | None = None  # it is being measured

    @classmethod
    def of(cls, owner: RecordedFunction, root: Any, failed: Traced | None) -> PartitionedFunction | None:
        """The cut, or None where the function cannot be cut. failed: its recording as a whole was."""
        made = cls(owner, root, Levels(work=owner.block_work), 0.0 if failed is None else owner.cost)
        try:
            if failed is not None:
                made.why = failed.reason, failed.line
                made.learn(failed)
            made.cut()
        except NotFound:
            return None
        return made

    def learn(self, failed: Traced) -> None:
        """Begin with what a recording of the whole has shown."""
        tree, _ = tree_of(self.owner.__wrapped__)  # type: ignore[arg-type]
        if failed.foreign:
            return self.leave_foreign(tree.body, failed)
        at = failed.top
        statements = [n for n in own_nodes(tree.body) if isinstance(n, ast.stmt)]
        around = [n for n in statements if at is not None and n.lineno <= at <= (n.end_lineno or n.lineno)]
        if around:
            nearest = min(around, key=lambda node: (node.end_lineno or node.lineno) - node.lineno)
            if failed.late:
                self.levels.starts.add(nearest)
            else:
                self.levels.of[nearest] = 1

    def leave_foreign(self, body: list[ast.stmt], failed: Traced) -> None:
        """Leave the statements that read foreign arrays to Python, and say once where the first one is."""
        assert failed.reason is not None
        reason, root = failed.reason, self.root
        first = mark(self.levels, body, failed.foreign, reason)
        if first is None:
            return
        if root.is_strict:
            root.report_uncompiled(reason, self.owner.at(first.lineno))
        if not any(told.at(None) == reason for told in root.own_stats.told):
            root.note(reason, self.owner.at(first.lineno))

    def cut(self) -> None:
        """Cut the function anew; blocks that are the same as before keep what they have recorded."""
        self.stale, self.enters, began = False, PartitionedFunction.enter, overhead.clock()
        fn: Any = self.owner.__wrapped__
        made = outline(fn, self.levels, self.enter, self.as_it_is, None, self.idler, self.native, self.table)
        self.is_resident = made.is_resident
        tell_libraries(self)
        for piece in made.pieces:
            key = self.key_of(piece)
            block = self.blocks.get(key)
            if block is None:
                block = self.blocks[key] = Block(self, piece)
            block.pieces.append(piece)
            piece.cell.cell_contents = self.as_called(block, block.instead or block)
        self.made = made
        if made.function is fn:
            self.leave_if_plain()
        generator = made.function.__code__.co_flags & inspect.CO_GENERATOR
        if self.owner is self.root and self.rounds < ROUNDS and not generator:
            self.rounds += 1
            self.watch = Watch(self)
        self.took = overhead.clock() - began

    def native(self, node: ast.stmt) -> NativeLoop | None:
        """Return the native code that a loop may have, or a statement that calls nested functions."""
        if node not in self.natives:
            function = cast("types.FunctionType", self.owner.__wrapped__)
            self.natives[node] = native_code(node, function, self) if self._holds_native else None
        return self.natives[node]

    def refuse(self, node: ast.stmt, why: Refusal) -> None:
        """Leave a loop to Python, and the loops in it to native code of their own."""
        self.keep_blocks(node, why)
        self.stale = True

    def keep_blocks(self, node: ast.stmt, why: Refusal) -> None:
        """Leave the loop to blocks of its trips."""
        self.natives[node] = None
        self.refusals[node] = why

    @property
    def runs_loops(self) -> bool:
        """Tell if it has loops that are done natively, or is as a whole."""
        natives = [native for native in self.natives.values() if native is not None]
        return any(native.entries > 0 for native in natives) or not (self.body is None or self.body.closed)

    @property
    def reaches_loops(self) -> bool:
        """Tell if it has loops that are done natively, or calls functions that have some."""
        return self.runs_loops or (self.root.block_stats.loop_entries > 0 and self.owner is self.root)

    @property
    def may_be_native(self) -> bool:
        if self.only_calls:
            return True
        natives = self.natives.values()
        is_typed = any(native is not None and native.typed for native in natives)
        return is_typed and all(type(native) is NativeLoop for native in natives)

    @functools.cached_property
    def only_calls(self) -> bool:
        """Tell if it has no loops, and calls functions of the user's, which may have some."""
        return only_calls(cast("types.FunctionType", self.owner.__wrapped__))

    @property
    def compiles_loops(self) -> bool:
        """Tell if native code of a loop is being compiled: until it is there, calls are no measure of it."""
        natives = self.natives.values()
        return not are_compiled() or any(native is not None and native.is_pending for native in natives)

    @property
    def idler(self) -> PartitionedFunction | None:
        """It, where its loops may go on as they were written, as nothing is called in place of NumPy's."""
        return None if self._substitutes else self

    def current(self) -> list[Block]:
        """The blocks of the cut as it is now."""
        pieces = [] if self.made is None else self.made.pieces
        blocks = (self.blocks.get(self.key_of(piece)) for piece in pieces)
        return [block for block in blocks if block is not None]

    @property
    def is_plain(self) -> bool:
        """Tell if it comes to the function itself."""
        idle = self.idling.long and not self._substitutes
        return self.made is not None and (idle or self.made.function is self.owner.__wrapped__)

    def key_of(self, piece: Piece) -> Any:
        """Return what a block is known by from cut to cut."""
        return (*map(id, piece.block.statements), piece.block.takes, piece.block.gives)

    def leave_if_plain(self) -> None:
        if isinstance(self.owner, Callee):
            self.owner.leave_if_plain()

    def wait(self, deadline: float | None) -> None:
        waiting: list[Any] = list(self.blocks.values())
        waiting += [c for c in self.root.callees.values() if self.owner is self.root and c is not PLAIN]
        for recorded in waiting:
            recorded.wait_until(deadline)
        for native in self.natives.values():
            if native is not None:
                native.wait_until(deadline)
        self.wait_for_body(deadline)

    def callee(self, fn: types.FunctionType) -> Callee:
        return Callee(fn, self)


fast_path.classes["run"] = PartitionedFunction


def cut_of(state: Specialization) -> PartitionedFunction | None:
    """Return the function of a signature cut into blocks; None where it was not cut."""
    return cast("PartitionedFunction | None", state.partitioned)


class Callee(Unit):
    """A function of the user's that Python between blocks calls; and others of its code."""

    def __init__(self, fn: types.FunctionType, within: PartitionedFunction) -> None:
        self.key = inlining.key_of(fn)
        super().__init__(fn, within)
        if fn.__closure__ is not None and self.key is not fn:
            self.own = (fn,)

    def _place(self) -> Any:
        return self.key

    def of(self, fn: types.FunctionType) -> Callee:
        """This for another function of the same code, with the same recordings."""
        if not self.own and fn.__defaults__ is None and fn.__kwdefaults__ is None:
            return self
        made = object.__new__(Callee)
        take_over(made, self)
        made.__wrapped__ = fn
        made._front, made._alone = None, False
        made.argument_binding = self.argument_binding.of(fn)
        made.own = (fn,) if self.own else ()
        return made

    def _not_followed(self, state: Specialization, traced: Traced) -> None:
        if not self.own:
            return super()._not_followed(state, traced)
        self.root.callees[self.key] = PLAIN
        self.root.note(traced.reason or Cause.NOT_RECORDED(), self.at(traced.line))
        state.move(Event.CLOSED)

    def _goes_over_many(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        fn = self.__wrapped__
        return isinstance(fn, types.FunctionType) and goes_over_many(fn, args, kwargs)

    def _cut(self, failed: Traced | None) -> PartitionedFunction | None:
        fn = self.__wrapped__
        assert isinstance(fn, types.FunctionType)
        if failed is None and not must_be_cut(fn):
            return None
        return PartitionedFunction.of(self, self.root, failed)

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        assert traced.program is not None
        if not any(
            step_of(node) in ("op", "write", "library", "host") for node in traced.program.graph.nodes
        ):
            self.leave()  # no array work in it
            state.move(Event.TOO_SMALL)
            return False
        if not goes_as_before(self.__wrapped__, traced.program.trips):
            state.partitioned = self._cut_alike(state)
            return state.partitioned is None
        return super()._worth(state, traced) and not state.is_unsure(traced.program)

    def leave_if_plain(self) -> None:
        """Have it called as it is if that is what it comes to at all signatures seen."""
        cuts = [s.partitioned for s in self.by_signature.values() if s.tier is Tier.RECORDING]
        if all(cut and cut.is_plain for cut in cuts):
            self.leave()

    def leave(self) -> None:
        """Have it called as it is."""
        self.root.callees[self.key] = PLAIN
        self.within.stale = True


_WORK = ("op", "write", "library", "host", "opaque")  # the steps of a program that is worth a block


class Block(ResidentCalls):
    """A run of statements, recorded by itself."""

    max_signatures = 8
    max_programs = 4  # in a loop
    within: PartitionedFunction

    def __init__(self, within: PartitionedFunction, piece: Piece) -> None:
        self.piece = piece
        super().__init__(piece.function, within)
        if goes_over_items(piece.block):
            self.cost = max(self.cost, within.whole)
        self.cut = within if piece.block.in_loop else within.owner.cut
        around = within.owner.variables if isinstance(within.owner, Block) else frozenset()
        self.variables: frozenset[str] = piece.block.variables | around  # names that a loop changes
        if piece.block.in_loop:  # others may change at each trip
            self._counting = piece.block.steady
        if not piece.block.in_loop:  # then it is called as often as the function
            self.first_replays = RecordedFunction.first_replays
            self.max_programs = RecordedFunction.max_programs
        self.pieces: list[Piece] = []  # of each cut that this block is a part of
        self.instead: Any = None  # the function that is called in place of it
        self.inside: PartitionedFunction | None = None  # it, cut further
        self.sighted: set[Any] = set()  # signatures that were met once
        self.met = 0  # calls by signatures that were new
        # None: it is known whether finding kernels for them takes less time than NumPy does.
        interpreted = config.backend == "interpreter"
        self.contest = None if interpreted else Contest(CHANGING_WORK)
        # Recordings in which a counter could not be told from a literal: none follows at once.
        self.ambiguous: Backoff | None = None
        self.accumulators = Accumulators(piece.block)

    def _place(self) -> Any:
        return tuple(map(id, self.piece.block.statements))

    def _first_line(self) -> int:
        return int(self.piece.block.node.lineno)

    def is_in(self, loop: ast.AST) -> bool:
        """Tell if it is a part of a loop."""
        return self.piece.block.in_loop and not set(own_nodes([loop])).isdisjoint(self.piece.block.statements)

    def wait_until(self, deadline: float | None) -> None:
        super().wait_until(deadline)
        if self.inside is not None:
            self.inside.wait(deadline)

    def _in_python(self, device: bool = False) -> Any:
        if self.cut is not None:
            self.cut.unanswered += 1
            if self.cut.unanswered == IDLE:
                self.cut.idles()
        return super()._in_python(device)

    def _unpaid(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.within.owed = min(self.within.owed or self.cost, self.cost)
        if self.cut is not None:  # the loop goes on as it was written at once
            self.cut.unanswered = max(self.cut.unanswered, IDLE - 1)
        return super()._unpaid(state, args, kwargs)

    # -- what a block cannot do ----------------------------------------------------------------------------

    def _not_followed(self, state: Specialization, traced: Traced) -> None:
        state.move(Event.CLOSED)
        if traced.foreign:
            return self._leave_foreign(traced)
        work = sum(isinstance(part, WORK) for part in own_nodes(self.piece.block.node.body))
        if not traced.exceeded or work <= LEAST_WORK:
            return self.take_apart(
                traced.reason or Cause.NOT_RECORDED(), traced.line, traced.top, traced.late
            )
        self.within.levels.work = max(self.within.levels.work // SHORTER, LEAST_WORK)
        self.go_on()

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        assert traced.program is not None
        self.accumulators.learn(traced.program)
        if not any(step_of(node) in _WORK for node in traced.program.graph.nodes):
            state.move(Event.TOO_SMALL)
            self.leave()
            return False
        if not super()._worth(state, traced):
            return False
        if (done := done_for_effect(traced.program, [*self.piece.block.node.body, ast.Pass()])) is not None:
            self.take_apart(Cause.EFFECT(), *source_place(done)[:2], False, quiet=True)
            return False
        branches = [node for node in self.piece.block.node.body if isinstance(node, ast.If)]
        if state.count and branches and self.piece.block.in_loop:
            # It has gone another way: what decides is worked out by a block, and Python does the branching.
            for node in branches:
                self.within.levels.of[node] = 1
            self.go_on()
            return False
        moving = decided_by(traced.program, self.piece.block.variables)
        if moving is not None and attributes(moving).is_collision and self._is_put_off():
            # To CPython the counter's 0 and a literal 0 are one object: a trip further on tells them apart.
            return False
        if moving is not None:
            state.move(Event.CLOSED)
            reason = Cause.DEPENDS_ON_TRIP()
            self.take_apart(reason, *source_place(moving)[:2], False, quiet=True)
            return False
        return True

    def _leave_foreign(self, traced: Traced) -> None:
        """Leave statements that read foreign arrays to Python.

        A statement of which the block holds only a value is left whole if it made the foreign array itself.
        """
        levels = self.within.levels
        held = [one for one in self.piece.block.statements if isinstance(one, ast.stmt)]
        own = [node for node in self.piece.block.node.body if node in held]
        self.within.leave_foreign(own, traced)
        for node in held:
            if node not in own:
                self.within.leave_foreign([node], traced)
                if traced.foreign.isdisjoint(loads(node)):
                    levels.of[node] = 2
        self.go_on()

    def _is_put_off(self) -> bool:
        """Tell if a recording that was ambiguous is to be made again later, unless there were many such."""
        if self.ambiguous is None:
            self.ambiguous = Backoff(AMBIGUOUS_FIRST)
        if self.ambiguous.waits >= MAX_AMBIGUOUS:
            return False
        self.ambiguous.rest()
        return True

    def _too_many(self, args: tuple[Any, ...], kwargs: dict[str, Any], cause: Cause, limit: int) -> Any:
        self.take_apart(cause(limit, ""), self.piece.block.node.lineno, None, False, quiet=True)
        return self._plain(args, kwargs)

    def _by_accumulators(self, request: Request) -> Any:
        """The first trip of a loop is answered by the program of the others, or by NumPy until there is one.
        NumPy answers trips, too, at which a counter cannot be told from a literal yet."""
        key, args, kwargs = request.key, request.args, request.kwargs
        if key not in self.by_signature and self._grows(args):
            return AGAIN
        if (done := self.accumulators.answer(self, key, args)) is not None:
            return done[0]
        if self.ambiguous is not None and self.ambiguous.rests():
            return users(self.beside(args, kwargs), args, kwargs)
        return ONWARD

    def _by_sight(self, request: Request) -> Any:
        """Python answers the first call of another size in a loop, and those of sizes that change so often
        that it takes less time."""
        key, args, kwargs = request.key, request.args, request.kwargs
        new = key not in self.by_signature and self.instead is None
        self.met += new
        # Where each trip brings other sizes, finding kernels for them takes longer than NumPy does.
        often = self.met > MAX_SIGHTED and self.met > self.own_stats.calls / 4
        if self.piece.block.in_loop and self.by_signature and new:
            # Another shape: its second call is recorded, if there is one. Sizes may change at each trip.
            if key not in self.sighted and not self._is_general(key):
                self.sighted.add(key)
                if len(self.sighted) > MAX_SIGHTED:
                    self.take_apart(
                        Cause.OTHER_SIZES(), self.piece.block.node.lineno, None, False, quiet=True
                    )
                    return self._plain(args, kwargs)
                if not self._shares(key):
                    return self._plain(args, kwargs)
            if often and self.contest is not None:
                return self._contested(self.contest, request)
        return ONWARD

    ways = (RecordedFunction._by_replay, _by_accumulators, _by_sight, *RecordedFunction.ways_without_replay)

    def _shares(self, key: Any) -> bool:
        """Tell if lengths of this kind are others so often that a program for all of them is wanted."""
        group, lengths = self._group(key)
        kinds = [split_lengths(sighted)[0] for sighted in self.sighted]
        return (
            group is not None and group.is_general(lengths) and kinds.count(split_lengths(key)[0]) > LIKE_IT
        )

    def _contested(self, contest: Contest, request: Request) -> Any:
        """Answer a call by which it is measured whether finding kernels for sizes that change takes less time
        than NumPy does. Ours are the ways that come after this one."""
        self.contest = None  # calls from within this one are none of it
        try:
            start = time.thread_time()
            if ours := contest.is_our_turn:
                for way in RecordedFunction.ways_without_replay:
                    if (answer := way(self, request)) is not ONWARD:
                        break
                result = answer
            else:
                result = self._plain(request.args, request.kwargs)
            contest.note(ours, time.thread_time() - start)
        finally:
            self.contest = contest
        if slower := contest.is_ours_slower():
            self.take_apart(Cause.OTHER_SIZES(), self._first_line(), None, False, quiet=True)
        if slower is not None:
            self.contest = None
        return result

    def leave(self) -> None:
        """Leave the block's statements to Python."""
        moving = driven(self.piece.block, self.variables)
        self.within.levels.leave(self.piece.block, any(s.tried for s in self.by_signature.values()), moving)
        for statement in moving:
            self.root.note(Cause.LITTLE_EACH_TRIP(), self.at(statement.lineno))
        self.within.stale = True
        self.put(self._in_python())

    def put(self, function: Any) -> None:
        """From now on, call this in place of the block."""
        self.instead = function
        for piece in self.pieces:
            piece.cell.cell_contents = self.within.as_called(self, function)

    def take_apart(
        self, reason: Reason, line: int | None, top: int | None, late: bool, quiet: bool = False
    ) -> None:
        """Leave the statement on this line of the block to Python, or begin a block with it (late); and go on
        so at once."""
        levels = self.within.levels
        body = [node for node in self.piece.block.node.body if node not in levels.starts]
        held = set(self.piece.block.statements)
        found = [node for node in body if top is not None and node.lineno <= top <= (node.end_lineno or top)]
        for node in found[:1] or body:
            levels.why[node] = reason
            if late and node is not body[0]:
                levels.starts.add(node)
            elif node in held:
                levels.of[node] = levels[node] + 1
            else:  # a value of a statement that is left to Python
                levels.of[node] = 2
                for statement in held:
                    assert isinstance(statement, ast.stmt)
                    if statement.lineno <= node.lineno <= (statement.end_lineno or node.lineno):
                        levels.of[statement], levels.why[statement] = levels[statement] + 1, reason
                if self.root.is_strict and not quiet:
                    self.root.report_uncompiled(reason, self.at(line))
                self.root.note(reason, self.at(line))  # `statement_profile.py` measures its cost
        self.go_on()

    def go_on(self) -> None:
        """Cut this block by what is known now, and call that in place of it."""
        self.within.stale = True
        levels = self.within.levels
        if not (self.has_to_wait or overhead.current().affords(self.within.took)):
            for piece in self.pieces:
                piece.cell.cell_contents = self.within.as_called(self, self._in_python())
            return
        try:
            inside = PartitionedFunction(self, self.root, levels, self.cost)
            inside.cut()
        except NotFound:
            self.put(self._in_python())
            return
        self.inside = inside
        assert inside.made is not None
        self.put(inside.made.function)
