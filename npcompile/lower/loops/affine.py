"""Compares indices in a loop over a range by their affine forms: `factor * item + terms + constant`.

`frontend/loops/passes/registers.py` and the verifier ask if an item is the one that the trip before has used.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from npcompile.lower.loops import ir


@dataclass
class Affine:
    """factor: how often the loop's item is in it. terms: the same for other expressions, by their text."""

    factor: int = 0
    constant: int = 0
    terms: Counter[str] = field(default_factory=Counter)

    def plus(self, other: Affine, times: int) -> Affine:
        """Return the sum with a multiple of another form."""
        terms = Counter(self.terms)
        for text, count in other.terms.items():
            terms[text] += times * count
        return Affine(
            self.factor + times * other.factor,
            self.constant + times * other.constant,
            Counter({text: count for text, count in terms.items() if count}),
        )


def affine(node: ir.Expression, items: set[str]) -> Affine | None:
    """Return the form of an index; None where it has none. items: the names of the loop's item."""
    match node:
        case ir.Constant(value=int(value)):
            return Affine(constant=int(value))
        case ir.Read(name=name) if name in items:
            return Affine(factor=1)
        case ir.Read() | ir.Length():
            return Affine(terms=Counter({str(node): 1}))
        case ir.Apply(operator=ast.Add | ast.Sub | ast.Mult as operator, operands=(left, right)):
            one, other = affine(left, items), affine(right, items)
            if one is None or other is None:
                return None
            if operator is not ast.Mult:
                return one.plus(other, 1 if operator is ast.Add else -1)
            for by, of in ((one, other), (other, one)):
                if not by.factor and not by.terms:
                    return Affine().plus(of, by.constant)
    return None


def is_used_before(
    node: ir.Item | ir.StoreItem, other: ir.Item | ir.StoreItem, items: set[str], stride: int
) -> bool:
    """Tell if an item's place is that of another one in the trip before, and changes from trip to trip.

    stride: that of the range.
    """
    if str(node.array) != str(other.array):
        return False
    factors = set()
    for index, other_index in zip(node.indices, other.indices, strict=True):
        here, there = affine(index, items), affine(other_index, items)
        if here is None or there is None or there.plus(Affine(constant=there.factor * stride), -1) != here:
            return False
        if here.constant < 0 and not here.factor and not here.terms:
            return False
        factors.add(here.factor)
    return factors != {0}
