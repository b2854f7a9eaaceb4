"""Forms of statements and expressions: predicates for what a block may hold, and calls that Python makes
between."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any, TypeGuard

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import found_once, nodes_of, own_nodes
from npcompile.frontend.rewrite.scopes import WORK

# The name of the function through which calls of the user's functions go, which are jitted there. It is no
# identifier and cannot clash with the user's names.
ENTER = ".enter"
UNROLLED = 4  # the most literal items of a loop that is a part of its block
# A loop of the function itself ends the recording after more trips: a block then compiles its body once.
MAX_OWN_TRIPS = 16


def is_short(node: ast.For) -> bool:
    """Tell if a loop is over a few literal items, and therefore a part of the statements around it."""
    if node.orelse:
        return False
    match node.iter:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return len(elements) <= UNROLLED
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]):
            return count <= UNROLLED
    return False


def only_kept(node: ast.stmt) -> list[str]:
    """Return the name to which a statement binds a call's result.

    A name that nobody reads keeps the result alive: the object may do something when it dies.
    """
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
            return [name]
    return []


def lets_go(node: ast.stmt) -> bool:
    """Tell if a statement is `name = None`: the object that the name stood for may die there."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return True
    return False


def is_counted(node: ast.For) -> bool:
    """Tell if the number of a loop's trips is computed: over a range, or an expression with a computed range
    in it.

    A range over an array's number of axes is not computed: that number is a part of what the array is.
    """
    if _is_range(node.iter):
        return not all(isinstance(arg, ast.Attribute) and arg.attr == "ndim" for arg in node.iter.args)
    return any(
        _is_range(part) and not all(isinstance(arg, ast.Constant) for arg in part.args)
        for part in ast.walk(node.iter)
        if isinstance(part, ast.Call)
    )


def _is_range(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


@found_once
def has_work(node: ast.AST) -> bool:
    """Tell if anything in this could be array work: an operation, a call or an item; a literal (`-0.5`) is
    none."""
    found = [part for part in own_nodes([node]) if isinstance(part, WORK)]
    return any(isinstance(part, ast.Name | ast.Call) for one in found for part in nodes_of(one))


def deletes(parts: list[ast.AST]) -> bool:
    """Tell if an attribute is deleted."""
    return any(isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Del) for part in parts)


def is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "super"


# Methods that are called for their effect on a container, and on a file or a log.
_CHANGING = frozenset(
    ["add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"]
    + ["remove", "setdefault", "update"]
)
_WRITING = frozenset(
    ["close", "critical", "debug", "error", "exception", "flush", "info", "log", "resize", "warning"]
    + ["write", "writelines", "writerow"]
)


_BINDS = (ast.Starred, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def changes_container(node: ast.AST) -> str | None:
    """Return the name of the container (or of the object that holds it) that a statement only changes by a
    method."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) as function)) if name in _CHANGING:
            return None if is_append(node) else root_of(function)
    return None


def filled(call: ast.Call) -> str | None:
    """Return the name of the container that a call only puts a value into: `found.append(x.sum())`.

    The method of a list that was made here is the same before the value is computed and after.
    """
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add" | "extend" | "update"),
            args=[value],
            keywords=[],
        ):
            return None if any(isinstance(part, _BINDS) for part in own_nodes([value])) else name
    return None


def appended_to(node: ast.AST) -> ast.expr | None:
    """Return the expression that a statement appends something to."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=value, attr="append"), args=[arg], keywords=[])
        ):
            return None if isinstance(arg, ast.Starred) else value
    return None


def is_append(node: ast.AST) -> bool:
    """Tell if a statement appends to a container that an object or a container holds: a store.

    Examples are `self.history.append(x)` and `self.table["x"].append(x)`.
    """
    return isinstance(appended_to(node), ast.Attribute | ast.Subscript)


def is_effect(node: ast.AST, imports: frozenset[str]) -> bool:
    """Tell if a statement is a call for its effect alone, which no block holds: `print`, or a changing or
    writing method.

    Other calls are of the user's functions as a rule, and recorded.
    """
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    if isinstance(function, ast.Attribute):
        named = function.attr in _CHANGING | _WRITING
        own = root_of(function) not in imports or _is_of_class(function)
        return named and own and not is_append(node)
    return isinstance(function, ast.Name) and function.id == "print"


def is_resizing(node: ast.AST) -> bool:
    """Tell if a statement resizes an array: NumPy counts the array's references, so none may be held
    beside."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "resize"


def _is_of_class(function: ast.Attribute) -> bool:
    """Tell if a method is named by the class of NumPy's arrays: `np.ndarray.resize(a, 5)`."""
    owner = function.value
    return (isinstance(owner, ast.Attribute) and owner.attr == "ndarray") or (
        isinstance(owner, ast.Name) and owner.id == "ndarray"
    )


def root_of(node: ast.expr) -> str | None:
    """Return the name that a chain of attributes and items begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def asks_numbers(test: ast.expr) -> bool:
    """Tell if a condition only compares names and attributes: if these were arrays, it could not decide."""
    plain = (ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.Not, ast.UnaryOp, ast.USub)
    return all(
        isinstance(part, (*plain, ast.Name, ast.Attribute, ast.Constant, ast.expr_context))
        for part in ast.walk(test)
    )


def _operands(node: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression other than a call that are surely evaluated, in their order."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators] if len(node.ops) == 1 else [node.left]
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    return node.elts if isinstance(node, ast.Tuple | ast.List) else []


def first_call(
    node: ast.expr, pure: Callable[[ast.Call], bool], steady: Callable[[str], bool]
) -> ast.Call | None:
    """Return the first call in an expression that is not `pure`.

    No part is evaluated before it, and no name is read before it that is not `steady`, for the call may bind
    it anew.
    """
    if isinstance(node, ast.Call):
        if not pure(node):
            return node
        parts: list[ast.expr] = [*node.args, *(keyword.value for keyword in node.keywords)]
    else:
        parts = _operands(node)
    for part in parts:
        if (found := first_call(part, pure, steady)) is not None:
            return found
        if not isinstance(part, ast.Constant) and not (isinstance(part, ast.Name) and steady(part.id)):
            return None
    return None


_LAZY = (ast.Lambda, ast.GeneratorExp)


def is_given_code(node: ast.Call) -> bool:
    """Tell if a call is given a function or a generator that is written here."""
    return any(isinstance(part, _LAZY) for part in own_nodes([*node.args, *node.keywords]))


def first_opaque(
    node: ast.expr, opaque: Callable[[ast.expr], bool], steady: Callable[[str], bool]
) -> tuple[ast.expr | None, ast.expr] | None:
    """Return the first `opaque` call or attribute in an expression, and the first part to be evaluated before
    it.

    Returns None if there is none that is surely evaluated.
    """
    parts: list[Any]
    if isinstance(node, ast.Attribute) and opaque(node):
        return None, node
    if isinstance(node, ast.Call):
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if opaque(node):
            lazy = any(isinstance(part, ast.Starred | ast.GeneratorExp) for part in parts)
            before = [] if lazy else [part for part in parts if not isinstance(part, ast.Lambda)]
            return next((part for part in before if has_work(part)), None), node
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            parts.insert(0, node.func.value)
        if any(isinstance(part, ast.Starred) for part in parts) or not all(key.arg for key in node.keywords):
            return None
    elif isinstance(node, ast.Tuple | ast.List) and any(isinstance(part, ast.Starred) for part in node.elts):
        return None
    else:
        parts = _operands(node)
    before = []
    for part in parts:
        if (found := first_opaque(part, opaque, steady)) is not None:
            return (before[0] if before else found[0]), found[1]
        if not isinstance(part, ast.Constant) and not (isinstance(part, ast.Name) and steady(part.id)):
            before.append(part)
    return None


def _rebuilt(node: ast.AST, visit: Callable[[ast.AST], Any]) -> ast.AST:
    """Return a copy of the node with its parts as `visit` returns them."""
    made = copy.copy(node)
    for name, old in ast.iter_fields(node):
        if isinstance(old, list):
            setattr(made, name, [visit(item) if isinstance(item, ast.AST) else item for item in old])
        elif isinstance(old, ast.AST):
            setattr(made, name, visit(old))
    return made


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> Any:
        if node is self.old:
            return self.new
        return _rebuilt(node, self.visit)


def swapped(node: ast.expr, old: ast.expr, new: ast.expr) -> Any:
    """Return the expression with a part of it replaced."""
    return _Swap(old, new).visit(node)


def leaves(body: list[ast.stmt]) -> bool:
    """Tell if a body never runs to its end."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Break | ast.Continue)


MakeTest = Callable[[ast.expr], ast.expr]


class _Enter(ast.NodeTransformer):
    def __init__(self, as_it_is: Callable[[ast.expr], bool], asks: MakeTest | None) -> None:
        self.as_it_is = as_it_is
        self.asks = asks
        self.within = 0  # comprehensions around

    def visit_Call(self, node: ast.Call) -> ast.AST:
        made = copy.copy(node)
        made.args = [self.visit(arg) for arg in node.args]
        made.keywords = [self.visit(copy.copy(keyword)) for keyword in node.keywords]
        if self.as_it_is(node.func):
            return made
        at = position(node.func)
        made.func = ast.Call(ast.Name(ENTER, ast.Load(), **at), [self.visit(node.func)], [], **at)
        if self.within and self.asks is not None and _is_path(node.func):
            made.func = ast.IfExp(self.asks(node.func), node.func, made.func, **at)
        return made

    def _items(self, node: Any) -> ast.AST:
        self.within += 1
        made: Any = self.generic_visit(node)
        self.within -= 1
        return made

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _items

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return _rebuilt(node, self.visit)

    def _unvisited(self, node: ast.AST) -> ast.AST:
        return node

    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _unvisited


def _is_path(node: ast.expr) -> bool:
    """Tell if this is a name, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def entering(node: Any, as_it_is: Callable[[ast.expr], bool], asks: MakeTest | None) -> Any:
    """Return a copy in which each call of a Python function goes through `ENTER`.

    as_it_is: tells if an expression is known not to be a function to be jitted. asks: returns, for an item of
    a comprehension, the test if the item calls the function as it is.
    """
    return _Enter(as_it_is, asks).visit(node)
