"""The pytest plugin that collects a test module as a lane loads it, runs it, and reports each outcome."""

from __future__ import annotations

import dataclasses
import signal
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy
import pytest

from . import exclusions
from .lanes import Lane
from .loading import Loaded

TEST_SECONDS = 240  # of the process's own time, however busy the machine: linalg's largest test takes 60
WAIT_SECONDS = 900  # and one that waits so long


@dataclasses.dataclass
class Outcome:
    """How one test ended, and what was counted meanwhile."""

    test: str  # "TestClass::test_name[parameters]"
    outcome: str  # passed, failed, skipped, xfailed, xpassed, crashed, missing
    cause: str = ""  # exception type and first line of its message
    where: str = ""  # the innermost frame in npcompile, or the innermost of all
    ops: int = 0
    host: dict[str, int] = dataclasses.field(default_factory=dict)
    failures: dict[str, int] = dataclasses.field(default_factory=dict)
    replayed_at: int = 0
    segments: int = 0
    kernels: int = 0
    reasons: list[str] = dataclasses.field(default_factory=list)
    compared: list[str] | None = (
        None  # the arguments of the comparing helpers; None: they differ from run to run
    )


class ConformanceModule(pytest.Module):
    """A test module that is loaded by the lane instead of imported."""

    load: Callable[[Path], Loaded]

    def _getobj(self) -> Any:
        return self.load(self.path).module


class Plugin:
    """Runs one module. `oracle`: the outcomes of plain NumPy; only the tests that passed there are run.
    `only`: those of them that are run; None: all."""

    def __init__(
        self,
        lane: Lane,
        module: str,
        emit: Callable[[Outcome], None],
        started: Callable[[str], None],
        oracle: dict[str, Outcome] | None,
        done: frozenset[str],
        only: frozenset[str] | None = None,
    ) -> None:
        self._only = only
        self._lane, self._module, self._emit, self._started = lane, module, emit, started
        self._oracle, self._done = oracle, done
        self._loaded: Loaded | None = None
        self._uncollected: dict[
            str, str
        ] = {}  # class, or "" for the module -> why pytest could not collect it
        self._names: dict[str, str] = {}  # node id -> test
        self._current: Outcome | None = None

    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> Any:
        module = ConformanceModule.from_parent(parent, path=module_path)
        module.load = self._load  # pytest makes a collector of every file beside it too: those are not loaded
        return module

    def _load(self, path: Path) -> Loaded:
        self._loaded = self._lane.load(path)
        return self._loaded

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = [(item, item.nodeid.partition("::")[2]) for item in items]
        if self._oracle is not None:
            renamed = _by_position([test for _, test in found], list(self._oracle))
            found = [(item, renamed.get(test, test)) for item, test in found]
        kept = []
        for item, test in found:
            if self._oracle is not None:
                wanted = test in self._oracle
            else:
                wanted = not exclusions.excluded(self._module, test)
            if wanted and self._is_chosen(test) and test not in self._done:
                self._names[item.nodeid] = test
                kept.append(item)
        items[:] = kept

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            name = report.nodeid.partition("::")[2]
            self._uncollected[name] = str(report.longrepr).strip().splitlines()[-1][:160]

    def pytest_sessionfinish(self) -> None:
        for test in filter(self._is_chosen, self._oracle or ()):
            if test not in self._done and test not in self._names.values():
                self._emit(Outcome(test, "missing", self._why_missing(test)))

    def _is_chosen(self, test: str) -> bool:
        return self._only is None or test in self._only

    def defects(self) -> dict[str, str]:
        """What was lost while the module was loaded, and why."""
        return self._loaded.defects if self._loaded else {}

    def _why_missing(self, test: str) -> str:
        lost = {**self._uncollected, **self.defects()}
        name = test.partition("[")[0]
        while name:
            if name in lost:
                return "not collected: " + lost[name]
            name = name.rpartition("::")[0]
        return "not collected: " + lost.get("", "other parametrization")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        test = self._names[item.nodeid]
        self._started(test)
        self._current = Outcome(test, "passed")
        function = getattr(item, "obj", None)
        generated = hasattr(function, "is_hypothesis_test")
        expected = None if generated or self._oracle is None else self._oracle[test].compared
        self._lane.witness.begin(expected)
        numpy.random.seed(0)  # unseeded data, and with it shapes, would differ from NumPy's run
        self._lane.begin()
        for timer, number, seconds in _LIMITS:
            signal.signal(number, _hung)
            signal.setitimer(timer, seconds)
        try:
            return (yield)
        finally:
            for timer, _, _ in _LIMITS:
                signal.setitimer(timer, 0)
            counts = self._lane.counts()
            out = self._current
            out.ops, out.host, out.failures = counts.ops, counts.host, counts.failures
            out.replayed_at, out.reasons = counts.replayed_at, counts.reasons
            out.segments, out.kernels = counts.segments, counts.kernels
            out.compared = None if generated else list(self._lane.witness.seen)
            if self._oracle is not None:
                out.compared = None
            self._emit(out)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        self._lane.call(pyfuncitem.obj, arguments)
        self._lane.witness.end()
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        out = self._current
        assert out is not None
        if hasattr(report, "wasxfail"):
            if report.outcome in ("skipped", "passed") and out.outcome == "passed" and report.when == "call":
                out.outcome = "xfailed" if report.skipped else "xpassed"
            elif report.skipped:
                out.outcome = "xfailed"
        elif report.skipped and out.outcome == "passed":
            out.outcome = "skipped"
            out.cause = "skipped: " + str(call.excinfo.value if call.excinfo else "")
        elif report.failed and out.outcome == "passed":
            out.outcome = "failed"
            if call.excinfo is not None:
                out.cause, out.where = summary(call.excinfo.value)
            else:
                out.cause = "expected to fail and passed"
        return report


_LIMITS = (
    (signal.ITIMER_PROF, signal.SIGPROF, TEST_SECONDS),
    (signal.ITIMER_REAL, signal.SIGALRM, WAIT_SECONDS),
)


def _hung(signum: int, frame: Any) -> None:
    raise TimeoutError(f"longer than {TEST_SECONDS if signum == signal.SIGPROF else WAIT_SECONDS} seconds")


def summary(error: BaseException) -> tuple[str, str]:
    """Exception type with the first line of its message, and the innermost frame in npcompile (or of all)."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = (
        " ".join(lines[:3])[:160] if isinstance(error, AssertionError) else (lines[0][:160] if lines else "")
    )
    cause = f"{type(error).__name__}: {text}".rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/npcompile/" in f.filename or "/torch/_numpy/" in f.filename]
    if not frames:
        return cause, ""
    frame = (ours or frames)[-1]
    parts = Path(frame.filename).parts
    return cause, f"{'/'.join(parts[-3:])}:{frame.lineno} in {frame.name}"


def _by_position(found: list[str], counted: list[str]) -> dict[str, str]:
    """Tests whose parameters print otherwise than NumPy's but are as many: theirs by position.

    `counted` has only the tests that count, so this is sound only for functions whose every test counts.
    """
    ours, theirs = _grouped(found), _grouped(counted)
    renamed: dict[str, str] = {}
    for name, tests in ours.items():
        known = theirs.get(name, [])
        if len(known) == len(tests) and known != tests and not set(known) & set(tests):
            renamed.update(zip(tests, known, strict=True))
    return renamed


def _grouped(tests: list[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(test.partition("[")[0], []).append(test)
    return groups
