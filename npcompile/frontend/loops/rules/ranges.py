"""Gives the loop language its rules for loops over `range`."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.source import control_flow as cf
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import INT


@language.iterables(range)
def _range(inference: Inference, state: str, node: ast.Call) -> None:
    kind, *bounds = bounds_of(inference, node)
    inference.types[state] = kind
    inference.remember(state)
    inference.add(ir.BeginRange, kind, state, *bounds)


def bounds_of(
    inference: Inference, node: ast.Call
) -> tuple[ir.RangeState, ir.Expression, ir.Expression, ir.Expression]:
    """Return the type of the iterator over a range, and the range's start, stop and step."""
    if node.keywords or not 1 <= len(node.args) <= 3:
        raise Outside("a `range` that Python refuses")
    given = [index_of(inference, inference.value(arg)) for arg in node.args]
    start, stop = (ir.integer(0), given[0]) if len(given) == 1 else given[:2]
    stride = given[2] if len(given) == 3 else ir.integer(1)
    known = stride.value if isinstance(stride, ir.Constant) else None
    if known == 0:
        raise Outside("a `range` that Python refuses")
    return ir.RangeState(known), start, stop, stride


@language.nexts(ir.RangeState)
def _next(inference: Inference, state: str, item: str, body: cf.Block, exhausted: cf.Block) -> ir.End:
    without = dict(inference.types)
    kind = without[state]
    assert isinstance(kind, ir.RangeState)
    after = inference.reach(exhausted)
    inference.types = without | {item: INT}
    inference.remember(item)
    return ir.NextOfRange(inference.place, inference.line, kind, state, item, inference.reach(body), after)
