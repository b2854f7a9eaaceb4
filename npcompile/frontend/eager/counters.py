"""Counts of operations that the eager array did without an op; tests and reports assert on them."""

from __future__ import annotations

from collections import Counter

host_calls: Counter[str] = Counter()
"""NumPy functions that real NumPy answered because there is no op for the call, by name."""

op_failures: Counter[str] = Counter()
"""Ops that raised where NumPy has an answer: each one is a bug of ours, and the answer given was NumPy's."""


def reset() -> None:
    """Start counting from nothing."""
    host_calls.clear()
    op_failures.clear()
