"""Handlers for `with` statements: the methods of a context manager are called through the hooks.

Recorded are managers of the user's classes, those that `contextlib.contextmanager` makes, `nullcontext` and
`suppress`, and locks from outside. Any other manager but `np.errstate` ends the recording. The registry and
`recorder.py` list the handlers.
"""

from __future__ import annotations

import contextlib
import threading
import types
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import handed
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.record.exceptions import is_decided_exception
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import special_method
from npcompile.frontend.record.stores import prepare_opaque
from npcompile.frontend.record.user_functions import note_bound_method, suspends
from npcompile.frontend.replay.locks import ACQUIRE, RELEASE
from npcompile.frontend.rewrite.call_sites import do

_GENERATED: Any = contextlib._GeneratorContextManager  # the class of managers that `contextmanager` makes
# The code of every function that `contextmanager` returns.
_MAKES_MANAGERS = contextlib.contextmanager(lambda: iter(())).__code__
PLAIN_MANAGERS = (contextlib.nullcontext, contextlib.suppress)
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


class Managed:
    """The object that a `with` statement enters in place of a manager: it calls the hooks."""

    def __init__(self, hooks: Recording, manager: Any, enter: Any, leave: Any, *args: Any) -> None:
        self.hooks = hooks
        self._manager = manager
        self._enter = enter
        self._leave = leave
        self._args = args

    @handed(lambda self: type(self._manager).__enter__(self._manager))
    def __enter__(self) -> Any:
        """Enter the manager."""
        result = enter_or_leave(self.hooks, self._enter, *self._args)
        self.hooks.builder.tries += 1
        return result

    @handed(lambda self, *error: type(self._manager).__exit__(self._manager, *error))
    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        """Leave the manager; return True if it suppresses the exception."""
        hooks = self.hooks
        hooks.builder.tries -= 1
        if error is not None and hooks.on and not is_decided_exception(hooks, error):
            hooks.stop(Cause.WITH_RAISED(type(error).__name__))
        result = enter_or_leave(hooks, self._leave, *self._args, kind, error, trace)
        return hooks.truth(result)


def enter_manager(recording: Recording, obj: Any) -> Any:
    """Return the object that `with obj` is to enter; end the recording for unknown managers."""
    if not recording.on or isinstance(obj, np.errstate):
        return obj
    enter, leave = special_method(recording, obj, "__enter__"), special_method(recording, obj, "__exit__")
    if enter is not None and leave is not None:
        return Managed(recording, obj, enter, leave, obj)
    if id(obj) in recording.managers:
        return Managed(recording, obj, obj.__enter__, obj.__exit__)
    if isinstance(obj, _LOCKS) and recording.builder.tracked.node(obj) is not None:
        return Managed(recording, obj, _acquire, _release, obj)
    recording.stop(Cause.WITH(type(obj).__name__))
    return obj


def enter_or_leave(recording: Recording, method: Any, *args: Any) -> Any:
    """Call the method that enters or leaves a manager."""
    if method is _acquire or method is _release:
        return method(recording, *args)
    return recording.call(method, *args)


def _acquire(recording: Recording, lock: Any) -> Any:
    """Enter a lock."""
    result = lock.__enter__()
    _on_lock(recording, "acquire", ACQUIRE, lock)
    return result


def _release(recording: Recording, lock: Any, *error: Any) -> Any:
    """Leave a lock."""
    result = lock.__exit__(*error)
    _on_lock(recording, "release", RELEASE, lock)
    return result


def _on_lock(recording: Recording, name: str, method: Any, lock: Any) -> None:
    """Note that a lock was acquired or released, as an effect."""
    if recording.on:
        recording.note(prepare_opaque, recording, (), {}, method)
        recording.forget()  # another thread that had the lock may have changed anything
        recording.note(recording.builder.effect, Call(name, method), (lock,), {}, False, None)


def call_plain_manager(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a `nullcontext` or `suppress`."""
    return _is_manager(recording, do(fn, *args, **kwargs))


def call_manager(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of a manager that was made inside, or a function that `contextmanager` made."""
    if type(fn) is types.MethodType and id(fn.__self__) in recording.managers:
        return fn(*args, **kwargs)
    helper = fn.__func__ if type(fn) is types.MethodType else fn
    if type(helper) is not types.FunctionType or helper.__code__ is not _MAKES_MANAGERS:
        return PASS
    if helper is not fn:
        recording.note(note_bound_method, recording, fn, None)
        args = (fn.__self__, *args)
    function: Any = vars(helper)["__wrapped__"]
    if not suspends(function):
        return PASS
    made = object.__new__(_GENERATED)
    made.gen = recording.call(function, *args, **kwargs)
    made.func, made.args, made.kwds = function, args, kwargs
    return _is_manager(recording, made)


def _is_manager(recording: Recording, made: Any) -> Any:
    """Note that an object is a manager that the function has made; return it."""
    recording.managers[id(made)] = made
    return made
