"""Records arrays of Python's `array` module: their elements and lengths, and NumPy's arrays on their memory.

The registry lists the handlers. An element is read in its place among the steps that may change it. A NumPy
array on the memory of such an object, or of a `bytearray`, is one from outside: what is written to it is an
effect.
"""

from __future__ import annotations

import array
import operator
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.program.array_facts import facts
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.guards import ArrayMatches
from npcompile.frontend.program.object_steps import Append
from npcompile.frontend.program.reads import Read, ReadAttribute
from npcompile.frontend.program.replay_interface import ReplayText
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.stores import settle
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.values import Value

ARRAY = array.array
VIEWING = (np.asarray, np.frombuffer)
_BUFFERS = (ARRAY, bytearray, memoryview)
_TEXTS = "uw"  # typecodes of characters: their elements are no numbers


class ReadBuffer(Read):
    """The array on the memory of an object that a step gives. holder: the function, and further arguments."""

    def __call__(self, base: Any = None) -> Any:
        function, rest, named = self.holder
        return function(base, *rest, **named)

    def expression(self, text: ReplayText, base: str) -> str:
        return f"{text.constant(self, 'array_of')}({base})"

    def words(self, base: str) -> str:
        rest, named = self.holder[1:]
        given = [base, *map(str, rest), *(f"{key}={value}" for key, value in named.items())]
        return f"np.{self.name}({', '.join(given)})"


def call_viewing(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an array on an object's memory: a read, at each replay anew."""
    if not args or type(args[0]) not in _BUFFERS or recording.builder.tracked.node(args[0]) is None:
        return PASS
    if fn is np.asarray and (len(args) > 1 or kwargs):  # it may be a copy
        return PASS
    meant = recording.builder.tracked.meant
    rest, named = tuple(map(meant, args[1:])), {key: meant(value) for key, value in kwargs.items()}
    result = do(fn, args[0], *rest, **named)
    return recording.note(_note_viewing, recording, (fn, rest, named), args, kwargs, result)


def _note_viewing(
    recording: Recording, holder: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Note an array on an object's memory; the dtype and the place there are decided."""
    builder = recording.builder
    for arg in (*args[1:], *kwargs.values()):
        builder.ref(arg, True)
    read = ReadBuffer(holder[0].__name__, holder)
    value = builder.value(result, outside=True)
    node = builder.add("read", read, (builder.ref(args[0]),), {}, value)
    builder.guard(ArrayMatches(facts(result)), node)
    return builder.result(node, result)


def _decide_typecode(recording: Recording, own: Any) -> None:
    """Guard the typecode, by which the type of each element is known."""
    node = recording.builder.ref(own)
    note_read(recording, ReadAttribute, "typecode", None, node, own.typecode)


def _is_followed(recording: Recording, own: Any) -> bool:
    """Return True for an array of numbers that a step gives."""
    return own.typecode not in _TEXTS and recording.builder.tracked.node(own) is not None


def read_item(recording: Recording, own: Any, index: Any) -> Any:
    """Return `own[index]`, a number."""
    if type(index) is not int or not _is_followed(recording, own):
        return PASS
    try:
        result = do(operator.getitem, own, recording.builder.tracked.meant(index))
    except IndexError:
        recording.stop(Cause.ITEM("array"))
        raise
    return recording.note(_note_number, recording, operator.getitem, own, (index,), result)


def call_len(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return `len(own)`."""
    if len(args) != 1 or kwargs or type(args[0]) is not ARRAY or not _is_followed(recording, args[0]):
        return PASS
    return recording.note(_note_number, recording, len, args[0], (), len(args[0]))


def _note_number(recording: Recording, function: Any, own: Any, rest: tuple[Any, ...], result: Any) -> Any:
    """Note a number that an array holds, or its length: a step that stays between the effects around it."""
    builder = recording.builder
    _decide_typecode(recording, own)
    refs = tuple([builder.ref(arg) for arg in (own, *rest)])
    builder.host_calls += 1
    return builder.result(builder.add("host", function, refs, {}, builder.value(result)), result)


def store_item(recording: Recording, own: Any, index: Any, value: Any) -> Any:
    """Do `own[index] = value` of a number."""
    if type(index) is not int or not (_is_number(value) and _is_followed(recording, own)):
        return PASS
    recording.note(_prepare, recording, own)
    meant = recording.builder.tracked.meant
    result = do(operator.setitem, own, meant(index), meant(value))
    call = Call("setitem", operator.setitem)
    return recording.note(recording.builder.effect, call, (own, index, value), {}, False, result)


def call_append(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `own.append(value)` of a number."""
    own = fn.__self__
    if fn.__name__ != "append" or len(args) != 1 or kwargs:
        return PASS
    if not (_is_number(args[0]) and _is_followed(recording, own)):
        return PASS
    recording.note(_prepare, recording, own)
    result = do(fn, recording.builder.tracked.meant(args[0]))
    return recording.note(_note_append, recording, own, args[0], result)


def _prepare(recording: Recording, own: Any) -> None:
    """Note, before an effect on an array, what came before it: stores that wait, and the typecode's guard."""
    _decide_typecode(recording, own)
    settle(recording)


def _note_append(recording: Recording, own: Any, value: Any, result: None) -> None:
    builder = recording.builder
    builder.add("opaque", Append(), (builder.ref(own), builder.given_away(value)), {}, Value("object"))


def _is_number(value: Any) -> bool:
    return type(value) in NUMBERS or isinstance(value, np.generic)
