"""Functions of the `operator` module, and `divmod`, do the operation that they stand for.

The registry lists their handlers. Each function goes through the hook of its operator.
"""

from __future__ import annotations

import operator
from typing import Any

from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import step_of

_BINARY = {id(function): symbol for symbol, function in BINARY.items()}
_INPLACE = {id(function): symbol for symbol, function in INPLACE.items()}
_UNARY = {id(function): symbol for symbol, function in UNARY.items()}
_COMPARE = {id(COMPARE[op]): op for op in ("<", "<=", ">", ">=", "==", "!=", "is", "is not")}
GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
OPERATORS = (
    *BINARY.values(),
    *INPLACE.values(),
    *UNARY.values(),
    *map(COMPARE.__getitem__, _COMPARE.values()),
)


def call_operator(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do the operation that a function of `operator` stands for."""
    key, count = id(fn), 0 if kwargs else len(args)
    if count == 2 and key in _BINARY:
        return recording.binary(_BINARY[key], *args)
    if count == 2 and key in _COMPARE:
        return recording.compare(_COMPARE[key], *args)
    if count == 2 and key in _INPLACE:
        return recording.inplace(_INPLACE[key], *args)
    if count == 1 and key in _UNARY:
        return recording.unary(_UNARY[key], *args)
    return PASS


def call_divmod(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Divide whole numbers: the quotient and the remainder may both be sizes."""
    if len(args) != 2 or kwargs or any(type(arg) is not int for arg in args):
        return PASS
    do(fn, *args)
    return recording.binary("//", *args), recording.binary("%", *args)


def call_getter_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an `itemgetter`, `attrgetter` or `methodcaller` of names and keys that are decided."""
    if kwargs or not args or any(map(recording.builder.traced, args)):
        return PASS
    return do(fn, *args)


def call_getter(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Read the items or attributes that a getter names, or call the method that a `methodcaller` names."""
    if (node := recording.builder.tracked.node(fn)) is not None and step_of(node) != "read":
        return PASS  # an argument may be another at each call, and is called again
    if len(args) != 1 or kwargs:
        return PASS
    (obj,) = args
    if type(fn) is operator.itemgetter:
        found = [recording.getitem(obj, key) for key in fn.__reduce__()[1]]
    elif type(fn) is operator.attrgetter:
        found = [_follow_path(recording, obj, path) for path in fn.__reduce__()[1]]
    else:
        made = fn.__reduce__()
        if made[0] is not operator.methodcaller:  # with arguments by name: a partial object
            return PASS
        name, *rest = made[1]
        return recording.call(recording.getattr(obj, name), *rest)
    return found[0] if len(found) == 1 else tuple(found)


def _follow_path(recording: Recording, obj: Any, path: str) -> Any:
    """Read `obj.a.b` for the path "a.b"."""
    for name in path.split("."):
        obj = recording.getattr(obj, name)
    return obj
