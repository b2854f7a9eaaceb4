"""Gives the loop language its rule for comparisons of objects that are known while compiling."""

from __future__ import annotations

import ast
from abc import ABCMeta
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.texts import decided
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Known

CLASSES_OF_CLASSES = frozenset((type, ABCMeta))  # theirs are equal if they are the same; bases tell instances
_TEXTS = frozenset((str, bytes))


@language.comparisons((Known, Known))
def _compare(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    assert isinstance(left.type, Known) and isinstance(right.type, Known)
    one, other = left.type.value, right.type.value
    if kind in (ast.Eq, ast.NotEq) and {type(one), type(other)} <= CLASSES_OF_CLASSES:
        return ir.truth((one is other) is (kind is ast.Eq))
    if type(one) not in _TEXTS or type(one) is not type(other):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    return ir.truth(decided(kind, one, other))
