"""Shows the source of a native loop, with the types of names and the checks of each line beside it.

`loops.py` makes a listing of the typed programs of one loop, one for each combination of types at its entry.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.lower.loops import array_ir, ir
from npcompile.lower.loops.list_ir import ListItem
from npcompile.lower.loops.nest_ir import LoopNest
from npcompile.lower.loops.types import Known, Type

# A listing of more lines is shown without those that have nothing beside them, and ends after this many.
MOST_LINES = 16
_WIDEST = 56  # of the source, before the column beside it
_BEYOND = (ast.Add, ast.Sub, ast.Mult, ast.USub, ast.Pow, ast.LShift)
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
SHARED, UNCHECKED = "threads share the trips", "bounds are checked before the first trip"
VECTORISED = "vectorised"  # by the C++ compiler


@dataclass(frozen=True)
class ExplainedLine:
    """One line of a native loop.

    types: those that each name has there. checks: the checks that native code makes there at each trip of an
    innermost loop. marks: words on the loop that begins there.
    """

    line: int
    text: str
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    def beside(self, shown: dict[str, tuple[str, ...]]) -> str:
        """Return what stands beside the line. shown: the types that names had on lines above."""
        new = {name: kinds for name, kinds in self.types.items() if shown.get(name) != kinds}
        shown |= new
        by_types = sorted(new.items(), key=lambda item: (" or ".join(item[1]), item[0]))
        texts = [
            f"{', '.join(name for name, _ in names)}: {' or '.join(kinds)}"
            for kinds, names in groupby(by_types, key=lambda item: item[1])
        ]
        texts += [f"checks {' and '.join(self.checks)}"] if self.checks else []
        return "; ".join([*texts, *self.marks])


def listing(
    node: ast.stmt, file: str, regions: list[ir.Region], vectorised: Iterable[int]
) -> tuple[ExplainedLine, ...]:
    """Return the lines of a loop statement. vectorised: those at which vectorised loops begin."""
    facts = _Facts(node)
    for region in regions:
        facts.add(region)
        for function in region.functions:  # those of comprehensions have lines of the loop's
            if function.body is not None:
                facts.add_types(function.body)
    for line in vectorised:
        facts.marks.setdefault(line, {})[VECTORISED] = None
    return tuple(
        ExplainedLine(
            line,
            linecache.getline(file, line).rstrip(),
            {name: tuple(kinds) for name, kinds in sorted(facts.types.get(line, {}).items())},
            tuple(sorted(facts.checks.get(line, ()))),
            tuple(facts.marks.get(line, ())),
        )
        for line in facts.lines
    )


def text_of(lines: Sequence[ExplainedLine], most: int = MOST_LINES) -> str:
    """Return a listing as text. most: where it has more lines, those are left out beside which nothing
    stands, and then the last ones.
    """
    shown: dict[str, tuple[str, ...]] = {}
    wanted = [(line, line.beside(shown)) for line in lines]
    if len(wanted) > most:
        wanted = [(line, note) for line, note in wanted if note]
    rest = len(wanted) - most
    wanted = wanted[:most]
    indent = min((_indent(line.text) for line, _ in wanted if line.text.strip()), default=0)
    width = min(max((len(line.text) - indent for line, _ in wanted), default=0), _WIDEST)
    made: list[str] = []
    before = None
    for line, note in wanted:
        if before is not None and line.line != before + 1:
            made.append("     ...")
        before = line.line
        text = line.text[indent:]
        made.append(f"{line.line:5}  {text:{width}}  # {note}" if note else f"{line.line:5}  {text}")
    if rest > 0:
        made.append(f"     ... {rest} more lines: see `loops[...].listing`")
    return "\n".join(made)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


class _Facts:
    """Facts about lines, by their numbers."""

    def __init__(self, node: ast.stmt) -> None:
        self.lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        self.innermost = _innermost(node)
        self.types: dict[int, dict[str, dict[str, None]]] = {}
        self.checks: dict[int, dict[str, None]] = {}
        self.marks: dict[int, dict[str, None]] = {}

    def add(self, region: ir.Region) -> None:
        self.add_types(region)
        nests = [one for one in region.nests.values() if isinstance(one, LoopNest) and one.is_counted]
        fast = [*region.fast_loops, *(one.header for one in nests)]
        for headers, mark in ((region.shared, SHARED), (fast, UNCHECKED)):
            for header in headers:
                if header.end is not None:
                    self.marks.setdefault(header.end.line, {})[mark] = None
        unchecked: set[object] = {item for loop in region.fast_loops.values() for item in loop.unchecked}
        unchecked.update(node for one in nests for node in (*one.unchecked, *one.certain))
        blocks = [block for lines in self.innermost for block in _cycle(region, lines)]
        for step in (step for block in blocks for step in _steps(block)):
            for what in _checks(region, step, unchecked):
                self.checks.setdefault(step.line, {})[what] = None

    def add_types(self, region: ir.Region) -> None:
        for block in region.blocks:
            for step in _steps(block):
                for name, kind in _typed_names(step):
                    if name[0] != "." and not isinstance(kind, Known) and step.line in self.lines:
                        known = self.types.setdefault(step.line, {}).setdefault(name, {})
                        known[str(kind)] = None


def _steps(block: ir.Block) -> list[ir.Step | ir.End]:
    return [*block.steps, *([] if block.end is None else [block.end])]


def _typed_names(step: ir.Step | ir.End) -> Iterator[tuple[str, Type]]:
    """Yield the names that a step reads and binds, with their types there."""
    for node in _expressions(step):
        if isinstance(node, ir.Read):
            yield node.name, node.type
    if isinstance(step, ir.Bind):
        yield step.name, step.value.type
    elif isinstance(step, ir.CallFunction):
        yield from step.function.changed.items()


def _expressions(step: ir.Step | ir.End) -> Iterator[ir.Expression]:
    pending = list(ir.expressions_of(step))
    while pending:
        node = pending.pop()
        yield node
        pending += ir.parts_of(node)


def _checks(region: ir.Region, step: ir.Step | ir.End, unchecked: set[object]) -> Iterator[str]:
    """Yield the checks that native code makes before or in a step; it leaves where one fails."""
    if isinstance(step, ir.StoreItem) and step not in unchecked:
        yield "bounds"
    for node in _expressions(step):
        match node:
            case ir.Item() if node not in unchecked:
                yield "bounds"
            case ListItem() | array_ir.Indices():
                yield "bounds"
            case ir.Apply(operation=operation, operator=operator) if operation.leaves:
                if node in unchecked or (node in region.certain and operation.unchecked is not None):
                    continue
                if operator in _DIVISIONS:
                    yield "for division by zero"
                elif operator in _BEYOND:
                    yield "for ints beyond 64 bits"
                else:
                    yield "operands"


def _innermost(node: ast.stmt) -> list[range]:
    """Return the lines of the loops that hold no other loop."""
    loops = [part for part in own_nodes([node]) if isinstance(part, ast.For | ast.While)]
    return [
        range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
        for loop in loops
        if not any(isinstance(part, ast.For | ast.While) for part in own_nodes(loop.body))
    ]


def _cycle(region: ir.Region, lines: range) -> list[ir.Block]:
    """Return the blocks on these lines that come again at another trip: versions of a first trip do not."""
    within = {block for block in region.blocks if block.end is not None and block.end.line in lines}
    found = []
    for block in within:
        seen: set[ir.Block] = set()
        pending = [*ir.targets(block.end)]
        while pending and block not in seen:
            if (one := pending.pop()) in within and one not in seen:
                seen.add(one)
                pending += ir.targets(one.end)
        found += [block] if block in seen else []
    return found


def statement_at(node: ast.AST, line: int) -> ast.stmt | None:
    """Return the innermost statement on a line."""
    found = [
        part
        for part in own_nodes([node])
        if isinstance(part, ast.stmt) and part.lineno <= line <= (part.end_lineno or part.lineno)
    ]
    return max(found, key=lambda part: part.lineno, default=None)
