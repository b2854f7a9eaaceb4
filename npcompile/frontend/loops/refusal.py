"""Tells if native code of a typed region would come to nothing, as each trip of one of its loops leaves."""

from __future__ import annotations

from npcompile.lower.loops import ir


def refusal(region: ir.Region) -> str | None:
    """Return why native code is not worth making: a reason for which trips leave; None where it is worth it.

    A loop that was reached needs a way from its header, through a trip, to its header again.
    """
    headers = {block.source for block in region.blocks if block.is_header}
    for header in headers:
        versions = [block for block in region.blocks if block.source == header and block.is_header]
        reached, reasons = _reached(versions)
        if header not in reached and reasons:
            return reasons[0]
    return None


def _reached(start: list[ir.Block]) -> tuple[set[int], list[str]]:
    """Return the numbers of blocks that come after some, and the reasons for which native code leaves
    there.
    """
    seen: set[ir.Block] = set()
    found: set[int] = set()
    reasons: list[str] = []
    pending = list(start)
    while pending:
        block = pending.pop()
        if block in seen:
            continue
        seen.add(block)
        if isinstance(block.end, ir.Leave) and block.end.why is not None:
            reasons.append(block.end.why)
        for target in ir.targets(block.end):
            found.add(target.source)
            pending.append(target)
    return found, reasons
