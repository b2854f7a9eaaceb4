"""Cuts a function's body into blocks: runs of statements that are recorded and compiled, Python in between.

What a block cannot hold (loops, `return`, stores to objects, `with`, `try`, `yield`) stays where it stands,
as Python; the array work in it goes into blocks of its own. Which statements a block can hold also depends
on what they do, so each has a *level*, raised where a recording failed: 0, in a block; 1, taken apart (the
values in a block, the store or the call of the statement left to Python); 2, left to Python whole.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any

from npcompile.frontend.rewriting.flow import (
    Liveness,
    deleted,
    exposed,
    is_scalar,
    loads,
    rebound,
    scalars,
    surely_stored,
)
from npcompile.frontend.rewriting.forms import entering, has_work, is_short, is_super, leaves, only_augmented
from npcompile.frontend.rewriting.nodes import position
from npcompile.frontend.rewriting.scopes import Scope, own_nodes, stored_names
from npcompile.frontend.rewriting.source import FunctionNode, mangle

_BUILTINS = ("abs", "bool", "complex", "float", "int", "len", "max", "min", "round")
ENTER = (
    ".enter"  # no identifier: what a call of a function of the user's goes through, so that it is jitted, too
)

_HELD = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.For, ast.Pass, ast.Assert)
_NEVER_HELD = (
    (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda, ast.GeneratorExp, ast.FunctionDef)
    + (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.While, ast.Try, ast.With, ast.Delete, ast.ClassDef)
    + (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Match, ast.AsyncFunctionDef, ast.AsyncFor)
    + (ast.AsyncWith, ast.TryStar)
)


def arguments(node: ast.FunctionDef) -> list[str]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [arg.arg for arg in every if arg is not None]


def _at_once(node: ast.stmt, stored: set[str]) -> bool:
    """Whether a statement binds its names last, all or none: an exception before leaves them as they were."""
    if not stored:
        return True
    if isinstance(node, ast.If | ast.For):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]  # type: ignore[attr-defined]
    parts = [part for target in targets for part in ast.walk(target)]
    names = all(isinstance(part, ast.Name | ast.Tuple | ast.List | ast.expr_context) for part in parts)
    return names and len(targets) == 1


@dataclass
class Levels:
    """What is known of a function's statements: how far each is left to Python, and which begin a block."""

    of: dict[ast.AST, int] = field(default_factory=dict)
    starts: set[ast.AST] = field(default_factory=set)

    def __getitem__(self, node: ast.AST) -> int:
        return self.of.get(node, 0)


@dataclass(frozen=True, eq=False)
class Block:
    """Statements that are one function of `takes`, giving `gives`.

    statements: those of the user's source that they came from. variables: those of `takes` that a loop around
    the block binds.
    """

    name: str
    node: ast.FunctionDef
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    statements: tuple[ast.AST, ...]
    variables: frozenset[str]
    in_loop: bool


@dataclass(frozen=True)
class Cut:
    """A function's tree with calls of blocks in place of what they hold."""

    node: FunctionNode
    blocks: tuple[Block, ...]


class Cutter:
    """Cuts one function's body. `node` is left alone; statements keep their identity from cut to cut."""

    def __init__(self, node: ast.FunctionDef, scope: Scope, levels: Levels, imports: frozenset[str]) -> None:
        self.node = node
        self.imports = imports
        self.scope = scope
        self.levels = levels
        self.live = Liveness(node.body)
        self.blocks: list[Block] = []
        self.run: list[
            tuple[ast.stmt, ast.AST]
        ] = []  # the statements of the block being gathered; their origin
        self.bound: set[str] = set()  # names surely bound here
        self.variables: list[set[str]] = []  # of the loops around
        self.protected = 0  # `try` statements around: what an exception leaves bound can be seen
        self.captured = self.live.always  # functions made inside read these at any time
        self.rebound = frozenset(rebound(node.body))  # and change these
        others = scope.declared_global | scope.declared_nonlocal | self.rebound | set(arguments(node))
        self.scalars = scalars(node.body, others)
        self.used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        self.temporaries = 0

    def cut(self) -> Cut:
        self.bound = set(arguments(self.node))
        made = copy.copy(self.node)
        made.body = self.body(self.node.body)
        return Cut(made, tuple(self.blocks))

    # -- statements --------------------------------------------------------------------------------------

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in statements:
            if node in self.levels.starts or self.protected:
                made += self.flush()
            if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
                made.append(node)  # does nothing
            elif self._aside(node):
                made.append(node)  # arithmetic on counters: Python's, before the block
                self.bound |= set(stored_names(node))
            elif self.levels[node] == 0 and self.holds(node):
                self.run.append((node, node))
                self.bound |= exposed([node])[1]
                if self.captured.intersection(stored_names(node)):
                    made += self.flush()  # what is called next may read it
            else:
                made += self.python(node)
        return made + self.flush()

    def _aside(self, node: ast.stmt) -> bool:
        """Whether a statement only works out a counter, and may be done before the block being gathered."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AugAssign):
            target, value = node.target, node.value
        else:
            return False
        if not isinstance(target, ast.Name) or target.id not in self.scalars or target.id in self.captured:
            return False
        if not is_scalar(value, self.scalars) or any(
            isinstance(part, ast.Mod | ast.FloorDiv) for part in ast.walk(node)
        ):
            return False
        held = [statement for statement, _ in self.run]
        touched = set(stored_names(*held)) | loads(*held)
        reads = loads(node)
        return target.id not in touched and not reads & set(stored_names(*held)) and reads <= self.bound

    def holds(self, node: ast.stmt) -> bool:
        """Whether a block may hold this statement, by its form."""
        if not isinstance(node, _HELD) or isinstance(node, ast.Pass):
            return isinstance(node, ast.Pass)
        parts = list(own_nodes([node]))
        if any(isinstance(part, _NEVER_HELD) for part in parts):
            return False
        if any(isinstance(part, ast.AnnAssign) and part.value is None for part in parts):
            return False
        if any(isinstance(part, ast.If) and is_scalar(part.test, self.scalars) for part in parts):
            return False
        if any(isinstance(part, ast.For) and not is_short(part) for part in parts):
            return False
        if not only_augmented(parts) or any(map(is_super, parts)):
            return False
        if any(self.levels[part] > 0 or part in self.levels.starts for part in parts):
            return False
        stored = set(stored_names(node))
        if any(self._kind(name) != "local" for name in stored):
            return False
        if self.rebound & (stored | loads(node)):
            return False
        if (self.protected or stored & self.captured) and not _at_once(node, stored):
            return False
        read, _ = exposed([*(held for held, _ in self.run), node])
        # Where the statement may not bind a name that is read later, the name must have a value before it.
        unsure = (stored - exposed([node])[1]) & (self.live.after.get(node, frozenset()) | self.live.always)
        needed = {name for name in read if self._kind(name) == "local"} | unsure
        return needed <= self.bound

    def _kind(self, name: str) -> str:
        return self.scope.kind(mangle(name, self.scope.cls), ())

    # -- what stays Python -------------------------------------------------------------------------------

    def python(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement that no block holds: blocks for the values in it, and the rest as it is."""
        visit = getattr(self, "python_" + type(node).__name__, None)
        if visit is not None:
            made: list[ast.stmt] = visit(node)
            return made
        made = [*self.flush(), entering(node)]
        gone = deleted([node])
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Match | ast.TryStar):
            self.bound |= surely_stored(node)
        self.bound -= gone
        return made

    def value(self, node: ast.expr, origin: ast.stmt) -> ast.expr:
        """An expression of a statement that stays: worked out by a block where there is anything to do."""
        if self.levels[origin] >= 2 or not has_work(node) or is_scalar(node, self.scalars):
            return node
        if any(isinstance(part, _NEVER_HELD) or is_super(part) for part in own_nodes([node])):
            return node
        reads = {name for name in loads(node) if self._kind(name) == "local"}
        if not reads <= self.bound or self.rebound & loads(node):
            return node
        name = self._temporary()
        store = ast.Assign([ast.Name(name, ast.Store(), **position(node))], node, **position(node))
        self.run.append((store, origin))
        self.bound.add(name)
        return ast.Name(name, ast.Load(), **position(node))

    def _after_values(self, node: ast.stmt) -> list[ast.stmt]:
        return [*self.flush(), entering(node)]

    def python_Return(self, node: ast.Return) -> list[ast.stmt]:
        made = copy.copy(node)
        if node.value is not None:
            made.value = self.value(node.value, node)
        return self._after_values(made)

    def python_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        made = copy.copy(node)
        made.value = self.value(node.value, node)
        result = self._after_values(made)
        self.bound |= surely_stored(node)
        return result

    def python_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        made = copy.copy(node)
        if self._pure(node.value, node.target):  # Python reads the target before the value
            made.value = self.value(node.value, node)
        return self._after_values(made)

    def python_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        made = copy.copy(node)
        call = node.value
        if isinstance(call, ast.Call) and self._pure(
            call.func, *call.args, *(keyword.value for keyword in call.keywords)
        ):
            values = [self.value(arg, node) for arg in call.args]
            named = [copy.copy(keyword) for keyword in call.keywords]
            for keyword in named:
                keyword.value = self.value(keyword.value, node)
            made.value = ast.Call(call.func, values, named, **position(call))
        result = self._after_values(made)
        self.bound |= surely_stored(node)
        return result

    def _pure(self, *nodes: ast.expr) -> bool:
        """Whether only imported modules' functions are called here and no name is bound: what else is
        evaluated, before or after, stays as it is."""
        for part in own_nodes(nodes):
            if isinstance(part, ast.Starred | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
                return False
            if isinstance(part, ast.Call):
                root: ast.expr = part.func
                while isinstance(root, ast.Attribute):
                    root = root.value
                if not (isinstance(root, ast.Name) and (root.id in self.imports or root.id in _BUILTINS)):
                    return False
        return True

    def python_If(self, node: ast.If) -> list[ast.stmt]:
        made = copy.copy(node)
        made.test = entering(self.value(node.test, node))
        before = self.flush()
        self.bound |= surely_stored(node.test)
        start = set(self.bound)
        made.body = self.body(node.body)
        one, self.bound = self.bound, set(start)
        made.orelse = self.body(node.orelse)
        self.bound = one & self.bound if not leaves(node.body) else self.bound
        return [*before, made]

    def python_While(self, node: ast.While) -> list[ast.stmt]:
        before = self.flush()
        made = copy.copy(node)
        again = set(stored_names(*node.body))
        self.variables.append(again)
        self.bound -= deleted(node.body)
        made.test = entering(self._test(node.test, node))
        self.bound |= surely_stored(node.test)
        start = set(self.bound)
        made.body = self.body(node.body)
        self.variables.pop()
        self.bound = set(start)
        made.orelse = self.body(node.orelse)
        self.bound = start
        return [*before, made]

    def _test(self, node: ast.expr, origin: ast.stmt) -> ast.expr:
        """A loop's condition: the call of a block that gives its value."""
        made = self.value(node, origin)
        if made is node:
            return node
        ((store, _),) = self.run
        assert isinstance(store, ast.Assign) and isinstance(made, ast.Name)
        self.run = []
        return self._call(self._block([store], [origin], {made.id}, origin), node)

    def python_For(self, node: ast.For) -> list[ast.stmt]:
        made = copy.copy(node)
        made.iter = entering(node.iter)
        before = self.flush()
        self.bound |= surely_stored(node.iter)
        self.bound -= deleted(node.body)
        start = set(self.bound)
        self.variables.append(set(stored_names(node.target)))
        self.bound |= set(stored_names(node.target))
        made.body = self.body(node.body)
        self.variables.pop()
        self.bound = set(start)
        made.orelse = self.body(node.orelse)
        self.bound = start
        return [*before, made]

    def python_With(self, node: ast.With) -> list[ast.stmt]:
        before = self.flush()
        made = copy.copy(node)
        made.items = [entering(item) for item in node.items]
        start = self.bound - deleted(node.body)  # the manager may swallow an exception
        self.bound |= set(stored_names(*node.items))
        self.protected += 1
        made.body = self.body(node.body)
        self.protected -= 1
        self.bound = start
        return [*before, made]

    def python_Try(self, node: ast.Try) -> list[ast.stmt]:
        before = self.flush()
        made = copy.copy(node)
        start = self.bound - deleted([node])
        self.protected += 1
        made.body = self.body(node.body)
        made.orelse = self.body(node.orelse)
        made.handlers = []
        for handler in node.handlers:
            self.bound = start | ({handler.name} if handler.name else set())
            copied = copy.copy(handler)
            copied.body = self.body(handler.body)
            made.handlers.append(copied)
        self.bound = set(start)
        made.finalbody = self.body(node.finalbody)
        self.protected -= 1
        self.bound = start
        return [*before, made]

    # -- blocks ------------------------------------------------------------------------------------------

    def flush(self) -> list[ast.stmt]:
        """The call of a block that holds what was gathered."""
        run, self.run = self.run, []
        if not run:
            return []
        statements = [held for held, _ in run]
        if not any(has_work(statement) for statement in statements):
            return statements
        stored = set(stored_names(*statements))
        last = run[-1][1]
        later = self.live.after.get(last, frozenset()) | self.live.always
        for held, origin in run:
            if held is not origin:  # what is left of its statement reads, too
                later |= loads(origin)
        mine = {name for name in stored if name.startswith(self._prefix())}
        gives = {name for name in stored if name in later} | mine
        block = self._block(statements, [origin for _, origin in run], gives, last)
        call = self._call(block, statements[0])
        where = position(statements[0])
        if not block.gives:
            return [ast.Expr(call, **where)]
        names: list[ast.expr] = [ast.Name(name, ast.Store(), **where) for name in block.gives]
        target = names[0] if len(names) == 1 else ast.Tuple(names, ast.Store(), **where)
        return [ast.Assign([target], call, **where)]

    def _block(self, statements: list[ast.stmt], origins: list[Any], gives: set[str], last: ast.AST) -> Block:
        read, surely = exposed(statements)
        takes = {name for name in read if self._kind(name) == "local" or name.startswith(self._prefix())}
        takes |= gives - surely  # what it may leave as it was
        ordered = tuple(sorted(takes)), tuple(sorted(gives))
        end = dict.fromkeys(("lineno", "end_lineno"), statements[-1].end_lineno)
        end |= dict.fromkeys(("col_offset", "end_col_offset"), 0)
        where = position(statements[0])
        names: list[ast.expr] = [ast.Name(name, ast.Load(), **end) for name in ordered[1]]
        result = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load(), **end)
        body = [*statements, *([ast.Return(result, **end)] if names else [])]
        args = [ast.arg(name, **where) for name in ordered[0]]
        plain: dict[str, Any] = {"decorator_list": [], "type_params": []} | where
        node = ast.FunctionDef(
            name=self.node.name,
            args=ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[]),
            body=body,
            **plain,
        )
        around = frozenset().union(*self.variables)
        block = Block(
            f".block{len(self.blocks)}",
            node,
            *ordered,
            tuple(dict.fromkeys(origins)),
            frozenset(takes) & around,
            bool(self.variables),
        )
        self.blocks.append(block)
        return block

    def _call(self, block: Block, where: Any) -> ast.Call:
        at = position(where)
        args: list[ast.expr] = [ast.Name(name, ast.Load(), **at) for name in block.takes]
        return ast.Call(ast.Name(block.name, ast.Load(), **at), args, [], **at)

    def _prefix(self) -> str:
        prefix = "npc"
        while any(name.startswith(prefix) for name in self.used):
            prefix += "_"
        return prefix

    def _temporary(self) -> str:
        self.temporaries += 1
        return f"{self._prefix()}{self.temporaries}"
