"""Liveness of local names: which names a statement reads, binds, and leaves to be read later.

`statement_facts.py` collects it for `cutter.py`, which needs it for the names that a block takes and gives.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from npcompile.frontend.rewrite.kept_trees import found_once, own_nodes, own_nodes_of
from npcompile.frontend.rewrite.scopes import body_of, function_scope, stored_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = frozenset((*_COMPREHENSIONS, *_FUNCTIONS, ast.ClassDef))
_MAKING = frozenset((*_FUNCTIONS, ast.ClassDef, ast.GeneratorExp))  # something that runs later


def loads(*nodes: ast.AST | None) -> set[str]:
    """Return the names that nodes read from around them; what nested functions read counts, too."""
    return set().union(*[_loads_of(node) for node in nodes if node is not None])


@found_once
def _loads_of(node: ast.AST) -> frozenset[str]:
    if isinstance(node, _COMPREHENSIONS):
        own = set(stored_names(*(generator.target for generator in node.generators)))
        inside = loads(*ast.iter_child_nodes(node)) - own
        return frozenset(loads(node.generators[0].iter) | inside)
    if isinstance(node, _FUNCTIONS):
        outside = loads(*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ()))
        scope = function_scope(node, None, None)  # type: ignore[arg-type]
        own = scope.bound - scope.declared_nonlocal - scope.declared_global
        return frozenset(outside | (loads(*body_of(node)) - own))
    parts = own_nodes([node])
    if not _SCOPES.isdisjoint(map(type, parts)):
        parts = [node]
        inside = loads(*ast.iter_child_nodes(node))
    else:
        inside = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    changed = [part.target for part in parts if isinstance(part, ast.AugAssign)]
    return frozenset(inside.union([target.id for target in changed if isinstance(target, ast.Name)]))


def captured(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names that functions made in these statements may read at any time."""
    found: set[str] = set()
    for part in own_nodes_of(_MAKING, body):
        found |= loads(part)
    return found


# Builtins that take all items of a generator before they return.
_CONSUMERS = frozenset(("all", "any", "list", "max", "min", "sorted", "sum", "tuple"))


def captured_later(body: Iterable[ast.stmt], is_local: Callable[[str], bool]) -> set[str]:
    """Return the names that functions made in these statements may read once their statement is done.

    A generator that a builtin is given reads them before.
    """
    parts = own_nodes(body)
    consumed = {
        part.args[0]
        for part in parts
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.args
        if part.func.id in _CONSUMERS and not is_local(part.func.id)
    }
    found: set[str] = set()
    for part in parts:
        if type(part) in _MAKING and part not in consumed:
            found |= loads(part)
    return found


def rebound(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names of this body that functions made in it bind anew: any call may change them."""
    found: set[str] = set()
    for part in own_nodes_of(_MAKING, body):
        if not isinstance(part, ast.GeneratorExp):
            for inner in ast.walk(part):
                if isinstance(inner, ast.Nonlocal):
                    found.update(inner.names)
    return found


_DRAWING = frozenset((ast.Assign, ast.Call, ast.Attribute, ast.For))


def drawn(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names of calls' results that are drawn from item by item: a generator may be left half
    drawn.

    Python ends such a generator, and runs its `finally`, when the name lets go of it.
    """
    made: set[str] = set()
    drawn: set[str] = set()
    for part in own_nodes_of(_DRAWING, body):
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                made.add(name)
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), *_]):
                drawn.add(name)
            case ast.Attribute(value=ast.Name(id=name), attr="send" | "throw" | "close"):
                drawn.add(name)
            case ast.For(iter=ast.Name(id=name)):
                if any(isinstance(inner, ast.Break | ast.Return) for inner in own_nodes(part.body)):
                    drawn.add(name)
    return made & drawn


def deleted(body: Iterable[ast.AST]) -> set[str]:
    """Return the names that may be unbound after these statements though they were bound before."""
    found: set[str] = set()
    for part in own_nodes(body):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del):
            found.add(part.id)
        elif isinstance(part, ast.ExceptHandler) and part.name is not None:
            found.add(part.name)
    return found


_SKIPPING = frozenset((ast.BoolOp, ast.IfExp, ast.Compare, *_COMPREHENSIONS))


def surely_stored(node: ast.AST) -> set[str]:
    """Return the names that a simple statement, or an expression, surely binds if it runs to its end."""
    found = set(stored_names(node))
    for part in own_nodes([node]):
        if type(part) not in _SKIPPING:
            continue
        if isinstance(part, ast.BoolOp):
            found -= set(stored_names(*part.values[1:]))
        elif isinstance(part, ast.IfExp):
            found -= set(stored_names(part.body, part.orelse))
        elif isinstance(part, ast.Compare):
            found -= set(stored_names(*part.comparators[1:]))
        elif isinstance(part, _COMPREHENSIONS):
            found -= set(stored_names(part))
    return found


def live_in_and_bound(body: Iterable[ast.stmt]) -> tuple[set[str], set[str]]:
    """Return the names read before they are surely bound, and those surely bound at the end.

    body: statements that a block can hold.
    """
    read: set[str] = set()
    bound: set[str] = set()
    for node in body:
        match node:
            case ast.AnnAssign(value=None):
                pass
            case ast.If():
                read |= loads(node.test) - bound
                one, other = live_in_and_bound(node.body), live_in_and_bound(node.orelse)
                read |= (one[0] | other[0]) - bound
                bound |= one[1] & other[1]
            case ast.For():
                read |= loads(node.iter) - bound
                inside, _ = live_in_and_bound(node.body)
                read |= inside - set(stored_names(node.target)) - bound
            case ast.AugAssign():
                read |= loads(node) - bound
                bound.update(stored_names(node.target))
            case _:
                read |= loads(node) - bound
                bound.update(stored_names(node))
    return read, bound


# Nodes that bind a name without an `ast.Name`.
_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.alias, ast.ExceptHandler) + (
    (ast.MatchAs, ast.MatchStar, ast.MatchMapping)
)
_OTHERWISE = frozenset((ast.Name, *_BINDING))
_ASSIGNING = frozenset((ast.Assign, ast.AugAssign, ast.For))
_DISPLAYS = ast.List | ast.ListComp | ast.Set | ast.SetComp | ast.Dict | ast.DictComp
_ARITHMETIC = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Mod,
    ast.FloorDiv,
    ast.USub,
    ast.UAdd,
    ast.Not,
    ast.And,
    ast.Or,
)


def scalars(body: list[ast.stmt], others: Iterable[str]) -> set[str]:
    """Return the names that only ever stand for Python numbers: counters, and numbers computed from them.

    others: names that are bound elsewhere, too (arguments, names of enclosing functions).
    """
    binds: dict[str, list[ast.expr | None]] = {name: [None] for name in others}
    counted: set[int] = set()
    for node in own_nodes_of(_ASSIGNING, body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                binds.setdefault(name, []).append(value)
                counted.add(id(node.targets[0]))
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                binds.setdefault(name, []).append(ast.BinOp(ast.Name(name, ast.Load()), node.op, value))
                counted.add(id(target))
            case ast.For(target=ast.Name(id=name) as target, iter=ast.Call(func=ast.Name(id="range"))):
                binds.setdefault(name, []).append(ast.Constant(0))
                counted.add(id(target))
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=name) as target, *_]),
                iter=ast.Call(func=ast.Name(id="enumerate")),
            ):
                binds.setdefault(name, []).append(ast.Constant(0))
                counted.add(id(target))
    for node in own_nodes_of(_OTHERWISE, body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in counted:
            binds.setdefault(node.id, []).append(None)
        elif isinstance(node, _BINDING):
            for name in stored_names(node):
                if not isinstance(node, ast.ExceptHandler) or name == node.name:
                    binds.setdefault(name, []).append(None)
    found = set(binds)
    while True:
        kept = {n for n in found if all(v is not None and is_scalar(v, found) for v in binds[n])}
        if kept == found:
            return found
        found = kept


def displays(body: list[ast.stmt], others: Iterable[str]) -> set[str]:
    """Return the names that only ever stand for lists, sets and dicts that are made here: `found = []`.

    Their methods are known. others: as in `scalars`.
    """
    made: set[str] = set()
    counted: set[int] = set()
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in own_nodes_of(_ASSIGNING, body):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                if not any(isinstance(part, ast.Starred) for part in (*targets, *values)):
                    pairs += zip(targets, values, strict=False)
            case ast.Assign(targets=[target], value=value):
                pairs.append((target, value))
    for target, value in pairs:
        if isinstance(target, ast.Name) and isinstance(value, _DISPLAYS):
            made.add(target.id)
            counted.add(id(target))
    for node in own_nodes_of(_OTHERWISE, body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in counted:
            made.discard(node.id)
        elif isinstance(node, _BINDING):
            made.difference_update(stored_names(node))
    return made.difference(others)


def is_scalar(node: ast.expr, names: set[str]) -> bool:
    """Tell if an expression is arithmetic on numbers and on these names."""
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float, bool)
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _ARITHMETIC) and is_scalar(left, names) and is_scalar(right, names)
        case ast.UnaryOp(op=op, operand=operand):
            return isinstance(op, _ARITHMETIC) and is_scalar(operand, names)
        case ast.BoolOp(values=values):
            return all(is_scalar(value, names) for value in values)
        case ast.Compare(left=left, comparators=others):
            return is_scalar(left, names) and all(is_scalar(other, names) for other in others)
    return False


class Liveness:
    """The live names of each statement in a function's body; both tables may name too many, never too few.

    `after[statement]`: names that may be read after it before they are bound anew. `ahead[statement]`: names
    that may be read in it or after it.
    """

    def __init__(self, body: list[ast.stmt]) -> None:
        self.after: dict[ast.stmt, frozenset[str]] = {}
        self.ahead: dict[ast.stmt, frozenset[str]] = {}
        self.always = frozenset(captured(body))
        self._breaks: list[frozenset[str]] = []
        self._continues: list[frozenset[str]] = []
        self._handlers: list[frozenset[str]] = [frozenset()]
        self.block(body, frozenset())

    def block(self, body: list[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """Return the live names before a body, given those live after it."""
        for node in reversed(body):
            after = after | self._handlers[-1] | self.always
            self.after[node] = self.after.get(node, frozenset()) | after
            after = self.before(node, after)
            self.ahead[node] = self.ahead.get(node, frozenset()) | after
        return after | self._handlers[-1]

    def before(self, node: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        match node:
            case ast.If():
                return self.block(node.body, after) | self.block(node.orelse, after) | loads(node.test)
            case ast.For() | ast.While():
                return self._loop(node, after)
            case ast.Break():
                return self._breaks[-1]
            case ast.Continue():
                return self._continues[-1]
            case ast.Return() | ast.Raise():
                return frozenset(loads(node))
            case ast.With():
                self._handlers.append(self._handlers[-1] | after)  # the manager may swallow an exception
                inside = self.block(node.body, after)
                self._handlers.pop()
                return inside | after | loads(*node.items)
            case ast.Try():
                final = self.block(node.finalbody, after)
                self._handlers.append(self._handlers[-1] | final)
                handlers = frozenset().union(*(self.block(h.body, final) for h in node.handlers), final)
                handlers |= frozenset(loads(*(h.type for h in node.handlers)))
                self._handlers.append(self._handlers[-1] | handlers)
                inside = self.block(node.body, self.block(node.orelse, final))
                self._handlers.pop()
                self._handlers.pop()
                return inside | handlers
            case ast.Assign() | ast.AnnAssign():
                return (after - set(stored_names(node))) | loads(node)
            case ast.Delete():
                return after | loads(node) | set(stored_names(node))
            case _:
                leaving = any(isinstance(part, ast.Break | ast.Continue) for part in own_nodes([node]))
                if leaving and self._breaks:  # of a `match`, say
                    after = after | self._breaks[-1] | self._continues[-1]
                return after | loads(node) | deleted([node])

    def _loop(self, node: ast.For | ast.While, after: frozenset[str]) -> frozenset[str]:
        leaving = self.block(node.orelse, after)
        head = loads(node.test if isinstance(node, ast.While) else node.iter)
        target = set(stored_names(node.target)) if isinstance(node, ast.For) else set()
        again = leaving | head
        self._breaks.append(after)
        for _ in range(2):  # the second time with the names that the first found live at the loop's head
            self._continues.append(again)
            inside = self.block(node.body, again)
            self._continues.pop()
            again = again | (inside - target) | head
        self._breaks.pop()
        return again
