"""Submits segments to the worker process and links their kernels: it has the jobs of this process, and their
thread.

`submit` is called by the runtime for each segment of a program. A job always finishes, with a kernel or with
the reason why there is none: failures of the compiler, the worker or the disk never reach the caller as
exceptions.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import functools
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower.codegen import cpp
from npcompile.lower.native import kernel, native
from npcompile.lower.plan import graph as wire
from npcompile.lower.plan import sizes
from npcompile.lower.plan.interpreter import without_kernel
from npcompile.lower.service import worker
from npcompile.lower.service.failures import died, failure
from npcompile.lower.shapes import fitting
from npcompile.lower.shapes.families import Family, SharedLibrary
from npcompile.lower.store import cache, eviction

TIME_LIMIT = 60.0  # seconds for one segment beyond the worker's own limit, for a worker that is stuck
IDLE_LIMIT = 300.0  # seconds after which a worker with nothing to do is ended: it holds some 300 MB
ATTEMPTS = 2
MAX_DEATHS = 6  # workers in a row that end without an answer, after which none is started
MAX_FITTED = (
    512  # kept jobs served by libraries for any sizes: a dropped one is fitted again in two milliseconds
)
START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from npcompile.lower.service import worker; worker.serve(sys.argv[2])"
)


class Job:
    """One segment on its way to a kernel.

    When `done`, either `kernel` is a callable or `error` says why there is none. `source`: the generated C++;
    `kernels`: how many kernels one call runs; `bytes_written`: by them; `seconds`: how long the job took;
    `from_disk`: the kernel was on disk already; `general`: the library for any sizes that serves the job,
    None for a library for these sizes alone; `form`: "native" (one C call) or "general" (torch operators
    among the kernels); `wanted_by`: the function that asked first, for the log.
    """

    def __init__(self, rows: list[tuple[Any, ...]], salt: str, wanted_by: str, compiler: _Compiler) -> None:
        self.wanted_by = wanted_by
        self.data = wire.pack(rows)
        self.allowed = torch.get_num_threads()
        self.key = wire.key(self.data, salt, self.allowed)
        self.sized = sizes.form(rows)
        self.family = wire.key(self.sized.skeleton, salt, self.allowed)
        self.general: SharedUse | None = None
        self.unfit: set[SharedLibrary] = set()  # libraries for any sizes that do not serve these
        self.inputs = wire.inputs_of(rows)
        self.outputs = wire.outputs_of(rows)
        self.written = wire.written(rows)
        self.kernel: Callable[..., Any] | None = None
        self.error: Reason | None = None
        self.culprit: str | None = None  # the name of the call in the segment that cannot be compiled
        self.form = ""
        self.source = ""
        self.kernels = 0
        self.bytes_written = 0
        self.seconds = 0.0
        self.from_disk = False
        self.counted = False  # some function's counts include this compilation
        self._is_logged = False
        self._began = time.monotonic()
        self._event = threading.Event()
        self._compiler = compiler

    @property
    def done(self) -> bool:
        if self._event.is_set():
            return True
        if self._compiler is not _compiler:  # in a forked child: the parent's worker will not answer here
            _compiler.adopt(self)
        return False

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the job is done. Raises TimeoutError after `timeout` seconds; Ctrl-C works."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.done:
            left = 0.2 if end is None else min(0.2, end - time.monotonic())
            if left <= 0:
                raise TimeoutError(f"kernel {self.key[:12]} is not compiled after {timeout} seconds")
            self._event.wait(left)

    def load(self, folder: Path) -> bool:
        """Load the kernel from disk; return False if it is not there.

        Raises `cache.Refused`, OSError, ImportError, `fitting.Unfit`.
        """
        key = self.key if self.general is None else self.general.key
        found = self._compiler.libraries.get(key) or cache.load(folder, key)
        runtime = native.load(folder) if found is not None else None
        if found is None or runtime is None:
            return False
        library, metadata = found
        assert library is not None
        if self.general is not None:
            self._compiler.libraries[key] = found
            self.general = self.general._replace(sized=metadata["sized"])
            metadata = fitting.fit(metadata, self.general.values, self.inputs, self.outputs)
        instead = functools.partial(without_kernel, self.data, self.inputs, self.outputs)
        try:
            made = kernel.make(runtime, self.inputs, self.outputs, self.written, library, metadata, instead)
        except Exception:
            eviction.remove(folder, key)  # the worker makes it anew
            raise
        self.form = metadata["form"]
        self.source = metadata["source"]
        self.kernels = metadata["kernels"]
        self.bytes_written = metadata["bytes_written"]
        self.kernel = made
        return True

    def start_clock(self) -> None:
        """Count the job's time from now on: until now it has waited for other jobs."""
        self._is_logged = True
        self._began = time.monotonic()
        log.compilation_began(self.wanted_by)

    def finish(self, error: Reason | None = None) -> None:
        if error is not None and self._compiler.closing:  # the worker was ended with the process
            error = Cause.PROCESS_ENDS()
        self.error = error
        self.seconds = time.monotonic() - self._began
        try:
            if self._is_logged:
                log.compilation_ended(self.wanted_by, self.seconds, error)
        finally:  # a handler of the user's may raise
            self._event.set()


class SharedUse(NamedTuple):
    """A segment's use of a library for any sizes: the library's key, and its parameters' values in this
    segment."""

    key: str
    shared: SharedLibrary
    values: tuple[int, ...]
    sized: dict[str, Any]  # of the library's metadata, once it is loaded

    @property
    def pattern(self) -> sizes.Pattern:
        return self.shared.pattern


_ending: list[subprocess.Popen[bytes]] = []  # workers that were killed: Python warns of those it cannot reach


class _Compiler:
    """The jobs of one process and its worker. A forked child gets its own, with the kernels that were
    done."""

    def __init__(self, done: dict[str, Job] | None = None) -> None:
        self.lock = threading.Lock()
        self.jobs: dict[str, Job] = done or {}
        self.fitted: collections.deque[str] = collections.deque()  # keys of jobs served by such libraries
        self.libraries: dict[str, tuple[Path | None, dict[str, Any]]] = {}  # those loaded, by key
        self.families: dict[str, Family] = {}
        self.queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.log: Any = None
        self.folder: Path | None = None  # where the worker works
        self.folder_id: tuple[int, int] | None = None  # tells it from a later folder of that name
        self.deaths = 0  # of workers in a row
        self.compiled = 0
        self.closing = False

    def submit(self, rows: list[tuple[Any, ...]], salt: str, wanted_by: str) -> Job:
        job = Job(rows, salt, wanted_by, self)
        with self.lock:
            if (known := self.jobs.get(job.key)) is not None:
                return known
            self.jobs[job.key] = job
            if len(self.fitted) > MAX_FITTED:  # programs that use the job keep it themselves
                self.jobs.pop(self.fitted.popleft(), None)
            self.families.setdefault(job.family, Family()).add(job.sized)
        self._try_to_begin(job)
        return job

    def adopt(self, job: Job) -> None:
        """Do a job again that was under way when this process was forked."""
        with self.lock:
            if job._compiler is self:
                return
            job._compiler = self
            job._event = threading.Event()
            self.jobs[job.key] = job
        self._try_to_begin(job)

    def _try_to_begin(self, job: Job) -> None:
        try:
            self._begin(job)
        except BaseException as error:  # Ctrl-C, say: nobody may wait for it
            self.jobs.pop(job.key, None)
            job.finish(failure(error))
            raise

    def _begin(self, job: Job) -> None:
        if self._from_disk(job) or (job.general is None and self._share(job)):
            return
        try:
            for value in (*job.inputs, *job.outputs):
                kernel.spec(value, False)
            cpp.compiler()
        except cpp.CompilerMissing as missing:
            job.finish(Cause.NO_COMPILER(str(missing)))
            return
        except TypeError as error:
            job.finish(failure(error))
            return
        self.start(job)

    def _from_disk(self, job: Job) -> bool:
        try:
            job.from_disk = job.load(cache.directory())
        except fitting.Unfit:
            self._reject_shared(job)
            return False
        except (OSError, ImportError, KeyError, cache.Refused):
            return False  # the kept kernel cannot be used: it is compiled anew, over it
        if job.from_disk:
            job.finish()
        return job.from_disk

    def _share(self, job: Job) -> bool:
        """Find the library for any sizes that is to serve a segment. Return True where it is on disk
        already."""
        while True:
            with self.lock:
                family = self.families.get(job.family) or self.families.setdefault(job.family, Family())
                shared = family.shared_by(job.sized, job.unfit)
            if shared is None:
                return False
            key = wire.key(repr(shared).encode(), job.family, job.allowed)
            values = shared.pattern.values(job.sized.sizes)
            assert values is not None
            job.general = SharedUse(key, shared, values, {})
            self.fitted.append(job.key)
            if self._from_disk(job):
                return True
            if job.general is not None:  # it is to be compiled
                return False

    def _reject_shared(self, job: Job, for_all: bool = False) -> None:
        """Note that a library for any sizes does not serve this segment, or (for_all) cannot be made."""
        assert job.general is not None
        job.unfit.add(job.general.shared)
        with self.lock:
            if for_all and (family := self.families.get(job.family)) is not None:
                family.refused.add(job.general.shared)
        job.general = None

    def start(self, job: Job | None = None) -> None:
        """Give the thread a job. None starts the worker and builds the native runtime, before the first
        job."""
        self.queue.put(job)
        with self.lock:
            if self.thread is not None and self.thread.is_alive():
                return
            thread = threading.Thread(target=self._serve, name="npcompile-worker", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system has no more; a later job may have one
                if job is not None:
                    self.jobs.pop(job.key, None)
                    job.finish(Cause.NO_THREAD(str(error)))
            else:
                self.thread = thread

    def _serve(self) -> None:
        # The worker is started from this thread, which lives as long as the process: Linux ends a child with
        # the thread that started it.
        while True:
            try:
                job = self.queue.get(timeout=IDLE_LIMIT)
            except queue.Empty:
                self.stop()
                continue
            try:
                if job is None:
                    seconds = worker.limit()
                    request = worker.Request(
                        "", b"", None, 1, str(cache.directory()), cpp.compiler(), seconds
                    )
                    self._ask(request)
                else:
                    job.start_clock()
                    job.finish(self._compile(job))
            except Exception as error:  # whatever happens here, nobody may wait for ever
                if job is None:
                    self.stop()  # a late answer would be taken for another's
                else:
                    job.finish(failure(error))

    def _compile(self, job: Job) -> Reason | None:
        """Compile a job's segment; return the reason of a failure, else None."""
        while job.general is not None:
            reason = self._request(job, job.general.key, job.general.pattern)
            if reason is None:
                return None
            if job.general is not None:
                self._reject_shared(job, for_all=True)
            if self._share(job):
                return None
        return self._request(job, job.key, None)

    def _request(self, job: Job, key: str, pattern: sizes.Pattern | None) -> Reason | None:
        if self.deaths >= MAX_DEATHS:
            return Cause.DIED_TOO_OFTEN(self.deaths)
        folder = cache.directory()
        if self.folder is not None and self.folder_id != cache.folder_id(
            folder
        ):  # somebody has removed it meanwhile
            self.stop()
        seconds = worker.limit()
        request = worker.Request(key, job.data, pattern, job.allowed, str(folder), cpp.compiler(), seconds)
        for attempt in range(ATTEMPTS):
            try:
                reply = self._ask(request)
                self.deaths = 0
                break
            except TimeoutError:
                self.stop()
                return Cause.NO_ANSWER(f"{TIME_LIMIT + seconds:.0f}")
            except worker.Died:
                if self.closing:
                    return Cause.PROCESS_ENDS()
                words = self._last_words()
                self.stop()
                self.deaths += 1
                if attempt == ATTEMPTS - 1 or self.deaths >= MAX_DEATHS:
                    return died(words)
        job.culprit = reply.culprit
        if reply.error is not None:
            return reply.error
        self.compiled += reply.compiled
        job.from_disk = not reply.compiled
        try:
            return None if job.load(folder) else Cause.NOT_IN_FOLDER()
        except fitting.Unfit as unfit:
            self._reject_shared(job)
            return failure(unfit)

    def _ask(self, request: worker.Request) -> worker.Reply:
        process = self._spawn()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(worker.pack(request))
        except OSError as error:
            raise worker.Died from error
        return worker.receive(process.stdout.fileno(), TIME_LIMIT + request.seconds)

    def _spawn(self) -> subprocess.Popen[bytes]:
        if self.closing:
            raise worker.Died
        if self.process is None:
            _ending[:] = [process for process in _ending if process.poll() is None]
            environment = dict(os.environ, OMP_NUM_THREADS="1", TORCHINDUCTOR_COMPILE_THREADS="1")
            for name in ("PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP"):
                environment.pop(name, None)
            path = json.dumps([os.path.abspath(p) for p in sys.path])
            self.folder = cache.directory()
            self.folder_id = cache.folder_id(self.folder)
            self.log = tempfile.TemporaryFile()
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", START, path, str(self.folder)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self.log,
                    bufsize=0,
                    env=environment,
                    start_new_session=True,  # Ctrl-C is the user's program's alone
                )
            except BaseException:
                self.log.close()
                raise
        return self.process

    def _last_words(self) -> str:
        self.log.seek(0)
        lines = self.log.read()[-4000:].decode(errors="replace").strip().splitlines()
        return " ".join(lines[-3:]) or "it said nothing"

    def stop(self) -> None:
        """End the worker, and a C++ compiler that it is running."""
        (process, self.process), log = (self.process, None), self.log
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:  # on a busy machine
            _ending.append(process)
        self._close(process, log)
        assert self.folder is not None
        cache.remove_work_folders(self.folder, process.pid)

    def _close(self, process: subprocess.Popen[bytes], log: Any) -> None:
        for file in (process.stdin, process.stdout, log):
            assert file is not None
            file.close()

    def abandon(self) -> None:
        """In a forked child, close the pipes to the parent's worker."""
        if self.process is not None:
            self._close(self.process, self.log)
            self.process.returncode = 0  # not ours to wait for


_compiler = _Compiler()


def _after_fork() -> None:
    global _compiler
    _compiler.abandon()
    _forget_ending()
    _compiler = _Compiler({k: j for k, j in _compiler.jobs.items() if j._event.is_set()})


def _forget_ending() -> None:
    """Wait for no killed worker any more: it ends by itself, or is the parent's."""
    for process in _ending:
        if process.returncode is None:
            process.returncode = -signal.SIGKILL
    _ending.clear()


def _at_exit() -> None:
    _compiler.closing = True
    _compiler.stop()
    _forget_ending()
    cache.remove_private()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)


def submit(graph: fx.Graph, salt: str = "", wanted_by: str = "") -> Job:
    """Return the job of a segment: done at once when a kernel of equal structure is in memory or on disk.

    `salt` stands for all that the key cannot see: the source of the graph's targets. `wanted_by`: a
    function's name, file and line. Raises TypeError for a graph that holds other nodes than placeholders,
    function calls and the output.
    """
    return _compiler.submit(wire.rows_of(graph), salt, wanted_by)


def submit_rows(rows: list[tuple[Any, ...]], salt: str, wanted_by: str) -> Job:
    """Return the job of a segment that is given as rows (`graph.rows_of`)."""
    return _compiler.submit(rows, salt, wanted_by)


def may_share(job: Job) -> bool:
    """Return True if segments that differ from this one in sizes alone may yet have a library for any
    sizes."""
    family = _compiler.families.get(job.family)
    return job.error is None and family is not None and not family.refused


def is_shutting_down() -> bool:
    """Return True once this process is ending and compiles no more."""
    return _compiler.closing


def start() -> None:
    """Start the worker process and build the native runtime before the first job."""
    _compiler.start()


def compilations() -> int:
    """Return how many segments the worker has compiled for this process."""
    return _compiler.compiled
