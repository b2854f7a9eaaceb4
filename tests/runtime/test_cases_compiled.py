"""A sample of the case table compiled by Inductor: each op with each common dtype, at least once.

Compiling costs seconds, so many cases are compiled as one function, whose results are judged one by one.
"""

from __future__ import annotations

import copy
import functools
import linecache
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import npcompile
from npcompile.frontend.ops.table import TABLE
from tests.cases import CASES, Case, expand
from tests.cases.framework import limit, scale
from tests.checker import same
from tests.frontend.ops.test_eager import native, run
from tests.runtime.test_cases_interpreted import PLAIN, listed

DTYPES = ("bool", "int32", "int64", "float32", "float64", "complex128")
AT_ONCE = 100
BATCHES = 12  # each a test of its own, so that a failure says where to look


class Row(NamedTuple):
    """One case on one set of operands."""

    case: Case
    label: str
    body: Callable[..., Any]
    operands: tuple[Any, ...]


def dtypes_of(value: Any) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from dtypes_of(item)
    elif isinstance(value, np.ndarray | np.generic):
        yield value.dtype.name


def defaults(body: Callable[..., Any], given: int) -> tuple[Any, ...]:
    """Those of a body's defaults that are needed: given as arguments they are data like the operands."""
    return (
        (body.__defaults__ or ())[given - body.__code__.co_argcount :]
        if given < body.__code__.co_argcount
        else ()
    )


def usable(row: Row) -> bool:
    """Whether NumPy answers, and ours would without handing the call over."""
    if row.case.refused or listed(row.case, row.label) or not native(row.operands):
        return False
    want, raised = run(row.body, np, *copy.deepcopy(row.operands))
    return raised is None and native(want)


@functools.cache
def sample() -> list[Row]:
    """For each op and dtype one row, whichever the op's name picks; of other dtypes, or without arrays, where
    need be."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for case in CASES:
        for label, body, operands in expand(case):
            found = set(dtypes_of(operands)) or {""}
            if len(found) == 1:
                only = found.pop()
                row = Row(case, label, body, (*operands, *defaults(body, len(operands) + 1)))
                groups.setdefault((case.op, only), []).append(row)
    rows: list[Row] = []
    for key, group in sorted(groups.items(), key=lambda item: (item[0][1] not in DTYPES, not item[0][1])):
        if key[1] not in DTYPES and any(row.case.op == key[0] for row in rows):
            continue
        start = zlib.crc32(repr(key).encode()) % len(group)
        turned = [*group[start:], *group[:start]]
        rows += [row for row in turned if usable(row)][:1]
    return rows


def batch(count: int) -> Callable[..., Any]:
    """The function of so many bodies, written out (a loop would not be followed that far)."""
    calls = "".join(f"        bodies[{at}](np, *rows[{at}]),\n" for at in range(count))
    source = f"def batch(np, bodies, rows):\n    return [\n{calls}    ]\n"
    filename = f"<a batch of {count}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), space)
    made: Callable[..., Any] = space["batch"]
    return made


def problems(rows: list[Row]) -> list[str]:
    """What is wrong with the compiled answers to these rows."""
    jitted = npcompile.jit(batch(len(rows)), wait=True)
    bodies = tuple(row.body for row in rows)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jitted(np, bodies, [copy.deepcopy(row.operands) for row in rows])
        operands = [copy.deepcopy(row.operands) for row in rows]
        answers = jitted(np, bodies, operands)
    if jitted.stats.replays != 1:
        return [f"is not replayed: {jitted.stats}"]
    found = []
    for row, got, left in zip(rows, answers, operands, strict=True):
        after = copy.deepcopy(row.operands)
        want, _ = run(row.body, np, *after)
        try:
            same(got, want, limit(row.case, want), scale(row.case, row.operands))
            same(list(left), list(after), where="operands")
        except AssertionError as wrong:
            found.append(f"{row.label}: {wrong}")
    return found


@pytest.mark.parametrize("at", range(BATCHES))
def test_compiled_answers_are_numpys(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    rows = sample()[at::BATCHES]
    found = [
        problem
        for start in range(0, len(rows), AT_ONCE)
        for problem in problems(rows[start : start + AT_ONCE])
    ]
    assert not found, "\n".join(found)


def test_every_op_is_in_the_sample() -> None:
    replayed = {case.op for case in CASES if PLAIN.get(case.id, ("", set()))[1] is not None}
    assert {row.case.op for row in sample()} == set(TABLE.by_name) & replayed
