"""Makes the control-flow graph of a loop region from its normal form: blocks of steps and their ends.

Inference types it, `resume.py` runs it from any place in Python. Tests, `and`, `or` and ternaries of
statements have become branches in it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from npcompile.frontend.loops.source.normal_form import is_temporary
from npcompile.frontend.loops.source.protected import Protected, is_protected
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import loads
from npcompile.frontend.rewrite.scopes import stored_names


@dataclass(eq=False)
class Block:
    """Simple statements, one after the other, and how they end.

    loop: the loop whose trips begin at this block, if it is a loop's header. exhausted, after: where the loop
    leads once there are no more trips, and by `break`. guard: the statement in whose body it is, if any.
    """

    number: int
    steps: list[Step] = field(default_factory=list)
    end: End | None = None
    loop: ast.For | ast.While | None = None
    exhausted: Block | None = None
    after: Block | None = None
    guard: Guard | None = None

    @property
    def targets(self) -> tuple[Block, ...]:
        match self.end:
            case Jump(target):
                return (target,)
            case Branch(_, then, otherwise):
                return (then, otherwise)
            case Next(_, _, body, exhausted):
                return (body, exhausted)
            case Compound(_, after, broken, continued):
                return (after, broken, continued)
        return ()

    def line_at(self, step: int) -> int | None:
        """Return the line of a step, or of the end, whose number is that after the last step's.

        None where it has none.
        """
        if step < len(self.steps):
            done = self.steps[step]
            return done.iterable.lineno if isinstance(done, Iterate) else done.lineno
        match self.end:
            case Branch(test=node) | Compound(statement=node) | Return(value=ast.expr() as node):
                return node.lineno
        return None if self.loop is None else self.loop.lineno


@dataclass(frozen=True, eq=False)
class Guard:
    """A `try` or `with` statement that a region holds.

    completed: where its body leads to. after: the block after it. broken, continued: where `break` and
    `continue` in it lead. ends: the blocks where they, and each `return`, lead from its body, with the
    statement: a `finally` comes between. handlers: the statement's handlers, which Python does, and its
    `finally`: names that they read may be read.
    """

    statement: Protected
    completed: Block
    after: Block
    broken: Block | None
    continued: Block | None
    ends: dict[Block, ast.stmt] = field(default_factory=dict)
    handlers: list[Block] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Iterate:
    """Begin to iterate: `state = iter(iterable)`. loop: the loop that does."""

    state: str
    iterable: ast.expr
    loop: ast.For


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
class Compound:
    """Do an opaque statement that may leave a trip of the loop around it by `break` or `continue`."""

    statement: ast.stmt
    after: Block
    broken: Block
    continued: Block


@dataclass(frozen=True, eq=False)
class Return:
    """Return from the function around the region."""

    value: ast.expr | None


@dataclass(frozen=True, eq=False)
class Done:
    """The region is done; the statement after it comes next."""


End = Jump | Branch | Next | Compound | Return | Done


@dataclass(eq=False)
class ControlFlow:
    """The graph of one region. The first block is the header of the region's outermost loop."""

    blocks: list[Block]
    state: str | None  # the name of the outermost loop's iterator, None for a `while` loop
    live: dict[Block, frozenset[str]]  # names that are read later, where a block begins
    stored: frozenset[str]  # the user's names that the region may bind or delete
    kept: frozenset[str]  # those among them that are read once the region is done

    @property
    def size(self) -> int:
        """Return the number of steps, and of ends of blocks."""
        return sum(len(block.steps) + 1 for block in self.blocks)


ANSWER = ".answer"  # the name of the result of a function whose whole body is a region


def control_flow(loop: ast.For | ast.While, after: Sequence[ast.stmt] = ()) -> ControlFlow:
    """Return the graph of a loop statement in normal form, with statements that are done after it.

    Raises ValueError if the loop's `else` has a `break` or `continue`: they are those of a loop around it.
    """
    return _Builder().build(loop, after)


def body_flow(statements: list[ast.stmt]) -> ControlFlow:
    """Return the graph of a function's body in normal form: all of its ends return."""
    return _Builder().build_body(statements)


def function_flow(statements: list[ast.stmt]) -> ControlFlow:
    """Return the graph of a function's body in normal form as a region.

    It binds `ANSWER`, and is done, where the function returns.
    """
    return _Builder().build_region(statements)


def end_after_trip(flow: ControlFlow) -> None:
    """Have a loop's graph end in a further block, its last one, where another trip would begin."""
    header, last = flow.blocks[0], Block(len(flow.blocks), end=Done())
    for block in flow.blocks:
        match block.end:
            case Jump(target) if target is header:
                block.end = Jump(last)
            case Compound(statement, after, broken, continued):
                block.end = Compound(
                    statement, *[last if one is header else one for one in (after, broken, continued)]
                )
    flow.blocks.append(last)
    flow.live = live_at(flow.blocks)


def gone_over(block: Block, number: int) -> ast.For | None:
    """Return the loop over the value of the call that a step makes, which nothing else has; None for others.

    The normal form binds a call with effects that a loop goes over to a temporary.
    """
    steps = block.steps[number : number + 2]
    if len(steps) == 1 and isinstance(block.end, Jump):  # an operand was replaced in the step
        steps += block.end.target.steps[:1]
    match steps:
        case [ast.Assign(targets=[ast.Name() as name], value=ast.Call()), Iterate(_, iterable, loop)]:
            if isinstance(iterable, ast.Call) and ast.unparse(iterable.func) == "enumerate":
                iterable = iterable.args[0] if iterable.args else iterable
            is_same = isinstance(iterable, ast.Name) and iterable.id == name.id
            return loop if is_same and is_temporary(name) else None
    return None


class _Builder:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.guard: Guard | None = None
        self.at = self.block()
        self.loops: list[tuple[Block, Block]] = []  # where `continue` and `break` lead
        self.states = self.compared = 0

    def block(self) -> Block:
        made = Block(len(self.blocks), guard=self.guard)
        self.blocks.append(made)
        return made

    def build(self, loop: ast.For | ast.While, after: Sequence[ast.stmt]) -> ControlFlow:
        state = self.for_(loop, begun=True) if isinstance(loop, ast.For) else None
        if isinstance(loop, ast.While):
            self.while_(loop)
        self.body([*after])
        self.at.end = Done()
        names = frozenset(name for name in stored_names(loop, *after) if name[0] != ".")
        return ControlFlow(self.blocks, state, live_at(self.blocks), names, names)

    def build_body(self, statements: list[ast.stmt]) -> ControlFlow:
        self.jump()  # nothing leads to the first block
        self.body(statements)
        self.at.end = Return(None)
        return ControlFlow(self.blocks, None, live_at(self.blocks), frozenset(), frozenset())

    def build_region(self, statements: list[ast.stmt]) -> ControlFlow:
        self.jump()
        self.body(statements)
        self.at.end = Return(None)
        done = self.block()
        done.end = Done()
        for block in self.blocks:
            if isinstance(block.end, Return):
                self.at = block
                value = block.end.value or ast.Constant(None, lineno=0, col_offset=0)
                store = ast.copy_location(ast.Name(ANSWER, ast.Store()), value)
                self.statement(self.assigned(store, value))
                self.at.end = Jump(done)
        stored = frozenset(name for name in stored_names(*statements) if name[0] != ".") | {ANSWER}
        return ControlFlow(self.blocks, None, live_at(self.blocks), stored, frozenset({ANSWER}))

    def jump(self) -> None:
        """Go on in a new block."""
        target = self.block()
        self.at.end = Jump(target)
        self.at = target

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
                self.leave_to(self.around()[1])
            case ast.Continue():
                self.leave_to(self.around()[0])
            case ast.Return(value=ast.IfExp() as value):
                ways = [ast.copy_location(ast.Return(one), node) for one in (value.body, value.orelse)]
                self.if_(ast.copy_location(ast.If(value.test, [ways[0]], [ways[1]]), node))
            case ast.Return() if self.guard is not None:
                self.return_from(self.guard, node)
            case ast.Return():
                self.at.end = Return(node.value)
                self.at = self.block()
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case ast.Assign(targets=[ast.Name() as target], value=ast.IfExp() as value):
                one, other = self.assigned(target, value.body), self.assigned(target, value.orelse)
                self.if_(ast.copy_location(ast.If(value.test, [one], [other]), node))
            case ast.Assign(targets=[ast.Name() as target], value=ast.BoolOp() as value):
                self.choose(target, value)
            case ast.Assert() if __debug__:
                self.assertion(node)
            case ast.Try() | ast.With() if self.guard is None and is_protected(node):
                self.protected(node)
            case _ if leaves_trip(node):
                after = self.block()
                continued, broken = self.around()
                self.at.end = Compound(node, after, broken, continued)
                self.at = after
            case _:
                self.at.steps.append(node)

    def around(self) -> tuple[Block, Block]:
        """Return where `continue` and `break` lead."""
        if not self.loops:
            raise ValueError("the `else` of a region's loop goes on with a loop around the region")
        return self.loops[-1]

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
        """Add the ways of a statement; a chain of `elif` may be longer than Python's limit of recursion."""
        ends: list[Block] = []
        chain: list[ast.stmt] = [node]
        while len(chain) == 1 and isinstance(one := chain[0], ast.If):
            then, otherwise, end = self.block(), self.block(), self.block()
            self.test(one.test, then, otherwise)
            self.at = then
            self.body(one.body)
            self.at.end, self.at = Jump(end), otherwise
            ends.append(end)
            chain = one.orelse
        self.body(chain)
        for end in reversed(ends):
            self.at.end, self.at = Jump(end), end

    def assertion(self, node: ast.Assert) -> None:
        """Go on where an assertion holds; where it does not, the statement is done as it is written."""
        then, otherwise = self.block(), self.block()
        self.test(node.test, then, otherwise)
        otherwise.steps.append(node)
        otherwise.end = Jump(then)
        self.at = then

    def protected(self, node: Protected) -> None:
        """Add a `try` or `with` statement: its body, `else` and `finally`, and its handlers for the names in
        them.
        """
        completed, after = self.block(), self.block()
        continued, broken = self.loops[-1] if self.loops else (None, None)
        guard = Guard(node, completed, after, broken, continued)
        if isinstance(node, ast.With):
            manager = node.items[0].context_expr  # typing it tells if it is NumPy's `errstate`
            self.at.steps.append(ast.copy_location(ast.Expr(manager), manager))
        handlers, last = node.handlers if isinstance(node, ast.Try) else [], _finally_of(node)
        if continued is not None and broken is not None:
            ways = [self.block() if last else one for one in (continued, broken)]
            guard.ends.update(zip(ways, (ast.Continue(), ast.Break()), strict=True))
            self.loops.append((ways[0], ways[1]))
        self.guard = guard
        start = self.block()
        self.at.end, self.at = Jump(start), start
        self.body(node.body)
        self.at.end, self.guard = Jump(completed), None
        self.at = completed
        if isinstance(node, ast.Try):
            self.body([*node.orelse, *last])
        self.at.end = Jump(after)
        if continued is not None and broken is not None:
            self.loops.pop()
        own = {block: way for block, way in guard.ends.items() if block not in (continued, broken)}
        for block, way in own.items():
            self.at = block
            self.body([*last, way])
            self.at.end = Jump(after)  # nothing leads there
        if last:
            self.at = self.block()
            guard.handlers.append(self.at)
            self.body(last)
            self.at.end = Jump(after)
        for handler in handlers:
            self.at = self.block()
            guard.handlers.append(self.at)
            if handler.type is not None:
                self.at.steps.append(ast.copy_location(ast.Expr(handler.type), handler))
            if handler.name is not None:
                bound = ast.copy_location(ast.Name(handler.name, ast.Store()), handler)
                none = ast.copy_location(ast.Constant(None), handler)
                self.at.steps.append(ast.copy_location(ast.Assign([bound], none), handler))
            self.body([*handler.body, *last])
            self.at.end = Jump(after)
        self.at = after

    def return_from(self, guard: Guard, node: ast.Return) -> None:
        """Return from the body of a `try` statement: its value is there before the `finally` begins."""
        self.guard = None
        target = self.block()
        self.guard = guard
        value = node.value or ast.copy_location(ast.Constant(None), node)
        store = ast.copy_location(ast.Name(f".returned{target.number}", ast.Store()), value)
        self.statement(self.assigned(store, value))
        held = ast.copy_location(ast.Name(store.id, ast.Load()), value)
        guard.ends[target] = ast.copy_location(ast.Return(held), node)
        self.leave_to(target)

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
                if not isinstance(right, ast.Name | ast.Constant):
                    left, right = self.kept(left), self.kept(right)
                one = ast.copy_location(ast.Compare(left, [first], [right]), node)
                links: list[ast.expr] = [one, ast.copy_location(ast.Compare(right, others, more), node)]
                self.test(ast.copy_location(ast.BoolOp(ast.And(), links), node), then, otherwise)
            case ast.Constant(value=value):
                self.at.end = Jump(then if value else otherwise)
            case _:
                self.at.end = Branch(node, then, otherwise)

    def kept(self, node: ast.expr) -> ast.expr:
        """Evaluate an operand of a test once, before those that follow."""
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id[0] == "."):
            return node
        self.compared += 1
        store = ast.copy_location(ast.Name(f".compared{self.compared}", ast.Store()), node)
        self.statement(self.assigned(store, node))
        return ast.copy_location(ast.Name(store.id, ast.Load()), node)

    # -- loops -------------------------------------------------------------------------------------------

    def header(self, loop: ast.For | ast.While) -> tuple[Block, Block, Block, Block]:
        """Return a loop's header, its body, and the blocks after its last trip and after `break`."""
        if self.at.steps or self.at.loop is not None:
            self.jump()
        header = self.at
        body, exhausted, after = self.block(), self.block(), self.block()
        header.loop, header.exhausted, header.after = loop, exhausted, after
        return header, body, exhausted, after

    def for_(self, node: ast.For, begun: bool = False) -> str:
        """Add a `for` loop. begun: its iterator is there."""
        state, item = f".iterator{self.states}", f".item{self.states}"
        self.states += 1
        if not begun:
            self.at.steps.append(Iterate(state, node.iter, node))
        header, body, exhausted, after = self.header(node)
        header.end = Next(state, item, body, exhausted)
        self.at = body
        taken = ast.copy_location(ast.Name(item, ast.Load()), node.target)
        body.steps.append(ast.copy_location(ast.Assign([copy.copy(node.target)], taken), node.target))
        self.trips(node.body, header, after)
        self.rest(node.orelse, exhausted, after)
        return state

    def while_(self, node: ast.While) -> None:
        header, body, exhausted, after = self.header(node)
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


def _finally_of(node: Protected) -> list[ast.stmt]:
    """Return the statements of a `finally`."""
    return node.finalbody if isinstance(node, ast.Try) else []


def leaves_trip(node: ast.stmt) -> bool:
    """Tell if a statement has a `break` or `continue` of the loop around it."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        match part:
            case ast.Break() | ast.Continue():
                return True
            case ast.For() | ast.AsyncFor() | ast.While():
                pending += part.orelse
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case _:
                pending += [one for one in ast.iter_child_nodes(part) if not isinstance(one, ast.expr)]
    return False


# -- liveness ----------------------------------------------------------------------------------------------


def read_by(step: ast.AST | Iterate) -> frozenset[str]:
    """Return the names that a step, a test or a value may read."""
    if isinstance(step, Iterate):
        return read_by(step.iterable)
    parts = [part for part in own_nodes([step]) if isinstance(part, ast.Name)]
    deleted = {part.id for part in parts if isinstance(part.ctx, ast.Del)}  # `del` asks for a value
    return frozenset(loads(step) | deleted)


def bound_by(step: Step) -> frozenset[str]:
    """Return the names that a step that comes to its end has surely bound."""
    match step:
        case Iterate(state):
            return frozenset({state})
        case ast.Assign(targets=targets):
            return frozenset().union(*map(_bound_by_target, targets))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
            return _bound_by_target(target)
    return frozenset()


def _bound_by_target(target: ast.expr) -> frozenset[str]:
    match target:
        case ast.Name(id=name):
            return frozenset({name})
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            return frozenset().union(*map(_bound_by_target, targets))
        case ast.Starred(value=inner):
            return _bound_by_target(inner)
    return frozenset()


def live_before(block: Block, after: frozenset[str], first: int = 0) -> frozenset[str]:
    """Return the names that are read from a block's step `first` on. after: those read in later blocks."""
    live = set(after)
    match block.end:
        case Branch(test, _, _):
            live |= read_by(test)
        case Next(state, item, _, _):
            live = (live - {item}) | {state}
        case Compound(statement, _, _, _):
            live |= read_by(statement)
        case Return(value) if value is not None:
            live |= read_by(value)
    for step in reversed(block.steps[first:]):
        live -= bound_by(step)
        live |= read_by(step)
    return frozenset(live)


def live_at(blocks: list[Block]) -> dict[Block, frozenset[str]]:
    """Return the names that are read later, where each block begins."""
    live: dict[Block, frozenset[str]] = {block: frozenset() for block in blocks}
    read = {block: live_before(block, frozenset()) for block in blocks}
    bound = {block: _bound_in(block) for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            after = frozenset().union(*(live[target] for target in block.targets))
            found = read[block] | (after - bound[block])
            if block.guard is not None:  # a step may lead to a handler before it has bound its name
                found |= frozenset().union(*(live[handler] for handler in block.guard.handlers))
            changed |= found != live[block]
            live[block] = found
    return live


def _bound_in(block: Block) -> frozenset[str]:
    """Return the names that a block has surely bound at its end, the item of its loop among them."""
    item = {block.end.item} if isinstance(block.end, Next) else set()
    return frozenset(item).union(*map(bound_by, block.steps))
