"""Describes trips of loops that may be done at once on a device: calls of blocks, and names that are bound.

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


class TripStep(NamedTuple):
    """One statement of a trip.

    block: the number of the block that is called; -1 where names are bound to what others stand for.
    takes, gives: the places of names among the trip's. is_tuple: what it gives is taken apart.
    """

    block: int
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    is_tuple: bool


class Trip(NamedTuple):
    """A trip in which Python only calls blocks, and binds names.

    stored: of its names, this many are stored; the others come after.
    """

    stored: int
    names: tuple[str, ...]
    line: int
    steps: tuple[TripStep, ...]


def with_trips(node: ast.For, begin: ast.expr, number: int) -> tuple[list[ast.stmt], ast.For] | None:
    """Return a loop over a range that may do trips at once, and what comes before it.

    None where Python does more in a trip than to call blocks. node: the loop as rewritten. begin: a function
    that gives an iterator. number: of the loop, in its function.
    """
    if not isinstance(node.target, ast.Name):
        return None
    asks = node.body[0]
    twice = isinstance(asks, ast.If) and len(node.body) == 1 and _is_of(asks.test, AT_HAND)
    body = asks.orelse if isinstance(asks, ast.If) and twice else node.body
    described = _described(body, node.lineno)
    if described is None:
        return None
    trip, blocks = described
    if node.target.id in trip.names:
        return None
    at = start(node)
    before: list[ast.stmt] = []
    made = ast.For(node.target, node.iter, node.body, node.orelse, node.type_comment, **at)
    ast.copy_location(made, node)
    if not (isinstance(node.iter, ast.Name) and node.iter.id.startswith(ITERATOR)):
        name = f"{TRIPS}{number}"
        begun = ast.Call(begin, [node.iter], [], **at)
        before.append(ast.Assign([ast.Name(name, ast.Store(), **at)], begun, **at))
        made.iter = ast.Name(name, ast.Load(), **at)
    assert isinstance(made.iter, ast.Name)

    def load(name: str) -> ast.expr:
        return ast.Name(name, ast.Load(), **at)

    plain: Any = (trip.stored, trip.names, trip.line, tuple(tuple(step) for step in trip.steps))
    functions = ast.Tuple([load(block) for block in blocks], ast.Load(), **at)
    given: list[ast.expr] = [ast.Constant(plain, **at), load(made.iter.id), functions, load(node.target.id)]
    assert isinstance(begin, ast.Attribute)
    trips = ast.Attribute(begin.value, "trips", ast.Load(), **at)
    after = ast.Call(trips, [*given, *map(load, trip.names)], [], **at)
    stored = [node.target.id, *trip.names[: trip.stored]]
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


def _described(body: list[ast.stmt], line: int) -> tuple[Trip, list[str]] | None:
    """Return the trip of a loop, and the names of its blocks; None where Python does more in it."""
    found: list[tuple[str, list[str], list[str], bool]] = []
    for statement in body:
        if isinstance(statement, ast.Pass) or _counts(statement):
            continue
        if not isinstance(statement, ast.Assign | ast.Expr):
            return None
        value = statement.value
        block = ""
        if isinstance(value, ast.Call):
            if (
                not (isinstance(value.func, ast.Name) and value.func.id.startswith(".block"))
                or value.keywords
            ):
                return None
            block, takes = value.func.id, _names(ast.Tuple(value.args, ast.Load()))
        else:
            takes = _names(value)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        gives = _names(targets[0]) if targets else []
        if takes is None or gives is None or len(targets) > 1 or not (block or targets):
            return None
        taken_apart = bool(targets) and isinstance(targets[0], ast.Tuple)
        if not block and taken_apart != isinstance(value, ast.Tuple):
            return None
        found.append((block, takes, gives, taken_apart))
    blocks = list(dict.fromkeys(block for block, *_ in found if block))
    stored = list(dict.fromkeys(name for _, _, gives, _ in found for name in gives))
    read = dict.fromkeys(name for _, takes, _, _ in found for name in takes)
    names = [*stored, *(name for name in read if name not in stored)]
    if not blocks:
        return None
    steps = tuple(
        TripStep(
            blocks.index(block) if block else -1,
            tuple(map(names.index, takes)),
            tuple(map(names.index, gives)),
            taken_apart,
        )
        for block, takes, gives, taken_apart in found
    )
    return Trip(len(stored), tuple(names), line, steps), blocks


def _names(node: ast.expr) -> list[str] | None:
    """Return the names that an expression or a target is made of; None where there is anything else in it."""
    parts: list[Any] = node.elts if isinstance(node, ast.Tuple) else [node]
    if not all(isinstance(part, ast.Name) for part in parts):
        return None
    return [part.id for part in parts]
