"""Describes trips of loops that may be done at once on a device: calls of blocks, names that are bound, and
work of Python's on numbers.

`resident_statements.py` adds a statement to the end of such a loop's body. After a trip it may do more of
them (`replay/resident_loop.py`), and takes their items from the loop's iterator.
"""

from __future__ import annotations

import ast
import copy
from typing import Any, NamedTuple

from npcompile.frontend.rewrite.ast_builder import start
from npcompile.frontend.rewrite.dual_loops import AT_HAND, CUT
from npcompile.frontend.rewrite.native_entry import ITERATOR

TRIPS = ".trips"  # the names of loops' iterators begin with it, where the loop has none already
ITEM = ".item"  # the name of what stands for a loop's item, where it is none or among the trip's names

_NUMERIC = (
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.Name,
    ast.Constant,
    ast.cmpop,
    ast.boolop,
    ast.unaryop,
    ast.operator,
    ast.expr_context,
)


class TripStep(NamedTuple):
    """One statement of a trip.

    block: the number of the block that is called; -1 where none is. function: the number of the function that
    does Python's work on numbers; -1 where names are bound to what others stand for. goes_on: the truth of
    what the function gives in trips that are as this one; None where its result is stored. takes, gives: the
    places of names among the trip's. is_tuple: what it gives is taken apart.
    """

    block: int
    function: int
    goes_on: bool | None
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    is_tuple: bool


class Trip(NamedTuple):
    """A trip in which Python only calls blocks, binds names, and works on numbers.

    stored: of its names, this many are stored; the others come after. draws: the first is the loop's item.
    """

    stored: int
    names: tuple[str, ...]
    line: int
    steps: tuple[TripStep, ...]
    draws: bool


class _Found(NamedTuple):
    """One statement of a trip, by names: as `TripStep`.

    block: empty if none is called. function: the tree of the function, if there is one.
    """

    block: str
    function: ast.expr | None
    goes_on: bool | None
    takes: list[str]
    gives: list[str]
    is_tuple: bool


class _Description(NamedTuple):
    """A trip with its blocks, and the functions that do Python's work on numbers."""

    trip: Trip
    blocks: list[str]
    functions: list[ast.expr]


def with_trips(
    node: ast.For | ast.While, loop: ast.For | ast.While, begin: ast.expr, number: int, bound: set[str]
) -> tuple[list[ast.stmt], ast.For | ast.While] | None:
    """Return a loop that may do trips at once, and what comes before it.

    None where Python does more in a trip than to call blocks, and to work on numbers.

    node: the loop before arrays were to stay on the device. loop: as rewritten for that, over a range if it
    is a `for` loop. begin: a function that gives an iterator. number: of the loop, in its function. bound:
    names that surely have a value before the loop.
    """
    asks = loop.body[0]
    twice = isinstance(asks, ast.If) and len(loop.body) == 1 and _is_of(asks.test, AT_HAND)
    body = asks.orelse if isinstance(asks, ast.If) and twice else loop.body
    first: Any = node.body[0]
    test = node.test if isinstance(node, ast.While) else None
    if isinstance(test, ast.IfExp) and _is_of(test.test, AT_HAND):
        test = test.orelse
    found = _statements(first.orelse if twice else node.body, test)
    target = loop.target if isinstance(loop, ast.For) else None
    drawn = target.id if isinstance(target, ast.Name) else ""
    described = None if found is None else _described(found, node.lineno, bound, drawn)
    if described is None:
        return None
    trip, blocks, functions = described
    at = start(node)
    before: list[ast.stmt] = []
    made = copy.copy(loop)

    def load(name: str) -> ast.expr:
        return ast.Name(name, ast.Load(), **at)

    iterator: ast.expr = ast.Constant(None, **at)
    item, kept = iterator, ITEM
    if isinstance(made, ast.For):
        if not drawn:
            return None
        if not (isinstance(made.iter, ast.Name) and made.iter.id.startswith(ITERATOR)):
            begun = ast.Call(begin, [made.iter], [], **at)
            before.append(ast.Assign([ast.Name(f"{TRIPS}{number}", ast.Store(), **at)], begun, **at))
            made.iter = load(f"{TRIPS}{number}")
        iterator = made.iter
        if not trip.draws:
            item, kept = load(drawn), drawn
    plain: Any = (trip.stored, trip.names, trip.line, tuple(tuple(step) for step in trip.steps), trip.draws)
    called = ast.Tuple([load(block) for block in blocks], ast.Load(), **at)
    given: list[ast.expr] = [
        ast.Constant(plain, **at),
        iterator,
        called,
        ast.Tuple(functions, ast.Load(), **at),
    ]
    assert isinstance(begin, ast.Attribute)
    trips = ast.Attribute(begin.value, "trips", ast.Load(), **at)
    after = ast.Call(trips, [*given, item, *map(load, trip.names)], [], **at)
    stored = [kept, *trip.names[: trip.stored]]
    targets = ast.Tuple([ast.Name(name, ast.Store(), **at) for name in stored], ast.Store(), **at)
    whole = [*body, ast.Assign([targets], after, **at)]
    if twice:
        chosen: Any = copy.copy(asks)
        chosen.orelse = whole
        whole = [chosen]
    made.body = whole
    return before, made


def _is_of(node: ast.AST, name: str) -> bool:
    """Tell if a name of ours is in an expression or target."""
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _counts(statement: ast.stmt) -> bool:
    """Tell if a statement counts the trips that no kernel has answered."""
    if isinstance(statement, ast.AugAssign):
        return _is_of(statement.target, CUT)
    return isinstance(statement, ast.If) and _is_of(statement.test, CUT)


def _statements(body: list[ast.stmt], test: ast.expr | None) -> list[_Found] | None:
    """Return the statements of a trip; None where Python does more in it. test: what a trip begins with."""
    found: list[_Found | None] = [] if test is None else [_on_numbers(test, [], True)]
    for statement in body:
        if isinstance(statement, ast.Pass) or _counts(statement):
            continue
        if isinstance(statement, ast.If) and not statement.orelse:
            found.append(_on_numbers(statement.test, [], False))
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            at = start(statement)
            own = ast.Name(statement.target.id, ast.Load(), **at)
            value = ast.BinOp(own, statement.op, statement.value, **at)
            found.append(_on_numbers(value, [own.id], None))
        elif isinstance(statement, ast.Assign | ast.Expr):
            found.append(_bound(statement))
        else:
            return None
    return None if None in found else [one for one in found if one is not None]


def _bound(statement: ast.Assign | ast.Expr) -> _Found | None:
    """Return a statement that calls a block, or binds names."""
    value = statement.value
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    gives = _names(targets[0]) if targets else []
    if gives is None or len(targets) > 1:
        return None
    taken_apart = bool(targets) and isinstance(targets[0], ast.Tuple)
    if isinstance(value, ast.Call):
        if not (isinstance(value.func, ast.Name) and value.func.id.startswith(".block")) or value.keywords:
            return None
        takes = _names(ast.Tuple(value.args, ast.Load()))
        return None if takes is None else _Found(value.func.id, None, None, takes, gives, taken_apart)
    takes = _names(value)
    if takes is None and len(gives) == 1 and not taken_apart:
        return _on_numbers(value, gives, None)
    if takes is None or not targets or taken_apart != isinstance(value, ast.Tuple):
        return None
    return _Found("", None, None, takes, gives, taken_apart)


def _on_numbers(value: ast.expr, gives: list[str], goes_on: bool | None) -> _Found | None:
    """Return a statement by which Python works on numbers; None where it may do anything else."""
    names = dict.fromkeys(part.id for part in ast.walk(value) if isinstance(part, ast.Name))
    if any(name.startswith(".") for name in names) or not all(
        isinstance(part, _NUMERIC) for part in ast.walk(value)
    ):
        return None
    at = start(value)
    taken = [ast.arg(name, **at) for name in names]
    given = ast.arguments(posonlyargs=[], args=taken, kwonlyargs=[], kw_defaults=[], defaults=[])
    return _Found("", ast.Lambda(given, value, **at), goes_on, [*names], gives, False)


def _may_skip(function: ast.expr | None) -> bool:
    """Tell if an evaluation may leave names unread, which then need have no value."""
    return function is not None and any(
        isinstance(part, ast.BoolOp) or (isinstance(part, ast.Compare) and len(part.ops) > 1)
        for part in ast.walk(function)
    )


def _described(found: list[_Found], line: int, bound: set[str], drawn: str) -> _Description | None:
    """Return the trip of a loop; None where no block is called, or a name may have no value.

    drawn: the name of its items.
    """
    blocks = list(dict.fromkeys(one.block for one in found if one.block))
    read = dict.fromkeys(name for one in found for name in one.takes)
    given = dict.fromkeys(name for one in found for name in one.gives)
    draws = drawn in read or drawn in given
    stored = list(dict.fromkeys([*([drawn] if draws else ()), *given]))
    names = [*stored, *(name for name in read if name not in stored)]
    if not blocks:
        return None
    if any(_may_skip(one.function) and not {*one.takes} <= {*stored, *bound} for one in found):
        return None
    functions: list[ast.expr] = []
    steps = []
    for one in found:
        block = blocks.index(one.block) if one.block else -1
        takes, gives = tuple(map(names.index, one.takes)), tuple(map(names.index, one.gives))
        place = -1 if one.function is None else len(functions)
        steps.append(TripStep(block, place, one.goes_on, takes, gives, one.is_tuple))
        if one.function is not None:
            functions.append(one.function)
    return _Description(Trip(len(stored), tuple(names), line, tuple(steps), draws), blocks, functions)


def _names(node: ast.expr) -> list[str] | None:
    """Return the names that an expression or a target is made of; None where there is anything else in it."""
    parts: list[Any] = node.elts if isinstance(node, ast.Tuple) else [node]
    if not all(isinstance(part, ast.Name) for part in parts):
        return None
    return [part.id for part in parts]
