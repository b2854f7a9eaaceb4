"""`with` statements: what managers do as they are entered and left goes through the hooks."""

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

_GENERATED: Any = contextlib._GeneratorContextManager  # what functions under `contextmanager` give
_MAKES_MANAGERS = contextlib.contextmanager(lambda: iter(())).__code__
PLAIN_MANAGERS = (contextlib.nullcontext, contextlib.suppress)
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


class Managed:
    """What a `with` statement enters in place of a manager: its methods are called by the hooks."""

    def __init__(self, hooks: Recording, manager: Any, enter: Any, leave: Any, *args: Any) -> None:
        self.hooks = hooks
        self._manager = manager
        self._enter = enter
        self._leave = leave
        self._args = args

    @handed(lambda self: type(self._manager).__enter__(self._manager))
    def __enter__(self) -> Any:
        result = enter_or_leave(self.hooks, self._enter, *self._args)
        self.hooks.builder.tries += 1
        return result

    @handed(lambda self, *error: type(self._manager).__exit__(self._manager, *error))
    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        hooks = self.hooks
        hooks.builder.tries -= 1
        if error is not None and hooks.on and not is_decided_exception(hooks, error):
            hooks.stop(Cause.WITH_RAISED(type(error).__name__))
        result = enter_or_leave(hooks, self._leave, *self._args, kind, error, trace)
        return hooks.truth(result)


def enter_manager(recording: Recording, obj: Any) -> Any:
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
    """What a manager does as it is entered or left."""
    if method is _acquire or method is _release:
        return method(recording, *args)
    return recording.call(method, *args)


def _acquire(recording: Recording, lock: Any) -> Any:
    result = lock.__enter__()
    _on_lock(recording, "acquire", ACQUIRE, lock)
    return result


def _release(recording: Recording, lock: Any, *error: Any) -> Any:
    result = lock.__exit__(*error)
    _on_lock(recording, "release", RELEASE, lock)
    return result


def _on_lock(recording: Recording, name: str, method: Any, lock: Any) -> None:
    if recording.on:
        recording.note(prepare_opaque, recording, (), {}, method)
        recording.forget()  # another thread may have had it
        recording.note(recording.builder.effect, Call(name, method), (lock,), {}, False, None)


def call_plain_manager(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _is_manager(recording, do(fn, *args, **kwargs))


def call_manager(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Methods of managers that were made inside, and functions that `contextmanager` made."""
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
    recording.managers[id(made)] = made
    return made
