"""`Unfollowed` ends a recording: builders and handlers raise it where they cannot follow what Python does."""

from __future__ import annotations

from npcompile.diagnostics.reason import Reason


class Unfollowed(Exception):
    """The recording cannot go on. reason: why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
