"""Explains loops that are done natively: their types by name, where they leave, and their C++."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Known
from npcompile.partition.native_loop import NativeLoop
from npcompile.partition.partitioned import PartitionedFunction

_COMPILING, _NATIVE = "being compiled", "native"


@dataclass(frozen=True)
class Escape:
    """A line at which native code gives way to Python, and why."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line} is left to Python: {self.reason}"


@dataclass(frozen=True)
class ExplainedLoop:
    """A loop statement that may be done natively.

    lines: the first and the last. way: what becomes of it. types: those that each name of the user's takes.
    without_checks: the lines of the innermost loops that check their bounds before the first trip. shared:
    the lines of loops whose trips threads share, where that pays. unshared: those of loops over ranges that
    one thread does, and why. escapes: where Python does a statement. entries, leaves: how often native code
    was entered, and left before the loop was done. left: the leaves by line and reason. typed: the typed
    programs, one for each combination of types at the entry. source: their C++.
    """

    lines: tuple[int, int]
    way: str
    types: dict[str, tuple[str, ...]]
    without_checks: tuple[int, ...]
    shared: tuple[int, ...]
    unshared: tuple[tuple[int, str], ...]
    escapes: tuple[Escape, ...]
    entries: int
    leaves: int
    left: tuple[tuple[int, str, int], ...]
    typed: tuple[str, ...] = field(repr=False)
    source: str = field(repr=False)

    def __str__(self) -> str:
        first, last = self.lines
        text = f"lines {first}-{last}: {self.way}"
        if self.entries:
            text += f", entered {self.entries} times"
        if self.leaves:
            text += f", left {self.leaves} times before it was done"
        lines = [text]
        if self.types:
            names = [f"{name}: {' or '.join(kinds)}" for name, kinds in sorted(self.types.items())]
            lines.append(f"    {', '.join(names)}")
        if self.without_checks:
            where = ", ".join(map(str, self.without_checks))
            lines.append(f"    bounds are checked before the first trip: line {where}")
        if self.shared:
            lines.append(f"    threads share the trips: line {', '.join(map(str, self.shared))}")
        lines += [f"    one thread does the trips of line {line}: {why}" for line, why in self.unshared]
        lines += [f"    {escape}" for escape in self.escapes]
        lines += [f"    left {count} times at line {line}: {why}" for line, why, count in self.left]
        return "\n".join(lines)


def loops_of(partitioned: PartitionedFunction) -> tuple[ExplainedLoop, ...]:
    """Return what became of the loops of a function that was cut which are candidates for native code."""
    found = [_loop(native) for native in partitioned.natives.values() if native is not None and native.typed]
    for node, why in partitioned.refusals.items():
        assert isinstance(node, ast.For | ast.While)
        found.append(_explained(node, f"left to Python: {why}", [], None))
    return tuple(sorted(found, key=lambda loop: loop.lines))


def native_statements(partitioned: PartitionedFunction) -> Iterator[ast.AST]:
    """Yield the statements that are done natively."""
    for node, native in partitioned.natives.items():
        if native is not None and native.entries:
            yield from (part for part in ast.walk(node) if isinstance(part, ast.stmt))


def _loop(native: NativeLoop) -> ExplainedLoop:
    errors = [typed.job.error for typed in native.typed if typed.job.error is not None]
    way = _COMPILING if native.is_pending else f"left to Python: {errors[0]}" if errors else _NATIVE
    return _explained(native.node, way, native.typed, native)


def _explained(node: Any, way: str, typed: list[Any], native: NativeLoop | None) -> ExplainedLoop:
    regions = [one.region for one in typed]
    types: dict[str, dict[str, None]] = {}
    for region in regions:
        for name, kinds in (*region.stored.items(), *((n, [k]) for n, k in region.names.items())):
            if name[0] != "." and not any(isinstance(kind, Known) for kind in kinds):
                types.setdefault(name, {}).update(dict.fromkeys(map(str, kinds)))
    fast = {header.end.line for region in regions for header in region.fast_loops if header.end is not None}
    shared = {header.end.line for region in regions for header in region.shared if header.end is not None}
    unshared = {line: why for region in regions for line, why in region.unshared.items()}
    ends = [block.end for region in regions for block in region.blocks]
    escapes = dict.fromkeys(
        Escape(end.line, end.why) for end in ends if isinstance(end, ir.Leave) and end.why
    )
    return ExplainedLoop(
        lines=(node.lineno, node.end_lineno or node.lineno),
        way=way,
        types={name: tuple(kinds) for name, kinds in types.items()},
        without_checks=tuple(sorted(fast)),
        shared=tuple(sorted(shared)),
        unshared=tuple((line, why) for line, why in sorted(unshared.items()) if line not in shared),
        escapes=tuple(escapes),
        entries=0 if native is None else native.entries,
        leaves=0 if native is None else native.leaves,
        left=() if native is None else tuple((*at, count) for at, count in sorted(native.left.items())),
        typed=tuple(map(str, regions)),
        source="\n".join(one.source.text for one in typed),
    )
