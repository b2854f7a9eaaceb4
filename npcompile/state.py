"""What is known of one signature of a function: its programs, on their way from recorded to replayable."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from npcompile.frontend.trace import Traced, ops_version
from npcompile.lower import cuda
from npcompile.lower.compiler import Job, submit

if TYPE_CHECKING:
    from npcompile.outlined import Outlined

# So many plain calls are timed. A replay whose first calls all take longer, by this factor, is given up.
TRIALS = 4
SLOWER = 1.1


class Entry:
    """One program of one signature, on its way from recorded to replayable."""

    def __init__(self, traced: Traced) -> None:
        assert traced.program is not None and traced.plan is not None and traced.replay is not None
        self.program = traced.program
        self.replay = traced.replay
        self.plan = traced.plan
        self.segments = traced.plan.segments
        self.host_calls = traced.host_calls
        self.jobs: list[Job | cuda.DeviceJob] = []

    def start(self) -> None:
        salt = ops_version()
        on_cpu = self.program.device in (None, "cpu")
        begin: Callable[..., Any] = submit if on_cpu else cuda.submit
        self.jobs = [begin(segment.graph, salt) for segment in self.segments]

    @property
    def done(self) -> bool:
        return all(job.done for job in self.jobs)

    def error(self) -> str | None:
        return next((job.error for job in self.jobs if job.error is not None), None)


class State:
    """What is known for one signature."""

    def __init__(self) -> None:
        self.ready: list[tuple[Callable[..., Any], int]] = []  # replays with their host calls, newest first
        self.pending: list[Entry] = []
        self.entries: list[Entry] = []  # all of them, oldest first: what `explain` shows
        self.plain = False  # this signature stays uncompiled
        self.plain_seconds: list[float] = []  # of calls that NumPy answered while kernels were compiled
        self.tried = False  # whether replays are worth it has been asked
        self.trial: Trial | None = None  # it is being measured
        self.misses = 0  # calls in a row for which all programs diverged
        self.raised = 0  # recordings in a row that ended in an exception
        self.small = False  # because a call of a kernel would take longer than NumPy does
        self.outlined: Outlined | None = None  # cut into blocks, where it cannot be recorded as a whole
        self.count = 0
        self.lock = threading.Lock()

    def prefer(self, replay: Callable[..., Any]) -> None:
        """Try this one, which was right just now, first from now on."""
        if self.ready[0][0] is not replay:
            found = [known for known in self.ready if known[0] is replay]
            self.ready = [*found, *(known for known in self.ready if known[0] is not replay)]

    def on_trial(self, entry: Entry, replay: Callable[..., Any]) -> Callable[..., Any]:
        """A replay that is given up if its first calls take longer than NumPy's did."""
        if len(self.plain_seconds) < TRIALS or entry.program.device not in (None, "cpu"):
            return replay
        limit = min(self.plain_seconds) * SLOWER
        taken: list[float] = []

        def timed(*leaves: Any) -> Any:
            start = time.perf_counter()
            result = replay(*leaves)
            taken.append(time.perf_counter() - start)
            if min(taken) <= limit or len(taken) > 2 * TRIALS:
                ready = [(replay if known is timed else known, calls) for known, calls in self.ready]
                if min(taken) > limit:
                    self.small, ready = True, []
                self.ready = ready
            return result

        return timed
