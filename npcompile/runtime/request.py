"""A request is one call of a recorded function on its way to an answer, as the ways to answer see it.

`RecordedFunction.ways` lists these ways in the order in which they are asked. A way gives the answer, or says
how the request goes on without one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from npcompile.runtime.polymorphic import LengthGroup
from npcompile.runtime.specialization import Specialization
from npcompile.tiering.overhead import Call


class NoAnswer(enum.Enum):
    """A way has no answer: the request goes on like this."""

    ONWARD = "the next way is asked"
    AGAIN = "all ways are asked again, as there is another signature or replay now"


ONWARD, AGAIN = NoAnswer


class Request:
    """One call, with the facts that the ways asked so far have found."""

    # Class attributes in place of `__init__`, which would be one more Python call for each replay.
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    call: Call  # the outermost call at hand
    key: Any  # the signature
    failure: BaseException | None = None  # a replay raised it before any effect
    state: Specialization | None = None  # of the signature; the ways after replays look it up
    group: LengthGroup | None = None
    lengths: tuple[int, ...] = ()
    linked = False  # a program was found compiled


Way = Callable[[Any, Request], Any]
