"""Chooses what Python between blocks calls: functions of the user's are jitted in their turn."""

from __future__ import annotations

import functools
import time
import types
import warnings
from typing import Any

from npcompile.frontend.boundary.faults import noting
from npcompile.frontend.catalog import fast_random, inlining, item_functions
from npcompile.frontend.graph.resize_refcount import counting
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.rewrite.call_sites import warn
from npcompile.frontend.rewrite.dual_loops import IDLE
from npcompile.frontend.rewrite.partition import UNKNOWN, must_be_cut
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.partition.substitutes import Creating, Drawing
from npcompile.runtime.function import RecordedFunction
from npcompile.tiering import deferred_calls
from npcompile.tiering.overhead import current

# Seconds for which loops of which nothing comes go on as they were written.
PATIENCE = 0.05


class CalleeSubstitution:
    """Which function stands in for one that is called, for one cut of a function."""

    __slots__ = ("__dict__", "__weakref__", "_as_they_are", "idle", "raises", "rest", "unanswered")
    rest: int  # calls still to pass unlooked at: the native runtime counts them, too
    raises: bool  # nor are any until one does not raise: it sees to that, too
    idle: int  # trips, and calls of functions as they are, in a row: it counts the latter, too
    unanswered: int  # calls of its blocks in a row that no kernel answered
    owner: RecordedFunction  # the function that is cut
    root: Any  # the jitted function that it belongs to
    _as_they_are: list[types.CodeType]  # of functions that are called as they are: it looks into that, too
    _substitutes: bool  # something may be called in place of NumPy's own
    tried: int  # times that blocks were to be called again in loops
    _tries_at: float  # when they are, the next time
    entered: bool  # something that was called in the call at hand was jitted
    _replays: int  # of the function's blocks and callees, when it was last asked what to call

    def callee(self, fn: types.FunctionType) -> Any:
        """A function of the user's, jitted."""
        raise NotImplementedError

    def idles(self) -> None:
        """Have loops of which nothing comes go on as they were written for a while, and then try their blocks
        again: kernels may come, and sizes may change."""
        self.idle, self.unanswered = IDLE, 0
        now = time.monotonic()
        if now >= self._tries_at:
            self._tries_at = now + PATIENCE
            deferred_calls.later(PATIENCE, self._try_blocks)

    def _try_blocks(self) -> None:
        self.unanswered = self.idle = 0
        self.tried += 1

    def _comes_to_nothing(self) -> None:
        """A function is called as it is."""
        self.idle += 1
        if self.idle == IDLE:
            self.idles()

    def enter(self, fn: Any) -> Any:
        """Return what Python between the blocks calls for `fn`: functions of the user's are jitted, too."""
        try:
            return self._asked(fn)
        except Exception as error:
            self.root.failed(noting(error))
            return fn

    def _asked(self, fn: Any) -> Any:
        if (answer := item_functions.answer_of(fn)) is not None:
            self.idle, self.entered = 0, True
            return item_functions.AnsweredNatively(answer, fn)
        if current().spent and not self._substitutes:
            return fn
        kind = type(fn)  # asked at each trip of a loop
        own = fn.__func__ if kind is types.MethodType else fn
        if type(own) is types.FunctionType and own.__code__ in self._as_they_are:
            self._comes_to_nothing()
            return fn
        plain = kind is types.BuiltinFunctionType and fn.__name__ not in _SEEN_TO
        if (plain or kind is numpy_private.DISPATCHER) and not self._substitutes:
            self._comes_to_nothing()
            return fn
        call = current()
        before = call.switch(True)
        try:
            made = self._entered(fn)
        finally:
            call.switch(before)
        replays = self.root.block_stats.replays
        if made is fn or replays == self._replays:
            self._comes_to_nothing()
        else:
            self.idle = 0
        self._replays, self.entered = replays, self.entered or made is not fn
        return made

    def _entered(self, fn: Any) -> Any:
        kind = type(fn)
        if self.owner.fast_random and fast_random.is_draw(fn):
            return Drawing(fn, self._jitted)
        if fn is warnings.warn:
            return warn
        if kind is types.FunctionType:
            return self._function(fn)
        if kind is types.MethodType:
            return self._method(fn.__func__, fn.__self__) or fn
        if (resize := counting(fn)) is not None:
            return resize
        if kind is types.BuiltinFunctionType and self.owner.default_float is None:
            return fn
        if kind is functools.partial:
            inner = self._entered(fn.func)
            return fn if inner is fn.func else functools.partial(inner, *fn.args, **fn.keywords)
        if inlining.is_called_by_users(fn) and (method := self._method(kind.__call__, fn)) is not None:
            return method
        default = self.owner.default_float
        if default is not None and (op := TABLE.of(fn)) is not None and op.creates:
            return Creating(fn, default)
        return fn

    def as_it_is(self, fn: Any) -> bool:
        """Tell if `enter` gives this itself, and need not be asked at each call. (Should another function
        come to stand there, it is called right, but plain.) A function that the call at hand has no time left
        to jit is asked for: a later call may have it."""
        if fn is UNKNOWN or self.owner.default_float is not None or self.enter(fn) is not fn:
            return False
        call = current()
        return not _may_be_jitted(fn) or (not call.spent and call.affords(0.0))

    def _jitted(self, fn: types.FunctionType) -> Any:
        """A function of ours as Python between the blocks calls it."""
        known = self.root.callees.get(fn)
        if known is None:
            known = self.root.callees[fn] = self.callee(fn)
        return known

    def _method(self, fn: Any, own: Any) -> Any:
        """A method of an object, jitted; None where it is called as it is."""
        if type(fn) is not types.FunctionType:
            return None
        made = self._function(fn)
        return None if made is fn else types.MethodType(made, own)

    def _function(self, fn: types.FunctionType) -> Any:
        key = inlining.key_of(fn)
        known = self.root.callees.get(key)
        if known is None:
            if not (self.owner.has_to_wait or current().affords(0.0)):
                return fn
            known = self.root.callees[key] = self.callee(fn) if _is_usable(fn) else PLAIN
        if known is PLAIN:
            if fn.__code__ not in self._as_they_are:
                self._as_they_are.append(fn.__code__)
            return fn
        return known if known.__wrapped__ is fn else known.of(fn)


def _may_be_jitted(fn: Any) -> bool:
    """Tell if calls of an object may be jitted."""
    return isinstance(fn, _JITTED_KINDS) or inlining.is_called_by_users(fn)


def _is_usable(fn: types.FunctionType) -> bool:
    """Tell if a function is jitted where Python calls it: with a closure only where it is not to be cut."""
    if inlining.looks_at_callers(fn):
        return False
    if fn.__closure__ is None or fn.__code__.co_freevars == ("__class__",):
        return inlining.is_users(fn)
    return inlining.is_users(fn) and isinstance(rewrite(fn), Rewritten) and not must_be_cut(fn)


_JITTED_KINDS = (types.FunctionType, types.MethodType, functools.partial)
_SEEN_TO = frozenset(("resize", "warn"))  # the builtins and methods that something is called in place of
PLAIN: Any = object()  # a function that is called as it is
