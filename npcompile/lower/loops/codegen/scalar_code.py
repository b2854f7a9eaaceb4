"""Writes the C++ of names, constants, tuples, choices and operations on scalars."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.emitter import OVERFLOW, Emitter, writes
from npcompile.lower.loops.codegen.guess_code import guessing, look_at
from npcompile.lower.loops.codegen.running_extremes import extreme_with_sum
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import INT, Known, Scalar, Unsigned

LEAST, MOST = -(1 << 63), (1 << 63) - 1
_REST = "npl::int_remainder"
_NARROW: dict[type[ast.AST] | None, str] = {
    ast.Add: "npl::narrow_add",
    ast.Sub: "npl::narrow_subtract",
    ast.Mult: "npl::narrow_multiply",
    ast.FloorDiv: "npl::narrow_floor_divide",
    ast.Mod: "npl::narrow_remainder",
    None: "npl::narrow_absolute",
}


@writes(ir.Read)
def _read(emitter: Emitter, node: ir.Read) -> str:
    return emitter.instead.get(node.name) or emitter.variable(node.name, node.type)


@writes(ir.Unused)
def _unused(emitter: Emitter, node: ir.Unused) -> str:
    return f"{c_type(node.type)}{{}}"


@writes(ir.Constant)
def _constant(emitter: Emitter, node: ir.Constant) -> str:
    if isinstance(node.type, Known):
        return "npl::nothing{}"
    if isinstance(node.type, Unsigned):
        return f"{node.type.c_type}({node.value}ull)"
    assert isinstance(node.type, Scalar)
    return literal(node.type, node.value)


def literal(kind: Scalar, value: bool | int | float | complex) -> str:
    """Return the C++ of a number."""
    if isinstance(value, complex) or kind.kind == "c":
        number = complex(value)
        return f"{kind.c_type}{{{_float(number.real)}, {_float(number.imag)}}}"
    if kind.kind == "b":
        return "true" if value else "false"
    if kind.kind == "f":
        text = _float(float(value))
        return text if kind.code == "f8" else f"npl::cast<{kind.c_type}>({text})"
    if value == -(1 << 63):
        return "INT64_MIN"
    return f"{kind.c_type}({int(value)}{'ull' if kind.kind == 'u' else 'll'})"


def _float(value: float) -> str:
    if math.isnan(value):
        return "npl::nan" if math.copysign(1.0, value) > 0 else "-npl::nan"
    if math.isinf(value):
        return "npl::inf" if value > 0 else "-npl::inf"
    return f"({value.hex()})"


_SIZES = (
    "npl::complex_absolute",
    *(f"npl::{name}<npl::complex<double>>" for name in ("absolute", "size_by_ratio", "size_by_fused_ratio")),
)
_COMPARISONS = tuple(
    f"npl::{name}<int64_t>"
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
)
_ORDERS = tuple(f"npl::{name}<double>" for name in ("less", "less_equal", "greater", "greater_equal"))


@writes(ir.Apply)
def _apply(emitter: Emitter, node: ir.Apply) -> str:
    if node.operation.function in _ORDERS:
        for place, operand in enumerate(node.operands):
            if isinstance(operand, ir.Apply) and operand.operation.function in _SIZES:
                return _compared_size(emitter, node, operand, place)
    if (text := extreme_with_sum(emitter, node)) is not None:
        return emitter.hold(node.type, text)
    if (text := _compared_in_few_bits(emitter, node)) is not None:
        return emitter.hold(node.type, text)
    if (loop := guessing(emitter)) is not None and node in loop.guessed:
        return look_at(emitter, loop, _applied(emitter, node))
    return _applied(emitter, node)


def _compared_size(emitter: Emitter, node: ir.Apply, size: ir.Apply, place: int) -> str:
    """Compare the size of a complex number by its square, where that tells."""
    with_, to = node.operands[1 - place], node.operation.operands[1 - place]
    assert isinstance(with_.type, Scalar)
    other = emitter.value(with_)
    if with_.type.code != to.code:
        other = f"npl::cast<{to.c_type}>({other})"
    answer = emitter.fresh(node.type)
    compares = f"npl::compares_by_squares<{node.operation.function}, {'false' if place else 'true'}>"
    operands = [emitter.value(size.operands[0]), other, answer]
    held = dict(emitter.held)
    emitter.lines.append(f"if (!{compares}({', '.join(operands)})) {{")
    emitter.lines.append(f"{answer} = {_applied(emitter, node)};")
    emitter.lines.append("}")
    emitter.held = held
    return answer


def _compared_in_few_bits(emitter: Emitter, node: ir.Apply) -> str | None:
    """Return the comparison of a NumPy integer of few bits with a constant, or another one, of its dtype.

    Python compares such ints as all others: vectors of items would be widened to 64 bits.
    """
    if node.operation.function not in _COMPARISONS:
        return None
    parts = [_without_cast(operand) for operand in node.operands]
    kinds = {part.type for part in parts if not isinstance(part, ir.Constant)}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if not isinstance(kind, Scalar) or kind.python or kind.kind not in "iu" or kind.code in ("i8", "u8"):
        return None
    many = 1 << kind.bits
    least, most = (0, many - 1) if kind.kind == "u" else (-many // 2, many // 2 - 1)
    if any(isinstance(part, ir.Constant) and not least <= part.value <= most for part in parts):
        return None
    texts = [
        literal(kind, part.value) if isinstance(part, ir.Constant) else emitter.value(part) for part in parts
    ]
    return f"{node.operation.function.removesuffix('<int64_t>')}<{kind.c_type}>({', '.join(texts)})"


def _without_cast(node: ir.Expression) -> ir.Expression:
    """Return the NumPy integer of which an int is made, or the int itself."""
    if isinstance(node, ir.Apply) and node.operation.function.startswith("npl::cast<int64_t, "):
        return node.operands[0]
    return node


class _Affine(NamedTuple):
    """An int as `factor * base + shift` and terms: ints whose bounds are known, each with its factor.

    low, high: the bounds of the terms' sum. checks: how many of the operations may be beyond 64 bits. They
    are not where the base is at least `least` and at most `most`.
    """

    base: ir.Expression
    factor: int = 1
    shift: int = 0
    terms: tuple[tuple[int, ir.Expression], ...] = ()
    low: int = 0
    high: int = 0
    least: int = LEAST
    most: int = MOST
    checks: int = 0

    def times(self, factor: int) -> _Affine:
        """Return the product with a constant that is not 0."""
        ends = sorted((self.low * factor, self.high * factor))
        return self._replace(
            factor=self.factor * factor,
            shift=self.shift * factor,
            terms=tuple((one * factor, term) for one, term in self.terms),
            low=ends[0],
            high=ends[1],
        )

    def checked(self) -> _Affine:
        """Return the int after one more operation that may be beyond 64 bits."""
        low, high, size = self.shift + self.low, self.shift + self.high, abs(self.factor)
        ends = (LEAST - low, MOST - high) if self.factor > 0 else (high - MOST, low - LEAST)
        least, most = max(self.least, -(-ends[0] // size)), min(self.most, ends[1] // size)
        return self._replace(least=least, most=most, checks=self.checks + 1)


def _affine(emitter: Emitter, node: ir.Expression) -> _Affine:
    """Return an int as sums and products of another one with constants, and with ints of known bounds."""
    if not isinstance(node, ir.Apply) or node.operator not in (ast.Add, ast.Sub, ast.Mult):
        return _Affine(node)
    left, right = node.operands
    if {node.type, left.type, right.type} != {INT} or any(
        operand in emitter.region.limits for operand in node.operands
    ):
        return _Affine(node)
    short = emitter.region.short
    constants = [one for one in (right, left) if isinstance(one, ir.Constant)]
    known: ir.Expression | None = constants[0] if constants else None
    if known is None and node.operator is not ast.Mult:
        known = next((one for one in (right, left) if one in short), None)
    if known is None or (isinstance(known, ir.Constant) and not known.value):
        return _Affine(node)
    found = _affine(emitter, left if known is right else right)
    sign = -1 if node.operator is ast.Sub else 1
    if node.operator is ast.Mult:
        assert isinstance(known, ir.Constant)
        found = found.times(known.value)
    else:
        found, by = (found, sign) if known is right else (found.times(sign), 1)
        if isinstance(known, ir.Constant):
            found = found._replace(shift=found.shift + by * known.value)
        else:
            low, high = sorted(by * end for end in short[known])
            terms = (*found.terms, (by, known))
            found = found._replace(terms=terms, low=found.low + low, high=found.high + high)
    return found if emitter.is_certain(node) else found.checked()


def _operation(emitter: Emitter, node: ir.Apply) -> Operation:
    """Return the operation that computes a number: the rest of a sum is likely one of few steps away, and the
    sine and the cosine of one number are computed together."""
    if node in emitter.region.paired:
        return replace(node.operation, function=f"{node.operation.function}_of_both")
    match node:
        case ir.Apply(operator=ast.Mod, operands=(ir.Apply(operator=ast.Add | ast.Sub), _)) if (
            node.operation.function == _REST
        ):
            return replace(node.operation, function=f"{_REST}_of_sum", unchecked=f"{_REST}_of_sum_unchecked")
    return node.operation


def _applied(emitter: Emitter, node: ir.Apply) -> str:
    operation = _operation(emitter, node)
    if not emitter.is_certain(node):
        found = _affine(emitter, node)
        least, most = found.least, found.most
        if found.checks > 1 and least <= most:  # one check does for all of them
            text = emitter.value(found.base)
            span = f"{least % (1 << 64)}ull, {most - least}ull"
            emitter.leave_if(f"npl::beyond({text}, {span})", OVERFLOW)
            parts = [f"{found.shift % (1 << 64)}ull"]
            for factor, part in (
                (found.factor, text),
                *((by, emitter.value(one)) for by, one in found.terms),
            ):
                parts.append(f"uint64_t({part}) * {factor % (1 << 64)}ull")
            return emitter.hold(node.type, f"int64_t({' + '.join(parts)})")
    operands = []
    for operand, to in zip(node.operands, operation.operands, strict=True):
        assert isinstance(operand.type, Scalar | Unsigned)
        text = emitter.value(operand)
        if (limit := emitter.region.limits.get(operand)) is not None:
            emitter.leave_if(f"npl::outside({text}, {limit}ull)")
        operands.append(text if operand.type.code == to.code else f"npl::cast<{to.c_type}>({text})")
    function = operation.unchecked if emitter.is_certain(node) else None
    if function is not None and (bits := _narrow_bits(emitter, node)):
        function = f"{_NARROW[node.operator]}<{bits}>"
    if function is not None or not operation.leaves:
        return emitter.hold(node.type, f"{function or operation.function}({', '.join(operands)})")
    answer = emitter.fresh(node.type)
    if emitter.flag is not None and operation.unchecked is not None:  # the flag is not waited for
        emitter.leave_if(f"{operation.function}({', '.join([*operands, answer])})")
        return emitter.hold(node.type, f"{operation.unchecked}({', '.join(operands)})")
    why = OVERFLOW if _leaves_by_size(emitter, node) else None
    emitter.leave_if(f"{operation.function}({', '.join([*operands, answer])})", why)
    return answer


def _narrow_bits(emitter: Emitter, node: ir.Apply) -> int:
    """Return how many bits do for an operation; 0: more than 32.

    But for divisions few bits pay in vectors alone: in trips that cannot leave. Those of 16 bits do not where
    one waits for the trip before.
    """
    if bits := emitter.partial.bits_of(node):
        return bits
    bits = emitter.region.narrow.get(node, 0)
    if not bits or node.operator in (ast.FloorDiv, ast.Mod):
        return bits
    if emitter.loop is None or not emitter.is_free:
        return 0
    is_carried = any(
        isinstance(operand, ir.Read) and operand.name in emitter.loop.header.types
        for operand in node.operands
    )
    return 32 if is_carried else bits


def _leaves_by_size(emitter: Emitter, node: ir.Apply) -> bool:
    """Tell if an operation leaves only where its result is an int of more than 64 bits."""
    if node.type != INT:
        return False
    if node.operator in (ast.Add, ast.Sub, ast.Mult, ast.USub):
        return True
    if node.operator not in (ast.Pow, ast.LShift):
        return False
    last = node.operands[-1]  # where it may be negative, the operator raises or gives a float
    return last.value >= 0 if isinstance(last, ir.Constant) else last in emitter.region.nonnegative


@writes(ir.Choose)
def _choose(emitter: Emitter, node: ir.Choose) -> str:
    answer = emitter.kept(node.type)
    test = emitter.value(node.test)
    held = dict(emitter.held)
    for word, value in ((f"if ({test})", node.one), ("else", node.other)):
        emitter.held = dict(held)  # the values of one branch are not there in the other
        emitter.lines.append(f"{word} {{")
        emitter.give(answer, value)
        emitter.lines.append("}")
    emitter.held = held
    return answer


@writes(ir.MakeTuple)
def _tuple(emitter: Emitter, node: ir.MakeTuple) -> str:
    items = [emitter.value(item) for item in node.items]
    return emitter.hold(node.type, f"{c_type(node.type)}{{{', '.join(items)}}}")


@writes(ir.Part)
def _part(emitter: Emitter, node: ir.Part) -> str:
    return f"npl::get<{node.index}>({emitter.value(node.whole)})"
