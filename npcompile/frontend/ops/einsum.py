"""`np.einsum`: all forms of subscripts that NumPy takes; optimised paths go step by step as NumPy's do."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.contraction import contracted
from npcompile.frontend.ops.rules import as_dtype, cast, device_of, dtype_of, op, strength, tensor
from npcompile.frontend.ops.table import TORCH, Op, Unsupported
from npcompile.nep50 import promote

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DTYPE = np.dtype[Any]
_CASTING = (None, "no", "equiv", "safe", "same_kind", "unsafe")
_INT64 = np.dtype(np.int64)


# -- subscripts ----------------------------------------------------------------------------------------------


class Sum(NamedTuple):
    """Subscripts without an ellipsis: a tuple of labels for each operand, and those of the result.

    Labels are letters; the axes of an ellipsis are negative integers, counted from the last one.
    """

    terms: tuple[tuple[Any, ...], ...]
    result: tuple[Any, ...]


def _subscripts_of(labels: Any) -> str:
    """Return a list of labels, from einsum's alternative form, as subscripts."""
    parts = []
    for label in labels:
        if label is Ellipsis:
            parts.append("...")
            continue
        try:
            place = operator.index(label)
        except TypeError:
            raise TypeError("each subscript must be either an integer or an ellipsis") from None
        if not 0 <= place < len(_LETTERS):
            raise ValueError("subscript is not within the valid range [0, 52)")
        parts.append(_LETTERS[place])
    return "".join(parts)


def subscripts_and_operands(args: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return the subscripts as text, and the operands, of either form of einsum's arguments."""
    if not args:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(args[0], str):
        return args[0].replace(" ", ""), list(args[1:])
    if len(args) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    count = len(args) // 2
    text = ",".join(_subscripts_of(args[2 * at + 1]) for at in range(count))
    if len(args) % 2:
        text += "->" + _subscripts_of(args[-1])
    return text, [args[2 * at] for at in range(count)]


def _parts(term: str, output: bool) -> tuple[str, str, str]:
    """Return the labels before an ellipsis, the ellipsis, and the labels after it."""
    before, dots, after = term.partition("...")
    if "." in before or "." in after:
        raise ValueError(
            "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in "
            + ("the output" if output else "operand")
        )
    for letter in before + after:
        if letter not in _LETTERS:
            raise ValueError(
                f"invalid subscript '{letter}' in einstein sum subscripts string, subscripts must be letters"
            )
    return before, dots, after


def _labels(term: str, ndim: int, at: int) -> tuple[Any, ...]:
    """Return a term's labels, with its ellipsis spread over the axes that are left."""
    before, dots, after = _parts(term, False)
    named = len(before) + len(after)
    if named > ndim:
        raise ValueError(f"einstein sum subscripts string contains too many subscripts for operand {at}")
    if named < ndim and not dots:
        raise ValueError(
            "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
            "provided to broadcast the extra dimensions."
        )
    return (*before, *range(named - ndim, 0), *after)


def parsed(text: str, dims: Sequence[int]) -> Sum:
    """Return the labels of subscripts for operands of these numbers of dimensions. Raises NumPy's
    ValueErrors."""
    inputs, arrow, output = text.partition("->")
    names = inputs.split(",")
    if len(names) != len(dims):  # NumPy names them the wrong way round
        more = "more" if len(names) > len(dims) else "fewer"
        raise ValueError(
            f"{more} operands provided to einstein sum function than specified in the subscripts string"
        )
    if not arrow and ("-" in inputs or ">" in inputs):
        raise ValueError("einstein sum subscript string does not contain proper '->' output specified")
    terms = tuple(_labels(name, ndim, at) for at, (name, ndim) in enumerate(zip(names, dims, strict=True)))
    every = [label for term in terms for label in term]
    spread = sorted({label for label in every if isinstance(label, int)})
    if not arrow:
        once = sorted(label for label in every if isinstance(label, str) and every.count(label) == 1)
        return Sum(terms, (*spread, *once))
    before, dots, after = _parts(output, True)
    for letter in before + after:
        if (before + after).count(letter) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript '{letter}' multiple times"
            )
        if letter not in every:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{letter}' which never appeared "
                "in an input"
            )
    if spread and not dots:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
            "provided to broadcast the extra dimensions."
        )
    return Sum(terms, (*before, *(spread if dots else ()), *after))


# -- one contraction -----------------------------------------------------------------------------------------


def _diagonals(operand: Tensor, term: tuple[Any, ...], at: int) -> tuple[Tensor, tuple[Any, ...]]:
    """Return the operand with each label on one axis: repeated ones stand for a diagonal."""
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            sizes = operand.shape[first], operand.shape[second]
            if sizes[0] != sizes[1]:
                raise ValueError(
                    f"dimensions in operand {at} for collapsing index '{label}' don't match "
                    f"({sizes[0]} != {sizes[1]})"
                )
            operand = operand.diagonal(0, first, second).movedim(-1, first)
            term = tuple(item for place, item in enumerate(term) if place != second)
    return operand, term


def _sizes(operands: Sequence[Tensor], terms: Sequence[tuple[Any, ...]]) -> dict[Any, int]:
    """Return the length of each label. Axes of length 1 are broadcast. Raises ValueError where lengths
    differ."""
    sizes: dict[Any, int] = {}
    for operand, term in zip(operands, terms, strict=True):
        for label, size in zip(term, operand.shape, strict=True):
            if sizes.get(label, 1) == 1:
                sizes[label] = size
            elif size not in (1, sizes[label]):
                raise ValueError("operands could not be broadcast together with remapped shapes")
    return sizes


def _summed(operands: Sequence[Tensor], terms: Sequence[tuple[Any, ...]], result: tuple[Any, ...]) -> Tensor:
    """Return the sum of products of operands of one dtype, with no label repeated in a term."""
    sizes = _sizes(operands, terms)
    if len(sizes) > len(_LETTERS):
        raise Unsupported(Cause.EINSUM_LABELS(len(_LETTERS)))
    letters = dict(zip(sizes, _LETTERS, strict=False))
    ready, names = [], []
    alone = {label for label in sizes if all(operand.shape[term.index(label)] == 1 for operand, term in
             zip(operands, terms, strict=True) if label in term)}  # fmt: skip
    for operand, term in zip(operands, terms, strict=True):
        # An axis of length 1 beside a longer one is broadcast and left out.
        dropped = [place for place, label in enumerate(term)
                   if operand.shape[place] == 1 and label not in alone]  # fmt: skip
        kept = [label for place, label in enumerate(term) if place not in dropped]
        ready.append(operand.reshape([sizes[label] for label in kept]) if dropped else operand)
        names.append("".join(letters[label] for label in kept))
    text = ",".join(names) + "->" + "".join(letters[label] for label in result)
    return torch.einsum(text, *ready)


def _common(operands: Sequence[Tensor], dtype: _DTYPE | None, casting: str) -> tuple[list[Tensor], _DTYPE]:
    """Return the operands in the dtype that NumPy computes in. Raises its TypeError where `casting` forbids
    that."""
    target = promote.result_type(*map(strength, operands)) if dtype is None else dtype
    for at, item in enumerate(operands):
        own = dtype_of(item)
        if not promote.can_cast(own, target, casting):
            raise TypeError(
                f"Iterator operand {at} dtype could not be cast from {own!r} to {target!r} according to the "
                f"rule '{casting}'"
            )
    return [as_dtype(item, target) for item in operands], target


def _summed_as_numpy(
    operands: Sequence[Tensor], terms: Sequence[tuple[Any, ...]], result: tuple[Any, ...]
) -> Tensor:
    """Return the sum of products, added up as NumPy adds up the operands' dtype."""
    own = dtype_of(operands[0])
    ready = [cast(item, _INT64) for item in operands] if own.kind in "iu" else operands
    return cast(contracted(lambda *items: _summed(items, terms, result), *ready), own)


def _from_zero(total: Tensor) -> Tensor:
    """Return the sum with 0.0 added, as NumPy begins with 0.0: no result is -0.0."""
    return total + 0.0 if total.is_floating_point() or total.is_complex() else total


def _contract(
    text: str, operands: Sequence[Tensor], dtype: _DTYPE | None = None, casting: str = "safe"
) -> Tensor:
    """Do NumPy's `c_einsum`: operands are cast to one dtype, and summed in it. A view keeps its own dtype."""
    terms, result = parsed(text, [item.dim() for item in operands])
    pairs = [_diagonals(item, term, at) for at, (item, term) in enumerate(zip(operands, terms, strict=True))]
    names = [term for _, term in pairs]
    if len(pairs) == 1 and set(names[0]) == set(result):
        return pairs[0][0].permute([names[0].index(label) for label in result])
    _sizes([item for item, _ in pairs], names)
    ready, _ = _common([item for item, _ in pairs], dtype, casting)
    return _from_zero(_summed_as_numpy(ready, names, result))


def _pair(
    text: str, operands: Sequence[Tensor], dtype: _DTYPE | None = None, casting: str = "same_kind"
) -> Tensor:
    """Do NumPy's `bmm_einsum`: labels that only one operand has are summed first, then the two are
    multiplied."""
    terms, result = parsed(text, [item.dim() for item in operands])
    shared = _common_labels(terms, [item.shape for item in operands])
    ready, names = [], []
    for operand, term in zip(operands, terms, strict=True):
        kept = tuple(dict.fromkeys(label for label in term if label in result or label in shared))
        whole = kept == term
        text = f"{''.join(term)}->{''.join(kept)}"
        ready.append(operand if whole else _contract(text, [operand]))
        names.append(kept)
    gufunc = np.matmul if shared - set(result) else np.multiply
    *inputs, _ = promote.resolve(gufunc, tuple(map(strength, ready)), dtype, None, casting)
    ready = [as_dtype(item, each) for item, each in zip(ready, inputs, strict=True)]
    made = _summed_as_numpy(ready, names, result)
    return _from_zero(made) if gufunc is np.matmul else made


def _common_labels(terms: Sequence[Sequence[Any]], shapes: Sequence[Sequence[int]]) -> set[Any]:
    """Return the labels that two operands share, with a length other than 1."""
    one, other = [{label for label, size in zip(term, shape, strict=True) if size != 1}
                  for term, shape in zip(terms, shapes, strict=True)]  # fmt: skip
    return one & other


# -- several -------------------------------------------------------------------------------------------------


def _zero_strided(item: Any) -> Any:
    """Return an array of an operand's shape that takes no memory, to ask NumPy for the order of
    contractions."""
    shape = tuple(item.shape) if isinstance(item, Tensor) else np.shape(item)
    return np.broadcast_to(np.empty((), np.int8), shape)


def _steps(text: str, operands: Sequence[Any], optimize: Any) -> list[tuple[Any, ...]]:
    """Return NumPy's contractions in their order: the places of the operands, BLAS's part, subscripts.

    Until 2.3, NumPy gives five parts and has a BLAS multiply where `tensordot` can: the labels that it sums
    over then stand second, and None in the other steps. From 2.4 on there are three parts, and pairs are
    multiplied by `_pair`: the second part says if the step is a pair.
    """
    path = _PATH(text, *map(_zero_strided, operands), optimize=optimize, einsum_call=True)
    if not _BLAS_BY_PATH:
        return [(step[0], len(step[0]) == 2, step[1]) for step in path[1]]
    return [(step[0], step[1] if step[4] else None, step[2]) for step in path[1]]


_PATH: Any = np.einsum_path  # its typing knows little of einsum_call
_BLAS_BY_PATH = len(_PATH("i", np.ones(1), einsum_call=True)[1][0]) == 5


def _step(text: str, by_blas: Any, taken: list[Tensor], dtype: _DTYPE | None, casting: str | None) -> Tensor:
    """Do one contraction of a path."""
    if not _BLAS_BY_PATH:
        if by_blas:
            return _pair(text, taken, dtype, casting or "same_kind")
        return _contract(text, taken, dtype, casting or "safe")
    if by_blas is None:
        return _contract(text, taken, dtype, casting or "safe")
    inputs, _, wanted = text.partition("->")
    found = "".join(label for label in inputs if label != "," and label not in by_blas)
    product = _contract(f"{inputs}->{found}", taken)  # `tensordot`, which is told of no dtype
    return (
        product if found == wanted else _contract(f"{found}->{wanted}", [product], dtype, casting or "safe")
    )


def answers_view(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Tell if a call on NumPy arrays has one operand and sums over nothing: NumPy returns a view."""
    try:
        text, operands = subscripts_and_operands(args)
        if len(operands) != 1 or not isinstance(operands[0], np.ndarray):
            return False
        terms, result = parsed(text, [operands[0].ndim])
    except (TypeError, ValueError):
        return False
    return set(terms[0]) <= set(result)


def answers_scalar(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Tell if a 0-d answer is a NumPy scalar: all are, except for a matrix product at the end of a path."""
    optimize = kwargs.get("optimize", False)
    if optimize is False or _BLAS_BY_PATH:
        return optimize is False
    text, operands = subscripts_and_operands(args)
    shapes = [tuple(item.shape) if isinstance(item, Tensor) else np.shape(item) for item in operands]
    for places, _, step in _steps(text, operands, optimize):
        taken = [shapes.pop(place) for place in places]
        inputs, _, output = step.partition("->")
        names = inputs.split(",")
        last = len(taken) != 2 or not _common_labels(names, taken) - set(output)
        sizes: dict[str, int] = {}
        for term, shape in zip(names, taken, strict=True):
            for label, size in zip(term, shape, strict=True):
                sizes[label] = max(size, sizes.get(label, 1)) if 0 not in (size, sizes.get(label)) else 0
        shapes.append(tuple(sizes[label] for label in output))
    return last


def _limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    dtype, out = kwargs.get("dtype"), kwargs.get("out")
    operands = subscripts_and_operands(args)[1]
    try:
        kinds = [np.asarray(item).dtype for item in operands]
    except ValueError:
        return Cause.RAGGED_LIST()
    if any(kind not in TORCH for kind in kinds):
        return Cause.OPERAND_DTYPE()
    own = np.result_type(*kinds) if dtype is None else np.dtype(dtype)
    if str(kwargs.get("order", "K")).upper() not in ("K", "C", "F", "A"):
        return Cause.ORDER_REFUSED()
    if own not in TORCH:
        return Cause.DTYPE(str(own))
    if out is not None and len(operands) == 1 and (own.kind in "fc" or own != kinds[0]):
        return Cause.EINSUM_OUT_OF_ONE()
    if out is not None and out.dtype != own:
        if dtype is None:
            return Cause.OUT_COMPUTED()
        if not np.can_cast(own, out.dtype, kwargs.get("casting", "safe")):
            return Cause.OUT_REFUSED()
    return None


@op(np.einsum, arrays=0, library=True, limits=_limits, views=answers_view, scalars=answers_scalar)
def einsum(
    *operands: Any,
    out: None = None,
    optimize: Any = False,
    dtype: Any = None,
    order: Any = "K",
    casting: str | None = None,
) -> Tensor:
    text, given = subscripts_and_operands(operands)
    device = device_of(given)
    tensors = [tensor(item, device) for item in given]
    fixed = None if dtype is None else np.dtype(dtype)
    if casting not in _CASTING:
        raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value'")
    whole = [item.is_contiguous() for item in tensors]
    turned = [item.permute(tuple(reversed(range(item.dim())))).is_contiguous() for item in tensors]
    order = str(order).upper()
    if order == "A":
        order = "F" if all(turned) and not all(whole) else "C"
    if optimize is False:
        return _laid_out(_contract(text, tensors, fixed, casting or "safe"), order)
    for places, by_blas, step in _steps(text, tensors, optimize):
        tensors.append(_step(step, by_blas, [tensors.pop(place) for place in places], fixed, casting))
    return _laid_out(tensors[0], order)


def _laid_out(result: Tensor, order: str) -> Tensor:
    """Return the result in the memory layout that `order=` asks for; any layout does for "K"."""
    if order == "C":
        return result.contiguous()
    if order == "F":
        axes = list(reversed(range(result.dim())))
        return result.permute(axes).contiguous().permute(axes)
    return result
