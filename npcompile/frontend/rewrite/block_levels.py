"""The data of cutting a function into blocks: the levels of its statements go in, `Block`s and a `Cut` come
out.

`partition/` keeps the `Levels` of each function and raises them where a recording fails; `cutter.py` reads
them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from npcompile.diagnostics.reason import Reason
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.native_entry import Native
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.source import FunctionNode

# The most operations of a block: a recording of too many steps is given up, but only once they were made.
MAX_WORK = 600


@dataclass
class Levels:
    """The knowledge about a function's statements that decides how it is cut.

    of: how far each statement is left to Python (the levels of `cutter.py`). starts: statements that begin a
    block. foreign: the names that hold foreign arrays where a statement begins. small: too little work for a
    block. faster: NumPy was measured to be faster. driven: they depend on what a loop changes.
    """

    of: dict[ast.AST, int] = field(default_factory=dict)
    starts: set[ast.AST] = field(default_factory=set)
    foreign: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    small: set[ast.AST] = field(default_factory=set)
    faster: set[ast.AST] = field(default_factory=set)
    driven: set[ast.AST] = field(default_factory=set)
    work: int = MAX_WORK  # the most operations of a block
    why: dict[ast.AST, Reason] = field(default_factory=dict)  # the reasons why statements were taken apart
    libraries: dict[ast.stmt, str] = field(default_factory=dict)  # the library's function that each calls
    # The numbers of expressions that are evaluated by themselves, by their places in the source. They are
    # equal in each cut, and so are blocks that hold them.
    numbers: dict[tuple[int | None, ...], int] = field(default_factory=dict)

    def __getitem__(self, node: ast.AST) -> int:
        return self.of.get(node, 0)

    def number(self, place: tuple[int | None, ...]) -> int:
        return self.numbers.setdefault(place, len(self.numbers) + 1)

    def leave(self, block: Block, faster: bool, driven: list[ast.stmt]) -> None:
        """Leave a block's statements to Python.

        faster: NumPy was measured to be faster. driven: those statements that depend on what a loop changes.
        """
        statements = [*block.node.body, *block.statements]
        self.of |= dict.fromkeys(statements, 2)
        self.small.update(statements)
        self.faster.update(statements if faster else ())
        self.driven.update(driven)


@dataclass(frozen=True, eq=False)
class Block:
    """Statements that make one function, of the names `takes` to the names `gives`.

    statements: the statements of the user's source that they came from. variables: those of `takes` that a
    loop around the block binds. steady: those that no statement in a loop around the block binds.
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
    """A function's tree with calls of blocks in place of the statements that they hold."""

    node: FunctionNode
    blocks: tuple[Block, ...]
    enters: bool  # some call goes through `ENTER`
    twice: bool  # some loop asks the running call if it is to go on as written
    natives: dict[str, Native]  # the native code of loops, by the free variables that hold them


def bound_by(loops: list[ast.For | ast.While]) -> tuple[set[str], set[str]]:
    """Return the names that loops bind for each trip (a `while` loop: in its body), and all names that they
    bind."""
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
    """Return the definition of a block's function."""
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
