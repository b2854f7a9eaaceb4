"""How a call's arguments meet the parameters of a jitted function."""

from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Callable
from typing import Any


class Binding:
    """How arguments meet parameters: every call is brought to one form, positional where that is possible."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.read()

    def of(self, fn: Callable[..., Any]) -> Binding:
        """That of another function of the same code: its defaults may be others."""
        made = copy.copy(self)
        made.fn = fn
        return made

    def read(self) -> None:
        """Take the function's parameters and their defaults as they are now."""
        self.defaults = self._defaults()
        # Of functions written in Python alone: the defaults that others show are not what they take
        # (`np.sin(x, signature=None, dtype=None)` is an error).
        python = isinstance(self.fn, types.FunctionType)
        # Nor is the signature of what a function wraps its own.
        own = inspect.signature(self.fn, follow_wrapped=False) if python else None
        self.signature: inspect.Signature | None = own
        self.arity = -1
        self._names: list[str] = []
        if self.signature is not None:
            parameters = list(self.signature.parameters.values())
            plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            self._names = [item.name for item in parameters if item.kind in plain]
            if all(item.kind in plain for item in parameters):
                self.arity = len(parameters)

    def _defaults(self) -> tuple[Any, ...]:
        """The defaults by identity; those of keywords may be changed in place."""
        keywords = getattr(self.fn, "__kwdefaults__", None) or {}
        return id(getattr(self.fn, "__defaults__", None)), *(
            (key, id(value)) for key, value in keywords.items()
        )

    def names(self, count: int) -> list[str]:
        return [*self._names, *(f"arg{position}" for position in range(len(self._names), count))]

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The call's arguments in the one form; None where they do not fit the function."""
        if self.signature is None:
            return args, kwargs
        if self._defaults() != self.defaults:
            self.read()
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        return bound.args, bound.kwargs
