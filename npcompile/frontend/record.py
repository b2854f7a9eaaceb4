"""Recording: hooks that do exactly what Python does, on the real NumPy objects, and note what they did."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.notes import Unfollowed
from npcompile.frontend.program import Program
from npcompile.frontend.recording.drawing import Drawing


class Recorder(Drawing):
    """One recording of one call."""

    def finish(self, name: str, result: Any) -> Program | None:
        """The program, or None with `reason` set."""
        if not self.active:
            return None
        try:
            return self.notes.finish(name, result)
        except Unfollowed as reason:
            self.stop(str(reason))
            return None
