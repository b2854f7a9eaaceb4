"""The native runtime without memory, with clocks that jump, in forked children: calls are Python's."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.native import kernel, native
from npcompile.lower.service import compiler
from npcompile.tiering import block_contest, host_call_profile, overhead, statement_profile
from tests.programs.native_runtime_faults import LONGEST, ROOT, copy_of, judged, program, run

pytestmark = pytest.mark.usefixtures("in_time")


# -- memory


@pytest.mark.parametrize("place", ["scratch", "result"])
def test_kernel_without_memory(place: str, kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, between and after effects, in kernels that write into arguments, too."""
    make, body_of = kernel.make, kernel._general_body
    if place == "scratch":

        def hungry(*args: Any) -> Any:
            *given, metadata, instead = args
            return make(*given, {**metadata, "scratch": 1 << 62}, instead)
    else:

        def hungry(*args: Any) -> Any:
            runtime, inputs, outputs, written, library, metadata, instead = args
            if written:
                return make(*args)
            monkeypatch.setattr(kernel, "_general_body", lambda *_: _no_memory)
            try:
                return make(
                    runtime, inputs, outputs, written, library, {**metadata, "form": "general"}, instead
                )
            finally:
                monkeypatch.setattr(kernel, "_general_body", body_of)

    monkeypatch.setattr(kernel, "make", hungry)
    jitted, told = run()
    assert jitted.stats.replays and jitted.stats.kernels
    assert told.count("a kernel could not get the memory") == 1 and "instead: smaller arrays" in told


def _no_memory(*_: Any) -> None:
    raise MemoryError


LIMITED = """
import resource, numpy as np, npcompile
from npcompile.lower.native import pool
def program(x, log):
    log.append(1)
    y = x * 2.0 + 1.0
    log.append(2)
    return y

def outcome(f, x, log):
    try:
        return float(f(x, log)[-1]), list(log)
    except MemoryError:
        return "MemoryError", list(log)

f = npcompile.jit(program, wait=True)
small, large = np.ones(1000), np.ones(20_000_000)
for call in range(4):
    f(large, [])
assert f.stats.replays, f.stats
pool.empty_cache()
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limits = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (now + (80 << 20), limits[1]))
got = [outcome(f, x, []) for x in (large, small, large)]
wanted = [outcome(program, x, []) for x in (large, small, large)]
resource.setrlimit(resource.RLIMIT_AS, limits)
before = f.stats.replays
assert got == wanted and got[0][0] == "MemoryError", (got, wanted)
assert outcome(f, large, []) == outcome(program, large, [])
assert f.stats.replays > before, f.stats
print("fine")
"""


def test_limited_memory_is_numpys_error(program_kernels: Path, tmp_path: Path) -> None:
    script = tmp_path / "limited.py"
    script.write_text(LIMITED)
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == "fine\n", done.stderr


# -- clocks


@pytest.mark.parametrize("jump", [1e6, -1e6])
def test_clocks_that_jump(jump: float, kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NPCOMPILE_OVERHEAD", "NPCOMPILE_CONTESTS", "NPCOMPILE_SPENDING"):
        monkeypatch.delenv(name)
    calls = [0]

    def jumping(clock: Callable[[], float]) -> Callable[[], float]:
        def now() -> float:
            calls[0] += 1
            return clock() + (jump if calls[0] % 7 > 3 else 0.0)

        return now

    for name in ("time", "monotonic", "perf_counter", "thread_time", "process_time"):
        monkeypatch.setattr(time, name, jumping(getattr(time, name)))
    for module in (block_contest, overhead, statement_profile, host_call_profile):
        monkeypatch.setattr(module, "clock", jumping(module.clock))

    def looping(x, log):
        total = 0.0
        for i in range(1, len(x)):
            if x[i] > x[i - 1]:
                log.append(i)
                total += float(x[i] * 2)
        x -= total
        return x * 2 + total

    for fn in (program, looping):
        jitted = npcompile.jit(copy_of(fn))
        judged(jitted, 20, fn)
        jitted.wait()
        judged(jitted, 20, fn)
    assert calls[0]


# -- forks


def test_forked_while_others_hold_locks(kernel_folder: Path) -> None:
    def cut(x, log):
        for item in np.sqrt(x * 2.0 + 1.0):
            log.append(item)
            print(end="")
        x += 1.0
        return x * 3.0

    jitted, looped = npcompile.jit(copy_of(), wait=True), npcompile.jit(cut)
    judged(jitted)
    judged(looped, 3, cut)
    held = [native._lock, compiler._compiler.lock]
    for recorded in (jitted.npcompile_root(), looped.npcompile_root()):
        held.append(recorded._lock)
        held += [state.lock for state in recorded.by_signature.values()]
        held += [state.partitioned.lock for state in recorded.by_signature.values() if state.partitioned]
    ready, done = threading.Event(), threading.Event()

    def holder() -> None:
        for lock in held:
            lock.acquire()
        ready.set()
        done.wait()
        for lock in held:
            lock.release()

    thread = threading.Thread(target=holder)
    thread.start()
    ready.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            judged(jitted)
            judged(looped, 3, cut)
            judged(npcompile.jit(copy_of()))  # whose kernels may be others, for one thread
            assert native.load_if_built() is not None
            status = 0
        finally:
            os._exit(status)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        done.set()
        thread.join()
