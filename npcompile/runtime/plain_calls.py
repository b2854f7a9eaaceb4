"""Answers the calls of a recorded function that are Python's and NumPy's, with its options, and says why.

It is a base of `RecordedFunction`: what is here records nothing and replays nothing.
"""

from __future__ import annotations

import inspect
import sys
import time
import types
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.boundary.faults import told
from npcompile.frontend.eager.errstate import all_warnings_are_errors, traps, warnings_matter
from npcompile.frontend.graph.options import Defaults, on_device
from npcompile.frontend.rewrite.call_sites import with_users_levels
from npcompile.frontend.rewrite.recursion import Recursion
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.runtime import fast_path
from npcompile.runtime.current_device import current_device
from npcompile.runtime.plain_streaks import MOST as MOST_PASSED
from npcompile.runtime.plain_streaks import PlainStreak
from npcompile.runtime.shape_sharing import LOOKED_AT, ShapeSharing
from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import TOO_SMALL
from npcompile.tiering.account import clock
from npcompile.tiering.contest import FEWEST
from npcompile.tiering.overhead import this_thread, users

# Calls within a spent one of which a glance at the arguments is enough, before one is looked at.
MOST_GLANCES = 64
_SUSPENDING = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


class PlainCalls(ShapeSharing):
    """A recorded function's calls that are not replays."""

    __slots__ = ("_levels", "_passing", "_recursion", "_rewritten", "resizes")
    _direct: bool
    _passing: PlainStreak
    _code: types.CodeType | None
    # The function's code, and that which is called in its place.
    _levels: tuple[types.CodeType | None, types.CodeType | None]
    _recursion: tuple[types.CodeType | None, Recursion | None]
    _rewritten: Rewritten | Reason | None
    default_float: np.dtype[Any] | None
    fast_random: bool
    _made_so: bool  # warnings were errors when the function was jitted
    resizes: bool  # it may resize an array, of which NumPy counts the references

    def _are_news(self) -> bool:
        """Tell if warnings are errors, and were none yet when the function was jitted."""
        return all_warnings_are_errors() and not self._made_so

    def _is_numpys_now(self) -> bool:
        """Tell if NumPy does a call whatever is recorded: users see their own function under a debugger, and
        NumPy is to raise or to warn."""
        return sys.gettrace() is not None or traps() or (warnings_matter() and self._are_news())

    def by_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by the plain function."""
        return self._plain(args, kwargs)

    def _plain(self, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Reason | None = None) -> Any:
        if reason is not None:
            self.report_uncompiled(reason, self.at(None))
        self.own_stats.plain_calls += 1
        return users(self._in_python(on_device((args, kwargs))), args, kwargs)

    def _in_python(self, device: bool = False) -> Any:
        """The function as Python runs it, with its options. device: tensors on a device are given to it."""
        fn: Any = self.__wrapped__
        asked = device or self.default_float is not None or self.fast_random or self.resizes
        if asked and isinstance(rewritten := self._source(), Rewritten):
            return rewritten.bind(fn, Defaults(self.default_float, self.fast_random))
        return self.as_called()

    def as_called(self) -> Any:
        """Return the plain function as npcompile calls it.

        Its warnings name the lines of its callers, and its calls of itself are plain.
        """
        fn: Any = self.__wrapped__
        if type(fn) is not types.FunctionType:
            return fn
        recursion = None if self._has_options() or current_device() is not None else self.recursion
        if recursion is not None and sys.gettrace() is None:  # a debugger shows the user's variables alone
            if (plain := recursion.plain(fn, self)) is not None:
                return plain
        known, code = self._levels
        if known is not fn.__code__ or code is None:
            code = with_users_levels(fn.__code__, fn.__globals__)
            self._levels = fn.__code__, code
        if code is fn.__code__:
            return fn
        called = types.FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
        called.__kwdefaults__ = fn.__kwdefaults__
        return called

    @property
    def recursion(self) -> Recursion | None:
        """The function's code for calls of itself that are plain; None where it does not call itself."""
        fn: Any = self.__wrapped__
        if type(fn) is not types.FunctionType:
            return None
        known, recursion = self._recursion
        if known is not fn.__code__:
            recursion = Recursion.of(fn)
            self._recursion = fn.__code__, recursion
        return recursion

    def _by_numpy(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call of a signature that is NumPy's, for good or while its kernels are being compiled."""
        return self._too_small(args, kwargs) if state.tier in TOO_SMALL else self._plain(args, kwargs)

    def _beyond(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call within one that has spent what it may: plain, and some after it are not looked at.

        The native runtime is told of its signature, if that is known, and answers some of those after it. A
        contest at hand goes on there: nothing else would end it before the outermost call does.
        """
        if self.recursion is not None:  # none of its calls within this one comes here
            return self._plain(args, kwargs)
        self._pass_over(2 * LOOKED_AT)
        try:
            key = self.signature(args, kwargs, [])
            state = self.by_signature.get(key)
        except TypeError:  # an argument that has no hash
            state = None
        if state is not None and state.chunks is None and current_device() is None:
            fast_path.note(self, args, kwargs, state, key)  # type: ignore[arg-type]  # it is a `Seen`
            if state.trial is not None and state.ready and self._front is not None:
                return state.measured(self, args, kwargs)  # type: ignore[arg-type]  # it is a `Measured`
            if not (state.ready or state.rest):
                state.rest = 2 * LOOKED_AT
        return self._plain(args, kwargs)

    def _raising(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call after recordings that ended in an exception and left nothing: it may raise, too."""
        try:
            result = self._timed(state, args, kwargs)
        except BaseException:
            state.raises = not state.may_follow()
            raise
        state.has_answered()
        if state.ready:
            self._missed(state)
        return result

    def _missed(self, state: Specialization) -> None:
        """All programs of a signature diverged."""
        raise NotImplementedError

    def _timed(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a plain call; replays are measured by how long it takes."""
        call, start = PlainCalls.beside(self, args, kwargs), time.thread_time()
        result = users(call, args, kwargs)
        state.timed(time.thread_time() - start)
        return result

    def _pay_for(self, state: Specialization) -> None:
        """Have all calls pay that the native runtime does not know: it cannot tell this one from them."""
        self.overdrawn += state.overdrawn
        state.overdrawn = 0.0

    def _unpaid(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call that is not recorded, as that is not paid for yet."""
        result = self._timed(state, args, kwargs)
        if not state.ready and len(state.plain_seconds) >= FEWEST:
            state.rest = self.allowance.passes(min(state.plain_seconds))
            if not kwargs:
                self._pass_on(state, args)
        return result

    def _meanwhile(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # Compiling takes seconds: a look at each call may take longer than small calls themselves.
        if not self._pass_over(2 * LOOKED_AT) and not kwargs:
            self._begin_streak(args, LOOKED_AT, any_lengths=True)
        return self._plain(args, kwargs)

    def beside(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Count a call by NumPy and return what answers it, to see how long that takes."""
        self.own_stats.plain_calls += 1
        return self._in_python(on_device((args, kwargs)))

    def _too_small(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call of what NumPy does in less time than a kernel takes to be called."""
        return self._plain(args, kwargs)

    def _has_options(self) -> bool:
        """Tell if the plain function alone does not do what is asked for."""
        return self.is_strict or self.fast_random or self.resizes or self.default_float is not None

    def _passing_function(self, args: tuple[Any, ...]) -> Any:
        """Return the plain function if a call is its at a glance: as those before it, or within a spent one.

        A function that calls itself is called so often that no more than a glance is cheap enough.
        """
        if getattr(self.__wrapped__, "__code__", None) is not self._code or current_device() is not None:
            self._passing.give_back()
            return None
        call = this_thread.call
        is_beyond = call is not None and call.spent and self._direct and not self._has_options()
        glances = self._front is None and self._looks % MOST_GLANCES != 0
        pays = self.overdrawn > 0 and self._direct and not (self._has_options() or on_device(args))
        if pays:
            self._passing.give_back()
        elif is_beyond and glances and not on_device(args):
            if self.recursion is None:  # else none of its calls within this one comes here
                self._pass_over(2 * LOOKED_AT)
        elif not self._passing.takes(args):
            self._passing.give_back()
            return None
        self.own_stats.calls += 1
        self.own_stats.plain_calls += 1
        return self.as_called()

    def _passed(self, function: Any, args: tuple[Any, ...]) -> Any:
        start = clock()
        try:
            return function(*args)
        except BaseException as error:
            told(error)
            raise
        finally:
            if self.overdrawn > 0:
                self.overdrawn -= clock() - start

    def look_again(self) -> None:
        super().look_again()
        self._passing.left = 0

    def _pass_on(self, state: Specialization, args: tuple[Any, ...]) -> None:
        """Leave calls with such arguments to the plain function for now."""
        lost = state.is_numpys
        calls = MOST_PASSED if lost else min(MOST_PASSED, state.rest)
        if self._begin_streak(args, calls) and not lost:
            state.rest -= calls
            self._passing.lender = state

    def _begin_streak(self, args: tuple[Any, ...], calls: int, any_lengths: bool = False) -> bool:
        """Leave so many calls to the plain function; False where they are not to pass at a glance.

        The native runtime, where it is there, has streaks of its own.
        """
        if not self._direct or self._front is not None or self._has_options():
            return False
        self._passing.give_back()
        return self._passing.begin(args, calls, any_lengths)

    def _source(self) -> Rewritten | Reason:
        """Return the function rewritten, or the reason why it cannot be."""
        if self._rewritten is None:
            fn = self.__wrapped__
            if not isinstance(fn, types.FunctionType):
                self._rewritten = Cause.NO_PYTHON_FUNCTION(type(fn).__name__)
            elif any(suspends(fn) for suspends in _SUSPENDING):
                self._rewritten = Cause.SUSPENDS()
            else:
                answer = rewrite(fn)
                self._rewritten = answer if isinstance(answer, Rewritten) else answer.reason
        return self._rewritten
