"""Finds loops that bind numbers which their function compares by `is`: native code keeps values, not objects.

`partition/native_loop.py` asks for each combination of types, and leaves these loops to Python.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator

# The reason why such a loop, or one with a number compared by `is` in it, is left to Python.
COMPARED = "numbers that are compared by `is`"
_BUILTINS = frozenset(vars(builtins))


class Comparisons:
    """The comparisons by `is`, and the calls of `id`, of one function, beside what one of its loops binds.

    A place is a name, an attribute of a name (`s.x`), or what either holds (`s[]`).
    """

    def __init__(self, loop: ast.AST, function: ast.AST) -> None:
        self._operands = [*_operands(function)]
        looked_at = bool(self._operands)
        self._flows = [flow for node in ast.walk(function) for flow in _flows(node)] if looked_at else []
        self._bound = [targets for node in ast.walk(loop) for targets, _ in _flows(node)] if looked_at else []

    def tell_numbers_apart(self, may_be_number: Callable[[str], bool]) -> bool:
        """Tell if the loop may bind a number that is compared. may_be_number: tells if a place may be of one.

        What a name was bound to elsewhere in the function counts, too: `best` in `kept = best; kept is x`.
        """
        compared: set[str] = set()
        for operands in self._operands:
            if all(any(map(may_be_number, places)) for places in operands if places):
                compared.update(place for places in operands for place in places if may_be_number(place))
        known = 0
        while len(compared) > known:
            known = len(compared)
            for targets, values in self._flows:
                if _meet(targets, compared):
                    within = map(_in, values)
                    compared.update(place for place in (*values, *within) if may_be_number(place))
        return any(_meet(targets, compared) for targets in self._bound)


def _operands(function: ast.AST) -> Iterator[tuple[set[str], ...]]:
    """Yield the places of both operands of each `is` that may be of numbers, and of arguments of `id`."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                operands = [left, *others]
                for one, op, other in zip(operands, ops, others, strict=False):
                    if isinstance(op, ast.Is | ast.IsNot) and not any(map(_is_no_number, (one, other))):
                        yield _places([one]), _places([other])
            case ast.Call(func=ast.Name(id="id"), args=args):
                yield (_places(args),)


def _is_no_number(operand: ast.expr) -> bool:
    """Tell if an operand of `is` is a constant, a bool, a class, or a function of Python's."""
    match operand:
        case ast.Constant() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type")):
            return True
        case ast.Name(id=name):
            return name in _BUILTINS
    return False


def _flows(node: ast.AST) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the places that a node may bind, and the places that their values may come from."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield _places(targets), _places([value])
        case ast.AugAssign() | ast.AnnAssign() | ast.NamedExpr():
            yield _places([node.target]), _places([] if node.value is None else [node.value])
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield _places([target]), _places([value])
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield _places([target]), _places([value])
        case ast.Call(func=function, args=args, keywords=keywords):
            owner = [function.value] if isinstance(function, ast.Attribute) else []
            given = _places([*owner, *args, *(one.value for one in keywords)])
            yield {_in(place) for place in given}, given


def _places(nodes: Iterable[ast.expr]) -> set[str]:
    """Return the places that the values of expressions may come from."""
    found: set[str] = set()
    pending: list[ast.AST] = list(nodes)
    while pending:
        node = pending.pop()
        if (path := _path(node)) is not None:
            found.add(path)
        elif isinstance(node, ast.Subscript):
            found |= {_in(place) for place in _places([node.value])}
        elif isinstance(node, ast.Call):
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            given = _places([*owner, *node.args, *(one.value for one in node.keywords)])
            found |= given | {_in(place) for place in given}
        else:
            pending += ast.iter_child_nodes(node)
    return found


def _path(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            within = _path(owner)
            return None if within is None else f"{within}.{name}"
    return None


def _in(place: str) -> str:
    """Return the place of what a place holds."""
    return place if place.endswith("[]") else f"{place}[]"


def _meet(bound: set[str], compared: set[str]) -> bool:
    """Tell if a binding changes one of some places."""
    return any(
        place in (one, _in(one)) or place.startswith(f"{one.removesuffix('[]')}.")
        for one in bound
        for place in compared
    )
