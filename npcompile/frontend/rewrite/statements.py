"""Rewrites statements: the values that they bind, decide on and iterate over go through hooks.

Their structure stays. Loops and functions made inside also hold their statements as the user wrote them,
which run once there is nothing more to record.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from typing import Any

from npcompile.frontend.rewrite.ast_builder import HOOKS, at_attribute, position, start
from npcompile.frontend.rewrite.comprehensions import Comprehensions
from npcompile.frontend.rewrite.expressions import BINARY, JUMPS_OLD
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import deleted, surely_stored
from npcompile.frontend.rewrite.scopes import (
    Scope,
    arguments,
    body_of,
    function_scope,
    goes_to_its_end,
    plain_reason,
    stored_names,
)
from npcompile.frontend.rewrite.source import FunctionNode, bound_by
from npcompile.frontend.rewrite.statement_forms import is_short

PLAIN = ".plain"  # the flag, no identifier, that the loop at hand goes on as written


def transform(
    node: FunctionNode, scope: Scope, free: tuple[str, ...], imports: frozenset[str]
) -> FunctionNode:
    """Return the function's tree, rewritten; `node` is not changed. `free` are the free variables of its
    code."""
    rewriter = Statements(free, imports)
    made = copy.copy(node)
    made.body = rewriter.rewritten_body(node, scope)
    return made


class Statements(Comprehensions):
    _gone: frozenset[str] = frozenset()  # names that the function deletes

    def rewritten_body(self, node: Any, scope: Scope) -> Any:
        """Return the rewritten body of a function."""
        around = self.scope, self.function, self.sure, self.targets, self._gone
        self.scope = self.function = scope
        self.targets, self._gone = frozenset(), frozenset(deleted(body_of(node)))
        self.sure = frozenset(arguments(node)) - self._gone
        made = self.expr(node.body) if isinstance(node, ast.Lambda) else self.body(node.body)
        self.scope, self.function, self.sure, self.targets, self._gone = around
        return made

    def nested(self, node: Any) -> Any:
        """Rewrite a function within the function: defaults out here, the body in its own scope."""
        made, args = copy.copy(node), copy.copy(node.args)
        args.defaults, args.kw_defaults = self.exprs(args.defaults), self.exprs(args.kw_defaults)
        made.args = args
        scope = function_scope(node, self.scope, self.scope.cls)
        if plain_reason(node, scope, self.free) is None:
            made.body = self.either_body(node, self.rewritten_body(node, scope))
        return made

    def either_body(self, node: Any, body: Any) -> Any:
        """Return the body of a function made inside: rewritten, or as written once there is nothing more to
        record."""
        if isinstance(node, ast.Lambda):
            return ast.IfExp(self.is_done(node.body), node.body, body, **position(node.body))
        if any(isinstance(part, ast.Global | ast.Nonlocal) for part in own_nodes(node.body)):
            return body  # a declaration may stand only once, before its names are used
        first, *rest = node.body
        told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if not told:
            first, rest = None, node.body
        if not rest or not self.may_go_on(node):
            return body
        both = ast.If(self.is_done(rest[0]), rest, body[told:], **start(rest[0]))
        return [both] if first is None else [first, both]

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        sure = self.sure
        for statement in statements:
            made += self.statement(statement)
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
                self.sure |= frozenset(surely_stored(statement)) - self._gone
        self.sure = sure
        return made

    def statement(self, node: Any) -> list[ast.stmt]:
        visit = getattr(self, "stmt_" + type(node).__name__, None)
        # The rest (return, raise, pass, break, global, ...) keeps its kind around rewritten expressions.
        return [self.children(node)] if visit is None else visit(node)

    def unsupported(self, what: str, node: Any) -> ast.stmt:
        return ast.Expr(self.hook(node, "unsupported", what, node.lineno), **position(node))

    # Binding

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = self.expr(node.value)
        if len(node.targets) == 1:
            return self.bind(list(self.assign(node.targets[0], value)))
        if all(isinstance(target, ast.Name) and self.kind(target.id) == "local" for target in node.targets):
            return [ast.Assign(node.targets, value, **position(node))]
        store, load = self.temporary(node.targets[0])
        steps = [step for target in node.targets for step in self.assign(target, load)]
        return self.bind([(store, value), *steps])

    def stmt_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        match node.value:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute() as kept, attr="append"), args=[arg], keywords=[]
            ):
                if not isinstance(arg, ast.Starred):
                    where = at_attribute(kept, kept)
                    add = self.hook(where, "appending", self.expr(kept.value), self.scope.mangled(kept.attr))
                    where = at_attribute(node.value, node.value.func)
                    call = ast.Call(add, [self.expr(arg)], [], **position(where))
                    return [ast.Expr(call, **position(node))]
        value = self.expr(node.value)
        if isinstance(node.value, ast.Call):
            value = self.hook(node.value, "discard", value)
        return [ast.Expr(value, **position(node))]

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        op, target = BINARY[type(node.op)], node.target
        if isinstance(target, ast.Name):
            old = self.expr(ast.Name(target.id, ast.Load(), **position(target)))
            new = self.hook(node, "inplace", op, old, self.expr(node.value))
            return self.bind(list(self.assign(target, new)))
        place = self.place(target)
        update = ast.Attribute(place, "update", ast.Load(), **position(place))
        value = self.expr(node.value)
        call = ast.Call(update, [ast.Constant(op, **position(place)), value], [], **position(node))
        return [ast.Expr(call, **position(node))]

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is not None and not isinstance(node.target, ast.Name):
            return self.bind(list(self.assign(node.target, self.expr(node.value))))
        made = copy.copy(node)  # the annotation is not evaluated in a function
        if node.value is not None:
            assert isinstance(node.target, ast.Name)
            made.value = self.stored(node.target, node.target.id, self.expr(node.value))
        elif not isinstance(node.target, ast.Name):
            made.target = self.children(node.target)
        return [made]

    def stmt_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        pending = list(node.targets)
        while pending:
            target = pending.pop(0)
            if isinstance(target, ast.Tuple | ast.List):
                pending[:0] = target.elts
            elif isinstance(target, ast.Name):
                made.append(ast.Delete([target], **position(target)))
            else:
                made.append(ast.Expr(self.deletion(target), **position(target)))
        return made or [ast.Pass(**position(node))]

    def stmt_Import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        made: list[ast.stmt] = [node]
        for name in map(bound_by, node.names):
            value = ast.Name(name, ast.Load(), **position(node))
            hook = self.hook(node, "imported", self.scope.mangled(name), value)
            made += [ast.Expr(hook, **position(node)), *self.rebind(node, name)]
        return made

    stmt_ImportFrom = stmt_Import

    # Decisions and loops

    def stmt_If(self, node: ast.If | ast.While) -> list[ast.stmt]:
        test, _ = self.decision(node.test, node)
        return [type(node)(test, self.body(node.body), self.body(node.orelse), **position(node))]

    def stmt_While(self, node: ast.While) -> list[ast.stmt]:
        test, _ = self.decision(node.test, node)
        if self.may_go_on(node):
            test = ast.IfExp(self.is_plain(node.test, True), node.test, test, **position(test))
        loop = ast.While(test, self.loop_body(node, []), self.body(node.orelse), **position(node))
        return self.with_plain_flag(node, loop)

    def loop_body(self, node: ast.For | ast.While, steps: list[ast.stmt]) -> list[ast.stmt]:
        """Return a loop's body: rewritten, or as written once there is nothing more to record.

        steps: bind the loop's targets.
        """
        body = self.body(node.body)
        if self.may_go_on(node):
            goes_on = [self.bind_originals(node), *node.body]
            where = _decides_trips(node)
            body = [ast.If(self.is_done(where), goes_on, body, **start(where))]
        return [*steps, *body]

    def with_plain_flag(self, node: ast.For | ast.While, loop: ast.stmt) -> list[ast.stmt]:
        """Return a loop, after a flag which says that none of its trips has gone on as written."""
        if not self.may_go_on(node):
            return [loop]
        at = start(_decides_trips(node))
        return [ast.Assign([ast.Name(PLAIN, ast.Store(), **at)], ast.Constant(False, **at), **at), loop]

    def bind_originals(self, node: ast.For | ast.While) -> ast.stmt:
        """Bind local names to the objects that Python would have, at the first trip that goes on as
        written."""
        where = _decides_trips(node)
        at = start(where)
        own = self.scope.bound - self.scope.declared_global - self.scope.declared_nonlocal
        made = self.rebind_originals(where, own)
        made.append(ast.Assign([ast.Name(PLAIN, ast.Store(), **at)], ast.Constant(True, **at), **at))
        return ast.If(self.is_plain(where, False), made, [], **at)

    def rebind_originals(self, where: ast.AST, names: Iterable[str]) -> list[ast.stmt]:
        """Return the statements that bind names to the objects that Python would have, once a recording has
        ended."""
        at = start(where)
        made: list[ast.stmt] = []
        for name in sorted(names):
            hook = ast.Attribute(ast.Name(HOOKS, ast.Load(), **at), "meant", ast.Load(), **at)
            value = ast.Call(hook, [ast.Name(name, ast.Load(), **at)], [], **at)
            bound = ast.Assign([ast.Name(name, ast.Store(), **at)], value, **at)
            unbound = ast.ExceptHandler(ast.Name("NameError", ast.Load(), **at), None, [ast.Pass(**at)], **at)
            made.append(ast.Try([bound], [unbound], [], [], **at))
        return made

    def is_plain(self, where: ast.AST, expected: bool) -> ast.expr:
        """Return the test if a trip of the loop at hand has gone on as written."""
        at = start(where)
        plain = ast.Name(PLAIN, ast.Load(), **at)
        return ast.Compare(plain, [ast.Is()], [ast.Constant(expected, **at)], **at)

    def stmt_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        test, where = self.decision(node.test, node)
        return [ast.Assert(test, self.expr(node.msg), **position(where if JUMPS_OLD else node))]

    def stmt_For(self, node: ast.For) -> list[ast.stmt]:
        over = self.expr(node.iter)
        if is_short(node):
            iterable = self.hook(node.iter, "iterate", over)
        else:
            iterable = self.hook(node.iter, "loop", over, goes_to_its_end(node))
        target, steps = self.target(node.target)
        if self.may_go_on(node):
            steps = [(name, self.drawn(value)) for name, value in steps]
        sure, self.sure = self.sure, self.sure.union(stored_names(node.target)) - self._gone
        body = self.loop_body(node, self.bind(steps, held=target))
        self.sure = sure
        return self.with_plain_flag(
            node, ast.For(target, iterable, body, self.body(node.orelse), **position(node))
        )

    def stmt_Match(self, node: ast.Match) -> list[ast.stmt]:
        """Rewrite to a chain of conditions: the subject is deleted before the body runs, as Python does."""
        store, load = self.temporary(node.subject)
        found, captured = self.temporary(node.subject)
        where = position(node.subject)
        hidden: list[ast.expr] = [ast.Name(name.id, ast.Del(), **where) for name in (store, found)]
        rest: list[ast.stmt] = [ast.Delete(hidden, **where)]
        for case in reversed(node.cases):
            at = position(case.pattern)
            names = stored_names(case.pattern)
            texts = ast.Tuple([ast.Constant(name, **at) for name in names], ast.Load(), **at)
            matched = self.hook(case.pattern, "match", load, self.pattern(case.pattern), texts)
            tests: list[ast.expr] = [ast.NamedExpr(found, matched, **at)]
            bound = [self.captured(case.pattern, name, captured, 1 + i) for i, name in enumerate(names)]
            if bound:
                tests.append(ast.List(bound, ast.Load(), **at))
            if case.guard is not None:
                tests.append(self.decision(case.guard, case.pattern)[0])
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests, **at)
            body = [ast.Delete(hidden, **at), *self.body(case.body)]
            rest = [ast.If(test, body, rest, **at)]
        return [ast.Assign([store], self.expr(node.subject), **where), *rest]

    def captured(self, where: Any, name: str, values: ast.Name, place: int) -> ast.expr:
        at = position(where)
        value = ast.Subscript(values, ast.Constant(place, **at), ast.Load(), **at)
        return ast.NamedExpr(ast.Name(name, ast.Store(), **at), self.stored(where, name, value), **at)

    def pattern(self, node: Any) -> ast.expr:
        """Return a pattern as `match_statement.py` has it."""
        at = position(node)

        def made(*parts: Any) -> ast.expr:
            items = [part if isinstance(part, ast.expr) else ast.Constant(part, **at) for part in parts]
            return ast.Tuple(items, ast.Load(), **at)

        def several(nodes: list[Any]) -> ast.expr:
            return made(*map(self.pattern, nodes))

        match node:
            case ast.MatchValue():
                return made("value", self.expr(node.value))
            case ast.MatchSingleton():
                return made("is", node.value)
            case ast.MatchOr():
                return made("or", several(node.patterns))
            case ast.MatchStar():
                return made("star", node.name)
            case ast.MatchSequence():
                stars = [i for i, part in enumerate(node.patterns) if isinstance(part, ast.MatchStar)]
                star = stars[0] if stars else -1
                return made("sequence", len(node.patterns) - len(stars), star, several(node.patterns))
            case ast.MatchMapping():
                keys = made(*self.exprs(node.keys))
                return made("mapping", keys, several(node.patterns), node.rest)
            case ast.MatchClass():
                names = made(*map(self.scope.mangled, node.kwd_attrs))
                return made(
                    "class", self.expr(node.cls), several(node.patterns), names, several(node.kwd_patterns)
                )
            case ast.MatchAs(pattern=None):
                return made("any", node.name)
        return made("as", self.pattern(node.pattern), node.name)

    # Blocks

    def stmt_With(self, node: ast.With) -> list[ast.stmt]:
        body = self.body(node.body)
        for item in reversed(node.items):  # several items are several statements, to Python too
            manager = self.hook(item.context_expr, "manager", self.expr(item.context_expr))
            store = None
            if item.optional_vars is not None:
                store, load = self.temporary(item.optional_vars)
                entered = self.hook(item.optional_vars, "entered", load)
                body = self.bind(list(self.assign(item.optional_vars, entered)), held=store) + body
            body = [ast.With([ast.withitem(manager, store)], body, **position(node))]
        return body

    def stmt_Try(self, node: Any) -> list[ast.stmt]:
        handlers = []
        for handler in node.handlers:
            kind = self.expr(handler.type)
            where = handler if kind is None else handler.type
            caught: list[ast.stmt] = [ast.Expr(self.hook(where, "catching"), **position(where))]
            if not node.finalbody:
                caught.append(ast.Expr(self.hook(where, "trying", False), **position(where)))
            if handler.name is not None:
                caught += self.rebind(where, handler.name)
            body = caught + self.body(handler.body)
            handlers.append(ast.ExceptHandler(kind, handler.name, body, **position(handler)))
        body, final = self.body(node.body), self.body(node.finalbody)
        last: Any = node.body[-1]
        if final:
            first = node.finalbody[0]
            final = [ast.Expr(self.hook(first, "trying", False), **position(first)), *final]
        elif not isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue):
            body.append(ast.Expr(self.hook(last, "trying", False), **position(last)))
        with_plain_flag = ast.Expr(self.hook(node.body[0], "trying", True), **position(node.body[0]))
        parts = [with_plain_flag, *body], handlers, self.body(node.orelse), final
        return [type(node)(*parts, **position(node))]

    stmt_TryStar = stmt_Try

    def stmt_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        if node.exc is None:
            return [ast.Expr(self.hook(node, "reraising"), **position(node)), node]
        cause = self.expr(node.cause)
        raised = self.hook(node, "raising", self.expr(node.exc))
        return [ast.Raise(raised, cause, **position(node))]

    # Definitions

    def stmt_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        decorators = [self.hook(d, "spread", self.expr(d)) for d in node.decorator_list]
        made = self.nested(node)
        where = {
            "lineno": node.lineno,
            "col_offset": node.col_offset,
            "end_lineno": node.lineno,
            "end_col_offset": node.col_offset,
        }
        define = ast.Attribute(ast.Name(HOOKS, ast.Load(), **where), "define", ast.Load(), **where)
        made.decorator_list = [*decorators, define]
        return [made, *self.rebind(define, node.name)]

    stmt_AsyncFunctionDef = stmt_FunctionDef

    def stmt_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        meant = self.rebind_originals(node, {name for name in names if self.kind(name) == "local"})
        return [self.unsupported("CLASS_STATEMENT", node), *meant, node, *self.rebind(node, node.name)]

    def stmt_TypeAlias(self, node: Any) -> list[ast.stmt]:
        return [self.unsupported("TYPE_STATEMENT", node), node]


def _decides_trips(loop: ast.For | ast.While) -> ast.AST:
    """Return the node of a loop where Python is before each trip: a condition may begin on a later line."""
    return loop.test if isinstance(loop, ast.While) else loop
