"""Ufuncs on eager arrays: calls and methods, `out=`, the layout of answers, floating-point errors.

As in `dispatch.py`, the op answers, or else real NumPy, which is counted; exceptions are NumPy's own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import dispatch, fp_errors, iterator_strides, long_long, result_strides
from npcompile.frontend.eager.convert import numpy_dtype
from npcompile.frontend.eager.dispatch import arrays_in
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops import ufunc_at
from npcompile.frontend.ops.settling import MOST_ROUNDS, rounds
from npcompile.frontend.ops.table import TABLE, Op, Unsupported

# The place of `out` among the arguments of a method.
OUT_AT = {"reduce": 3, "accumulate": 3, "reduceat": 4}
MAX_TURNS = 64  # repetitions of one place in an index of `at`: beyond, NumPy's loop is faster

Report = Callable[[], None] | None


def call(
    ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any], real: Callable[..., Any] | None = None
) -> Any:
    """Return `ufunc(*args, **kwargs)`, outputs given by position or by `out`.

    real: called to ask NumPy, where that is more than calling the ufunc (`a == "x"` is more than `np.equal`).
    """
    if kwargs:
        kwargs = dispatch.given(kwargs)

    def ask(count: bool) -> Any:
        if real is not None:
            return dispatch.host(real, args, {}, count, ufunc)
        return dispatch.host(ufunc, args, kwargs, count)

    def run(op: Op) -> tuple[Any, Report]:
        return _called(op, ufunc, args, kwargs)

    return _answer_or_numpy(TABLE.of(ufunc), run, ask, fp_errors.reportable(ufunc, args, kwargs))


def method(ufunc: np.ufunc, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return `ufunc.reduce`, `.accumulate`, `.reduceat`, `.outer` or `.at` of these arguments."""
    if kwargs:
        kwargs = dispatch.given(kwargs)

    def run(op: Op) -> tuple[Any, Report]:
        if name == "at":
            return _at(op, ufunc, args, kwargs)
        if name == "outer":
            return _outer(op, ufunc, args, kwargs)
        return _reduced(op, ufunc, name, args, kwargs)

    def ask(count: bool) -> Any:
        return dispatch.host(getattr(ufunc, name), args, kwargs, count)

    return _answer_or_numpy(TABLE.of_method(ufunc, name), run, ask, fp_errors.reportable(ufunc, args, kwargs))


def _answer_or_numpy(
    op: Op | None, run: Callable[[Op], tuple[Any, Report]], ask: Callable[[bool], Any], reportable: bool
) -> Any:
    """Return the answer of `run` and give its report of floating-point errors, or return NumPy's answer."""
    if op is None:
        return ask(True)
    try:
        if not reportable:
            raise Unsupported(Cause.ERRORS_REPORTED())
        answer, report = run(op)
    except Unsupported:
        return ask(True)
    except Exception as error:
        return dispatch.redo_by_numpy(op.name, error, ask)
    if report is not None:
        report()
    return answer


# -- calls ---------------------------------------------------------------------------------------------------


def _outputs(ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arrays to write to, None where there is none. Raises Unsupported for calls that NumPy
    refuses."""
    placed, out = args[ufunc.nin :], kwargs.get("out")
    if len({"dtype", "signature", "sig"} & kwargs.keys()) > 1:
        raise Unsupported(Cause.CALL_REFUSED("a signature given twice"))
    if len(args) < ufunc.nin or (placed and out is not None):
        raise Unsupported(Cause.CALL_REFUSED("operands missing, or outputs given twice"))
    if out is ... or (out is None and not placed):
        return (None,) * ufunc.nout
    if placed:
        outs = (*placed, *(None,) * (ufunc.nout - len(placed)))
    else:
        outs = out if type(out) is tuple else (out,)
    if len(outs) != ufunc.nout or any(item is ... for item in outs):
        raise Unsupported(Cause.OUT_REFUSED())
    return outs


def _as_strided_array(out: Any) -> Any:
    """Return an output as an array of ours, on the same memory."""
    if out is None or isinstance(out, Strided):
        return out
    if type(out) is np.ndarray:
        return Strided._of_numpy(out)
    raise Unsupported(Cause.CALL_REFUSED("an output that is no array"))


def _called(op: Op, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Report]:
    outs = _outputs(ufunc, args, kwargs)
    targets = tuple(map(_as_strided_array, outs))
    args = args[: ufunc.nin]
    if len(args) == 1 and type(args[0]) is int and not -(2**63) <= args[0] < 2**64:
        raise Unsupported(Cause.DTYPE("object"))
    named = {key: item for key, item in kwargs.items() if key != "out"}
    if ufunc.signature is not None:  # products, whose last axes do not broadcast
        if any(item is not None for item in outs):
            named["out"] = outs
        return dispatch.native(op, ufunc, args, named), None
    if named.get("where", True) is not True and any(item is not None for item in targets):
        if any(item is None for item in targets):
            raise Unsupported(Cause.OUT_NEITHER())
        named["base"] = targets if ufunc.nout > 1 else targets[0]
    results = dispatch.compute(op, args, named)
    results = results if ufunc.nout > 1 else (results,)
    if named.get("where", True) is not True and "out" not in kwargs and all(item is None for item in outs):
        fp_errors.of_mask(ufunc)
    casting = named.get("casting", "same_kind")
    _check_outputs(results, targets, casting)
    order = named.pop("order", "K")
    if order is not None and order.upper() not in ("K", "C", "F", "A"):
        raise ValueError("an order that there is not")
    scalar = op.scalar and kwargs.get("out") is not ...  # out=...: an array in any case
    dtypes = long_long.of_call(ufunc, args, named, results)
    inputs = [array._memory for array in arrays_in((args, named))]
    plain = {key: item for key, item in named.items() if key != "base"}
    # Computed before anything is written: an operand may be an output, too.
    report = fp_errors.of_call(ufunc, dispatch.operands(args), results, targets, plain)
    answers = []
    for result, out, target, dtype in zip(results, outs, targets, dtypes, strict=True):
        if target is not None:
            target._write(_cast_to_output(result, target))
            answers.append(out)
        else:
            answer = dispatch.wrap(scalar, _as_numpy_lays_out(result, args, order), inputs)
            answers.append(long_long.named(answer, dtype))
    return (answers[0] if ufunc.nout == 1 else tuple(answers)), report


def _check_outputs(results: tuple[Any, ...], targets: tuple[Any, ...], casting: str) -> None:
    """Raise where NumPy raises, before anything is written."""
    for result, target in zip(results, targets, strict=True):
        if target is None:
            continue
        dtype = numpy_dtype(result.dtype)
        if not target._layout.flags.writeable or not np.can_cast(dtype, target.dtype, casting):  # type: ignore[arg-type]
            raise ValueError("out cannot hold the result: NumPy raises")
        if np.broadcast_shapes(target.shape, tuple(result.shape)) != target.shape:
            raise ValueError("out has another shape: NumPy raises")
        if tuple(result.shape) != target.shape and any(item is None for item in targets):
            raise Unsupported(Cause.OUT_NEITHER())


def _cast_to_output(result: torch.Tensor, target: Any) -> torch.Tensor:
    """Return a result for an output: for a real one the real part, with NumPy's warning."""
    if not result.is_complex() or target.dtype.kind in "cb":
        return result
    text = "Casting complex values to real discards the imaginary part"
    warnings.warn(text, np.exceptions.ComplexWarning, stacklevel=5)
    return torch.real(result)


def _as_numpy_lays_out(result: torch.Tensor, args: tuple[Any, ...], order: str) -> torch.Tensor:
    """Return an answer laid out as NumPy's is: NumPy's iterator is asked, on the operands' layouts."""
    if result.dim() < 2 or result.numel() < 2:
        return result
    layouts = [item._layout if isinstance(item, Strided) else np.asarray(item) for item in args]
    if order in ("K", "C", "A") and result.is_contiguous():
        if order == "C" or all(
            (item.flags.c_contiguous and item.shape == tuple(result.shape)) or item.ndim == 0
            for item in layouts
        ):
            return result
    return iterator_strides.with_strides(
        result, iterator_strides.iterator_strides(layouts, tuple(result.shape), order)
    )


# -- methods -------------------------------------------------------------------------------------------------


def _outer(op: Op, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Report]:
    if len(args) != 2:
        raise Unsupported(Cause.CALL_REFUSED("an outer product of other than two operands"))
    named = dict(kwargs)
    outs = _outputs(ufunc, args, named)
    targets = tuple(map(_as_strided_array, outs))
    scalar = op.scalar and named.pop("out", None) is not ...
    if named.get("where", True) is not True and targets[0] is not None:
        named["base"] = targets if ufunc.nout > 1 else targets[0]
    results = dispatch.compute(op, args, named)
    results = results if ufunc.nout > 1 else (results,)
    _check_outputs(results, targets, named.get("casting", "same_kind"))
    inputs = [array._memory for array in arrays_in((args, named))]
    dtypes = long_long.of_call(ufunc, args, named, results)
    answers = []
    for result, out, target, dtype in zip(results, outs, targets, dtypes, strict=True):
        if target is not None:
            target._write(result)
        answers.append(
            long_long.named(dispatch.wrap(scalar, result, inputs), dtype) if target is None else out
        )
    plain = {key: item for key, item in named.items() if key != "base"}
    report = fp_errors.of_method(ufunc, "outer", args, plain, results)
    return (answers[0] if ufunc.nout == 1 else tuple(answers)), report


def _reduced(
    op: Op, ufunc: np.ufunc, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Report]:
    place, named = OUT_AT[name], dict(kwargs)
    if len(args) > place:
        if "out" in named:
            raise Unsupported(Cause.CALL_REFUSED("out given twice"))
        named["out"] = args[place]
        if args[place] is ...:
            raise Unsupported(Cause.OUT_BY_PLACE())
        args = (*args[:place], None, *args[place + 1 :])
    out = named.pop("out", None)
    if type(out) is tuple:
        if len(out) != 1:
            raise Unsupported(Cause.OUT_NEITHER())
        out = out[0]
    scalar = op.scalar and out is not ...
    target = None if out is ... else _as_strided_array(out)
    within = rounds.set(MOST_ROUNDS)
    try:
        result = dispatch.compute(op, args, named)
    finally:
        rounds.reset(within)
    if target is not None:
        if numpy_dtype(result.dtype) != target.dtype:
            raise Unsupported(Cause.OUT_OTHER_DTYPE())
        if not target._layout.flags.writeable or tuple(result.shape) != target.shape:
            raise ValueError("out cannot hold the result: NumPy raises")
        if result.is_complex() and target.dtype.kind not in "cb":
            raise Unsupported(Cause.COMPLEX_DROPPED())
        target._write(result)
    report = fp_errors.of_method(ufunc, name, args, named, (result,))
    if target is not None:
        return out, report
    dtype = long_long.of_method(ufunc, name, args, named, result)
    if name == "reduceat":
        result = result.contiguous()
    elif name == "accumulate" or tuple(result.shape) == getattr(args[0], "shape", None):
        result = _as_numpy_lays_out(result, args[:1], "K")
    elif result.dim() > 1 and isinstance(args[0], Strided):
        axis = args[1] if len(args) > 1 else named.get("axis", 0)
        keepdims = result.dim() == args[0]._memory.dim()
        result = iterator_strides.with_strides(
            result, result_strides.reduced_strides(args[0]._layout, axis, keepdims)
        )
    answer = dispatch.wrap(scalar, result, [array._memory for array in arrays_in((args, named))])
    return long_long.named(answer, dtype), report


def _at(op: Op, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[None, Report]:
    if kwargs or len(args) != ufunc.nin + 1:
        raise ValueError("arguments that NumPy refuses")
    array: Any = args[0]
    index, *values = args[1:]
    if not (isinstance(args[0], Strided) and array._layout.flags.writeable):
        raise Unsupported(Cause.AT_NO_ARRAY())
    index = _without_masks(dispatch.operands(index), array)
    named: dict[str, Any] = {}
    kinds = [item.dtype if hasattr(item, "dtype") else np.asarray(item).dtype for item in values]
    if not values or ufunc_at.scatter_dtype(ufunc, array.dtype, kinds[0]) is None:
        turns = ufunc_at.most_often(array._tensor, index)
        if turns > MAX_TURNS:
            raise Unsupported(Cause.AT_TOO_MANY(MAX_TURNS, ufunc.__name__))
        named["rounds"] = turns
    result = dispatch.compute(op, (array, _arrays(index), *values), named)
    report = fp_errors.of_at(ufunc, args, array, result)
    array._write(result)
    return None, report


def _without_masks(index: Any, array: Any) -> Any:
    """Return an index with masks as arrays of places, as NumPy reads them."""
    items = index if type(index) is tuple else (index,)
    made: list[Any] = []
    for item in items:
        if type(item) is list:
            item = torch.as_tensor(np.asarray(item, None if item else np.intp), device=array._memory.device)
        if isinstance(item, torch.Tensor) and item.dtype == torch.bool and item.dim():
            at = len(made)
            if tuple(item.shape) != array.shape[at : at + item.dim()] or len(items) > 1:
                raise Unsupported(Cause.MASK_AMONG_OTHERS())
            made.extend(item.nonzero(as_tuple=True))
        else:
            made.append(item)
    return tuple(made)


def _arrays(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([Strided._of_tensor(item) if isinstance(item, torch.Tensor) else item for item in index])


dispatch.ufunc_call, dispatch.ufunc_method = call, method
