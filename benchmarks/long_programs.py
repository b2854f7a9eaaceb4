"""Programs with little work and many operations, for `loop_calls.py`: long bodies, displays, nested calls."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np


def written_long(count: int) -> Any:
    """A function of so many statements, each an operation on scalars."""
    lines = ["def long(x):", "    a, b = x[0], x[1]"]
    lines += [f"    {'ab'[i % 2]} = a * {1 / (i + 2)!r} + b" for i in range(count)]
    lines += ["    return a, b", ""]
    text = "\n".join(lines)
    name = f"<long {count}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["long"]


def written_display(count: int) -> Any:
    """A function that makes a list of so many arrays, one by one."""
    text = "def display(x):\n    return sum([" + ", ".join(f"x * {i}" for i in range(count)) + "])\n"
    name = f"<display {count}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["display"]


def _level(depth: int, x: Any) -> Any:
    return x + 1 if depth == 0 else _level(depth - 1, x) + _level(depth - 1, x)


def nested_helpers(x):
    return _level(12, x)


def unrolled(x):
    rows = [x * i for i in range(30)]
    cells = [[a + b for b in rows] for a in rows]
    return sum(sum(row) for row in cells)
