"""Finds affine recurrences of integers: `x = (a * x + c) & mask`, `h = h * 33 + byte` of a NumPy integer.

Each trip waits for the product of the trip before. Of low bits, what several trips make of an int is affine
in the int at first, too: its factor is known before the trips, and what is added depends on no trip before.
`partial_unrolling.py` has native code do several trips at once for that.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.recurrence_ir import AffineStep, Term
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.types import INT, UNSIGNED, Scalar, Type

WORD = 64  # bits of the integers that are computed with
_CASTS = ("npl::cast<", "npl::fitting_cast<")


def affine_steps(
    region: ir.Region, steps: list[ir.Step], name: str, kind: Type | None, bound: set[str]
) -> dict[ir.Step, AffineStep] | None:
    """Return the steps of a trip that give a name a value as affine ones; None where they are not affine.

    kind: the name's type before the trip. bound: the names that trips bind.
    """
    return _Steps(region, name, bound).of(steps) if _width(kind) else None


class _Sum(NamedTuple):
    """An int as `factor * name + added`. bits: so many low bits of it are known by those of the name."""

    factor: tuple[Term, ...]
    added: tuple[Term, ...]
    bits: int


class _Steps:
    """The steps of a trip that give a name a value. bound: the names that trips bind."""

    def __init__(self, region: ir.Region, name: str, bound: set[str]) -> None:
        self.region = region
        self.name = name
        self.bound = bound

    def of(self, steps: list[ir.Step]) -> dict[ir.Step, AffineStep] | None:
        """Return them as affine ones; None where one is not, or where they keep different bits."""
        found: dict[ir.Step, AffineStep] = {}
        products = 0
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            if self.name not in ir.bound_by(step):
                continue
            assert isinstance(step, ir.Bind)
            kept = self._kept(step.value)
            if not kept and isinstance(after, ir.Bind) and self._is_mask_alone(after):
                kept, is_masked = self._kept(after.value), False  # `x = a * x + c` before `x &= mask`
            else:
                is_masked = self._mask(step.value) is not None
            made = self._sum(step.value)
            if made is None or not kept or made.bits < kept or not made.factor:
                return None
            products += any(term.parts or term.factor not in (0, 1) for term in made.factor)
            found[step] = AffineStep(step.place, step.line, step, made.factor, made.added, kept, is_masked)
        is_same = len({one.bits for one in found.values()}) == 1
        return found if products and is_same else None

    def _is_mask_alone(self, step: ir.Bind) -> bool:
        """Tell if a step keeps low bits of the name and does nothing else: nobody sees the others before."""
        parts = ir.parts_of(step.value)
        is_plain = all(isinstance(part, ir.Read | ir.Constant) for part in parts)
        return step.name == self.name and is_plain and self._mask(step.value) is not None

    def _kept(self, value: ir.Expression) -> int:
        """Return how many low bits are kept of a value that a name is given; 0 where all digits count."""
        if (mask := self._mask(value)) is not None:
            return mask
        return 0 if value.type in (INT, UNSIGNED) else _width(value.type)

    @staticmethod
    def _mask(node: ir.Expression) -> int | None:
        """Return how many low bits an operation keeps of an int; None for other operations."""
        if not isinstance(node, ir.Apply) or node.operator not in (ast.BitAnd, ast.Mod):
            return None
        constants = [one for one in node.operands if isinstance(one, ir.Constant) and _width(one.type)]
        if len(constants) != 1 or (node.operator is ast.Mod and constants[0] is node.operands[0]):
            return None
        mask = int(constants[0].value) - (node.operator is ast.Mod)
        is_low = mask > 0 and mask & (mask + 1) == 0
        bits = mask.bit_length()
        return bits if is_low and bits <= _width(node.type) else None

    def _sum(self, node: ir.Expression) -> _Sum | None:
        """Return an int as a sum; None where it is none."""
        width = _width(node.type)
        if not width:
            return None
        if isinstance(node, ir.Constant):
            return _Sum((), (Term(int(node.value)),), WORD)
        if not varies(node, {self.name}):
            return _Sum((), (Term(1, (node,)),), WORD)
        if isinstance(node, ir.Read):
            return _Sum((Term(1),), (), WORD)
        if not isinstance(node, ir.Apply) or not all(_width(operand.type) for operand in node.operands):
            return None
        operation = node.operation
        if operation.leaves and node not in self.region.certain:
            return None
        if any(operand in self.region.limits for operand in node.operands):
            return None
        sums = [self._sum(operand) for operand in node.operands]
        if None in sums:
            return None
        made = self._made(node, [one for one in sums if one is not None])
        if made is None:
            return None
        return made._replace(bits=min(width, made.bits, *map(_width, operation.operands)))

    def _made(self, node: ir.Apply, sums: list[_Sum]) -> _Sum | None:
        """Return what an operation makes of its operands."""
        bits = min(one.bits for one in sums)
        if len(sums) == 1:
            (one,) = sums
            if node.operator is ast.USub:
                return _Sum(_times(one.factor, Term(-1)), _times(one.added, Term(-1)), bits)
            is_cast = node.operator is None and node.operation.function.startswith(_CASTS)
            return one if is_cast else None
        if len(sums) != 2:
            return None
        left, right = sums
        match node.operator:
            case ast.Add | ast.Sub:
                sign = Term(1 if node.operator is ast.Add else -1)
                return _Sum(
                    (*left.factor, *_times(right.factor, sign)),
                    (*left.added, *_times(right.added, sign)),
                    bits,
                )
            case ast.Mult:
                if not right.factor:
                    left, right = right, left
                by = None if left.factor else self._fixed(left.added)
                return None if by is None else _Sum(_times(right.factor, by), _times(right.added, by), bits)
            case ast.LShift:
                (by,) = right.added if not right.factor and len(right.added) == 1 else (None,)
                if by is None or by.parts or not 0 <= by.factor < _width(node.type):
                    return None
                by = Term(1 << by.factor)
                return _Sum(_times(left.factor, by), _times(left.added, by), left.bits)
        mask = self._mask(node)
        if mask is None:
            return None
        kept = left if left.factor else right
        return kept._replace(bits=min(kept.bits, mask))

    def _fixed(self, terms: tuple[Term, ...]) -> Term | None:
        """Return a product that is the same in all trips; None for other sums."""
        if len(terms) != 1:
            return None
        (one,) = terms
        is_name = all(isinstance(part, ir.Read) and part.name not in self.bound for part in one.parts)
        return one if is_name else None


def _times(terms: tuple[Term, ...], by: Term) -> tuple[Term, ...]:
    return tuple(Term(one.factor * by.factor, (*one.parts, *by.parts)) for one in terms)


def _width(kind: Type | None) -> int:
    """Return how many bits the integers of a type have; 0 for other types."""
    if kind == UNSIGNED:
        return WORD
    return kind.bits if isinstance(kind, Scalar) and kind.kind in "iu" else 0
