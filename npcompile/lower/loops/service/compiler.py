"""Compiles native loops beside the program: a thread runs the C++ compiler, and libraries are kept on disk.

`frontend/loops/` submits sources. No worker process is asked: it would first import Inductor, which loops do
not need, and a loop would wait behind segments. A job always finishes, with a function or with a reason.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import hashlib
import os
import platform
import queue
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.lower.codegen import cpp
from npcompile.lower.loops.codegen.emitter import ENTRY_NAME
from npcompile.lower.loops.codegen.parallel_code import SHARES
from npcompile.lower.loops.codegen.random_code import linked, marked
from npcompile.lower.loops.service.threads import SharingFunction
from npcompile.lower.native import native
from npcompile.lower.service.failures import failure
from npcompile.lower.service.worker import limit
from npcompile.lower.store import cache

FOLDER = Path(__file__).parent.parent / "headers"
HEADERS = sorted(FOLDER.glob("*.h"))
_INCLUDES = "\n".join(f'#include "{header.name}"' for header in HEADERS)
OPTIMIZED, UNOPTIMIZED = ("-O3",), ("-O0",)
FLAGS = (
    "-DNDEBUG -std=c++20 -fPIC -shared -march=native -w -ffp-contract=off -fno-trapping-math "
    "-fno-math-errno -fno-strict-aliasing -fvisibility=hidden"
).split()
# Signed ints wrap. By way of unsigned ones, GCC 12 vectorises no sum that a condition chooses.
FLAGS.append("-fwrapv")
# A swap that is stored as one vector holds up the next trip's load of a half of it, in every sort.
FLAGS.append("-fno-tree-slp-vectorize")
# By vectors of 64 bytes GCC 12 stores wrong items, where a loop changes two neighbours in each row.
# Calls that keep registers (`polls.h`) are made behind its back: it may keep no values below the stack's end.
if platform.machine() == "x86_64":
    FLAGS += ["-mprefer-vector-width=256", "-mno-red-zone"]
NICENESS = 15
MAX_TOGETHER = 32  # loops compiled at once, at most: much of a compilation is reading headers


_VECTORISED = "vectorised"
_IS_GCC = re.compile(r"(^|-)g\+\+")  # the name of a compiler that tells the loops that it has vectorised


class _Loaded(NamedTuple):
    """A loop's function, and the lines of its source at which loops are vectorised."""

    function: Any
    vectorised: frozenset[int]


class Job:
    """One region's source on its way to a function.

    When `done`, either `function` is a function of the words' address or `error` says why there is none.
    vectorised: the lines of the source at which loops begin that the C++ compiler has vectorised. wanted_by:
    the loop's function, file and line, for the log.
    """

    def __init__(self, source: str, wanted_by: str) -> None:
        self.source = source
        self.wanted_by = wanted_by
        self.function: Any = None
        self.error: Reason | None = None
        self.from_disk = False
        self.vectorised: frozenset[int] = frozenset()
        self._event = threading.Event()
        self._began: float | None = None  # when its compilation began
        self._told: list[Callable[[], None]] = []

    @property
    def done(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the job is done; tell if it is."""
        return self._event.wait(seconds)

    def tell(self, ready: Callable[[], None]) -> None:
        """Call a function once there is a function; at once if there is one."""
        self._told.append(ready)
        if self.done:
            self._tell_all()

    def _tell_all(self) -> None:
        """Tell all that wait, and forget them: a job is kept for as long as the process runs."""
        while self._told:
            try:
                ready = self._told.pop()
            except IndexError:  # another thread tells the last one
                return
            if self.function is not None:
                ready()

    def start_clock(self) -> None:
        """Count the job's time from now on: until now it has waited for other jobs."""
        self._began = time.monotonic()
        log.compilation_began(self.wanted_by)

    def finish(self, loaded: _Loaded | None, error: Reason | None) -> None:
        self.error = error
        if loaded is not None:
            self.function, self.vectorised = loaded
        try:
            if self._began is not None:
                log.compilation_ended(self.wanted_by, time.monotonic() - self._began, error)
        finally:  # a handler of the user's may raise
            self._event.set()
        self._tell_all()


class _Compiler:
    """The jobs of one process and their thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()  # None: the native runtime
        self.jobs: dict[str, Job] = {}
        self.runtime: threading.Event | None = None  # the native runtime is built and loaded, or cannot be
        self.thread: threading.Thread | None = None
        self.running: subprocess.Popen[bytes] | None = None
        self.closing = False
        self.compiled = 0
        self.headers: dict[tuple[str, ...], cpp.Header] = {}  # precompiled, by the flags

    def submit(self, source: str, wanted_by: str) -> Job:
        with self.lock:
            known = self.jobs.get(source)
            if known is not None:
                return known
            job = self.jobs[source] = Job(source, wanted_by)
        try:
            if (loaded := _load(cache.directory(), source, _key(source, _flags()))) is not None:
                job.from_disk = True
                job.finish(loaded, None)
                return job
        except (OSError, cache.Refused):
            pass  # the kept library cannot be used: it is compiled anew, over it
        self._put(job)
        return job

    def want_runtime(self) -> threading.Event:
        with self.lock:
            known, self.runtime = self.runtime, self.runtime or threading.Event()
        if known is None:
            self._put(None)
        return self.runtime

    def _put(self, job: Job | None) -> None:
        self.queue.put(job)
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._serve, name="npcompile-loops", daemon=True)
                self.thread.start()

    def _serve(self) -> None:
        while not self.closing:
            wanted = [self.queue.get()]
            while len(wanted) < MAX_TOGETHER and not self.queue.empty():
                wanted.append(self.queue.get())
            if jobs := [job for job in wanted if job is not None]:
                self._do(jobs)
            if len(jobs) < len(wanted):
                self._make_runtime()

    def _do(self, jobs: list[Job]) -> None:
        """Compile and finish jobs."""
        for job in jobs:
            job.start_clock()
        if len(jobs) > 1 and self._finish(jobs) is None:
            return
        for job in jobs:  # one of them may be what fails
            if (reason := self._finish([job])) is not None:
                job.finish(None, Cause.PROCESS_ENDS() if self.closing else reason)

    def _make_runtime(self) -> None:
        """Build the native runtime, unless it is on disk, and load it. Without it, loops are right, too."""
        assert self.runtime is not None
        try:
            if native.load_if_built() is None:
                native.build(cache.directory(), cpp.compiler(), self._run)
                native.load_if_built()
        except (cpp.CompilerFailed, cpp.CompilerMissing, subprocess.TimeoutExpired, OSError, cache.Refused):
            pass  # whoever compiles a segment meets the same, and reports it
        finally:
            self.runtime.set()

    def _finish(self, jobs: list[Job]) -> Reason | None:
        """Compile and finish jobs; return the reason of a failure, where none of them is finished."""
        try:
            made = self._compile([job.source for job in jobs])
        except cpp.CompilerMissing as missing:
            return Cause.NO_COMPILER(str(missing))
        except subprocess.TimeoutExpired as slow:
            return Cause.COMPILE_SECONDS(f"{slow.timeout:g}")
        except Exception as error:  # after any exception the callers that wait have to go on
            return failure(error)
        for job, loaded in zip(jobs, made, strict=True):
            job.finish(loaded, None)
        return None

    def _compile(self, sources: list[str]) -> list[_Loaded]:
        """Compile loops into one library, whose key tells all that it holds, and load them.

        It is loaded before it is kept: another process may keep its own under that key at any time.
        """
        folder, asked = cache.directory(), _flags()  # settings may change while this thread compiles
        keys = [_key(source, asked) for source in sources]
        name = keys[0] if len(keys) == 1 else f"loops-{_digest(*keys)}"
        parts = [
            f"namespace {_name(key)} {{\n{source.replace(ENTRY_NAME, f'{_name(key)}(')}\n}}\n"
            for key, source in zip(keys, sources, strict=True)
        ]
        with tempfile.TemporaryDirectory(dir=folder, prefix=cache.work_prefix()) as work:
            file, library, told = (Path(work) / name for name in ("loops.cpp", "loops.so", "vectorised"))
            file.write_text("\n".join([_INCLUDES, *parts]))
            compiler = cpp.compiler()
            tells = [f"-fopt-info-vec-optimized={told}"] if _IS_GCC.search(Path(compiler).name) else []
            flags = [f"-I{FOLDER}", *asked, *linked(sources), *tells]
            self._run([compiler, *self._precompiled(compiler, asked), str(file), *flags, "-o", str(library)])
            lines = _vectorised(told, parts)
            opened = ctypes.PyDLL(str(library))
            cache.store(folder, name, library, {"within": name, _VECTORISED: lines[0]})
        self.compiled += len(sources)
        loaded = []
        for source, key, found in zip(sources, keys, lines, strict=True):
            if key != name:
                cache.store(folder, key, None, {"within": name, _VECTORISED: found})
            loaded.append(_found(opened, source, key, frozenset(found)))
        return loaded

    def _precompiled(self, compiler: str, asked: list[str]) -> list[str]:
        """Return the compiler's flags for the precompiled headers, where a folder is named for them."""
        if not config.header_dir:
            return []
        flags = [f"-I{FOLDER}", *asked]
        if (header := self.headers.get(tuple(flags))) is None:
            header = cpp.Header(Path(config.header_dir), f"// {_headers()}\n{_INCLUDES}\n", lambda: flags)
            self.headers[tuple(flags)] = header
        return header.flags(compiler)

    def _run(self, command: list[str]) -> None:
        nowhere = subprocess.DEVNULL
        with self.lock:
            if self.closing:
                raise cpp.CompilerFailed("the process is ending")
            self.running = subprocess.Popen(
                ["nice", f"-n{NICENESS}", *command],
                stdin=nowhere,
                stdout=nowhere,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is the user's program's alone
            )
        try:
            _, said = self.running.communicate(timeout=limit())
        except subprocess.TimeoutExpired:
            self.stop()
            raise
        if self.running.returncode:
            errors = [line for line in said.decode(errors="replace").splitlines() if "error" in line]
            raise cpp.CompilerFailed(f"the C++ compiler failed: {'; '.join(errors[:3])}")

    def stop(self) -> None:
        """End the C++ compiler that is running."""
        if self.running is not None and self.running.poll() is None:
            self.running.kill()
            self.running.wait()

    def close(self) -> None:
        """Compile no more, and end what is being compiled, as the process is ending."""
        with self.lock:
            self.closing = True
        self.stop()
        for header in list(self.headers.values()):
            header.stop()


_compiler = _Compiler()


def _at_fork() -> None:
    global _compiler
    processes = [_compiler.running, *(header.process for header in _compiler.headers.values())]
    for process in processes:
        if process is not None and process.returncode is None:
            process.returncode = 0  # not ours to wait for
    done = {source: job for source, job in _compiler.jobs.items() if job.done}
    _compiler = _Compiler()
    _compiler.jobs = done


os.register_at_fork(after_in_child=_at_fork)
atexit.register(lambda: _compiler.close())


def _flags() -> list[str]:
    """Return the compiler's flags. Tests of answers alone ask for none that take time."""
    return [*(OPTIMIZED if config.optimize_loops else UNOPTIMIZED), *FLAGS]


def _key(source: str, flags: list[str]) -> str:
    parts = " ".join([*flags, marked(source)]), _headers(), re.sub(r" *//.*", "", source)
    return f"loop-{_digest(*parts)}"


def _digest(*parts: str) -> str:
    return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]


@functools.cache
def _headers() -> str:
    """Return a digest of the headers. They are many, and loops are keyed at first calls: it is made once."""
    return hashlib.sha256(b"".join(header.read_bytes() for header in HEADERS)).hexdigest()


def _name(key: str) -> str:
    return key.replace("-", "_")


def _vectorised(told: Path, parts: list[str]) -> list[list[int]]:
    """Return the lines of each loop's source at which the C++ compiler has vectorised a loop.

    told: the compiler's messages. parts: the file's texts after the headers; the first line is no source's.
    """
    said = told.read_text() if told.exists() else ""
    lines = {int(line) for line in re.findall(r"loops\.cpp:(\d+):\d+: optimized: +loop vectorized", said)}
    found, first = [], len(HEADERS) + 1
    for part in parts:
        count = part.count("\n") + 1
        found.append(sorted(line - first for line in lines if first < line < first + count))
        first += count
    return found


def _load(folder: Path, source: str, key: str) -> _Loaded | None:
    """Return a loop whose library is on disk under a key, None where it is not there."""
    found = cache.load(folder, key)
    within = None if found is None else found[1].get("within")
    vectorised = frozenset(found[1].get(_VECTORISED, ()) if found is not None else ())
    if within is not None and within != key:
        found = cache.load(folder, within)
    if found is None or found[0] is None:
        return None
    return _found(ctypes.PyDLL(str(found[0])), source, key, vectorised)


def _found(library: ctypes.PyDLL, source: str, key: str, vectorised: frozenset[int]) -> _Loaded:
    """Return a loop of a library that holds it."""
    function = getattr(library, _name(key))
    function.restype, function.argtypes = ctypes.c_int64, [ctypes.c_void_p]
    return _Loaded(SharingFunction(library, function) if SHARES in source else function, vectorised)


def submit(source: str, wanted_by: str) -> Job:
    """Return the job of a source: done at once where its library is in memory or on disk.

    wanted_by: the loop's function, file and line.
    """
    return _compiler.submit(source, wanted_by)


def want_runtime() -> threading.Event:
    """Return what is set once the native runtime, which enters loops without Python, is loaded, or cannot be.

    It is built beside the program if it is not on disk: a program of loops alone compiles no segment, before
    which it would be built.
    """
    return _compiler.want_runtime()


def compilations() -> int:
    """Return how many loops have been compiled for this process."""
    return _compiler.compiled
