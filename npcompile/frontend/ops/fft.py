"""Ops for discrete Fourier transforms: the fourteen functions of `numpy.fft` that compute one.

As in NumPy, several axes are transformed one after the other, and the factor of `norm=` is rounded in the
precision of the input.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import cast, dtype_of, op
from npcompile.frontend.ops.symbolic_sizes import as_whole
from npcompile.frontend.ops.table import Op

_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


# -- one axis ------------------------------------------------------------------------------------------------


def _swapped(norm: Any) -> str:
    """Return the norm of the opposite direction. Raises NumPy's ValueError for an unknown one."""
    try:
        return _OTHER_WAY[norm]
    except KeyError:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".') from None


def _factor(n: int, norm: Any, real: np.dtype[Any]) -> Any:
    """Return the factor of the result as a number of the input's precision (float16 rounds coarsely)."""
    with np.errstate(all="ignore"):
        if norm is None or norm == "backward":
            return None
        if norm == "ortho":
            return np.reciprocal(np.sqrt(n, dtype=real))
        if norm == "forward":
            return np.reciprocal(n, dtype=real)
    raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def _resized(a: Tensor, axis: int, count: int) -> Tensor:
    """Return the array with the axis cut, or filled with zeros, to that length."""
    if a.shape[axis] >= count:
        return a.narrow(axis, 0, count)
    shape = list(a.shape)
    shape[axis] = count - a.shape[axis]
    return torch.cat([a, a.new_zeros(shape)], axis)


def _transform(a: Tensor, n: Any, axis: Any, norm: Any, forward: bool, real: bool) -> Tensor:
    """Do NumPy's `_raw_fft`. real: transform real data, forward, or back to real data."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    norm = norm if forward else _swapped(norm)
    own = np.result_type(dtype_of(a).type(0).real.dtype, 1.0)
    factor = _factor(n, norm, own)
    axis = normalize_axis_index(operator.index(axis), a.dim())
    n = as_whole(n)
    single = own.itemsize < 8
    if real and forward:
        if a.is_complex():  # raises the UFuncTypeError of this call
            np.fft.rfft(np.zeros(n, np.complex64))
        ready = a.to(torch.float32 if single else torch.float64)
        length, count, answer = n, n // 2 + 1, (torch.complex64 if single else torch.complex128)
    else:
        ready = a.to(torch.complex64 if single else torch.complex128)
        length, count = (n // 2 + 1, n) if real else (n, n)
        answer = (torch.float32 if single else torch.float64) if real else ready.dtype
    ready = _resized(ready, axis, length)
    if ready.numel() == 0:
        shape = list(ready.shape)
        shape[axis] = count
        empty = ready.new_zeros(shape, dtype=answer)
        return cast(empty, own) if real and not forward else empty
    ready = ready.movedim(axis, -1).contiguous()  # the digits do not depend on how the operand lies in memory
    if not real:
        result = torch.fft.fft(ready) if forward else torch.fft.ifft(ready, norm="forward")
    elif forward:
        result = torch.fft.rfft(ready)
    else:
        result = torch.fft.irfft(_conjugate_even(ready, n), n, norm="forward")
    result = _in_memory_order_of(a, result.movedim(-1, axis))
    if factor is not None:
        result = result * torch.full((), float(factor), dtype=_real(answer), device=a.device)
    return cast(result, own) if real and not forward else result


def _in_memory_order_of(a: Tensor, result: Tensor) -> Tensor:
    """Return an answer with its axes in memory in the order of the operand's: NumPy makes it by
    `empty_like`."""
    strides = a.stride()
    if not all(type(stride) is int for stride in strides):
        return result
    order = sorted(range(a.dim()), key=lambda axis: -strides[axis])
    return result.permute(order).contiguous().permute([order.index(axis) for axis in range(a.dim())])


def _real(dtype: torch.dtype) -> torch.dtype:
    return {torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, dtype)


def _conjugate_even(a: Tensor, n: int) -> Tensor:
    """Return half a spectrum without the imaginary parts that real data cannot have: NumPy drops them."""
    places = torch.arange(a.shape[-1], device=a.device)
    alone = places == 0 if n % 2 else (places == 0) | (places == n // 2)
    zero = torch.zeros((), dtype=a.imag.dtype, device=a.device)
    return torch.complex(a.real, torch.where(alone, zero, a.imag))


def _length(a: Tensor, n: Any, axis: Any) -> Any:
    """Return `n`, by default the length of the axis. Raises IndexError, as NumPy does here, for no such
    axis."""
    return tuple(a.shape)[axis] if n is None else n


def _half_length(a: Tensor, n: Any, axis: Any) -> Any:
    return (tuple(a.shape)[axis] - 1) * 2 if n is None else n


def _result_dtype(a: Any, real: bool) -> np.dtype[Any]:
    """Return the dtype of a transform of `a`, or of one to real data."""
    own = np.asarray(a).dtype
    return np.result_type(own.type(0).real.dtype, 1.0) if real else np.result_type(own, 1j)


def _out_limits(real: bool = False) -> Callable[..., Reason | None]:
    """Return a `limits`: NumPy computes in the precision of a wider `out=`. real: the answer is real data."""

    def limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        if (out := kwargs.get("out")) is None:
            return None
        own = _result_dtype(args[0], real)
        wider = out.dtype != own and np.can_cast(own, out.dtype)
        return Cause.OUT_PRECISION() if wider else None

    return limits


@op(np.fft.fft, scalar=False, library=True, limits=_out_limits())
def fft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    return _transform(a, _length(a, n, axis), axis, norm, forward=True, real=False)


@op(np.fft.ifft, scalar=False, library=True, limits=_out_limits())
def ifft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    return _transform(a, _length(a, n, axis), axis, norm, forward=False, real=False)


@op(np.fft.rfft, scalar=False, library=True, limits=_out_limits())
def rfft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    return _transform(a, _length(a, n, axis), axis, norm, forward=True, real=True)


@op(np.fft.irfft, scalar=False, library=True, limits=_out_limits(real=True))
def irfft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    return _transform(a, _half_length(a, n, axis), axis, norm, forward=False, real=True)


def _ignores_out(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Accept any `out=`, as a `limits`: NumPy accepts it and leaves it alone."""
    return Cause.OUT_IGNORED() if kwargs.get("out") is not None else None


@op(np.fft.hfft, scalar=False, library=True, limits=_ignores_out)
def hfft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    n = _half_length(a, n, axis)
    flipped = a.conj().resolve_conj() if a.is_complex() else a
    return _transform(flipped, n, axis, _swapped(norm), forward=False, real=True)


@op(np.fft.ihfft, scalar=False, library=True, limits=_out_limits())
def ihfft(a: Tensor, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None) -> Tensor:
    made = _transform(a, _length(a, n, axis), axis, _swapped(norm), forward=True, real=True)
    return made.conj().resolve_conj()


# -- several axes --------------------------------------------------------------------------------------------


def _axes_limits(default: Any, ignores_out: bool = False, real: bool = False) -> Callable[..., Reason | None]:
    """Return a `limits`: calls that NumPy warns of, and those that transform nothing, are NumPy's.

    default: that of `axes`; real: the transform returns real data.
    """

    def limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        s = args[1] if len(args) > 1 else kwargs.get("s")
        axes = args[2] if len(args) > 2 else kwargs.get("axes", default)
        out = kwargs.get("out")
        if out is not None and (ignores_out or out.dtype != _result_dtype(args[0], real)):
            return Cause.OUT_IGNORED_OR_COMPUTED()
        if s is not None and (axes is None or any(item is None for item in s)):
            return Cause.FFT_SIZES()
        if np.ndim(args[0]) == 0 if axes is None else len(axes) == 0:
            return Cause.NO_AXES()
        if s is None and axes is not None and any(isinstance(item, (np.ndarray, list)) for item in axes):
            return Cause.AXES_NO_NUMBERS()
        return None

    return limits


def _lengths_and_axes(a: Tensor, s: Any, axes: Any, half: bool = False) -> tuple[list[int], list[int]]:
    """Return lengths and axes as NumPy's `_cook_nd_args` does. half: the last axis holds half a spectrum."""
    shape = tuple(a.shape)
    places = list(range(-len(shape), 0)) if axes is None else [operator.index(item) for item in axes]
    if s is None:
        lengths = [shape[place] for place in places]
        if half:
            lengths[-1] = (shape[places[-1]] - 1) * 2
    else:
        lengths = [as_whole(item) for item in s]
    if len(lengths) != len(places):
        raise ValueError("Shape and axes have different lengths.")
    return [shape[at] if n == -1 else n for n, at in zip(lengths, places, strict=True)], places


def _transform_axes(
    a: Tensor, lengths: Sequence[int], axes: Sequence[int], norm: Any, forward: bool
) -> Tensor:
    """Do complex transforms along axes, the last one first."""
    for n, axis in reversed(list(zip(lengths, axes, strict=True))):
        a = _transform(a, n, axis, norm, forward, real=False)
    return a


def _real_forward(a: Tensor, s: Any, axes: Any, norm: Any) -> Tensor:
    lengths, places = _lengths_and_axes(a, s, axes)
    half = _transform(a, lengths[-1], places[-1], norm, forward=True, real=True)
    return _transform_axes(half, lengths[:-1], places[:-1], norm, forward=True)


def _real_back(a: Tensor, s: Any, axes: Any, norm: Any) -> Tensor:
    lengths, places = _lengths_and_axes(a, s, axes, half=True)
    for n, axis in zip(lengths[:-1], places[:-1], strict=True):
        a = _transform(a, n, axis, norm, forward=False, real=False)
    return _transform(a, lengths[-1], places[-1], norm, forward=False, real=True)


@op(np.fft.fftn, scalar=False, library=True, limits=_axes_limits(None))
def fftn(a: Tensor, s: Any = None, axes: Any = None, norm: Any = None, out: None = None) -> Tensor:
    return _transform_axes(a, *_lengths_and_axes(a, s, axes), norm, forward=True)


@op(np.fft.ifftn, scalar=False, library=True, limits=_axes_limits(None))
def ifftn(a: Tensor, s: Any = None, axes: Any = None, norm: Any = None, out: None = None) -> Tensor:
    return _transform_axes(a, *_lengths_and_axes(a, s, axes), norm, forward=False)


@op(np.fft.fft2, scalar=False, library=True, limits=_axes_limits((-2, -1)))
def fft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: None = None) -> Tensor:
    return _transform_axes(a, *_lengths_and_axes(a, s, axes), norm, forward=True)


@op(np.fft.ifft2, scalar=False, library=True, limits=_axes_limits((-2, -1), ignores_out=True))
def ifft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: None = None) -> Tensor:
    return _transform_axes(a, *_lengths_and_axes(a, s, axes), norm, forward=False)


@op(np.fft.rfftn, scalar=False, library=True, limits=_axes_limits(None))
def rfftn(a: Tensor, s: Any = None, axes: Any = None, norm: Any = None, out: None = None) -> Tensor:
    return _real_forward(a, s, axes, norm)


@op(np.fft.rfft2, scalar=False, library=True, limits=_axes_limits((-2, -1)))
def rfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: None = None) -> Tensor:
    return _real_forward(a, s, axes, norm)


@op(np.fft.irfftn, scalar=False, library=True, limits=_axes_limits(None, real=True))
def irfftn(a: Tensor, s: Any = None, axes: Any = None, norm: Any = None, out: None = None) -> Tensor:
    return _real_back(a, s, axes, norm)


@op(np.fft.irfft2, scalar=False, library=True, limits=_axes_limits((-2, -1), ignores_out=True))
def irfft2(a: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: None = None) -> Tensor:
    return _real_back(a, s, axes, norm)
