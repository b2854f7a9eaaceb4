"""Random loops that end by a number, on a device that copies: each call is what plain Python makes of it.

`python -m tests.fuzz ending --seconds 600` runs fresh ones. Compared to the bit: answers, and what arguments
are afterwards. Later calls end after other trips than those whose graphs were captured.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition import call
from tests.programs import copying_device
from tests.programs.random_python_programs import module_of

CALLS = [*[(1e-6, 40)] * 7, (1e-3, 40), (1e-9, 33), (0.5, 40), (1e-6, 22), (1e-6, 40)]  # tol, most

_HEADS = (
    "for k in range(most):",
    "for k in range(most, 0, -1):",
    "while e > tol and n < most:",
    "while n < most:",
    "while not n >= most:",
)
_FLOATS = ("e", "s", "t")
_ARRAYS = ("x", "y")
_STORES = ("x[1:] = 0.5 * y[:-1]", "y[:-1] *= 0.5", "x[0] = e", "x, y = y, x", "z = x")
_ACTS = ("break", "break", "continue", "return x, y, e, n", "x = x * 0.5", "s += 1", "s = 0.25")


class EndingLoopGrower:
    """Grows the source of one program: a function `f(x, y, tol, most)` with one loop."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        head = self._any(*_HEADS)
        self._counters = ("n", "n", "k") if head.startswith("for") else ("n",)
        body = [self._statement(head) for _ in range(rng.randint(2, 6))]
        if rng.random() < 0.3:
            body.insert(0, "before = x")
        if rng.random() < 0.3:
            body.insert(rng.randint(0, len(body)), "if e != e:\n            break")
        lines = [
            "import math",
            "import numpy as np",
            "TOL = 1e-3",
            "def f(x, y, tol, most):",
            "    n, e, s, t = 0, 1.0, 0.5, np.float64(2.0)",
            f"    z = {self._any('x[1:]', 'x.copy()', 'np.zeros_like(y)')}",
            *(["    x = x.astype(np.float32)"] if rng.random() < 0.2 else []),
            f"    {head}",
            *[f"        {statement}" for statement in [*body, "n += 1"]],
            "    return x, y, z, e, s, t, n",
        ]
        self.source = "\n".join(lines) + "\n"

    def _any(self, *choices: str) -> str:
        return self._rng.choice(choices)

    def _array(self) -> str:
        one, other, number = self._any(*_ARRAYS), self._any(*_ARRAYS), self._any("0.25", "1", *_FLOATS)
        if self._rng.random() < 0.25:
            number = self._counted()
        return self._any(
            f"{one} {self._any('+', '-', '*')} {self._any(other, number)}",
            f"0.5 * ({one} + {other})",
            f"np.abs({one} - 0.25)",
            f"np.where({one} > {self._any('0.5', 's', 'e')}, {one} * 0.5, {other})",
            f"{one} * 0.9",
            f"np.roll({one}, 1)",
        )

    def _counted(self) -> str:
        """Return a number that a counter gives."""
        count = self._any(*self._counters)
        return self._any(
            count,
            f"({count} + 1)",
            f"(0.5 / (1 + {count}))",
            f"0.9**{count}",
            f"math.sqrt({count})",
            f"min({count}, 3)",
            f"np.float32({count})",
            f"(s * {count})",
        )

    def _reduction(self) -> str:
        one, other = self._any(*_ARRAYS), self._any(*_ARRAYS)
        return self._any(
            f"np.max(np.abs({one} - {other}))",
            f"np.max({one})",
            f"float(np.max({one}))",
            f"{one}.min()",
            f"np.max({one} * {other})",
            f"({one} > 0.5).any()",
        )

    def _number(self) -> str:
        numbers = (*_FLOATS, *self._counters, "0.5", "2", "tol")
        one, other = self._any(*numbers), self._any(*numbers)
        return self._any(
            f"{one} {self._any('+', '-', '*')} {other}",
            f"{one} / ({other} + 3)",
            f"abs({one})",
            f"min({one}, {other})",
            f"-{one}",
            one,
        )

    def _condition(self) -> str:
        return self._any(
            f"{self._any(*_FLOATS)} < {self._any('tol', 'TOL', '0.1')}",
            "e < s",
            f"n == {self._rng.randint(2, 30)}",
            "t > 100",
            "s < e < t",
            "abs(s - e) < tol",
            "n > 20 and e < 0.5",
        )

    def _statement(self, head: str) -> str:
        kind = self._rng.random()
        if kind < 0.3:
            return f"{self._any(*_ARRAYS)} = {self._array()}"
        if kind < 0.42:
            return f"{self._any(*_ARRAYS)} {self._any('+=', '*=', '-=')} {self._any('0.5', 'x', 'y', 's')}"
        if kind < 0.48:
            return self._any(*_STORES)
        if kind < 0.72:
            return f"{self._any(*_FLOATS)} = {self._reduction()}"
        if kind < 0.86:
            return f"{self._any(*_FLOATS)} = {self._number()}"
        act = self._any(*_ACTS)
        if act == "continue" and head.startswith("while"):  # past the counter: it would not end
            act = "break"
        return f"if {self._condition()}:\n            {act}"


def outcome(function: Callable[..., Any], *args: Any, given: Any = np.asarray) -> list[Any]:
    """Return the bytes and types of all that a call leaves, or its error. given: makes the arrays."""
    own = [given(arg.copy()) if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        answer = function(*own)
    except (ValueError, ArithmeticError, TypeError) as error:
        answer = (type(error), str(error))
    values = [np.asarray(v) if isinstance(v, npcompile.ndarray) else v for v in (*answer, *own)]
    return [
        (value.dtype, value.shape, value.strides, value.tobytes())
        if isinstance(value, np.ndarray)
        else (type(value), repr(value))
        for value in values
    ]


def check(source: str, folder: Path, seed: int) -> int:
    """Compare calls of a program; return how many trips were done by graphs. Odd seeds: by device arrays."""
    given = npcompile.asarray if seed % 2 else np.asarray
    function = module_of(source, folder, f"ending_{seed}").f
    x, y = np.linspace(0.5, 1.5, 9), np.linspace(1.0, 0.25, 9)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        copying_device.use(patch)
        patch.setattr(call, "are_held", lambda: False)  # no contest with NumPy: counts are the same each time
        jitted = npcompile.jit(function, wait=True)
        for tol, most in CALLS:
            got = outcome(jitted, x, y, tol, most, given=given)
            assert got == outcome(function, x, y, tol, most), (tol, most)
        return jitted.stats.graph_trips
