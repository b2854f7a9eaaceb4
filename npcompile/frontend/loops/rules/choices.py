"""Gives the loop language its rule for `where`: a choice between items, or the places where a mask holds."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.counting import places
from npcompile.frontend.loops.rules.elementwise import Fusion, cast, item_cast, item_type, scalar_or_array
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ndim
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.types import BOOL, INT, Scalar
from npcompile.nep50.asked import where_wraps

_WHERE_WRAPS = where_wraps()


@language.calls(np.where)
def _where(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) == 1 and not node.keywords:
        return ir.tuple_of((places(inference.value(node.args[0]), "where"),))
    if len(node.args) != 3 or node.keywords:
        raise Outside("`where` with two operands")
    values = [scalar_or_array(inference.value(arg)) for arg in node.args]
    test, *choices = values
    samples = [_sample(item_type(one)) for one in choices]
    to = Scalar(np.result_type(*samples).str[1:])
    fusion = Fusion(max(map(ndim, values)))
    parts = tuple(_part(fusion, choice, to) for choice in choices)
    truth = fusion.body(test)
    assert isinstance(truth.type, Scalar)
    if truth.type.kind != "b":
        truth = ir.Apply(BOOL, truth_of(truth.type), (truth,))
    return fusion.map(
        ir.Apply(to, Operation(f"npl::chosen<{to.c_type}>", (BOOL, to, to), to), (truth, *parts))
    )


def _part(fusion: Fusion, choice: ir.Expression, to: Scalar) -> ir.Expression:
    """Return an item of a choice in the result's dtype, which Python's ints are to fit since NumPy 2.5."""
    if choice.type == INT and not _WHERE_WRAPS:
        return fusion.body(cast(choice, to))
    return item_cast(fusion.body(choice), to)


def _sample(kind: Scalar) -> Any:
    """Return an operand of `np.result_type`: Python's numbers are weak."""
    weak = {"i": 0, "f": 0.0, "c": 0j}
    return weak[kind.kind] if kind.python and kind != BOOL else np.dtype(kind.code)
