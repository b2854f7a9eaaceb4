"""A function that was cut, explained: its blocks, the functions it calls from between them, and the rest."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.diagnostics.recompilations import Recompilation, recompilations
from npcompile.diagnostics.uncompiled_statements import calls_of, first_line, reasons_of, statements, told
from npcompile.explain.loops import ExplainedLoop, file_elsewhere, native_statements
from npcompile.explain.programs import ExplainedProgram, explained
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.frontend.rewrite.scopes import body_of
from npcompile.frontend.rewrite.statement_forms import has_work
from npcompile.partition import partitioned as cutting
from npcompile.partition.native_loop import NativeLoop
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.tiers import TOO_SMALL
from npcompile.tiering.cuts import cuts_of

_BODY = "compiled body, driven trip by trip"
NOT_YET = "not recorded yet: the call raised, or its shapes were seen for the first time"
_NEXT = "recorded from the next call on: in this one it was part of a recording that was given up"


@dataclass(frozen=True)
class Block:
    """Statements that were recorded by themselves, or a function that is called from between blocks.

    lines: the first and the last. takes, gives: its variables. way: what becomes of it. inside: its own
    blocks, where it was cut further. elsewhere: the file, where it is not that of the function.
    """

    name: str
    lines: tuple[int, int]
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    in_loop: bool
    way: str
    programs: tuple[ExplainedProgram, ...]
    recompilations: tuple[Recompilation, ...]
    inside: tuple[Block, ...] = ()
    elsewhere: str = ""

    @property
    def bytes_written(self) -> int:
        """By the kernels of one run of it, at most: one of its programs answers."""
        own = max((program.bytes_written for program in self.programs), default=0)
        return own + sum(block.bytes_written for block in self.inside)

    @property
    def all_programs(self) -> tuple[ExplainedProgram, ...]:
        return (*self.programs, *(program for block in self.inside for program in block.all_programs))

    def __str__(self) -> str:
        first, last = self.lines
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        if self.elsewhere:
            where += f" of {self.elsewhere}"
        text = f"{where} {self.name}({', '.join(self.takes)})"
        if self.gives:
            text += f" -> {', '.join(self.gives)}"
        lines = [f"{text}: {self.way}"]
        for number, program in enumerate(self.programs, 1):
            others = f"; has answered for {program.others} other lengths" if program.others else ""
            lines += [f"  program {number}: {program.signature}{others}", textwrap.indent(str(program), "  ")]
        lines += [f"  recorded again: {again}" for again in self.recompilations]
        lines += [str(block) for block in self.inside]
        return textwrap.indent("\n".join(lines), "  ")


@dataclass(frozen=True)
class LeftToPython:
    """A statement that no block holds: lines, how it begins, why, and what to write instead (empty where
    nothing would be faster). elsewhere: the file, where it is not that of the function."""

    lines: tuple[int, int]
    text: str
    reason: str
    write: str = ""
    elsewhere: str = ""

    def __str__(self) -> str:
        first, last = self.lines
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        where += f" of {self.elsewhere}" if self.elsewhere else ""
        text = f"{where}: {self.text}: {self.reason}"
        return f"{text}\n    instead: {self.write}" if self.write else text


def blocks_of(partitioned: cutting.PartitionedFunction) -> tuple[Block, ...]:
    """Return what became of each block of a cut."""
    native = set(native_statements(partitioned))
    return tuple(
        _block(block)
        for block in partitioned.current()
        if block.by_signature or not native.issuperset(block.piece.block.statements)
    )


def _block(block: cutting.Block) -> Block:
    cut = block.piece.block
    body = cut.node.body
    lines = [number for node in body for number in _lines(node)]
    programs = _programs(block)
    return Block(
        name="block",
        lines=(min(lines), max(lines)),
        takes=cut.takes,
        gives=cut.gives,
        in_loop=cut.in_loop,
        way=_way(block, bool(programs), cut.in_loop),
        programs=programs,
        recompilations=recompilations(block),
        inside=() if block.inside is None else blocks_of(block.inside),
    )


def _lines(node: Any) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _programs(recorded: RecordedFunction) -> tuple[ExplainedProgram, ...]:
    times = Counter(entry for state in recorded.by_signature.values() for entry in state.entries)
    return tuple(explained(entry, count - 1) for entry, count in times.items())


def _way(recorded: RecordedFunction, has_programs: bool, in_loop: bool) -> str:
    states = list(recorded.by_signature.values())
    if isinstance(recorded, cutting.Block):
        if recorded.inside is not None:
            return "cut further"
        if recorded.instead is not None:
            return "left to Python"
    if any(state.partitioned is not None for state in states):
        return "cut into blocks"
    if has_programs and any(state.ready for state in states):
        return _BODY if in_loop else "compiled"
    if any(state.tier in TOO_SMALL for state in states):
        return "left to NumPy, which takes less time than a kernel takes to be called"
    if any(state.has_raised for state in states):
        return "Python's, as it raised: stats.reasons says what"
    if not states:
        within = getattr(recorded, "within", None)
        reached = within is None or within.has_run or any(block.by_signature for block in within.current())
        return "not reached by this call" if reached else _NEXT
    return NOT_YET


def functions_of(root: Any) -> tuple[Block, ...]:
    """Return what became of the functions that Python between blocks calls."""
    found = []
    own = root.__wrapped__.__code__.co_filename
    for callee in list(root.callees.values()):
        if not isinstance(callee, cutting.Callee):
            continue
        fn = callee.__wrapped__
        cuts: list[cutting.PartitionedFunction] = cuts_of(callee)
        programs = _programs(callee)
        lines = [line for _, _, line in fn.__code__.co_lines() if line is not None]
        found.append(
            Block(
                name=fn.__qualname__,
                elsewhere="" if (file := fn.__code__.co_filename) == own else file,
                lines=(fn.__code__.co_firstlineno, max(lines)),
                takes=fn.__code__.co_varnames[: fn.__code__.co_argcount],
                gives=(),
                in_loop=False,
                way=_way(callee, bool(programs), False),
                programs=programs,
                recompilations=recompilations(callee),
                inside=tuple(block for partitioned in cuts for block in blocks_of(partitioned)),
            )
        )
    return tuple(found)


def functions_under(root: Any) -> Iterator[RecordedFunction]:
    """Yield a jitted function, its blocks and the functions that it calls from between them."""
    pending, seen = [root], set()
    while pending:
        recorded = pending.pop()
        if id(recorded) in seen or not isinstance(recorded, RecordedFunction):
            continue
        seen.add(id(recorded))
        yield recorded
        cuts: list[cutting.PartitionedFunction] = cuts_of(recorded)
        if isinstance(recorded, cutting.Block) and recorded.inside is not None:
            cuts.append(recorded.inside)
        for cut in cuts:
            pending += [*cut.blocks.values(), *cut.root.callees.values()]


def native_loops_under(root: Any) -> Iterator[NativeLoop]:
    """Yield the native loops, and native bodies, of a jitted function and of those that it calls."""
    for recorded in functions_under(root):
        cuts: list[cutting.PartitionedFunction] = cuts_of(recorded)
        for cut in cuts:
            for native in (*cut.natives.values(), cut.body):
                if native is not None:
                    yield native


# -- what stays Python ---------------------------------------------------------------------------------------


def left_to_python(
    partitioned: cutting.PartitionedFunction, loops: Iterable[ExplainedLoop]
) -> tuple[LeftToPython, ...]:
    """Return the statements in which there is work, but which no block holds.

    loops: those of the function that native code is meant for.
    """
    elsewhere = file_elsewhere(partitioned)
    tree, _ = tree_of(partitioned.owner.__wrapped__)  # type: ignore[arg-type]
    reasons = reasons_of(partitioned.owner.__wrapped__, partitioned.root.own_stats)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    looped = {part for node in nodes for part in statements(node.body)}
    inside = {*held(partitioned), *native_statements(partitioned)}
    callees = [callee for callee in partitioned.root.callees.values() if isinstance(callee, cutting.Callee)]
    compiled = {callee.name for callee in callees}
    loops_left = [loop for loop in loops if loop.is_left]
    found = []
    for node in statements(body_of(tree)):
        if node in inside or not has_work(node):
            continue
        called = calls_of(node) & compiled
        reason, write = told(node, node in looped, partitioned.levels, reasons)
        if reason.code is Cause.LITTLE_EACH_TRIP and (loop := _innermost(node, loops_left)) is not None:
            reason = Cause.LOOP_LEFT(loop.way)
            write = (loop.why and loop.why.write) or reason.advice
        if called:
            reason, write = Cause.CALLS_COMPILED(", ".join(sorted(called))), ""
        found.append(LeftToPython(_lines(node), first_line(node), str(reason), write, elsewhere))
    return tuple(found)


def _innermost(node: ast.stmt, loops: list[ExplainedLoop]) -> ExplainedLoop | None:
    """Return the innermost of some loops that a statement stands in."""
    around = [loop for loop in loops if loop.lines[0] <= node.lineno <= loop.lines[1]]
    return min(around, key=lambda loop: loop.lines[1] - loop.lines[0], default=None)


def held(partitioned: cutting.PartitionedFunction) -> Iterator[ast.AST]:
    """Yield the statements of all blocks that are called as blocks."""
    for block in partitioned.current():
        if block.inside is not None:
            yield from held(block.inside)
        elif block.instead is None:
            yield from block.piece.block.statements
