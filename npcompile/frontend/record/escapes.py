"""Hands values of a recording to Python as the objects that Python would have (`graph/visible_objects.py`).

While a recording goes on, this notes which containers hold what stands for others. Once it has ended, each
hook is given what is meant.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from npcompile.frontend.graph.visible_objects import HOLDING, JOINING
from npcompile.frontend.record.resize import Resizing

MANY = 256  # of a longer container that is not known to hold such, nothing is looked at after the end


class Leaving(Resizing):
    """Each hook that Python, or a library, may keep what it is given by."""

    def _is_over(self) -> bool:
        """Whether nothing is recorded any more, and there is something that stands for another."""
        if self.reason is None or self.inside_numpy or not self.builder.tracked.any_meant:
            return False
        self._show_made()
        return True

    def _show_made(self) -> None:
        """Have all that the function has made hold what Python would have in it."""
        if not self.all_shown:
            self.all_shown = True
            self.builder.show_all()
            for function in self.inner_functions.values():
                for cell in function.__closure__ or ():
                    self._show_cell(cell)

    def _show_cell(self, cell: types.CellType) -> None:
        try:
            held = cell.cell_contents
        except ValueError:  # it has none yet
            return
        if (meant := self.builder.tracked.meant(held)) is not held:
            cell.cell_contents = meant

    def shown(self, value: Any) -> Any:
        """A value as Python would have it, which nobody inside needs any more."""
        self._is_over()
        self.builder.show_iterators(value)
        meant = self.builder.tracked.meant(value)
        self.builder.show(meant)
        return meant

    def escaped(self, error: BaseException) -> None:
        """The function raised: what it has stored, and handed on, is not noted any further."""
        self._show_made()
        self.shown(error)

    def _seen_as(self, *values: Any) -> list[Any]:
        meant = [*map(self.builder.tracked.meant, values)]
        self.builder.show(*meant, most=MANY)
        return meant

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self._is_over():
            if type(getattr(fn, "__self__", None)) in HOLDING and fn.__name__ in JOINING:
                args = tuple(map(self.builder.given, args))
            args = tuple(self._seen_as(*args))
            kwargs = dict(zip(kwargs, self._seen_as(*kwargs.values()), strict=True))
        elif self.on:
            self._note_held(fn, *args, *kwargs.values())
        return super().call(fn, *args, **kwargs)

    def _note_held(self, fn: Any, *given: Any) -> None:
        """Note what a method of a container may put into it. (No frame of a call holds the method's object:
        NumPy counts references to arrays that are resized.)"""
        own = getattr(fn, "__self__", None)
        if type(own) in HOLDING:
            self.builder.holds(own, *given)

    def meant(self, value: Any) -> Any:
        if self._is_over():
            return self._seen_as(value)[0]
        if (
            self.reason is not None and not self.inside_numpy
        ):  # nothing stands for another: asked for each item
            vars(self)["meant"] = functools.partial(next, iter(()))
        return value

    def compare(self, op: str, a: Any, b: Any) -> Any:
        if self._is_over():
            a, b = self._seen_as(a, b)
        return super().compare(op, a, b)

    def binary(self, op: str, a: Any, b: Any) -> Any:
        if self._is_over():
            a, b = self._seen_as(a, b)
        return super().binary(op, a, b)

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        if self._is_over():
            a, b = self._seen_as(a, self.builder.given(b))
        elif self.on and type(a) in HOLDING:
            if self.builder.tracked.get(a) is not None or id(a) in self.builder.containers:
                b = self.builder.given(b)  # not the function's own
            elif type(b) in (*HOLDING, tuple):
                self.builder.holds(a, *b, *(b.values() if isinstance(b, dict) else ()))
        return super().inplace(op, a, b)

    def getitem(self, obj: Any, index: Any) -> Any:
        if self._is_over():
            index = self.builder.tracked.meant(index)
        return super().getitem(obj, index)

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        if self._is_over():
            index, value = self._seen_as(index, value)
        elif self.on and type(obj) in HOLDING:
            self.builder.holds(obj, index, value)
        super().setitem(obj, index, value)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if self._is_over():
            (value,) = self._seen_as(value)
        super().setattr(obj, name, value)

    def store_global(self, name: str, value: Any) -> Any:
        value = super().store_global(name, value)
        return self._seen_as(value)[0] if self._is_over() else value

    def store_free(self, name: str, value: Any) -> Any:
        value = super().store_free(name, value)
        return self._seen_as(value)[0] if self._is_over() else value

    def build(self, value: Any) -> Any:
        value = super().build(value)
        if self._is_over():
            return self.shown(value)
        if self.on and type(value) in HOLDING:
            self.builder.holds(value, *value, *(value.values() if isinstance(value, dict) else ()))
        return value

    def raising(self, exc: Any) -> Any:
        exc = super().raising(exc)
        if isinstance(exc, BaseException):
            self.builder.holds(exc, *exc.args)
        return exc
