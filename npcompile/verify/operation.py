"""One operation of NumPy's done again on our arrays, and its answer compared with NumPy's."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.eager import counters, data_dependent, dispatch
from npcompile.frontend.eager.ndarray import asarray
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.table import Op, Unsupported
from npcompile.verify.memory_copy import Copy, Mirror
from npcompile.verify.tolerance import ULP, apart, beyond, changed, units

# What rounds, or moves values about: exact for floats, too.
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

# Whatever memory held before: no value to compare.
UNSPECIFIED = (np.empty, np.empty_like)


class Unlike(Exception):
    """What of an answer is not as it should be."""

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
        """Our answer on a copy. Raises Unlike where ours fails, Unsupported where it is NumPy's own."""
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
            raise Unsupported(next(iter(counters.host_calls)))
        return got, copy

    def check(self, want: Any) -> bool:
        """Whether there was anything to compare (else NumPy itself did it). Raises Unlike."""
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
        """Whether an op answered with a view of its argument (and not with what it has written over)."""
        written = isinstance(self.function, np.ufunc) or "out" in self.mirror.arguments[1]
        return self.op is not None and not written and self.mirror.place(want) is not None

    def _check_body(self, want: np.ndarray[Any, Any]) -> None:
        """Our arrays show a view as NumPy lays it out; inside a kernel the op's body does it."""
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
        """A view of an argument, as its memory was."""
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
        wrong = apart(got, want, 0 if exact else ULP)
        if not wrong.any():
            return
        if not exact and want.dtype.kind in "fc" and not self._elementwise(want):
            wrong = beyond(got, want, wrong, functools.partial(self._moved, path, self._index(want)))
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
        """NumPy's own answer (a part of it, or what is left in an argument) for changed operands."""
        copy = self.mirror.copy()
        by = units(copy.arrays)
        for array in copy.arrays:
            changed(array, by, trial, self._rng)
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
    """How NumPy's own is called with these arguments."""
    if isinstance(function, types.GetSetDescriptorType):
        return lambda array: function.__get__(array)
    called: Callable[..., Any] = function
    return called


def _ours(array: np.ndarray[Any, Any]) -> Strided:
    """Our array on the same memory. Raises Unsupported where torch has none."""
    made: Any = asarray(array)
    if not isinstance(made, Strided):
        raise Unsupported(f"dtype {array.dtype}")
    return made
