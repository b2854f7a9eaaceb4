"""Operators and other special methods of objects of the user's classes: functions like others."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.python_operators import COMPARE
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.program.array_facts import is_array, is_numpy
from npcompile.frontend.program.guards import MethodFunctionIs, TypeIs
from npcompile.frontend.program.object_steps import class_attribute, is_named_tuple
from npcompile.frontend.program.reads import ReadClassAttribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.operators import Operators
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
# Functions that ask a method of their argument, and what it has to answer with (None: anything).
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
MANY = 16  # of more, Python is to say what is in them
GENERATED = "<"  # file names of code that no file holds begin so: methods that dataclasses write


class Objects(Operators):
    """What is done to objects of the user's classes."""

    def is_followed(self, obj: Any) -> bool:
        """Whether this is an object of the user's whose origin is known."""
        if not inlining.is_users_class(type(obj)) or is_array(obj):
            return False
        return id(obj) in self.builder.objects or self.builder.tracked.node(obj) is not None

    # -- what classes decide ---------------------------------------------------------------------------------

    def of_class(self, obj: Any, name: str) -> None:
        """Note that the class of an object is asked for this attribute, which then is to be the same."""
        kind = type(obj)
        node = self.builder.tracked.node(obj)
        if node is not None and step_of(node) not in ("input", "read") and node not in self.type_checked:
            self.type_checked.add(node)
            self.builder.guard(TypeIs(kind), node)
        found = getattr(kind, name)
        if isinstance(found, types.MethodType):
            self.of_class_method(kind, name, found)
            return
        self._read(ReadClassAttribute, name, kind, None, found)  # type: ignore[attr-defined]

    def of_class_method(self, kind: type, name: str, found: types.MethodType) -> None:
        """Note which function a class method is of: the method itself is made anew each time."""
        place = "class method", name, id(kind)
        if place not in self.reads_seen:
            self.reads_seen[place] = found, found
            node = self.builder.add("read", ReadClassAttribute(name, kind), (), {}, Value("object"))
            self.builder.guard(MethodFunctionIs(found.__func__), node)

    def lies_in_class(self, kind: type, name: str) -> None:
        """Note what a class of the user's holds under a name, or that it holds nothing."""
        if inlining.is_users_class(kind):
            self.held_by_class[kind, name] = class_attribute(kind, name, ...)

    def protocol(self, obj: Any, name: str) -> Any:
        """The function of the user's that Python calls as this special method of an object; None where there
        is none, or the object is not followed."""
        if not self.on or not self.is_followed(obj):
            return None
        found = class_attribute(type(obj), name)
        plain = found.npcompile_function() if hasattr(type(found), "npcompile_function") else found
        if type(plain) is not types.FunctionType:
            self.lies_in_class(type(obj), name)
            return None
        is_users = inlining.is_users(plain) and not plain.__code__.co_filename.startswith(GENERATED)
        if not (is_users or inlining.is_listed_method(plain)):
            return None
        return found if self._is_of_class(obj, name) else None

    def _is_of_class(self, obj: Any, name: str) -> bool:
        """Note what its class holds under a name; False where that cannot be followed, which ends here."""
        try:
            self.of_class(obj, name)
        except Unfollowed as unfollowed:
            self.stop(unfollowed.reason)
            return False
        return True

    # -- operators -------------------------------------------------------------------------------------------

    def binary_of_objects(self, op: str, a: Any, b: Any) -> Any:
        if self.is_followed(a) or self.is_followed(b):
            result = self._either(a, b, f"__{NAMES[op]}__", f"__r{NAMES[op]}__", op)
            if result is not NotImplemented:
                return result
        return PASS

    def inplace_objects(self, op: str, a: Any, b: Any) -> Any:
        if self.is_followed(a) or (self.is_followed(b) and not is_array(a)):
            method = self.protocol(a, f"__i{NAMES[op]}__")
            if method is not None and (result := self.call(method, a, b)) is not NotImplemented:
                return result
            if method is not None or class_attribute(type(a), f"__i{NAMES[op]}__") is None:
                result = self._either(a, b, f"__{NAMES[op]}__", f"__r{NAMES[op]}__", op)
                if result is not NotImplemented:
                    return result
        return PASS

    def unary_of_object(self, op: str, a: Any) -> Any:
        method = self.protocol(a, UNARY[op])
        return PASS if method is None else self.call(method, a)

    def compare_objects(self, op: str, a: Any, b: Any) -> Any:
        if self.is_followed(a) or self.is_followed(b):
            if op in COMPARED:
                if (held := self._held_in_order(op, a, b)) is not None:
                    return self._in_turn(op, *held)
                result = self._compared(op, a, b)
                if result is not NotImplemented:
                    return result
            elif op in ("in", "not in") and (method := self.protocol(b, "__contains__")) is not None:
                return self.truth(self.call(method, b, a)) is (op == "in")
        return PASS

    def compare_rows(self, op: str, a: Any, b: Any) -> Any:
        """`in` and comparisons of lists and tuples that hold traced values: item by item."""
        if self.on and type(b) in _ROWS and len(b) <= MANY and self.builder.traced(a, b):
            if op in ("in", "not in"):
                return self._among(op, a, b)
            if op in COMPARED and type(a) is type(b) and len(a) <= MANY:
                return self._in_turn(op, tuple(self.iterate(a)), tuple(self.iterate(b)))
        return PASS

    def _among(self, op: str, a: Any, items: Any) -> Any:
        """Whether something is in a list or tuple: it is one of these, or equal to one."""
        items = tuple(self.iterate(items))
        for item in items:
            if item is a or self.truth(self.compare("==", item, a)):
                return op == "in"
        if any(isinstance(item, _INEXACT) for item in items) and self._is_nan(a):
            return do(COMPARE[op], self.builder.tracked.meant(a), self.builder.tracked.meant(items))
        return op == "not in"

    def _is_nan(self, number: Any) -> bool:
        """Whether this is not equal to itself, so that it matters which one it is: the recording ends."""
        nan = isinstance(number, _INEXACT) and not self.truth(self.compare("==", number, number))
        if nan:
            self.stop(Cause.NAN_COMPARED())
        return nan

    def truth_of_deque(self, x: Any) -> Any:
        return self.truth(self.call(len, x))

    def truth_of_object(self, x: Any) -> Any:
        if (method := self.protocol(x, "__bool__")) is not None:
            result = self.call(method, x)
            return self.truth(result) if type(result) is bool else bool(x)
        if (method := self.protocol(x, "__len__")) is not None:
            return self.truth(self.call(method, x))
        if self.is_followed(x):
            kind = type(x)
            if class_attribute(kind, "__bool__") is None and class_attribute(kind, "__len__") is None:
                return True
        return PASS

    def _either(self, a: Any, b: Any, forward: str, backward: str, op: str) -> Any:
        """What the first method gives that knows what to do; NotImplemented where Python has to be asked."""
        one, other = type(a), type(b)
        own = self.protocol(a, forward)
        theirs = None if one is other else self.protocol(b, backward)
        if theirs is not None and issubclass(other, one):
            # A subclass goes first where its method is another.
            if class_attribute(one, backward) is not class_attribute(other, backward):
                if (result := self.call(theirs, b, a)) is not NotImplemented:
                    return result
                theirs = None
        if own is not None:
            result = self.call(own, a, b)
            if result is not NotImplemented:
                return result
        elif is_numpy(a):
            if (override := self.protocol(b, "__array_ufunc__")) is not None:
                return self.call(override, b, purity.UFUNCS[op], "__call__", a, b)
            result = do(getattr(one, forward), a, b)
            if result is not NotImplemented:
                self.stop(Cause.OPERATOR(op, one.__name__, other.__name__))
                return result
        elif class_attribute(one, forward) is not None and one not in _SEQUENCES:
            if one not in (*NUMBERS, bool) or getattr(one, forward)(a, b) is not NotImplemented:
                return NotImplemented
        return NotImplemented if theirs is None else self.call(theirs, b, a)

    def _compared(self, op: str, a: Any, b: Any) -> Any:
        name, mirrored = COMPARED[op], COMPARED[MIRRORED[op]]
        one, other = type(a), type(b)
        if is_numpy(a) or is_numpy(b):
            if self.protocol(b, "__array_ufunc__") is None and not is_numpy(b):
                return NotImplemented
        first, second = self._comparing(a, name), self._comparing(b, mirrored)
        tries = [(first, a, b), (second, b, a)]
        if one is not other and issubclass(other, one) and second is not None:
            tries.reverse()
        for method, own, operand in tries:
            if method is not None:
                result = self.call(method, own, operand)
                if result is not NotImplemented:
                    inverted = op == "!=" and method is class_attribute(type(own), "__eq__")
                    return (not self.truth(result)) if inverted else result
            elif not self._compares_not(own, name if own is a else mirrored):
                return NotImplemented
        if op in ("==", "!="):
            return self.compare("is" if op == "==" else "is not", a, b)
        return NotImplemented

    def _in_turn(self, op: str, a: Any, b: Any) -> Any:
        """Tuples, as Python compares them and lists: by the first two items that are neither one object nor
        equal."""
        places = tuple(range(min(len(a), len(b))))
        self.builder.constant(places)
        for place in places:
            one, other = self.getitem(a, place), self.getitem(b, place)
            if one is other or self.truth(self.compare("==", one, other)):
                continue
            if self._is_nan(one):
                return do(COMPARE[op], self.builder.tracked.meant(a), self.builder.tracked.meant(b))
            return op == "!=" if op in ("==", "!=") else self.compare(op, one, other)
        return do(COMPARE[op], len(a), len(b))

    def _held_in_order(self, op: str, a: Any, b: Any) -> tuple[Any, Any] | None:
        """What decides between two named tuples, or objects of a data class whose method is Python's, as
        tuples."""
        kind, name = type(a), COMPARED[op]
        if type(b) is not kind:
            return None
        if is_named_tuple(kind) and class_attribute(kind, name) is getattr(tuple, name):
            self.builder.constant(tuple(range(len(a))))
            one, other = ([self.getitem(obj, place) for place in range(len(a))] for obj in (a, b))
            return tuple(one), tuple(other)
        if op == "!=" and class_attribute(kind, name) is object.__ne__:
            name = "__eq__"
        found = vars(kind).get(name)
        if not dataclasses.is_dataclass(kind) or type(found) is not types.FunctionType:
            return None
        if not found.__code__.co_filename.startswith(GENERATED):
            return None
        if not self._is_of_class(a, name):
            return None
        names = [field.name for field in dataclasses.fields(kind) if field.compare]
        one, other = ([self.getattr(obj, name) for name in names] for obj in (a, b))
        return tuple(one), tuple(other)

    def _comparing(self, obj: Any, name: str) -> Any:
        """The method that compares an object; for `!=` that may be its `__eq__`."""
        found = self.protocol(obj, name)
        if found is None and name == "__ne__" and class_attribute(type(obj), name) is object.__ne__:
            found = self.protocol(obj, "__eq__")
        return found

    def _compares_not(self, obj: Any, name: str) -> bool:
        """Whether an object's own method knows nothing of objects of the user's."""
        kind = type(obj)
        if kind in (*NUMBERS, bool, str, bytes, list, tuple, dict, type(None)):
            return True
        return class_attribute(kind, name) in (None, getattr(object, name, None))

    # -- items, and what is gone over ------------------------------------------------------------------------

    def asked(self, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What `len(obj)` and the like give by the object's own method, in a tuple; empty: it has none."""
        name, kind = ASKING[fn]
        method = self.protocol(args[0], name)
        if method is None:
            return ()
        result = self.call(method, *args)
        if kind is not None and type(result) is not kind:
            self.stop(Cause.BUILTIN_OF(fn.__name__, type(args[0]).__name__))
            return (fn(*args),)
        return (result,)
