"""Rewrites comprehensions and generator expressions: each item is done through the hooks, or as the user
wrote it.

The latter begins once there is nothing more to record. Both ways stand in one comprehension: the iterator,
the order, the names that do not leak and the frames of a traceback are the same for both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.rewrite.ast_builder import HOOKS, start
from npcompile.frontend.rewrite.expressions import Expressions
from npcompile.frontend.rewrite.scopes import Scope, arguments, comprehension_scope, stored_names

_LOAD, _STORE = ast.Load(), ast.Store()
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Comprehensions(Expressions):
    """Rewrites expressions in `scope`, a comprehension's or that of `function`."""

    function = Scope(None, None)
    sure: frozenset[str] = frozenset()  # names of the function itself that have a value here
    targets: frozenset[str] = frozenset()  # of the comprehensions around
    _in_iterable = False  # of a comprehension: no name can be bound there

    def may_go_on(self, node: ast.AST) -> bool:
        """Tell if a loop may go on as written: it resizes no array, of which NumPy would count our frame's
        references."""
        return not any(isinstance(part, ast.Attribute) and part.attr == "resize" for part in ast.walk(node))

    def is_done(self, where: ast.AST) -> ast.expr:
        at = start(where)
        done = ast.Attribute(ast.Name(HOOKS, _LOAD, **at), "done", _LOAD, **at)
        # A comparison: of another condition within one the compiler takes the jump to be the statement's.
        return ast.Compare(done, [ast.Is()], [ast.Constant(True, **at)], **at)

    def drawn(self, value: ast.expr) -> ast.expr:
        """Return a value that binds targets of a loop: one that is unpacked needs no hook once there is
        nothing more to record."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return value
        if value.func.attr not in ("unpack", "unpack_star") or not isinstance(value.args[0], ast.Name):
            return value
        return ast.IfExp(self.is_done(value), value.args[0], value, **start(value))

    def expr_ListComp(self, node: Any) -> ast.expr:
        outer, scope = self.scope, comprehension_scope(node.generators, self.scope)
        around, within = self.targets, self._in_iterable
        own = frozenset(name for each in node.generators for name in stored_names(each.target))
        written = _AsWritten(self, own, frozenset(self._rebound(node, own)) if not within else frozenset())
        goes_on = self.may_go_on(node)

        def either(plain: ast.expr, made: ast.expr, binds: bool = True) -> ast.expr:
            if made is plain or not goes_on:
                return made
            test = written.test(plain) if binds else self.is_done(plain)
            made = ast.IfExp(test, written.of(plain, binds), made, **start(plain))
            if not binds and written.rebound:
                made = ast.IfExp(written.is_plain(plain), written.of(plain, True), made, **start(plain))
            return made

        generators: list[ast.comprehension] = []
        for place, generator in enumerate(node.generators):
            self._in_iterable = True
            iterable: ast.expr = self.hook(generator.iter, "iterate", self.expr(generator.iter))
            self._in_iterable = within
            if place:  # the first one is worked out outside
                iterable = either(generator.iter, iterable, False)
            self.scope, self.targets = scope, around | own
            target, steps = self.target(generator.target)
            generators.append(ast.comprehension(target, iterable, [], 0))
            for name, value in steps:
                if goes_on:
                    value = self.drawn(value)
                name = name or self.temporary(value)[0]
                # The compiler makes it an assignment.
                once = ast.copy_location(ast.List([value], _LOAD), value)
                generators.append(ast.comprehension(name, once, [], 0))
            generators[-1].ifs = [either(part, self.decision(part, node)[0]) for part in generator.ifs]
        if isinstance(node, ast.DictComp):
            key, value = either(node.key, self.key(node.key)), either(node.value, self.expr(node.value))
            made: Any = ast.DictComp(key, value, generators)
        else:
            item = self.key(node.elt) if isinstance(node, ast.SetComp) else self.expr(node.elt)
            made = type(node)(either(node.elt, item), generators)
        self.scope, self.targets = outer, around
        return self.hook(node, "build", written.begun(ast.copy_location(made, node)))

    expr_SetComp = expr_DictComp = expr_GeneratorExp = expr_ListComp

    def _rebound(self, node: Any, own: frozenset[str]) -> Iterator[str]:
        """Yield the function's names that items read: a recording may have bound them to stand-ins for other
        objects."""
        function = self.function
        mine = function.bound - function.declared_global - function.declared_nonlocal
        first = set(ast.walk(node.generators[0].iter))
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part not in first:
                if part.id in self.sure - own - self.targets and self.scope.mangled(part.id) in mine:
                    yield part.id


class _AsWritten:
    """The parts of one comprehension as the user wrote them."""

    def __init__(self, rewriter: Comprehensions, own: frozenset[str], rebound: frozenset[str]) -> None:
        self.rewriter = rewriter
        self.own = own  # the names that it binds itself
        self.rebound = rebound  # the function's names that are bound to the original objects first
        self.flag = rewriter.temporary(ast.Pass(lineno=0, col_offset=0, end_lineno=0, end_col_offset=0))
        self.asked = False

    def begun(self, made: ast.expr) -> ast.expr:
        """Return the comprehension, with a flag before it which says that no item was done as written so
        far."""
        if not (self.rebound and self.asked):
            return made
        at = start(made)
        says = ast.NamedExpr(ast.Name(self.flag[0].id, _STORE, **at), ast.Constant(False, **at), **at)
        return ast.Subscript(ast.Tuple([says, made], _LOAD, **at), ast.Constant(1, **at), _LOAD, **at)

    def test(self, where: ast.expr) -> ast.expr:
        """Return the test if an item is done as written. Names are first bound to the objects that Python
        would have."""
        done = self.rewriter.is_done(where)
        if not self.rebound:
            return done
        at = start(where)
        true = ast.Constant(True, **at)
        binds: list[ast.expr] = [
            ast.NamedExpr(ast.Name(name, _STORE, **at), self._original(ast.Name(name, _LOAD, **at)), **at)
            for name in sorted(self.rebound)
        ]
        binds.append(ast.NamedExpr(ast.Name(self.flag[0].id, _STORE, **at), true, **at))
        last = ast.UnaryOp(ast.USub(), ast.Constant(1, **at), **at)
        bound = ast.Subscript(ast.Tuple(binds, _LOAD, **at), last, _LOAD, **at)
        begins = ast.BoolOp(ast.And(), [done, ast.Compare(bound, [ast.Is()], [true], **at)], **at)
        return ast.BoolOp(ast.Or(), [self.is_plain(where), begins], **at)

    def is_plain(self, where: ast.expr) -> ast.expr:
        """Return the test if an item has been done as written before."""
        self.asked = True
        at = start(where)
        flag = ast.Name(self.flag[0].id, _LOAD, **at)
        return ast.Compare(flag, [ast.Is()], [ast.Constant(True, **at)], **at)

    def of(self, node: ast.expr, binds: bool) -> ast.expr:
        """Return a part as written, with the original object in place of each name that may stand for
        another."""
        return self._part(node, self.own | (self.rebound if binds else frozenset()))

    def _part(self, node: Any, known: frozenset[str]) -> Any:
        if isinstance(node, ast.Name):
            return node if self._is_itself(node, known) else self._original(node)
        if isinstance(node, ast.Lambda) and not self._is_closed(node, known):
            return self.rewriter.expr(node)  # it may be called while names stand for other objects
        if isinstance(node, _COMPREHENSIONS):
            made = [self._generators(node, known)]
            inside = known.union(*(stored_names(each.target) for each in node.generators))
            names = ("key", "value") if isinstance(node, ast.DictComp) else ("elt",)
            parts = [self._part(getattr(node, name), inside) for name in names]
            return ast.copy_location(type(node)(*parts, *made), node)
        fields: dict[str, Any] = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[name] = [self._part(one, known) if isinstance(one, ast.AST) else one for one in value]
            elif isinstance(value, ast.AST) and not self._cannot_be_number(node, name, value):
                fields[name] = self._part(value, known)
            else:
                fields[name] = value
        if all(
            new is old or (isinstance(new, list) and _same(new, old)) for new, old in _paired(fields, node)
        ):
            return node
        return ast.copy_location(type(node)(**fields), node)

    def _generators(self, node: Any, known: frozenset[str]) -> list[ast.comprehension]:
        made = []
        for generator in node.generators:
            iterable = self._part(generator.iter, known)
            known = known.union(stored_names(generator.target))
            ifs = [self._part(part, known) for part in generator.ifs]
            made.append(ast.comprehension(generator.target, iterable, ifs, 0))
        return made

    def _is_closed(self, node: ast.Lambda, known: frozenset[str]) -> bool:
        """Tell if a function reads no name that may stand for another object."""
        within = known.union(stored_names(node.body), arguments(node))
        names = (part for part in ast.walk(node.body) if isinstance(part, ast.Name))
        return all(self._is_itself(name, within) for name in names)

    def _is_itself(self, node: ast.Name, known: frozenset[str]) -> bool:
        """Tell if the name stands for the object that Python would have."""
        return (
            not isinstance(node.ctx, ast.Load) or node.id in known or self.rewriter.kind(node.id) != "local"
        )

    def _cannot_be_number(self, node: ast.AST, field: str, value: ast.AST) -> bool:
        """Tell if a name is called, indexed or has an attribute read: only numbers have stand-ins."""
        if not isinstance(value, ast.Name):
            return isinstance(value, ast.expr_context | ast.operator | ast.unaryop | ast.boolop)
        return (isinstance(node, ast.Subscript | ast.Attribute) and field == "value") or (
            isinstance(node, ast.Call) and field == "func"
        )

    def _original(self, name: ast.Name) -> ast.expr:
        at = start(name)
        hook = ast.Attribute(ast.Name(HOOKS, _LOAD, **at), "meant", _LOAD, **at)
        return ast.Call(hook, [ast.Name(name.id, _LOAD, **at)], [], **at)


def _paired(fields: dict[str, Any], node: ast.AST) -> Iterator[tuple[Any, Any]]:
    return ((value, getattr(node, name)) for name, value in fields.items())


def _same(one: list[Any], other: list[Any]) -> bool:
    return all(new is old for new, old in zip(one, other, strict=True))
