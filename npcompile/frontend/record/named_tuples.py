"""Named tuples that a recording follows: `_replace` makes another one, field by field."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed

_NOTHING: Any = object()


def call_replace(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `named_tuple._replace(**changes)`."""
    own: Any = fn.__self__
    kind = type(own)
    if not is_named_tuple(kind) or fn.__name__ != "_replace" or args or not is_followed(recording, own):
        return PASS
    if set(kwargs) - set(kind._fields):
        return PASS
    recording.builder.constant(tuple(range(len(own))))
    held = [kwargs.get(name, _NOTHING) for name in kind._fields]
    held = [recording.getitem(own, place) if value is _NOTHING else value for place, value in enumerate(held)]
    return recording.call(kind, *held)
