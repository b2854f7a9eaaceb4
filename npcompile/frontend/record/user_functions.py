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
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.program.guards import CodeIs, IsObject, LengthIs, MethodFunctionIs, SameObject, TypeIs
from npcompile.frontend.program.reads import ReadAttribute, ReadDefaults, ReadItem, ReadKeywordDefaults
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.control_flow import Control
from npcompile.frontend.record.state import Cells
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.lower.plan.attributes import attributes, step_of

# Functions called from the function, and from those: no deeper than this; and those of the user's. To record
# a call takes a dozen of Python's 1000 frames.
MAX_DEPTH, MAX_OWN_DEPTH = 60, 24


class Functions(Control):
    """What is known of a function that is called, and running it."""

    def _unwrapped(self, jitted: Any, fn: Any) -> Any:
        """The function in a jitted one that a step gave."""
        if (node := self.builder.tracked.node(jitted)) is not None and self.builder.tracked.node(fn) is None:
            self.builder.tracked.keep(fn, self.builder.inside(node, ReadAttribute, "__wrapped__"))
        return fn

    def _bound(self, method: types.MethodType, _: None) -> None:
        """The object of a method that a step gave."""
        node = self.builder.tracked.node(method)
        if node is None or attributes(node).called:
            return
        attributes(node).called = True
        if step_of(node) != "input":  # of those, it is a part of the signature
            self.builder.guard(MethodFunctionIs(method.__func__), node)
        own = self.builder.inside(node, ReadAttribute, "__self__")
        known = self.builder.tracked.node(method.__self__)
        if known is not None:
            self.builder.guard(SameObject(), own, known)
        elif isinstance(method.__self__, type):
            self.builder.identify(own, method.__self__)
        else:
            self.builder.guard(TypeIs(type(method.__self__)), own)
            self.builder.tracked.keep(method.__self__, own)

    def _given(self, fn: types.FunctionType, _: None) -> None:
        """A function is about to be called. If a step gave it, it must have this code at replay, and these
        globals; of an argument, both are in the signature."""
        node = self.builder.tracked.node(fn)
        if node is not None and not attributes(node).called and step_of(node) != "input":
            attributes(node).called = True
            self.builder.guard(CodeIs(fn.__code__), node)
            self.builder.guard(
                IsObject(fn.__globals__), self.builder.inside(node, ReadAttribute, "__globals__")
            )

    def _defaults(self, fn: types.FunctionType, _: None) -> None:
        """The defaults of a function from outside may be others, or changed in place, at replay."""
        if inlining.is_numpys(fn.__globals__):
            return
        given = self.builder.tracked.node(fn)
        for how, name, found in (
            (ReadDefaults, "__defaults__", fn.__defaults__),
            (ReadKeywordDefaults, "__kwdefaults__", fn.__kwdefaults__),
        ):
            if not found:
                continue
            if given is not None:
                node = self.builder.inside(given, ReadAttribute, name)
                self.builder.guard(LengthIs(len(found)), node)
            else:
                node = self.builder.add("read", how(fn.__name__, fn), (), {}, self.builder.value(found))
            attributes(node).incidental = True
            for key, item in found.items() if isinstance(found, dict) else enumerate(found):
                read = ReadItem(key)
                if given is None and (type(item) in NUMBERS or isinstance(item, np.generic)):
                    value = self.builder.value(item, outside=True)
                    self.builder.decide(self.builder.add("read", read, (node,), {}, value), item)
                    self.builder.constant(item)
                    continue
                with contextlib.suppress(Unfollowed):  # the recording ends where such a one is used
                    self.builder.outside(read, node, item, within=True)

    @performs
    def run(
        self, rewritten: Rewritten, fn: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a function, rewritten, on these hooks; its literals and defaults are known."""
        for literal in rewritten.constants:
            self.note(self.builder.literal, literal)
        node = self.builder.tracked.node(fn)
        if node is None:
            for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
                self.note(self.builder.literal, default)
        if self.closures and (fn.__defaults__ or fn.__kwdefaults__):
            self.note(self._defaults, fn, None)
        closure = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
        cells = Cells(dict(closure), node)
        self.closures.append(cells)
        tries = self.builder.tries
        try:
            result = rewritten.bind(fn, self)(*args, **kwargs)
        finally:
            self.closures.pop()
            self.builder.tries = tries  # it may have returned from within
            if not self.closures:
                self.raised = None
        return self.driven(result, cells) if suspends(fn) else result

    @performs
    def inner(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a function that was made inside: it is rewritten already."""
        result = fn(*args, **kwargs)
        return self.driven(result, None) if self.on and suspends(fn) else result

    def driven(self, made: Any, cells: Cells | None) -> Any:
        """A generator that does what this one does, a function's of the user's on these hooks: each time that
        it goes on, its closure is at hand, and the `try` statements it is in are around what it does."""
        driver: Any = self._drive(made, cells)
        driver.__name__, driver.__qualname__ = made.__name__, made.__qualname__
        return driver

    def _drive(
        self, made: types.GeneratorType[Any, Any, Any], cells: Cells | None
    ) -> Generator[Any, Any, Any]:
        builder = self.builder
        step: Any = made.send
        given: Any = None
        own = 0  # `try` statements that it is in
        while True:
            if cells is not None:
                self.closures.append(cells)
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
                    self.closures.pop()
            if self.done and sent:  # nothing is noted any more: it goes on by itself
                return (yield from _Further(made, item))
            try:
                given = yield item
                step = made.send
            except BaseException as error:
                given, step = error, made.throw
            if self.done and given is None:
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
