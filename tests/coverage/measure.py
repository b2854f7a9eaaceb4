"""Runs each name's calls under NumPy, under `npcompile.numpy`, and there again with NumPy blocked."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

import npcompile.numpy
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.table import TABLE, TORCH, Op
from tests.cases import CASES
from tests.cases.framework import Case, limit, scale
from tests.checker import same, same_exception
from tests.frontend.eager.test_cases import ours, theirs

from .blocking import Blocked, values
from .calls import calls_of, operands
from .names import SPACES

# The number of a case's operands that are run, spread over all of them. The tests of the shim run them all.
SAMPLE = 3

NAMES = tuple(operands())


@dataclass
class Verdict:
    """What came of a name's calls."""

    calls: int = 0
    native: int = 0
    wrong: list[str] = field(default_factory=list)
    host: dict[str, None] = field(default_factory=dict)  # the calls of NumPy, in order
    op: bool = False  # a registered op stands for the name itself

    @property
    def how(self) -> str:
        if self.wrong:
            return "wrong"
        if not self.calls:
            return "not run"
        if self.native < self.calls:
            return "in part" if self.native else "host call"
        return "native op" if self.op else "composed"


@dataclass(frozen=True)
class Example:
    """One call, with fresh operands each time it is asked for them."""

    run: Callable[[Any, tuple[Any, ...]], Any]
    make: Callable[[], tuple[Any, ...]]
    ulp: float
    scale: float


def _outcome(example: Example, np: Any, args: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return example.run(np, args), None
        except Exception as error:
            return None, error


def _plain(value: Any) -> Any:
    """An answer under the block as NumPy's types, by what our arrays really hold."""
    if isinstance(value, ndarray):
        return values(value)
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _asked(example: Example, want: Any, raised: BaseException | None) -> list[str]:
    """What NumPy was asked with: nothing if the call is native. Raises AssertionError on a wrong answer."""
    counters.reset()
    args = tuple(ours(value) for value in example.make())
    got, error = _outcome(example, npcompile.numpy, args)
    same_exception(error, raised)
    if raised is None:
        same(theirs(got, want), want, example.ulp, example.scale)
    host = [*counters.host_calls, *counters.op_failures]
    if host or raised is not None:
        return host
    with Blocked() as blocked:
        args = tuple(ours(value) for value in example.make())
        blocked.asked.clear()
        got, error = _outcome(example, npcompile.numpy, args)
    if blocked.asked:
        return list(blocked.asked)
    try:
        same_exception(error, raised)
        same(_plain(got), want, example.ulp, example.scale)
    except AssertionError:
        return ["NumPy, unseen"]
    return []


def judge(verdict: Verdict, example: Example) -> None:
    """Run one call in the three ways and add what came of it."""
    want, raised = _outcome(example, numpy, example.make())
    verdict.calls += 1
    try:
        host = _asked(example, want, raised)
    except AssertionError as wrong:
        verdict.wrong.append(str(wrong).splitlines()[0])
        return
    verdict.host.update(dict.fromkeys(host))
    verdict.native += not host


def _native(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_native, value))
    return not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype in TORCH


def _of_case(case: Case) -> Iterator[Example]:
    rows = list(case.operands())
    step = max(1, len(rows) // SAMPLE)
    for at in range(0, len(rows), step):
        args = rows[at][1]
        if not _native(args):
            continue

        def make(at: int = at) -> tuple[Any, ...]:
            return list(case.operands())[at][1]

        want = None
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = case.body(numpy, *make())
            except Exception:
                pass
        if _native(want):
            yield Example(lambda np, ops: case.body(np, *ops), make, limit(case, want), scale(case, args))


def _listed(space: str, name: str) -> Iterator[Example]:
    for call in calls_of(space, name):

        def run(np: Any, args: tuple[Any, ...], call: Any = call) -> Any:
            return call(np, types.SimpleNamespace(**dict(zip(NAMES, args, strict=True))))

        yield Example(run, lambda: tuple(operands().values()), 64, 8.0)


def verdict(space: str, name: str) -> Verdict:
    """Run every example call of a public name."""
    found = Verdict()
    op = _op(space, name)
    found.op = op is not None
    for case in CASES if op is not None else []:
        if op is not None and case.op in (op.name, *[f"{op.name}.{method}" for method in _METHODS]):
            for example in _of_case(case):
                judge(found, example)
    for example in _listed(space, name):
        judge(found, example)
    return found


_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def _op(space: str, name: str) -> Op | None:
    where = SPACES[space]
    return TABLE.of(vars(where)[name] if where is numpy.ndarray else getattr(where, name))
