"""Writes the body of a cut function so that arrays may stay on a device between its blocks.

The body runs in the `with` block of a table of arrays, and each statement at which Python may look at an
array has the table settled first. A block is called with the names of its arguments, and looks at none.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from npcompile.frontend.catalog import lookers
from npcompile.frontend.rewrite.ast_builder import start
from npcompile.frontend.rewrite.dual_loops import AT_HAND
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import deleted, surely_stored
from npcompile.frontend.rewrite.native_entry import ITERATOR, LOOP, OUTCOME, is_native_entry
from npcompile.frontend.rewrite.resident_loops import with_trips
from npcompile.frontend.rewrite.source import FunctionNode

TABLE = ".table"  # the free variable that holds the function which makes a table
RESIDENT = ".resident"  # the local name of the table
ANSWER = ".answer"  # the local name of what is returned

_NEVER = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Match, ast.TryStar)
# Parts that are evaluated later, more than once, or perhaps not at all: their names may be unbound.
_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.NamedExpr)
_DEFINES = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_QUIET = (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)
_MODULES = lookers.MODULES | {"np"}
_ITERATES = frozenset(("enumerate", "zip", "reversed", "range"))


def resident(
    node: FunctionNode, is_builtin: Callable[[str], bool], names: tuple[str, ...]
) -> ast.FunctionDef | None:
    """Return the tree of a cut function with its table; None where no arrays may stay on the device.

    is_builtin: tells if a name stands for the function of Python's own. names: the local names that no other
    function reads.
    """
    assert isinstance(node, ast.FunctionDef)
    if any(isinstance(part, _NEVER) for part in own_nodes(node.body)):
        return None
    at = start(node.body[0])
    made = copy.copy(node)
    table = ast.Call(ast.Name(TABLE, ast.Load(), **at), [], [], **at)
    entered = ast.withitem(table, ast.Name(RESIDENT, ast.Store(), **at))
    given = [arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)]
    gone = deleted(node.body)
    written = _Statements(is_builtin, names, set(given) - gone, gone).body(node.body)
    body = [*written, *_let_go(names, node.body[-1])]
    made.body = [ast.With([entered], body, **at)]
    return made


class _Statements:
    def __init__(
        self, is_builtin: Callable[[str], bool], names: tuple[str, ...], bound: set[str], gone: set[str]
    ) -> None:
        self.is_builtin = is_builtin
        self.names = names
        self.bound = bound  # names that surely have a value
        self.gone = gone  # names that are deleted somewhere
        self.within = 0  # statements around that go on after a `return`
        self.iterables: dict[str, ast.expr] = {}  # by names of ours, what a loop goes over
        self.loops = 0  # that may do trips at once

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        before = set(self.bound)
        for node in statements:
            visit = getattr(self, "visit_" + type(node).__name__, None)
            if visit is not None:
                made += visit(node)
            else:
                made += [*self.before(node), node]
                self.bound |= surely_stored(node) - self.gone
        self.bound = before
        return made

    def before(self, node: ast.stmt) -> list[ast.stmt]:
        """Return what comes before a simple statement."""
        if isinstance(node, _QUIET) or _calls_block(node) or _only_names(node):
            return []
        if isinstance(node, _DEFINES):
            return [_settle(node)]
        if isinstance(node, ast.Assign) and _is_ours(node.targets[0], ITERATOR):
            assert isinstance(node.targets[0], ast.Name)
            self.iterables.setdefault(node.targets[0].id, node.value)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            # Nobody evaluates the annotation.
            return [] if node.value is None else self.look(node.value, node)
        return self.look(node, node)

    def look(self, node: ast.AST, where: Any) -> list[ast.stmt]:
        """Return what comes before Python evaluates a part of a statement."""
        names = _names(node, self.bound)
        if names is None:
            return [_settle(where)]
        return [_do("look", where, names)] if names else []

    def test(self, node: ast.expr) -> ast.expr:
        """Return a condition that settles first what it looks at."""
        if isinstance(node, ast.IfExp) and _asks(node.test):
            made = copy.copy(node)
            made.body, made.orelse = _after(_call("settle", node, []), node.body), self.test(node.orelse)
            return made
        if _is_block(node):
            return _call("taken", node, [node])
        names = _names(node, self.bound)
        if names is None:
            return _after(_call("settle", node, []), node)
        return _after(_call("look", node, names), node) if names else node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """Let go of arrays that only local names hold before a return: they are not copied to the host."""
        before = self.before(node)
        if self.within or not self.names:
            return [*before, node]
        at = start(node)
        value = node.value or ast.Constant(None, **at)
        answer = ast.Assign([ast.Name(ANSWER, ast.Store(), **at)], value, **at)
        returned = ast.Return(ast.Name(ANSWER, ast.Load(), **at), **at)
        return [*before, answer, *_let_go(self.names, node), returned]

    # -- compound statements -----------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        made = copy.copy(node)
        if _asks(node.test) or (is_native_entry(node) and _is_short(node)):
            made.body, made.orelse = [_settle(node), *node.body], self.body(node.orelse)
            return [made]
        if _is_outcome(node.test):
            made.body = self.body(node.body)
            return [made]
        made.test = self.test(node.test)
        made.body, made.orelse = self.body(node.body), self.body(node.orelse)
        return [made]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        made = copy.copy(node)
        made.test = self.test(node.test)
        made.body, made.orelse = self.body(node.body), self.body(node.orelse)
        return self.at_once(node, made) or [made]

    def at_once(self, node: ast.For | ast.While, made: ast.For | ast.While) -> list[ast.stmt] | None:
        """Return a loop that may do trips at once; None where it cannot be told what a trip does."""
        found = with_trips(node, made, _method("begin", node), self.loops, self.bound)
        if found is None:
            return None
        self.loops += 1
        return [*found[0], found[1]]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        made = copy.copy(node)
        made.body, made.orelse = self.body(node.body), self.body(node.orelse)
        iterable = node.iter
        if isinstance(iterable, ast.Name):
            iterable = self.iterables.get(iterable.id, iterable)
        drawn = self.drawn(iterable)
        if drawn is None or not _is_names(node.target):
            return [_do("stop", node, []), made]
        before = [_do("iterate", node, drawn)] if drawn else self.look(iterable, node)
        return [*before, *((None if drawn else self.at_once(node, made)) or [made])]

    def drawn(self, node: ast.expr) -> list[ast.expr] | None:
        """Return the names that a loop draws its items from; None where that cannot be told."""
        if isinstance(node, ast.Name | ast.Constant):
            return [node]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if not all(isinstance(keyword.value, ast.Constant) for keyword in node.keywords):
                return None
            if node.func.id not in _ITERATES or not self.is_builtin(node.func.id):
                return None
            if node.func.id == "range":
                return []
            parts = [self.drawn(arg) for arg in node.args]
            return None if None in parts else [name for part in parts for name in part or ()]
        return None

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        made = copy.copy(node)
        self.within += 1
        made.body = [ast.Try(self.body(node.body), [], [], [_settle(node)], **start(node))]
        self.within -= 1
        return [_settle(node), made]

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        made = copy.copy(node)
        self.within += 1
        made.body, made.orelse = self.body(node.body), self.body(node.orelse)
        made.handlers = []
        for handler in node.handlers:
            copied = copy.copy(handler)
            copied.body = [_settle(handler), *self.body(handler.body)]
            made.handlers.append(copied)
        made.finalbody = [_settle(node), *self.body(node.finalbody)] if node.finalbody else []
        self.within -= 1
        return [made]


# -- forms of statements -------------------------------------------------------------------------------------


def _is_ours(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith(name)


def _is_block(node: ast.AST) -> bool:
    """Tell if an expression calls a block, with names."""
    return (
        isinstance(node, ast.Call)
        and _is_ours(node.func, ".block")
        and all(isinstance(arg, ast.Name) for arg in node.args)
    )


def _calls_block(node: ast.stmt) -> bool:
    """Tell if a statement does no more than call a block, or native code of a loop, which settles itself."""
    if not isinstance(node, ast.Assign | ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    enters = isinstance(node.value.func, ast.Attribute) and _is_ours(node.value.func.value, LOOP)
    if not (_is_block(node.value) or enters):
        return False
    return isinstance(node, ast.Expr) or all(map(_is_names, node.targets))


def _is_names(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(_is_names, node.elts))
    return isinstance(node, ast.Name | ast.Constant)


def _only_names(node: ast.stmt) -> bool:
    """Tell if a statement only binds names to what others stand for, deletes names, or returns such."""
    if isinstance(node, ast.Assign):
        unpacks = any(isinstance(target, ast.Tuple) for target in node.targets)
        if unpacks and not isinstance(node.value, ast.Tuple):
            return False  # an array that is unpacked is looked at
        return all(map(_is_names, (*node.targets, node.value)))
    if isinstance(node, ast.Delete):
        return all(map(_is_names, node.targets))
    if isinstance(node, ast.Return):
        return node.value is None or _is_names(node.value)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name | ast.Constant)


def _asks(test: ast.AST) -> bool:
    """Tell if a test asks if a trip is done as written."""
    return any(_is_ours(part, AT_HAND) for part in ast.walk(test))


def _is_short(node: ast.If) -> bool:
    """Tell if a statement chooses between a loop as written, where it is short, and its native code."""
    return any(isinstance(part, ast.Attribute) and part.attr == "is_short" for part in ast.walk(node.test))


def _is_outcome(test: ast.AST) -> bool:
    """Tell if a test asks if a loop is the cut function's to do, and not native code's."""
    return isinstance(test, ast.Compare) and _is_ours(test.left, OUTCOME)


def _names(node: ast.AST, bound: set[str]) -> list[ast.expr] | None:
    """Return the names that an evaluation reads; None where it may look at more, or has effects.

    Names of ours are not among them. bound: names that surely have a value; others must surely be read.
    """
    found: dict[str, ast.expr] = {}
    perhaps: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, _LATER) or (isinstance(part, ast.Compare) and len(part.ops) > 1):
            return None
        if isinstance(part, ast.Call) and not _is_known(part.func):
            return None
        if isinstance(part, ast.BoolOp):
            perhaps |= _loaded(*part.values[1:])
        name = part.target if isinstance(part, ast.AugAssign) else part
        if isinstance(name, ast.Name) and (name is not part or isinstance(name.ctx, ast.Load)):
            if not name.id.startswith("."):
                found.setdefault(name.id, ast.Name(name.id, ast.Load(), **start(name)))
    firsts = [part.values[0] for part in ast.walk(node) if isinstance(part, ast.BoolOp)]
    return None if perhaps - _loaded(*firsts) - bound else list(found.values())


def _is_known(function: ast.expr) -> bool:
    """Tell if a call is of a function that works on its arguments alone, if its names are what they seem."""
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in _MODULES
    return isinstance(function, ast.Name) and (function.id in lookers.NAMES or function.id.startswith("."))


def _loaded(*nodes: ast.AST) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


# -- what is written -----------------------------------------------------------------------------------------


def _method(method: str, where: Any) -> ast.Attribute:
    at = start(where)
    return ast.Attribute(ast.Name(RESIDENT, ast.Load(), **at), method, ast.Load(), **at)


def _call(method: str, where: Any, args: list[ast.expr]) -> ast.Call:
    return ast.Call(_method(method, where), args, [], **start(where))


def _do(method: str, where: Any, args: list[ast.expr]) -> ast.stmt:
    return ast.Expr(_call(method, where, args), **start(where))


def _settle(where: Any) -> ast.stmt:
    return _do("settle", where, [])


def _let_go(names: tuple[str, ...], where: Any) -> list[ast.stmt]:
    """Return the statement after which these names hold nothing."""
    at = start(where)
    targets: list[ast.expr] = [ast.Name(name, ast.Store(), **at) for name in names]
    return [ast.Assign(targets, ast.Constant(None, **at), **at)] if targets else []


def _after(call: ast.expr, node: ast.expr) -> ast.expr:
    """Return an expression with the value of another, which is evaluated after a call that returns None."""
    return ast.BoolOp(ast.Or(), [call, node], **start(node))
