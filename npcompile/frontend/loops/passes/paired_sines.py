"""Finds sines and cosines of one number, which the C library computes together in less time than alone."""

from __future__ import annotations

from collections import defaultdict

from npcompile.lower.loops import ir
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.value_texts import value_text

SINE, COSINE = "npl::math_sin", "npl::math_cos"


def pair(region: ir.Region) -> None:
    """Note in a region the sines and cosines of numbers of which one block computes both."""
    for block in region.blocks:
        found: defaultdict[str, dict[str, list[ir.Apply]]] = defaultdict(lambda: {SINE: [], COSINE: []})
        for step in (*block.steps, block.end):
            for node in subexpressions(ir.expressions_of(step)):
                if isinstance(node, ir.Apply) and node.operation.function in (SINE, COSINE):
                    if (text := value_text(node.operands[0])) is not None:
                        found[text][node.operation.function].append(node)
        for ways in found.values():
            if all(ways.values()):
                region.paired.update(*ways.values())
