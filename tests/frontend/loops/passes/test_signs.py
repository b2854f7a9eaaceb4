"""Roots of sums of squares are not checked: no such sum is negative."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source, typed_loop
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import FLOAT, INT, Array, Known, Type
from tests.frontend.loops.native import check

NAMES: dict[str, Type] = {
    "a": Array("f8", 1, True),
    "b": Array("f8", 1, True),
    "x": FLOAT,
    "n": INT,
    "root": Known(math.sqrt),
    "range": Known(range),
    "abs": Known(abs),
}
PROVED = [
    "a[i] = root(x * x)",
    "x = a[i] - b[i]\na[i] = root(x * x + 1e-3)",
    "a[i] = root(a[i] * a[i] + (a[i] - x) * (a[i] - x))",
    "s = x ** 2 + abs(a[i])\na[i] = root(s)",
]
CHECKED = [
    "a[i] = root(x)",
    "a[i] = root(x * a[i])",
    "a[i] = root(x * x - 1.0)",
    "s = x * x\ns = s + a[i]\na[i] = root(s)",
    "a[i] = root(n * n)",
]


@pytest.mark.parametrize("body", PROVED + CHECKED)
def test_roots_that_cannot_raise(body: str) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    node = ast.parse(f"for i in range(9):\n{lines}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    assert flow.state is not None
    region = typed_loop(flow, {**NAMES, flow.state: ir.RangeState(1, True)}, frozenset()).region
    roots = [one for one in region.certain if isinstance(one, ir.Apply) and "sqrt" in one.operation.function]
    assert len(roots) == (body in PROVED)


def test_roots_are_those_of_python() -> None:
    def lengths(a: Any, b: Any, out: Any) -> None:
        for i in range(len(out)):
            x = a[i] - b[i]
            out[i] = math.sqrt(x * x) + math.sqrt(x * x + 1.0)

    special = np.array([0.0, -0.0, 1e200, np.inf, -np.inf, np.nan, 1e-200, 3.0])
    check(lengths, special, special[::-1].copy(), np.zeros(8))
