"""Scopes: the names that a function binds, those that it takes from outside, and what its loops carry on.

The rewriter and the cutter ask a `Scope` if a name is local; `loops` describes each loop to the recorder.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.rewrite.kept_trees import kept, own_nodes
from npcompile.frontend.rewrite.source import FunctionNode, bound_by

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def mangle(name: str, cls: str | None) -> str:
    """Return the name that the compiler makes of a private name in a class body."""
    if not cls or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = cls.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


@dataclass
class Scope:
    """A function or comprehension: the names that it binds, and those that it declares to be another
    scope's."""

    parent: Scope | None
    cls: str | None  # the class whose private names are mangled here
    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)

    def kind(self, name: str, free: Iterable[str]) -> str:
        """Return "local" (bound here or in an enclosing rewritten scope), "free" or "global" for a name."""
        name = mangle(name, self.cls)
        scope: Scope | None = self
        while scope is not None:
            if name in scope.declared_global:
                return "global"
            if name in scope.bound and name not in scope.declared_nonlocal:
                return "local"
            scope = scope.parent
        return "free" if name in free else "global"

    def mangled(self, name: str) -> str:
        """Return the name that the compiler makes of one in this scope."""
        return mangle(name, self.cls)


def function_scope(node: FunctionNode, parent: Scope | None, cls: str | None) -> Scope:
    scope = Scope(parent, cls)
    for name in arguments(node):
        scope.bound.add(mangle(name, cls))
    scope.bound.update(mangle(param.name, cls) for param in getattr(node, "type_params", ()))
    binder = _Binder(scope)
    for part in body_of(node):
        binder.visit(part)
    return scope


def comprehension_scope(generators: list[ast.comprehension], parent: Scope) -> Scope:
    scope = Scope(parent, parent.cls)
    for generator in generators:
        scope.bound.update(mangle(name, parent.cls) for name in stored_names(generator.target))
    return scope


def stored_names(*nodes: ast.AST) -> list[str]:
    """Return the names stored to by targets, patterns or statements, sorted, without those of nested
    scopes."""
    return sorted(frozenset().union(*map(_names_stored_by, nodes)))


# Nodes that bind a name without an `ast.Name`, which some of them do not hold.
_BOUND_NAMES: dict[type[ast.AST], Callable[[Any], str | None]] = {
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), lambda node: node.name),
    ast.MatchMapping: lambda node: node.rest,
    ast.alias: bound_by,
}
_SCOPES = frozenset([*_COMPREHENSIONS, *_FUNCTIONS, ast.ClassDef])


def _names_stored_by(node: ast.AST) -> frozenset[str]:
    """Return the names that a node stores to, which are found once for nodes of kept trees."""
    tree, key = kept.get(node), (_names_stored_by, node)
    if tree is not None and key in tree.facts:
        known: frozenset[str] = tree.facts[key]
        return known
    names: set[str | None] = set()
    scope = Scope(None, None)
    pending = [node]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is ast.Name:
            if type(part.ctx) is not ast.Load:  # type: ignore[attr-defined]
                names.add(part.id)  # type: ignore[attr-defined]
        elif kind in _SCOPES:
            _Binder(scope).visit(part)
        else:
            if kind in _BOUND_NAMES:
                names.add(_BOUND_NAMES[kind](part))
            for name in part._fields:
                value = getattr(part, name, None)
                if type(value) is list:
                    pending += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and value._fields:
                    pending.append(value)
    found = frozenset(scope.bound.union(filter(None, names)))
    if tree is not None:
        tree.facts[key] = found
    return found


class _Binder(ast.NodeVisitor):
    """Collects the names that one scope binds; does not go into the bodies of nested scopes."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def bind(self, name: str | None) -> None:
        if name is not None:
            self.scope.bound.add(mangle(name, self.scope.cls))

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bind(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.declared_global.update(mangle(name, self.scope.cls) for name in node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.declared_nonlocal.update(mangle(name, self.scope.cls) for name in node.names)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name)
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name)
        for part in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(part)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in (*node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)

    def visit_comprehension_expression(self, node: ast.AST) -> None:
        # Its targets are its own; names that it assigns by `:=` belong to the function around it.
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self.bind(part.target.id)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_expression

    def visit_alias(self, node: ast.alias) -> None:
        self.bind(bound_by(node))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.bind(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.bind(node.rest)
        self.generic_visit(node)

    def visit_TypeAlias(self, node: ast.AST) -> None:
        self.bind(node.name.id)  # type: ignore[attr-defined]


def arguments(node: FunctionNode | ast.AsyncFunctionDef) -> list[str]:
    """Return the names of a function's parameters."""
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [arg.arg for arg in every if arg is not None]


def body_of(node: FunctionNode | ast.AsyncFunctionDef) -> list[Any]:
    return [node.body] if isinstance(node, ast.Lambda) else node.body


@dataclass(frozen=True)
class Loop:
    """A loop of the function itself, described from its source alone.

    contains: those of break, continue (of this very loop), return, yield, del and try that are in it.
    live_in: local names that a trip may read before it has bound them. stored: local names that the loop
    binds.
    """

    kind: Literal["for", "while"]
    line: int
    end_line: int
    contains: frozenset[str]
    live_in: tuple[str, ...]
    stored: tuple[str, ...]


def loops(node: FunctionNode, scope: Scope) -> tuple[Loop, ...]:
    found = [part for part in own_nodes(body_of(node)) if isinstance(part, ast.For | ast.While)]
    return tuple(
        _loop(part, scope) for part in sorted(found, key=lambda part: (part.lineno, part.col_offset))
    )


def _loop(node: ast.For | ast.While, scope: Scope) -> Loop:
    reads = _Reads(scope)
    if isinstance(node, ast.While):
        reads.visit(node.test)
    else:
        reads.store(node.target)
    reads.block(node.body)
    reads.nested(node.orelse)
    stored = [mangle(name, scope.cls) for name in stored_names(node)]
    return Loop(
        kind="while" if isinstance(node, ast.While) else "for",
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        contains=frozenset(_contents(node)),
        live_in=tuple(reads.found),
        stored=tuple(name for name in stored if scope.kind(name, ()) == "local"),
    )


def goes_to_its_end(node: ast.For) -> bool:
    """Tell if nothing but an exception ends a loop before its last trip."""
    return frozenset(("break", "return", "yield")).isdisjoint(_contents(node))


def _contents(node: ast.For | ast.While) -> Iterator[str]:
    kinds = {
        ast.Return: "return",
        ast.Yield: "yield",
        ast.YieldFrom: "yield",
        ast.Delete: "del",
        ast.Try: "try",
    }
    for part in own_nodes([*node.body, *node.orelse]):
        if type(part) in kinds:
            yield kinds[type(part)]
        elif part.__class__.__name__ == "TryStar":
            yield "try"
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Break | ast.Continue):
            yield type(part).__name__.lower()
        elif isinstance(part, ast.For | ast.While):
            pending += part.orelse  # a break in the `else` of an inner loop is the outer one's
        elif not isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(part)


class _Reads(ast.NodeVisitor):
    """Collects local names read where this trip has not surely bound them; may name too many."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.assigned: set[str] = set()
        self.found: dict[str, None] = {}

    def store(self, *targets: ast.AST) -> None:
        for target in targets:
            self.visit(target)
        self.assigned.update(mangle(name, self.scope.cls) for name in stored_names(*targets))

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Assign):
                self.visit(statement.value)
                self.store(*statement.targets)
            elif isinstance(statement, ast.AugAssign):
                self.load(statement)
                self.visit(statement.value)
                self.store(statement.target)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self.visit(statement.value)
                self.store(statement.target)
            else:
                self.nested([statement])

    def nested(self, body: list[ast.stmt]) -> None:
        """Visit statements that may not be reached, or not in this order: names that they bind do not
        count."""
        for statement in body:
            for part in ast.walk(statement):
                self.load(part)

    def load(self, node: ast.AST) -> None:
        augmented = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        name_node = node.target if augmented else node  # type: ignore[attr-defined]
        if isinstance(name_node, ast.Name) and (augmented or isinstance(name_node.ctx, ast.Load)):
            self.visit_name(name_node)

    def visit_name(self, node: ast.Name) -> None:
        name = mangle(node.id, self.scope.cls)
        if name not in self.assigned and self.scope.kind(name, ()) == "local":
            self.found[name] = None

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.visit_name(node)


# Nodes that may be operations on arrays, and the most that a rewritten function may have: each takes about
# half a millisecond of the first call.
WORK = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Subscript, ast.AugAssign)
MAX_SOURCE = 5_000
_READS_FRAME = ("locals", "eval", "exec", "globals")
_READS_FRAME_BARE = ("vars", "dir")
_FRAME_READERS = frozenset((*_READS_FRAME, *_READS_FRAME_BARE, "super"))


def plain_reason(
    node: FunctionNode | ast.AsyncFunctionDef, scope: Scope, free: tuple[str, ...]
) -> Reason | None:
    """Return the reason why a function must stay as the user wrote it, None if there is none."""
    if isinstance(node, ast.AsyncFunctionDef):
        return Cause.COROUTINE()
    nodes = own_nodes(body_of(node))
    if (work := len([n for n in nodes if isinstance(n, WORK)])) > MAX_SOURCE:
        return Cause.TOO_MUCH_SOURCE(work, MAX_SOURCE)
    called_with: dict[ast.AST, int] = {
        n.func: len(n.args) + len(n.keywords) for n in nodes if isinstance(n, ast.Call)
    }
    for n in nodes:
        if isinstance(n, ast.Await):
            return Cause.COROUTINE()
        if not isinstance(n, ast.Name) or not isinstance(n.ctx, ast.Load) or n.id not in _FRAME_READERS:
            continue
        if scope.kind(n.id, free) != "global":
            continue
        if n.id in _READS_FRAME or (n.id in _READS_FRAME_BARE and not called_with.get(n)):
            return Cause.READS_FRAME(n.id)
        if n.id == "super" and called_with.get(n) not in (0, 2):
            return Cause.UNUSUAL_SUPER()
    return None
