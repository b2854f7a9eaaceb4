"""Recording: hooks that do exactly what Python does, on the real NumPy objects, and note what they did."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.boundary.faults import guarded, noting
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.program.program import Program
from npcompile.frontend.record.registry import TABLES
from npcompile.frontend.record.resize import Resizing


@guarded
class Recorder(Resizing):
    """One recording of one call."""

    handlers = TABLES

    def finish(self, name: str, answer: Any) -> Program | None:
        """The program, or None with `reason` set."""
        if (failed := self.builder.tracked.failed) is not None:
            self.faulted(noting(failed))
        if not self.active:
            return None
        try:
            self.settle()
            self.set_apart()
            program = self.builder.finish(name, answer)
            program.trips = tuple(self.own_trips)
            program.builtins = tuple(self.not_in_module.values())
            program.classes = tuple((kind, name, held) for (kind, name), held in self.held_by_class.items())
            program.functions = tuple(self.gone_into.items())
            return program
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
        except Exception as error:
            self.faulted(noting(error))
        return None
