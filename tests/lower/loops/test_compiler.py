"""Jobs of loops end with a function or a reason, tell those that wait once, and forget them."""

from __future__ import annotations

import ctypes
import gc
import logging
import time
import weakref
from typing import Any

import pytest

from npcompile.diagnostics.reason import Cause
from npcompile.lower.loops.codegen.emitter import ENTRY
from npcompile.lower.loops.service import compiler
from npcompile.lower.loops.service.compiler import submit
from npcompile.lower.store import cache

FUNCTION = f'extern "C" {ENTRY}'


def test_a_library_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process keeps one of its own, or makes room: who compiled a library has loaded it before."""

    def gone(*_: Any) -> None:
        return None

    monkeypatch.setattr(cache, "load", gone)
    job = submit(f"{FUNCTION} {{ return words[0]; }}\n", "a test")
    assert job.wait()
    assert job.function is not None and job.error is None
    assert job.function((ctypes.c_int64 * 1)(7)) == 7


def test_a_loop_stays_there_when_another_process_compiles_its_neighbour_alone() -> None:
    """Loops that are compiled together share a library, which no library of one of them replaces."""
    one, other = (f"{FUNCTION} {{ return words[0] + {number}; }}\n" for number in (3001, 3002))
    compiler._Compiler()._compile([one, other])
    compiler._Compiler()._compile([one])
    for source, more in ((one, 3001), (other, 3002)):
        job = submit(source, "a test")
        assert job.wait() and job.error is None
        assert job.function is not None and job.function((ctypes.c_int64 * 1)(1)) == 1 + more


def test_settings_may_change_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(self: Any, command: list[str]) -> None:
        run(self, command)
        monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")

    run = compiler._Compiler._run
    monkeypatch.setattr(compiler._Compiler, "_run", changed)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    job = submit(f"{FUNCTION} {{ return words[2]; }}\n", "a test")
    assert job.wait() and job.function is not None, job.error


class Waiting:
    """It is told that a loop is compiled."""

    def __init__(self) -> None:
        self.told = 0

    def tell(self) -> None:
        self.told += 1


def test_those_that_wait_are_told_once_and_forgotten() -> None:
    job = submit(f"{FUNCTION} {{ return words[1]; }}\n", "a test")
    first, second = Waiting(), Waiting()
    job.tell(first.tell)
    assert job.wait()
    job.tell(second.tell)
    end = time.monotonic() + 60
    while not first.told and time.monotonic() < end:
        time.sleep(0.001)
    assert (first.told, second.told) == (1, 1)
    forgotten = [weakref.ref(first), weakref.ref(second)]
    del first, second
    gc.collect()
    assert [one() for one in forgotten] == [None, None]


def test_what_is_given_up_as_the_process_ends_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    ending = compiler._Compiler()
    ending.closing = True
    job = compiler.Job("a loop", "a test")
    with caplog.at_level(logging.DEBUG, "npcompile"):
        ending._do([job])
    assert job.error is not None and job.error.code is Cause.PROCESS_ENDS
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told == [("INFO", "a test: compilation begins"), ("INFO", f"a test: {job.error}")]
