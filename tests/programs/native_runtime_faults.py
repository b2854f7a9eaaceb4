"""For faults of the runtime: a program, its kernels in a folder of a test's own, calls held to Python."""

from __future__ import annotations

import shutil
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower import notices
from npcompile.lower.service import compiler
from npcompile.lower.store import cache

ROOT = Path(__file__).parents[2]
LONGEST = 600.0  # seconds of a test: an answer that never comes is the fault, and a busy machine is none


@pytest.fixture
def in_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test ends in time. Each warning comes as in a process of its own."""

    def late(*_: Any) -> None:
        raise AssertionError(f"a call has not come back within {LONGEST} seconds")

    monkeypatch.setattr(notices, "_told", set())
    monkeypatch.setattr(sys.modules["npcompile.runtime.linking"], "_said", set())
    monkeypatch.setattr(sys.modules["npcompile.diagnostics.not_compiled"], "_told", {})
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def program(x, log):
    """Work before an effect, between two, and after the last."""
    y = np.sqrt(x * 2.0 + 1.0)
    log.append("begun")
    x += y
    log.append(len(x))
    return y * 3.0 - x


def copy_of(fn: types.FunctionType = program) -> types.FunctionType:
    """The same function, of which nothing is known yet."""
    return types.FunctionType(fn.__code__.replace(), fn.__globals__, fn.__name__)


def judged(
    jitted: Callable[..., Any], calls: int = 4, plain: Callable[..., Any] = program, size: int = 50
) -> None:
    """Hold calls to plain Python's answers and effects, in order."""
    for call in range(calls):
        x = np.arange(float(size)) + call
        mine, theirs, log, wanted = x.copy(), x.copy(), ["first"], ["first"]
        result = jitted(mine, log)
        # Terms of up to 16 are subtracted: what is left is as exact as they are.
        np.testing.assert_allclose(result, plain(theirs, wanted), rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(mine, theirs, rtol=1e-14, atol=1e-14)
        assert log == wanted


def run(size: int = 50) -> tuple[Any, str]:
    """Calls of the function under a fault, and what is told of it."""
    jitted = npcompile.jit(copy_of(), wait=True)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        told: list[str] = []
        warnings.showwarning = lambda message, *_: told.append(str(message))
        judged(jitted, size=size)
    return jitted, "\n".join([*told, *jitted.stats.reasons])


@pytest.fixture(scope="module")
def program_kernels() -> Path:
    """The folder in which the program's kernels are, and the native runtime."""
    jitted = npcompile.jit(copy_of(), wait=True)
    judged(jitted)
    assert jitted.stats.replays and jitted.stats.kernels, jitted.stats
    return cache.directory()


@pytest.fixture
def kernel_folder(program_kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, for a process that has nothing in memory."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    root = tmp_path / "cache"
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(root))
    made = cache.directory()
    for file in program_kernels.iterdir():
        if file.suffix in (".so", ".json"):
            shutil.copy2(file, made)
    monkeypatch.setattr(compiler, "_compiler", compiler._Compiler())
    yield made
    compiler._compiler.closing = True
    compiler._compiler.stop()


def kernels_in(folder: Path, ending: str) -> list[Path]:
    found = [file for file in folder.glob(f"*{ending}") if not file.name.startswith("native")]
    assert found
    return found
