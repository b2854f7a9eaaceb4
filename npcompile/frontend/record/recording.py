"""The hooks of a recording: each hook asks the handlers of its operation in turn until one of them answers.

The registry lists the handlers by the types at hand. A handler takes the recording and the operands, and
returns the answer or `PASS`; the last one always answers. `recorder.Recorder` adds the tables and the other
hooks. Once nothing is recorded any more, a hook does what Python does, on the objects that Python would have:
no stand-in for a number is left where Python or a library can see it.
"""

from __future__ import annotations

import functools
import types
from typing import Any, ClassVar

from npcompile.frontend.graph.visible_objects import HOLDING, JOINING
from npcompile.frontend.record.handlers import METHOD, PASS, Tables
from npcompile.frontend.record.state import State

# Longer containers are not searched for stand-ins after the end, unless they are known to hold some.
MANY = 256


class Recording(State):
    """The hooks of one recording, answered by the handlers in `handlers`."""

    handlers: ClassVar[Tables]

    # -- arithmetic and truth --------------------------------------------------------------------------------

    def binary(self, op: str, a: Any, b: Any) -> Any:
        table = self.handlers.binary
        if self.on:
            for handler in table[type(a), type(b)]:
                if (found := handler(self, op, a, b)) is not PASS:
                    return found
        if self.is_over():
            a, b = self.seen_as(a, b)
        return table.plain(self, op, a, b)

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        table = self.handlers.inplace
        if self.on:
            if type(a) in HOLDING:
                b = self.joined(a, b)
            for handler in table[type(a), type(b)]:
                if (found := handler(self, op, a, b)) is not PASS:
                    return found
        if self.is_over():
            a, b = self.seen_as(a, self.builder.given(b))
        return table.plain(self, op, a, b)

    def unary(self, op: str, a: Any) -> Any:
        table = self.handlers.unary
        if self.on:
            for handler in table[type(a)]:
                if (found := handler(self, op, a)) is not PASS:
                    return found
        return table.plain(self, op, a)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        table = self.handlers.compare
        if self.on:
            for handler in table[type(a), type(b)]:
                if (found := handler(self, op, a, b)) is not PASS:
                    return found
        if self.is_over():
            a, b = self.seen_as(a, b)
        return table.plain(self, op, a, b)

    def truth(self, value: Any) -> bool:
        if self.on:
            for handler in self.handlers.truth[type(value)]:
                if (found := handler(self, value)) is not PASS:
                    return bool(found)
        return bool(value)

    # -- calls, attributes and items -------------------------------------------------------------------------

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.on:
            return self.dispatch(fn, args, kwargs)
        if self.is_over():
            if type(getattr(fn, "__self__", None)) in HOLDING and fn.__name__ in JOINING:
                args = tuple(map(self.builder.given, args))
            args = tuple(self.seen_as(*args))
            kwargs = dict(zip(kwargs, self.seen_as(*kwargs.values()), strict=True))
        return self.handlers.call.plain(self, fn, args, kwargs)

    def dispatch(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by its handlers. A handler that changes the call asks for it again here."""
        table = self.handlers.call_inside if self.inside_numpy else self.handlers.call
        handlers = table.by_function.get(id(fn))
        if handlers is None:
            kind = type(fn)
            handlers = table.by_owner[type(fn.__self__)] if kind is METHOD else table[kind]
        for handler in handlers:
            if (found := handler(self, fn, args, kwargs)) is not PASS:
                return found
        raise AssertionError(fn)

    def getattr(self, obj: Any, name: str) -> Any:
        table = self.handlers.getattr
        if self.on:
            for handler in table[type(obj)]:
                if (found := handler(self, obj, name)) is not PASS:
                    return found
        return table.plain(self, obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if self.on:
            for handler in self.handlers.setattr[type(obj)]:
                if handler(self, obj, name, value) is not PASS:
                    return
        if self.is_over():
            (value,) = self.seen_as(value)
        setattr(obj, name, value)

    def getitem(self, obj: Any, index: Any) -> Any:
        table = self.handlers.getitem
        if self.on:
            for handler in table[type(obj)]:
                if (found := handler(self, obj, index)) is not PASS:
                    return found
        if self.is_over():
            index = self.builder.tracked.meant(index)
        return table.plain(self, obj, index)

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        table = self.handlers.setitem
        if self.on:
            if type(obj) in HOLDING:
                self.builder.holds(obj, index, value)
            for handler in table[type(obj)]:
                if handler(self, obj, index, value) is not PASS:
                    return
        if self.is_over():
            index, value = self.seen_as(index, value)
        table.plain(self, obj, index, value)

    def delitem(self, obj: Any, index: Any) -> None:
        if self.on:
            for handler in self.handlers.delitem[type(obj)]:
                if handler(self, obj, index) is not PASS:
                    return
        del obj[index]

    # -- control flow ----------------------------------------------------------------------------------------

    def iterate(self, obj: Any) -> Any:
        if self.on:
            for handler in self.handlers.iterate[type(obj)]:
                if (found := handler(self, obj)) is not PASS:
                    return found
        return obj

    def meant(self, value: Any) -> Any:
        if self.is_over():
            return self.seen_as(value)[0]
        if self.reason is not None and not self.inside_numpy:  # no stand-ins: done in C from now on
            vars(self)["meant"] = functools.partial(next, iter(()))
        return value

    # -- what Python, or a library, may keep ----------------------------------------------------------------

    def is_over(self) -> bool:
        """Return True if nothing is recorded any more and there are stand-ins.

        Objects that the function has made then hold the numbers themselves.
        """
        if self.reason is None or self.inside_numpy or not self.builder.tracked.any_meant:
            return False
        self.show_made()
        return True

    def show_made(self) -> None:
        """Replace the stand-ins in all that the function has made, once."""
        if not self.all_shown:
            self.all_shown = True
            self.builder.show_all()
            for function in self.inner_functions.values():
                for cell in function.__closure__ or ():
                    self._show_cell(cell)

    def _show_cell(self, cell: types.CellType) -> None:
        """Replace the stand-in in a closure variable."""
        try:
            held = cell.cell_contents
        except ValueError:  # the variable is not bound yet
            return
        if (meant := self.builder.tracked.meant(held)) is not held:
            cell.cell_contents = meant

    def shown(self, value: Any) -> Any:
        """Return a value as Python would have it. The function itself no longer needs the stand-ins in it."""
        self.is_over()
        self.builder.show_iterators(value)
        meant = self.builder.tracked.meant(value)
        self.builder.show(meant)
        return meant

    def escaped(self, error: BaseException) -> None:
        """Replace the stand-ins that can be seen after the function has raised `error`."""
        self.show_made()
        self.shown(error)

    def seen_as(self, *values: Any) -> list[Any]:
        """Return the objects that Python would have in place of these."""
        meant = [*map(self.builder.tracked.meant, values)]
        self.builder.show(*meant, most=MANY)
        return meant

    def hold_given(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Note what a method of a container may put into it. The call itself is left to other handlers.

        The method's object is bound to no local name here: NumPy counts the references to an array before it
        resizes the array.
        """
        if type(fn.__self__) in HOLDING:
            self.builder.holds(fn.__self__, *args, *kwargs.values())
        return PASS

    def joined(self, own: Any, items: Any) -> Any:
        """Return the object to join to a container in place (`a += b`); note what the container then
        holds."""
        if self.builder.tracked.get(own) is not None or id(own) in self.builder.containers:
            return self.builder.given(items)  # others may see the container
        if type(items) in (*HOLDING, tuple):
            self.builder.holds(own, *items, *(items.values() if isinstance(items, dict) else ()))
        return items
