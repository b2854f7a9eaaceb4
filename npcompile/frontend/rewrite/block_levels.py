"""What cutting a function into blocks goes by, and what it gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from npcompile.diagnostics.reason import Reason
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.source import FunctionNode

# So many operations a block is to have at most: a recording of too many steps is given up, which is found out
# only when they have been made.
MAX_WORK = 600


@dataclass
class Levels:
    """What is known of a function's statements: how far each is left to Python, which begin a block, which
    are too little work for a block, which NumPy was seen to do faster, which of them go by what a loop
    changes, and why others were taken apart."""

    of: dict[ast.AST, int] = field(default_factory=dict)
    starts: set[ast.AST] = field(default_factory=set)
    small: set[ast.AST] = field(default_factory=set)
    faster: set[ast.AST] = field(default_factory=set)
    driven: set[ast.AST] = field(default_factory=set)
    work: int = MAX_WORK  # so many operations a block has at most
    why: dict[ast.AST, Reason] = field(default_factory=dict)  # what blocks that held them could not do
    libraries: dict[ast.stmt, str] = field(default_factory=dict)  # the library's function that each calls
    # Where an expression stands in the source -> its number, when it is worked out by itself: the same in
    # each cut, so that blocks are, too.
    numbers: dict[tuple[int | None, ...], int] = field(default_factory=dict)

    def __getitem__(self, node: ast.AST) -> int:
        return self.of.get(node, 0)

    def number(self, place: tuple[int | None, ...]) -> int:
        return self.numbers.setdefault(place, len(self.numbers) + 1)

    def leave(self, block: Block, faster: bool, driven: list[ast.stmt]) -> None:
        """Leave a block's statements to Python. faster: NumPy was seen to be. driven: those that go by what a
        loop changes."""
        statements = [*block.node.body, *block.statements]
        self.of |= dict.fromkeys(statements, 2)
        self.small.update(statements)
        self.faster.update(statements if faster else ())
        self.driven.update(driven)


@dataclass(frozen=True, eq=False)
class Block:
    """Statements that are one function of `takes`, giving `gives`.

    statements: those of the user's source that they came from. variables: those of `takes` that a loop around
    the block binds. steady: those that nothing in a loop around it binds.
    """

    name: str
    node: ast.FunctionDef
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    statements: tuple[ast.AST, ...]
    variables: frozenset[str]
    steady: frozenset[str]
    in_loop: bool


@dataclass(frozen=True)
class Cut:
    """A function's tree with calls of blocks in place of what they hold."""

    node: FunctionNode
    blocks: tuple[Block, ...]
    enters: bool  # whether any call goes through `ENTER`
    twice: bool  # whether loops ask the call at hand whether to go on as they were written


def bound_by(loops: list[ast.For | ast.While]) -> tuple[set[str], set[str]]:
    """The names that loops bind for each trip (a `while` loop: in its body), and all that they bind."""
    variables: set[str] = set()
    names: set[str] = set()
    for loop in loops:
        inside = stored_names(*loop.body)
        variables.update(stored_names(loop.target) if isinstance(loop, ast.For) else inside)
        names.update(inside)
    return variables, names | variables


def function_of(
    name: str, statements: list[ast.stmt], takes: tuple[str, ...], gives: tuple[str, ...]
) -> ast.FunctionDef:
    """The function that a block is."""
    end = dict.fromkeys(("lineno", "end_lineno"), statements[-1].end_lineno)
    end |= dict.fromkeys(("col_offset", "end_col_offset"), 0)
    where = position(statements[0])
    names: list[ast.expr] = [ast.Name(one, ast.Load(), **end) for one in gives]
    result = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load(), **end)
    body = [*statements, *([ast.Return(result, **end)] if names else [])]
    args = [ast.arg(one, **where) for one in takes]
    plain: dict[str, Any] = {"decorator_list": [], "type_params": []} | where
    return ast.FunctionDef(
        name=name,
        args=ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=body,
        **plain,
    )
