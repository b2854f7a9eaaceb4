"""The worker process: it survives what it meets, and nobody waits for ever."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.lower.service import compiler, worker
from npcompile.lower.service.compiler import compilations, submit
from tests.lower.segments import compiled, segment

X = np.arange(20.0).reshape(4, 5)
ROOT = Path(__file__).parents[3]


def numbered(number):
    """Segments that differ from each other, so that each is compiled."""
    return segment(lambda b, x: [b(torch.add, x, float(number))], [X], [X])


def test_a_segment_is_compiled_once_for_eight_threads():
    before = compilations()
    jobs = []
    barrier = threading.Barrier(8)

    def run():
        barrier.wait()
        job = submit(numbered(101))
        job.wait()
        jobs.append(job)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(job) for job in jobs}) == 1 and jobs[0].error is None
    assert compilations() == before + 1


def test_equal_segments_share_a_job_and_salts_do_not():
    before = compilations()
    first = submit(numbered(102), "a")
    assert submit(numbered(102), "a") is first
    other = submit(numbered(102), "b")
    assert other is not first
    first.wait()
    other.wait()
    assert compilations() == before + 2 and not first.from_disk and first.seconds > 0


def test_a_worker_killed_at_work_is_started_again():
    compiled(lambda b, x: [b(torch.mul, x, 1.0)], [X], [X])
    process = compiler._compiler.process
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot be done before it is killed
    job = submit(numbered(103))
    assert not job.done
    os.kill(process.pid, signal.SIGKILL)
    job.wait()
    assert job.error is None and np.array_equal(job.kernel(X), X + 103)
    assert compiler._compiler.process is not process


def test_a_worker_that_dies_each_time_is_a_reason(monkeypatch):
    compiler._compiler.stop()
    monkeypatch.setattr(compiler, "START", "import sys; print('out of luck', file=sys.stderr); sys.exit(3)")
    job = submit(numbered(104))
    job.wait()
    assert job.kernel is None and str(job.error) == "the compiling process died: out of luck"
    monkeypatch.undo()
    assert compiled(lambda b, x: [b(torch.mul, x, 2.0)], [X], [X]).kernel(X)[1, 1] == 12


def test_a_job_that_takes_too_long_is_given_up(monkeypatch):
    compiler._compiler.stop()
    monkeypatch.setattr(compiler, "START", "import time; time.sleep(1000)")
    monkeypatch.setattr(compiler, "TIME_LIMIT", 0.1)
    monkeypatch.setenv("NPCOMPILE_COMPILE_SECONDS", "0.1")
    job = submit(numbered(105))
    with pytest.raises(TimeoutError):
        job.wait(0.01)
    job.wait()
    assert str(job.error) == "not compiled after 0 seconds" and compiler._compiler.process is None


def test_without_a_compiler_jobs_fail_at_once(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/g++")
    job = submit(numbered(106))
    assert job.done and str(job.error) == "no C++ compiler found: /nonexistent/g++ is not on the path"
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "")
    job = submit(numbered(107))
    assert job.done and str(job.error) == "no C++ compiler found: g++ or clang++ is not on the path"


def test_a_compiler_that_refuses_is_a_reason(tmp_path, monkeypatch):
    script = tmp_path / "g++"
    script.write_text(
        '#!/bin/sh\ncase "$*" in *-o*) echo "k.cpp:1: error: not today" >&2; exit 1;; esac\nexec g++ "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    job = submit(numbered(108))
    job.wait()
    assert str(job.error) == "CompilerFailed: the C++ compiler failed: k.cpp:1: error: not today"


def test_a_compilation_that_takes_too_long_is_ended_and_the_worker_goes_on(tmp_path, monkeypatch):
    compiled(lambda b, x: [b(torch.add, x, 109.5)], [X], [X])  # the worker is up
    process = compiler._compiler.process
    script, mark = tmp_path / "g++", tmp_path / "pid"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *-o*) sleep 1000 & echo $! > {mark}; wait;; esac\nexec g++ "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("NPCOMPILE_COMPILE_SECONDS", "3")
    job = submit(numbered(109))
    job.wait()
    assert str(job.error) == "not compiled after 3 seconds (NPCOMPILE_COMPILE_SECONDS)"
    with pytest.raises(ProcessLookupError):
        while True:  # processes that the compiler had started are gone, too, once init has seen them
            os.kill(int(mark.read_text()), 0)
            time.sleep(0.05)
    monkeypatch.undo()
    assert compiled(lambda b, x: [b(torch.mul, x, 3.0)], [X], [X]).kernel(X)[1, 1] == 18
    assert compiler._compiler.process is process


def test_a_worker_whose_compiler_hangs_from_the_beginning_answers_within_its_time(tmp_path, monkeypatch):
    script = tmp_path / "g++"
    script.write_text('#!/bin/sh\ncase "$*" in *-o*) sleep 1000;; esac\nexec g++ "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("NPCOMPILE_COMPILE_SECONDS", "3")
    compiler._compiler.stop()
    job = submit(numbered(110))
    job.wait()
    assert str(job.error) == "not compiled after 3 seconds (NPCOMPILE_COMPILE_SECONDS)"
    compiler._compiler.stop()
    monkeypatch.undo()
    assert compiled(lambda b, x: [b(torch.mul, x, 4.0)], [X], [X]).kernel(X)[1, 1] == 24


def test_an_import_that_meets_the_time_limit_ends_first(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.3)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(worker._OutOfTime), worker._within(0.1):
        import slow_to_import

        time.sleep(100)
    assert slow_to_import.whole


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    prelude = (
        "import os, sys, time, numpy as np, torch\nfrom npcompile.lower.service import compiler\n"
        "from tests.lower.service.test_worker import X, numbered\n"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + script],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


FORK = """
x = np.arange(1_000_000.0)
from tests.lower.segments import compiled
kernel = compiled(lambda b, a: [b(torch.add, a, 1.0)], [x], [x]).kernel
sort = compiled(lambda b, a: [b.item(b(torch.sort, b(torch.neg, a), dim=0), 0)], [x], [x]).kernel
kernel(x), sort(x)                       # OpenMP's threads are up
pending = compiler.submit(numbered(109))
done = compiler.submit(numbered(101)); done.wait()
parent = compiler._compiler.process.pid
pid = os.fork()
if pid == 0:
    code = 1
    try:
        assert np.array_equal(kernel(x), x + 1) and np.array_equal(sort(x), np.sort(-x))
        assert np.array_equal(done.kernel(X), X + 101)
        assert compiler.compilations() == 0 and compiler._compiler.process is None
        pending.wait()
        assert pending.error is None, pending.error
        assert np.array_equal(pending.kernel(X), X + 109)
        own = compiler._compiler.process  # None where the parent's worker was quicker: the kernel is on disk
        assert own is None or own.pid != parent
        compiler._compiler.stop()
        code = 0
    finally:
        os._exit(code)
assert os.waitpid(pid, 0)[1] == 0
pending.wait()
assert pending.error is None and compiler._compiler.process.pid == parent
assert np.array_equal(kernel(x), x + 1)
print("fine")
"""


def test_a_forked_child_has_kernels_and_a_worker_of_its_own():
    result = run(FORK)
    assert result.stdout == "fine\n", result.stderr


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(0)", "sys.exit(0)"])
def test_the_worker_ends_with_its_parent(end, tmp_path):
    script = f"""
job = compiler.submit(numbered(111))
while compiler._compiler.process is None: time.sleep(0.01)
print(compiler._compiler.process.pid, flush=True)
{end}
"""
    result = run(script, NPCOMPILE_CACHE_DIR=str(tmp_path))
    while runs(int(result.stdout)):
        time.sleep(0.05)
    if end.startswith("sys"):
        assert result.stderr == "" and not list(tmp_path.glob("*/work-*"))


def test_the_worker_does_not_run_the_users_program(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "print('once')\nimport sys\nsys.path.insert(0, sys.argv[1])\n"
        "from npcompile.lower.service import compiler\nfrom tests.lower.service.test_worker import numbered\n"
        "job = compiler.submit(numbered(101)); job.wait()\nassert job.error is None\n"
    )
    result = subprocess.run([sys.executable, script, ROOT], capture_output=True, text=True, cwd=tmp_path)
    assert result.stdout == "once\n" and result.stderr == "", result.stderr


def test_threads_that_submit_may_end_before_the_worker_is_done():
    """Linux ends a child with the thread that started it: that thread must not be a user's."""
    compiler._compiler.stop()
    jobs = []
    thread = threading.Thread(target=lambda: jobs.append(submit(numbered(112))))
    thread.start()
    thread.join()
    jobs[0].wait()
    assert jobs[0].error is None and len(jobs) == 1


def test_a_worker_that_ends_late_is_kept_until_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a killed process goes on for a while, and Python warns of one that nobody holds."""

    def late(timeout: float) -> int:
        raise subprocess.TimeoutExpired("worker", timeout)

    own = compiler._Compiler()
    process = own._spawn()
    with monkeypatch.context() as patch:
        patch.setattr(process, "wait", late)
        own.stop()
    assert process in compiler._ending
    process.wait()
    own._spawn()
    assert process not in compiler._ending
    own.stop()


LATE = """
def late(timeout): raise compiler.subprocess.TimeoutExpired("worker", timeout)
compiler._compiler._spawn().wait = late
"""


@pytest.mark.parametrize("before", ["", "compiler._compiler.stop()\n"], ids=["at exit", "before"])
def test_python_warns_of_no_worker_that_ends_late(before: str) -> None:
    result = run(LATE + before, PYTHONWARNINGS="always::ResourceWarning")
    assert result.returncode == 0 and result.stderr == ""


def test_what_is_given_up_as_the_process_ends_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_compiler", own := compiler._Compiler())
    asked = threading.Event()

    def ended(descriptor: int, seconds: float) -> None:
        """The process ends while it waits for the worker."""
        asked.set()
        own.closing = True
        own.stop()
        raise worker.Died

    monkeypatch.setattr(worker, "receive", ended)
    with caplog.at_level(logging.DEBUG, "npcompile"):
        first = submit(numbered(113))
        first.wait()
        after = submit(numbered(114))
        after.wait()
    assert asked.is_set()
    for job in (first, after):
        assert job.error is not None and job.error.code is Cause.PROCESS_ENDS
    texts = [record.getMessage() for record in caplog.records]
    assert len(texts) == 4 and {record.levelname for record in caplog.records} == {"INFO"}
    assert texts[1::2] == [f": {Cause.PROCESS_ENDS()}"] * 2
