"""The bounds of ints in typed regions: operations that are proved not to leave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from npcompile.frontend.loop_pipeline import loop_source
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.intervals import bound
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Known, Type

NAMES: dict[str, Type] = {"a": Array("i4", 1), "b": Array("u1", 1), "range": Known(range)}


@pytest.mark.parametrize(
    ("statement", "function", "certain"),
    [
        ("a[i] = i", "npl::fitting_cast<int32_t, int64_t>", True),
        ("a[i] = i * 10**8", "npl::fitting_cast<int32_t, int64_t>", False),
        ("b[i] = b[i] + i * 2", "npl::fitting_right<npl::add<uint8_t>, uint8_t>", True),
        ("b[i] = b[i] + i * 3", "npl::fitting_right<npl::add<uint8_t>, uint8_t>", False),
        ("b[i] = (i % 9 - 1) * b[i]", "npl::fitting_left<npl::multiply<uint8_t>, uint8_t>", False),
    ],
)
def test_an_int_that_fits_is_not_checked(statement: str, function: str, certain: bool) -> None:
    node = ast.parse(f"for _ in range(n):\n    for i in range(100):\n        {statement}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    region = Inference(flow).infer({**NAMES, flow.state: ir.RangeState(1, True)})
    bound(region)
    steps = [step for block in region.blocks for step in (*block.steps, block.end)]
    applied = [item for step in steps for top in ir.expressions_of(step) for item in applications(top)]
    assert [item in region.certain for item in applied if item.operation.function == function] == [certain]


def applications(expression: ir.Expression) -> Iterator[ir.Apply]:
    """The operations in an expression."""
    if isinstance(expression, ir.Apply):
        yield expression
    for part in ir.parts_of(expression):
        yield from applications(part)
