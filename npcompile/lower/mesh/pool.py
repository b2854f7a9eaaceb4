"""The processes of a mesh, as the program that asked for them sees them: it starts them, asks and waits.

Once one has ended, or did not answer as it should, all are ended, for good: whoever asks gets `Ended`, and
does the work itself.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from npcompile.diagnostics.settings import config
from npcompile.lower.mesh.memory import shared
from npcompile.lower.mesh.mesh import Mesh
from npcompile.lower.mesh.messages import READY, Compile, Compiled, Ran, Run, Sent

START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from npcompile.lower.mesh import worker; from npcompile.lower.mesh.mesh import Mesh; "
    "worker.main(Mesh(sys.argv[2], int(sys.argv[3])), sys.argv[4], json.loads(sys.argv[5]))"
)
STARTING = 300.0  # seconds: the longest wait for the processes to be ready
GRACE = 10.0  # seconds in which all answer, once one has told of an error


MOST_WORDS = 40_000  # bytes of what the processes have printed in which the cause of their end is sought


class Ended(Exception):
    """The processes of a mesh have ended; str() says why."""


class Failed(Exception):
    """The processes of a mesh could not do what was asked, and are there still."""


class Pool:
    """The processes of one mesh."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self._running = threading.Lock()
        self._compiling = threading.Lock()
        self._starting = threading.Lock()
        self._number = READY
        self._why = ""  # they have ended, and why
        self._folder = Path(tempfile.mkdtemp(prefix="npcompile-mesh-"))
        self._log = tempfile.TemporaryFile()
        pairs = [(Pipe(), Pipe()) for _ in range(mesh.size)]
        self._runs: list[Connection] = [runs[0] for runs, _ in pairs]
        self._compilations: list[Connection] = [compilations[0] for _, compilations in pairs]
        theirs = [(runs[1], compilations[1]) for runs, compilations in pairs]
        ends = [[one.fileno() for one in pair] for pair in theirs]
        path = json.dumps([os.path.abspath(one) for one in sys.path])
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, path, mesh.kind, str(mesh.size), self._store, json.dumps(ends)],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=self._environment(),
            pass_fds=[descriptor for pair in ends for descriptor in pair],
            start_new_session=True,  # Ctrl-C is the user's program's alone
        )
        for pair in theirs:
            for one in pair:
                one.close()
        self._is_ready = False

    @property
    def _store(self) -> str:
        return str(self._folder / "store")

    def _environment(self) -> dict[str, str]:
        found = dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS="1", TORCHINDUCTOR_CACHE_DIR=str(self._folder))
        found["TORCHINDUCTOR_VEC_ISA_OK"] = "1"  # /proc/cpuinfo is enough: trying each set takes 30 seconds
        for name in ("PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "RANK", "WORLD_SIZE", "LOCAL_RANK"):
            found.pop(name, None)
        if sys.platform == "linux":
            found.setdefault("GLOO_SOCKET_IFNAME", "lo")
        return found

    def compile(self, request: Compile) -> list[Compiled]:
        """Have all processes compile a segment; return what each answers. Raises Ended."""
        with self._compiling:
            self._begin()
            requests = [request] * self.mesh.size
            return self._asked(self._compilations, requests, seconds=config.compile_seconds)

    def run(self, key: str, inputs: Sequence[list[Sent]], results: Sequence[list[Sent]]) -> list[Ran]:
        """Have all processes run a segment, each with its inputs and results; return what each answers.

        Raises Ended, Failed.
        """
        with self._running:
            self._begin()
            self._number += 1
            gone = shared.gone()
            requests = [Run(self._number, key, *each, gone) for each in zip(inputs, results, strict=True)]
            answers: list[Ran] = self._asked(self._runs, requests, self._number)
        error = next((answer.error for answer in answers if answer.error), "")
        if error:
            raise Failed(error)
        return answers

    def _begin(self) -> None:
        """Wait until the processes are ready."""
        if self._why:
            raise Ended(self._why)
        with self._starting:
            if not self._is_ready:
                self._answers(self._runs, READY, STARTING)
                self._is_ready = True

    def _asked(
        self,
        ends: Sequence[Connection],
        requests: Sequence[Any],
        number: int | None = None,
        seconds: float | None = None,
    ) -> list[Any]:
        try:
            for end, request in zip(ends, requests, strict=True):
                end.send(request)
        except OSError:
            self.end("it closed its end")
            raise Ended(self._why) from None
        except BaseException:
            self.end("a request to it was interrupted")
            raise
        return self._answers(ends, number, seconds)

    def _answers(
        self, ends: Sequence[Connection], number: int | None, seconds: float | None = None
    ) -> list[Any]:
        """Return the answer of each process to the request of this number. Raises Ended."""
        found: dict[Connection, Any] = {}
        limit = None if seconds is None else time.monotonic() + seconds
        try:
            while len(found) < len(ends):
                left = None if limit is None else limit - time.monotonic()
                ready = wait([end for end in ends if end not in found], left)
                if not ready:
                    self.end("a process has not answered in time")
                    raise Ended(self._why)
                for end in ready:
                    assert isinstance(end, Connection)
                    found[end] = answer = end.recv()
                    if answer.error and limit is None:
                        limit = time.monotonic() + GRACE
                    assert number is None or answer.number == number
        except (EOFError, OSError):
            self.end(self._last_words())
            raise Ended(self._why) from None
        except Ended:
            raise
        except BaseException:  # the answers that are still to come would be taken for those of the next
            self.end("a request to it was interrupted")
            raise
        return [found[end] for end in ends]

    def _last_words(self) -> str:
        self._log.seek(0)
        return last_words(self._log.read()[-MOST_WORDS:].decode(errors="replace"))

    def end(self, why: str) -> None:
        """End the processes, for good."""
        if self._why:
            return
        self._why = why
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        for end in (*self._runs, *self._compilations):
            end.close()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def abandon(self) -> None:
        """In a forked child, leave the processes to the parent."""
        self._why = "this process was forked"
        for end in (*self._runs, *self._compilations):
            end.close()


def last_words(printed: str) -> str:
    """Return the line in which a process told of its last error, else the last one that it has printed.

    printed: tracebacks of Python, which end with the error, or of C++, which go on with frames.
    """
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"what\(\):|[\w.]+(Error|Exception)\b", line)]
    if errors:
        return errors[-1]
    return lines[-1] if lines else "it said nothing"


_pools: dict[Mesh, Pool] = {}
_lock = threading.Lock()


def pool_of(mesh: Mesh) -> Pool:
    """Return the processes of a mesh, which are started if they are not there."""
    with _lock:
        found = _pools.get(mesh)
        if found is None:
            found = _pools[mesh] = Pool(mesh)
        return found


def end_all() -> None:
    """End the processes of all meshes."""
    while _pools:
        _pools.popitem()[1].end("the program is ending")


def _after_fork() -> None:
    for pool in _pools.values():
        pool.abandon()
    _pools.clear()


atexit.register(end_all)
os.register_at_fork(after_in_child=_after_fork)
