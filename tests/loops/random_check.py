"""Compares random loop programs under `npcompile.jit` with plain Python, and reduces one that differs.

Tests and `tests/fuzz.py` use it. Compared are results, exceptions (type, text, line), and the arguments as a
call leaves them: to the last bit, but for the argument `e`, which holds powers and transcendental functions.
"""

from __future__ import annotations

import ast
import importlib.util
import signal
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import pytest

import npcompile
from npcompile.lower.loops.service.compiler import Job, _Compiler
from npcompile.tiering import compile_budget
from tests.checker import same
from tests.loops.random_programs import NAMES
from tests.programs.jit_lane import sharing

CALLS = VARIANTS = 4  # calls of a program, and different arguments that it has
REDUCING = 20.0  # seconds that a program being reduced may take: without `t += 1`, a loop never ends
# Nobody sees what a callback of a weak reference raises: `limited` raises SOON after it, in seconds.
SOON = 1e-3
CALLED_BACK = {kind.__init__.__code__.co_filename for kind in (WeakSet, WeakKeyDictionary)}
LOOSE = NAMES.split(", ").index("e")  # the argument that holds values that may be rounded otherwise
ULP = 8  # the most that those may be off


def compile_loops_alone(patch: pytest.MonkeyPatch) -> None:
    """Let loops become native, without optimization; programs of whole arrays are not worth compiling."""
    patch.delenv("NPCOMPILE_BACKEND", raising=False)
    patch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    patch.setenv("NPCOMPILE_SPENDING", "1")
    for name in ("FREE", "RATE", "CALLS"):
        patch.setattr(compile_budget, name, 0)


@contextmanager
def compiled_together() -> Iterator[None]:
    """Compile the loops that the body asks for when it is done: many by each run of the C++ compiler.

    Beside recordings it would run for a few of them at a time, and most of its work would be done anew.
    """
    held: list[tuple[_Compiler, Job | None]] = []
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_Compiler, "_put", lambda *asked: held.append(asked))
            yield
    finally:
        for compiler, job in held:
            compiler._put(job)


def module_of(source: str, folder: Path, name: str) -> types.ModuleType:
    """Return the source as a module of its own, from a file, so that its functions have a source."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(module: types.ModuleType, function: Callable[..., Any], call: int) -> dict[str, Any]:
    """Return what a call gives or raises, and its arguments as it leaves them."""
    arguments = list(module.arguments(min(call, VARIANTS - 1)))
    result = raised = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == module.__file__]
            raised = type(error), str(error), lines
    shared = sharing(result, arguments)
    return {
        "raised": raised,
        "result": result,
        "loose": arguments.pop(LOOSE),
        "left": arguments,
        "shared": shared,
    }


def compare(got: dict[str, Any], want: dict[str, Any]) -> None:
    assert got["raised"] == want["raised"], f"raised {got['raised']}, not {want['raised']}"
    for part, value in want.items():
        same(got[part], value, ulp=ULP if part == "loose" else 0, where=part)


class Different(AssertionError):
    """The answer of a program is not plain Python's.

    index: its place among those that were checked. want: the type of the exception that Python raises, if
    any.
    """

    def __init__(self, index: int, want: type[Exception] | None, text: str) -> None:
        super().__init__(text)
        self.index, self.want = index, want


def check(sources: list[str], folder: Path) -> list[Any]:
    """Call each program four times, plain and jitted; kernels of all programs are compiled together.

    Returns the jitted functions. Raises `Different` at the first difference.
    """
    plain = [module_of(source, folder, f"plain_{at}") for at, source in enumerate(sources)]
    ours = [module_of(source, folder, f"jitted_{at}") for at, source in enumerate(sources)]
    jitted = [npcompile.jit(module.program) for module in ours]
    for call in range(CALLS):
        with compiled_together():
            for at, (module, mine, function) in enumerate(zip(plain, ours, jitted, strict=True)):
                want = outcome(module, module.program, call)
                try:
                    compare(outcome(mine, function, call), want)
                except Exception as wrong:
                    raised = want["raised"] and want["raised"][0]
                    raise Different(at, raised, f"call {call}: {type(wrong).__name__}: {wrong}") from wrong
        for function in jitted:
            function.wait()
    return jitted


class TookTooLong(BaseException):
    """A program has not ended in its time; no handler of a program takes this for its own exception."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` in the main thread where the body takes longer."""

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename in CALLED_BACK:
            signal.setitimer(signal.ITIMER_REAL, SOON)
        else:
            raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    rest, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, rest)
        signal.signal(signal.SIGALRM, before)


def reduced(source: str, folder: Path, want: type[Exception] | None) -> str:
    """Return a program that differs, without the statements that it does not need for that.

    want: the type of the exception that Python raises where the answers differ.
    """
    at = 0
    while (smaller := without(source, at)) is not None:
        try:
            with limited(REDUCING):
                check([smaller], folder)
        except TookTooLong:
            pass
        except Different as wrong:
            if wrong.want is want:
                source = smaller
                continue
        at += 1
    return source


def without(source: str, at: int) -> str | None:
    """Return a module without one statement of its function `program`; None where it has not so many."""
    tree = ast.parse(source)
    (program,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "program")
    fields = [getattr(node, name, []) for node in ast.walk(program) for name in ("body", "orelse")]
    blocks = [block for block in fields if isinstance(block, list)]
    places = [
        (block, place)
        for block in blocks
        for place, node in enumerate(block)
        if not (isinstance(node, ast.Pass) and len(block) == 1)
    ]
    if at >= len(places):
        return None
    block, place = places[at]
    block[place : place + 1] = [ast.Pass()] if len(block) == 1 else []
    return ast.unparse(ast.fix_missing_locations(tree))
