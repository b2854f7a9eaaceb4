"""What a rewritten function calls for each operation: `Hooks`, with the plain meaning that Python gives it.

A rewritten function does nothing itself but keep its local names, jump, and call these methods. With this
class it does what the original does; a subclass does the same and takes notes. Operators are named as they
are written.

A method that stands for an operation performs it. It raises what the operation raises. The frame that called
the hook is the user's, on the user's line; hooks that the objects below call are some frames away from it.
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
    """The operations of Python, each a method: those to override first, then what is built on them.

    done: from here on they would do what Python does, and loops go on as they were written at the next trip.
    """

    done = False

    # Arithmetic and truth

    def binary(self, op: str, a: Any, b: Any) -> Any:
        """`a op b`."""
        return BINARY[op](a, b)

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        """The value to which `a op= b` rebinds its target: `a` itself where it was changed in place."""
        return INPLACE[op](a, b)

    def unary(self, op: str, a: Any) -> Any:
        """`-a`, `+a`, `~a`. (`not a` is `not truth(a)`.)"""
        return UNARY[op](a)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        """`a op b` for one comparison, `is` and `in` included; chains are compared link by link."""
        return COMPARE[op](a, b)

    # `(a % b) == c`, where c is a literal or a local name: nothing but the comparison ever sees what the
    # operator gave. To a recording that is no object which could be taken for another one that is equal.

    def passing(self, op: str, a: Any, b: Any, again: bool) -> Any:
        """`a op b`, for the very next hook alone. again: `a` has come so, too."""
        return self.binary(op, a, b)

    def compare_passed(self, op: str, a: Any, b: Any) -> Any:
        """`a op b`, where `a` is what `passing` has just given."""
        return self.compare(op, a, b)

    def truth_passed(self, value: Any) -> bool:
        """What is decided on, where that is what `passing` has just given."""
        return self.truth(value)

    def truth(self, value: Any) -> bool:
        """What `if`, `while`, `assert`, `not`, `and`, `or` or a filter decides on: True or False itself."""
        return operator.truth(value)

    def format(self, value: Any, conversion: str, spec: str) -> str:
        """A field of an f-string: `conversion` is "", "s", "r" or "a"; `spec` is "" where there is none."""
        if conversion:
            value = _CONVERSION[conversion](value)
        return format(value, spec)

    def text(self, *parts: str) -> str:
        """An f-string, of its texts and fields. A field alone is what its `__format__` gave."""
        return parts[0] if len(parts) == 1 else "".join(parts)

    def meant(self, value: Any) -> Any:
        """Return the object for a local name of a function that goes on as it was written."""
        return value

    def discard(self, value: Any) -> None:
        """What a call gave that is a statement by itself."""

    # Calls, attributes and items

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Any call, decorators of nested functions included; but not a bare `super()`."""
        return fn(*args, **kwargs)

    def getattr(self, obj: Any, name: str) -> Any:
        """`obj.name`; private names come mangled. Methods are looked up here and then go to `call`."""
        return getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        """`obj.name = value`."""
        setattr(obj, name, value)

    def appending(self, obj: Any, name: str) -> Callable[[Any], None]:
        """What `obj.name.append(...)` calls, where that is a statement by itself."""
        function = self.getattr(self.getattr(obj, name), "append")
        return lambda value: self.discard(self.call(function, value))

    def delattr(self, obj: Any, name: str) -> None:
        """`del obj.name`."""
        delattr(obj, name)

    def getitem(self, obj: Any, index: Any) -> Any:
        """`obj[index]`; the index as Python builds it: slice objects, tuples, Ellipsis."""
        return obj[index]

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        """`obj[index] = value`."""
        obj[index] = value

    def delitem(self, obj: Any, index: Any) -> None:
        """`del obj[index]`."""
        del obj[index]

    # Names from outside and names to outside

    def load_global(self, name: str, value: Any) -> Any:
        """A global or builtin name was read: the value to go on with."""
        return value

    def load_free(self, name: str, value: Any) -> Any:
        """A closure variable of the outermost rewritten function was read: the value to go on with."""
        return value

    def store_global(self, name: str, value: Any) -> Any:
        """A `global` name is about to be bound (after `def`, `import` and the like: anew): to this value."""
        return value

    def store_free(self, name: str, value: Any) -> Any:
        """A `nonlocal` name of the outermost rewritten function is about to be bound: the value to bind."""
        return value

    def imported(self, name: str, value: Any) -> None:
        """An `import` statement has bound `name`."""

    # Control flow

    def iterate(self, obj: Any) -> Iterable[Any]:
        """What a loop, a comprehension or a star (`f(*obj)`, `[*obj]`) is to go over."""
        iterable: Iterable[Any] = obj
        return iterable

    def loop(self, obj: Any) -> Iterable[Any]:
        """What a `for` statement is to go over, unless that is a few literal things."""
        return self.iterate(obj)

    def delegate(self, obj: Any) -> Iterable[Any]:
        """What `yield from obj` is to go over."""
        iterable: Iterable[Any] = obj
        return iterable

    def unpack(self, value: Any, count: int) -> Iterable[Any]:
        """`a, b = value` with `count` names: what to unpack."""
        iterable: Iterable[Any] = value
        return iterable

    def unpack_star(self, value: Any, before: int, after: int) -> Iterable[Any]:
        """`a, *b, c = value` with so many names before and after the starred one: what to unpack."""
        iterable: Iterable[Any] = value
        return iterable

    def manager(self, obj: Any) -> Any:
        """The context manager of a `with` statement, before it is entered: what to enter."""
        return obj

    def entered(self, value: Any) -> Any:
        """What entering gave, where `as` binds it: the value to bind."""
        return value

    def trying(self, begins: bool) -> None:
        """The body of a `try` statement begins; or is over, unless an exception is caught next."""

    def raising(self, exc: Any) -> Any:
        """What a `raise` statement is about to raise: what to raise."""
        return exc

    def reraising(self) -> None:
        """A bare `raise` comes next."""

    def caught(self, exc: BaseException) -> None:
        """An `except` clause has caught this; its body comes next."""

    # Things made inside

    def key(self, value: Any) -> Any:
        """What is to be a key of a dict, or an item of a set, that a display or a comprehension makes."""
        return value

    def keys(self, values: Any) -> Any:
        """The same of `*values` in a set's display."""
        return values

    def build(self, value: Any) -> Any:
        """A display, or what a comprehension made (a generator too): what to go on with."""
        return value

    def define(self, function: FunctionType) -> Any:
        """A nested `def` or `lambda` was evaluated, before its decorators: what to go on with."""
        return function

    def match(self, subject: Any, pattern: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
        """A `case`: True and what is bound to these names if the pattern fits, else nothing."""
        return match(self, subject, pattern, names)

    def unsupported(self, what: str, line: int) -> None:
        """A statement follows that is left as it was written. what: the name of the `Cause`, a class, say."""

    # Built on the above. These are the rewriter's; there should be no need to override them.

    def keep_true(self, value: Any) -> tuple[Any, ...]:
        """`or`: the value in a tuple where it is the answer, else an empty tuple."""
        return (value,) if self.truth(value) else ()

    def keep_false(self, value: Any) -> tuple[Any, ...]:
        """`and`: the value in a tuple where it is the answer, else an empty tuple."""
        return () if self.truth(value) else (value,)

    def catching(self) -> None:
        self.caught(sys.exc_info()[1])  # type: ignore[arg-type]

    def spread(self, fn: Any) -> Spread:
        return Spread(self, fn)

    def link(self, op: str, value: Any) -> Link:
        return Link(self, op, value)

    def linked(self, answer: Any) -> Any:
        return answer.value

    def attribute(self, obj: Any, name: str) -> Place:
        return Place(self, self.getattr(obj, name), self.setattr, obj, name)

    def item(self, obj: Any, index: Any) -> Place:
        return Place(self, self.getitem(obj, index), self.setitem, obj, index)


class Spread:
    """A callable about to be called with stars. Python itself gathers the arguments, so that its complaints
    about them are Python's; they name the callable, which is why this goes by the other's name."""

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
    """An operand of a chained comparison, with the operator before it. Python's own chaining evaluates each
    operand once and stops where it must."""

    __slots__ = ("hooks", "op", "value")

    def __init__(self, hooks: Hooks, op: str, value: Any) -> None:
        self.hooks = hooks
        self.op = op
        self.value = value

    def __lt__(self, other: Link) -> Answer:
        return Answer(self.hooks, self.hooks.compare(other.op, self.value, other.value))


class Answer:
    """What one comparison of a chain gave."""

    __slots__ = ("hooks", "value")

    def __init__(self, hooks: Hooks, value: Any) -> None:
        self.hooks = hooks
        self.value = value

    def __bool__(self) -> bool:
        return self.hooks.truth(self.value)


class Place:
    """The attribute or item that an augmented assignment has read and will write: its object and index are
    evaluated once, and the right-hand side after the reading."""

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
        self.store(self.obj, self.key, self.hooks.inplace(op, self.value, operand))
