"""Native code of loops that are done beside Python, under `npcompile.verify` and `NPCOMPILE_VERIFY`.

`verify/loop_check.py` compares. It is given the makers of this file's objects as this file is imported, as it
lies below this folder.
"""

from __future__ import annotations

import ast
import sys
import types
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.loop_pipeline import LoopSource, TypedLoop, loop_source, own_names, trip_source
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.source.control_flow import Return
from npcompile.lower.loops import array_ir, ir
from npcompile.partition.loop_entry import Entry
from npcompile.partition.native_loop import MISSING, NativeLoop
from npcompile.tiering.overhead import Allowance, Unbounded
from npcompile.verify import loop_check
from npcompile.verify.loop_check import Moment, Ran
from npcompile.verify.loop_marks import Items
from npcompile.verify.loop_run import LoopRun
from npcompile.verify.loop_state import FIRST, Snapshot, may_change
from npcompile.verify.verify import warn


class CheckedLoop(NativeLoop):
    """One loop statement of one function, whose native code runs on copies."""

    def __init__(self, node: ast.stmt, source: LoopSource, within: Any, one_trip: bool = False) -> None:
        super().__init__(node, source, within)
        self._is_trip = one_trip

    @cached_property
    def trip(self) -> CheckedLoop:
        """Native code of one trip of the loop."""
        assert isinstance(self.node, ast.For | ast.While)
        source = trip_source(self.node, own_names(self.within.owner.__wrapped__))
        return CheckedLoop(self.node, source, self.within, one_trip=True)

    def moment(self, iterator: Any, local: dict[str, Any], first: Moment | None) -> Moment | None:
        """Return the state at the loop's header, with its native code; None where there is none.

        local: the locals. first: the state as the loop began.
        """
        values = tuple([local.get(name, self._missing(name)) for name in self.takes])
        entry = None if any(value is MISSING for value in values) else self._entry(iterator, values)
        if entry is None or self.compiled(entry) is None:
            return None
        state = _kept(entry.names) if first is None else first.state.firsts
        snapshot = _snapshot(state | self._stored(local) | entry.names)
        return None if snapshot is None else Moment(snapshot, _Code(self, entry))

    def end(self, local: dict[str, Any], first: Moment) -> Snapshot | None:
        """Return the state after the loop. first: that as the loop began."""
        assert isinstance(first.code, _Code)
        objects = first.code.entry.objects
        state = first.state.firsts | self._stored(local)
        for path in () if objects is None else objects.values:
            with suppress(AttributeError, KeyError, ValueError):
                state[path] = objects.read(path)  # type: ignore[union-attr]
        return _snapshot(state)

    def _stored(self, local: dict[str, Any]) -> dict[str, Any]:
        return {name: local[name] for name in self.source.flow.stored if name in local}

    def compiled(self, entry: Entry) -> TypedLoop | None:
        """Return the native code for the types at an entry, once it is compiled; None where it is not."""
        typed = self._find(entry)
        if typed is not None:
            typed.job.wait()
        return None if typed is None or typed.job.error is not None else typed

    def run(self, entry: Entry) -> Ran | None:
        """Run native code on the very values of an entry."""
        typed = self.compiled(entry)
        if typed is None:
            return None
        *_, (number, words, raised, _) = self._entered(typed, entry.names)
        names, _ = typed.unpack(words, arrays_in(entry.names.values()), entry.objects)
        if raised is not None:
            raise raised
        flow, place = self.source.flow, typed.exits[number].place
        block = flow.blocks[place.block]
        returns = isinstance(block.end, Return) and place.step == len(block.steps)
        return Ran(
            {name: value for name, value in names.items() if name in typed.keeps or name in flow.stored},
            left=not (typed.finishes[number] or returns),
            again=self._is_trip and block is flow.blocks[-1],
            has_unset=_has_unset(typed.region),
        )

    def entry_of(self, names: dict[str, Any], like: Entry) -> Entry:
        """Return an entry with other values of the names."""
        wanted = {*self.takes, *self._outer, self.source.flow.state}
        if like.objects is not None:
            wanted |= like.objects.values.keys()
        return like._replace(names={name: names[name] for name in like.names if name in wanted})


@dataclass(frozen=True, eq=False)
class _Code:
    loop: CheckedLoop
    entry: Entry

    def run(self, names: dict[str, Any], one_trip: bool) -> Ran | None:
        loop = self.loop.trip if one_trip else self.loop
        return loop.run(loop.entry_of(names, self.entry))


def _kept(names: dict[str, Any]) -> dict[str, Any]:
    """Return the values of names that native code may change, by names of its own."""
    return {FIRST + name: value for name, value in names.items() if may_change(value)}


def _snapshot(values: dict[str, Any]) -> Snapshot | None:
    try:
        return Snapshot(values)
    except TypeError:  # among the values that the loop only binds
        return None


def _has_unset(region: ir.Region) -> bool:
    """Tell if a region makes arrays with items that are not set."""
    bodies = [function.body for function in region.functions if function.body is not None]
    for block in (block for one in (region, *bodies) for block in one.blocks):
        for step in (*block.steps, block.end):
            pending = list(ir.expressions_of(step))
            while pending:
                node = pending.pop()
                if isinstance(node, array_ir.Filled) and node.item is None:
                    return True
                pending += ir.parts_of(node)
    return False


# -- npcompile.verify ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Owner:
    """Stands in for a jitted function, and for its cut."""

    __wrapped__: types.FunctionType
    own_stats: Stats = field(default_factory=Stats)
    typed: int = 0
    allowance: Allowance = field(default_factory=Unbounded)
    has_to_wait: bool = True  # loops are typed whatever that takes

    @property
    def owner(self) -> _Owner:
        return self

    @property
    def root(self) -> _Owner:
        return self

    def refuse(self, node: ast.stmt, why: Refusal) -> None:
        """The loop has no native code for the types at hand."""


def _made(fn: types.FunctionType, node: ast.stmt) -> CheckedLoop:
    assert isinstance(node, ast.For | ast.While)
    return CheckedLoop(node, loop_source(node, own_names(fn)), _Owner(fn))


loop_check.makers.append(_made)


# -- NPCOMPILE_VERIFY ----------------------------------------------------------------------------------------


class WatchedLoop(CheckedLoop):
    """One loop statement of a cut function: Python does the first loop of each native code's, and it is
    compared."""

    def __init__(self, node: ast.stmt, source: LoopSource, within: Any) -> None:
        super().__init__(node, source, within)
        self._compared: set[TypedLoop] = set()
        self._run_at_hand: tuple[types.FrameType, LoopRun] | None = None

    def enter(self, iterator: Any, *values: Any) -> Outcome | None:
        entry = None if self._errors_matter() else self._entry(iterator, values)
        typed = None if entry is None else self.compiled(entry)
        if typed is None or typed in self._compared:
            return super().enter(iterator, *values)
        self._compared.add(typed)
        frame = sys._getframe(1)
        run = LoopRun(self, self.node, self.file, iterator, self._tell)
        self._run_at_hand = frame, run
        if iterator is True:
            run.header(dict(frame.f_locals))
            run.keeps_no_more()
            return Outcome(rest=True)
        return Outcome(rest=Items(iterator, run))

    def written(self) -> None:
        at_hand, self._run_at_hand = self._run_at_hand, None
        frame = sys._getframe(1)
        if at_hand is None or at_hand[0] is not frame:
            return super().written()
        at_hand[1].end(dict(frame.f_locals), False)

    def _tell(self, difference: loop_check.LoopDifference | None) -> None:
        if difference is not None:
            warn(self.within.owner.__wrapped__.__name__, difference)
