"""Strides of results of non-ufunc functions, which NumPy lays out by a rule per function.

Sources: NumPy's `PyArray_NewLikeArray`, `PyArray_CreateMultiSortedStridePerm` (joined arrays), its iterator
(reductions and running sums), and the places where its Python functions make their answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from npcompile.frontend.eager import dispatch
from npcompile.frontend.eager.dispatch import layout_of, map_arrays
from npcompile.frontend.eager.iterator_strides import (
    Layout,
    iterator_strides,
    strides_of_picked,
    with_strides,
)
from npcompile.frontend.eager.strided import Strided

Args = tuple[Any, ...]
Named = dict[str, Any]
Shape = tuple[int, ...]


def _dense_strides(shape: Shape, inner_first: Sequence[int]) -> Shape:
    """Return the strides, in elements, of an array without gaps, whose axes are given from the innermost
    on."""
    strides, step = [0] * len(shape), 1
    for axis in inner_first:
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def _c_strides(shape: Shape) -> Shape:
    return _dense_strides(shape, range(len(shape) - 1, -1, -1))


def strides_like(layout: Layout, shape: Shape | None = None) -> Shape:
    """Return the strides of an array made like this one, in the order of its strides."""
    shape = layout.shape if shape is None else shape
    if layout.flags.c_contiguous or layout.ndim < 2:
        return _c_strides(shape)
    if layout.flags.f_contiguous:
        return _dense_strides(shape, range(len(shape)))
    outer_first = sorted(range(layout.ndim), key=lambda axis: -abs(layout.strides[axis]))
    return _dense_strides(shape, outer_first[::-1])


def joined_strides(parts: Sequence[Layout], shape: Shape) -> Shape:
    """Return the strides of joined arrays: in the order of the axes on which all agree, else in C order."""
    order = list(range(len(shape)))  # from the outermost on
    for place in range(1, len(order)):
        at = place
        for before in range(place - 1, -1, -1):
            outer, axis = order[before], order[place]
            votes = [
                abs(part.strides[axis]) <= abs(part.strides[outer])
                for part in parts
                if part.shape[axis] != 1 and part.shape[outer] != 1
            ]
            if any(votes):
                break
            if votes:
                at = before
        order.insert(at, order.pop(place))
    return _dense_strides(shape, order[::-1])


def reduced_strides(layout: Layout, axis: Any, keepdims: bool) -> Shape:
    """Return the strides of a reduction's answer: of an iteration over the operand, without the reduced
    axes."""
    strides = iterator_strides([layout], layout.shape)
    gone = range(layout.ndim) if axis is None else normalize_axis_tuple(axis, layout.ndim)
    inner_first = sorted(range(layout.ndim), key=lambda at: (strides[at], layout.shape[at] > 1, -at))
    if keepdims:
        shape = tuple([1 if at in gone else size for at, size in enumerate(layout.shape)])
        return _dense_strides(shape, inner_first)
    kept = [at for at in range(layout.ndim) if at not in gone]
    shape = tuple([layout.shape[at] for at in kept])
    return _dense_strides(shape, [kept.index(at) for at in inner_first if at in kept])


# -- rules: (args, kwargs, the answer's shape) -> strides, layouts in place of arrays; None: unchanged -------


def _get(args: Args, kwargs: Named, place: int, name: str, default: Any) -> Any:
    return args[place] if len(args) > place else kwargs.get(name, default)


def _concatenated(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    if _get(args, kwargs, 1, "axis", 0) is None:
        return None
    return joined_strides([np.asarray(part) for part in args[0]], shape)


def _stacked(args: Args, kwargs: Named, shape: Shape) -> Shape:
    axis = normalize_axis_index(_get(args, kwargs, 1, "axis", 0), len(shape))
    return joined_strides([np.expand_dims(np.asarray(part), axis) for part in args[0]], shape)


def _parts(change: Callable[[Any], Layout]) -> Callable[[Args, Named, Shape], Shape]:
    return lambda args, kwargs, shape: joined_strides([change(part) for part in args[0]], shape)


def _column(part: Any) -> Layout:
    made = np.asarray(part)
    return made if made.ndim > 1 else np.atleast_2d(made).T


def _appended(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    if _get(args, kwargs, 2, "axis", None) is None:
        return None
    return joined_strides([np.asarray(args[0]), np.asarray(_get(args, kwargs, 1, "values", None))], shape)


def _like_first(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    return strides_like(args[0]) if isinstance(args[0], np.ndarray) and args[0].shape == shape else None


def _kept_order(place: int) -> Callable[[Args, Named, Shape], Shape | None]:
    """Return the rule of functions with `order` at this place: as it is asked for."""

    def rule(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
        return _like_first(args, kwargs, shape) if _get(args, kwargs, place, "order", "K") == "K" else None

    return rule


def _copied(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    return _like_first(args, kwargs, shape) if _get(args, kwargs, 1, "order", "C") == "K" else None


def _rolled(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    return (
        _c_strides(shape) if _get(args, kwargs, 2, "axis", None) is None else _like_first(args, kwargs, shape)
    )


def _sorted(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    return None if _get(args, kwargs, 1, "axis", -1) is None else _like_first(args, kwargs, shape)


def _rows(args: Args, kwargs: Named, shape: Shape) -> Shape:
    return _c_strides(shape)


def _fortran(args: Args, kwargs: Named, shape: Shape) -> Shape:
    """Return Fortran order where the operand's is, else C order."""
    columns = isinstance(args[0], np.ndarray) and args[0].flags.fnc
    return _dense_strides(shape, range(len(shape))) if columns else _c_strides(shape)


def _running(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    if not isinstance(args[0], np.ndarray) or args[0].shape != shape:
        return None
    return iterator_strides([args[0]], shape)


def _norm(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    axis = _get(args, kwargs, 2, "axis", None)
    return _reduction((args[0], axis), {}, shape)


def _reduction(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    if not isinstance(args[0], np.ndarray):
        return None
    keepdims = bool(shape) and len(shape) == args[0].ndim
    return reduced_strides(args[0], _get(args, kwargs, 1, "axis", None), keepdims)


def _where(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    return iterator_strides([np.asarray(item) for item in args], shape) if len(args) == 3 else None


def _counted(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    """Return the strides of the sum of an array of bools, which is made where the operand is of another
    dtype."""
    if not isinstance(args[0], np.ndarray):
        return None
    bools = args[0] if args[0].dtype == np.bool_ else np.empty_like(args[0], np.bool_)
    return _reduction((bools, *args[1:]), kwargs, shape)


def _differences(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    """Return the strides of the differences of the joined operands."""
    axis = _get(args, kwargs, 2, "axis", -1)
    edges = [_get(args, kwargs, place, name, None) for place, name in ((3, "prepend"), (4, "append"))]
    count = _get(args, kwargs, 1, "n", 1)
    if not isinstance(args[0], np.ndarray) or count == 0:
        return None
    if all(item is None for item in edges):
        layout = args[0]
        for _ in range(count):
            neighbours = np.moveaxis(layout, axis, 0)[1:], np.moveaxis(layout, axis, 0)[:-1]
            parts = [np.moveaxis(part, 0, axis) for part in neighbours]
            strides = iterator_strides(parts, parts[0].shape)
            layout = np.lib.stride_tricks.as_strided(np.empty(0, "b"), parts[0].shape, strides)
        return layout.strides
    edge = [1 if at == axis % args[0].ndim else size for at, size in enumerate(args[0].shape)]
    before, after = (
        [] if item is None else [np.broadcast_to(item, edge) if np.ndim(item) == 0 else np.asarray(item)]
        for item in edges
    )
    parts = [*before, args[0], *after]
    whole = list(args[0].shape)
    whole[axis] = sum(part.shape[axis] for part in parts)
    return strides_like(
        np.lib.stride_tricks.as_strided(np.empty(0, "b"), shape, joined_strides(parts, tuple(whole)))
    )


def _transformed(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    """Return the strides of an array made like the operand's conjugate."""
    if not isinstance(args[0], np.ndarray):
        return None
    layout = args[0]
    conjugate = np.lib.stride_tricks.as_strided(
        np.empty(0, "b"), layout.shape, iterator_strides([layout], layout.shape)
    )
    return strides_like(conjugate, shape)


def _picked_along(args: Args, kwargs: Named, shape: Shape) -> Shape | None:
    """Return the strides of indexing by one array for each axis."""
    axis = _get(args, kwargs, 2, "axis", -1)
    if axis is None or not isinstance(args[0], np.ndarray):
        return None
    at, ndim = axis % args[0].ndim, args[0].ndim
    lengths = args[1].shape
    places = [np.empty((size, *(1,) * (ndim - 1 - k)), np.intp) for k, size in enumerate(lengths)]
    return strides_of_picked(args[0], (*places[:at], args[1], *places[at + 1 :]), shape)


RULES: dict[int, Callable[[Args, Named, Shape], Shape | None]] = {
    id(np.concatenate): _concatenated,
    id(np.stack): _stacked,
    id(np.vstack): _parts(lambda part: np.atleast_2d(part)),
    id(np.hstack): _parts(lambda part: np.atleast_1d(part)),
    id(np.dstack): _parts(lambda part: np.atleast_3d(part)),
    id(np.column_stack): _parts(_column),
    id(np.append): _appended,
    id(np.roll): _rolled,
    **{id(one): _sorted for one in (np.sort, np.partition)},
    id(np.nan_to_num): _like_first,
    **{id(one): _kept_order(2) for one in (np.zeros_like, np.ones_like, np.empty_like, np.ndarray.astype)},
    id(np.full_like): _kept_order(3),
    id(np.copy): _kept_order(1),
    id(np.ndarray.copy): _copied,
    **{id(one): _rows for one in (np.argsort, np.ndarray.argsort, np.searchsorted, np.ndarray.searchsorted)},
    **{id(one): _rows for one in (np.digitize, np.interp, np.kron)},
    **{id(one): _fortran for one in (np.round, np.around, np.ndarray.round)},
    **{id(one): _running for one in (np.cumsum, np.cumprod, np.ndarray.cumsum, np.ndarray.cumprod)},
    **{id(one): _running for one in (np.nancumsum, np.nancumprod)},
    **{id(one): _reduction for one in (np.sum, np.prod, np.min, np.max, np.any, np.all, np.mean, np.std)},
    **{id(one): _reduction for one in (np.var, np.ptp, np.nansum, np.nanprod)},
    **{id(one): _reduction for one in (np.ndarray.sum, np.ndarray.prod, np.ndarray.min, np.ndarray.max)},
    **{id(one): _reduction for one in (np.ndarray.any, np.ndarray.all, np.ndarray.mean, np.ndarray.std)},
    **{id(one): _reduction for one in (np.ndarray.var, np.average)},
    id(np.where): _where,
    id(np.count_nonzero): _counted,
    id(np.diff): _differences,
    id(np.take_along_axis): _picked_along,
    id(np.linalg.norm): _norm,
    id(np.fft.hfft): _transformed,
    id(np.imag): _fortran,
}


# Functions that return a view of a row, which owns the memory.
ROWS_RESHAPED = (np.tile, np.tensordot, np.kron, np.reshape, np.ndarray.reshape)


def _is_row(function: Any, args: Args, kwargs: Named) -> bool:
    if function is np.roll:
        return _get(args, kwargs, 2, "axis", None) is None
    return any(function is one for one in ROWS_RESHAPED)


def lay_out(function: Any, args: Args, kwargs: Named, answer: Any) -> Any:
    """Return an answer laid out as NumPy's is: itself, or its copy."""
    if not isinstance(answer, Strided):
        return answer
    memory, rule = answer._memory, RULES.get(id(function))
    if rule is not None and memory.dim() > 1 and memory.numel() > 1:
        shown = map_arrays(args, layout_of), map_arrays(kwargs, layout_of)
        strides = rule(*shown, tuple(memory.shape))
        if strides is not None and strides != tuple(memory.stride()):
            memory = with_strides(memory, strides)
            answer = Strided._of_tensor(memory)
    if _is_row(function, args, kwargs) and memory.is_contiguous():
        answer = Strided._of_tensor(memory, base=Strided._of_tensor(memory.reshape(-1)))
    if function is np.imag and isinstance(args[0], Strided) and not args[0]._memory.is_complex():
        answer._layout.flags.writeable = False  # zeros, which NumPy lets nobody write to
    return answer


dispatch.lay_out = lay_out
