"""Brings the statements of a loop to normal form: at most one effect a statement, and it comes last.

A compiler of loops can then leave its code before any statement, or let Python raise there: all that the
statement does before its effect may raise, but changes nothing. Executed by Python, the normal form does what
the original does, exceptions and their lines included.

An effect is a call that is not pure, the binding of a name, a store to an item or an attribute, or an
augmented assignment. A call with effects stands alone, or is the whole value that is bound to one name; below
`raise` it may make the exception. Where Python evaluates something before an effect of the same statement, a
temporary `.tN` keeps it. A `for` binds its names, and unpacks a tuple for them, itself. Opaque statements
(`is_opaque`) stay as they are; an opaque expression in the head of a statement is bound to a temporary first.
Of `try` and `with` statements that regions hold the bodies are in normal form, the handlers are as written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from npcompile.frontend.loops.source.key_functions import keys_in
from npcompile.frontend.loops.source.matching import as_ifs, is_plain_match
from npcompile.frontend.loops.source.protected import is_protected
from npcompile.frontend.rewrite.ast_builder import at_attribute, copied, position
from npcompile.frontend.rewrite.kept_trees import nodes_of

TEMPORARY = ".t"  # temporaries' names begin with it: they are no identifiers
_LOAD, _STORE = ast.Load(), ast.Store()
_SIMPLE = (
    *(ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Assert),
    *(ast.Pass, ast.Break, ast.Continue),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPAQUE = (
    *(*_COMPREHENSIONS, ast.Lambda),
    *(ast.Yield, ast.YieldFrom, ast.Await),
)

# Kinds of nodes that may make a part of a statement opaque.
_SUSPICIOUS = frozenset((*_OPAQUE, ast.Starred, ast.Dict, ast.keyword, ast.JoinedStr))


def normal_form(
    body: list[ast.stmt],
    is_pure_call: Callable[[ast.Call], bool],
    is_stable: Callable[[ast.expr], bool] = lambda node: False,
) -> list[ast.stmt]:
    """Return statements in normal form that do what `body` does.

    Parameters
    ----------
    body : list of ast.stmt
        Statements of one function, which stay as they are.
    is_pure_call : callable
        Tells if a call changes nothing. The name of a pure call's function, dotted or not, is taken to mean
        the same throughout a statement.
    is_stable : callable
        Tells of a name, or of the method that a call names, if it is bound, and stays the same object through
        all calls. No temporary keeps a stable value. The names that the statement binds are not asked for.

    Returns
    -------
    list of ast.stmt
        Nodes at the user's lines and columns: new ones, and those that are in normal form as they are. The
        normal form of a normal form is that form again.
    """
    return _Normalizer(is_pure_call, is_stable, _last_temporary(body)).block(body)


def is_opaque(node: ast.stmt, is_pure_call: Callable[[ast.Call], bool]) -> bool:
    """Tell if a statement stays as written: `with`, `del x`, one with a comprehension of calls, and so on."""
    if isinstance(node, ast.If | ast.While | ast.For) or is_protected(node) or is_plain_match(node):
        return False
    if isinstance(node, ast.Delete):
        return not all(isinstance(target, ast.Subscript) for target in node.targets)
    return not isinstance(node, _SIMPLE) or _has_opaque_part(node, is_pure_call)


def is_plain_comprehension(node: ast.AST, is_pure_call: Callable[[ast.Call], bool]) -> bool:
    """Tell if an expression is a comprehension that changes nothing."""
    if not isinstance(node, _COMPREHENSIONS):
        return False
    return not any(
        (isinstance(part, _OPAQUE) and not isinstance(part, _COMPREHENSIONS))
        or isinstance(part, ast.NamedExpr)
        or (isinstance(part, ast.Call) and not is_pure_call(part))
        or (isinstance(part, ast.comprehension) and (part.is_async or not _only_names(part.target)))
        for part in ast.walk(node)
    )


def _has_opaque_part(node: ast.AST, is_pure_call: Callable[[ast.Call], bool]) -> bool:
    parts = [*nodes_of(node)]
    if _SUSPICIOUS.isdisjoint(map(type, parts)):
        return False
    spread = {arg for call in parts if isinstance(call, ast.Call) for arg in _spread(call, is_pure_call)}
    keys = keys_in(parts)
    for part in parts:
        if part in keys and not _has_effects(part, is_pure_call):
            continue
        if isinstance(part, _OPAQUE) and not is_plain_comprehension(part, is_pure_call):
            return True
        if isinstance(part, ast.Starred) and isinstance(part.ctx, ast.Load) and part not in spread:
            return True  # reads an iterator to its end
        if isinstance(part, ast.Dict) and None in part.keys:
            return True
        if isinstance(part, ast.keyword) and part.arg is None:
            return True
        if isinstance(part, ast.JoinedStr) and any(
            isinstance(inner, ast.Call | ast.NamedExpr) for inner in ast.walk(part)
        ):
            return True  # formats a part of it before a later call
    return False


def _spread(node: ast.Call, is_pure_call: Callable[[ast.Call], bool]) -> list[ast.expr]:
    """Return the `*p` of a call that are read right before it, as no other argument has an effect."""
    found = [arg for arg in node.args if isinstance(arg, ast.Starred)]
    if not all(isinstance(arg.value, ast.Name | ast.Attribute) for arg in found):
        return []
    others = [arg for arg in (*node.args, *(one.value for one in node.keywords)) if arg not in found]
    return [] if any(_has_effects(one, is_pure_call) for one in others) else [*found]


def _has_effects(node: ast.AST, is_pure_call: Callable[[ast.Call], bool]) -> bool:
    return any(
        isinstance(part, ast.NamedExpr) or (isinstance(part, ast.Call) and not is_pure_call(part))
        for part in nodes_of(node)
    )


def _last_temporary(body: Iterable[ast.AST]) -> int:
    last = 0
    for statement in body:
        for node in nodes_of(statement):
            if isinstance(node, ast.Name) and is_temporary(node):
                last = max(last, int(node.id.removeprefix(TEMPORARY)))
    return last


def is_temporary(node: ast.AST) -> bool:
    """Tell if a node is a name that `normal_form` made."""
    return isinstance(node, ast.Name) and node.id.startswith(TEMPORARY)


class _Operand(NamedTuple):
    """The place of an operand within an expression."""

    holder: Any  # the node or list
    key: str | int  # its attribute or index

    @property
    def node(self) -> ast.expr:
        return self.holder[self.key] if isinstance(self.key, int) else getattr(self.holder, self.key)

    def put(self, node: ast.expr) -> None:
        if isinstance(self.key, int):
            self.holder[self.key] = node
        else:
            setattr(self.holder, self.key, node)


def _operands(node: ast.expr) -> Iterator[_Operand]:
    """Yield the operands of an expression in the order in which Python evaluates them."""
    match node:
        case ast.Subscript():
            yield _Operand(node, "value")
            yield from _index_operands(_Operand(node, "slice"))
        case ast.Dict():
            for place in range(len(node.keys)):
                yield _Operand(node.keys, place)
                yield _Operand(node.values, place)
        case ast.Call():
            yield _Operand(node, "func")
            for place, arg in enumerate(node.args):
                yield _Operand(arg, "value") if isinstance(arg, ast.Starred) else _Operand(node.args, place)
            yield from (_Operand(keyword, "value") for keyword in node.keywords)
        case _:
            for name, field in ast.iter_fields(node):
                if isinstance(field, ast.expr):
                    yield _Operand(node, name)
                elif isinstance(field, list):
                    items = enumerate(field)
                    yield from (_Operand(field, place) for place, item in items if isinstance(item, ast.expr))


def _index_operands(index: _Operand) -> Iterator[_Operand]:
    """Yield what an index is made of: a slice is no expression, so its bounds stand for it."""
    match index.node:
        case ast.Slice(lower, upper, step):
            bounds = {"lower": lower, "upper": upper, "step": step}
            yield from (_Operand(index.node, name) for name, bound in bounds.items() if bound is not None)
        case ast.Tuple(elements):
            for place in range(len(elements)):
                yield from _index_operands(_Operand(elements, place))
        case _:
            yield index


def _stored_names(targets: Iterable[ast.AST]) -> set[str]:
    """Return the names that targets bind, or that expressions bind by `:=`."""
    parts = (part for target in targets for part in nodes_of(target))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _load(node: ast.Name) -> ast.Name:
    return ast.Name(node.id, _LOAD, **position(node))


def _negated(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), node, **position(node))


class _Normalizer:
    """Writes normal statements to `out`, and numbers temporaries from `last` on."""

    def __init__(
        self, is_pure_call: Callable[[ast.Call], bool], is_stable: Callable[[ast.expr], bool], last: int
    ) -> None:
        self.is_pure_call = is_pure_call
        self.is_stable = is_stable
        self.last = last
        self.out: list[ast.stmt] = []
        self.bound: set[str] = set()  # names that the statement at hand binds

    # Statements

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer, self.out = self.out, []
        bound = self.bound
        for statement in body:
            self.statement(statement)
        inner, self.out = self.out, outer
        self.bound = bound
        return inner

    def statement(self, node: ast.stmt) -> None:
        if is_opaque(node, self.is_pure_call):
            self.out.append(node)
            return
        self.bound = set()
        if isinstance(node, _SIMPLE):
            self.bound = _stored_names(part for part in nodes_of(node) if isinstance(part, ast.NamedExpr))
        if not isinstance(node, ast.If | ast.While | ast.For | ast.Match) and self.has_effects(node):
            node = copied(node)  # its operands are replaced
        match node:
            case ast.Expr():
                self.expression(node)
            case ast.Assign():
                self.assign(node.targets, node.value, node)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign([node.target], value, node)
            case ast.AugAssign():
                self.augmented_assign(node)
            case ast.Return(ast.expr() as value):
                self.out.append(ast.Return(self.value(value), **position(node)))
            case ast.Raise(ast.expr()):
                self.raising(node)
            case ast.Assert():
                self.asserting(node)
            case ast.Delete():
                self.deleting(node)
            case ast.If():
                test = self.head(node.test)
                self.out.append(
                    ast.If(test, self.block(node.body), self.block(node.orelse), **position(node))
                )
            case ast.Match():
                subject = self.kept_in_temporary(self.head(node.subject))
                self.out += self.block(as_ifs(node.cases, subject))
            case ast.While():
                self.while_loop(node)
            case ast.For():
                self.for_loop(node)
            case ast.Try():  # Python does its handlers as they are written
                body, orelse, last = map(self.block, (node.body, node.orelse, node.finalbody))
                self.out.append(ast.Try(body, node.handlers, orelse, last, **position(node)))
            case ast.With():
                self.out.append(ast.With(node.items, self.block(node.body), **position(node)))
            case _:
                self.out.append(node)

    def expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and not self.is_pure_call(node.value):
            self.out.append(ast.Expr(self.call(node.value), **position(node)))
            return
        value = self.value(node.value)
        if not is_temporary(value) or value is node.value:
            self.out.append(ast.Expr(value, **position(node)))

    def assign(self, targets: list[ast.expr], value: ast.expr, where: ast.stmt | ast.expr) -> None:
        alone = len(targets) == 1
        if alone and isinstance(targets[0], ast.Name) and isinstance(value, ast.Call):
            self.out.append(ast.Assign(targets, self.call(value), **position(where)))
            return
        value = self.value(value)
        self.bound |= _stored_names(targets)
        value = value if alone else self.kept(value)
        for target in targets:
            self.store(target, copy.copy(value), where)

    def store(self, target: ast.expr, value: ast.expr, where: ast.stmt | ast.expr) -> None:
        """Store a value that is pure and not evaluated yet."""
        if isinstance(target, ast.Tuple | ast.List):
            if _pairs(target, value) is None:
                self.unpack(target, value, where)
            else:
                for inner, part in self.kept_all(target, value):
                    self.store(inner, part, where)
            return
        operands = list(_operands(target))
        if any(self.has_effects(operand.node) for operand in operands):
            value = self.kept(value)
            self.evaluate(operands)
        self.out.append(ast.Assign([target], value, **position(where)))

    def kept_all(self, target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
        """Evaluate a value for a target now; returns each target with its own part of a display."""
        if (pairs := _pairs(target, value)) is None:
            return [(target, self.kept(value))]
        return [pair for inner in pairs for pair in self.kept_all(*inner)]

    def unpack(self, target: ast.Tuple | ast.List, value: ast.expr, where: ast.stmt | ast.expr) -> None:
        if all(map(is_temporary, map(_unstarred, target.elts))):
            self.out.append(ast.Assign([target], value, **position(where)))
            return
        parts: list[ast.expr] = []
        for element in target.elts:
            name = self.temporary(element)
            parts.append(
                ast.Starred(name, _STORE, **position(element)) if isinstance(element, ast.Starred) else name
            )
        self.out.append(ast.Assign([ast.Tuple(parts, _STORE, **position(target))], value, **position(where)))
        for element, part in zip(map(_unstarred, target.elts), map(_unstarred, parts), strict=True):
            self.store(element, _load(part), where)  # type: ignore[arg-type]

    def augmented_assign(self, node: ast.AugAssign) -> None:
        target = node.target
        operands = [] if isinstance(target, ast.Name) else list(_operands(target))
        if not self.has_effects(node.value):
            self.evaluate(operands)
            self.out.append(node)
            return
        for operand in operands:
            operand.put(self.kept(self.value(operand.node)))
        read = copied(target)
        read.ctx = _LOAD
        kept = self.kept(read)
        value = self.value(node.value)
        if not isinstance(kept, ast.Name) or kept is read:
            self.out.append(ast.AugAssign(target, node.op, value, **position(node)))
            return
        result = ast.Name(kept.id, _STORE, **position(target))
        self.out.append(ast.AugAssign(result, node.op, value, **position(node)))
        self.out.append(ast.Assign([target], kept, **position(node)))

    def raising(self, node: ast.Raise) -> None:
        exception, cause = node.exc, node.cause
        assert exception is not None
        if isinstance(exception, ast.Call) and (cause is None or isinstance(cause, ast.Constant)):
            self.out.append(ast.Raise(self.call(exception), cause, **position(node)))
            return
        self.evaluate([_Operand(node, "exc"), *([_Operand(node, "cause")] if cause else [])])
        self.out.append(node)

    def asserting(self, node: ast.Assert) -> None:
        if not (self.has_effects(node.test) or (node.msg and self.has_effects(node.msg))):
            self.out.append(node)
        elif __debug__:
            test = _negated(self.value(node.test))
            outer, self.out = self.out, []
            message = node.msg and self.value(node.msg)
            failing = [
                *self.out,
                ast.Assert(ast.Constant(False, **position(node)), message, **position(node)),
            ]
            self.out = outer
            self.out.append(ast.If(test, failing, [], **position(node)))
        else:
            self.out.append(ast.Pass(**position(node)))

    def deleting(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.evaluate(list(_operands(target)))
            self.out.append(ast.Delete([target], **position(node)))

    def head(self, node: ast.expr) -> ast.expr:
        """Evaluate the head of a statement."""
        self.bound = _stored_names([node])
        if _has_opaque_part(node, self.is_pure_call):
            return self.kept_in_temporary(node)
        return self.value(copied(node)) if self.has_effects(node) else node

    def while_loop(self, node: ast.While) -> None:
        if not (_has_opaque_part(node.test, self.is_pure_call) or self.has_effects(node.test)):
            body, orelse = self.block(node.body), self.block(node.orelse)
            self.out.append(ast.While(node.test, body, orelse, **position(node)))
            return
        outer, self.out = self.out, []
        ends = _negated(self.head(node.test))
        if node.orelse:
            ends = self.kept_in_temporary(ends)
        self.out.append(ast.If(ends, [ast.Break(**position(node.test))], [], **position(node.test)))
        body, self.out = self.out, outer
        body += self.block(node.body)
        true = ast.Constant(True, **position(node.test))
        self.out.append(ast.While(true, body, [], **position(node)))
        if node.orelse:
            # A `break` or `continue` in `else` is one of the loop around this one.
            self.out.append(ast.If(copy.copy(ends), self.block(node.orelse), [], **position(node)))

    def for_loop(self, node: ast.For) -> None:
        sequence = self.head(_fixed(node.iter))
        target, body = node.target, node.body
        if not _only_names(target):
            name = self.temporary(target)
            body = [ast.Assign([target], _load(name), **position(target)), *body]
            target = name
        self.out.append(
            ast.For(target, sequence, self.block(body), self.block(node.orelse), **position(node))
        )

    # Expressions

    def has_effects(self, node: ast.AST) -> bool:
        return _has_effects(node, self.is_pure_call)

    def value(self, node: ast.expr) -> ast.expr:
        """Make the effects of an expression happen; returns a pure expression for its value."""
        if not self.has_effects(node):
            return node
        match node:
            case ast.Call():
                pure = self.is_pure_call(node)
                call = self.call(node)
                return call if pure else self.kept_in_temporary(call)
            case ast.NamedExpr():
                kept = self.kept(self.value(node.value))
                self.out.append(ast.Assign([node.target], copy.copy(kept), **position(node)))
                return kept
            case ast.BoolOp():
                return self.bool_operation(node)
            case ast.IfExp():
                return self.conditional(node)
            case ast.Compare() if any(map(self.has_effects, node.comparators[1:])):
                return self.comparison(node)
        self.evaluate(list(_operands(node)))
        return node

    def evaluate(self, operands: list[_Operand]) -> None:
        """Make operands pure, in order: those before the last one with effects are evaluated now."""
        last = max((place for place, one in enumerate(operands) if self.has_effects(one.node)), default=-1)
        for place, operand in enumerate(operands[: last + 1]):
            value = self.value(operand.node)
            operand.put(self.kept(value) if place < last else value)

    def call(self, node: ast.Call) -> ast.Call:
        """Return a call with pure operands."""
        function, *operands = _operands(node)
        callee, pure = function.node, self.is_pure_call(node)
        root = callee
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.bound and (pure or self.is_stable(callee)):
            self.evaluate(operands)
        elif pure and isinstance(callee, ast.Attribute):
            self.evaluate([_Operand(callee, "value"), *operands])
        else:
            self.evaluate([function, *operands])
        if isinstance(callee, ast.Attribute) and function.node is not callee:
            return ast.Call(node.func, node.args, node.keywords, **position(at_attribute(node, callee)))
        return node

    def bool_operation(self, node: ast.BoolOp) -> ast.expr:
        first = next(place for place, one in enumerate(node.values) if self.has_effects(one))
        done = max(first, 1)
        start = node.values[0] if done == 1 else ast.BoolOp(node.op, node.values[:done], **position(node))
        rest = node.values[done:]
        if not any(map(self.has_effects, rest)):
            return ast.BoolOp(node.op, [self.value(start), *rest], **position(node))
        result = self.kept_in_temporary(self.value(start))
        following = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest, **position(node))
        goes_on: ast.expr = result if isinstance(node.op, ast.And) else _negated(result)
        self.out.append(ast.If(goes_on, self.bound_to(result, following), [], **position(node)))
        return copy.copy(result)

    def conditional(self, node: ast.IfExp) -> ast.expr:
        test = self.value(node.test)
        if not (self.has_effects(node.body) or self.has_effects(node.orelse)):
            return ast.IfExp(test, node.body, node.orelse, **position(node))
        result = _load(self.temporary(node))
        body, orelse = self.bound_to(result, node.body), self.bound_to(result, node.orelse)
        self.out.append(ast.If(test, body, orelse, **position(node)))
        return result

    def comparison(self, node: ast.Compare) -> ast.expr:
        """Compare a chain link by link, where the operand of a later link has effects."""
        left = self.kept(self.value(node.left))
        middle = self.kept(self.value(node.comparators[0]))
        link = ast.Compare(left, node.ops[:1], [middle], **position(node))
        rest = ast.Compare(copy.copy(middle), node.ops[1:], node.comparators[1:], **position(node))
        result = self.kept_in_temporary(link)
        self.out.append(ast.If(result, self.bound_to(result, rest), [], **position(node)))
        return copy.copy(result)

    # Temporaries

    def bound_to(self, name: ast.Name, node: ast.expr) -> list[ast.stmt]:
        """Return the statements that bind a temporary to the value of an expression."""
        outer, self.out = self.out, []
        self.assign([ast.Name(name.id, _STORE, **position(node))], node, node)
        body, self.out = self.out, outer
        return body

    def kept(self, node: ast.expr) -> ast.expr:
        """Evaluate a pure expression now; returns it where it cannot change, else a temporary."""
        if isinstance(node, ast.Constant) or is_temporary(node):
            return node
        if isinstance(node, ast.Name) and node.id not in self.bound and self.is_stable(node):
            return node
        return self.kept_in_temporary(node)

    def kept_in_temporary(self, node: ast.expr) -> ast.Name:
        name = self.temporary(node)
        self.out.append(ast.Assign([name], node, **position(node)))
        return _load(name)

    def temporary(self, where: ast.expr) -> ast.Name:
        self.last += 1
        return ast.Name(f"{TEMPORARY}{self.last}", _STORE, **position(where))


def _fixed(node: ast.expr) -> ast.expr:
    """Return a tuple in place of a list of constants of one type, which nothing but its loop can see."""
    if not isinstance(node, ast.List) or not node.elts:
        return node
    try:
        kinds = {_kind(ast.literal_eval(element)) for element in node.elts}
    except ValueError:
        return node
    return (
        ast.Tuple(node.elts, ast.Load(), **position(node)) if len(kinds) == 1 and None not in kinds else node
    )


def _kind(value: object) -> Any:
    """Return the type of a number, those of a tuple of numbers; None for other values."""
    if isinstance(value, tuple):
        kinds = tuple(map(_kind, value))
        return None if None in kinds else kinds
    return type(value) if isinstance(value, bool | int | float | complex) else None


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """Return the targets of a tuple with the elements of a display that they are assigned, if they match."""
    if not (isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List)):
        return None
    if any(isinstance(element, ast.Starred) for element in target.elts) or len(target.elts) != len(
        value.elts
    ):
        return None
    return list(zip(target.elts, value.elts, strict=True))


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _only_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_only_names, target.elts))
    return isinstance(target, ast.Name)
