"""Lowers torch operators on complex numbers to operators on their real and imaginary parts.

`service/compile.py` traces a segment under a `Lowering`, which looks each operator up in `HANDLERS`. The
arithmetic itself is in `arithmetic/complex_math.py`. An operator that has no handler raises
`UnknownOperator`; the segment is then compiled with torch's own operators for complex tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from npcompile.lower.adapter import TorchDispatchMode
from npcompile.lower.arithmetic import complex_math as mathematics
from npcompile.lower.arithmetic.complex_math import Fma, Pair
from npcompile.lower.codegen.complexes import (
    COMPLEX_OF,
    PARTS,
    Alternating,
    Complex,
    complex_of,
    from_pair,
    in_axis_order,
)
from npcompile.lower.codegen.outputs import Orders
from npcompile.lower.plan.graph import evaluate
from npcompile.lower.plan.values import Value

aten = torch.ops.aten
Handler = Callable[["Lowering", Any, tuple[Any, ...], dict[str, Any]], Any]


class UnknownOperator(Exception):
    """An operator that has no lowering to real and imaginary parts."""


class Lowering(TorchDispatchMode):
    """A dispatch mode that runs torch operators on the parts of complex tensors.

    `saw_complex` says if there have been any complex tensors.
    """

    def __init__(self, fma: Fma) -> None:
        super().__init__()
        self.fma = fma
        self.saw_complex = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        packet = func.overloadpacket
        items = list(_flat((*args, *kwargs.values())))
        if any(isinstance(item, torch.Tensor) and item.dtype in PARTS for item in items):
            handler = HANDLERS.get(packet)
        elif any(isinstance(item, Alternating) for item in items):
            handler = ALTERNATING.get(packet, _on_parts)
        elif packet in COMPLEX_FROM_REAL or any(
            type(item) is complex or item is torch.complex64 for item in items
        ):
            handler = HANDLERS.get(packet)
        elif any(item is torch.complex128 for item in items):
            handler = HANDLERS.get(packet)
        else:
            return func(*args, **kwargs)
        self.saw_complex = True
        if handler is None or (func._schema.is_mutable and packet is not aten.copy_):
            raise UnknownOperator(f"{func} of complex numbers")
        return handler(self, func, args, kwargs)

    def evaluate(
        self, rows: list[tuple[Any, ...]], inputs: Sequence[torch.Tensor], orders: Orders | None = None
    ) -> list[torch.Tensor]:
        """Return what a segment answers to real inputs, as real outputs laid out in these orders of their
        axes.

        rows: the segment's own, with complex values. Without orders the outputs are laid out as its body
        leaves them.
        """
        given = iter(inputs)
        with self:
            values: list[torch.Tensor] = []
            for row in rows:
                if row[0] == "in":
                    is_complex = complex_of(Value(*row[1])) is not None
                    values.append(Complex(next(given), next(given), True) if is_complex else next(given))
                    self.saw_complex |= is_complex
            results = [_in_memory(result) for result in evaluate(rows, *values)]
            if orders is None:
                return results
            return [in_axis_order(result, order) for result, order in zip(results, orders, strict=True)]


def _flat(items: Any) -> Iterator[Any]:
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        else:
            yield item


def _pair(value: Any, dtype: torch.dtype | None = None, device: torch.device | None = None) -> Pair:
    """Return the parts of a complex tensor, cast to `dtype` if one is given.

    The imaginary part of a real tensor is zeros. device: where the parts of a number are made.
    """
    if isinstance(value, Complex):
        pair = Pair(value.re, value.im)
    elif isinstance(value, torch.Tensor) and value.dtype in PARTS:
        pair = _constant(value)
    elif isinstance(value, torch.Tensor):
        real = value.to(dtype if dtype is not None else torch.float64)
        pair = Pair(real, torch.zeros_like(real))
    else:
        number = complex(value)
        parts = (number.real, number.imag)
        pair = Pair(*(torch.full((), part, dtype=dtype, device=device) for part in parts))
    if dtype is None or pair.re.dtype == dtype:
        return pair
    return Pair(pair.re.to(dtype), pair.im.to(dtype))


def _constant(value: torch.Tensor) -> Pair:
    """Return the parts of a 0-d tensor that the segment's body made from a number."""
    if value.dim():
        raise UnknownOperator("a constant array of complex numbers")
    number = complex(value.item())
    parts = (number.real, number.imag)
    return Pair(*(torch.full((), part, dtype=PARTS[value.dtype], device=value.device) for part in parts))


def _operands(args: tuple[Any, ...]) -> list[Pair]:
    """Return the operands of an arithmetic operator, promoted to one complex dtype."""
    tensors = [item for item in args if isinstance(item, torch.Tensor)]
    complex_dtype = torch.complex64
    shaped = [item for item in tensors if item.dim()] or tensors
    for item in shaped:
        kind = torch.promote_types(item.dtype, torch.complex64)
        complex_dtype = torch.promote_types(complex_dtype, kind)
    device = tensors[0].device if tensors else None
    return [_pair(item, PARTS[complex_dtype], device) for item in args]


# -- operators by kind ---------------------------------------------------------------------------------------


def _on_parts(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operator on the real tensor in which the parts of complex numbers alternate.

    A pointwise operator looks at each element by itself: it runs on the real and on the imaginary parts,
    which stay apart. Any other operator gets the tensor put together in memory.
    """
    tensors = [item for item in _flat((*args, *kwargs.values())) if isinstance(item, torch.Tensor)]
    if torch.Tag.pointwise in func.tags and all(isinstance(t, Alternating) or not t.dim() for t in tensors):
        re = _with_tensors(func, args, kwargs, lambda t: getattr(t, "re", t))
        im = _with_tensors(func, args, kwargs, lambda t: getattr(t, "im", t))
        return Alternating(*torch.broadcast_tensors(re, im))
    return _with_tensors(func, args, kwargs, _in_memory)


def _with_tensors(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], change: Callable[[torch.Tensor], torch.Tensor]
) -> Any:
    def changed(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return change(item)
        return type(item)(map(changed, item)) if isinstance(item, (list, tuple)) else item

    return func(*map(changed, args), **{key: changed(item) for key, item in kwargs.items()})


def _in_memory(tensor: torch.Tensor) -> torch.Tensor:
    return torch.stack([tensor.re, tensor.im], -1) if isinstance(tensor, Alternating) else tensor


def _per_part(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operator that moves elements, or adds them up, on each part."""
    asked = kwargs.get("dtype")
    if (asked is not None and asked not in PARTS) or "value" in kwargs:
        raise UnknownOperator(f"{func} of complex numbers with {kwargs}")
    taken = VALUES.get(func.overloadpacket, (0,))
    values = [item for place in taken for item in _flat((args[place],))]
    complex_dtype = torch.complex64
    for item in values:
        if isinstance(item, torch.Tensor):
            complex_dtype = torch.promote_types(complex_dtype, item.dtype)
    if asked is not None:
        complex_dtype = asked
        kwargs = {**kwargs, "dtype": PARTS[asked]}

    def part(item: Any, place: int) -> Any:
        if isinstance(item, torch.Tensor):
            return _pair(item, PARTS[complex_dtype])[place]
        if isinstance(item, (list, tuple)):
            return type(item)(part(one, place) for one in item)
        return complex(item).imag if place else complex(item).real

    results = []
    for place in (0, 1):
        parts = [part(item, place) if index in taken else item for index, item in enumerate(args)]
        results.append(func(*parts, **kwargs))
    if isinstance(results[0], (list, tuple)):
        return [Complex(re, im) for re, im in zip(*results, strict=True)]
    return Complex(*results)


def _view(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower `view`: to another shape, which a part may need a copy for, or to another dtype."""
    source, to = args[0], args[1]
    if not isinstance(to, torch.dtype):
        return Complex(source.re.reshape(to), source.im.reshape(to))
    if source.dtype == to:
        return Complex(source.re, source.im)
    if to == PARTS.get(source.dtype):
        return torch.stack([source.re, source.im], -1).flatten(-2)
    if to == COMPLEX_OF.get(source.dtype):
        return Complex(*source.unflatten(-1, (-1, 2)).unbind(-1))
    raise UnknownOperator(f"a view of {source.dtype} as {to}")


def _arithmetic(function: Callable[..., Pair]) -> Handler:
    """Return the handler that calls a function of pairs."""

    def handler(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            raise UnknownOperator(f"{func} with {', '.join(kwargs)}")
        return from_pair(function(*_operands(args)))

    return handler


def _fused(function: Callable[..., Any]) -> Handler:
    """Return the handler that calls a function of pairs and of a fused multiply-add."""

    def handler(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            raise UnknownOperator(f"{func} with {', '.join(kwargs)}")
        result = function(*_operands(args), mode.fma)
        return from_pair(result) if isinstance(result, Pair) else result

    return handler


def _sum(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower addition, subtraction and negation, which act on each part alone."""
    if kwargs:
        raise UnknownOperator(f"{func} with {', '.join(kwargs)}")
    pairs = _operands(args)
    return from_pair(Pair(*(func(*(pair[place] for pair in pairs)) for place in (0, 1))))


def _power(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower powers on a device. On the processor C's own have NumPy's digits, which follow the last one of
    the logarithm."""
    if any(isinstance(item, torch.Tensor) and item.device.type == "cpu" and item.dim() for item in args):
        raise UnknownOperator(f"{func} of complex numbers on the processor")
    return _fused(mathematics.power)(mode, func, args, kwargs)


def _comparison(joined: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Handler:
    def handler(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        one, other = _operands(args)
        compare = getattr(aten, func.overloadpacket.__name__)
        return joined(compare(one.re, other.re), compare(one.im, other.im))

    return handler


def _predicate(joined: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Handler:
    """Return the handler of a question that is asked of each part, and the two answers joined."""

    def handler(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        pair = _pair(args[0])
        return joined(func(pair.re), func(pair.im))

    return handler


def _logic(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower a logical operator: a complex number is true unless both parts are 0."""

    def truth(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype not in PARTS:
            return tensor
        pair = _pair(tensor)
        return (pair.re != 0) | (pair.im != 0)

    return _with_tensors(func, args, kwargs, truth)


def _cast(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    source = args[0]
    target = kwargs.get("dtype") or source.dtype
    kwargs = {**kwargs, "dtype": PARTS.get(target, target)}
    if source.dtype not in PARTS:
        real = func(source, **kwargs)
        return Complex(real, torch.zeros_like(real))
    pair = _pair(source)
    if target in PARTS:
        return Complex(func(pair.re, **kwargs), func(pair.im, **kwargs))
    if target == torch.bool:
        return (pair.re != 0) | (pair.im != 0)
    return func(pair.re, **kwargs)


def _creation(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower an operator that makes a tensor of one number or uninitialised, by a dtype or like another
    tensor."""
    like = args[0] if args and isinstance(args[0], torch.Tensor) else None
    target = kwargs.get("dtype") or (torch.complex128 if like is None else like.dtype)
    if like is not None and like.dtype in PARTS:
        args = (_pair(like).re, *args[1:])
    if target not in PARTS:
        return func(*args, **kwargs)
    filling = FILL_VALUE_PLACE.get(func.overloadpacket)  # the place of the number
    parts = []
    for place in (0, 1):
        given = list(args)
        if filling is not None:
            number = complex(given[filling])
            given[filling] = number.imag if place else number.real
        parts.append(func(*given, **{**kwargs, "dtype": PARTS[target]}))
    return Complex(parts[0], parts[1] if filling is not None else torch.zeros_like(parts[1]))


def _from_parts(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return from_pair(Pair(*args))


def _as_real(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return Alternating(*_pair(args[0]))


def _as_complex(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (source,) = args
    if isinstance(source, Alternating):
        return Complex(source.re, source.im)
    return Complex(*source.unbind(-1))


def _select_part(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower `select` and `unbind` of the tensor of alternating parts: along its last axis they give the
    parts."""
    source, dim = args[0], args[1] if len(args) > 1 else kwargs.get("dim", 0)
    if dim not in (-1, source.dim() - 1):
        return _on_parts(mode, func, args, kwargs)
    # Return new tensors: torch sets on each result of a view which tensor it is a view of.
    if func.overloadpacket is aten.unbind:
        return [aten.alias(source.re), aten.alias(source.im)]
    return aten.alias(source.im if args[2] in (1, -1) else source.re)


def _copy(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower `copy_` into an input of the segment, the only write that a segment does."""
    target, source = args[0], args[1]
    if not isinstance(target, Complex):
        return func(target, _pair(source).re, *args[2:], **kwargs)
    if not target.given:
        raise UnknownOperator("a write into a complex value")
    pair = _pair(source, target.re.dtype)
    target.re.copy_(pair.re)
    target.im.copy_(pair.im)
    return target


def _lift(mode: Lowering, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Lower `lift_fresh`: the tensor was made from a number."""
    return Complex(*_pair(args[0]))


def _conjugate(a: Pair) -> Pair:
    return Pair(a.re, -a.im)


def _logarithm(base: float) -> Callable[[Pair, Fma], Pair]:
    def logarithm(a: Pair, fma: Fma) -> Pair:
        natural = mathematics.log(a, fma)
        return Pair(natural.re * base, natural.im * base)

    return logarithm


STRUCTURAL = (
    *(aten._unsafe_view, aten._reshape_alias, aten.reshape, aten.expand, aten.permute, aten.t),
    *(aten.transpose, aten.slice, aten.unsqueeze, aten.squeeze, aten.split, aten.split_with_sizes),
    *(aten.alias, aten.detach, aten.clone, aten.diagonal, aten.unfold, aten.movedim, aten.narrow),
    *(aten.select, aten.unbind, aten.index, aten.index_select, aten.gather, aten.flip, aten.roll),
    *(aten.repeat, aten.diag_embed, aten.tril, aten.triu, aten.take, aten.repeat_interleave),
    *(aten.sum, aten.cumsum, aten.lift_fresh_copy),
)
# Operators that take element values elsewhere than in the first argument: the places of all such arguments.
VALUES: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys((aten.cat, aten.stack), (0,)),
    **dict.fromkeys((aten.select_scatter, aten.slice_scatter), (0, 1)),
    aten.where: (1, 2),
    **dict.fromkeys((aten.masked_fill, aten.index_put, aten.constant_pad_nd), (0, 2)),
    **dict.fromkeys((aten.index_copy, aten.index_add, aten.scatter), (0, 3)),
}
FILL_VALUE_PLACE = {aten.full: 1, aten.full_like: 1, aten.new_full: 2, aten.scalar_tensor: 0}
CREATION = (
    *FILL_VALUE_PLACE,
    *(aten.zeros, aten.ones, aten.zeros_like, aten.ones_like, aten.new_zeros, aten.new_ones, aten.eye),
    *(aten.empty, aten.empty_like, aten.new_empty, aten.empty_strided, aten.new_empty_strided),
)
# Operators that make complex tensors of real ones alone.
COMPLEX_FROM_REAL = frozenset({aten.complex, aten.view_as_complex})
LOG2E, LOG10E = 1.442695040888963407359924681001892137, 0.434294481903251827651128918916605082
HANDLERS: dict[Any, Handler] = {
    **dict.fromkeys((*STRUCTURAL, *VALUES), _per_part),
    **dict.fromkeys(CREATION, _creation),
    **dict.fromkeys((aten.add, aten.sub, aten.rsub, aten.neg), _sum),
    **dict.fromkeys((aten.logical_not, aten.logical_and, aten.logical_or, aten.logical_xor), _logic),
    **dict.fromkeys((aten.any, aten.all), _logic),
    aten.view: _view,
    aten.mul: _fused(mathematics.multiply),
    aten.div: _arithmetic(mathematics.divide),
    aten.abs: _fused(mathematics.absolute),
    aten.exp: _arithmetic(mathematics.exp),
    aten.sqrt: _arithmetic(mathematics.sqrt),
    aten.sinh: _arithmetic(mathematics.sinh),
    aten.cosh: _arithmetic(mathematics.cosh),
    aten.tanh: _arithmetic(mathematics.tanh),
    aten.sin: _arithmetic(mathematics.sin),
    aten.cos: _arithmetic(mathematics.cos),
    aten.tan: _arithmetic(mathematics.tan),
    aten.atan: _arithmetic(mathematics.arctan),
    aten.atanh: _arithmetic(mathematics.arctanh),
    aten.pow: _power,
    aten.log: _fused(mathematics.log),
    aten.log2: _fused(_logarithm(LOG2E)),
    aten.log10: _fused(_logarithm(LOG10E)),
    **dict.fromkeys((aten.conj_physical, aten._conj_physical, aten._conj), _arithmetic(_conjugate)),
    **dict.fromkeys((aten.isnan, aten.isinf), _predicate(torch.logical_or)),
    aten.eq: _comparison(torch.logical_and),
    aten.ne: _comparison(torch.logical_or),
    aten._to_copy: _cast,
    aten.complex: _from_parts,
    aten.view_as_real: _as_real,
    aten.view_as_complex: _as_complex,
    aten.copy_: _copy,
    aten.lift_fresh: _lift,
}
# Handlers of operators on the tensor of alternating parts, where these tell its last axis from other axes.
ALTERNATING: dict[Any, Handler] = {
    aten.view_as_complex: _as_complex,
    **dict.fromkeys((aten.select, aten.unbind), _select_part),
}
