"""`ufunc.at`, for every ufunc that has it: the whole array after updates at places that may occur twice.

Sums, products and extremes are scattered by torch. All other ufuncs go in rounds, as many as the most
frequent place has updates: in each round, every place is updated once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.indexing import getitem
from npcompile.frontend.ops.reductions import array_dtype
from npcompile.frontend.ops.rules import cast, check_broadcast, dtype_of, op, tensor
from npcompile.frontend.ops.table import TORCH, Op
from npcompile.frontend.ops.ufunc_methods import BINARY, Checks, all_of, combined, is_checked
from npcompile.nep50 import promote

MOST_ROUNDS = 16  # where how often a place is meant is not known

UNARY: tuple[np.ufunc, ...] = (
    *(np.negative, np.positive, np.absolute, np.fabs, np.rint, np.sign, np.conjugate, np.exp, np.exp2),
    *(np.log, np.log2, np.log10, np.expm1, np.log1p, np.sqrt, np.square, np.cbrt, np.reciprocal),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh),
    *(np.arccosh, np.arctanh, np.degrees, np.radians, np.deg2rad, np.rad2deg, np.invert, np.logical_not),
    *(np.isfinite, np.isinf, np.isnan, np.signbit, np.floor, np.ceil, np.trunc, np.spacing),
)


def _flat_places(a: Tensor, index: Any) -> tuple[Tensor, Tensor | None]:
    """Return the flat positions of all indexed elements, in the index's own order, and if all are in
    range."""
    return getitem.body(torch.arange(a.numel(), device=a.device).reshape(a.shape), index)


def most_often(a: Tensor, index: Any) -> int:
    """Return how often the most frequent place occurs in an index. Looks at values."""
    places, _ = _flat_places(a, index)
    return int(torch.bincount(places.reshape(-1)).max()) if places.numel() else 0


def _earlier_occurrences(places: Tensor) -> Tensor:
    """Return for each place how often it came before."""
    order = torch.sort(places, stable=True)
    counted = torch.arange(places.numel(), device=places.device)
    first = torch.cat([order.values.new_ones(1, dtype=torch.bool), order.values[1:] != order.values[:-1]])
    begin = torch.cummax(torch.where(first, counted, 0), 0).values
    return torch.zeros_like(places).scatter(0, order.indices, counted - begin)


def _in_rounds(
    np_ufunc: np.ufunc, flat: Tensor, places: Tensor, value: Tensor | None, rounds: int, checks: Checks
) -> Tensor:
    """Update in rounds, as NumPy does it: a later update of a place starts from the earlier one's result."""
    if places.numel() == 0:
        return flat
    ranks = _earlier_occurrences(places)
    nowhere = flat.numel()
    padded = torch.cat([flat, flat.new_zeros(1)])
    for turn in range(rounds):
        old = padded[places]
        new = combined(np_ufunc, *([old] if value is None else [old, value]), checks=checks)
        padded = padded.index_put((torch.where(ranks == turn, places, nowhere),), cast(new, dtype_of(flat)))
    return padded[:nowhere]


def scatter_dtype(np_ufunc: np.ufunc, own: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype in which torch's scattering gives the result of `at`; None if in none."""
    if np_ufunc not in (np.add, np.subtract, np.multiply, np.maximum, np.minimum) or own.kind == "b":
        return None
    loop = promote.resolve(np_ufunc, (own, other), None, None, "unsafe")[0]
    ordered = np_ufunc in (np.maximum, np.minimum)
    if own.kind == "u" and own.itemsize > 1 and (ordered or np_ufunc is np.multiply):
        # torch scatters these as int64 alone: products wrap there, too, and all but uint64 keep their order
        return np.dtype(np.int64) if own == loop and not (ordered and own.itemsize == 8) else None
    if own.kind in "iu" and loop.kind in "iu" and not ordered:
        return own  # sums and products wrap
    if own.kind != loop.kind or (own.kind == "c" and np_ufunc not in (np.add, np.subtract)):
        return None
    if ordered:
        return own if own.kind == "f" or own == loop else None  # rounding keeps the order
    return loop if np_ufunc is not np.multiply or own == loop else None


def _scattered(
    np_ufunc: np.ufunc, flat: Tensor, places: Tensor, value: Tensor, dtype: np.dtype[Any]
) -> Tensor:
    own = dtype_of(flat)
    flat, value = cast(flat, dtype), cast(value, dtype)
    if np_ufunc is np.add or np_ufunc is np.subtract:
        value = value if np_ufunc is np.add else -value
        return cast(flat.index_put((places,), value, accumulate=True), own)
    how = "prod" if np_ufunc is np.multiply else "amax" if np_ufunc is np.maximum else "amin"
    return cast(flat.scatter_reduce(0, places, value, how), own)


def _at(np_ufunc: np.ufunc, a: Tensor, index: Any, value: Any, rounds: int | None) -> Any:
    """Return the whole array after `ufunc.at(a, index, value)`."""
    places, ok = _flat_places(a, index)
    checks: Checks = [] if ok is None else [ok]
    ready = None
    if value is not None:
        ready = tensor(value, a.device)
        check_broadcast((places, ready))
        ready = ready.expand(places.shape).reshape(-1)
    places, flat = places.reshape(-1), a.reshape(-1)
    given = [dtype_of(flat)] if ready is None else [dtype_of(flat), dtype_of(ready)]
    promote.resolve(np_ufunc, tuple(given), None, None, "unsafe")  # TypeError where there is no loop
    dtype = None if ready is None else scatter_dtype(np_ufunc, dtype_of(flat), dtype_of(ready))
    if ready is not None and dtype is not None:
        done = _scattered(np_ufunc, flat, places, ready, dtype)
    else:
        turns = places.numel() if rounds is None else rounds
        done = _in_rounds(np_ufunc, flat, places, ready, turns, checks)
    return (a.clone() if done is flat else done.reshape(a.shape)), all_of(checks)


def _at_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    np_ufunc = op_.methods[0][0]
    array, index = args[:2]
    if not isinstance(array, np.ndarray):
        return Cause.AT_NO_ARRAY()
    if (reason := getitem.refuses((array, index), {})) is not None:
        return reason
    given = [array.dtype]
    if len(args) > 2:
        given.append(array_dtype(args[2]))
    try:
        loop = promote.resolve(np_ufunc, tuple(given), None, None, "unsafe")
    except TypeError:
        return None  # NumPy raises for itself
    if any(item not in TORCH for item in (*given, *loop)):
        return Cause.DTYPE(str(next(item for item in (*given, *loop) if item not in TORCH)))
    if any(item.kind == "c" for item in loop) and array.dtype.kind != "c":
        return Cause.COMPLEX_INTO_REAL()
    if "rounds" in kwargs or (len(given) == 2 and scatter_dtype(np_ufunc, *given) is not None):
        return None
    count = np.broadcast_to(np.False_, array.shape)[index].size
    return None if count <= MOST_ROUNDS else Cause.AT_TOO_MANY(MOST_ROUNDS, np_ufunc.__name__)


def _sure_at(args: tuple[Any, ...], result: Any) -> bool:
    assert getitem.sure is not None
    return getitem.sure(args, result)


def _register_at(np_ufunc: np.ufunc) -> None:
    common: dict[str, Any] = {
        "name": f"numpy.{np_ufunc.__name__}.at",
        "methods": [(np_ufunc, "at")],
        "checked": True,
        "scalar": False,
        "limits": _at_limits,
        "sure": None if is_checked(np_ufunc) else _sure_at,
    }
    if np_ufunc.nin == 1:

        @op(**common)
        def body(a: Tensor, indices: Any, /, *, rounds: int | None = None) -> Any:
            return _at(np_ufunc, a, indices, None, rounds)

    else:

        @op(**common, operands=("b",))
        def body_of_two(a: Tensor, indices: Any, b: Any, /, *, rounds: int | None = None) -> Any:
            return _at(np_ufunc, a, indices, b, rounds)


for _ufunc in BINARY + UNARY:
    _register_at(_ufunc)
