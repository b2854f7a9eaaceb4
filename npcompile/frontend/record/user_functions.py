"""Functions of the user's, which a recording goes into: with their closures and defaults as they will be."""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Generator
from typing import Any

import numpy as np

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.guards import CodeIs, IsObject, LengthIs, MethodFunctionIs, SameObject, TypeIs
from npcompile.frontend.program.reads import ReadAttribute, ReadDefaults, ReadItem, ReadKeywordDefaults
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import Cells
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.lower.plan.attributes import attributes, step_of

# Functions called from the function, and from those: no deeper than this; and those of the user's. To record
# a call takes a dozen of Python's 1000 frames.
MAX_DEPTH, MAX_OWN_DEPTH = 60, 24


def note_unwrapped(recording: Recording, jitted: Any, fn: Any) -> Any:
    """The function in a jitted one that a step gave."""
    if (node := recording.builder.tracked.node(jitted)) is not None and recording.builder.tracked.node(
        fn
    ) is None:
        recording.builder.tracked.keep(fn, recording.builder.inside(node, ReadAttribute, "__wrapped__"))
    return fn


def note_bound_method(recording: Recording, method: types.MethodType, _: None) -> None:
    """The object of a method that a step gave."""
    node = recording.builder.tracked.node(method)
    if node is None or attributes(node).called:
        return
    attributes(node).called = True
    if step_of(node) != "input":  # of those, it is a part of the signature
        recording.builder.guard(MethodFunctionIs(method.__func__), node)
    own = recording.builder.inside(node, ReadAttribute, "__self__")
    known = recording.builder.tracked.node(method.__self__)
    if known is not None:
        recording.builder.guard(SameObject(), own, known)
    elif isinstance(method.__self__, type):
        recording.builder.identify(own, method.__self__)
    else:
        recording.builder.guard(TypeIs(type(method.__self__)), own)
        recording.builder.tracked.keep(method.__self__, own)


def note_called(recording: Recording, fn: types.FunctionType, _: None) -> None:
    """A function is about to be called. If a step gave it, it must have this code at replay, and these
    globals; of an argument, both are in the signature."""
    node = recording.builder.tracked.node(fn)
    if node is not None and not attributes(node).called and step_of(node) != "input":
        attributes(node).called = True
        recording.builder.guard(CodeIs(fn.__code__), node)
        recording.builder.guard(
            IsObject(fn.__globals__), recording.builder.inside(node, ReadAttribute, "__globals__")
        )


def note_defaults(recording: Recording, fn: types.FunctionType, _: None) -> None:
    """The defaults of a function from outside may be others, or changed in place, at replay."""
    if inlining.is_numpys(fn.__globals__):
        return
    given = recording.builder.tracked.node(fn)
    for how, name, found in (
        (ReadDefaults, "__defaults__", fn.__defaults__),
        (ReadKeywordDefaults, "__kwdefaults__", fn.__kwdefaults__),
    ):
        if not found:
            continue
        if given is not None:
            node = recording.builder.inside(given, ReadAttribute, name)
            recording.builder.guard(LengthIs(len(found)), node)
        else:
            node = recording.builder.add("read", how(fn.__name__, fn), (), {}, recording.builder.value(found))
        attributes(node).incidental = True
        for key, item in found.items() if isinstance(found, dict) else enumerate(found):
            read = ReadItem(key)
            if given is None and (type(item) in NUMBERS or isinstance(item, np.generic)):
                value = recording.builder.value(item, outside=True)
                recording.builder.decide(recording.builder.add("read", read, (node,), {}, value), item)
                recording.builder.constant(item)
                continue
            with contextlib.suppress(Unfollowed):  # the recording ends where such a one is used
                recording.builder.outside(read, node, item, within=True)


@performs
def run(
    recording: Recording,
    rewritten: Rewritten,
    fn: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Run a function, rewritten, on these hooks; its literals and defaults are known."""
    for literal in rewritten.constants:
        recording.note(recording.builder.literal, literal)
    node = recording.builder.tracked.node(fn)
    if node is None:
        for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
            recording.note(recording.builder.literal, default)
    if recording.closures and (fn.__defaults__ or fn.__kwdefaults__):
        recording.note(note_defaults, recording, fn, None)
    closure = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    cells = Cells(dict(closure), node)
    recording.closures.append(cells)
    tries = recording.builder.tries
    try:
        result = rewritten.bind(fn, recording)(*args, **kwargs)
    finally:
        recording.closures.pop()
        recording.builder.tries = tries  # it may have returned from within
        if not recording.closures:
            recording.raised = None
    return _driven(recording, result, cells) if suspends(fn) else result


@performs
def run_inner(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call of a function that was made inside: it is rewritten already."""
    result = fn(*args, **kwargs)
    return _driven(recording, result, None) if recording.on and suspends(fn) else result


def _driven(recording: Recording, made: Any, cells: Cells | None) -> Any:
    """A generator that does what this one does, a function's of the user's on these hooks: each time that
    it goes on, its closure is at hand, and the `try` statements it is in are around what it does."""
    driver: Any = _drive(recording, made, cells)
    driver.__name__, driver.__qualname__ = made.__name__, made.__qualname__
    return driver


def _drive(
    recording: Recording, made: types.GeneratorType[Any, Any, Any], cells: Cells | None
) -> Generator[Any, Any, Any]:
    builder = recording.builder
    step: Any = made.send
    given: Any = None
    own = 0  # `try` statements that it is in
    while True:
        if cells is not None:
            recording.closures.append(cells)
        outer = builder.tries
        builder.tries = outer + own
        sent = given is not None
        try:
            item = step(given)
        except StopIteration as end:
            return end.value
        finally:
            given = None  # an exception whose traceback holds this would not go before it is collected
            own, builder.tries = builder.tries - outer, outer
            if cells is not None:
                recording.closures.pop()
        if recording.done and sent:  # nothing is noted any more: it goes on by itself
            return (yield from _Further(made, item))
        try:
            given = yield item
            step = made.send
        except BaseException as error:
            given, step = error, made.throw
        if recording.done and given is None:
            return (yield from made)


class _Further:
    """Give a generator's items from one on that it has given already."""

    __slots__ = ("_first", "_made", "close", "send", "throw")

    def __init__(self, made: types.GeneratorType[Any, Any, Any], first: Any) -> None:
        self._made = made
        self._first: tuple[Any, ...] = (first,)
        self.send, self.throw, self.close = made.send, made.throw, made.close

    def __iter__(self) -> _Further:
        return self

    def __next__(self) -> Any:
        if not self._first:
            return next(self._made)
        (item,), self._first = self._first, ()
        return item


def suspends(fn: Any) -> bool:
    """Whether calling this gives a generator."""
    return type(fn) is types.FunctionType and bool(fn.__code__.co_flags & inspect.CO_GENERATOR)
