"""Deadlines of waits for the compiler: a wait for several kernels ends at one time for all of them."""

from __future__ import annotations

import time


def deadline_after(timeout: float | None) -> float | None:
    """Return the deadline of a wait that takes some seconds at most; None where it may take any time."""
    return None if timeout is None else time.monotonic() + timeout


def seconds_until(deadline: float | None) -> float | None:
    """Return the seconds that are left until a deadline; None where there is none."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
