"""What cutting a function into blocks goes by, and what it gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from npcompile.frontend.rewriting.source import FunctionNode


@dataclass
class Levels:
    """What is known of a function's statements: how far each is left to Python, which begin a block, which
    are too little work for a block, which NumPy was seen to do faster, and why others were taken apart."""

    of: dict[ast.AST, int] = field(default_factory=dict)
    starts: set[ast.AST] = field(default_factory=set)
    small: set[ast.AST] = field(default_factory=set)
    faster: set[ast.AST] = field(default_factory=set)
    why: dict[ast.AST, str] = field(default_factory=dict)  # what blocks that held them could not do
    # Where an expression stands in the source -> its number, when it is worked out by itself: the same in
    # each cut, so that blocks are, too.
    numbers: dict[tuple[int | None, ...], int] = field(default_factory=dict)

    def __getitem__(self, node: ast.AST) -> int:
        return self.of.get(node, 0)


@dataclass(frozen=True, eq=False)
class Block:
    """Statements that are one function of `takes`, giving `gives`.

    statements: those of the user's source that they came from. variables: those of `takes` that a loop around
    the block binds.
    """

    name: str
    node: ast.FunctionDef
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    statements: tuple[ast.AST, ...]
    variables: frozenset[str]
    in_loop: bool


@dataclass(frozen=True)
class Cut:
    """A function's tree with calls of blocks in place of what they hold."""

    node: FunctionNode
    blocks: tuple[Block, ...]
    enters: bool  # whether any call goes through `ENTER`
