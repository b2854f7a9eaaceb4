"""Makes descriptors (properties, class methods and the like) of jitted functions from those of plain ones.

`jit` uses it. A descriptor keeps its class and all else that it holds.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any


def of_jitted(descriptor: Any, jitted: Callable[[Any], Any]) -> Any:
    """Return a descriptor like one given, with functions made by `jitted`; None for any other object."""
    made: Any
    match descriptor:
        case staticmethod() | classmethod():
            return type(descriptor)(jitted(descriptor.__func__))
        case property():
            getter = descriptor.fget and jitted(descriptor.fget)
            return property(getter, descriptor.fset, descriptor.fdel, descriptor.__doc__)
        case functools.cached_property() | functools.partialmethod():
            made = copy.copy(descriptor)
            made.func = jitted(descriptor.func)
            return made
        case functools.singledispatchmethod():
            made = functools.singledispatchmethod(jitted(descriptor.func))
            for kind, function in descriptor.dispatcher.registry.items():
                if kind is not object:
                    made.register(kind, function)
            return made
    return None
