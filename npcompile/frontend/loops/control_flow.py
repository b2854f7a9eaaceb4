"""Makes the control-flow graph of a loop region from its normal form: blocks of steps and their ends.

Inference types it, `resume.py` runs it from any place in Python. Tests, `and`, `or` and ternaries of statements
have become branches in it.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Block:
    """Simple statements, one after the other, and how they end.

    loop: the loop whose trips begin at this block, if it is a loop's header.
    """

    number: int
    steps: list[Step] = field(default_factory=list)
    end: End | None = None
    loop: ast.For | ast.While | None = None

    @property
    def targets(self) -> tuple[Block, ...]:
        match self.end:
            case Jump(target):
                return (target,)
            case Branch(_, then, otherwise):
                return (then, otherwise)
            case Next(_, _, body, exhausted):
                return (body, exhausted)
        return ()


@dataclass(frozen=True, eq=False)
class Iterate:
    """Begin to iterate: `state = iter(iterable)`."""

    state: str
    iterable: ast.expr


Step = ast.stmt | Iterate


@dataclass(frozen=True, eq=False)
class Jump:
    target: Block


@dataclass(frozen=True, eq=False)
class Branch:
    test: ast.expr
    then: Block
    otherwise: Block


@dataclass(frozen=True, eq=False)
class Next:
    """Take the next item of an iterator as `item` and go to the body, or to `exhausted` if there is none."""

    state: str
    item: str
    body: Block
    exhausted: Block


@dataclass(frozen=True, eq=False)
class Return:
    """Return from the function around the region."""

    value: ast.expr | None


@dataclass(frozen=True, eq=False)
class Done:
    """The region is done; the statement after it comes next."""


End = Jump | Branch | Next | Return | Done


@dataclass(eq=False)
class ControlFlow:
    """The graph of one region. The first block is the header of the region's outermost loop."""

    blocks: list[Block]
    state: str | None  # the name of the outermost loop's iterator, None for a `while` loop
    live: dict[Block, frozenset[str]]  # names that are read later, where a block begins
    stored: frozenset[str]  # the user's names that the region may bind


def control_flow(loop: ast.For | ast.While) -> ControlFlow:
    """Return the graph of a loop statement in normal form."""
    return _Builder().build(loop)


class _Builder:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.at = self.block()
        self.loops: list[tuple[Block, Block]] = []  # where `continue` and `break` lead
        self.states = 0

    def block(self) -> Block:
        made = Block(len(self.blocks))
        self.blocks.append(made)
        return made

    def build(self, loop: ast.For | ast.While) -> ControlFlow:
        state = self.for_(loop, begun=True) if isinstance(loop, ast.For) else self.while_(loop)
        self.at.end = Done()
        names = {
            part.id
            for part in ast.walk(loop)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id[0] != "."
        }
        return ControlFlow(self.blocks, state, live_at(self.blocks), frozenset(names))

    # -- statements --------------------------------------------------------------------------------------

    def body(self, statements: list[ast.stmt]) -> None:
        for node in statements:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.For():
                self.for_(node)
            case ast.While():
                self.while_(node)
            case ast.If():
                self.if_(node)
            case ast.Break():
                self.leave_to(self.loops[-1][1])
            case ast.Continue():
                self.leave_to(self.loops[-1][0])
            case ast.Return():
                self.at.end = Return(node.value)
                self.at = self.block()
            case ast.Pass():
                pass
            case ast.Assign(targets=[ast.Name() as target], value=ast.IfExp() as value):
                one, other = self.assigned(target, value.body), self.assigned(target, value.orelse)
                self.if_(ast.copy_location(ast.If(value.test, [one], [other]), node))
            case ast.Assign(targets=[ast.Name() as target], value=ast.BoolOp() as value):
                self.choose(target, value)
            case _:
                self.at.steps.append(node)

    def assigned(self, target: ast.Name, value: ast.expr) -> ast.stmt:
        return ast.copy_location(ast.Assign([target], value), value)

    def choose(self, target: ast.Name, value: ast.BoolOp) -> None:
        """Bind a name to the value of `and` or `or`, which is one of the operands."""
        end = self.block()
        held = ast.copy_location(ast.Name(f".chosen{end.number}", ast.Load()), value)
        store = ast.copy_location(ast.Name(held.id, ast.Store()), value)
        for operand in value.values[:-1]:
            self.statement(self.assigned(store, operand))
            found, rest = self.block(), self.block()
            ends = (rest, found) if isinstance(value.op, ast.And) else (found, rest)
            self.at.end = Branch(held, *ends)
            self.at = found
            self.statement(self.assigned(target, held))
            self.at.end = Jump(end)
            self.at = rest
        self.statement(self.assigned(target, value.values[-1]))
        self.at.end = Jump(end)
        self.at = end

    def leave_to(self, target: Block) -> None:
        self.at.end = Jump(target)
        self.at = self.block()  # nothing leads there

    def if_(self, node: ast.If) -> None:
        then, otherwise, after = self.block(), self.block(), self.block()
        self.test(node.test, then, otherwise)
        for start, statements in ((then, node.body), (otherwise, node.orelse)):
            self.at = start
            self.body(statements)
            self.at.end = Jump(after)
        self.at = after

    def test(self, node: ast.expr, then: Block, otherwise: Block) -> None:
        """End the block at hand by a test."""
        match node:
            case ast.BoolOp(op=op, values=values):
                for value in values[:-1]:
                    rest = self.block()
                    ends = (rest, otherwise) if isinstance(op, ast.And) else (then, rest)
                    self.test(value, *ends)
                    self.at = rest
                self.test(values[-1], then, otherwise)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.test(operand, otherwise, then)
            case ast.Compare(left=left, ops=[first, *others], comparators=[right, *more]) if others:
                one = ast.copy_location(ast.Compare(left, [first], [right]), node)
                rest = ast.copy_location(ast.Compare(right, others, more), node)
                self.test(ast.copy_location(ast.BoolOp(ast.And(), [one, rest]), node), then, otherwise)
            case ast.Constant(value=value):
                self.at.end = Jump(then if value else otherwise)
            case _:
                self.at.end = Branch(node, then, otherwise)

    # -- loops -------------------------------------------------------------------------------------------

    def header(self, loop: ast.For | ast.While) -> Block:
        if self.at.steps or self.at.loop is not None:
            header = self.block()
            self.at.end = Jump(header)
            self.at = header
        self.at.loop = loop
        return self.at

    def for_(self, node: ast.For, begun: bool = False) -> str:
        """Add a `for` loop. begun: its iterator is there."""
        state, item = f".iterator{self.states}", f".item{self.states}"
        self.states += 1
        if not begun:
            self.at.steps.append(Iterate(state, node.iter))
        header, body, exhausted, after = self.header(node), self.block(), self.block(), self.block()
        header.end = Next(state, item, body, exhausted)
        self.at = body
        taken = ast.copy_location(ast.Name(item, ast.Load()), node.target)
        body.steps.append(ast.copy_location(ast.Assign([copy.copy(node.target)], taken), node.target))
        self.trips(node.body, header, after)
        self.rest(node.orelse, exhausted, after)
        return state

    def while_(self, node: ast.While) -> None:
        header, body, exhausted, after = self.header(node), self.block(), self.block(), self.block()
        self.test(node.test, body, exhausted)
        self.at = body
        self.trips(node.body, header, after)
        self.rest(node.orelse, exhausted, after)

    def trips(self, statements: list[ast.stmt], header: Block, after: Block) -> None:
        self.loops.append((header, after))
        self.body(statements)
        self.loops.pop()
        self.at.end = Jump(header)

    def rest(self, statements: list[ast.stmt], exhausted: Block, after: Block) -> None:
        self.at = exhausted
        self.body(statements)
        self.at.end = Jump(after)
        self.at = after


# -- liveness ----------------------------------------------------------------------------------------------


def read_by(step: Any) -> frozenset[str]:
    """Return the names that a step, a test or a value reads."""
    if isinstance(step, Iterate):
        return read_by(step.iterable)
    parts = [part for part in ast.walk(step) if isinstance(part, ast.Name)]
    read = {part.id for part in parts if isinstance(part.ctx, ast.Load)}
    if isinstance(step, ast.AugAssign) and isinstance(step.target, ast.Name):
        read.add(step.target.id)
    return frozenset(read)


def bound_by(step: Step) -> frozenset[str]:
    """Return the names that a step binds."""
    if isinstance(step, Iterate):
        return frozenset({step.state})
    parts = [part for part in ast.walk(step) if isinstance(part, ast.Name)]
    return frozenset(part.id for part in parts if isinstance(part.ctx, ast.Store))


def live_before(block: Block, after: frozenset[str], first: int = 0) -> frozenset[str]:
    """Return the names that are read later, before a block's step `first`. after: those read in later blocks."""
    live = set(after)
    match block.end:
        case Branch(test, _, _):
            live |= read_by(test)
        case Next(state, item, _, _):
            live = (live - {item}) | {state}
        case Return(value) if value is not None:
            live |= read_by(value)
    for step in reversed(block.steps[first:]):
        live -= bound_by(step)
        live |= read_by(step)
    return frozenset(live)


def live_at(blocks: list[Block]) -> dict[Block, frozenset[str]]:
    """Return the names that are read later, where each block begins."""
    live: dict[Block, frozenset[str]] = {block: frozenset() for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            after = frozenset().union(*(live[target] for target in block.targets))
            found = live_before(block, after)
            changed |= found != live[block]
            live[block] = found
    return live
