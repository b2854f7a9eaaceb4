"""Binds a call's arguments to the parameters of a jitted function.

`runtime.function` brings every call to one form before it looks for its signature; the native runtime is
given the same parameters.
"""

from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Callable
from typing import Any


class Binding:
    """Brings every call of a function to one form, positional where that is possible.

    `inspect.Signature` does the same, in 13 µs for five parameters; this takes one.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn: Any = fn
        self.arity = -1  # of a function that takes positional arguments alone
        self.takes: tuple[str, ...] = ()
        # Of functions written in Python alone: what others show is not always what they take
        # (`np.sin(x, signature=None, dtype=None)` is an error).
        self.of_python = isinstance(fn, types.FunctionType)
        if isinstance(fn, types.FunctionType):
            code = fn.__code__
            count = code.co_argcount
            self.only_positional = code.co_posonlyargcount
            self.takes = code.co_varnames[:count]
            self.only_named = code.co_varnames[count : count + code.co_kwonlyargcount]
            self.more = bool(code.co_flags & inspect.CO_VARARGS)
            self.more_named = bool(code.co_flags & inspect.CO_VARKEYWORDS)
            if not (self.only_named or self.more or self.more_named):
                self.arity = count

    def of(self, fn: Callable[..., Any]) -> Binding:
        """Return the binding of another function of the same code: its defaults may be others."""
        made = copy.copy(self)
        made.fn = fn
        return made

    @property
    def parameters(self) -> tuple[tuple[str, ...], tuple[str, ...], int, bool, bool]:
        """Return the parameters as the native runtime takes them: the names by position and by name alone,
        how many are by position alone, whether there are `*rest` and `**named`."""
        return self.takes, self.only_named, self.only_positional, self.more, self.more_named

    def names(self, count: int) -> list[str]:
        return [*self.takes, *(f"arg{position}" for position in range(len(self.takes), count))]

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Return the call's arguments in the one form, with the defaults as they are now; None where they do
        not fit the function."""
        if not self.of_python:
            return args, kwargs
        given, count = len(args), len(self.takes)
        defaults = self.fn.__defaults__ or ()
        first = count - len(defaults)  # the first parameter that has a default
        if not kwargs and self.arity >= 0 and first <= given < count:
            return args + defaults[given - first :], kwargs
        rest = dict(kwargs)
        if given < count:
            values = list(args)
            for place in range(given, count):
                name = self.takes[place]
                if name in rest and place >= self.only_positional:
                    values.append(rest.pop(name))
                elif place >= first:
                    values.append(defaults[place - first])
                else:
                    return None
            args = tuple(values)
        elif given > count and not self.more:
            return None
        named: dict[str, Any] = {}
        for name in self.only_named:
            if name in rest:
                named[name] = rest.pop(name)
            elif self.fn.__kwdefaults__ and name in self.fn.__kwdefaults__:
                named[name] = self.fn.__kwdefaults__[name]
            else:
                return None
        # An argument that is left is nobody's, or given twice.
        if rest and (not self.more_named or any(name in rest for name in self.takes[self.only_positional :])):
            return None
        return args, named | rest
