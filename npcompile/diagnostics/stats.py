"""Counts of what a jitted function did, and why it ran uncompiled where it did."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace


@dataclass(slots=True)  # the native runtime counts in them (lower/native/front.h)
class Stats:
    """What a jitted function has done so far."""

    calls: int = 0
    recordings: int = 0  # calls that were recorded while NumPy answered
    replays: int = 0  # calls answered by a recorded program
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
    reasons: list[str] = field(default_factory=list)  # why something ran uncompiled, newest last

    def with_blocks(self, blocks: Stats) -> Stats:
        """These counts with those of the blocks that the function was cut into."""
        if not blocks.recordings:
            return self
        own = {"calls", "replays", "plain_calls", "reasons"}
        counts = {
            f.name: getattr(self, f.name) + getattr(blocks, f.name) for f in fields(self) if f.name not in own
        }
        return replace(self, **counts)

    def because(self, reason: str) -> bool:
        """Keep a reason; True if it is a new one."""
        if reason in self.reasons:
            return False
        self.reasons.append(reason)
        return True
