"""Floating-point errors of eager operations: NumPy's own warnings and exceptions are given.

Bodies of ops report none. Where an answer has a NaN or an infinity that its operands lack, or an integer was
divided by zero, NumPy computes just these elements, and its report is given at the user's line. Device memory
is not looked at: that would be a copy for each operation.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.paths import PACKAGE
from npcompile.frontend.eager import dispatch, errstate
from npcompile.frontend.eager.convert import numpy_dtype
from npcompile.frontend.eager.dispatch import layout_of, map_arrays
from npcompile.frontend.ops.rules import cast

Report = Callable[[], None] | None

_DIVIDING = frozenset({np.floor_divide, np.remainder, np.fmod, np.divmod, np.reciprocal})


def _ignores_errors() -> bool:
    modes = errstate.modes()
    return modes["divide"] == modes["over"] == modes["invalid"] == "ignore"


def reportable(ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if the errors that NumPy is to report show in answers; underflow does not."""
    return (
        errstate.modes()["under"] == "ignore"
        or ufunc in _EXACT
        or (ufunc in _INTEGER and _all_integers(args, kwargs))
    )


# ufuncs that report nothing. (`<` and its like do, where there is a NaN.)
_EXACT = frozenset(
    {np.equal, np.not_equal, np.isnan, np.isinf, np.isfinite}
    | {np.signbit, np.logical_and, np.logical_or, np.logical_not, np.logical_xor}
)

# ufuncs with integer results for integers, which cannot underflow.
_INTEGER = frozenset(
    {np.add, np.subtract, np.multiply, np.floor_divide, np.remainder, np.fmod, np.divmod, np.power}
    | {np.negative, np.positive, np.absolute, np.sign, np.square, np.gcd, np.lcm, np.invert}
    | {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift}
    | {np.maximum, np.minimum, np.fmax, np.fmin}
    | {np.less, np.less_equal, np.greater, np.greater_equal}
)

# Functions that move, compare or count elements, or make new ones: they have no floating-point errors.
_NEVER_FAIL: frozenset[Any] = frozenset(
    [np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like]
    + [np.copy, np.ndarray.copy, np.any, np.ndarray.any, np.all, np.ndarray.all, np.take, np.ndarray.take]
    + [np.ndarray.__getitem__, np.repeat, np.ndarray.repeat, np.tile, np.roll, np.ravel, np.ndarray.ravel]
    + [np.ndarray.flatten, np.reshape, np.ndarray.reshape, np.nonzero, np.ndarray.nonzero, np.count_nonzero]
)
# Functions that have none where the operands and the dtype asked for are of integers.
_NEVER_FAIL_ON_INTEGERS = frozenset(
    {np.arange, np.ndarray.astype, np.sum, np.ndarray.sum, np.cumsum, np.ndarray.cumsum, np.prod}
    | {np.ndarray.prod, np.max, np.ndarray.max, np.min, np.ndarray.min, np.sort, np.concatenate, np.where}
    | {np.dot, np.ndarray.dot, np.clip, np.ndarray.clip, np.full, np.full_like, np.stack}
)


def _of_integers(item: Any) -> bool:
    """Tell if an argument is of integers and bools alone: values or a dtype."""
    if type(item) is tuple or type(item) is list:
        return all(map(_of_integers, item))
    if isinstance(item, (type, np.dtype)):
        return np.dtype(item).kind in "biu"
    if item is None or type(item) is int or type(item) is bool:
        return True
    return hasattr(item, "dtype") and item.dtype.kind in "biu"


def _all_integers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return all(map(_of_integers, args)) and all(map(_of_integers, kwargs.values()))


def never_reports(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if a call of a function that is no ufunc can have no floating-point error."""
    if function in _NEVER_FAIL:
        return "out" not in kwargs
    return function in _NEVER_FAIL_ON_INTEGERS and _all_integers(args, kwargs)


def _new(result: torch.Tensor, operands: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """Return where an answer is not finite though its operands are, or NaN though none is; None if
    nowhere."""
    if not (result.is_floating_point() or result.is_complex()):
        return None
    strange = ~torch.isfinite(result)
    if not bool(strange.any()):
        return None
    finite = torch.ones((), dtype=torch.bool)
    number = torch.ones((), dtype=torch.bool)
    for item in operands:
        if item.is_floating_point() or item.is_complex():
            finite = finite & torch.isfinite(item)
            number = number & ~torch.isnan(item)
    new = (strange & finite) | (torch.isnan(result) & number)
    return new if bool(new.any()) else None


def _tensor(value: Any) -> torch.Tensor:
    """Return an operand as a tensor that can be compared: wide unsigned integers by their bits."""
    made = value if isinstance(value, torch.Tensor) else torch.as_tensor(dispatch.plain(np.asarray(value)))
    return made.to(torch.int64) if made.dtype in (torch.uint16, torch.uint32, torch.uint64) else made


def _may_fail(divisor: torch.Tensor) -> torch.Tensor:
    """Return where dividing by this may be an error: by zero, and the smallest integer by -1."""
    return (divisor == 0) | (divisor == -1) if divisor.dtype.is_signed else divisor == 0


def _suspects(
    ufunc: np.ufunc, operands: Sequence[Any], results: Sequence[torch.Tensor], ends: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return masks of the elements that may have errors to report. ends: the results as they are cast."""
    tensors = [item for item in operands if isinstance(item, torch.Tensor)]
    seen = [*results, *[end for end, item in zip(ends, results, strict=True) if end is not item]]
    found = [mask for mask in (_new(item, tensors) for item in seen) if mask is not None]
    if results[0].is_floating_point() or results[0].is_complex() or results[0].dtype == torch.bool:
        return found
    if ufunc in _DIVIDING:
        found.append(_may_fail(_tensor(operands[-1])))
    for item in tensors:  # floats that are cast to integers
        if item.is_floating_point():
            found.append(~(torch.abs(item) < 100))
    return [mask for mask in found if bool(mask.any())]


def of_call(
    ufunc: np.ufunc,
    operands: Sequence[Any],
    results: Sequence[torch.Tensor],
    targets: Sequence[Any],
    kwargs: dict[str, Any],
) -> Report:
    """Return the report of `ufunc(*operands, **kwargs)`, None if there is none. Called before anything is
    written."""
    if any(item.device.type != "cpu" for item in results) or not results[0].numel() or _ignores_errors():
        return None
    plain = (int, float, complex)  # these stay weak
    operands = [_array(item) if type(item) not in plain else item for item in operands]
    ends = [
        item if target is None else cast(item, target.dtype)
        for item, target in zip(results, targets, strict=True)
    ]
    found = _suspects(ufunc, operands, results, ends)
    if not found:
        return None
    where = kwargs.get("where", True)
    if where is not True:
        mask = where._tensor if hasattr(where, "_tensor") else torch.as_tensor(np.asarray(where))
        found = [item & mask for item in found]
    tensors = [item for item in operands if isinstance(item, torch.Tensor)]
    shape = torch.broadcast_shapes(*(item.shape for item in (*tensors, *found)))
    mask = torch.zeros(shape, dtype=torch.bool)
    for item in found:
        mask |= item
    some = [
        item.expand(shape)[mask].resolve_conj().numpy() if isinstance(item, torch.Tensor) else item
        for item in operands
    ]
    named = {key: item for key, item in kwargs.items() if key not in ("where", "order", "subok")}
    if all(target is not None for target in targets):
        size = int(mask.sum())
        named["out"] = tuple(np.empty(size, target.dtype) for target in targets)
    return lambda: _report(lambda: ufunc(*some, **named))


def _array(value: Any) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(dispatch.plain(np.asarray(value)))


def of_mask(ufunc: np.ufunc) -> None:
    """Have NumPy warn of `where=` without `out=`: it leaves elements undefined."""
    nothing = np.zeros(0, ufunc.types[0][0])
    _report(lambda: ufunc(*[nothing] * ufunc.nin, where=nothing.astype(np.bool_)))


def of_method(
    ufunc: np.ufunc, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], results: Sequence[torch.Tensor]
) -> Report:
    """Return the report of a ufunc's method: NumPy does the whole call."""
    if any(item.device.type != "cpu" for item in results) or _ignores_errors():
        return None
    tensors: list[torch.Tensor] = []
    map_arrays(args, lambda item: tensors.append(item._tensor))
    strange = any(
        item.numel()
        and (item.is_floating_point() or item.is_complex())
        and not bool(torch.isfinite(item).all())
        for item in results
    )
    divided = ufunc in _DIVIDING and any(bool(_may_fail(_tensor(item)).any()) for item in tensors)
    if not (strange or divided or _casts_to_real(ufunc, args, kwargs, tensors)):
        return None
    shown = map_arrays(args, layout_of), map_arrays(kwargs, layout_of)
    return lambda: _report(lambda: getattr(ufunc, name)(*shown[0], **shown[1]))


def of_at(ufunc: np.ufunc, args: tuple[Any, ...], array: Any, result: torch.Tensor) -> Report:
    """Return the report of `ufunc.at(*args)`. Called before `result` is written over `array`."""
    if result.device.type != "cpu" or _ignores_errors():
        return None
    tensors: list[torch.Tensor] = []
    map_arrays(args, lambda item: tensors.append(item._tensor))
    divided = ufunc in _DIVIDING and any(bool(_may_fail(_tensor(item)).any()) for item in tensors)
    if not divided and _new(result, [array._tensor]) is None:
        return None
    shown = map_arrays(args, layout_of)
    copy = array._layout.copy()
    return lambda: _report(lambda: ufunc.at(copy, *shown[1:]))


# Functions that cast: an integer answer does not show which floats did not fit.
_CASTING = (np.ndarray.astype, np.full, np.full_like)
# Functions whose third argument is the dtype that they compute in.
_ADDING = (
    *(np.sum, np.prod, np.mean, np.var, np.std, np.cumsum, np.cumprod),
    *(np.ndarray.sum, np.ndarray.prod, np.ndarray.mean, np.ndarray.var, np.ndarray.std),
    *(np.nansum, np.nanprod, np.nancumsum, np.nancumprod),
)


def of_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Report:
    """Return the report of a function that is no ufunc: NumPy does the whole call."""
    several = result if isinstance(result, (tuple, list)) else [result]
    results = [item for item in several if isinstance(item, torch.Tensor)]
    if not results or any(item.device.type != "cpu" for item in results) or _ignores_errors():
        return None
    tensors: list[torch.Tensor] = []
    map_arrays((args, kwargs), lambda item: tensors.append(item._tensor))
    if not results[0].is_complex() and _casts_to_real(function, args, kwargs, tensors):
        strange = True
    elif function in _CASTING and not results[0].is_floating_point():
        kept = args[0] if function is np.ndarray.astype else _fill(args, kwargs)
        strange = _may_not_fit(_tensor(getattr(kept, "_tensor", kept)), results[0].dtype)
    else:
        strange = any(_appeared(item, tensors) for item in results)
    if not strange:
        return None
    shown = map_arrays(args, layout_of), map_arrays(kwargs, layout_of)
    return lambda: _report(lambda: function(*shown[0], **shown[1]))


def _fill(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the value that `np.full` and `np.full_like` fill with."""
    return kwargs.get("fill_value", args[1] if len(args) > 1 else 0)


def _casts_to_real(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: Sequence[torch.Tensor]
) -> bool:
    """Tell if a call asks for a dtype that may not hold the values: reals for complex, integers for
    floats."""
    if function in _CASTING:
        fill = _fill(args, kwargs)
        return function is not np.ndarray.astype and np.iscomplexobj(getattr(fill, "_layout", fill))
    placed = args[2] if len(args) > 2 and (function in _ADDING or isinstance(function, np.ufunc)) else None
    asked = kwargs.get("dtype", placed)
    if not isinstance(asked, (str, type, np.dtype)):
        return False
    whole = np.dtype(asked).kind in "iu"
    return any(item.is_complex() or (whole and not bool(torch.isfinite(item).all())) for item in tensors)


def _appeared(result: torch.Tensor, operands: Sequence[torch.Tensor]) -> bool:
    """Tell if an answer has an infinity or a NaN though no operand has one, or a NaN though none is NaN."""
    if not (result.is_floating_point() or result.is_complex()) or bool(torch.isfinite(result).all()):
        return False
    floats = [item for item in operands if item.is_floating_point() or item.is_complex()]
    if all(bool(torch.isfinite(item).all()) for item in floats):
        return True
    return bool(torch.isnan(result).any()) and not any(bool(torch.isnan(item).any()) for item in floats)


def _may_not_fit(values: torch.Tensor, dtype: torch.dtype) -> bool:
    """Tell if values may not fit a dtype: too large, or NaN for integers."""
    if dtype.is_floating_point or dtype.is_complex:
        if values.is_floating_point() or values.is_complex() or dtype == torch.float16:
            return _appeared(cast(values, numpy_dtype(dtype)), [values])
        return False
    if dtype == torch.bool or not (values.is_floating_point() or values.is_complex()):
        return False
    return not bool((torch.abs(values) < 100).all())


def of_cast(values: torch.Tensor, dtype: torch.dtype) -> None:
    """Report NumPy's errors in casting these values."""
    if (
        values.device.type == "cpu"
        and values.dtype != dtype
        and not _ignores_errors()
        and _may_not_fit(values, dtype)
    ):
        target = numpy_dtype(dtype)
        _report(lambda: values.resolve_conj().numpy().astype(target))


def _report(run: Callable[[], Any]) -> None:
    """Have NumPy run a call: its exceptions are raised, its warnings come at the user's line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "<unknown>")
    for item in caught:
        warnings.warn_explicit(
            item.message, item.category, frame.f_code.co_filename, frame.f_lineno, module, registry
        )


dispatch.report, dispatch.report_cast, dispatch.never_reports = of_function, of_cast, never_reports
