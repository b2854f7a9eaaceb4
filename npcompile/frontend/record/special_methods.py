"""Special methods: an operator on an object of the user's class is recorded as a call of the object's method.

Comparisons, truth, and builtins that call a method (`len`) are recorded as calls of it, too. The registry
lists the handlers, and other files look methods up here. A look-up in a class is always noted: each replay
checks that the class has not changed. Lists, tuples and slices that hold traced values are compared here,
too, item by item.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import is_array, is_numpy
from npcompile.frontend.program.guards import MethodFunctionIs, TypeIs
from npcompile.frontend.program.object_steps import class_attribute, is_named_tuple
from npcompile.frontend.program.reads import ReadClassAttribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.unsupported_operands import refuse, refuse_override
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import step_of
from npcompile.lower.plan.values import Value

NAMES = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "@": "matmul",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
COMPARED = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
# Builtins that call a method of their argument: its name, and the type that it must return (None: any).
ASKING: dict[Any, tuple[str, Any]] = {
    abs: ("__abs__", None),
    round: ("__round__", None),
    iter: ("__iter__", None),
    reversed: ("__reversed__", None),
    len: ("__len__", int),
    int: ("__int__", int),
    float: ("__float__", float),
    complex: ("__complex__", complex),
}
_INEXACT = (float, complex, np.inexact)
_SEQUENCES = (list, tuple, str, bytes)
_ROWS = (list, tuple)
MANY = 16  # items; longer lists and tuples are not compared item by item
GENERATED = "<"  # begins the file names of generated code, as of methods that `dataclasses` writes


def is_followed(recording: Recording, obj: Any) -> bool:
    """Return True for an object of a class of the user's that was made inside or that a step gave."""
    if not inlining.is_users_class(type(obj)) or is_array(obj):
        return False
    return id(obj) in recording.builder.objects or recording.builder.tracked.node(obj) is not None


# -- look-ups in classes ---------------------------------------------------------------------------------


def note_class_attribute(recording: Recording, obj: Any, name: str) -> None:
    """Note that an attribute is looked up in the class of an object, and guard that it stays."""
    kind = type(obj)
    node = recording.builder.tracked.node(obj)
    if node is not None and step_of(node) not in ("input", "read") and node not in recording.type_checked:
        recording.type_checked.add(node)
        recording.builder.guard(TypeIs(kind), node)
    found = getattr(kind, name)
    if isinstance(found, types.MethodType):
        note_class_method(recording, kind, name, found)
        return
    note_read(recording, ReadClassAttribute, name, kind, None, found)


def note_class_method(recording: Recording, kind: type, name: str, found: types.MethodType) -> None:
    """Guard the function of a class method; the method itself is a new object at each look-up."""
    place = "class method", name, id(kind)
    if place not in recording.reads_seen:
        recording.reads_seen[place] = found, found
        node = recording.builder.add("read", ReadClassAttribute(name, kind), (), {}, Value("object"))
        recording.builder.guard(MethodFunctionIs(found.__func__), node)


def note_held_by_class(recording: Recording, kind: type, name: str) -> None:
    """Note the value that a class of the user's holds under a name, or that it holds none."""
    if inlining.is_users_class(kind):
        recording.held_by_class[kind, name] = class_attribute(kind, name, ...)


def special_method(recording: Recording, obj: Any, name: str) -> Any:
    """Return the user's function that Python calls as a special method of an object.

    None is returned where there is none, or where the object is not followed.
    """
    if not recording.on or not is_followed(recording, obj):
        return None
    found = class_attribute(type(obj), name)
    plain = found.npcompile_function() if hasattr(type(found), "npcompile_function") else found
    if type(plain) is not types.FunctionType:
        note_held_by_class(recording, type(obj), name)
        return None
    is_users = inlining.is_users(plain) and not plain.__code__.co_filename.startswith(GENERATED)
    if not (is_users or inlining.is_listed_method(plain)):
        return None
    return found if _is_of_class(recording, obj, name) else None


def _is_of_class(recording: Recording, obj: Any, name: str) -> bool:
    """Note a look-up in the class of an object; return False, and end the recording, if it is not
    followed."""
    try:
        note_class_attribute(recording, obj, name)
    except Unfollowed as unfollowed:
        recording.stop(unfollowed.reason)
        return False
    return True


# -- operators -------------------------------------------------------------------------------------------


def binary_of_objects(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a binary operator by a method of an object that is followed."""
    if is_followed(recording, a) or is_followed(recording, b):
        result = _call_either(recording, a, b, op, BINARY[op])
        if result is not NotImplemented:
            return result
    return PASS


def inplace_objects(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do an operator in place by a method of an object that is followed."""
    if is_followed(recording, a) or (is_followed(recording, b) and not is_array(a)):
        method = special_method(recording, a, f"__i{NAMES[op]}__")
        if method is not None and (result := recording.call(method, a, b)) is not NotImplemented:
            return result
        if method is not None or class_attribute(type(a), f"__i{NAMES[op]}__") is None:
            result = _call_either(recording, a, b, op, INPLACE[op], were_asked=method is not None)
            if result is not NotImplemented:
                return result
    return PASS


def unary_of_object(recording: Recording, op: str, a: Any) -> Any:
    """Do a unary operator by a method of an object that is followed."""
    method = special_method(recording, a, UNARY[op])
    return PASS if method is None else recording.call(method, a)


def compare_objects(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a comparison or `in` by a method of an object that is followed."""
    if is_followed(recording, a) or is_followed(recording, b):
        if op in COMPARED:
            if (held := _held_in_order(recording, op, a, b)) is not None:
                return compare_in_turn(recording, op, *held)
            result = _call_compared(recording, op, a, b)
            if result is not NotImplemented:
                return result
        elif op in ("in", "not in") and (method := special_method(recording, b, "__contains__")) is not None:
            return recording.truth(recording.call(method, b, a)) is (op == "in")
    return PASS


def compare_rows(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do `in` and comparisons of lists and tuples that hold traced values, item by item."""
    if recording.on and type(b) in _ROWS and len(b) <= MANY and recording.builder.traced(a, b):
        if op in ("in", "not in"):
            return _is_among(recording, op, a, b)
        if op in COMPARED and type(a) is type(b) and len(a) <= MANY:
            return compare_in_turn(recording, op, tuple(recording.iterate(a)), tuple(recording.iterate(b)))
    return PASS


def _is_among(recording: Recording, op: str, a: Any, items: Any) -> Any:
    """Do `in` or `not in` on a list or tuple: an item is the value itself, or equals it."""
    items = tuple(recording.iterate(items))
    for item in items:
        if item is a or recording.truth(recording.compare("==", item, a)):
            return op == "in"
    if any(isinstance(item, _INEXACT) for item in items) and decides_by_nan(recording, a):
        return do(COMPARE[op], recording.builder.tracked.meant(a), recording.builder.tracked.meant(items))
    return op == "not in"


def decides_by_nan(recording: Recording, number: Any) -> bool:
    """Return True for a NaN, and end the recording: Python finds a NaN by identity, which no step keeps."""
    nan = isinstance(number, _INEXACT) and not recording.truth(recording.compare("==", number, number))
    if nan:
        recording.stop(Cause.NAN_COMPARED())
    return nan


def truth_of_deque(recording: Recording, x: Any) -> Any:
    """Return the truth of a deque, by its length."""
    return recording.truth(recording.call(len, x))


def truth_of_object(recording: Recording, x: Any) -> Any:
    """Return the truth of an object, by its `__bool__` or `__len__`; without them it is true."""
    if (method := special_method(recording, x, "__bool__")) is not None:
        result = recording.call(method, x)
        return recording.truth(result) if type(result) is bool else bool(x)
    if (method := special_method(recording, x, "__len__")) is not None:
        return recording.truth(recording.call(method, x))
    if is_followed(recording, x):
        kind = type(x)
        if class_attribute(kind, "__bool__") is None and class_attribute(kind, "__len__") is None:
            return True
    return PASS


def _call_either(
    recording: Recording,
    a: Any,
    b: Any,
    op: str,
    operator: Callable[[Any, Any], Any],
    were_asked: bool = False,
) -> Any:
    """Do an operator by the method of the first operand or the reflected method of the second.

    NotImplemented is returned where Python itself is to do the operator. Raises TypeError where users'
    methods have said that they do not, and nothing is left to try.

    operator: the function of the operator, in place or not. were_asked: methods in place have said so.
    """
    one, other = type(a), type(b)
    forward, backward = f"__{NAMES[op]}__", f"__r{NAMES[op]}__"
    own = special_method(recording, a, forward)
    theirs = None if one is other else special_method(recording, b, backward)
    if theirs is not None and issubclass(other, one):
        # Python asks a subclass first if its reflected method is its own.
        if class_attribute(one, backward) is not class_attribute(other, backward):
            if (result := recording.call(theirs, b, a)) is not NotImplemented:
                return result
            theirs, were_asked = None, True
    if own is not None:
        result = recording.call(own, a, b)
        if result is not NotImplemented:
            return result
        were_asked = True
    elif is_numpy(a):
        if (override := special_method(recording, b, "__array_ufunc__")) is not None:
            result = recording.call(override, b, purity.UFUNCS[op], "__call__", a, b)
            if result is NotImplemented:
                refuse_override(operator, a, b)
            return result
        result = do(getattr(one, forward), a, b)
        if result is not NotImplemented:
            recording.stop(Cause.OPERATOR(op, one.__name__, other.__name__))
            return result
    elif class_attribute(one, forward) is not None and one not in _SEQUENCES:
        if one not in (*NUMBERS, bool) or getattr(one, forward)(a, b) is not NotImplemented:
            return NotImplemented
    if theirs is not None:
        if (result := recording.call(theirs, b, a)) is not NotImplemented:
            return result
        were_asked = True
    if were_asked:
        refuse(operator, op, a, b)
    return NotImplemented


def _call_compared(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do a comparison by the method of one operand or the reflected method of the other.

    NotImplemented is returned where Python itself is to compare.
    """
    name, mirrored = COMPARED[op], COMPARED[MIRRORED[op]]
    one, other = type(a), type(b)
    if is_numpy(a) or is_numpy(b):
        if special_method(recording, b, "__array_ufunc__") is None and not is_numpy(b):
            return NotImplemented
    first, second = _comparing(recording, a, name), _comparing(recording, b, mirrored)
    tries = [(first, a, b), (second, b, a)]
    if one is not other and issubclass(other, one) and second is not None:
        tries.reverse()
    for method, own, operand in tries:
        if method is not None:
            result = recording.call(method, own, operand)
            if result is not NotImplemented:
                inverted = op == "!=" and method is class_attribute(type(own), "__eq__")
                return (not recording.truth(result)) if inverted else result
        elif not _compares_not(recording, own, name if own is a else mirrored):
            return NotImplemented
    if op in ("==", "!="):
        return recording.compare("is" if op == "==" else "is not", a, b)
    return NotImplemented


def compare_in_turn(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Compare tuples as Python does: by the first pair of items that are neither identical nor equal."""
    places = tuple(range(min(len(a), len(b))))
    recording.builder.constant(places)
    for place in places:
        one, other = recording.getitem(a, place), recording.getitem(b, place)
        if one is other or recording.truth(recording.compare("==", one, other)):
            continue
        if decides_by_nan(recording, one):
            return do(COMPARE[op], recording.builder.tracked.meant(a), recording.builder.tracked.meant(b))
        return op == "!=" if op in ("==", "!=") else recording.compare(op, one, other)
    return do(COMPARE[op], len(a), len(b))


def _held_in_order(recording: Recording, op: str, a: Any, b: Any) -> tuple[Any, Any] | None:
    """Return the tuples that decide a comparison of two objects of one class; None for other objects.

    They are the items of named tuples, or the fields of dataclasses whose method `dataclasses` wrote.
    """
    kind, name = type(a), COMPARED[op]
    if type(b) is not kind:
        return None
    if is_named_tuple(kind) and class_attribute(kind, name) is getattr(tuple, name):
        recording.builder.constant(tuple(range(len(a))))
        one, other = ([recording.getitem(obj, place) for place in range(len(a))] for obj in (a, b))
        return tuple(one), tuple(other)
    if op == "!=" and class_attribute(kind, name) is object.__ne__:
        name = "__eq__"
    found = vars(kind).get(name)
    if not dataclasses.is_dataclass(kind) or type(found) is not types.FunctionType:
        return None
    if not found.__code__.co_filename.startswith(GENERATED):
        return None
    if not _is_of_class(recording, a, name):
        return None
    names = [field.name for field in dataclasses.fields(kind) if field.compare]
    one, other = ([recording.getattr(obj, name) for name in names] for obj in (a, b))
    return tuple(one), tuple(other)


def _comparing(recording: Recording, obj: Any, name: str) -> Any:
    """Return the user's method that compares an object, None without one. For `!=` it may be `__eq__`."""
    found = special_method(recording, obj, name)
    if found is None and name == "__ne__" and class_attribute(type(obj), name) is object.__ne__:
        found = special_method(recording, obj, "__eq__")
    return found


def _compares_not(recording: Recording, obj: Any, name: str) -> bool:
    """Return True if an operand's own method gives NotImplemented for objects of the user's classes."""
    kind = type(obj)
    if kind in (*NUMBERS, bool, str, bytes, list, tuple, dict, type(None)):
        return True
    return class_attribute(kind, name) in (None, getattr(object, name, None))


# -- builtins that call a method -------------------------------------------------------------------------


def ask_method(recording: Recording, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Do `len(obj)` and the like by the object's own method; return the answer in a tuple.

    The tuple is empty where the object has no method that is followed.
    """
    name, kind = ASKING[fn]
    method = special_method(recording, args[0], name)
    if method is None:
        return ()
    result = recording.call(method, *args)
    if kind is not None and type(result) is not kind:
        recording.stop(Cause.BUILTIN_OF(fn.__name__, type(args[0]).__name__))
        return (fn(*args),)
    return (result,)
