"""Holds one recorded program with what it is compiled to.

`RecordedFunction` makes one for each recording that it keeps. It is replayable once all its jobs are done.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Reason
from npcompile.frontend.pipeline import Traced, ops_version, write_replay
from npcompile.frontend.program.shape_generalization import exact_guards
from npcompile.frontend.program.slice_guards import stands_alone
from npcompile.frontend.replay.replay import Replay
from npcompile.lower.device import cuda
from npcompile.lower.mesh.job import MeshJob
from npcompile.lower.mesh.job import submit as submit_to
from npcompile.lower.mesh.mesh import mesh_of
from npcompile.lower.service.compiler import Job, submit


class RecordedProgram:
    """One program of one signature, on its way from recorded to replayable.

    Its replay function is written when it is wanted: a program that no second call comes for needs none.
    """

    def __init__(self, traced: Traced, general: bool = False) -> None:
        assert traced.program is not None and traced.plan is not None
        self.program = traced.program
        self.plan = traced.plan
        self._tree = traced.tree
        self._replay: Replay | None = None
        self.segments = traced.plan.segments
        self.host_calls = traced.host_calls
        self.jobs: list[Job | cuda.DeviceJob | MeshJob] = []
        self.postponed = False  # it is not compiled before another call comes
        self.parked = False  # it is not compiled before calls that wait for it have done enough
        # It may answer; where lengths depend on data, only once another recording agrees.
        self.alone = not general or stands_alone(self.program, self.plan)
        self.counts: dict[int, int] = {}  # places and values of arguments that its sizes are

    def write(self) -> Replay:
        """Write the replay function, if it is not there yet."""
        if self._replay is None:
            self._replay = write_replay(self.program, self.plan, self._tree)
        return self._replay

    @property
    def replay(self) -> Replay:
        """Return the replay function, to be linked with kernels."""
        return self.write()

    @functools.cached_property
    def exactly(self) -> dict[Any, Any]:
        """Return the guards in place of those for many lengths."""
        return exact_guards(self.program)

    def start(self) -> None:
        """Begin to compile it."""
        salt = ops_version()
        program = self.program
        begin: Callable[..., Any] = submit
        if program.device not in (None, "cpu"):
            mesh = mesh_of(program.device)
            begin = cuda.submit if mesh is None else functools.partial(submit_to, mesh)
        wanted_by = log.function_at(program.name, program.filename, program.line)
        self.jobs = [begin(segment.graph, salt, wanted_by) for segment in self.segments]
        self.parked = False  # other threads ask `done`

    @property
    def done(self) -> bool:
        return not (self.postponed or self.parked) and all(job.done for job in self.jobs)

    def error(self) -> Reason | None:
        return next((job.error for job in self.jobs if job.error is not None), None)

    def culprits(self) -> dict[str, Reason]:
        """The ops without which there would be no error, by name, and why; none if that is unknown."""
        failed = [job for job in self.jobs if job.error is not None]
        if any(getattr(job, "culprit", None) is None for job in failed):
            return {}
        return {job.culprit: job.error for job in failed}  # type: ignore[union-attr,misc]
