"""Goes through expressions of the typed program and all that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npcompile.lower.loops import ir


def subexpressions(nodes: Iterable[ir.Expression]) -> Iterator[ir.Expression]:
    """Give expressions, the last one first, each before its parts."""
    pending = [*nodes]
    while pending:
        yield (node := pending.pop())
        pending += ir.parts_of(node)
