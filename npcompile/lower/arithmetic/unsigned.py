"""Unsigned integers of 16, 32 and 64 bits: torch stores them, but computes with few of its operators.

Between `enter` and `leave`, once `needed` was called, torch's operators answer for these dtypes as they do
for uint8: by way of int64, which holds every uint16 and uint32, and a uint64 as the bits of a signed number.
Operators that are not on the lists below raise `UnknownOperator`, whatever torch itself would do:
half-supported dtypes give wrong values.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from npcompile.lower.adapter import TorchDispatchMode
from npcompile.lower.arithmetic import casts

aten = torch.ops.aten
WIDE = frozenset({torch.uint16, torch.uint32, torch.uint64})
_MOST = {torch.uint16: 2**16 - 1, torch.uint32: 2**32 - 1, torch.uint64: 2**64 - 1}
_SIGN = -(2**63)  # the sign bit of an int64: adding it to both sides turns unsigned order into signed order
_MAX = 2**63 - 1

_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}

Handler = Callable[[Any, torch.dtype, tuple[Any, ...], dict[str, Any]], Any]


class UnknownOperator(Exception):
    """An operator that has no handler for these dtypes."""


class _State(threading.local):
    depth = 0
    mode: _Mode | None = None


_state = _State()


def enter() -> None:
    """Begin a scope. They nest; the outermost ends the mode that `needed` began."""
    _state.depth += 1


def leave() -> None:
    """End a scope."""
    _state.depth -= 1
    if _state.depth == 0 and _state.mode is not None:
        mode, _state.mode = _state.mode, None
        mode.__exit__(None, None, None)


def needed() -> None:
    """Handle tensors of these dtypes from here to the end of the outermost scope."""
    if _state.mode is None and _state.depth:
        _state.mode = _Mode()
        _state.mode.__enter__()


def flipped(tensor: torch.Tensor, axes: tuple[int, ...]) -> torch.Tensor:
    """Return `tensor.flip(axes)`, of these dtypes too, outside of any scope."""
    if tensor.dtype not in WIDE:
        return tensor.flip(axes)
    return tensor.view(_SIGNED[tensor.dtype]).flip(axes).view(tensor.dtype)


class _Mode(TorchDispatchMode):
    """Hands the operators that meet these dtypes to their handlers."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        dtype = _dtype(args, kwargs)
        if dtype is None:
            return func(*args, **kwargs)
        handler = _HANDLERS.get(func.overloadpacket)
        if handler is None:
            raise UnknownOperator(f"{func} of {dtype}")
        return handler(func, dtype, args, kwargs)


def _dtype(args: Any, kwargs: Any) -> torch.dtype | None:
    """Return the unsigned dtype that a call is about: of an operand with axes, else of any, else as asked."""
    found = None
    for item in (*args, *kwargs.values()):
        for one in item if isinstance(item, (list, tuple)) else (item,):
            if isinstance(one, torch.Tensor) and one.dtype in WIDE:
                if one.dim():
                    return one.dtype
                found = found or one.dtype
    asked = kwargs.get("dtype")
    return found or (asked if asked in WIDE else None)


def _bits(value: Any) -> Any:
    """Return an operand as int64; Python integers modulo 2**64."""
    if isinstance(value, torch.Tensor):
        return value.to(torch.int64) if value.dtype in WIDE else value
    if type(value) is int:
        return (value + 2**63) % 2**64 - 2**63
    if isinstance(value, float):
        raise UnknownOperator("a float beside unsigned integers")
    return value


def _all_bits(args: Any) -> Any:
    """Return the operands as int64, lists of them included."""
    return tuple(
        type(item)(_bits(one) if isinstance(one, torch.Tensor) else one for one in item)
        if isinstance(item, (list, tuple))
        else _bits(item)
        for item in args
    )


def _from_bits(result: Any, dtype: torch.dtype) -> Any:
    """Return int64 results as that dtype; others (bools) unchanged."""
    if isinstance(result, (tuple, list)):
        return type(result)(_from_bits(item, dtype) for item in result)
    return result.to(dtype) if result.dtype == torch.int64 else result


def _unchanged(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call torch's own operator, which looks at no element."""
    return func(*args, **kwargs)


def _on_bits(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call an operator with equal bits for signed and unsigned numbers: moving, wrapping arithmetic,
    equality."""
    asked = kwargs.get("dtype")
    if asked in WIDE:
        dtype, kwargs = asked, {**kwargs, "dtype": torch.int64}
    elif asked is not None and asked != torch.int64 and asked != torch.bool:
        raise UnknownOperator(f"{func} of {dtype} in {asked}")
    named = {key: _bits(item) if isinstance(item, torch.Tensor) else item for key, item in kwargs.items()}
    result = func(*_all_bits(args), **named)
    if asked is not None and asked not in WIDE:
        return result
    return _from_bits(result, dtype)


def _in_place(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call `index_put_` and the like on int64, then copy into the target."""
    target = args[0]
    result = func(_bits(target), *_all_bits(args[1:]), **kwargs)
    return target.copy_(result.to(target.dtype))


def _ordered_bits(value: Any, dtype: torch.dtype) -> Any:
    """Return an operand as int64 numbers in the order of the unsigned ones."""
    bits = _bits(value)
    if dtype != torch.uint64 or bits is None or isinstance(bits, bool):
        return bits
    if isinstance(bits, torch.Tensor):
        return bits ^ _SIGN
    return bits + 2**63 if bits < 0 else bits - 2**63


def _from_ordered_bits(dtype: torch.dtype) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the inverse of `_ordered_bits`."""
    return lambda found: (found ^ _SIGN if dtype == torch.uint64 else found).to(dtype)


def _comparison(below: bool, above: bool) -> Handler:
    """Return the handler of a comparison.

    below, above: its result where the other operand is negative, or larger than all.
    """

    def handler(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
        one, other = args
        if not isinstance(other, torch.Tensor) and not 0 <= other <= _MOST[dtype]:
            return torch.full_like(one, below if other < 0 else above, dtype=torch.bool)
        result = func(_ordered_bits(one, dtype), _ordered_bits(other, dtype))
        for signed, negative in ((one, above), (other, below)):
            if isinstance(signed, torch.Tensor) and signed.dtype not in WIDE:
                result = torch.where(signed < 0, negative, result)
        return result

    return handler


def _extreme(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call maximum, amax, clamp, ...: the first result is an element, others are positions."""
    if func.overloadpacket is aten.clamp:
        most = _MOST[dtype]
        args = tuple(min(max(item, 0), most) if type(item) is int else item for item in args)
        kwargs = {key: min(max(item, 0), most) if type(item) is int else item for key, item in kwargs.items()}
        kwargs = {key: _ordered_bits(item, dtype) for key, item in kwargs.items()}
        return _from_ordered_bits(dtype)(func(*[_ordered_bits(item, dtype) for item in args], **kwargs))
    result = func(
        *[_ordered_bits(item, dtype) if isinstance(item, torch.Tensor) else item for item in args], **kwargs
    )
    if isinstance(result, torch.Tensor):
        return _from_ordered_bits(dtype)(result)
    return _from_ordered_bits(dtype)(result[0]), *result[1:]


def _position(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call argmax, searchsorted, ...: the results are positions."""
    return func(
        *[_ordered_bits(item, dtype) if isinstance(item, torch.Tensor) else item for item in args], **kwargs
    )


def _sort(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    values, places = func(_ordered_bits(args[0], dtype), *args[1:], **kwargs)
    return _from_ordered_bits(dtype)(values), places


def _quotient(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return the unsigned quotient of the bits of 64-bit numbers; no divisor may be 0.

    Source: Hacker's Delight, 9-3. By divisors below 2**63 half the dividend is divided, and the quotient
    corrected; by larger ones the quotient is 0 or 1.
    """
    large = other < 0
    safe = torch.where(large, 1, other)
    halves = torch.div((one >> 1) & _MAX, safe, rounding_mode="trunc") << 1
    rest = one - halves * safe
    small = halves + ((rest ^ _SIGN) >= (safe ^ _SIGN)).to(torch.int64)
    return torch.where(large, ((one ^ _SIGN) >= (other ^ _SIGN)).to(torch.int64), small)


def _operands(dtype: torch.dtype, args: Any) -> tuple[torch.Tensor, torch.Tensor]:
    one, other = map(_bits, args[:2])
    like = one if isinstance(one, torch.Tensor) else other
    ready = [item if isinstance(item, torch.Tensor) else torch.full_like(like, item) for item in (one, other)]
    return ready[0], ready[1]


def _divide(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    if kwargs.get("rounding_mode") is None and func.overloadpacket is not aten.floor_divide:
        raise UnknownOperator(f"{func} of {dtype}")
    one, other = _operands(dtype, args)
    if dtype == torch.uint64:
        return _quotient(one, other).to(dtype)
    return torch.div(one, other, rounding_mode="floor").to(dtype)


def _remainder(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    one, other = _operands(dtype, args)
    if dtype == torch.uint64:
        return (one - _quotient(one, other) * other).to(dtype)
    return torch.remainder(one, other).to(dtype)


def _right_shift(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    one, by = _operands(dtype, args)
    if dtype == torch.uint64:  # without the sign bit first, then all the rest
        left = torch.where(by == 0, by, by - 1)
        return torch.where(by == 0, one, ((one >> 1) & _MAX) >> left).to(dtype)
    return (one >> by).to(dtype)


def _power(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    one, exponent = _operands(dtype, args)
    result = torch.pow(one, exponent & _MAX)
    if dtype == torch.uint64:  # to the 2**63: 0 of even numbers, 1 of odd ones
        result = torch.where((exponent < 0) & ((one & 1) == 0), 0, result)
    return result.to(dtype)


def _gcd_of_bits(one: torch.Tensor, other: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the gcd of bits: two steps of Euclid's leave numbers that an int64 holds, or 0 and the
    answer."""
    if dtype != torch.uint64:
        return torch.gcd(one, other)
    for _ in range(2):
        larger = (one ^ _SIGN) >= (other ^ _SIGN)
        one, other = torch.where(larger, one, other), torch.where(larger, other, one)
        safe = torch.where(other == 0, 1, other)
        one = torch.where(other == 0, one, one - _quotient(one, safe) * safe)
    done = (one == 0) | (other == 0)
    both = torch.gcd(torch.where(done, 1, one), torch.where(done, 1, other))
    return torch.where(done, one | other, both)


def _gcd(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    one, other = _operands(dtype, args)
    return _gcd_of_bits(one, other, dtype).to(dtype)


def _lcm(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    one, other = _operands(dtype, args)
    divisor = _gcd_of_bits(one, other, dtype)
    safe = torch.where(divisor == 0, 1, divisor)
    return (_quotient(one, safe) * other).to(dtype)


def _copy(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    return args[0].clone()


def _sign(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    return (args[0] != 0).to(dtype)


def _cast(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Cast to or from these dtypes."""
    target = kwargs.get("dtype")
    if target is None or target == args[0].dtype:
        return func(*args, **kwargs)
    return func(casts.prepared_for_cast(args[0], target), **kwargs)


def _creation(func: Any, dtype: torch.dtype, args: Any, kwargs: Any) -> Any:
    """Call full, arange, zeros, ones and their likes as int64, then cast."""
    if any(isinstance(item, float) for item in args):
        raise UnknownOperator(f"{func} of {dtype} with floats")
    target = kwargs.get("dtype") or args[0].dtype
    if target not in WIDE:
        return func(*args, **kwargs)
    return func(*map(_bits, args), **{**kwargs, "dtype": torch.int64}).to(target)


_HANDLERS: dict[Any, Handler] = {
    **dict.fromkeys(
        [
            *(aten.view, aten._unsafe_view, aten._reshape_alias, aten.reshape, aten.expand, aten.permute),
            *(aten.select, aten.slice, aten.unsqueeze, aten.squeeze, aten.t, aten.transpose, aten.unbind),
            *(aten.split, aten.split_with_sizes, aten.narrow, aten.as_strided, aten.alias, aten.detach),
            *(
                aten.clone,
                aten.copy_,
                aten.diagonal,
                aten.empty,
                aten.empty_like,
                aten.new_empty,
                aten.unfold,
            ),
            *(
                aten.empty_strided,
                aten.new_empty_strided,
                aten.lift_fresh,
                aten.lift_fresh_copy,
                aten.movedim,
            ),
            *(aten.set_, aten.is_same_size, aten._local_scalar_dense),
            *(aten.sym_size, aten.sym_stride, aten.sym_storage_offset, aten.sym_numel, aten.size),
            *(
                aten.stride,
                aten.is_contiguous,
                aten.numel,
                aten.dim,
                torch.ops.prim.device,
                torch.ops.prim.layout,
            ),
        ],
        _unchanged,
    ),
    aten._to_copy: _cast,
    **dict.fromkeys(
        [
            *(aten.add, aten.sub, aten.rsub, aten.mul, aten.neg, aten.bitwise_and, aten.bitwise_or),
            *(aten.bitwise_xor, aten.bitwise_not, aten.__lshift__, aten.bitwise_left_shift, aten.where),
            *(aten.logical_and, aten.logical_or, aten.logical_xor, aten.logical_not, aten.any, aten.all),
            *(aten.sum, aten.prod, aten.cumsum, aten.cumprod, aten.index, aten.index_select, aten.gather),
            *(aten.flip, aten.roll, aten.index_put, aten.index_add, aten.scatter, aten.cat, aten.stack),
            *(aten.repeat, aten.constant_pad_nd, aten.diag_embed, aten.mm, aten.bmm, aten.mv, aten.dot),
            *(
                aten.masked_fill,
                aten.repeat_interleave,
                aten.tril,
                aten.triu,
                aten.masked_select,
                aten.nonzero,
            ),
            *(aten.square, aten.isnan, aten.isinf, aten.isfinite, aten.take),
        ],
        _on_bits,
    ),
    **dict.fromkeys([aten.index_put_, aten.fill_, aten.zero_], _in_place),
    aten.eq: _comparison(False, False),
    aten.ne: _comparison(True, True),
    aten.lt: _comparison(False, True),
    aten.le: _comparison(False, True),
    aten.gt: _comparison(True, False),
    aten.ge: _comparison(True, False),
    **dict.fromkeys(
        [
            *(aten.maximum, aten.minimum, aten.fmax, aten.fmin, aten.amax, aten.amin, aten.max, aten.min),
            *(aten.cummax, aten.cummin, aten.clamp, aten.kthvalue, aten.median, aten.topk),
        ],
        _extreme,
    ),
    **dict.fromkeys([aten.argmax, aten.argmin, aten.searchsorted, aten.bucketize, aten.argsort], _position),
    aten.sort: _sort,
    aten.div: _divide,
    aten.floor_divide: _divide,
    aten.remainder: _remainder,
    aten.fmod: _remainder,
    aten.__rshift__: _right_shift,
    aten.bitwise_right_shift: _right_shift,
    aten.pow: _power,
    aten.gcd: _gcd,
    aten.lcm: _lcm,
    **dict.fromkeys([aten.abs, aten.floor, aten.ceil, aten.trunc, aten.round, aten.conj_physical], _copy),
    aten.sign: _sign,
    **dict.fromkeys(
        [
            *(aten.full, aten.full_like, aten.arange, aten.zeros, aten.ones, aten.zeros_like, aten.ones_like),
            *(aten.new_zeros, aten.new_ones, aten.new_full, aten.scalar_tensor, aten.eye),
        ],
        _creation,
    ),
}
