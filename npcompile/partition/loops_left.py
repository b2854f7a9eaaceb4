"""Says which loops of a jitted function Python does at its calls, and why native code does not do them.

`Jitted.stats` asks each time that it is read: a loop that native code or a block answers by now is not named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from npcompile.diagnostics.loop_advice import part_text
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.loops.source.choice import depends_on_trip, not_held
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.partition.partitioned import PartitionedFunction
from npcompile.tiering.cuts import blocks_within, cuts_of, cuts_of_callees
from npcompile.tiering.protocols import JittedLike


def with_loops_left(root: JittedLike, stats: Stats) -> Stats:
    """Return counts with the reasons of the loops of a jitted function that are left to Python."""
    found = [reason for cut in _cuts(root) for reason in _loops_left(cut)]
    return stats.with_reasons(found) if found else stats


def _cuts(root: JittedLike) -> list[PartitionedFunction]:
    """Return the cuts that answer a function's calls, and those of functions that Python calls from there."""
    cuts = cuts_of(root)
    # Native loops call functions natively, which Python may have called before.
    if cuts and not (root.own_stats.loop_entries or root.block_stats.loop_entries):
        cuts += cuts_of_callees(root)
    blocks = blocks_within(block for cut in cuts for block in cut.current())
    return [*cuts, *(block.inside for block in blocks if block.inside is not None)]


def _loops_left(cut: PartitionedFunction) -> Iterator[Reason]:
    """Yield why loops of a cut are left to Python of which neither native code nor blocks do anything."""
    if not cut.has_run or cut.is_native:
        return
    natives = list(cut.natives.items())
    left = [node for node, native in natives if native is None and isinstance(node, ast.For | ast.While)]
    if not left:
        return
    compiled = _parts([part for block in cut.current() for part in block.piece.block.statements])
    compiled |= _parts([node for node, native in natives if native is not None and native.typed])
    for node in left:
        why = cut.refusals.get(node)
        if why is None and (by_form := refusal_by_form(node)) is not None:
            why, _ = by_form
        if why is None or (cut.stale and why.line is None):  # blocks may do what its trips do on whole arrays
            continue
        if compiled.isdisjoint(_parts([node])):
            yield Cause.LOOP_LEFT(why.told).at(cut.owner.at(why.line or node.lineno))


def _parts(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Return the statements and expressions in some nodes: trees share nodes of other kinds."""
    return {part for part in own_nodes(nodes) if isinstance(part, ast.stmt | ast.expr)}


def refusal_by_form(node: ast.For | ast.While) -> tuple[Refusal, str] | None:
    """Return why a loop cannot be native by its form, and the code to write instead; None where it can be."""
    part = not_held(node) if depends_on_trip(node) else None
    if part is None:
        return None
    what, write = part_text(part)
    return Refusal(what, getattr(part, "lineno", None)), write
