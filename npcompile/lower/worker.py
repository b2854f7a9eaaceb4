"""The worker process: reads jobs from its standard input, compiles them, answers on its standard output.

It runs at low priority beside the user's program and ends with it. The user's `__main__` is never imported.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import signal
import struct
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from . import cache, cpp, native, sizes

NICENESS = 15
LENGTH = struct.Struct("<Q")


class Request(NamedTuple):
    key: str
    data: bytes  # the graph, as `graph.dump` wrote it
    pattern: sizes.Pattern | None  # which of its sizes are parameters of the library
    threads: int
    folder: str  # of the kernel cache
    compiler: str


class Reply(NamedTuple):
    key: str
    error: str | None
    compiled: bool  # False: another process had put the kernel on disk in the meantime


def pack(message: Any) -> bytes:
    data = pickle.dumps(tuple(message))
    return LENGTH.pack(len(data)) + data


def serve(folder: str) -> None:
    """Run until standard input ends. Works in folders of its own in `folder`."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints goes to the log, not into the answers
    _end_with_parent()
    os.umask(0o077)
    os.nice(NICENESS)
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    work = tempfile.mkdtemp(dir=folder, prefix=cache.work_prefix())
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = work
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests, Path(folder)), daemon=True).start()
    cache.remove_leavings(Path(folder))
    _warm_up()
    header = cpp.Header(Path(work))
    while True:
        request = requests.get()
        error, compiled = None, False
        try:
            compiled = _compile(request, header)
        except Exception as exception:
            traceback.print_exc()
            error = _reason(exception)
        answers.write(pack(Reply(request.key, error, compiled)))


def _read(stream: BinaryIO, requests: queue.SimpleQueue[Request], folder: Path) -> None:
    while len(head := stream.read(LENGTH.size)) == LENGTH.size:
        requests.put(Request(*pickle.loads(stream.read(LENGTH.unpack(head)[0]))))
    cache.remove_leavings(folder, os.getpid())
    os.killpg(0, signal.SIGKILL)  # the parent has gone: a running compiler, in this process group, goes too


def _end_with_parent() -> None:
    """The kernel's own way, for a parent that is killed while a child of its own holds our input open."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _warm_up() -> None:
    """Import Inductor and run it once on next to nothing: it saves the first job about two seconds."""
    import torch
    import torch.fx as fx

    from . import adapter

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


def _compile(request: Request, header: cpp.Header) -> bool:
    from .compile import compile_segment

    folder = Path(request.folder)
    if cache.load(folder, native.key()) is None:
        native.build(folder, request.compiler)
    if _present(folder, request.key):
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


def _reason(exception: BaseException) -> str:
    lines = [line.strip() for line in str(exception).splitlines() if line.strip()]
    return f"{type(exception).__name__}: {' '.join(lines[:2])[:400]}"
