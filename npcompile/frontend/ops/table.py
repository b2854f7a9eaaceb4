"""The op table: an op is one NumPy operation with its tensor body; statements in `frontend/ops/` register
them.

A statement names the NumPy objects that the op stands for, its promotion rule and its body. Calling the `Op`
on tensors applies the rule and runs the body; the eager array, the replay interpreter and the compiler's
tracing all go through that one call: a body is right in all three or in none.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower.arithmetic import unsigned

# The dtypes that bodies compute in. Everything else (longdouble, object, other byte orders) is Unsupported:
# half-supported dtypes give wrong values, not errors.
TORCH: dict[np.dtype[Any], torch.dtype] = {
    np.dtype(np.bool_): torch.bool,
    np.dtype(np.uint8): torch.uint8,
    np.dtype(np.uint16): torch.uint16,  # these three by way of int64: see `lower/arithmetic/unsigned.py`
    np.dtype(np.uint32): torch.uint32,
    np.dtype(np.uint64): torch.uint64,
    np.dtype(np.int8): torch.int8,
    np.dtype(np.int16): torch.int16,
    np.dtype(np.int32): torch.int32,
    np.dtype(np.int64): torch.int64,
    np.dtype(np.float16): torch.float16,
    np.dtype(np.float32): torch.float32,
    np.dtype(np.float64): torch.float64,
    np.dtype(np.complex64): torch.complex64,
    np.dtype(np.complex128): torch.complex128,
}
# Types of NumPy's that equal one of these and are another: `np.longlong` where `np.int64` is C's long.
TWINS = "".join(char for char in "bBhHiIlLqQ" if np.dtype(char).type is not np.dtype(np.dtype(char).str).type)


def computed(dtype: np.dtype[Any]) -> torch.dtype | None:
    """Return the dtype in which programs compute for this one; None where they do not."""
    return None if dtype.char in TWINS else TORCH.get(dtype)


NUMPY: dict[torch.dtype, np.dtype[Any]] = {wide: narrow for narrow, wide in TORCH.items()}


class Weak(NamedTuple):
    """A traced Python number inside a graph: promoted as its Python type, whatever its tensor's dtype."""

    tensor: torch.Tensor  # 0-d: int64, float64 or complex128
    type: type  # int, float or complex


def weak_int(tensor: torch.Tensor) -> Weak:
    return Weak(tensor, int)


def weak_float(tensor: torch.Tensor) -> Weak:
    return Weak(tensor, float)


def weak_complex(tensor: torch.Tensor) -> Weak:
    return Weak(tensor, complex)


WEAK = {"int": weak_int, "float": weak_float, "complex": weak_complex}  # by the kind of a Python number


class Unsupported(Exception):
    """The op cannot do this call (a dtype, a keyword): the caller has NumPy do it and counts a host call."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Op:
    """A NumPy operation with its tensor body.

    Operands of a call: `torch.Tensor` (strong), `Weak`, Python numbers (weak), NumPy scalars (strong), and
    statics (axes, dtypes, slices, None, strings, nested lists of operands where NumPy takes array-likes).

    Two keywords are not NumPy's: a ufunc called with `where=mask, base=old` (base stands for the values that
    `out=` held) returns `old` wherever the mask is False. `out=` never reaches an Op: the caller writes the
    value itself.
    """

    name: str  # its NumPy name, "numpy.linalg.norm": how it prints, pickles and is named in reports
    objects: tuple[Any, ...]  # the NumPy objects recognised by identity: np.sum, np.ndarray.sum
    rule: Callable[..., Any]  # rule(op, args, kwargs) -> result of the body, after promotion
    body: Callable[..., Any]
    scalar: bool = True  # 0-d results are NumPy scalars, not 0-d arrays
    view: bool = False  # NumPy may answer with a view of the first argument
    # Of an op that answers with a view, or with scalars, at some calls only: whether this one (NumPy values).
    views: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None
    scalars: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None
    # Of an op that NumPy answers with a Python number at some calls: whether at this one.
    numbers: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None
    library: bool = False  # on the CPU a tuned library does it best: not fused, run by NumPy at replay
    product: bool = False  # of two operands of one or two dimensions it is their matrix product
    checked: bool = (
        False  # the body returns (result, ok): ok is a 0-d bool tensor, False where NumPy would raise;
    )
    #                        None where this call cannot fail
    # Of a checked op: whether this call, on NumPy values and with this result, cannot fail.
    sure: Callable[[tuple[Any, ...], Any], bool] | None = None
    varies: bool = False  # data decide the dtype of what NumPy's own library gives
    creates: bool = False  # makes an array from no array: has a default float dtype and a device
    # (np.add, "reduce"): NumPy makes these anew at each access.
    methods: tuple[tuple[np.ufunc, str], ...] = ()
    operands: frozenset[int | str] = frozenset(
        {0}
    )  # where a traced number may stay traced: positions and keywords;
    #                        a number anywhere else is a static
    accepts: frozenset[str] = frozenset()  # the keywords a call may have ("out" never comes this far)
    limits: Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None] | None = (
        None  # a further check of `refuses`
    )

    @functools.cached_property
    def function(self) -> Any:
        """The NumPy object that the op stands for: a function, a ufunc or its method, a method or attribute
        of arrays."""
        if self.objects:
            return self.objects[0]
        ufunc, method = self.methods[0]
        return getattr(ufunc, method)

    @property
    def __name__(self) -> str:
        return self.name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        unsigned.enter()
        try:
            return self.rule(self, args, kwargs)
        except unsigned.UnknownOperator as missing:
            raise Unsupported(Cause.NO_KERNEL(str(missing))) from None
        finally:
            unsigned.leave()

    def refuses(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        """Return the reason why this call, on NumPy values as the user passed them, cannot be native; None if
        it can.

        It is called before each call is noted, and looks only at types, dtypes and keywords. The caller sees
        to `out`, which is ignored here but for deciding if `where=` has a base.
        """
        for value in args:
            if type(value) in _PLAIN:
                continue
            if (reason := _foreign(value)) is not None:
                return reason
        for name, value in kwargs.items():
            if name not in self.accepts and name != "out":
                return Cause.KEYWORD(name)
            if type(value) is bool and name in _WHOLE:
                return Cause.TRUTH_VALUE_AS(name)
            if type(value) in _PLAIN:
                continue
            if (reason := _foreign(value)) is not None:
                return reason
        return self.limits(self, args, kwargs) if self.limits is not None else None

    def shows(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell if NumPy may answer this call, on NumPy values, with a view."""
        return self.view if self.views is None else self.views(args, kwargs)

    def scalar_at(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tell if a 0-d answer to this call, on NumPy values, is a NumPy scalar."""
        return self.scalar if self.scalars is None else self.scalars(args, kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return lookup, (self.name,)

    def __repr__(self) -> str:
        return self.name


# Parameters that ask for an integer, for which most of NumPy's functions take no truth value.
_WHOLE = frozenset({"axis", "n", "N", "count", "minlength"})
# Types whose objects are never foreign by themselves.
_PLAIN = frozenset(
    {int, float, bool, complex, type(None), type, slice, type(...), str, np.dtype, type(np.dtype("f8"))}
)
_SCALARS = frozenset(dtype.type for dtype in TORCH)


def _foreign(value: Any) -> Reason | None:
    """Return the reason why no body can take this value, or None."""
    kind = type(value)
    if kind is np.ndarray:
        return (
            None
            if computed(value.dtype) is not None
            else Cause.DTYPE(value.dtype.str if value.dtype.isnative else str(value.dtype))
        )
    if kind in _SCALARS:
        return None
    if kind is list or kind is tuple:
        for item in value:
            if type(item) not in _PLAIN and (reason := _foreign(item)) is not None:
                return reason
        return None
    if isinstance(value, np.generic):
        return Cause.DTYPE(str(value.dtype))
    if isinstance(value, np.ndarray):
        return Cause.NDARRAY_SUBCLASS(kind.__name__)
    if isinstance(value, (int, float, complex, type, np.dtype)) or callable(value):
        return None
    return Cause.ARGUMENT_TYPE(kind.__name__)


def native(result: Any) -> bool:
    """Tell if bodies compute in the dtypes of NumPy's answer: an array, a scalar or several of them."""
    if isinstance(result, (tuple, list)):
        return all(map(native, result))
    return not isinstance(result, (np.ndarray, np.generic)) or computed(result.dtype) is not None


@dataclass
class Table:
    by_name: dict[str, Op] = field(default_factory=dict)
    by_object: dict[int, Op] = field(default_factory=dict)  # id of a NumPy object: they live as long as NumPy
    by_method: dict[tuple[int, str], Op] = field(default_factory=dict)  # (id of a ufunc, "reduce")
    # Ops on a library's ufuncs: the library's module -> our module, imported once a program has the library.
    later: dict[str, str] = field(default_factory=dict)

    def add(self, op: Op) -> Op:
        if op.name in self.by_name:
            raise ValueError(f"two ops are named {op.name}")
        self.by_name[op.name] = op
        for obj in op.objects:
            if id(obj) in self.by_object:
                raise ValueError(f"{obj!r} belongs to {self.by_object[id(obj)].name} and {op.name}")
            self.by_object[id(obj)] = op
        for ufunc, method in op.methods:
            if (id(ufunc), method) in self.by_method:
                raise ValueError(
                    f"{ufunc}.{method} belongs to {self.by_method[id(ufunc), method].name} and {op.name}"
                )
            self.by_method[id(ufunc), method] = op
        return op

    def of(self, obj: Any) -> Op | None:
        """Return the op that stands for this NumPy object, by identity."""
        found = self.by_object.get(id(obj))
        if found is None and self.later and type(obj) is np.ufunc:
            for library in [name for name in self.later if name in sys.modules]:
                self.load(library)
            found = self.by_object.get(id(obj))
        return found

    def load(self, library: str) -> None:
        """Register the ops on a library's ufuncs."""
        if (module := self.later.pop(library, None)) is not None:
            importlib.import_module(module)

    def of_method(self, ufunc: np.ufunc, method: str) -> Op | None:
        """Return the op that stands for `ufunc.reduce`, `.accumulate` or `.outer`."""
        return self.by_method.get((id(ufunc), method))


TABLE = Table()


def lookup(name: str) -> Op:
    """Return the op of that name (the other half of pickling an op by reference).

    Python imports the package before this file, so every op is registered, but for those of `later`.
    """
    if name not in TABLE.by_name:
        for library in list(TABLE.later):
            TABLE.load(library)
    return TABLE.by_name[name]
