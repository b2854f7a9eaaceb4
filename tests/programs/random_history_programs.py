"""Random programs on what an object holds: each call of the jitted program is what plain Python makes of it.

Compared: value, dtype, shape, type and sharing of the result and of all that the object holds, which of its
containers are one, printed text, random streams, and of an exception its type and text. Between calls the
object is changed: two of its containers become one, items are others.

`python -m tests.fuzz history --seed 0 --programs 20000` runs so many.
"""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import npcompile
from tests.checker import same
from tests.programs.jit_lane import sharing
from tests.programs.random_python_programs import module_of

CALLS = 10


def listed(value: Any, depth: int = 0) -> Any:
    """What lies in containers and objects, as lists."""
    if depth > 6:
        return "deep"
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, dict):
        return [list(map(repr, value)), *(listed(item, depth + 1) for item in value.values())]
    if isinstance(value, list | tuple | deque):
        return [type(value).__name__, *(listed(item, depth + 1) for item in value)]
    if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
        return listed(vars(value), depth + 1)
    return value


def identities(value: Any, found: list[int], depth: int = 0) -> list[int]:
    """The containers and objects in what is given, each as the place where it was met first."""
    is_object = hasattr(value, "__dict__") and not isinstance(value, np.ndarray | np.random.Generator)
    if isinstance(value, dict | list | deque) or is_object:
        found.append(id(value))
    if depth <= 6 and (is_object or isinstance(value, dict)):
        for item in (vars(value) if is_object else value).values():
            identities(item, found, depth + 1)
    elif depth <= 6 and isinstance(value, list | tuple | deque):
        for item in value:
            identities(item, found, depth + 1)
    return found if depth else [found.index(one) for one in found]


CHANGES: list[Callable[[Any], Any]] = [
    lambda m: setattr(m, "g", m.h),
    lambda m: setattr(m, "e", m.d),
    lambda m: m.h.clear(),
    lambda m: setattr(m, "o", m.s),
    lambda m: m.d.update(t=np.float32(2)),
    lambda m: m.e.clear(),
    lambda m: setattr(m, "u", m.v),
    lambda m: setattr(m, "p", (m.u, 3)),
    lambda m: setattr(m, "all", m.all[::-1]),
    lambda m: setattr(m, "q", deque([1.0])),
    lambda m: setattr(m, "h", [1, 2, 3]),
    lambda m: None,
]


def outcome(function: Any, *args: Any) -> tuple[Any, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), printed.getvalue()
        except Exception as error:
            return (type(error), str(error)), printed.getvalue()


def check(source: str, folder: Path, seed: int) -> Any:
    """Run a program plain and jitted; raises AssertionError at the first difference."""
    plain, ours = module_of(source, folder, "plain_history"), module_of(source, folder, "history")
    jitted = npcompile.jit(ours.program)
    one, other = plain.Model(), ours.Model()
    rng = random.Random(seed)
    for call in range(CALLS):
        if call in (4, 6, 8):
            change = rng.choice(CHANGES)
            change(one)
            change(other)
        x, k = np.array([rng.randrange(16) / 4 for _ in range(4)]), rng.choice([2, 3.5, 300, 2])
        want, expected = outcome(plain.program, one, x.copy(), k)
        got, printed = outcome(jitted, other, x.copy(), k)
        same(listed([got, other]), listed([want, one]), ulp=16, scale=8.0, where=f"call {call}")
        assert printed == expected, f"call {call}: printed"
        assert identities([got, other], []) == identities([want, one], []), f"call {call}: what is one"
        shared = sharing(listed(got), listed(other)), sharing(listed(want), listed(one))
        assert shared[0] == shared[1], f"call {call}: what shares memory"
    return jitted
