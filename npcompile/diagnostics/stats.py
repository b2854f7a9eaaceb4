"""Counts of what a jitted function did, and why it ran uncompiled where it did."""

from __future__ import annotations

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
    """Counts what a jitted function has done so far."""

    calls: int = 0
    recordings: int = 0  # calls that were recorded while NumPy answered
    replays: int = 0  # calls answered by recorded programs, or whose loops were done natively
    plain_calls: int = 0  # calls answered by the function itself, unrecorded
    divergences: int = 0  # replays given up before any effect, because something was decided otherwise
    programs: int = 0
    compilations: int = 0  # segments that the compiler really compiled for this function
    kernels: int = 0  # compiled kernels in this function's programs
    segments: int = 0
    host_calls: int = 0  # calls of real NumPy, for what is not an op (yet), in recordings and replays
    bytes_written: int = 0  # by one replay of the newest program: results and slices
    bytes_to_device: int = 0
    bytes_from_device: int = 0
    native_loops: int = 0  # loops that have native code, for each combination of types at their entry
    loop_entries: int = 0  # entries of native code of loops
    loop_leaves: int = 0  # times that it left to Python before the loop was done, exceptions included
    loop_overflows: int = 0  # the leaves at which a Python int needed more than 64 bits
    leave_reasons: dict[str, int] = field(default_factory=dict)  # leaves by line and reason
    loop_rests: int = 0  # times that a loop became Python's for a while, as leaving it took too long
    # Why something ran uncompiled, with the line to blame first; newest last.
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

    def because(self, reason: Reason) -> bool:
        """Keep a reason; True if it is a new one."""
        if reason in self.told:
            return False
        self.told.append(reason)
        self.reasons.append(reason.located)
        return True
