"""Walks the cuts of a jitted function: of its signatures, of its callees, and of blocks that are cut further.

Contests ask if all of them are settled; statistics and explanations ask what became of their loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from npcompile.tiering.protocols import BlockLike, JittedLike, RecordedLike, SpecializationLike


def cuts_of(recorded: RecordedLike) -> list[Any]:
    """Return the cuts of a jitted function or callee, each a `partition.partitioned.PartitionedFunction`."""
    return _cuts(recorded.by_signature.values())


def cuts_of_callees(root: JittedLike) -> list[Any]:
    """Return the cuts of the functions that Python between the blocks of a jitted function calls."""
    return _cuts(specializations_of_callees(root))


def specializations_of_callees(root: JittedLike) -> list[SpecializationLike]:
    """Return the signatures of the functions that Python between the blocks of a jitted function calls."""
    callees = list(root.callees.values())
    return [state for callee in callees for state in list(getattr(callee, "by_signature", {}).values())]


def _cuts(states: Iterable[SpecializationLike]) -> list[Any]:
    """Return the cuts of signatures, each once: signatures that differ in lengths share one."""
    cuts = (state.partitioned for state in list(states))
    return list(dict.fromkeys(cut for cut in cuts if cut is not None))


def blocks_within(blocks: Iterable[BlockLike]) -> Iterator[BlockLike]:
    """Yield blocks, and those into which they are cut further."""
    for block in blocks:
        yield block
        if block.inside is not None:
            yield from blocks_within(block.inside.current())
