"""User functions: a recording goes into the functions that the user's function calls.

`calls` runs functions by this file, `numpy_inlining` and `random` run others' functions by it, and `recorder`
names two of the functions here as hooks. Code, globals and defaults that a program relies on are guarded.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from typing import Any

import numpy as np

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.guards import CodeIs, IsObject, LengthIs, MethodFunctionIs, SameObject, TypeIs
from npcompile.frontend.program.reads import ReadAttribute, ReadDefaults, ReadItem, ReadKeywordDefaults
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.generators import driven
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import Cells
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.lower.plan.attributes import attributes, step_of

_NAMES = ("__name__", "__qualname__", "__module__", "__doc__")
# Calls are recorded so deep: of all functions, and of the user's own. A call takes a dozen of Python's 1000
# frames while it is recorded.
MAX_DEPTH, MAX_OWN_DEPTH = 60, 24


def suspends(fn: Any) -> bool:
    """Return True if a call of this function gives a generator."""
    return type(fn) is types.FunctionType and bool(fn.__code__.co_flags & inspect.CO_GENERATOR)


def note_unwrapped(recording: Recording, jitted: Any, fn: Any) -> Any:
    """Return the function of a jitted one. If a step gave the jitted one, its function is read from that."""
    if (node := recording.builder.tracked.node(jitted)) is not None and recording.builder.tracked.node(
        fn
    ) is None:
        recording.builder.tracked.keep(fn, recording.builder.inside(node, ReadAttribute, "__wrapped__"))
    return fn


def note_bound_method(recording: Recording, method: types.MethodType, _: None) -> None:
    """Guard the function of a bound method that a step gave, and follow the method's object."""
    node = recording.builder.tracked.node(method)
    if node is None or attributes(node).called:
        return
    attributes(node).called = True
    if step_of(node) != "input":  # of an argument, the signature has the function
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
    """Guard the code and the globals of a function that a step gave, as it is about to be called.

    The signature has those of an argument.
    """
    node = recording.builder.tracked.node(fn)
    if node is not None and not attributes(node).called and step_of(node) != "input":
        attributes(node).called = True
        recording.builder.guard(CodeIs(fn.__code__), node)
        recording.builder.guard(
            IsObject(fn.__globals__), recording.builder.inside(node, ReadAttribute, "__globals__")
        )


def note_defaults(recording: Recording, fn: types.FunctionType, _: None) -> None:
    """Note the defaults of a function from outside, which may be others at replay, or changed in place."""
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
            with contextlib.suppress(Unfollowed):  # a use of this default ends the recording
                recording.builder.outside(read, node, item, within=True)


@performs
def run(
    recording: Recording,
    rewritten: Rewritten,
    fn: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Run a rewritten function on the hooks of a recording. Its literals and defaults are followed."""
    literals = rewritten.constants
    node = recording.builder.tracked.node(fn)
    if node is None:
        literals = (*literals, *(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values())
    recording.note(recording.builder.know_literals, literals)
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
        recording.builder.tries = tries  # it may have returned from within a `try`
        if not recording.closures:
            recording.raised = None
    return driven(recording, result, cells) if suspends(fn) else result


@performs
def run_inner(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that was made inside, which is rewritten already."""
    result = fn(*args, **kwargs)
    return driven(recording, result, None) if recording.on and suspends(fn) else result


def define(recording: Recording, function: Any) -> Any:
    """Follow a function that was made inside, which is rewritten already."""
    recording.inner_functions[id(function)] = recording.builder.made[id(function)] = function
    if recording.ended:  # a generator that goes on after the recording made it
        recording.unhook()
    return function


def name_of_function(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Give a name or the docstring of a function that is decided."""
    if name in _NAMES and type(result) is str and recording.builder.tracked.get(obj) is None:
        return result
    return PASS
