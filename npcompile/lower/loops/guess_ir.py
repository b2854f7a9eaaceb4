"""Defines innermost loops that have a version for small items, whose ints are then not checked.

`frontend/loops/passes/guesses.py` finds them, `guess_code.py` writes their C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(eq=False)
class GuessedLoop(ir.FastLoop):
    """An innermost loop without effects, whose version without checks takes items of 64 bits to be small.

    guessed: the ints that are such items. bits: of their size. They are looked at together as the loop ends:
    where one was larger, the loop is done again with all checks. sums: all operations that need none.
    """

    guessed: frozenset[ir.Expression] = frozenset()
    bits: int = 0
