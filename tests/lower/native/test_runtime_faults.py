"""The native runtime without its files, folder or worker: calls are Python's, and say why."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import npcompile
from npcompile.diagnostics.reason import Cause
from npcompile.lower.native import kernel
from npcompile.lower.service import compiler, worker
from npcompile.lower.store import cache, eviction
from tests.programs.native_runtime_faults import copy_of, judged, kernels_in, run

pytestmark = pytest.mark.usefixtures("in_time")


# -- what is on disk


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "a bit": lambda whole: whole[:99] + bytes([whole[99] ^ 1]) + whole[100:],
    "other text": lambda whole: b"[1, 2]",
}


@pytest.mark.parametrize("ending", [".so", ".json"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_not_loaded(
    ending: str, damage: str, kernel_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in kernels_in(kernel_folder, ending):
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
    asked: list[compiler.Job] = []

    def start(job: compiler.Job) -> None:
        asked.append(job)
        job.finish(Cause.DIED("sent to the worker"))

    monkeypatch.setattr(compiler._compiler, "start", start)
    jitted, told = run()
    assert asked and jitted.stats.kernels == 0 and "sent to the worker" in told


def test_kernels_that_do_not_load_are_made_anew(kernel_folder: Path) -> None:
    for file in kernels_in(kernel_folder, ".so"):
        found = cache.load(kernel_folder, file.stem)
        assert found is not None
        other = file.with_suffix(".other")
        other.write_bytes(b"no library")
        cache.store(kernel_folder, file.stem, other, found[1])  # whole, but not for this machine
    jitted, told = run()
    assert jitted.stats.replays and jitted.stats.compilations and not told


def test_kernels_that_never_load_are_a_reason(kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_: Any) -> None:
        raise OSError("k.so: cannot open shared object file: failed to map segment")

    monkeypatch.setattr(kernel, "make", make)
    monkeypatch.setattr(compiler._compiler, "_ask", lambda asked: worker.Reply(asked.key, None, True))
    monkeypatch.setattr(eviction, "remove", lambda *_: None)
    jitted, told = run()
    assert jitted.stats.replays == 0
    assert "failed to map segment" in told and "instead: another folder for kernels" in told


def test_folder_that_is_removed_is_made_again(kernel_folder: Path, program_kernels: Path) -> None:
    run()
    shutil.rmtree(kernel_folder)
    assert cache.directory() == kernel_folder and kernel_folder.is_dir()
    for file in program_kernels.glob("native*"):
        shutil.copy2(file, kernel_folder)
    jitted, told = run(size=60)
    assert jitted.stats.compilations and jitted.stats.replays and not told


# -- no space, no permission


FULL = """
import errno, os, tempfile
def full(*_, **__): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/cache")
"""


def test_full_disk_when_the_worker_starts(kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in kernels_in(kernel_folder, ".json"):
        file.unlink()
    monkeypatch.setattr(compiler, "START", f"{FULL}\ntempfile.mkdtemp = full\n{compiler.START}")
    jitted, told = run()
    assert jitted.stats.replays == 0
    assert "No space left on device" in told and "instead: space and permission" in told


STORING = """
import sys, types
from pathlib import Path
from npcompile.lower.store import cache
worker._warm_up = lambda: None
def compile_segment(data, pattern, threads, work, *_):
    (work / "k.so").write_bytes(b"library")
    cache.os.replace = full
    return work / "k.so", {}
sys.modules["npcompile.lower.service.compile"] = types.SimpleNamespace(compile_segment=compile_segment)
"""


def test_full_disk_when_a_kernel_is_stored(kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in kernels_in(kernel_folder, ".json"):
        file.unlink()
    start = compiler.START.replace("worker.serve", f"\n{FULL}{STORING}worker.serve")
    monkeypatch.setattr(compiler, "START", start)
    jitted, told = run()
    assert jitted.stats.replays == 0 and not list(kernel_folder.glob(".tmp-*"))
    assert "No space left on device" in told and "instead: space and permission" in told


def _denied(path: Any, *_: Any, **__: Any) -> None:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_folder_that_cannot_be_written_gives_a_private_one(
    kernel_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(cache.tempfile, "mkdtemp", lambda **_: str(kernel_folder))
    monkeypatch.setattr(cache, "_private", [])
    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", _denied)
        jitted, told = run()
    assert jitted.stats.replays
    assert told.count("kept for this process alone") == 1 and "Permission denied" in told
    assert "set NPCOMPILE_CACHE_DIR" in told


def test_no_folder_at_all_is_a_reason(
    tmp_path: Path, kernel_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path / "other"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", _denied)
        jitted, told = run()
    assert jitted.stats.replays == 0
    assert "there is no folder for kernels" in told and "instead: space and permission" in told


# -- the worker


def test_worker_killed_at_work(kernel_folder: Path) -> None:
    for file in kernels_in(kernel_folder, ".json"):
        file.unlink()
    jitted = npcompile.jit(copy_of())
    judged(jitted, 2)
    while compiler._compiler.process is None:
        time.sleep(0.01)
    os.kill(compiler._compiler.process.pid, signal.SIGKILL)
    judged(jitted, 2)
    jitted.wait()
    before = jitted.stats.replays
    judged(jitted, 3)
    assert jitted.stats.replays > before and not jitted.stats.reasons


def test_worker_that_always_dies_is_given_up(kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in kernels_in(kernel_folder, ".json"):
        file.unlink()
    started = []
    popen = subprocess.Popen

    def counted(*args: Any, **kwargs: Any) -> Any:
        started.append(args)
        return popen(*args, **kwargs)

    monkeypatch.setattr(compiler.subprocess, "Popen", counted)
    monkeypatch.setattr(compiler, "START", "import sys; sys.exit('out of luck')")
    monkeypatch.setattr(compiler, "MAX_DEATHS", 3)
    for size in (60, 70, 80, 90):
        _, told = run(size)
        assert "the compiling process died" in told
    assert len(started) == 3


@pytest.mark.parametrize("what", ["thread", "process"])
def test_system_that_gives_no_more(what: str, kernel_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in kernels_in(kernel_folder, ".json"):
        file.unlink()

    def refused(*_: Any, **__: Any) -> None:
        if what == "thread":
            raise RuntimeError("can't start new thread")
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    if what == "thread":
        monkeypatch.setattr(threading.Thread, "start", refused)
    else:
        monkeypatch.setattr(compiler.subprocess, "Popen", refused)
    jitted, told = run()
    assert jitted.stats.replays == 0 and "instead: more memory, processes and threads" in told


def test_interrupted_submission_makes_nobody_wait(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    jitted = npcompile.jit(copy_of(), wait=True)
    with monkeypatch.context() as patch:
        patch.setattr(compiler._compiler, "_begin", interrupted)
        with pytest.raises(KeyboardInterrupt):
            judged(jitted)
    judged(jitted)
    run()
