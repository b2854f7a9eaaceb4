"""Explains loops that are done natively, or might be: as their source, with types, checks and leaves by line.

`explain.py` and `blocks.py` ask for the loops of a function that was cut.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from npcompile.diagnostics.loop_advice import advice
from npcompile.explain.loop_listing import ExplainedLine, listing, statement_at, text_of
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Known
from npcompile.partition.loops_left import refusal_by_form
from npcompile.partition.native_loop import NativeLoop
from npcompile.partition.partitioned import PartitionedFunction

_COMPILING, _NATIVE, _LEFT = "being compiled", "native", "left to Python"
_RESTING = "native, and Python's for a while, as leaving native code takes too long"


@dataclass(frozen=True)
class Escape:
    """A line at which native code gives way to Python, and why. write: what to write instead, if known."""

    line: int
    reason: str
    write: str = ""

    def __str__(self) -> str:
        text = f"line {self.line} is left to Python: {self.reason}"
        return f"{text}\n    instead: {self.write}" if self.write else text


@dataclass(frozen=True)
class ExplainedLoop:
    """A loop statement that may be done natively. `str` of it shows its source, at most some 16 lines.

    lines: the first and the last. way: what becomes of it. types: those that each name of the user's takes.
    code: the lines, with the types of names and the checks on each. without_checks: the lines of the
    innermost loops that check their bounds before the first trip. shared: the lines of loops whose trips
    threads share, where that pays. vectorised: the lines of loops that the C++ compiler has vectorised, but
    for those within slices. unshared: those of loops over ranges that one thread does, and why. escapes:
    where Python does a statement. entries, leaves: how often native code was entered, and left before the
    loop was done. left: the leaves by line and reason. why: of a loop that is left to Python, the line and
    what to write instead, where they are known. typed: the typed programs, one for each combination of types
    at the entry. source: their C++. elsewhere: the file, where it is not that of the function.
    """

    lines: tuple[int, int]
    way: str
    types: dict[str, tuple[str, ...]]
    code: tuple[ExplainedLine, ...] = field(repr=False)
    without_checks: tuple[int, ...]
    shared: tuple[int, ...]
    vectorised: tuple[int, ...]
    unshared: tuple[tuple[int, str], ...]
    escapes: tuple[Escape, ...]
    entries: int
    leaves: int
    left: tuple[tuple[int, str, int], ...]
    why: Escape | None
    typed: tuple[str, ...] = field(repr=False)
    source: str = field(repr=False)
    elsewhere: str = ""

    @property
    def is_left(self) -> bool:
        """Tell if the loop is left to Python for a reason of its own: `way` has it."""
        return self.way.startswith(_LEFT)

    @property
    def listing(self) -> str:
        """All lines, with the types of names and the checks on each."""
        return text_of(self.code, len(self.code))

    def __str__(self) -> str:
        first, last = self.lines
        within = f" of {self.elsewhere}" if self.elsewhere else ""
        text = f"lines {first}-{last}{within}: {self.way}"
        if self.entries:
            text += f", entered {self.entries} times"
        if self.leaves:
            text += f", left {self.leaves} times before it was done"
        lines = [text]
        if self.why is not None and self.why.write:
            lines.append(f"    instead: {self.why.write}")
        if any(line.types for line in self.code):
            lines.append(textwrap.indent(text_of(self.code), "  "))
        reasons = dict.fromkeys(why for _, why in self.unshared)
        for why in reasons:
            alike = [str(line) for line, other in self.unshared if other == why]
            where = f"line {alike[0]}" if len(alike) == 1 else f"lines {', '.join(alike)}"
            lines.append(f"    one thread does the trips of {where}: {why}")
        lines += [textwrap.indent(str(escape), "    ") for escape in self.escapes]
        lines += [f"    left {count} times at line {line}: {why}" for line, why, count in self.left]
        return "\n".join(lines)


def loops_of(partitioned: PartitionedFunction) -> tuple[ExplainedLoop, ...]:
    """Return what became of the loops of a function that was cut which native code is meant for."""
    found = []
    for node, native in partitioned.natives.items():
        if native is not None and native.typed:
            found.append(_loop(native))
        elif node in partitioned.refusals:
            found.append(_refused(node, partitioned.refusals[node]))
        elif not isinstance(node, ast.For | ast.While):
            continue
        elif native is None and (by_form := refusal_by_form(node)) is not None:
            found.append(_refused(node, *by_form))
    if elsewhere := file_elsewhere(partitioned):
        found = [replace(loop, elsewhere=elsewhere) for loop in found]
    return tuple(sorted(found, key=lambda loop: loop.lines))


def file_elsewhere(partitioned: PartitionedFunction) -> str:
    """Return the file of a function that was cut; empty where the jitted function stands in it, too."""
    file: str = partitioned.owner.__wrapped__.__code__.co_filename
    return "" if file == partitioned.root.__wrapped__.__code__.co_filename else file


def graphs_of(partitioned: PartitionedFunction) -> tuple[tuple[int, str], ...]:
    """Return by line what became of the loops of a function that was cut which a device may do at once."""
    graphs = partitioned.loop_graphs
    if graphs is None:
        return ()
    done = {
        line: f"{trips} trips were done as CUDA graphs" + ", several by one kernel" * (line in graphs.fused)
        for line, trips in graphs.trips.items()
    }
    refused = {line: f"not done as CUDA graphs: {why}" for line, why in graphs.refusals.items()}
    return tuple(sorted((refused | done).items()))


def native_statements(partitioned: PartitionedFunction) -> Iterator[ast.AST]:
    """Yield the statements that are done natively."""
    for node, native in partitioned.natives.items():
        if native is not None and native.entries:
            yield from (part for part in ast.walk(node) if isinstance(part, ast.stmt))


def _refused(node: ast.AST, refusal: Refusal, write: str = "") -> ExplainedLoop:
    if (line := refusal.line) is None:
        return _explained(node, refusal.told, [], None, None)
    write = write or advice(statement_at(node, line))
    return _explained(node, refusal.told, [], None, Escape(line, refusal.why, write))


def _loop(native: NativeLoop) -> ExplainedLoop:
    errors = [typed.job.error for typed in native.typed if typed.job.error is not None]
    way = _RESTING if native.budget.rests else _NATIVE
    is_compiled = all(typed.job.done for typed in native.typed)
    way = (f"{_LEFT}: {errors[0]}" if errors else way) if is_compiled else _COMPILING
    return _explained(native.node, way, native.typed, native, None)


def _explained(
    node: Any, way: str, typed: list[Any], native: NativeLoop | None, why: Escape | None
) -> ExplainedLoop:
    regions = [one.region for one in typed]
    types: dict[str, dict[str, None]] = {}
    for region in regions:
        for name, kinds in (*region.stored.items(), *((n, [k]) for n, k in region.names.items())):
            if name[0] != "." and not any(isinstance(kind, Known) for kind in kinds):
                types.setdefault(name, {}).update(dict.fromkeys(map(str, kinds)))
    fast = {header.end.line for region in regions for header in region.fast_loops if header.end is not None}
    shared = {header.end.line for region in regions for header in region.shared if header.end is not None}
    unshared = {line: why for region in regions for line, why in region.unshared.items()}
    vectorised = sorted(
        {line for one in typed for line in _vectorised_lines(one.source.text, one.job.vectorised)}
    )
    ends = [block.end for region in regions for block in region.blocks]
    escapes = dict.fromkeys(
        Escape(end.line, end.why, advice(statement_at(node, end.line)))
        for end in ends
        if isinstance(end, ir.Leave) and end.why
    )
    return ExplainedLoop(
        lines=(node.lineno, node.end_lineno or node.lineno),
        way=way,
        types={name: tuple(kinds) for name, kinds in types.items()},
        code=() if native is None else listing(node, native.file, regions, vectorised),
        without_checks=tuple(sorted(fast)),
        shared=tuple(sorted(shared)),
        vectorised=tuple(vectorised),
        unshared=tuple((line, why) for line, why in sorted(unshared.items()) if line not in shared),
        escapes=tuple(escapes),
        entries=0 if native is None else native.entries,
        leaves=0 if native is None else native.leaves,
        left=() if native is None else tuple((*at, count) for at, count in sorted(native.left.items())),
        why=why,
        typed=tuple(map(str, regions)),
        source="\n".join(one.source.text for one in typed),
    )


def _vectorised_lines(source: str, lines: Iterable[int]) -> Iterator[int]:
    """Yield the user's lines that lines of C++ stand for: comments above them tell."""
    text = source.splitlines()
    for line in lines:
        told = (found for one in reversed(text[:line]) if (found := re.search(r"// line (\d+)$", one)))
        if (first := next(told, None)) is not None:
            yield int(first[1])
