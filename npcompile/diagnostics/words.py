"""Numbers of things in words, for messages and reports."""

from __future__ import annotations


def count_text(number: int, what: str) -> str:
    """Return a number of things: "1 kernel", "2 kernels"."""
    return f"{number} {what}{'s' * (number != 1)}"
