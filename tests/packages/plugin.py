"""A pytest plugin that jits every function of one package and writes each test's outcome as a line of JSON.

`python -m tests.packages` runs this file as a script, in a process of its own. A package under test may have
a top-level package `tests` itself, and no process can import both.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import json
import random
import signal
import sys
import time
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

import npcompile

# Parts of a module's name that mark it as one of the package's tests, whose functions stay plain.
TESTS = frozenset({"tests", "test", "testing", "conftest"})
SETTLE = 60.0  # seconds that a round waits, in all, for what the round before had compiled


class Stalled(BaseException):
    """A test ran past the time limit. Not an `Exception`, which the code under test may catch."""


class Jitting(importlib.abc.MetaPathFinder):
    """Jits the functions and classes of a package's modules as soon as each is imported.

    A module that is imported later finds the jitted functions, as if each `def` had the decorator.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.jitted: list[npcompile.Jitted] = []

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        parts = name.split(".")
        if parts[0] != self.package or any(part in TESTS or part.startswith("test_") for part in parts[1:]):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = JittingLoader(spec.loader.name, spec.loader.path, self)
        return spec

    def jit_all(self, module: types.ModuleType) -> None:
        """Jit what the module defines; a function with two names in it is jitted once."""
        made: dict[int, Any] = {}
        for name, found in list(vars(module).items()):
            if getattr(found, "__module__", None) != module.__name__:
                continue
            if id(found) not in made and isinstance(found, types.FunctionType):
                made[id(found)] = npcompile.jit(found)
            elif id(found) not in made and isinstance(found, type):
                made[id(found)] = npcompile.jit(found)
                self.jitted += [kept for kept in map(_function_of, vars(found).values()) if kept is not None]
            if id(found) in made:
                setattr(module, name, made[id(found)])
        self.jitted += [function for function in made.values() if isinstance(function, npcompile.Jitted)]


class JittingLoader(importlib.machinery.SourceFileLoader):
    """Runs a module's source, then jits what it defined."""

    def __init__(self, name: str, path: str, jitting: Jitting) -> None:
        super().__init__(name, path)
        self.jitting = jitting

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        self.jitting.jit_all(module)


def _function_of(member: Any) -> npcompile.Jitted | None:
    """The jitted function in a class's member, if the member has one."""
    member = member.__func__ if isinstance(member, staticmethod | classmethod) else member
    member = member.fget if isinstance(member, property) else member
    return member if isinstance(member, npcompile.Jitted) else None


class Outcomes:
    """The plugin: the same random numbers, a time limit and one line of JSON for each test."""

    def __init__(self, out: IO[str], limit: float, turn: int) -> None:
        self.out = out
        self.limit = limit
        self.turn = turn
        self.started = 0.0
        self.exception = ""
        self.outcome = ""

    def write(self, **line: Any) -> None:
        print(json.dumps({"round": self.turn, **line}), file=self.out, flush=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        random.seed(0)
        np.random.seed(0)
        self.outcome, self.exception = "passed", ""
        self.write(test=item.nodeid, outcome="started")  # all that is known of a test that ends the process
        self.started = time.perf_counter()
        try:
            return (yield)
        finally:
            seconds = round(time.perf_counter() - self.started, 4)
            outcome = {"test": item.nodeid, "outcome": self.outcome, "exception": self.exception}
            self.write(**outcome, seconds=seconds)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        def stop(number: int, frame: types.FrameType | None) -> None:
            raise Stalled(f"longer than {self.limit} s")

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, self.limit)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[pytest.TestReport]:
        report: pytest.TestReport = yield
        if report.outcome != "passed":
            failed_around = report.outcome == "failed" and report.when != "call"
            self.outcome = "error" if failed_around else report.outcome
            self.exception = call.excinfo.typename if call.excinfo is not None else ""
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self.write(test=report.nodeid, outcome=f"collection {report.outcome}", exception="", seconds=0.0)


def settle(jitted: list[npcompile.Jitted]) -> None:
    """Wait, within bounds, for what is being compiled: the next round is to run it."""
    end = time.monotonic() + SETTLE
    for function in jitted:
        with contextlib.suppress(TimeoutError):
            function.wait(max(0.01, end - time.monotonic()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plain", action="store_true", help="jit nothing")
    parser.add_argument("--limit", type=float, required=True, help="seconds a test")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--pytest", action="append", default=[], help="an option that is passed on to pytest")
    options = parser.parse_args()
    sys.path.remove(str(Path(__file__).resolve().parent))  # the folder of a script: the package needs its own
    jitting = Jitting(options.package)
    if not options.plain:
        sys.meta_path.insert(0, jitting)
    arguments = [*options.pytest, *options.tests]
    status = 0
    with options.out.open("w") as out:
        for turn in range(options.rounds):
            plugin = Outcomes(out, options.limit, turn)
            begun = time.process_time()
            status = max(status, pytest.main(arguments, plugins=[plugin]))
            plugin.write(turned=round(time.process_time() - begun, 3))
            if turn + 1 < options.rounds:
                settle(jitting.jitted)
        counts = {"calls": 0, "recordings": 0, "replays": 0, "plain_calls": 0, "kernels": 0}
        for function in jitting.jitted:
            stats = function.stats
            counts = {name: count + getattr(stats, name) for name, count in counts.items()}
        print(json.dumps({"functions": len(jitting.jitted), **counts}), file=out, flush=True)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
