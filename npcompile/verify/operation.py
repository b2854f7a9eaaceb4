"""Does one operation of NumPy's again on our arrays, and compares the answer with NumPy's."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import counters, data_dependent, dispatch
from npcompile.frontend.eager.ndarray import asarray
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.table import Op, Unsupported
from npcompile.verify.memory_copy import Copy, Mirror
from npcompile.verify.tolerance import ULP, differs_by_more, move_floats, not_explained, units

# Functions that round, or move values: exact for floats, too.
EXACT = (
    np.rint,
    np.floor,
    np.ceil,
    np.trunc,
    np.fix,
    np.round,
    np.around,
    np.ndarray.round,
    np.copysign,
    np.sign,
)

# Functions that return uninitialised memory: there is no value to compare.
UNSPECIFIED = (np.empty, np.empty_like)


class Unlike(Exception):
    """A part of an answer differs from NumPy's."""

    def __init__(self, what: str, expected: Any, got: Any) -> None:
        super().__init__(what)
        self.what, self.expected, self.got = what, str(expected), str(got)


class Operation:
    """One operation, to be done again on a copy of its arguments' memory."""

    def __init__(self, function: Any, op: Op | None, ours: Callable[..., Any], mirror: Mirror) -> None:
        self.function, self.op, self.ours, self.mirror = function, op, ours, mirror
        self.name = op.name if op is not None else dispatch.name_of(function)
        self._rng = np.random.default_rng(0)

    def _do(self, ours: Callable[..., Any]) -> tuple[Any, Copy]:
        """Return our answer on a copy. Raises Unlike where ours fails, Unsupported where it is NumPy's
        own."""
        copy = self.mirror.copy()
        args, kwargs = copy.arguments(_ours)
        counters.reset()
        order = data_dependent.longest_exact_row.set(math.inf)
        try:
            got = ours(*args, **kwargs)
        finally:
            data_dependent.longest_exact_row.reset(order)
        if counters.op_failures:
            raise Unlike("exception", "none", next(iter(counters.op_failures)))
        if counters.host_calls:
            raise Unsupported(Cause.NUMPYS_OWN())
        return got, copy

    def check(self, want: Any) -> bool:
        """Compare; return False if there was nothing to compare, as NumPy itself answered. Raises Unlike."""
        try:
            got, copy = self._do(self.ours)
        except Unsupported:
            return False
        except Unlike:
            raise
        except Exception as error:
            raise Unlike("exception", "none", f"{type(error).__name__}: {error}") from error
        self._same(got, want, copy, ())
        if type(want) is np.ndarray and self._shown(want):
            self._check_body(want)
        for mine, theirs in zip(copy.arrays, self.mirror.arrays, strict=True):
            self._same_values(mine, theirs, "argument", None)
        return True

    def _shown(self, want: np.ndarray[Any, Any]) -> bool:
        """Tell if an op answered with a view of its argument (and not with memory that it has written
        over)."""
        written = isinstance(self.function, np.ufunc) or "out" in self.mirror.arguments[1]
        return self.op is not None and not written and self.mirror.place(want) is not None

    def _check_body(self, want: np.ndarray[Any, Any]) -> None:
        """Compare the op's body with NumPy's view: our arrays take the view from NumPy, a kernel runs the
        body."""
        assert self.op is not None
        args, kwargs = self.mirror.copy().arguments(_ours)
        try:
            got = dispatch.native(self.op, self.function, args, kwargs)
        except Unsupported:
            return
        except Exception as error:
            raise Unlike("exception", "none", f"{type(error).__name__}: {error}") from error
        if isinstance(got, Strided):
            got = got._layout
        if got.dtype != want.dtype or got.shape != want.shape:
            raise Unlike("shape", f"{want.dtype}{list(want.shape)}", f"{got.dtype}{list(got.shape)}")
        self._same_values(got, self._before(want), "value", ())

    def _before(self, view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a view of an argument, as its memory was."""
        return self.mirror.copy().shown(self.mirror.place(view), view)

    def check_exception(self, want: Exception) -> bool:
        try:
            self._do(self.ours)
        except Unsupported:
            return False
        except Unlike:
            raise
        except Exception as error:
            if type(error) is not type(want):
                raise Unlike("exception", repr(want), repr(error)) from error
            return True
        raise Unlike("exception", repr(want), "none")

    def _same(self, got: Any, want: Any, copy: Copy, path: tuple[Any, ...]) -> None:
        """Compare an answer or a part of it (at `path`)."""
        if isinstance(got, Strided):
            got = got._layout
        if type(got) is not type(want):
            raise Unlike("type", type(want).__name__, type(got).__name__)
        if isinstance(want, (tuple, list)):
            if len(got) != len(want):
                raise Unlike("shape", f"{len(want)} items", f"{len(got)} items")
            for key, (one, other) in enumerate(zip(got, want, strict=True)):
                self._same(one, other, copy, (*path, key))
        elif isinstance(want, (np.ndarray, np.generic)):
            if got.dtype != want.dtype:
                raise Unlike("dtype", want.dtype, got.dtype)
            if got.shape != want.shape:
                raise Unlike("shape", want.shape, got.shape)
            if isinstance(want, np.ndarray):
                here, there = copy.place(got), self.mirror.place(want)
                if here != there:
                    raise Unlike("aliasing", _place_text(there), _place_text(here))
            if self.function not in UNSPECIFIED:
                self._same_values(np.asarray(got), np.asarray(want), "value", path)
        elif isinstance(want, (bool, int, float, complex, str)) and repr(got) != repr(want):
            self._same_values(np.asarray(got), np.asarray(want), "value", path)

    def _same_values(
        self, got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], what: str, path: tuple[Any, ...] | None
    ) -> None:
        exact = self.function in EXACT
        wrong = differs_by_more(got, want, 0 if exact else ULP)
        if not wrong.any():
            return
        if not exact and want.dtype.kind in "fc" and not self._elementwise(want):
            wrong = not_explained(got, want, wrong, functools.partial(self._moved, path, self._index(want)))
        if wrong.any():
            first = tuple(int(at) for at in np.argwhere(wrong)[0])
            count = f" ({int(np.count_nonzero(wrong))} of {want.size} differ)" if want.size > 1 else ""
            at = f"{list(first)}: " if first else ""
            raise Unlike(what, f"{at}{want[first]!r}", f"{at}{got[first]!r}{count}")

    def _elementwise(self, want: np.ndarray[Any, Any]) -> bool:
        function = self.function
        return isinstance(function, np.ufunc) and function.signature is None and want.dtype.kind == "f"

    def _index(self, array: np.ndarray[Any, Any]) -> int | None:
        return next((at for at, item in enumerate(self.mirror.arrays) if item is array), None)

    def _moved(self, path: tuple[Any, ...] | None, argument: int | None, trial: int) -> Any:
        """Return NumPy's own answer (a part of it, or an argument's memory afterwards) for changed
        operands."""
        copy = self.mirror.copy()
        by = units(copy.arrays)
        for array in copy.arrays:
            move_floats(array, by, trial, self._rng)
        args, kwargs = copy.arguments(lambda array: array)
        answer = _numpys(self.function)(*args, **kwargs)
        if path is None:
            return copy.arrays[argument or 0]
        for key in path:
            answer = answer[key]
        return answer


def _place_text(place: tuple[int, int, tuple[int, ...]] | None) -> str:
    if place is None:
        return "memory of its own"
    span, offset, strides = place
    return f"a view of memory {span} of the arguments, at byte {offset}, strides {strides}"


def _numpys(function: Any) -> Callable[..., Any]:
    """Return the function that calls NumPy's own with these arguments."""
    if isinstance(function, types.GetSetDescriptorType):
        return lambda array: function.__get__(array)
    called: Callable[..., Any] = function
    return called


def _ours(array: np.ndarray[Any, Any]) -> Strided:
    """Return our array on the same memory. Raises Unsupported where torch has none."""
    made: Any = asarray(array)
    if not isinstance(made, Strided):
        raise Unsupported(Cause.DTYPE(str(array.dtype)))
    return made
