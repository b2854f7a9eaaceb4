"""NumPy has second types of the same bits, as `long long` beside `long`: ops compute in the first, and
answers are named.

torch has one type for both. Ops get operands of the first. The type of an answer is asked of NumPy itself:
for ufuncs on operands without elements, for other functions by the rule for their dtype, listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import dispatch
from npcompile.frontend.eager.convert import numpy_dtype
from npcompile.frontend.eager.dispatch import layout_of, map_arrays
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.table import TWINS, Unsupported

Args = tuple[Any, ...]
Named = dict[str, Any]
DType = np.dtype[Any]

_CHARS = frozenset(TWINS)
_FIRST: dict[str, DType] = {char: np.dtype(np.dtype(char).str) for char in TWINS}
_HAVE_SECOND = frozenset(_FIRST.values())  # dtypes that have a second type
_VALUES = (np.ndarray, np.generic)


def _plain(item: Any) -> Any:
    if item.dtype.char not in TWINS:
        return item
    first = _FIRST[item.dtype.char]
    return first.type(item) if isinstance(item, np.generic) else item.view(first)


def plain(value: Any) -> Any:
    """Return NumPy's arrays and scalars of a second type as those of the first, on the same memory."""
    return map_arrays(value, _plain, _VALUES)


def _has_second_type(args: Args, kwargs: Named) -> bool:
    """Tell if a call has operands of a second type, or asks for one."""
    found: list[Any] = []
    map_arrays((args, kwargs), lambda item: found.append(item.dtype.char), (Strided, *_VALUES))
    if not _CHARS.isdisjoint(found):
        return True
    signature = kwargs.get("signature", kwargs.get("sig"))
    if isinstance(signature, str):
        return not _CHARS.isdisjoint(signature)
    asked = signature if isinstance(signature, tuple) else ()
    return any(_is_second_type(item) for item in (*args, kwargs.get("dtype"), *asked))


def _is_second_type(item: Any) -> bool:
    """Tell if this names a second type."""
    if isinstance(item, np.dtype):
        return item.char in TWINS
    if isinstance(item, type):
        return issubclass(item, np.generic) and any(np.dtype(char).type is item for char in TWINS)
    return isinstance(item, str) and item in _NAMES


_NAMES = {*TWINS, *(np.dtype(char).type.__name__ for char in TWINS)}


# -- ufuncs --------------------------------------------------------------------------------------------------

_WEAK = {int: 0, float: 0.0, complex: 0j}


def _empty_like(item: Any) -> Any:
    """Return an operand of the same kind without elements; Python numbers stay weak."""
    if type(item) in _WEAK:
        return _WEAK[type(item)]
    return np.empty((0,) * max(getattr(item, "ndim", 0), 1), _of(item))


def _of(item: Any) -> Any:
    return item.dtype if hasattr(item, "dtype") else np.asarray(item).dtype


def _ask(call: Callable[[], Any]) -> tuple[DType, ...]:
    with np.errstate(all="ignore"):
        answer = call()
    return tuple([item.dtype for item in (answer if isinstance(answer, tuple) else (answer,))])


def of_call(ufunc: np.ufunc, args: Args, kwargs: Named, results: Any) -> tuple[DType | None, ...]:
    """Return for each answer of `ufunc(*args, **kwargs)` its dtype, None where it cannot be of a second
    type."""
    if not any(numpy_dtype(item.dtype) in _HAVE_SECOND for item in results) or not _has_second_type(
        args, kwargs
    ):
        return (None,) * len(results)
    named = {key: kwargs[key] for key in ("dtype", "signature", "sig", "casting") if key in kwargs}
    return _ask(lambda: ufunc(*[_empty_like(item) for item in args], **named))


def of_method(ufunc: np.ufunc, name: str, args: Args, kwargs: Named, result: Any) -> DType | None:
    """Return the dtype of an answer of `ufunc.reduce`, `accumulate` or `reduceat`, None if it is no second
    type."""
    if numpy_dtype(result.dtype) not in _HAVE_SECOND or not _has_second_type(args, kwargs):
        return None
    asked = kwargs.get("dtype", args[_DTYPE_AT[name]] if len(args) > _DTYPE_AT[name] else None)
    return _ask(lambda: ufunc.reduce(np.ones(1, _of(args[0])), dtype=asked))[0]


_DTYPE_AT = {"reduce": 2, "accumulate": 2, "reduceat": 3}


# -- other functions: the dtype by rules, of (args, kwargs) with layouts in place of arrays ------------------

Rule = Callable[[Args, Named], Any]


def _asked(place: int, name: str, args: Args, kwargs: Named) -> Any:
    return args[place] if len(args) > place else kwargs.get(name)


def _like_first(dtype_at: int | None = None) -> Rule:
    """Return the rule of functions with the dtype asked for, else the first argument's."""

    def rule(args: Args, kwargs: Named) -> Any:
        asked = None if dtype_at is None else _asked(dtype_at, "dtype", args, kwargs)
        return _of(args[0]) if asked is None else asked

    return rule


def _accumulated(ufunc: np.ufunc, dtype_at: int) -> Rule:
    def rule(args: Args, kwargs: Named) -> Any:
        asked = _asked(dtype_at, "dtype", args, kwargs)
        return ufunc.reduce(np.ones(1, _of(args[0])), dtype=asked).dtype

    return rule


def _asked_for(place: int) -> Rule:
    return lambda args, kwargs: _asked(place, "dtype", args, kwargs)


def _filled(args: Args, kwargs: Named) -> Any:
    asked = _asked(2, "dtype", args, kwargs)
    return _of(args[1] if len(args) > 1 else kwargs["fill_value"]) if asked is None else asked


def _common(operands: slice) -> Rule:
    """Return the rule of functions with the dtype asked for, else the operands' common one; Python numbers
    are weak."""

    def rule(args: Args, kwargs: Named) -> Any:
        if kwargs.get("dtype") is not None:
            return kwargs["dtype"]
        return np.result_type(*[item if type(item) in _WEAK else _of(item) for item in args[operands]])

    return rule


def _joined(args: Args, kwargs: Named) -> Any:
    if kwargs.get("dtype") is not None:
        return kwargs["dtype"]
    return np.result_type(*[_of(item) for item in args[0]])


def _ranged(args: Args, kwargs: Named) -> Any:
    bounds = [item for item in args[:3] if item is not None]
    asked = _asked(3, "dtype", args, kwargs)
    return np.result_type(*map(_of, bounds)) if asked is None else asked


def _positions(args: Args, kwargs: Named) -> Any:
    return np.intp


_FIRSTS = (
    *(np.copy, np.ndarray.copy, np.ndarray.flatten, np.ravel, np.ndarray.ravel, np.reshape),
    *(np.ndarray.reshape, np.sort, np.partition, np.take, np.ndarray.take, np.ndarray.__getitem__),
    *(np.repeat, np.ndarray.repeat, np.roll, np.tile, np.compress, np.ndarray.compress, np.extract),
    *(np.max, np.min, np.ndarray.max, np.ndarray.min, np.ptp, np.round, np.ndarray.round, np.flip, np.rot90),
    *(np.real, np.ndarray.conj, np.take_along_axis, np.diag, np.diagflat, np.diagonal, np.ndarray.diagonal),
    *(np.tril, np.triu, np.nan_to_num, np.ndarray.byteswap, np.resize, np.transpose, np.ndarray.transpose),
    *(np.squeeze, np.ndarray.squeeze, np.expand_dims, np.broadcast_to, np.moveaxis, np.swapaxes),
)
_SUMS: tuple[tuple[np.ufunc, int, tuple[Any, ...]], ...] = (
    (np.add, 2, (np.sum, np.ndarray.sum, np.cumsum, np.ndarray.cumsum, np.nansum, np.nancumsum)),
    (np.multiply, 2, (np.prod, np.ndarray.prod, np.cumprod, np.ndarray.cumprod, np.nanprod, np.nancumprod)),
    (np.add, 4, (np.trace, np.ndarray.trace)),
)
_PAIRS = (np.dot, np.ndarray.dot, np.inner, np.outer, np.vdot, np.convolve, np.append)
_PLACES = (
    *(np.argmax, np.argmin, np.ndarray.argmax, np.ndarray.argmin, np.argsort, np.ndarray.argsort),
    *(np.nanargmax, np.nanargmin, np.searchsorted, np.ndarray.searchsorted, np.nonzero, np.ndarray.nonzero),
    *(np.argpartition, np.ndarray.argpartition, np.lexsort, np.count_nonzero, np.bincount, np.digitize),
    *(np.argwhere, np.flatnonzero, np.ravel_multi_index, np.unravel_index),
)
_RULES: dict[int, Rule] = {
    **{id(one): _like_first() for one in _FIRSTS},
    **{id(one): _like_first(1) for one in (np.zeros_like, np.ones_like, np.empty_like)},
    id(np.full_like): _like_first(2),
    **{id(one): _accumulated(ufunc, at) for ufunc, at, several in _SUMS for one in several},
    **{id(one): _asked_for(1) for one in (np.zeros, np.ones, np.empty, np.identity)},
    **{id(one): _asked_for(1) for one in (np.ndarray.astype, np.astype)},
    **{id(one): _asked_for(3) for one in (np.eye, np.tri)},
    id(np.linspace): _asked_for(5),
    id(np.full): _filled,
    id(np.arange): _ranged,
    **{id(one): _common(slice(0, 2)) for one in _PAIRS},
    **{id(one): _common(slice(0, 3)) for one in (np.clip, np.ndarray.clip)},
    id(np.where): _common(slice(1, 3)),
    id(np.einsum): _common(slice(1, None)),
    **{id(one): _joined for one in (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack)},
    id(np.column_stack): _joined,
    **{id(one): _positions for one in _PLACES},
}


def of_function(function: Any, args: Args, kwargs: Named, result: Any) -> DType | None:
    """Return the dtype of an answer of a function that is no ufunc, None if it is no second type.

    Raises Unsupported where there is no rule.
    """
    several = result if isinstance(result, (tuple, list)) else [result]
    if not any(hasattr(item, "dtype") and numpy_dtype(item.dtype) in _HAVE_SECOND for item in several):
        return None
    if not _has_second_type(args, kwargs):
        return None
    if isinstance(function, np.ufunc):  # a product
        return of_call(function, args, kwargs, several)[0]
    if (rule := _RULES.get(id(function))) is None or not args:
        raise Unsupported(Cause.TWO_TYPES())
    asked = rule(*map_arrays((args, kwargs), layout_of))
    return None if asked is None else np.dtype(asked)


def named(answer: Any, dtype: DType | None) -> Any:
    """Return an answer, or several, in a dtype of the same bits: our array on the same memory, NumPy's
    scalar."""
    if dtype is None or dtype.char not in TWINS:
        return answer
    if isinstance(answer, (tuple, list)):
        return type(answer)([named(item, dtype) for item in answer])
    if isinstance(answer, Strided):
        answer._layout_known = answer._layout.view(dtype)
        return answer
    return np.asarray(answer).view(dtype)[()]


dispatch.plain, dispatch.second_dtype_of, dispatch.named = plain, of_function, named
