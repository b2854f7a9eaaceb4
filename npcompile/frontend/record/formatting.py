"""Formatting: f-strings, `str`, `repr`, `%` and `format` of traced values become steps that give texts.

Two functions are hooks (`recorder` names them); `calls` and `operators` use the others. Each step's text is
an object of its own, to be told from equal texts. A recording ends where a decision depends on a text.
"""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.memmaps import refuse_text
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import Format, Piece, fresh_text, join
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.lower.plan.values import Value

_plain = Hooks()


def format_field(recording: Recording, value: Any, conversion: Any, spec: str) -> str:
    """Format a field of an f-string: a step, if its value is traced.

    The recording ends for an object that was made inside, and for a traced format specification.
    """
    result = _plain.format(value, conversion, spec)
    if not recording.on or not (recording.builder.traced(value) or id(value) in recording.builder.objects):
        return result
    if id(value) in recording.builder.objects or recording.builder.traced(spec):
        recording.stop(Cause.OBJECT_TO_TEXT())
        return result
    piece = Piece(result)
    recording.note(_note_piece, recording, value, Format(conversion, spec), piece)
    return piece


def _note_piece(recording: Recording, value: Any, function: Format, piece: Piece) -> Piece:
    """Note the text of a field of an f-string."""
    ref = recording.builder.ref(value)
    refuse_text(ref, piece)
    node = recording.builder.add("host", function, (ref,), {}, Value("object"))
    recording.builder.tracked.keep(piece, node)
    return piece


def join_texts(recording: Recording, *parts: str) -> str:
    """Join the parts of an f-string: a step, if a step gave one of them."""
    if not any(type(part) is Piece for part in parts):
        return _plain.text(*parts)
    result = "".join(parts)
    return recording.note(note_text, recording, join, parts, {}, result) if recording.on else result


def shown_as(recording: Recording, fn: Any, args: tuple[Any, ...]) -> str | None:
    """Return `str` or `repr` of an array, a number, a bool or None; return None for anything else."""
    if len(args) != 1 or not (is_numpy(args[0]) or type(args[0]) in (*NUMBERS, bool, type(None))):
        return None
    result: str = do(fn, *args)
    return (
        recording.note(note_text, recording, fn, args, {}, result)
        if recording.builder.traced(*args)
        else result
    )


def note_text(
    recording: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: str
) -> str:
    """Note a text that a function made of traced values; return it as a new object.

    Raises Unfollowed for a text of one character or none: CPython has one object for all that are equal.
    """
    builder = recording.builder
    refs = tuple(
        builder.tracked.node(arg) or arg if isinstance(arg, str) else builder.ref(arg) for arg in args
    )
    named = {key: builder.ref(arg) for key, arg in kwargs.items()}
    refuse_text((refs, named), result)
    own = fresh_text(result)
    if own is None:
        raise Unfollowed(Cause.TEXT_OF_ONE())
    node = builder.add("host", function, refs, named, Value("object"))
    builder.tracked.keep(own, node)
    return own
