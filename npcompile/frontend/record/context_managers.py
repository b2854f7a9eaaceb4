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
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.user_functions import Functions, suspends
from npcompile.frontend.replay.locks import ACQUIRE, RELEASE
from npcompile.frontend.rewrite.call_sites import do

_GENERATED: Any = contextlib._GeneratorContextManager  # what functions under `contextmanager` give
_MAKES_MANAGERS = contextlib.contextmanager(lambda: iter(())).__code__
PLAIN_MANAGERS = (contextlib.nullcontext, contextlib.suppress)
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


class Managed:
    """What a `with` statement enters in place of a manager: its methods are called by the hooks."""

    def __init__(self, hooks: Managing, manager: Any, enter: Any, leave: Any, *args: Any) -> None:
        self.hooks = hooks
        self._manager = manager
        self._enter = enter
        self._leave = leave
        self._args = args

    @handed(lambda self: type(self._manager).__enter__(self._manager))
    def __enter__(self) -> Any:
        result = self.hooks.step(self._enter, *self._args)
        self.hooks.builder.tries += 1
        return result

    @handed(lambda self, *error: type(self._manager).__exit__(self._manager, *error))
    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        hooks = self.hooks
        hooks.builder.tries -= 1
        if error is not None and hooks.on and not hooks.is_decided(error):
            hooks.stop(Cause.WITH_RAISED(type(error).__name__))
        result = hooks.step(self._leave, *self._args, kind, error, trace)
        return hooks.truth(result)


class Managing(Functions):
    """Managers: objects of the user's with `__enter__` and `__exit__`, those of `contextmanager`, locks."""

    def manager(self, obj: Any) -> Any:
        if not self.on or isinstance(obj, np.errstate):
            return obj
        enter, leave = self.protocol(obj, "__enter__"), self.protocol(obj, "__exit__")
        if enter is not None and leave is not None:
            return Managed(self, obj, enter, leave, obj)
        if id(obj) in self.managers:
            return Managed(self, obj, obj.__enter__, obj.__exit__)
        if isinstance(obj, _LOCKS) and self.builder.tracked.node(obj) is not None:
            return Managed(self, obj, self._acquire, self._release, obj)
        self.stop(Cause.WITH(type(obj).__name__))
        return obj

    def step(self, method: Any, *args: Any) -> Any:
        """What a manager does as it is entered or left."""
        own = getattr(method, "__self__", None)
        return method(*args) if own is self else self.call(method, *args)

    def _acquire(self, lock: Any) -> Any:
        result = lock.__enter__()
        self._on_lock("acquire", ACQUIRE, lock)
        return result

    def _release(self, lock: Any, *error: Any) -> Any:
        result = lock.__exit__(*error)
        self._on_lock("release", RELEASE, lock)
        return result

    def _on_lock(self, name: str, method: Any, lock: Any) -> None:
        if self.on:
            self.note(self.handed, (), {}, method)
            self.forget()  # another thread may have had it
            self.note(self.builder.effect, Call(name, method), (lock,), {}, False, None)

    def call_plain_manager(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._is_manager(do(fn, *args, **kwargs))

    def call_manager(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Methods of managers that were made inside, and functions that `contextmanager` made."""
        if type(fn) is types.MethodType and id(fn.__self__) in self.managers:
            return fn(*args, **kwargs)
        helper = fn.__func__ if type(fn) is types.MethodType else fn
        if type(helper) is not types.FunctionType or helper.__code__ is not _MAKES_MANAGERS:
            return PASS
        if helper is not fn:
            self.note(self._bound, fn, None)
            args = (fn.__self__, *args)
        function: Any = vars(helper)["__wrapped__"]
        if not suspends(function):
            return PASS
        made = object.__new__(_GENERATED)
        made.gen = self.call(function, *args, **kwargs)
        made.func, made.args, made.kwds = function, args, kwargs
        return self._is_manager(made)

    def _is_manager(self, made: Any) -> Any:
        self.managers[id(made)] = made
        return made
