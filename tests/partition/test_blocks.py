"""Functions cut into blocks, Python in between: results, arguments, prints and exceptions are plain Python's.

The functions stand in `tangled*.py`; one more there is one more test.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import random
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.stats import Stats
from tests.checker import same
from tests.programs import cut_hazards, cut_hazards_flow, cut_hazards_objects, cut_hazards_order
from tests.programs.jit_lane import sharing
from tests.programs.random_python_programs import data, lines

CALLS = ((6, 0), (6, 1), (6, 0), (8, 2), (6, 3), (8, 2))  # length of the arrays, and which values


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def arguments(fn: Any, module: types.ModuleType, length: int, seed: int) -> list[Any]:
    """Arguments by the names of the function's parameters."""
    rng = np.random.default_rng(seed)
    made: list[Any] = []
    for name, parameter in inspect.signature(fn).parameters.items():
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.KEYWORD_ONLY,
            parameter.VAR_KEYWORD,
        ):
            continue
        array = rng.integers(0, 9, length) / 4
        if parameter.kind is parameter.VAR_POSITIONAL:
            made += [array, array * 2]
        elif hasattr(fn, "made"):
            made.append(fn.made(array))
        elif name in ("a", "b"):
            made.append(array)
        elif name in ("n", "k"):
            made.append(int(rng.integers(0, 4)))
        else:
            made.append(True if name == "flag" else float(rng.random()))
    return made


def outcome(fn: Callable[..., Any], args: list[Any], module: types.ModuleType) -> dict[str, Any]:
    printed = io.StringIO()
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        np.random.seed(3)
        try:
            result = fn(*args)
            if isinstance(result, types.GeneratorType):
                result = list(result)
            shared = sharing(result, args)
        except Exception as error:
            context = type(error.__cause__), type(error.__context__)
            result, shared = (type(error), str(error), context, lines(error, module)), []
    after = [np.random.get_state()[2], random.random()]  # type: ignore[index]
    random.seed(4)
    found = {"result": data(result), "args": data(args), "printed": printed.getvalue(), "after": after}
    return copy.deepcopy({**found, "shared": shared})


FUNCTIONS = [
    (fn, module)
    for module in (cut_hazards, cut_hazards_flow, cut_hazards_objects, cut_hazards_order)
    for fn in vars(module).values()
    if isinstance(fn, types.FunctionType) and fn.__module__ == module.__name__ and fn.__name__[0] != "_"
]


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize(("fn", "module"), FUNCTIONS, ids=[fn.__name__ for fn, _ in FUNCTIONS])
def test_as_plain_python(fn: Any, module: types.ModuleType) -> None:
    histories = []
    jitted = npcompile.jit(fn)
    for run in (fn, jitted):
        random.seed(4)
        defaults, fn.__defaults__ = fn.__defaults__, copy.deepcopy(fn.__defaults__)
        histories.append([outcome(run, arguments(fn, module, *call), module) for call in CALLS])
        fn.__defaults__ = defaults
    want, got = histories
    for call, (one, plain) in enumerate(zip(got, want, strict=True)):
        for part in plain:
            same(one[part], plain[part], where=f"call {call}: {part}")
    assert all(map(str, jitted.programs))


def steady(fn: Any, module: types.ModuleType) -> Stats:
    jitted = npcompile.jit(fn)
    for _ in range(6):
        outcome(jitted, arguments(fn, module, 6, 0), module)
    return jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_most_have_blocks_that_are_replayed() -> None:
    without = [fn.__name__ for fn, module in FUNCTIONS if not steady(fn, module).programs]
    assert len(without) <= len(FUNCTIONS) // 4, without


class Stream:
    def __init__(self, size):
        self.values, self.size, self.done = [], size, []

    def push(self, value):
        self.values.append(value)
        if len(self.values) < self.size:
            return
        work_on(self)


def work_on(stream):
    x = np.array(stream.values) * 2 + 1
    for _ in range(10):
        x = x + np.sin(x) * 0.5
    stream.done.append(x.sum())
    stream.values = []


def test_a_function_that_comes_to_work_late() -> None:
    """Where nothing of a function was compiled in many calls, it is plain Python, until something is."""
    jitted = npcompile.jit(Stream.push)
    mine, theirs = Stream(40), Stream(40)
    for call in range(40 * 40):
        jitted(mine, call % 7 / 7)
        theirs.push(call % 7 / 7)
    same(mine.done, theirs.done, ulp=64, scale=1.0)
    assert jitted.stats.programs >= 1, jitted.stats
