"""Hooks that do what Python does, repeat each operation of NumPy's on our arrays, and compare the two.

The user's operation runs on the user's own arrays, and the function goes on with its answer. Ours runs on a
copy of the memory under its arguments. Compared are the answer's value, dtype, shape, type and place in
memory (a view, of what, or a copy), the arguments' memory afterwards, and the exception.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from npcompile.diagnostics.paths import PACKAGE
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.inlining import is_users_class
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.eager import counters, dispatch, errstate
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.table import TABLE, Op
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.verify.memory_copy import Mirror
from npcompile.verify.operation import Operation, Unlike

# Methods of our arrays that are no op and no clone of NumPy's code.
IN_PLACE = (np.ndarray.fill, np.ndarray.sort)


@dataclass(frozen=True)
class Difference:
    """The first operation whose answer is not NumPy's, and the user's line that it stands on.

    Attributes
    ----------
    op : str
        The operation's NumPy name.
    file, line : str, int
        The place of the user's line.
    what : str
        "value", "dtype", "shape", "type" (scalar or array, or of the container), "aliasing" (a view or a
        copy, or which memory), "argument" (the memory of an argument afterwards) or "exception".
    expected, got : str
        NumPy's and npcompile's, as text.
    """

    op: str
    file: str
    line: int
    what: str
    expected: str
    got: str

    def __str__(self) -> str:
        text = linecache.getline(self.file, self.line).strip()
        return (
            f"{self.op} differs from NumPy's in {self.what}\n  {self.file}:{self.line}: {text}\n"
            f"  expected: {self.expected}\n  got:      {self.got}"
        )


def user_place() -> tuple[str, int]:
    """Return the nearest line of code outside this package."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


class Checked(Hooks):
    """Checks each operation until the first difference.

    `checked` counts them; `host` names those that npcompile leaves to NumPy, where there is nothing to
    compare.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.difference: Difference | None = None
        self.checked = 0
        self.host: dict[str, None] = {}

    def binary(self, op: str, a: Any, b: Any) -> Any:
        perform = functools.partial(super().binary, op, a, b)
        return self._beside(purity.UFUNCS[op], (a, b), {}, perform, BINARY[op])

    def compare(self, op: str, a: Any, b: Any) -> Any:
        perform = functools.partial(super().compare, op, a, b)
        if op not in purity.UFUNCS:
            return perform()
        return self._beside(purity.UFUNCS[op], (a, b), {}, perform, COMPARE[op])

    def unary(self, op: str, a: Any) -> Any:
        perform = functools.partial(super().unary, op, a)
        return self._beside(purity.UNARY_UFUNCS[op], (a,), {}, perform, UNARY[op])

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        perform = functools.partial(super().inplace, op, a, b)
        return self._beside(purity.UFUNCS[op], (a, b), {}, perform, INPLACE[op])

    def getattr(self, obj: Any, name: str) -> Any:
        perform = functools.partial(super().getattr, obj, name)
        descriptor = np.ndarray.__dict__.get(name) if type(obj) is np.ndarray else None
        if not isinstance(descriptor, types.GetSetDescriptorType) or TABLE.of(descriptor) is None:
            return perform()
        return self._beside(descriptor, (obj,), {}, perform, lambda array: getattr(array, name))

    def getitem(self, obj: Any, index: Any) -> Any:
        perform = functools.partial(super().getitem, obj, index)
        if type(obj) is not np.ndarray:
            return perform()
        return self._beside(np.ndarray.__getitem__, (obj, index), {}, perform, lambda array, i: array[i])

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        perform = functools.partial(super().setitem, obj, index, value)
        if type(obj) is not np.ndarray:
            return perform()
        return self._beside(np.ndarray.__setitem__, (obj, index, value), {}, perform, _set_item)

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        perform = functools.partial(super().call, fn, *args, **kwargs)
        owner = getattr(fn, "__self__", None)
        if self.difference is not None:
            return perform()
        if fn is abs and len(args) == 1:
            return self._beside(np.absolute, args, kwargs, perform, abs)
        if type(owner) is np.ndarray:
            descriptor = np.ndarray.__dict__[fn.__name__]
            if not (_is_ours(descriptor) or descriptor in IN_PLACE):
                return perform()
            method = functools.partial(_method, fn.__name__)
            return self._beside(descriptor, (owner, *args), kwargs, perform, method)
        if isinstance(owner, np.ufunc):
            ours = functools.partial(_ufunc_method, owner, fn.__name__)
            return self._beside(fn, args, kwargs, perform, ours, TABLE.of_method(owner, fn.__name__))
        if _is_ours(fn):
            return self._beside(fn, args, kwargs, perform, functools.partial(_function, fn), called=True)
        return perform()

    def _beside(
        self,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        perform: Callable[[], Any],
        ours: Callable[..., Any],
        op: Op | None = None,
        called: bool = False,
    ) -> Any:
        """Return what `perform` returns, and compare it with `ours` on a copy of the arguments.

        called: the operation is called by its name, and therefore is NumPy's whatever its arguments are.
        """
        if self.difference is not None or errstate.traps() or not _is_numpys(function, args, kwargs, called):
            return perform()
        try:
            mirror = Mirror((args, kwargs))
        except TypeError:
            return perform()
        if not mirror.arrays and isinstance(
            function, np.ufunc
        ):  # scalars: by the op, not by NumPy's own arithmetic
            ours = functools.partial(_function, function)
        operation = Operation(function, op or TABLE.of(function), ours, mirror)
        try:
            answer = perform()
        except Exception as error:
            self._compare(operation, functools.partial(operation.check_exception, error))
            raise
        self._compare(operation, functools.partial(operation.check, answer))
        return answer

    def _compare(self, operation: Operation, check: Callable[[], bool]) -> None:
        with np.errstate(all="ignore"), warnings.catch_warnings(), _uncounted():
            warnings.simplefilter("ignore")
            try:
                if check():
                    self.checked += 1
                else:
                    self.host[operation.name] = None
            except Unlike as unlike:
                file, line = user_place()
                name = operation.name
                self.difference = Difference(name, file, line, unlike.what, unlike.expected, unlike.got)


class CheckedRecorder(Checked, Recorder):
    """A recorder that compares each operation while it records."""

    goes_on = False  # later operations are checked all the same


_NUMPYS = np.ndarray, np.generic, ndarray


def _is_numpys(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], called: bool) -> bool:
    """Tell if this is an operation on NumPy's own arrays or scalars, without callbacks of the user's."""
    if (
        isinstance(function, np.ufunc) and not called
    ):  # an operator: lists have their own, whatever is in them
        return any(isinstance(item, _NUMPYS) for item in args) and not any(map(_may_call_users_methods, args))
    found: list[Any] = []

    def look(value: Any) -> None:
        if isinstance(value, (tuple, list)):
            for item in value:
                look(item)
        elif isinstance(value, dict):
            look(list(value.values()))
        else:
            found.append(value)

    look((args, kwargs))
    if any(
        (callable(item) and not isinstance(item, (type, np.dtype))) or _may_call_users_methods(item)
        for item in found
    ):
        return False
    if any(isinstance(item, _NUMPYS) for item in found):
        return True
    if isinstance(function, np.ufunc):
        return all(type(item) in NUMBERS for item in found)
    return TABLE.of(function) is not None


def _may_call_users_methods(item: Any) -> bool:
    """Tell if the user's methods may answer this; these may have effects and must not run twice."""
    return not isinstance(item, _NUMPYS) and is_users_class(type(item))


def _is_ours(function: Any) -> bool:
    return TABLE.of(function) is not None or id(function) in dispatch.composed


def _set_item(array: Any, index: Any, value: Any) -> None:
    array[index] = value


def _method(name: str, array: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(array, name)(*args, **kwargs)


def _function(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on our arrays."""
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        args, kwargs = args[: fn.nin], {**kwargs, "out": args[fn.nin :]}
    return dispatch.call(fn, args, kwargs)


def _ufunc_method(ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
    return dispatch.ufunc_method(ufunc, method, args, kwargs)


@contextlib.contextmanager
def _uncounted() -> Iterator[None]:
    """Keep the counts of the user's program unchanged while an operation is checked."""
    before = counters.host_calls.copy(), counters.op_failures.copy()
    try:
        yield
    finally:
        counters.reset()
        counters.host_calls.update(before[0])
        counters.op_failures.update(before[1])
