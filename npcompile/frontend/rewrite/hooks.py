"""`Hooks` is the class of the methods that a rewritten function calls, one for each operation of Python's.

A rewritten function itself only binds local names, jumps, and calls these methods. `Hooks` does what Python
does; `record/recorder.py` subclasses it to take notes, and `verify/hooks.py` to compare with NumPy. Operators
are named as they are written: "+", "<=", "not in".

A hook that stands for an operation performs it, and raises what the operation raises. The frame that calls a
hook is the user's, on the user's line; the classes at the end of this file add a few frames in between.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.rewrite.match_statement import match

_CONVERSION: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


class Hooks:
    """The operations of Python, each a method: first those to override, then those that are built on them.

    done: True once every hook only does what Python does. Loops then go on as the user wrote them, from the
    next trip on.
    """

    done = False

    # Arithmetic and truth

    def binary(self, op: str, a: Any, b: Any) -> Any:
        """Return `a op b`."""
        return BINARY[op](a, b)

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        """Return the value to which `a op= b` rebinds its target: `a` itself if it was changed in place."""
        return INPLACE[op](a, b)

    def unary(self, op: str, a: Any) -> Any:
        """Return `-a`, `+a` or `~a`. (`not a` is `not truth(a)`.)"""
        return UNARY[op](a)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        """Return `a op b` for one comparison, `is` and `in` included; a chain is compared link by link."""
        return COMPARE[op](a, b)

    # In `(a % b) == c`, with a literal or a local name for c, the comparison alone sees the result of `%`.
    # A recording then need not follow that result, nor tell it apart from other objects that are equal.

    def passing(self, op: str, a: Any, b: Any, again: bool) -> Any:
        """Return `a op b`, for the next hook alone. again: `a` is the result of `passing`, too."""
        return self.binary(op, a, b)

    def compare_passed(self, op: str, a: Any, b: Any) -> Any:
        """Return `a op b`, where `a` is the result of the last `passing`."""
        return self.compare(op, a, b)

    def truth_passed(self, value: Any) -> bool:
        """Return the truth of `value`, which is the result of the last `passing`."""
        return self.truth(value)

    def truth(self, value: Any) -> bool:
        """Return True or False: the decision of `if`, `while`, `assert`, `not`, `and`, `or` or a filter."""
        return operator.truth(value)

    def format(self, value: Any, conversion: str, spec: str) -> str:
        """Return a field of an f-string. conversion: "", "s", "r" or "a"; spec: "" where there is none."""
        if conversion:
            value = _CONVERSION[conversion](value)
        return format(value, spec)

    def text(self, *parts: str) -> str:
        """Return an f-string, given its texts and fields. A field alone is returned as it is."""
        return parts[0] if len(parts) == 1 else "".join(parts)

    def meant(self, value: Any) -> Any:
        """Return the object that a local name holds in Python: the loop goes on as the user wrote it."""
        return value

    def discard(self, value: Any) -> None:
        """Take notice that a call stands as a statement: nothing uses its result."""

    # Calls, attributes and items

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Return `fn(*args, **kwargs)`. Decorators of nested functions are calls, too; a bare `super()` is
        none."""
        return fn(*args, **kwargs)

    def getattr(self, obj: Any, name: str) -> Any:
        """Return `obj.name`; private names come mangled. A method is looked up here, then goes to `call`."""
        return getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        """Do `obj.name = value`."""
        setattr(obj, name, value)

    def appending(self, obj: Any, name: str) -> Callable[[Any], None]:
        """Return the function for `obj.name.append(...)`, where that is a statement."""
        function = self.getattr(self.getattr(obj, name), "append")
        return lambda value: self.discard(self.call(function, value))

    def delattr(self, obj: Any, name: str) -> None:
        """Do `del obj.name`."""
        delattr(obj, name)

    def getitem(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`, with the index as Python builds it: slice objects, tuples, Ellipsis."""
        return obj[index]

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        """Do `obj[index] = value`."""
        obj[index] = value

    def delitem(self, obj: Any, index: Any) -> None:
        """Do `del obj[index]`."""
        del obj[index]

    # Names from outside and names to outside

    def load_global(self, name: str, value: Any) -> Any:
        """Return the value to go on with, where a global or builtin name was read."""
        return value

    def load_free(self, name: str, value: Any) -> Any:
        """Return the value to go on with, where the outermost rewritten function has read a closure
        variable."""
        return value

    def store_global(self, name: str, value: Any) -> Any:
        """Return the value to bind to a `global` name.

        Statements such as `def` and `import` have bound the name already; it is then bound once more.
        """
        return value

    def store_free(self, name: str, value: Any) -> Any:
        """Return the value to bind to a `nonlocal` name of the outermost rewritten function."""
        return value

    def imported(self, name: str, value: Any) -> None:
        """Take notice that an `import` statement has bound `name` to `value`."""

    # Control flow

    def iterate(self, obj: Any) -> Iterable[Any]:
        """Return the iterable for a comprehension, a star (`f(*obj)`, `[*obj]`) or a loop over few
        literals."""
        iterable: Iterable[Any] = obj
        return iterable

    def loop(self, obj: Any, whole: bool) -> Iterable[Any]:
        """Return the iterable for a `for` statement, unless that goes over few literals.

        whole: nothing but an exception ends the loop before its last trip.
        """
        return self.iterate(obj)

    def delegate(self, obj: Any) -> Iterable[Any]:
        """Return the iterable for `yield from obj`."""
        iterable: Iterable[Any] = obj
        return iterable

    def unpack(self, value: Any, count: int) -> Iterable[Any]:
        """Return the iterable to unpack in `a, b = value`, with `count` names."""
        iterable: Iterable[Any] = value
        return iterable

    def merge(self, mapping: Any) -> Any:
        """Return the mapping that `{**mapping}` and `f(**mapping)` take apart."""
        return mapping

    def unpack_star(self, value: Any, before: int, after: int) -> Iterable[Any]:
        """Return the iterable to unpack in `a, *b, c = value`.

        before, after: the number of names before and after the starred one.
        """
        iterable: Iterable[Any] = value
        return iterable

    def manager(self, obj: Any) -> Any:
        """Return the context manager to enter for `with obj`."""
        return obj

    def entered(self, value: Any) -> Any:
        """Return the value that `with ... as` binds, given the result of `__enter__`."""
        return value

    def trying(self, begins: bool) -> None:
        """Take notice that the body of a `try` statement begins; or ends, unless `caught` comes next."""

    def raising(self, exc: Any) -> Any:
        """Return the exception that a `raise` statement is to raise."""
        return exc

    def reraising(self) -> None:
        """Take notice that a bare `raise` comes next."""

    def caught(self, exc: BaseException) -> None:
        """Take notice that an `except` clause has caught an exception; its body comes next."""

    # Objects that the function makes

    def key(self, value: Any) -> Any:
        """Return the key of a dict, or the item of a set, that a display or a comprehension is to take."""
        return value

    def keys(self, values: Any) -> Any:
        """Return the iterable for `*values` in a set display."""
        return values

    def build(self, value: Any) -> Any:
        """Return the object to go on with, given the result of a display, comprehension or generator
        expression."""
        return value

    def define(self, function: FunctionType) -> Any:
        """Return the object to go on with, given a nested function before its decorators are called."""
        return function

    def match(self, subject: Any, pattern: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
        """Match a `case`: return True and the values of the names if the pattern fits, else an empty
        tuple."""
        return match(self, subject, pattern, names)

    def unsupported(self, what: str, line: int) -> None:
        """Take notice that the next statement is left as the user wrote it. what: the name of the `Cause`."""

    # Hooks built on those above. Rewritten code calls them; subclasses do not override them.

    def keep_true(self, value: Any) -> tuple[Any, ...]:
        """Return the value in a tuple if it is the answer of an `or`, else an empty tuple."""
        return (value,) if self.truth(value) else ()

    def keep_false(self, value: Any) -> tuple[Any, ...]:
        """Return the value in a tuple if it is the answer of an `and`, else an empty tuple."""
        return () if self.truth(value) else (value,)

    def catching(self) -> None:
        """Give the exception that is being handled to `caught`."""
        self.caught(sys.exc_info()[1])  # type: ignore[arg-type]

    def spread(self, fn: Any) -> Spread:
        """Return a callable for a call with stars, `fn(*args, **kwargs)`."""
        return Spread(self, fn)

    def link(self, op: str, value: Any) -> Link:
        """Return an operand of a chained comparison. op: the operator before it."""
        return Link(self, op, value)

    def linked(self, answer: Any) -> Any:
        """Return the value of a chained comparison, given its last `Answer`."""
        return answer.value

    def attribute(self, obj: Any, name: str) -> Place:
        """Read the attribute that an augmented assignment is about to write."""
        return Place(self, self.getattr(obj, name), self.setattr, obj, name)

    def item(self, obj: Any, index: Any) -> Place:
        """Read the item that an augmented assignment is about to write."""
        return Place(self, self.getitem(obj, index), self.setitem, obj, index)


class Spread:
    """A callable in a call with stars, for which Python itself gathers the arguments and checks them.

    Python's error messages name the callable: a `Spread` has the name of the function that it calls.
    """

    def __init__(self, hooks: Hooks, fn: Any) -> None:
        self._hooks = hooks
        self._fn = fn

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._hooks.call(self._fn, *args, **kwargs)

    def __getattribute__(self, name: str) -> Any:
        if name in ("__qualname__", "__module__"):
            return getattr(object.__getattribute__(self, "_fn"), name)
        return object.__getattribute__(self, name)

    def __str__(self) -> str:
        return str(self._fn)


class Link:
    """An operand of a chained comparison, with the operator before it.

    Python compares links with `<`: each operand is evaluated once, and the chain stops where it must.
    """

    __slots__ = ("hooks", "op", "value")

    def __init__(self, hooks: Hooks, op: str, value: Any) -> None:
        self.hooks = hooks
        self.op = op
        self.value = value

    def __lt__(self, other: Link) -> Answer:
        return Answer(self.hooks, self.hooks.compare(other.op, self.value, other.value))


class Answer:
    """The result of one comparison of a chain."""

    __slots__ = ("hooks", "value")

    def __init__(self, hooks: Hooks, value: Any) -> None:
        self.hooks = hooks
        self.value = value

    def __bool__(self) -> bool:
        return self.hooks.truth(self.value)


class Place:
    """The attribute or item that an augmented assignment has read and will write.

    The object and the index are evaluated once, and the right-hand side after the attribute or item was read.
    """

    __slots__ = ("hooks", "key", "obj", "store", "value")

    def __init__(
        self, hooks: Hooks, value: Any, store: Callable[[Any, Any, Any], None], obj: Any, key: Any
    ) -> None:
        self.hooks = hooks
        self.value = value
        self.store = store
        self.obj = obj
        self.key = key

    def update(self, op: str, operand: Any) -> None:
        """Do the operation in place, and store its result."""
        self.store(self.obj, self.key, self.hooks.inplace(op, self.value, operand))
