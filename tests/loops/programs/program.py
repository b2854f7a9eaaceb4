"""A loop program of the corpus is a function and the argument sets on which it is judged and timed.

Files beside this one register their functions by `@loop(...)`, which leaves the function as it is. The tests
call each program with all of its cases; `benchmarks/loops.py` calls it with one large argument set. Arguments
are made anew for every call from a size and a seed: no call sees what another wrote.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SEED = 20

Arguments = tuple[Any, ...]
Make = Callable[[int, np.random.Generator], Arguments]
Case = Callable[[np.random.Generator], Arguments]


@dataclass(frozen=True)
class LoopProgram:
    """A function with its arguments.

    Attributes
    ----------
    function : callable
        The program, as a user wrote it.
    make : callable
        Make the arguments of a size.
    sizes : tuple of int
        The small sizes on which it is judged.
    realistic : int
        The size at which it is timed.
    cases : dict
        Other argument sets on which it is judged: dtypes, memory orders, zero trips, errors.
    exact : bool
        All of its arithmetic is on scalars, so its answers are plain Python's to the last bit. Otherwise
        array reductions and NumPy's transcendental functions may differ by their rounding.
    """

    function: types.FunctionType
    make: Make
    sizes: tuple[int, ...]
    realistic: int
    cases: dict[str, Case]
    exact: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def area(self) -> str:
        return self.function.__module__.rpartition(".")[2]

    @property
    def module(self) -> types.ModuleType:
        return sys.modules[self.function.__module__]

    def arguments(self, size: int, seed: int = SEED) -> Arguments:
        return self.make(size, np.random.default_rng(seed))

    def judged(self) -> dict[str, Callable[[], Arguments]]:
        """Return what makes each argument set on which the program is judged, by name."""
        found: dict[str, Callable[[], Arguments]] = {}
        for size in self.sizes:
            found[f"size {size}"] = lambda size=size: self.arguments(size)  # type: ignore[misc]
        for name, case in self.cases.items():
            found[name] = lambda case=case: case(np.random.default_rng(SEED))  # type: ignore[misc]
        return found


PROGRAMS: list[LoopProgram] = []


def loop(
    make: Make, sizes: tuple[int, ...], realistic: int, exact: bool = True, **cases: Case
) -> Callable[[types.FunctionType], types.FunctionType]:
    """Register a function as a loop program; the parameters are `LoopProgram`'s."""

    def register(function: types.FunctionType) -> types.FunctionType:
        PROGRAMS.append(LoopProgram(function, make, sizes, realistic, cases, exact))
        return function

    return register
