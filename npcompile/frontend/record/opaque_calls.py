"""Opaque calls: Python makes the call during the recording, and each replay makes it again.

`calls` and `array_function` leave to this file what no handler follows. Nothing inside the call is noted. Its
arguments are the objects that Python would have, and what was read from outside is read again after it.
"""

from __future__ import annotations

from typing import Any

from npcompile.frontend.catalog import item_functions
from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.stores import prepare_opaque
from npcompile.frontend.rewrite.call_sites import do

_LOOKING = (sorted, str, repr, any, all, map, filter, print)  # they change none of their arguments


def call_opaque(
    recording: Recording, call: Call, fn: Any, args: Any, kwargs: Any, bound: bool = False
) -> Any:
    """Make a call that no handler follows, and note that each replay makes it again.

    bound: `fn` is a method of the first argument.
    """
    answer = item_functions.answer_of(fn)
    if not bound and recording.builder.tracked.node(fn) is not None:
        call, args, bound = Call(call.name, answer or _invoke), (fn, *args), True
    elif answer is not None:
        call = Call(call.name, item_functions.AnsweredNatively(answer, fn))
    recording.note(prepare_opaque, recording, args, kwargs, fn)
    given = [*map(recording.builder.tracked.meant, args[1:] if bound else args)]
    named = {key: recording.builder.tracked.meant(arg) for key, arg in kwargs.items()}
    looks = any(fn is one for one in _LOOKING)
    put_back = [] if looks else recording.builder.show(*given, *named.values())
    if not recording.on:
        return do(fn, *given, **named)
    recording.active = False
    try:
        result = do(fn, *given, **named)
    finally:
        recording.active = True
    for back in put_back:  # the arguments hold stand-ins again until the call is noted
        back()
    if fn is print:
        # `print` of arrays, numbers and texts runs no code of the user's: what was read stays valid.
        inert = not kwargs and all(is_numpy(arg) or type(arg) in (*NUMBERS, bool, str) for arg in args)
        if not inert:
            recording.forget()
        return recording.note(recording.builder.effect, call, args, kwargs, inert, result)
    recording.forget()
    result = recording.note(recording.builder.opaque, call, args, kwargs, result)
    if not looks:
        recording.builder.show(*given, *named.values())
        recording.builder.loosen(*args, *kwargs.values())
    return result


def _invoke(fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function that a step gave."""
    return fn(*args, **kwargs)
