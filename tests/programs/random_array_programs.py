"""Random NumPy programs: their source, their arguments, and what NumPy and `npcompile.jit` make of them.

Programs are grown statement by statement: each is run on real arguments as it is written, and dropped where
NumPy refuses it, so that most of what is generated is meaningful. All arithmetic is exact in any order (sums
are of small whole numbers, the rest is dyadic), so answers are compared to the last bit.

`python -m tests.fuzz array --seed 0 --programs 20000` runs so many.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import random
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import npcompile
from tests.checker import same
from tests.programs.array_program_generator import Program
from tests.programs.jit_lane import sharing


def module_of(source: str, folder: Path, name: str) -> types.ModuleType:
    """The source as a module of its own, from a file (so that its functions have a source)."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(module: types.ModuleType, fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call gives and leaves behind: result or exception type, arguments, the array, its print."""
    printed = io.StringIO()
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            result = fn(*args)
        except Exception as error:
            result = type(error)
    return result, list(args), module.G, printed.getvalue()


def facts(value: Any) -> Iterator[Any]:
    """Strides (of axes that have any) and writeability of the arrays in a result."""
    if isinstance(value, np.ndarray):
        strides = (
            tuple(s for s, n in zip(value.strides, value.shape, strict=True) if n > 1) if value.size else ()
        )
        yield strides, value.flags.writeable
    elif isinstance(value, dict):
        yield from facts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from facts(item)


# Each call's arguments: with numbers of their own or not, and by how much longer than the first ones.
AGAIN = [(False, 0), (False, 0), (True, 0), (False, 0), (True, 0)]
OTHER_LENGTHS = [(False, longer) for longer in (0, 1, 2, 5, 1, 9, 30, 4, 5)]


def check(program: Program, folder: Path, seed: int, calls: list[tuple[bool, int]] = AGAIN) -> Any:
    """Run a program some times under NumPy and jitted; raises AssertionError at the first difference."""
    plain = module_of(program.source, folder, "plain_program")
    ours = module_of(program.source, folder, "jitted_program")
    jitted = npcompile.jit(ours.program, wait=True)
    for call, (numbers, longer) in enumerate(calls):
        want = outcome(plain, plain.program, program.make(random.Random(seed + call), numbers, longer))
        got = outcome(ours, jitted, program.make(random.Random(seed + call), numbers, longer))
        where = f"call {call}, {jitted.stats.replays} replayed so far"
        same(got, want, where=where)
        assert sharing(got[0], got[1:3]) == sharing(want[0], want[1:3]), f"{where}: what shares memory"
        assert list(facts(got[0])) == list(facts(want[0])), f"{where}: strides and flags"
    return jitted
