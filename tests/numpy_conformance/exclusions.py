"""Tests of NumPy's that are not about numeric array semantics, by their subject.

A test counts when plain NumPy passes it and it is listed here in no group. What we make of a test is no reason to
list it: those are in `known_failures/`. A pattern is matched against "module::test" with `*` for any run of
characters; it must match whole.
"""

from __future__ import annotations

import functools
import re

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = ()


@functools.cache
def _pattern() -> re.Pattern[str]:
    every = [p for _, patterns in GROUPS for p in patterns]
    return re.compile("|".join(".*".join(re.escape(part) for part in p.split("*")) for p in every) or r"(?!)")


def excluded(module: str, test: str) -> bool:
    return _pattern().fullmatch(f"{module}::{test}") is not None
