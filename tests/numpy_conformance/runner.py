"""Runs modules in lanes, each in a forked process of its own, so that a crash costs one test and is seen."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import resource
import sys
import tempfile
import traceback
from pathlib import Path

import hypothesis.extra.numpy  # noqa: F401  (here once, for all the processes forked from this one)
import pytest

from .lanes import LANES
from .modules import ROOT, path_of
from .plugin import Outcome, Plugin

MEMORY_BYTES = 8 << 30  # above what the process has mapped at its start: a huge allocation is a MemoryError


def oracle(module: str, only: frozenset[str] | None = None) -> dict[str, Outcome]:
    """The tests that count: those that plain NumPy passes, in the order of the file; of those in `only`."""
    outcomes = run(module, "numpy", None, only)
    return {test: out for test, out in outcomes.items() if out.outcome == "passed"}


def run(
    module: str, lane: str, counted: dict[str, Outcome] | None, only: frozenset[str] | None = None
) -> dict[str, Outcome]:
    """The outcome of each test of the module in the lane; after a crash the rest is run in a new process.

    counted: the tests that plain NumPy passes; None: all but the excluded ones. only: those of them to run.
    """
    outcomes: dict[str, Outcome] = {}
    while True:
        with tempfile.TemporaryDirectory() as folder:
            sink = Path(folder, "outcomes")
            status = _forked(module, lane, counted, only, frozenset(outcomes), sink)
            running = ""
            for line in sink.read_text().splitlines() if sink.exists() else ():
                kind, value = json.loads(line)
                if kind == "started":
                    running = value
                elif kind == "outcome":
                    running = ""
                    outcomes[value["test"]] = Outcome(**value)
                elif kind == "error":
                    raise RuntimeError(f"{module} in {lane}: {value}")
        if status == 0:
            break
        if not running:
            raise RuntimeError(f"{module} in {lane}: ended with status {status} outside of a test")
        outcomes[running] = Outcome(running, "crashed", f"process ended with status {status}")
    if counted is not None:
        outcomes = {test: outcomes[test] for test in counted if only is None or test in only}
    return outcomes


def preload(lanes: list[str]) -> None:
    """Imports what the lanes need, once before their processes fork: the oracles come first, without it."""
    for lane in lanes:
        for name in LANES[lane].imports:
            importlib.import_module(name)


def _forked(
    module: str,
    lane: str,
    counted: dict[str, Outcome] | None,
    only: frozenset[str] | None,
    done: frozenset[str],
    sink: Path,
) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = _child(module, lane, counted, only, done, sink)
        except BaseException:
            with open(sink, "a") as file:
                file.write(json.dumps(["error", traceback.format_exc()]) + "\n")
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


def _child(
    module: str,
    lane: str,
    counted: dict[str, Outcome] | None,
    only: frozenset[str] | None,
    done: frozenset[str],
    sink: Path,
) -> int:
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY_BYTES, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(sink, "w") as file:

        def write(kind: str, value: object) -> None:
            file.write(json.dumps([kind, value]) + "\n")
            file.flush()

        plugin = Plugin(
            LANES[lane](),
            module,
            lambda out: write("outcome", dataclasses.asdict(out)),
            lambda test: write("started", test),
            counted,
            done,
            only,
        )
        with contextlib.chdir(tempfile.gettempdir()):
            status = pytest.main([*arguments(module), "--tb=no"], plugins=[plugin])
        if status not in (0, 1, 2, 5):  # all passed, some failed or were not collected, none collected
            write("error", f"pytest ended with {status}")
    return 0


def arguments(module: str) -> list[str]:
    """pytest's arguments: NumPy's own configuration (an installed NumPy turns no warning into an error)."""
    site = str(ROOT.parent)
    return [
        str(path_of(module)),
        f"--rootdir={site}",
        f"--confcutdir={site}",
        f"-c{os.devnull}",
        "-pno:cacheprovider",
        "-q",
        "--continue-on-collection-errors",
    ]


def debug(module: str, lane: str, test: str) -> int:
    """Runs one test, or those of a class, in this process with tracebacks; NumPy's run of it comes first."""
    counted = oracle(module)
    chosen = {t: out for t, out in counted.items() if t == test or t.startswith((test + "[", test + "::"))}
    if not chosen:
        print(f"{module}::{test} does not count")
        return 1

    def say(out: Outcome) -> None:
        print(f"{out.outcome} {out.test}: {out.ops} ops, host calls {out.host}, op failures {out.failures}")

    plugin = Plugin(LANES[lane](), module, say, lambda test: None, chosen, frozenset())
    status = int(pytest.main([*arguments(module), "-s"], plugins=[plugin]))
    for name, error in plugin.defects().items():
        print(f"lost while the module was loaded: {name}: {error}")
    return status
