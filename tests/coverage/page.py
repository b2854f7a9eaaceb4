"""docs/coverage.md as text, from what was measured."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path

import numpy

from .measure import Verdict, verdict
from .names import SPACES, public, reason

VERSION = ".".join(numpy.__version__.split(".")[:2])
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
Row = tuple[str, str, str | None, Verdict | None]  # namespace, name, reason for no numeric function, verdict

COUNTED = ("numpy", "numpy.linalg", "numpy.fft")
_OWN = ("numpy.random",)


def measured() -> list[Row]:
    """Every public name with what came of its calls; those that are no numeric function with the reason."""
    rows: list[Row] = []
    for space in SPACES:
        for name in public(space):
            why = reason(space, name)
            rows.append((space, name, why, verdict(space, name) if why is None else None))
    return rows


def _why(space: str, found: Verdict) -> str:
    if found.wrong:
        return found.wrong[0]
    if found.how == "not run":
        return "no example call"
    if space in _OWN and found.host:
        return "NumPy's own random streams"
    return ", ".join(found.host)


def _wrapped(text: str, indent: str = "") -> list[str]:
    """Return a paragraph as lines of at most 120 characters."""
    return textwrap.wrap(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _head(rows: list[Row]) -> list[str]:
    counted = [found for space, _, _, found in rows if space in COUNTED and found is not None]
    how = Counter(found.how for found in counted)
    good = how["native op"] + how["composed"]
    share = 100 * good / len(counted)
    excluded = Counter(why for space, _, why, _ in rows if space in COUNTED and why is not None)
    lines = [
        "# Native coverage of NumPy",
        "",
        "Made by `python -m tests.coverage`, which runs every name on example calls through",
        "`npcompile.numpy`: `tests/cases` for registered ops, `tests/coverage/calls.py` for the rest. Each",
        "answer is compared with NumPy's (value, dtype, shape, scalar or array); then the call is made again",
        "with NumPy blocked: it sees made-up memory in place of our arrays, so nothing that it computes can",
        "be part of a right answer (`tests/coverage/blocking.py`). The test suite fails where this page is",
        f"not current, under the NumPy that it was made with: {VERSION}.",
        "",
        "- **native op**: all calls right and native, and one op stands for the name",
        "- **composed**: all calls right and native, out of several ops",
        "- **in part**: some calls are NumPy's own: which functions it was asked stands beside",
        "- **host call**: all calls are NumPy's own, on the same memory, and right",
        "",
        *_wrapped(
            f"Of the {len(counted)} numeric functions of `numpy`, `numpy.linalg` and `numpy.fft`, "
            f"**{good} ({share:.1f}%) are native ops or composed of them**; {how['in part']} are so in part, "
            f"{how['host call']} are host calls"
            + (f", {how['not run']} were not run" if how["not run"] else "")
            + (f", {how['wrong']} are wrong" if how["wrong"] else "")
            + "."
        ),
        "",
        "Not counted among them, by reason:",
        "",
    ]
    return lines + [f"- {why}: {count}" for why, count in sorted(excluded.items())]


def text(rows: list[Row]) -> str:
    """The page."""
    lines = _head(rows)
    for space in SPACES:
        here = [row for row in rows if row[0] == space]
        lines += ["", f"## {space}", "", "| name | how | what NumPy is asked |", "|---|---|---|"]
        for _, name, _reason, found in here:
            if found is not None:
                lines.append(f"| `{name}` | {found.how} | {_why(space, found)} |")
        lines += ["", "Others:", ""]
        for reason_ in sorted({why for _, _, why, _ in here if why is not None}):
            names = ", ".join(f"`{name}`" for _, name, why, _ in here if why == reason_)
            lines += _wrapped(f"- {reason_}: {names}", "  ")
    return "\n".join(lines) + "\n"
