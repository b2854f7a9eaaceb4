"""The worker process: reads jobs from its standard input, compiles them, and answers on its standard output.

`compiler.py` starts it and reads the answers. It runs at low priority beside the user's program and ends with
it. The user's `__main__` is never imported.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import queue
import select
import signal
import struct
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, NamedTuple

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.lower.codegen import cpp
from npcompile.lower.native import native
from npcompile.lower.plan import sizes
from npcompile.lower.service.failures import failure
from npcompile.lower.store import cache

NICENESS = 15
SHORTEST = 0.1  # seconds: a compilation may take at least that
LENGTH = struct.Struct("<Q")


class Request(NamedTuple):
    key: str  # empty: only the native runtime is to be built
    data: bytes  # the graph, as `graph.dump` wrote it
    pattern: sizes.Pattern | None  # tells which of its sizes are parameters of the library
    threads: int
    folder: str  # of the kernel cache
    compiler: str
    seconds: float  # the longest that it may take


class Reply(NamedTuple):
    key: str
    error: Reason | None
    compiled: bool  # False: another process had put the kernel on disk in the meantime
    culprit: str | None = None  # the name of the one call of the segment that raised this error


def pack(message: Any) -> bytes:
    data = pickle.dumps(tuple(message))
    return LENGTH.pack(len(data)) + data


class Died(Exception):
    """The worker has ended, or closed its output."""


def receive(descriptor: int, seconds: float) -> Reply:
    """Return the next reply from a file descriptor. Raises TimeoutError after that many seconds, and Died.

    The seconds are counted in waits, not by a clock: a clock goes on while all processes are stopped, and may
    jump.
    """

    def read(count: int) -> bytes:
        nonlocal seconds
        data = b""
        while len(data) < count:
            wait = min(seconds, 1.0)
            if not select.select([descriptor], [], [], wait)[0]:
                seconds -= wait
                if seconds <= 0:
                    raise TimeoutError
                continue
            more = os.read(descriptor, count - len(data))
            if not more:
                raise Died
            data += more
        return data

    return Reply(*pickle.loads(read(LENGTH.unpack(read(LENGTH.size))[0])))


def serve(folder: str) -> None:
    """Answer requests until standard input ends. Works in folders of its own in `folder`."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints goes to the log, not into the answers
    _end_with_parent()
    os.umask(0o077)
    os.nice(NICENESS)
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    work = tempfile.mkdtemp(dir=folder, prefix=cache.work_prefix())
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = work
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests, Path(folder)), daemon=True).start()
    cache.remove_work_folders(Path(folder))
    building = threading.Thread(target=_build_first, args=(Path(folder),), daemon=True)
    building.start()
    try:
        with _within(limit()):
            _warm_up()
    except _OutOfTime:  # a compiler that hangs: jobs meet the same, each within its own time
        _end_compilers()
    header = cpp.Header(Path(work))
    while True:
        request = requests.get()
        error, compiled, culprit = None, False, None
        try:
            with _within(request.seconds):
                building.join()
                compiled = _compile(request, header)
        except _OutOfTime:
            _end_compilers()
            error = Cause.COMPILE_SECONDS(f"{request.seconds:g}")
        except Exception as exception:
            traceback.print_exc()
            error, culprit = _failure(exception), getattr(exception, "culprit", None)
        answers.write(pack(Reply(request.key, error, compiled, culprit)))


class _OutOfTime(BaseException):
    """A compilation has taken too long. No handler on the way out may take it for a failure of its own."""


def limit() -> float:
    """Return how many seconds one compilation may take."""
    return max(config.compile_seconds, SHORTEST)


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `_OutOfTime` in the body of the `with` statement once it has taken that long.

    An import that has begun ends first: a module that is cut off half way can be imported by no later job.
    """

    def end(_: int, frame: FrameType | None) -> None:
        if _imports(frame):
            signal.setitimer(signal.ITIMER_REAL, 0.1, 5.0)
            return
        raise _OutOfTime(f"not compiled after {seconds:g} seconds (NPCOMPILE_COMPILE_SECONDS)")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5.0)  # repeats where the first exception is swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _imports(frame: FrameType | None) -> bool:
    """Return True if an import statement is being executed by this frame or by a caller of it."""
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def _end_compilers() -> None:
    """Kill the processes that this one has started: all those in its group."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, group = int(status.parent.name), int(status.read_text().rpartition(")")[2].split()[2])
            if group == os.getpgid(0) and pid != os.getpid():
                os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError, IndexError):  # it has ended
            continue


def _read(stream: BinaryIO, requests: queue.SimpleQueue[Request], folder: Path) -> None:
    while len(head := stream.read(LENGTH.size)) == LENGTH.size:
        requests.put(Request(*pickle.loads(stream.read(LENGTH.unpack(head)[0]))))
    cache.remove_work_folders(folder, os.getpid())
    os.killpg(0, signal.SIGKILL)  # the parent has gone: a running compiler, in this process group, goes too


def _end_with_parent() -> None:
    """Ask the operating system to end this process with its parent.

    Reading input is not enough: a child of the killed parent may hold our input open.
    """
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _warm_up() -> None:
    """Import Inductor and run it once on a tiny graph, which saves the first job about two seconds."""
    import torch
    import torch.fx as fx

    from npcompile.lower import adapter

    try:
        torch.set_num_threads(1)
        graph = fx.Graph()
        graph.output((graph.call_function(torch.add, (graph.placeholder("x"), 1.0)),))
        with adapter.fake_mode():
            example = torch.empty(2, dtype=torch.float64)
        adapter.generate(
            fx.GraphModule(torch.nn.Module(), graph), [example], lambda traced: {"cpp.threads": 1}
        )
        adapter.toolchain()
    except Exception:
        traceback.print_exc()  # the first job meets the same and reports it


def _build_first(folder: Path) -> None:
    """Build the native runtime while Inductor is imported, which saves the first job about two seconds."""
    with contextlib.suppress(Exception):  # the first job meets the same and reports it
        native.build(folder, cpp.compiler())


def _compile(request: Request, header: cpp.Header) -> bool:
    from npcompile.lower.service.compile import compile_segment

    folder = Path(request.folder)
    native.build(folder, request.compiler)
    if not request.key or _present(folder, request.key):
        return False
    with tempfile.TemporaryDirectory(dir=folder, prefix=cache.work_prefix()) as work:
        library, metadata = compile_segment(
            request.data, request.pattern, request.threads, Path(work), request.compiler, header
        )
        cache.store(folder, request.key, library, metadata)
    return True


def _present(folder: Path, key: str) -> bool:
    try:
        return cache.load(folder, key) is not None
    except cache.Refused:
        return False


def _failure(exception: BaseException) -> Reason:
    lines = [line.strip() for line in str(exception).splitlines() if line.strip()]
    return failure(exception, " ".join(lines[:2])[:400])
