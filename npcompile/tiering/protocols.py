"""Protocols describe, to lower folders, the objects that higher folders define.

`tiering` uses them for signatures, programs and functions cut into blocks, and `runtime` for the latter. Each
names no more than is used through it. They are types alone: nothing is called here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from npcompile.diagnostics.reason import Reason
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.program.program import Program
from npcompile.frontend.replay.replay import Replay
from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.partition import Piece
from npcompile.lower.plan.plan import Plan
from npcompile.lower.plan.segment import Segment


class ProgramLike(Protocol):
    """A recorded program: `runtime.recorded_program.RecordedProgram`."""

    parked: bool
    program: Program
    plan: Plan
    segments: list[Segment]
    host_calls: int

    @property
    def exactly(self) -> dict[Any, Any]:
        """Return the guards in place of those for many lengths."""

    @property
    def replay(self) -> Replay:
        """Return the replay function, to be linked with kernels."""

    @property
    def done(self) -> bool:
        """Tell if it is compiled, or has failed to be."""


class Owner(Protocol):
    """A function whose programs are linked: `runtime.linking.KernelLinking`."""

    root: Any
    own_stats: Stats


class SpecializationLike(Protocol):
    """One signature of a function: `runtime.specialization.Specialization`."""

    rest: int
    ready: list[tuple[Callable[..., Any], int]]
    tier: Any

    @property
    def pending(self) -> Sequence[ProgramLike]:
        """Return the programs that are being compiled."""

    @property
    def trial(self) -> object | None:
        """Return the measurement at hand."""

    @property
    def partitioned(self) -> PartitionedLike | None:
        """Return the function cut into blocks, where it was cut."""


class RecordedLike(Protocol):
    """A function with its recordings: `runtime.function.RecordedFunction`."""

    @property
    def by_signature(self) -> dict[Any, Any]:
        """Return the specialisations of its signatures."""


class JittedLike(RecordedLike, Protocol):
    """A jitted function: `jit.Jitted`."""

    callees: dict[Any, Any]
    own_stats: Stats
    block_stats: Stats


class BlockLike(RecordedLike, Protocol):
    """A block of a function that was cut: `partition.partitioned.Block`."""

    instead: Any

    @property
    def inside(self) -> PartitionedLike | None:
        """Return the block, cut further."""

    def is_in(self, loop: ast.AST) -> bool:
        """Tell if it is a part of a loop."""


class Contested(Protocol):
    """A function cut into blocks, or the function itself: `partition.call.PartitionedCalls`."""

    root: Any
    typed: int  # times that a loop was typed, for native code
    lacks: bool  # the last call has left something to be recorded or cut
    rest: int  # calls to come that are the plain function's
    as_written: float  # the user's seconds that the plain function takes at least, as far as is known

    @property
    def reaches_loops(self) -> bool:
        """Tell if it has loops that are done natively, or calls functions that have some."""

    @property
    def compiles_loops(self) -> bool:
        """Tell if native code of a loop is being compiled."""

    @property
    def is_native(self) -> bool:
        """Tell if native code of the whole function answers its calls."""

    @property
    def is_within(self) -> bool:
        """Tell if the call at hand is within another one of the function's."""

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by blocks."""

    def plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by the plain function."""

    def current(self) -> Iterable[BlockLike]:
        """Return the blocks of the cut as it is now."""


class PartitionedLike(Contested, Protocol):
    """A function cut into blocks: `partition.partitioned.PartitionedFunction`."""

    owner: Any
    stale: bool
    owed: float
    why: tuple[Reason | None, int | None] | None
    unanswered: int
    idle: int
    took: float
    levels: Levels
    refusals: dict[ast.AST, Refusal]
    watch: Any

    @property
    def blocks(self) -> dict[Any, Any]:
        """Return the blocks by key."""

    @property
    def is_plain(self) -> bool:
        """Tell if it comes to the function itself."""

    def native(self, node: Any) -> Any:
        """Return the native code that a loop may have."""

    @property
    def idler(self) -> Any:
        """Return the object that loops ask to go on as they were written."""

    def answer(self, state: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call, by blocks or by the plain function."""

    def wait(self, deadline: float | None) -> None:
        """Wait until its blocks are compiled."""

    @property
    def table(self) -> Any:
        """Return what makes a table of the arrays that stay on a device between its blocks, or None."""

    def as_called(self, block: Any, function: Any) -> Any:
        """Return what the cut function is to call where `function` answers a block's calls."""

    def key_of(self, piece: Piece) -> Any:
        """Return the key of a block, which is the same from cut to cut."""

    def enter(self, fn: Any) -> Any:
        """Return the function that is called between blocks in place of another."""

    def as_it_is(self, fn: Any) -> bool:
        """Tell if a function is called as it is."""
