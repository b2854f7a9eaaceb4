"""Holds a segment that this process has compiled for a device or a mesh: its kernel, and what came of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from torch import fx

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Reason
from npcompile.lower.plan.attributes import result_values


class LocalJob:
    """One segment on its way to a callable on tensors, with the attributes of `compiler.Job`.

    Callers of `finish` set the kernel, or the error, before.
    """

    def __init__(self, graph: fx.Graph, wanted_by: str) -> None:
        self.wanted_by = wanted_by
        self.kernel: Callable[..., Any] | None = None
        self.error: Reason | None = None
        self.source = ""
        self.kernels = 0
        self.seconds = 0.0
        self.from_disk = False  # Inductor and Triton keep caches of their own
        self.counted = False
        self.bytes_written = sum(value.nbytes for value in result_values(graph))
        self._event = threading.Event()

    @property
    def done(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the job is done. Raises TimeoutError after `timeout` seconds; Ctrl-C works."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._event.wait(0.2 if end is None else max(0.0, min(0.2, end - time.monotonic()))):
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"not compiled after {timeout} seconds")

    def finish(self, seconds: float) -> None:
        """Tell that the job is done. seconds: those that it took."""
        self.seconds = seconds
        try:
            log.compilation_ended(self.wanted_by, seconds, self.error)
        finally:  # a handler of the user's may raise
            self._event.set()
