"""Writes a loop statement of a cut function so that it can be done natively: entered, left and entered again.

The cutter asks for it where `partition/` offers native code for a loop. Both ways stand in one function:
names, `return` and exceptions are the same for both, and the loop as written is entered again at any trip.
"""

from __future__ import annotations

import ast
import copy
from typing import Any, Protocol

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.scopes import stored_names

# The names of native code, of loops' iterables and of outcomes begin with these.
LOOP, ITERATOR, OUTCOME = ".loop", ".iterator", ".out"
BEGIN, LOCALS = ".iter", ".locals"  # the free variables that hold the functions `iter` and `locals`


class Native(Protocol):
    """A loop's native code, as the cut function calls it."""

    takes: tuple[str, ...]  # the local names that it is given
    unsure: frozenset[str]  # those among them that may have no value
    unbound: Any  # what it is given for those
    fewest: int  # loops of fewer trips are done as written; 0: all are entered
    once: bool  # the statement is done within a loop of one trip

    def is_short(self, iterable: Any) -> bool:
        """Tell if a loop is done as written, as it has few trips."""

    def own(self, iterable: Any, iterator: Any) -> Any:
        """Return an iterator over an iterable that the loop alone holds."""

    def enter(self, iterator: Any, *values: Any) -> Any:
        """Do the loop; return its outcome, None where the cut function is to do it."""

    def written(self) -> None:
        """Note that a loop that was entered has been done as written."""

    def cut_done(self) -> None:
        """Note that the cut function has done a loop that was not entered."""


# The loop; words in capitals are replaced.
_TEMPLATE = """
if LOOP.fewest and LOOP.is_short(ITERATOR):
    PLAIN
else:
    BEGIN
    OUT = LOOP.enter(ITERATOR, ARGS)
    if OUT is None:
        CUT
        LOOP.cut_done()
    else:
        while True:
            NAMES
            if OUT.returns:
                return OUT.value
            if OUT.error is not None:
                RAISE
            if OUT.rest is None:
                break
            WAS = OUT
            WRITTEN
            if OUT is WAS:
                LOOP.written()
                break
    OUT = WAS = None
ITERATOR = None
"""
_KEEP = "OUT = ITERATOR"
_OWN = "ITERATOR = LOOP.own(OUT, ITERATOR)"
_ITERABLES = frozenset(("range", "enumerate", "zip", "reversed"))  # calls of them make new iterators
_ARRAY_ITERABLES = frozenset(("ndindex", "ndenumerate"))  # likewise, of NumPy's; and so is `a.flat`
_CHECK = """
if LOOP.ready:
    OUT = LOOP.resume(WAS.rest, ARGS)
    if OUT is not None:
        break
    OUT = WAS
"""


def _is_new(node: ast.expr) -> bool:
    """Tell if an expression makes a new iterator, if its value is one."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _ITERABLES or name in _ARRAY_ITERABLES
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _ARRAY_ITERABLES
    return isinstance(node, ast.Attribute) and node.attr == "flat"


def may_enter_within(node: ast.For | ast.While) -> bool:
    """Tell if native code may go on from a trip of the loop as written: its test is then made again."""
    if isinstance(node, ast.For):
        return _only_names(node.target)
    return not any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node.test))


def _only_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_only_names, target.elts))
    return isinstance(target, ast.Name)


def is_native_entry(node: ast.stmt) -> bool:
    """Tell if a statement is one of those that `native_entry` has put in a loop's place."""
    match node:
        case ast.If(test=test):
            parts: list[ast.AST] = [*ast.walk(test)]
        case ast.Assign(targets=targets):
            parts = [*targets]
        case _:
            return False
    return any(isinstance(part, ast.Name) and part.id.startswith((LOOP, ITERATOR)) for part in parts)


def native_entry(node: Any, cut: Any, native: Native, number: int, ready: bool) -> tuple[str, list[ast.stmt]]:
    """Return the free variable that holds a loop's native code, and the statements in the loop's place.

    node: the loop as the user wrote it. cut: as the cutter has rewritten it; a `for` loop is changed to
    iterate over the iterator that native code is given. ready: the loop as written asks at each trip for
    native code.
    """
    writer = _Writer(node, native, number)
    return writer.names["LOOP"], writer.write(cut, ready)


class _Writer(ast.NodeTransformer):
    def __init__(self, node: Any, native: Native, number: int) -> None:
        self.node, self.native = node, native
        self.at = {**position(node), "end_lineno": node.lineno, "end_col_offset": node.col_offset}
        self.names = {word: f".{word.lower()}{number}" for word in ("LOOP", "OUT", "WAS", "ITERATOR")}
        self.statements: dict[str, list[ast.stmt]] = {}

    def write(self, cut: Any, ready: bool) -> list[ast.stmt]:
        node, iterator = self.node, self.names["ITERATOR"]
        written, plain = copy.copy(node), copy.copy(node)
        begin: list[ast.stmt] = []
        if isinstance(node, ast.For):
            iterable = cut.iter
            begun = ast.Call(self.load(BEGIN), [self.load(iterator)], [], **self.at)
            begin.append(ast.Assign([self.store(iterator)], begun, **self.at))
            if not _is_new(node.iter):
                begin = [*self.made(_KEEP), *begin, *self.made(_OWN)]
            cut.iter, plain.iter = self.load(iterator), self.load(iterator)
            written.iter = ast.Attribute(self.load(self.names["WAS"]), "rest", ast.Load(), **self.at)
        else:
            iterable = self.constant(True)
        before = ast.Assign([self.store(iterator)], iterable, **self.at)
        if ready:
            written.body = [*self.made(_CHECK), *node.body]
        stored = sorted(set(stored_names(node)))
        self.statements = {
            "BEGIN": begin,
            "PLAIN": [plain],
            "CUT": [cut],
            "WRITTEN": [written],
            "NAMES": [self.named(name) for name in stored],
            "RAISE": self.raises(),
        }
        return [before, *self.made(_TEMPLATE)]

    def made(self, template: str) -> list[ast.stmt]:
        """Return a template's statements, with the words in them replaced."""
        made = []
        for statement in ast.parse(template).body:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in self.at.items():
            if name in node._attributes:
                setattr(node, name, value)
        return super().generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in self.statements:
            return self.statements[node.value.id]
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.Name(self.names.get(node.id, node.id), node.ctx, **self.at)

    def visit_Call(self, node: ast.Call) -> Any:
        if node.args and isinstance(node.args[-1], ast.Name) and node.args[-1].id == "ARGS":
            node.args.pop()
            self.generic_visit(node)
            node.args += map(self.given, self.native.takes)
            return node
        return self.generic_visit(node)

    def given(self, name: str) -> ast.expr:
        """Return the expression of a name's value, or of what stands for it where the name may have none."""
        if name not in self.native.unsure:
            return self.load(name)
        values = ast.Call(self.load(LOCALS), [], [], **self.at)
        instead = ast.Attribute(self.load(self.names["LOOP"]), "unbound", ast.Load(), **self.at)
        get = ast.Attribute(values, "get", ast.Load(), **self.at)
        return ast.Call(get, [self.constant(name), instead], [], **self.at)

    def named(self, name: str) -> ast.stmt:
        """Return the statement that binds a name to its value in the outcome, where it has one."""
        values = ast.Attribute(self.load(self.names["OUT"]), "names", ast.Load(), **self.at)
        found = ast.Compare(self.constant(name), [ast.In()], [values], **self.at)
        value = ast.Subscript(copy.copy(values), self.constant(name), ast.Load(), **self.at)
        return ast.If(found, [ast.Assign([self.store(name)], value, **self.at)], [], **self.at)

    def raises(self) -> list[ast.stmt]:
        """Return the statements that raise the outcome's exception, each at the line that it stands for."""
        out = self.names["OUT"]
        lines = {
            part.lineno: part for part in own_nodes([self.node]) if isinstance(part, ast.expr | ast.stmt)
        }
        made: list[ast.stmt] = []
        for line, part in lines.items():
            at = {**position(part), "end_lineno": line, "end_col_offset": part.col_offset}
            error = ast.Attribute(ast.Name(out, ast.Load(), **at), "error", ast.Load(), **at)
            known = ast.Attribute(self.load(out), "line", ast.Load(), **self.at)
            test = ast.Compare(known, [ast.Eq()], [self.constant(line)], **self.at)
            made.append(ast.If(test, [ast.Raise(error, None, **at)], [], **self.at))
        error = ast.Attribute(self.load(out), "error", ast.Load(), **self.at)
        return [*made, ast.Raise(error, None, **self.at)]

    def load(self, name: str) -> ast.Name:
        return ast.Name(name, ast.Load(), **self.at)

    def store(self, name: str) -> ast.Name:
        return ast.Name(name, ast.Store(), **self.at)

    def constant(self, value: Any) -> ast.Constant:
        return ast.Constant(value, **self.at)
