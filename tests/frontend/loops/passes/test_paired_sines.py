"""A sine and a cosine of one number are computed together, each as Python computes it alone."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source, typed_loop
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import FLOAT, INT, Array, Known, Type
from tests.frontend.loops.native import begin, check

NAMES: dict[str, Type] = {
    "a": Array("f8", 1, True),
    "x": FLOAT,
    "n": INT,
    "sin": Known(math.sin),
    "cos": Known(math.cos),
    "range": Known(range),
}
PAIRED = {
    "a[i] = sin(x) + cos(x)": 2,
    "t = 2.0 * x * i / n\na[i] = cos(t)\na[i + 1] = sin(t)": 2,
    "a[i] = sin(2.0 * x) + cos(2.0 * x) + cos(2.0 * x)": 3,
    "a[i] = sin(x) + cos(i)": 0,
    "a[i] = sin(x) + sin(x)": 0,
    "if i > 3:\n    a[i] = sin(x)\nelse:\n    a[i] = cos(x)": 0,
}


@pytest.mark.parametrize("body", PAIRED)
def test_those_of_one_number_in_one_block_are_paired(body: str) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    node = ast.parse(f"for i in range(9):\n{lines}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    assert flow.state is not None
    region = typed_loop(flow, {**NAMES, flow.state: ir.RangeState(1, True)}, frozenset()).region
    assert len(region.paired) == PAIRED[body]


def turned(angles: Any, out: Any) -> None:
    for i in range(len(angles)):
        out[i, 0] = math.cos(angles[i])
        out[i, 1] = math.sin(angles[i])


def test_each_is_what_python_computes_alone() -> None:
    """Small, near multiples of a quarter of pi, large, and of any bits."""
    rng = np.random.default_rng(0)
    near = np.arange(-200, 200) * (math.pi / 4)
    parts = [near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf), rng.uniform(-1, 1, 5000)]
    parts += [rng.uniform(-1e5, 1e5, 5000), rng.integers(0, 1 << 64, 5000, np.uint64).view(np.float64)]
    angles = np.concatenate([*parts, [0.0, -0.0, 5e-324, 1e308, math.nan]])
    check(turned, angles[~np.isinf(angles)], np.zeros((len(angles), 2)))


def test_an_infinite_angle_leaves_native_code_for_python_to_raise() -> None:
    out = np.zeros((3, 2))
    run = begin(turned, np.array([1.0, math.inf, 2.0]), out).run()
    assert not run.is_done
    np.testing.assert_array_equal(run.names["out"], [[math.cos(1.0), math.sin(1.0)], [0, 0], [0, 0]])


def test_one_call_computes_both() -> None:
    text = begin(turned, np.zeros(3), np.zeros((3, 2))).loop.source.text
    assert "math_cos_of_both" in text and "math_sin_of_both" in text
