"""Rewrites expressions and targets: each operation becomes a call of a hook, on the same lines and columns.

No hidden variable keeps a value that Python's own evaluation can hold: `a and b` becomes `(keep_false(a) or
(b,))[0]`, and a chained comparison stays one, between operands that carry their operators.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from npcompile.frontend.rewrite.ast_builder import HOOKS, at_attribute, constant_tuple, folds, position
from npcompile.frontend.rewrite.scopes import Scope

_LOAD, _STORE = ast.Load(), ast.Store()

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.MatMult: "@",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_ORDERS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_CONVERSION = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}
_METHOD_CALL_LIMIT = 30  # with as many arguments, the compiler gives a method call the line of its object

# Up to Python 3.11 a condition's truth test does not stand where the condition does, and jumps to jumps are
# merged.
JUMPS_OLD = sys.version_info < (3, 12)

Step = tuple[ast.expr | None, ast.expr]  # bind this plain target (None: only evaluate) to this value


class Expressions:
    """Rewrites expressions in `scope`.

    `free` are the free variables of the outermost function's code, `imports` the names that its file imports.
    """

    def __init__(self, free: tuple[str, ...], imports: frozenset[str]) -> None:
        self.free = free
        self.imports = imports
        self.scope = Scope(None, None)
        self.temporaries = itertools.count()

    def hook(self, where: Any, name: str, *args: Any, keywords: dict[str, Any] | None = None) -> ast.Call:
        """Return the call `.hooks.name(*args)`, made where `where` stands and looked up where its first
        operand starts."""
        operands = [*args, *(keywords or {}).values()]
        first = where
        for arg in operands:
            if isinstance(arg, ast.expr):
                first = arg
                break
        begin = {
            "lineno": first.lineno,
            "col_offset": first.col_offset,
            "end_lineno": first.lineno,
            "end_col_offset": first.col_offset,
        }
        place = position(where)
        nodes: list[ast.expr] = []
        for arg in operands:
            at = place if first in nodes else begin
            nodes.append(arg if isinstance(arg, ast.expr) else ast.Constant(arg, **at))
        # To the compiler a method call is on the line of its name: so the name stands on the call's line.
        end = dict.fromkeys(("lineno", "end_lineno"), where.lineno)
        end |= dict.fromkeys(("col_offset", "end_col_offset"), where.col_offset)
        function = ast.Attribute(ast.Name(HOOKS, _LOAD, **begin), name, _LOAD, **end)
        by_name = []
        for key, value in zip(keywords or (), nodes[len(args) :], strict=True):
            by_name.append(ast.keyword(key, value, **position(value)))
        return ast.Call(function, nodes[: len(args)], by_name, **place)

    def temporary(self, where: Any) -> tuple[ast.Name, ast.Name]:
        """Return the nodes that store and load a new hidden variable."""
        name = f".{next(self.temporaries)}"
        return ast.Name(name, _STORE, **position(where)), ast.Name(name, _LOAD, **position(where))

    def kind(self, name: str) -> str:
        return self.scope.kind(name, self.free)

    def expr(self, node: Any) -> Any:
        """Rewrite an expression for its value. A node that is no operation keeps its kind."""
        if node is None:
            return None
        visit: Callable[[Any], ast.expr] | None = getattr(self, "expr_" + type(node).__name__, None)
        return self.children(node) if visit is None else visit(node)

    def exprs(self, nodes: list[Any]) -> list[Any]:
        return [self.expr(node) for node in nodes]

    def children(self, node: Any) -> Any:
        """Return a slice or display with its parts rewritten."""
        fields = {}
        for name, value in ast.iter_fields(node):
            fields[name] = self.expr(value) if isinstance(value, ast.expr) else value
        return ast.copy_location(type(node)(**fields), node)

    def decision(self, node: ast.expr, by: Any) -> tuple[ast.expr, Any]:
        """Rewrite a condition; return it, and the node at whose place it is decided."""
        where = [by]
        return self.test(node, where), where[0]

    def test(self, node: ast.expr, where: list[Any]) -> ast.expr:
        """Rewrite an expression for its truth value: `and`, `or` and `not` decide once on each operand, as
        compiled.

        where: holds the node at whose place Python up to 3.11 decides: the statement, and from a comparison
        on that.
        """
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id == "__debug__"):
            return node
        if isinstance(node, ast.BoolOp):
            values = [self.test(value, where) for value in node.values]
            return ast.copy_location(ast.BoolOp(node.op, values), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.copy_location(ast.UnaryOp(node.op, self.test(node.operand, where)), node)
        if isinstance(node, ast.IfExp):
            outcomes = self.test(node.test, where), self.test(node.body, where), self.test(node.orelse, where)
            return ast.copy_location(ast.IfExp(*outcomes), node)
        if isinstance(node, ast.Compare):
            where[0] = node
            if len(node.ops) > 1:
                return self.chain(node)
        if not JUMPS_OLD:
            return self.truth(node, node)
        outcome = self.truth(where[0], node)
        if not isinstance(where[0], ast.Compare):
            return outcome
        # The jump stands where a comparison does, so here must be one.
        true = ast.copy_location(ast.Constant(True), where[0])
        return ast.copy_location(ast.Compare(outcome, [ast.Is()], [true]), where[0])

    def truth(self, where: Any, node: ast.expr) -> ast.expr:
        """Return the hook call that decides on an expression's truth."""
        if self.is_passed(node):
            return self.hook(where, "truth_passed", self.passing(node))
        return self.hook(where, "truth", self.expr(node))

    def is_passed(self, node: ast.expr) -> TypeGuard[ast.BinOp]:
        """Tell if this is an operator's result that goes straight to the next hook."""
        return isinstance(node, ast.BinOp) and not folds(node) and self.is_at_hand(node.right)

    def is_at_hand(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return self.kind(node.id) == "local"
        return isinstance(node, ast.Constant) and type(node.value) in (int, float)

    def passing(self, node: ast.BinOp) -> ast.expr:
        """Rewrite an operator whose value goes to the next hook and nowhere else."""
        again = self.is_passed(node.left)
        left = self.passing(node.left) if self.is_passed(node.left) else self.expr(node.left)
        return self.hook(node, "passing", BINARY[type(node.op)], left, self.expr(node.right), again)

    def expr_Constant(self, node: ast.Constant) -> ast.expr:
        return node

    def expr_Name(self, node: ast.Name) -> ast.expr:
        kind = self.kind(node.id)
        if kind == "local" or node.id == "__debug__":
            return node
        return self.hook(node, "load_" + kind, self.scope.mangled(node.id), node)

    def expr_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        value = self.stored(node.target, node.target.id, self.expr(node.value))
        return ast.copy_location(ast.NamedExpr(node.target, value), node)

    def expr_BinOp(self, node: ast.BinOp) -> ast.expr:
        if folds(node):
            return node
        return self.hook(node, "binary", BINARY[type(node.op)], self.expr(node.left), self.expr(node.right))

    def expr_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if folds(node):
            return node
        if isinstance(node.op, ast.Not):
            outcome = self.truth(node, node.operand)
            return ast.copy_location(ast.UnaryOp(node.op, outcome), node)
        return self.hook(node, "unary", _UNARY[type(node.op)], self.expr(node.operand))

    def expr_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        decisive = isinstance(node.op, ast.Or)
        *firsts, last = node.values
        parts = [self.keep(value, decisive, node) for value in firsts]
        parts.append(ast.copy_location(ast.Tuple([self.expr(last)], _LOAD), last))
        first_kept = ast.copy_location(ast.BoolOp(ast.Or(), parts), node)
        zero = ast.copy_location(ast.Constant(0), node)
        return ast.copy_location(ast.Subscript(first_kept, zero, _LOAD), node)

    def keep(self, node: ast.expr, decisive: bool, where: ast.BoolOp) -> ast.expr:
        """Rewrite an operand to a true tuple of its value if its truth is `decisive`, else to something
        false.

        On a false `a` in `(a and b) or c`, Python 3.11 decides once if that is on one line, otherwise twice.
        """
        if not self.merged(node, where):
            return self.hook(where, "keep_true" if decisive else "keep_false", self.expr(node))
        if isinstance(node.op, ast.Or) is decisive:
            parts = [self.keep(value, decisive, node) for value in node.values]
            return ast.copy_location(ast.BoolOp(ast.Or(), parts), node)
        *firsts, last = node.values
        outcomes = [self.outcome(value, node) for value in firsts]
        if not decisive:
            outcomes = [ast.copy_location(ast.UnaryOp(ast.Not(), outcome), outcome) for outcome in outcomes]
        last_kept = self.keep(last, decisive, where)
        return ast.copy_location(ast.BoolOp(ast.And(), [*outcomes, last_kept]), node)

    def outcome(self, node: ast.expr, where: ast.BoolOp) -> ast.expr:
        """Rewrite an operand whose truth is wanted and whose value is not."""
        if not self.merged(node, where):
            return self.hook(where, "truth", self.expr(node))
        outcomes = [self.outcome(value, node) for value in node.values]
        return ast.copy_location(ast.BoolOp(node.op, outcomes), node)

    def merged(self, node: ast.expr, where: ast.BoolOp) -> TypeGuard[ast.BoolOp]:
        return JUMPS_OLD and isinstance(node, ast.BoolOp) and node.lineno == where.lineno

    def expr_IfExp(self, node: ast.IfExp) -> ast.expr:
        parts = self.decision(node.test, node)[0], self.expr(node.body), self.expr(node.orelse)
        return ast.copy_location(ast.IfExp(*parts), node)

    def expr_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) > 1:
            return self.hook(node, "linked", self.chain(node))
        op = _COMPARE[type(node.ops[0])]
        if self.is_passed(node.left) and op in _ORDERS and self.is_at_hand(node.comparators[0]):
            passed = self.passing(node.left)
            return self.hook(node, "compare_passed", op, passed, self.expr(node.comparators[0]))
        left, right = self.expr(node.left), self.expr(node.comparators[0])
        return self.hook(node, "compare", op, left, right)

    def chain(self, node: ast.Compare) -> ast.expr:
        operators = ["", *(_COMPARE[type(op)] for op in node.ops)]
        operands = [node.left, *node.comparators]
        links: list[ast.expr] = [
            self.hook(x, "link", op, self.expr(x)) for op, x in zip(operators, operands, strict=True)
        ]
        return ast.copy_location(ast.Compare(links[0], [ast.Lt() for _ in node.ops], links[1:]), node)

    def expr_Call(self, node: ast.Call) -> ast.expr:
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
            and not node.keywords
        ):
            return node  # `super` looks at the frame that calls it
        function, args = self.expr(node.func), self.exprs(node.args)
        keywords = [
            ast.copy_location(
                ast.keyword(k.arg, self.mapping(k.value) if k.arg is None else self.expr(k.value)), k
            )
            for k in node.keywords
        ]
        if ast.Starred in map(type, args) or None in [k.arg for k in keywords]:
            spread = self.hook(node.func, "spread", function)
            return ast.copy_location(ast.Call(spread, args, keywords), node)
        where: Any = node
        if self.is_method_call(node):
            where = at_attribute(node, node.func)
        call = self.hook(where, "call", function, *args)
        call.keywords = keywords
        return call

    def is_method_call(self, node: ast.Call) -> bool:
        """Tell if the compiler gives the call the line of the method's name, not that of the object."""
        if not isinstance(node.func, ast.Attribute):
            return False
        if isinstance(node.func.value, ast.Name) and node.func.value.id in self.imports:
            return False
        return len(node.args) + len(node.keywords) + bool(node.keywords) < _METHOD_CALL_LIMIT

    def mapping(self, node: ast.expr) -> ast.expr:
        """Return the mapping after two stars."""
        return self.hook(node, "merge", self.expr(node))

    def expr_Starred(self, node: ast.Starred) -> ast.expr:
        value = self.hook(node.value, "iterate", self.expr(node.value))
        return ast.copy_location(ast.Starred(value, _LOAD), node)

    def expr_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self.hook(
            at_attribute(node, node), "getattr", self.expr(node.value), self.scope.mangled(node.attr)
        )

    def expr_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.hook(node, "getitem", self.expr(node.value), self.index(node.slice))

    def index(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple):  # part of the subscript, not a tuple of the user's
            return ast.copy_location(ast.Tuple(self.exprs(node.elts), _LOAD), node)
        return self.expr(node)

    def expr_Tuple(self, node: ast.Tuple) -> ast.expr:
        if constant_tuple(node):
            return node
        return self.hook(node, "build", ast.copy_location(ast.Tuple(self.exprs(node.elts), _LOAD), node))

    def expr_List(self, node: ast.List) -> ast.expr:
        display = self.children(node)
        display.elts = self.exprs(node.elts)
        return self.hook(node, "build", display)

    def expr_Set(self, node: ast.Set) -> ast.expr:
        display = self.children(node)
        display.elts = list(map(self.key, node.elts))
        return self.hook(node, "build", display)

    def key(self, node: ast.expr) -> ast.expr:
        """Rewrite a key of a dict or an item of a set: which of several equal keys is kept is a decision."""
        if isinstance(node, ast.Starred):
            starred: Any = self.expr(node)
            return ast.copy_location(ast.Starred(self.hook(node, "keys", starred.value), _LOAD), node)
        return node if isinstance(node, ast.Constant) else self.hook(node, "key", self.expr(node))

    def expr_Dict(self, node: ast.Dict) -> ast.expr:
        keys, values = [], []
        for key, value in zip(node.keys, node.values, strict=True):
            keys.append(key if key is None else self.key(key))
            values.append(self.expr(value) if key is not None else self.mapping(value))
        return self.hook(node, "build", ast.copy_location(ast.Dict(keys, values), node))

    def expr_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        if not any(isinstance(value, ast.FormattedValue) for value in node.values):
            return node
        parts = [self.field(v) if isinstance(v, ast.FormattedValue) else v for v in node.values]
        return self.hook(node, "text", *parts)

    def field(self, node: ast.FormattedValue) -> ast.expr:
        spec = "" if node.format_spec is None else self.expr(node.format_spec)
        return self.hook(node, "format", self.expr(node.value), _CONVERSION[node.conversion], spec)

    def expr_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        iterable = self.hook(node.value, "delegate", self.expr(node.value))
        return ast.copy_location(ast.YieldFrom(iterable), node)

    def expr_Lambda(self, node: ast.Lambda) -> ast.expr:
        return self.hook(node, "define", self.nested(node))

    # Binding

    def stored(self, where: Any, name: str, value: ast.expr) -> ast.expr:
        kind = self.kind(name)
        return (
            value if kind == "local" else self.hook(where, "store_" + kind, self.scope.mangled(name), value)
        )

    def target(self, node: ast.expr) -> tuple[ast.expr, list[Step]]:
        """Return the target that a loop or `as` binds instead of this one, and the steps that come next."""
        if isinstance(node, ast.Name) and self.kind(node.id) == "local":
            return node, []
        store, load = self.temporary(node)
        return store, list(self.assign(node, load))

    def assign(self, node: Any, value: ast.expr) -> Iterator[Step]:
        """Yield the steps that bind a target of any kind to a value, in Python's order."""
        if isinstance(node, ast.Name):
            yield node, self.stored(node, node.id, value)
        elif isinstance(node, ast.Attribute):
            names = {"value": value, "obj": self.expr(node.value), "name": self.scope.mangled(node.attr)}
            yield None, self.hook(at_attribute(node, node), "setattr", keywords=names)
        elif isinstance(node, ast.Subscript):
            names = {"value": value, "obj": self.expr(node.value), "index": self.index(node.slice)}
            yield None, self.hook(node, "setitem", keywords=names)
        else:
            yield from self.unpack(node, value)

    def unpack(self, node: ast.Tuple | ast.List, value: ast.expr) -> Iterator[Step]:
        stars = [i for i, part in enumerate(node.elts) if isinstance(part, ast.Starred)]
        counts = [stars[0], len(node.elts) - stars[0] - 1] if stars else [len(node.elts)]
        unpacked = self.hook(node, "unpack_star" if stars else "unpack", value, *counts)
        names = [part.value if isinstance(part, ast.Starred) else part for part in node.elts]
        if all(isinstance(name, ast.Name) and self.kind(name.id) == "local" for name in names):
            yield node, unpacked
            return
        hidden = [self.temporary(name) for name in names]
        parts: list[ast.expr] = [store for store, _ in hidden]
        for i in stars:
            parts[i] = ast.copy_location(ast.Starred(parts[i], _STORE), node.elts[i])
        yield ast.copy_location(ast.Tuple(parts, _STORE), node), unpacked
        for name, (_, load) in zip(names, hidden, strict=True):
            yield from self.assign(name, load)

    def place(self, node: Any) -> ast.Call:
        """Rewrite the attribute or item that an augmented assignment reads and will write."""
        if isinstance(node, ast.Attribute):
            obj, name = self.expr(node.value), self.scope.mangled(node.attr)
            return self.hook(at_attribute(node, node), "attribute", obj, name)
        return self.hook(node, "item", self.expr(node.value), self.index(node.slice))

    def deletion(self, node: Any) -> ast.Call:
        if isinstance(node, ast.Attribute):
            obj, name = self.expr(node.value), self.scope.mangled(node.attr)
            return self.hook(at_attribute(node, node), "delattr", obj, name)
        return self.hook(node, "delitem", self.expr(node.value), self.index(node.slice))

    def bind(self, steps: list[Step], held: ast.expr | None = None) -> list[ast.stmt]:
        """Return the steps as statements; temporaries (and `held`) are deleted at the end."""
        statements: list[ast.stmt] = []
        bound: list[ast.expr] = [] if held is None else [held]
        for name, value in steps:
            if name is None:
                statements.append(ast.Expr(value, **position(value)))
            else:
                statements.append(ast.Assign([name], value, **position(name)))
                bound.append(name)
        parts = [part for name in bound for part in ast.walk(name)]
        hidden = [part.id for part in parts if isinstance(part, ast.Name) and part.id.startswith(".")]
        if hidden:
            where = position(bound[0])
            statements.append(ast.Delete([ast.Name(name, ast.Del(), **where) for name in hidden], **where))
        return statements

    def rebind(self, where: Any, name: str) -> list[ast.stmt]:
        """Return what hands a global or free name to its hook after a statement that has bound it in its own
        way."""
        if self.kind(name) == "local":
            return []
        value = self.stored(where, name, ast.Name(name, _LOAD, **position(where)))
        return [ast.Assign([ast.Name(name, _STORE, **position(where))], value, **position(where))]

    def nested(self, node: ast.Lambda) -> ast.expr:
        raise NotImplementedError
