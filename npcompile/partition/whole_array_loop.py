"""Runs a loop whose trips are work on whole arrays: natively, or by blocks, whichever takes less time.

`partition/partitioned.py` makes one for each such loop in place of a `NativeLoop`. Blocks do the first
loop, and are recorded then; native code is compiled from the second on. Then both are timed in turn.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from npcompile.diagnostics import log
from npcompile.frontend.loop_pipeline import LoopSource, TypedLoop
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.replay import residency
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.partition.large_arrays import is_large
from npcompile.partition.native_loop import NativeLoop
from npcompile.tiering.block_contest import is_settled
from npcompile.tiering.loop_contest import LoopContest

# Trips on arrays of more bytes are the blocks': what a call of a kernel costs is little beside the work.
LARGEST = 1 << 18


class WholeArrayLoop(NativeLoop):
    """One loop statement whose trips are work on whole arrays."""

    def __init__(self, node: ast.For | ast.While, source: LoopSource, within: Any) -> None:
        super().__init__(node, source, within)
        parts = own_nodes([node])
        self._counts = isinstance(node, ast.For) and not any(
            isinstance(part, ast.Break | ast.Return) for part in parts
        )
        self.contest = LoopContest(self._counts)
        self._met = self._is_refused = False

    def enter(self, iterator: Any, *values: Any) -> Outcome | None:
        """Do the loop natively where that takes less time; None where blocks are to do it."""
        self.contest.drop()
        if not self._met or self._is_refused:
            self._met = True
            return None
        if any(is_large(value, LARGEST) for value in values) or self._errors_matter():
            return None
        entry = self._entry(iterator, values)
        if entry is not None and any(is_large(one, LARGEST) for one in entry.names.values()):  # an object's
            return None
        typed = None if entry is None else self._find(entry)
        if entry is None or typed is None:
            if entry is None or not self._typing.postponed:
                self._refuse_if_never_held(entry, iterator)
            return None
        if not typed.job.done and self.within.root.always_waits:
            with log.waiting(self.within.root.name):
                typed.job.wait()
        if not typed.job.done or typed.job.error is not None or not self._is_natives(entry.names):
            return None
        self.within.entered = True
        residency.settle()
        outcome = self._run(typed, entry)
        self.contest.end()
        if outcome.rest is not None:  # Python does the rest as written, which blocks do faster
            self.refuse("native code leaves it before it is done")
        self._refuse_if_lost()
        return outcome

    @property
    def is_pending(self) -> bool:
        """Tell if native code is being compiled, or compared with blocks: no call is a measure then."""
        return super().is_pending or (self.contest.is_under_way and not self._is_refused)

    def refuse(self, why: str, line: int | None = None) -> None:
        """Leave the loop to its blocks, which are made already."""
        self._is_refused = True
        self.within.keep_blocks(self.node, Refusal(why, line))

    def cut_done(self) -> None:
        self.contest.end()
        self._refuse_if_lost()

    def _is_natives(self, names: dict[str, Any]) -> bool:
        """Tell if native code is to do the loop at hand, which may be timed."""
        sizes = self._sizes(names)
        won = self.contest.verdict(sizes)
        if won is not None:
            return won
        return is_settled(self.within, self.node) and self.contest.begin(sizes)

    def _sizes(self, names: dict[str, Any]) -> tuple[int, ...]:
        """Return the number of items of all arrays, and the number of trips."""
        items = sum(value.size for value in names.values() if type(value) is np.ndarray)
        numbers = names.get(self.source.flow.state or "")
        return items, len(numbers) if self._counts and type(numbers) is range else 1

    def _refuse_if_lost(self) -> None:
        """Leave the loop to blocks from now on if native code has not paid at any sizes met."""
        if self.contest.is_lost:
            self.refuse("its blocks take less time")

    def _refusal(self, typed: TypedLoop) -> Refusal | None:
        return typed.refusal or self._by_identity(typed)
