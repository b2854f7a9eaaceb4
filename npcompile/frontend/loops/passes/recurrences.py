"""Finds affine recurrences of integers: `x = (a * x + c) & mask`, `h = h * 33 + byte` of a NumPy integer.

Each trip waits for the product of the trip before. Of low bits, what several trips make of an int is affine
in the int at first, too: its factor is known before the trips, and what is added depends on no trip before.

Loops without branches that store items at places which data tell (`count[x[i]] += 1`) are found, too: nothing
vectorises them, and their counters take as long as what they do.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import natural_loops, predecessors
from npcompile.lower.loops.guess_ir import GuessedLoop
from npcompile.lower.loops.iterator_ir import is_finite
from npcompile.lower.loops.recurrence_ir import AffineStep, Recurrence, Term
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import INT, UNSIGNED, Scalar, Type
from npcompile.lower.loops.verifier import bound_by

WORD = 64  # bits of the integers that are computed with
MOST_NODES = 40  # of a trip's expressions: what longer trips do takes more time than a product
FEW_NODES = 16
MANY_TRIPS, FEW_TRIPS = 8, 4
_CASTS = ("npl::cast<", "npl::fitting_cast<")
_PURE = (ir.Apply, ir.Choose, ir.Constant, ir.Item, ir.Length, ir.Part, ir.Read, Masked, Select)


def compose(region: ir.Region) -> None:
    """Note in a region the loops of which several trips are to be done at once."""
    before = predecessors(region)
    for header, blocks in natural_loops(region).items():
        loop = region.fast_loops.get(header)
        if header in region.shared or isinstance(loop, GuessedLoop):
            continue
        if loop is not None and loop.partial is not None:
            continue
        if not isinstance(header.end, ir.Next) or not is_finite(header.end.kind) or header.steps:
            continue
        if _is_plain(blocks - {header}):
            found = _recurrence(region, header, header.end, blocks, before)
            if found is not None:
                region.recurrences[header] = found


def _is_plain(blocks: set[ir.Block]) -> bool:
    """Tell if blocks are few, and do nothing but bind names and store items."""
    steps = [step for block in blocks for step in block.steps]
    nodes = _nodes(blocks)
    return (
        not any(block.is_header for block in blocks)
        and all(isinstance(step, ir.Bind | ir.StoreItem) for step in steps)
        and all(isinstance(block.end, ir.Jump | ir.Branch) for block in blocks)
        and len({*map(str, nodes)}) <= MOST_NODES
        and all(isinstance(node, _PURE) for node in nodes)
    )


def _nodes(blocks: set[ir.Block]) -> list[ir.Expression]:
    steps = (step for block in blocks for step in (*block.steps, block.end))
    return [*subexpressions(node for step in steps for node in ir.expressions_of(step))]


def _in_each_trip(
    end: ir.Next, blocks: set[ir.Block], before: dict[ir.Block, list[ir.Block]]
) -> list[ir.Block]:
    """Return the blocks that each trip does, in order, up to the first branch."""
    found: list[ir.Block] = []
    block = end.body
    while block in blocks and block not in found and len(before[block]) == 1:
        found.append(block)
        if not isinstance(block.end, ir.Jump):
            break
        block = block.end.target
    return found


def _recurrence(
    region: ir.Region,
    header: ir.Block,
    end: ir.Next,
    blocks: set[ir.Block],
    before: dict[ir.Block, list[ir.Block]],
) -> Recurrence | None:
    """Return the affine recurrences of a loop; None where it has none."""
    within = [block for block in region.blocks if block in blocks - {header}]
    first = _in_each_trip(end, {*within}, before)
    steps = [step for block in first for step in block.steps]
    later = {
        name for block in within if block not in first for step in block.steps for name in bound_by(step)
    }
    bound = {end.item, end.state, *later, *(name for step in steps for name in bound_by(step))}
    made: dict[ir.Step, AffineStep] = {}
    names = []
    for name in dict.fromkeys(step.name for step in steps if isinstance(step, ir.Bind)):
        if name in later or not _width(header.types.get(name)):
            continue
        if found := _Steps(region, name, bound).of(steps):
            made |= found
            names.append(name)
    if not names and not (first == within and any(_is_scattered(step, end, steps) for step in steps)):
        return None
    trips = MANY_TRIPS if names and len(_nodes({*within})) <= FEW_NODES else FEW_TRIPS
    rest = [block for block in within if block not in first]
    return Recurrence((*first, *rest), made, trips, tuple(names))


def _is_scattered(step: ir.Step, end: ir.Next, steps: list[ir.Step]) -> bool:
    """Tell if a step stores an item at a place that data tell: no loop of such steps is vectorised."""
    if not isinstance(step, ir.StoreItem):
        return False
    numbers = {end.item}  # names of the trip's number
    data = set[str]()
    for one in steps:
        if isinstance(one, ir.Bind):
            is_number = isinstance(one.value, ir.Read) and one.value.name in numbers
            (numbers if is_number and isinstance(end, ir.NextOfRange) else data).add(one.name)
    if not isinstance(end, ir.NextOfRange):
        data.add(end.item)
    return any(
        isinstance(node, ir.Item) or (isinstance(node, ir.Read) and node.name in data)
        for node in subexpressions(step.indices)
    )


class _Sum(NamedTuple):
    """An int as `factor * name + added`. bits: so many low bits of it are known by those of the name."""

    factor: tuple[Term, ...]
    added: tuple[Term, ...]
    bits: int


class _Steps:
    """The steps of a trip that give a name a value. bound: the names that trips bind."""

    def __init__(self, region: ir.Region, name: str, bound: set[str]) -> None:
        self.region = region
        self.name = name
        self.bound = bound

    def of(self, steps: list[ir.Step]) -> dict[ir.Step, AffineStep] | None:
        """Return them as affine ones; None where one is not, or where they keep different bits."""
        found: dict[ir.Step, AffineStep] = {}
        products = 0
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            if self.name not in bound_by(step):
                continue
            assert isinstance(step, ir.Bind)
            kept = self._kept(step.value)
            if not kept and isinstance(after, ir.Bind) and self._is_mask_alone(after):
                kept, is_masked = self._kept(after.value), False  # `x = a * x + c` before `x &= mask`
            else:
                is_masked = self._mask(step.value) is not None
            made = self._sum(step.value)
            if made is None or not kept or made.bits < kept or not made.factor:
                return None
            products += any(term.parts or term.factor not in (0, 1) for term in made.factor)
            found[step] = AffineStep(step.place, step.line, step, made.factor, made.added, kept, is_masked)
        is_same = len({one.bits for one in found.values()}) == 1
        return found if products and is_same else None

    def _is_mask_alone(self, step: ir.Bind) -> bool:
        """Tell if a step keeps low bits of the name and does nothing else: nobody sees the others before."""
        parts = ir.parts_of(step.value)
        is_plain = all(isinstance(part, ir.Read | ir.Constant) for part in parts)
        return step.name == self.name and is_plain and self._mask(step.value) is not None

    def _kept(self, value: ir.Expression) -> int:
        """Return how many low bits are kept of a value that a name is given; 0 where all digits count."""
        if (mask := self._mask(value)) is not None:
            return mask
        return 0 if value.type in (INT, UNSIGNED) else _width(value.type)

    @staticmethod
    def _mask(node: ir.Expression) -> int | None:
        """Return how many low bits an operation keeps of an int; None for other operations."""
        if not isinstance(node, ir.Apply) or node.operator not in (ast.BitAnd, ast.Mod):
            return None
        constants = [one for one in node.operands if isinstance(one, ir.Constant) and _width(one.type)]
        if len(constants) != 1 or (node.operator is ast.Mod and constants[0] is node.operands[0]):
            return None
        mask = int(constants[0].value) - (node.operator is ast.Mod)
        is_low = mask > 0 and mask & (mask + 1) == 0
        bits = mask.bit_length()
        return bits if is_low and bits <= _width(node.type) else None

    def _sum(self, node: ir.Expression) -> _Sum | None:
        """Return an int as a sum; None where it is none."""
        width = _width(node.type)
        if not width:
            return None
        if isinstance(node, ir.Constant):
            return _Sum((), (Term(int(node.value)),), WORD)
        if not varies(node, {self.name}):
            return _Sum((), (Term(1, (node,)),), WORD)
        if isinstance(node, ir.Read):
            return _Sum((Term(1),), (), WORD)
        if not isinstance(node, ir.Apply) or not all(_width(operand.type) for operand in node.operands):
            return None
        operation = node.operation
        if operation.leaves and node not in self.region.certain:
            return None
        if any(operand in self.region.limits for operand in node.operands):
            return None
        sums = [self._sum(operand) for operand in node.operands]
        if None in sums:
            return None
        made = self._made(node, [one for one in sums if one is not None])
        if made is None:
            return None
        return made._replace(bits=min(width, made.bits, *map(_width, operation.operands)))

    def _made(self, node: ir.Apply, sums: list[_Sum]) -> _Sum | None:
        """Return what an operation makes of its operands."""
        bits = min(one.bits for one in sums)
        if len(sums) == 1:
            (one,) = sums
            if node.operator is ast.USub:
                return _Sum(_times(one.factor, Term(-1)), _times(one.added, Term(-1)), bits)
            is_cast = node.operator is None and node.operation.function.startswith(_CASTS)
            return one if is_cast else None
        if len(sums) != 2:
            return None
        left, right = sums
        match node.operator:
            case ast.Add | ast.Sub:
                sign = Term(1 if node.operator is ast.Add else -1)
                return _Sum(
                    (*left.factor, *_times(right.factor, sign)),
                    (*left.added, *_times(right.added, sign)),
                    bits,
                )
            case ast.Mult:
                if not right.factor:
                    left, right = right, left
                by = None if left.factor else self._fixed(left.added)
                return None if by is None else _Sum(_times(right.factor, by), _times(right.added, by), bits)
            case ast.LShift:
                (by,) = right.added if not right.factor and len(right.added) == 1 else (None,)
                if by is None or by.parts or not 0 <= by.factor < _width(node.type):
                    return None
                by = Term(1 << by.factor)
                return _Sum(_times(left.factor, by), _times(left.added, by), left.bits)
        mask = self._mask(node)
        if mask is None:
            return None
        kept = left if left.factor else right
        return kept._replace(bits=min(kept.bits, mask))

    def _fixed(self, terms: tuple[Term, ...]) -> Term | None:
        """Return a product that is the same in all trips; None for other sums."""
        if len(terms) != 1:
            return None
        (one,) = terms
        is_name = all(isinstance(part, ir.Read) and part.name not in self.bound for part in one.parts)
        return one if is_name else None


def _times(terms: tuple[Term, ...], by: Term) -> tuple[Term, ...]:
    return tuple(Term(one.factor * by.factor, (*one.parts, *by.parts)) for one in terms)


def _width(kind: Type | None) -> int:
    """Return how many bits the integers of a type have; 0 for other types."""
    if kind == UNSIGNED:
        return WORD
    return kind.bits if isinstance(kind, Scalar) and kind.kind in "iu" else 0
