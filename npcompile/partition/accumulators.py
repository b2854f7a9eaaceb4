"""Accumulators of loops: what begins as `s = 0.0` is Python's number at the first trip alone, and NumPy's at
all others, whose program gives the same for either."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import NUMPY, Op
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.program import Program
from npcompile.frontend.rewrite.block_levels import Block
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.runtime.guarded_replays import EXACT
from npcompile.tiering.overhead import users

# With another operand of NumPy's type these take Python's numbers for that type.
_WEAK: tuple[np.ufunc, ...] = (np.add, np.subtract, np.multiply, np.true_divide)
_KINDS: tuple[type[np.generic], ...] = (np.float64, np.int64)
MAX_MISSED = 8


class Accumulators:
    """Those that a block in a loop takes and gives, by their places among its arguments."""

    def __init__(self, block: Block) -> None:
        both = set(block.takes) & set(block.gives) if block.in_loop else set()
        self.names = {name: place for place, name in enumerate(block.takes) if name in both}
        self.missed = 0  # trips in a row for which there was no program
        self.lent: set[Any] = set()  # signatures of first trips that have a replay of the others'
        self._whole: dict[int, bool] = {}  # True: Python's whole numbers do, too
        self._kinds: dict[int, type[np.generic] | None] = {}  # NumPy's; None: that makes a difference

    def answer(self, block: Any, key: Any, args: tuple[Any, ...]) -> tuple[Any] | None:
        """Return what a first trip gives: by the program of the others, or by NumPy where there is none yet.
        None: it is a call like others."""
        if key in block.by_signature and key not in self.lent:
            return None
        numbers = any(type(args[place]) in (int, float) for place in self.names.values())
        if numbers and not block.balance.waited:  # the trips after it are to be recorded first
            block.balance.waited = True
            block.sighted.add(key)
            return (users(block.beside(args, {}), args, {}),)
        instead = self.numpys(args) if numbers else None
        if instead is None:
            if key in self.lent:
                self.lent.remove(key)
                block.by_signature.pop(key, None)
            return None
        try:
            result = block.by_replay(instead, args, key)
            self.missed = 0
            if key in block.by_signature:
                self.lent.add(key)
        except Diverged:
            self.missed += 1
            result = users(block.beside(args, {}), args, {})
        return (result,)

    def learn(self, program: Program) -> None:
        """See from a program whether Python's numbers would do for those that are NumPy's."""
        for node in program.inputs:
            place = self.names.get(str(node.target))
            if place is None or value_of(node).kind != "scalar":
                continue
            dtype = value_of(node).dtype
            kind: Any = None if dtype is None else NUMPY[dtype].type
            others = {_other(user, node) for user in node.users}
            same = kind in _KINDS and None not in others and not attributes(node).inspected
            whole = others <= {dtype}
            weak = whole or (
                same
                and kind is np.float64
                and all(one is dtype or NUMPY[one].kind in "iub" for one in others)
            )
            self._kinds[place] = kind if same and weak and self._kinds.get(place, kind) is kind else None
            self._whole[place] = whole and self._whole.get(place, True)

    def numpys(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The arguments with NumPy's numbers for Python's. None where there are none, or it makes a
        difference."""
        made = list(args)
        for place in self.names.values():
            number: Any = args[place]
            if type(number) not in (int, float) or place not in self._kinds:
                continue
            kind = self._kinds[place]
            if kind is None or (type(number) is float and kind is not np.float64):
                return None
            if type(number) is int and (abs(number) > EXACT or not self._whole[place]):
                return None
            made[place] = kind(number)
        same = all(one is other for one, other in zip(made, args, strict=True))
        return None if same or self.missed > MAX_MISSED else tuple(made)


def _other(user: fx.Node, number: fx.Node) -> Any:
    """The dtype of what a step adds to a number, or the like. None of other steps."""
    if step_of(user) != "op" or not isinstance(user.target, Op) or user.target.function not in _WEAK:
        return None
    others = [arg for arg in user.args if arg is not number]
    if len(user.args) != 2 or len(others) != 1 or user.kwargs or not isinstance(others[0], fx.Node):
        return None
    other = value_of(others[0])
    return other.dtype if other.kind in ("array", "scalar") else None
