"""`a.flat` in a recording: what is read from it, gone through and stored there; items of NumPy's scalars."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.array_function import Overriding
from npcompile.frontend.rewrite.call_sites import do
from npcompile.nep50 import weak

_THROUGH = (list, tuple, sum, min, max)  # they go through what they are given, to its end


class Flats(Overriding):
    """The flat view of an array is followed as its array and an index; what it gives is a copy."""

    def _of(self, obj: Any) -> Any:
        """The array of a flat view that the function has made, and has not begun to go through."""
        if self.on and type(obj) is np.flatiter and id(obj) in self.flat_views and obj.index == 0:
            return obj.base
        return None

    def getattr(self, obj: Any, name: str) -> Any:
        if self.on and name == "flat" and type(obj) is np.ndarray:
            made = obj.flat
            self.flat_views[id(made)] = made
            return made
        return super().getattr(obj, name)

    def getitem(self, obj: Any, index: Any) -> Any:
        base = self._of(obj)
        if base is not None and _picks(index):
            result = do(operator.getitem, obj, index)  # it may refuse
            found = super().getitem(self.call(np.ravel, base), index)
            if is_array(found) and type(index) is slice:
                found = self.call(np.copy, found)
            return found if self.on else result
        if self.on and isinstance(obj, np.generic) and _adds_axes(index):
            result = do(operator.getitem, obj, index)
            return self.note(self._of_scalar, obj, index, result)
        return super().getitem(obj, index)

    def _of_scalar(self, obj: Any, index: Any, result: Any) -> Any:
        """`scalar[()]`, which is the scalar again, and `scalar[...]` or `scalar[None]`, arrays."""
        op = TABLE.of(np.reshape)
        if is_array(result) and op is not None and op.refuses((obj, result.shape), {}) is None:
            self.builder.constant(result.shape)
            return self.builder.op(op, (obj, result.shape), {}, result)
        if index != ():
            return self.builder.host(operator.getitem, (obj, index), {}, result)
        node, result = self.builder.tracked.node(obj), self.builder.tracked.result(result)
        self.builder.tracked.number(result, node)
        return result

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        base = self._of(obj)
        if base is None:
            super().setitem(obj, index, value)
        elif (
            base.flags.c_contiguous
            and base.flags.writeable
            and type(index) in (int, slice)
            and _is_number(value)
            and _stays(value, base.dtype)
        ):
            super().setitem(self.call(np.ravel, base), index, value)
        else:
            do(operator.setitem, obj, index, value)
            self.note(lambda _: self.builder.instead(After(_put, "flat"), (base, index, value), base), None)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if self.on and name == "flat" and type(obj) is np.ndarray:
            _fill(obj, value)
            self.note(lambda _: self.builder.instead(After(_fill, "flat"), (obj, value), obj), None)
        else:
            super().setattr(obj, name, value)

    def iterate(self, obj: Any) -> Any:
        base = self._of(obj)
        if base is None or not base.flags.c_contiguous:  # of others `ravel` would not see what is written
            return super().iterate(obj)
        return self._along(obj, super().iterate(self.call(np.ravel, base)))

    def _unpacked(self, value: Any, most: int | None) -> Any:
        if self._of(value) is not None:
            return [*islice(self.iterate(value), most)]
        return super()._unpacked(value, most)

    def _along(self, obj: Any, items: Any) -> Iterator[Any]:
        for item in items:
            next(obj)
            yield item

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if fn is len and len(args) == 1 and (base := self._of(args[0])) is not None:
            return super().call(np.size, base)
        if len(args) == 1 and any(fn is one for one in _THROUGH) and (base := self._of(args[0])) is not None:
            deque(args[0], 0)
            return super().call(fn, self.call(np.ravel, base), **kwargs)
        own = getattr(fn, "__self__", None)
        if self.on and type(own) is list and fn.__name__ == "extend" and len(args) == 1 and not kwargs:
            if self._of(args[0]) is not None or (is_array(args[0]) and args[0].ndim):
                args = ([*self.iterate(args[0])],)
        if fn is iter and len(args) == 1 and self._of(args[0]) is not None:
            return args[0]
        if fn is zip or fn is enumerate:
            args = tuple([self.iterate(arg) if self._of(arg) is not None else arg for arg in args])
        return super().call(fn, *args, **kwargs)


def _picks(index: Any) -> bool:
    """Whether a flat view takes this index as a flat array does."""
    if type(index) in (list, np.ndarray):
        kind = np.asarray(index)
        return kind.ndim == 1 and kind.dtype.kind in "biu" and kind.size > 0
    return type(index) in (int, slice) or isinstance(index, np.integer)


def _adds_axes(index: Any) -> bool:
    """Whether an index of a scalar only says how many axes the answer has."""
    return all(item is None or item is Ellipsis for item in (index if type(index) is tuple else (index,)))


def _is_number(value: Any) -> bool:
    return type(value) in NUMBERS or type(value) is bool or isinstance(value, np.generic)


def _stays(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether an array stores a number without complaint: of others its flat view has answers of its own."""
    try:
        weak.convert(value, dtype)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _put(array: Any, index: Any, value: Any) -> None:
    array.flat[index] = value


def _fill(array: Any, value: Any) -> None:
    array.flat = value
