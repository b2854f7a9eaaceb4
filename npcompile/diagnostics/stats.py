"""Counts of what a jitted function did, and why it ran uncompiled where it did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from npcompile.diagnostics.reason import Reason


class _Typed:
    """Holds the reasons as objects, which is no count: `dataclasses.asdict` gives users text."""

    __slots__ = ("told",)

    def __post_init__(self) -> None:
        self.told: list[Reason] = []

    def tell_as(self, other: _Typed) -> None:
        self.told = other.told


@dataclass(slots=True)  # the native runtime counts in them (lower/native/front.h)
class Stats(_Typed):
    """Counts what a jitted function has done so far.

    Attributes
    ----------
    calls : int
        Calls of the function.
    recordings : int
        Calls that were recorded while NumPy answered.
    replays : int
        Calls answered by recorded programs, or whose loops were done natively.
    plain_calls : int
        Calls answered by the function itself, unrecorded.
    divergences : int
        Replays given up before any effect, because something was decided otherwise.
    programs : int
        Recorded programs.
    compilations : int
        Segments that the compiler really compiled for this function.
    kernels : int
        Compiled kernels in this function's programs.
    segments : int
        Runs of operations that are compiled together, in these programs.
    host_calls : int
        Calls of real NumPy, for what is not an op (yet), in recordings and replays.
    bytes_written : int
        Bytes that one replay of the newest program writes: results and slices.
    bytes_to_device, bytes_from_device : int
        Bytes that were copied to a device, and back.
    calls_on_host : int
        Calls under `npcompile.device` that the host answered, as it takes less time or to see if it does.
    graph_captures : int
        Times that trips of loops were captured as a CUDA graph.
    graph_trips : int
        Trips that such graphs did.
    fused_trips : int
        Those of them that were done by kernels of several trips each.
    segment_graphs : int
        Times that the kernels of a straight piece of a program were launched as one CUDA graph.
    native_loops : int
        Loops that have native code, for each combination of types at their entry.
    loop_entries : int
        Entries of native code of loops.
    loop_leaves : int
        Times that it left to Python before the loop was done, exceptions included.
    loop_overflows : int
        Those of them at which a Python int needed more than 64 bits.
    leave_reasons : dict of str to int
        Leaves by line and reason.
    loop_rests : int
        Times that a loop became Python's for a while, as leaving it took too long.
    reasons : list of str
        Why something ran uncompiled, with the line to blame first; the newest last.

    Examples
    --------
    >>> import numpy as np
    >>> rooted = npcompile.jit(lambda x: np.sqrt(x) + 1.0)
    >>> result = [rooted(np.ones(1000)) for _ in range(3)]
    >>> rooted.stats.calls
    3
    """

    calls: int = 0
    recordings: int = 0
    replays: int = 0
    plain_calls: int = 0
    divergences: int = 0
    programs: int = 0
    compilations: int = 0
    kernels: int = 0
    segments: int = 0
    host_calls: int = 0
    bytes_written: int = 0
    bytes_to_device: int = 0
    bytes_from_device: int = 0
    calls_on_host: int = 0
    graph_captures: int = 0
    graph_trips: int = 0
    fused_trips: int = 0
    segment_graphs: int = 0
    native_loops: int = 0
    loop_entries: int = 0
    loop_leaves: int = 0
    loop_overflows: int = 0
    leave_reasons: dict[str, int] = field(default_factory=dict)
    loop_rests: int = 0
    reasons: list[str] = field(default_factory=list)

    def with_blocks(self, blocks: Stats) -> Stats:
        """These counts with those of the blocks that the function was cut into."""
        if not blocks.recordings:
            return self
        own = {"calls", "replays", "plain_calls", "leave_reasons", "reasons"}
        counts = {
            f.name: getattr(self, f.name) + getattr(blocks, f.name) for f in fields(self) if f.name not in own
        }
        both = replace(self, **counts)
        both.share(self)
        return both

    def share(self, other: Stats) -> None:
        """Have the reasons of another function's counts, from now on."""
        self.tell_as(other)
        self.reasons = other.reasons

    def with_reasons(self, reasons: Iterable[Reason]) -> Stats:
        """These counts as they are now, with further reasons."""
        both = replace(self, reasons=list(self.reasons))
        both.told.extend(self.told)
        for reason in reasons:
            both.because(reason)
        return both

    def because(self, reason: Reason) -> bool:
        """Keep a reason; True if it is a new one."""
        if reason in self.told:
            return False
        self.told.append(reason)
        self.reasons.append(reason.located)
        return True
