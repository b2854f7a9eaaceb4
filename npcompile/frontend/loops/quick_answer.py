"""Describes the answers of a function that is native as a whole to the native runtime, which makes them.

`partition/native_body.py` lends calls to it; `lower/native/body_calls.h` answers them. It makes the answers
that `exchange.py` makes of the words. Answers in other forms, and ends of other kinds, are Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from npcompile.frontend.loops.quick_entry import SharingEntry
from npcompile.frontend.loops.source.control_flow import ANSWER
from npcompile.lower.loops.layout import Layout, Slot, arrays_in, objects_in, words
from npcompile.lower.loops.types import BOOL, COMPLEX, FLOAT, INT, Array, Known, Scalar, Tuple, Unsigned
from npcompile.lower.native import native

# (kind, object, first word, forms of the items)
_Form = tuple[str, Any, int, tuple[Any, ...]]

_KINDS = {INT: "i", FLOAT: "f", BOOL: "b", COMPLEX: "c"}


def body_calls(
    entry: Any, layout: Layout, finishes: Sequence[bool], ended: Callable[..., Any], most_bytes: int
) -> Any:
    """Return what answers a function's calls without Python; None where the native runtime cannot.

    Parameters
    ----------
    entry
        What enters the native code.
    layout
        Its words.
    finishes
        Of each exit, if the function has ended there.
    ended
        What ends a call in Python that native code has left, or whose answer is in another form.
    most_bytes
        Of each array that is given: calls with larger ones are Python's. 0: there is no limit.
    """
    runtime, count_at = native.loaded(), 0
    if isinstance(entry, SharingEntry):
        entry, count_at = entry.entry, entry.function.count_address
    if runtime is None or type(entry) is not runtime.LoopEntry or ANSWER not in layout.bound:
        return None
    tag, slots = layout.bound[ANSWER]
    forms = tuple(map(_form, slots))
    if None in forms:
        return None
    return runtime.BodyCalls(
        entry, ended, tuple(finishes), tag, forms, tuple(_kept(layout)), most_bytes, count_at
    )


def _form(slot: Slot) -> _Form | None:
    """Return how a value lies in the words: a letter, an object, the first word, and the items."""
    match slot.kind:
        case Known(value=value):
            return "k", value, 0, ()
        case Scalar(python=True):
            return _KINDS[slot.kind], None, slot.offset, ()
        case Scalar(code=code):
            return "n", np.dtype(code), slot.offset, ()
        case Unsigned():
            return "u", None, slot.offset, ()
        case Array(code=code):
            return "a", np.dtype(code), slot.offset, ()
        case Tuple(items=items):
            offset, forms = slot.offset, []
            for kind in items:
                forms.append(_form(Slot(kind, offset)))
                offset += words(kind)
            return None if None in forms else ("t", None, 0, tuple(forms))
    return None


def _kept(layout: Layout) -> list[tuple[int, int, int, bool]]:
    """Return the words that say which memory arrays have, and those that hold references.

    Each with the word that says which type its name has, what that says then, and if it holds a reference.
    """
    found: list[tuple[int, int, int, bool]] = []
    for tag, slots in layout.bound.values():
        for number, slot in enumerate(slots, 1):
            found += [(tag, number, slot.offset + place, False) for place in arrays_in(slot.kind)]
            found += [(tag, number, place, True) for place in objects_in(slot.kind, slot.offset)]
    return found
