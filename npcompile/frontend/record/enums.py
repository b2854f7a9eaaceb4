"""Classes of the `enum` module are called to find a member by its value: `Side(1)`."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.record.decided_values import note_decided
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do


def call_enum(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Find the member that has a value which is decided."""
    if len(args) == 1 and not kwargs and not recording.builder.traced(*args):
        return note_decided(recording, do(fn, *args))
    return PASS
