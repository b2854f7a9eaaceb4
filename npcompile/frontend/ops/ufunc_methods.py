"""The methods of ufuncs: `reduce`, `accumulate`, `reduceat`, for every ufunc that has them.

The sums, products and extremes of `reductions.py` have torch's own functions. Other associative ufuncs are
combined pair by pair: in a tree, or a scan by doubling steps. All others go one element after the other as in
NumPy, and only up to MOST_STEPS: beyond, NumPy's loop is faster.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops import bitwise, comparison, elementwise  # noqa: F401  (their ufuncs are used here)
from npcompile.frontend.ops.limits import out_reason
from npcompile.frontend.ops.reductions import (
    ADD,
    AND,
    FMAX,
    FMIN,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    OR,
    Reduction,
    accumulator,
    array_dtype,
    axes_of,
    mask_of,
    reduce,
)
from npcompile.frontend.ops.rules import NO_VALUE, as_dtype, cast, dtype_of, op, tensor
from npcompile.frontend.ops.running import many_halves, running
from npcompile.frontend.ops.settling import rounds, settled
from npcompile.frontend.ops.table import TABLE, Op, Unsupported

_ROUNDED = frozenset({np.hypot, np.logaddexp, np.logaddexp2})  # grouping decides the last digits
MOST_STEPS = 64  # of what cannot be done in a tree

# The ufuncs of two operands and one result, with which NumPy reduces, in the order of its manual.
BINARY: tuple[np.ufunc, ...] = (
    *(np.add, np.subtract, np.multiply, np.divide, np.logaddexp, np.logaddexp2, np.floor_divide, np.power),
    *(np.float_power, np.remainder, np.fmod, np.heaviside, np.gcd, np.lcm, np.arctan2, np.hypot),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift),
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal, np.equal),
    *(np.logical_and, np.logical_or, np.logical_xor, np.maximum, np.minimum, np.fmax, np.fmin),
    *(np.copysign, np.nextafter),
)
# Any grouping gives the same: lcm is not among them, which wraps. Of comparisons only bools are reduced.
_ASSOCIATIVE = frozenset(
    {np.add, np.multiply, np.logaddexp, np.logaddexp2, np.gcd, np.hypot, np.bitwise_and, np.bitwise_or}
    | {
        np.bitwise_xor,
        np.logical_and,
        np.logical_or,
        np.logical_xor,
        np.maximum,
        np.minimum,
        np.fmax,
        np.fmin,
    }
    | {np.equal, np.not_equal}
)

# In which NumPy has vector loops for power and arctan2: where they reduce, not every element takes part in
# the answer, and which do depends on the processor (NumPy 2.4). NumPy alone can say.
_VECTORISED = frozenset({np.dtype(np.float32), np.dtype(np.float64)})

Checks = list[Tensor]


def combined(np_ufunc: np.ufunc, *operands: Tensor, checks: Checks) -> Tensor:
    """Return the ufunc of tensors; its checks are added to `checks`."""
    called = TABLE.of(np_ufunc)
    assert called is not None
    result = called(*operands)
    if called.checked:
        result, ok = result
        if ok is not None:
            checks.append(ok)
    return result


def all_of(checks: Checks) -> Tensor | None:
    return functools.reduce(operator.and_, checks) if checks else None


def _answer(np_ufunc: np.ufunc, result: Tensor, checks: Checks) -> Any:
    """Return the result of a method's body, with the check for a checked ufunc (power)."""
    called = TABLE.of(np_ufunc)
    assert called is not None
    return (result, all_of(checks)) if called.checked else result


# -- reduce --------------------------------------------------------------------------------------------------


def _tree(np_ufunc: np.ufunc) -> Callable[[Tensor, tuple[int, ...]], Tensor]:
    """Return the `along` of a Reduction by an associative and commutative ufunc: the halves of an axis
    combined."""

    def along(a: Tensor, axes: tuple[int, ...]) -> Tensor:
        for axis in axes:
            while (length := a.shape[axis]) > 1:
                half = length // 2
                pairs = combined(np_ufunc, a.narrow(axis, 0, half), a.narrow(axis, half, half), checks=[])
                a = torch.cat([pairs, a.narrow(axis, 2 * half, 1)], axis) if length % 2 else pairs
            if length == 0:
                shape = [*a.shape[:axis], 1, *a.shape[axis + 1 :]]
                a = as_dtype(_identity(np_ufunc, a), dtype_of(a), a.device).expand(shape)
        return a

    return along


def _identity(np_ufunc: np.ufunc, a: Tensor) -> Any:
    """Return the ufunc's identity: for `bitwise_and` all bits, which NumPy names by -1 for unsigned integers
    too."""
    return np.invert(dtype_of(a).type(0)) if np_ufunc is np.bitwise_and else np_ufunc.identity


def _of_identity(np_ufunc: np.ufunc) -> Reduction:
    return Reduction(np_ufunc, _tree(np_ufunc), functools.partial(_identity, np_ufunc))


_OWN = {item.ufunc: item for item in (ADD, MULTIPLY, MAXIMUM, MINIMUM, FMAX, FMIN, AND, OR)}
_REDUCTIONS: dict[np.ufunc, Reduction] = {
    **_OWN,
    **{item: _of_identity(item) for item in (np.logaddexp, np.logaddexp2, np.gcd, np.hypot)},
    **{item: _of_identity(item) for item in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor)},
}
# torch has no function for the order of complex numbers.
_COMPLEX: dict[np.ufunc, Reduction] = {
    item: Reduction(item, _tree(item), None) for item in (np.maximum, np.minimum, np.fmax, np.fmin)
}
_IN_ORDER: dict[np.ufunc, Reduction] = {
    item: Reduction(item, _tree(item), None) for item in BINARY if item not in _REDUCTIONS
}


def _reduction(np_ufunc: np.ufunc, dtype: np.dtype[Any]) -> Reduction:
    """Return the Reduction for arrays of that dtype: extremes of complex numbers are combined pair by
    pair."""
    if dtype.kind == "c" and np_ufunc in _COMPLEX:
        return _COMPLEX[np_ufunc]
    return _REDUCTIONS[np_ufunc] if np_ufunc in _REDUCTIONS else _IN_ORDER[np_ufunc]


def _in_order(
    np_ufunc: np.ufunc,
    a: Tensor,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    checks: Checks,
) -> Tensor:
    """Do `reduce` of a ufunc whose order matters, along one axis: ((initial - a[0]) - a[1]) - ..."""
    name = np_ufunc.__name__
    axes = axes_of(axis, a.dim())
    if len(axes) > 1:
        raise ValueError(
            f"reduction operation '{name}' is not reorderable, so at most one axis may be specified"
        )
    chosen = accumulator(_IN_ORDER[np_ufunc], dtype_of(a), dtype)
    a = cast(a, chosen)
    mask = mask_of(where, a)
    begun = initial is not NO_VALUE and initial is not None
    if mask is not None and not begun:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, "
            "so to use a where mask one has to specify 'initial'"
        )
    steps = list(a.unbind(axes[0])) if axes else [a]
    masks = [None] * len(steps) if mask is None else list(mask.unbind(axes[0]) if axes else [mask])
    if begun:
        shape = [size for at, size in enumerate(a.shape) if at not in axes]
        result = as_dtype(initial, chosen, a.device).expand(shape).clone()
    elif steps:
        result = steps.pop(0).clone()
        masks.pop(0)
    else:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    for step, only in zip(steps, masks, strict=True):
        after = combined(np_ufunc, result, step, checks=checks)
        result = after if only is None else torch.where(only, after, result)
    return result.unsqueeze(axes[0]) if keepdims and axes else result


def _steps_limit(
    default: Any, dtype_at: int
) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    """Return a `limits` of `reduce`, `accumulate`, `reduceat`: by dtype, and by the number of consecutive
    steps."""

    def limit(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        np_ufunc, method = op_.methods[0]
        array = args[0] if args else kwargs["array"]
        given = array_dtype(array)
        asked = args[dtype_at] if len(args) > dtype_at else kwargs.get("dtype")
        try:
            chosen = accumulator(_reduction(np_ufunc, np.dtype(asked or given)), given, asked)
        except Unsupported as refusal:
            return refusal.reason
        except TypeError:
            return None  # NumPy raises for itself
        if (reason := out_reason(kwargs, chosen)) is not None:
            return reason
        if np_ufunc in (np.power, np.arctan2) and method != "accumulate" and chosen in _VECTORISED:
            return Cause.VECTOR_LOOP()
        if np_ufunc in _ASSOCIATIVE and not (method == "accumulate" and _one_by_one_only(np_ufunc, chosen)):
            return None
        any_grouping = chosen.kind == "b" or (np_ufunc is np.subtract and chosen.kind in "iu")
        if method == "accumulate" and any_grouping:
            return None
        place = dtype_at - 1
        axis = args[place] if len(args) > place else kwargs.get("axis", default)
        shape = np.shape(array)
        lengths = shape if axis is None else [shape[axis]] if type(axis) is int and shape else []
        if any(length > MOST_STEPS for length in lengths) and not (method == "accumulate" and rounds.get()):
            return Cause.STEPS_TOO_MANY(MOST_STEPS, np_ufunc.__name__)
        return None

    return limit


def _register_reduce(np_ufunc: np.ufunc) -> None:
    named = np_ufunc in _REDUCTIONS and np_ufunc in _OWN

    @op(
        name=f"numpy.{np_ufunc.__name__}.reduce",
        methods=[(np_ufunc, "reduce")],
        operands=("initial", "where"),
        limits=_steps_limit(0, 2),
        library=not named,
        checked=is_checked(np_ufunc),
    )
    def body(
        array: Tensor,
        axis: Any = 0,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        if np_ufunc in _IN_ORDER:
            checks: Checks = []
            result = _in_order(np_ufunc, array, axis, dtype, keepdims, initial, where, checks)
            return _answer(np_ufunc, result, checks)
        chosen = _reduction(np_ufunc, dtype_of(array) if dtype is None else np.dtype(dtype))
        return reduce(chosen, array, axis, dtype, keepdims, initial, where)


# -- accumulate ----------------------------------------------------------------------------------------------


def _axis_of(array: Tensor, axis: Any, what: str) -> int:
    axes = axes_of(operator.index(axis), array.dim())
    if not axes:
        raise TypeError(f"cannot {what} on a scalar")
    return axes[0]


def _scan(np_ufunc: np.ufunc, a: Tensor, axis: int) -> Tensor:
    """Return running results of an associative ufunc, by steps of 1, 2, 4, ..."""
    length, step = a.shape[axis], 1
    while step < length:
        later = combined(
            np_ufunc, a.narrow(axis, 0, length - step), a.narrow(axis, step, length - step), checks=[]
        )
        a = torch.cat([a.narrow(axis, 0, step), later], axis)
        step *= 2
    return a.clone() if length <= 1 else a


def _one_by_one_only(np_ufunc: np.ufunc, dtype: np.dtype[Any]) -> bool:
    """Tell if rounding makes another grouping another answer, by more than some ulp of a float."""
    return np_ufunc in _ROUNDED and dtype == np.float16


def _of_bools(np_ufunc: np.ufunc, a: Tensor, axis: int) -> Tensor:
    """Return running results of any ufunc on bools.

    The effect of an element on the result so far is a table of two entries, for False and for True; tables
    can be combined in any grouping.
    """
    first, rest = a.narrow(axis, 0, 1), a.narrow(axis, 1, a.shape[axis] - 1)
    of_false = combined(np_ufunc, torch.zeros_like(rest), rest, checks=[])
    of_true = combined(np_ufunc, torch.ones_like(rest), rest, checks=[])
    length, step = rest.shape[axis], 1
    while step < length:
        count = length - step
        late_false, late_true = of_false.narrow(axis, step, count), of_true.narrow(axis, step, count)
        tables = [
            torch.cat([table.narrow(axis, 0, step), torch.where(early, late_true, late_false)], axis)
            for table, early in ((t, t.narrow(axis, 0, count)) for t in (of_false, of_true))
        ]
        of_false, of_true = tables
        step *= 2
    return torch.cat([first, torch.where(first, of_true, of_false)], axis)


def _accumulated(np_ufunc: np.ufunc, a: Tensor, axis: int, dtype: Any, checks: Checks) -> Tensor:
    chosen = accumulator(_reduction(np_ufunc, dtype_of(a)), dtype_of(a), dtype)
    extremes = np_ufunc in (np.maximum, np.minimum) and chosen.kind != "c"
    if extremes or np_ufunc in (np.add, np.multiply):
        return running(_OWN[np_ufunc], a, axis, dtype)
    a = cast(a, chosen)
    length = a.shape[axis]
    if length == 0 or a.numel() == 0:
        return a.clone()
    if chosen.kind == "b" and np_ufunc not in _ASSOCIATIVE:
        return _of_bools(np_ufunc, a, axis)
    in_order = _one_by_one_only(np_ufunc, chosen) or (np_ufunc in _ROUNDED and length <= MOST_STEPS)
    if np_ufunc in _ASSOCIATIVE and not in_order:
        return _scan(np_ufunc, a, axis)
    if np_ufunc is np.subtract and chosen.kind in "iu":
        first, rest = a.narrow(axis, 0, 1), a.narrow(axis, 1, length - 1)
        return running(ADD, torch.cat([first, -rest], axis), axis, chosen)
    if length > MOST_STEPS:
        return settled(lambda one, other: combined(np_ufunc, one, other, checks=checks), a, axis)
    steps = list(a.unbind(axis))
    for at in range(1, length):
        steps[at] = combined(np_ufunc, steps[at - 1], steps[at], checks=checks)
    return torch.stack(steps, axis)


def _accumulate_limits(np_ufunc: np.ufunc) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    steps = _steps_limit(0, 2)

    def limit(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        if (reason := steps(op_, args, kwargs)) is not None or np_ufunc not in (np.add, np.multiply):
            return reason
        axis = args[1] if len(args) > 1 else kwargs.get("axis", 0)
        asked = args[2] if len(args) > 2 else kwargs.get("dtype")
        return many_halves(_OWN[np_ufunc], args[0], axis, asked)

    return limit


def _register_accumulate(np_ufunc: np.ufunc) -> None:
    @op(
        name=f"numpy.{np_ufunc.__name__}.accumulate",
        methods=[(np_ufunc, "accumulate")],
        library=True,
        limits=_accumulate_limits(np_ufunc),
        checked=is_checked(np_ufunc),
    )
    def body(array: Tensor, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
        checks: Checks = []
        at = _axis_of(array, axis, "accumulate")
        return _answer(np_ufunc, _accumulated(np_ufunc, array, at, dtype, checks), checks)


# -- reduceat ------------------------------------------------------------------------------------------------


def _per_row(flags: Tensor, like: Tensor) -> Tensor:
    """Return one flag for each row."""
    return flags.reshape(-1, *(1,) * (like.dim() - 1))


def _segments(np_ufunc: np.ufunc, a: Tensor, start: Tensor, length: Tensor) -> Tensor:
    """Return rows start ... start + length - 1 combined, for an associative ufunc.

    `block` holds the combination of 1, 2, 4, ... rows from each on; a segment takes the blocks that its
    length in binary names, from left to right.
    """
    rows, size, block = a.shape[0], 1, a
    result: Tensor | None = None
    begun = torch.zeros_like(start, dtype=torch.bool)
    while size <= rows:
        taken = (length & size) != 0
        value = block[start.clamp(max=rows - size)]
        if result is None:
            result = value
        else:
            both = torch.where(_per_row(begun, a), combined(np_ufunc, result, value, checks=[]), value)
            result = torch.where(_per_row(taken, a), both, result)
        begun = begun | taken
        start = start + torch.where(taken, size, 0)
        if 2 * size <= rows:
            count = rows - 2 * size + 1
            block = combined(np_ufunc, block[:count], block[size : size + count], checks=[])
        size *= 2
    assert result is not None
    return result


def _one_by_one(np_ufunc: np.ufunc, a: Tensor, start: Tensor, length: Tensor, checks: Checks) -> Tensor:
    result = a[start]
    for step in range(1, a.shape[0]):
        within = _per_row(step < length, a)
        value = a[(start + step).clamp(max=a.shape[0] - 1)]
        after = combined(np_ufunc, result, torch.where(within, value, torch.ones_like(value)), checks=checks)
        result = torch.where(within, after, result)
    return result


def _register_reduceat(np_ufunc: np.ufunc) -> None:
    @op(
        name=f"numpy.{np_ufunc.__name__}.reduceat",
        methods=[(np_ufunc, "reduceat")],
        library=True,
        limits=_reduceat_limits,
        checked=True,
    )
    def body(array: Tensor, indices: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
        at = _axis_of(array, axis, "reduceat")
        bounds = tensor(indices, array.device).to(torch.int64)
        if bounds.dim() != 1:
            raise ValueError("object too deep for desired array")
        a = cast(array, accumulator(_reduction(np_ufunc, dtype_of(array)), dtype_of(array), dtype))
        a = a.movedim(at, 0)
        rows = a.shape[0]
        if bounds.numel() == 0:
            return a.new_empty([0, *a.shape[1:]]).movedim(0, at), None
        if rows == 0:
            raise IndexError("index out-of-bounds: nothing to reduce")
        checks: Checks = [((bounds >= 0) & (bounds < rows)).all()]
        start = bounds.clamp(0, rows - 1)
        end = torch.cat([start[1:], start.new_full([1], rows)])
        length = torch.where(end > start, end - start, 1)
        if a.numel() == 0:
            result = a.new_empty([start.shape[0], *a.shape[1:]])
        elif np_ufunc in _ASSOCIATIVE:
            wide = a.float() if a.dtype == torch.float16 and np_ufunc in (np.add, np.multiply) else a
            result = _segments(np_ufunc, wide, start, length).to(a.dtype)
        else:
            result = _one_by_one(np_ufunc, a, start, length, checks)
        return result.movedim(0, at), all_of(checks)


def _reduceat_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    indices = args[1] if len(args) > 1 else kwargs["indices"]
    if array_dtype(indices).kind not in "iu" and np.size(indices):
        return Cause.INDICES_NOT_INTEGERS()
    if kwargs.get("out") is not None:
        return Cause.REDUCEAT_OUT()
    return _steps_limit(0, 3)(op_, args, kwargs)


def is_checked(np_ufunc: np.ufunc) -> bool:
    called = TABLE.of(np_ufunc)
    assert called is not None
    return called.checked


for _ufunc in BINARY:
    _register_reduce(_ufunc)
    _register_accumulate(_ufunc)
    _register_reduceat(_ufunc)
