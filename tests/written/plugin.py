"""A pytest plugin that writes the programs, plans, replay texts, counts and reasons of each test's functions.

`python -m tests.written FOLDER [arguments of pytest]` runs the tests with it. Each test gives one file, named
after the test. Files of two versions of the code are equal, byte for byte, where the change between the two
left programs, plans, texts, counts and reasons as they were.

Decisions that depend on time are pinned by the environment (`NPCOMPILE_OVERHEAD`, `NPCOMPILE_CONTESTS`,
`NPCOMPILE_SPENDING`, set in tests/conftest.py). Counts that depend on when a kernel is ready are not written.
The plugin finds classes by their names, so a class may move to another module between the two versions.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Counts of `Stats` that do not depend on when the compiler is done.
COUNTS = ("calls", "recordings", "programs", "segments")
# Addresses, and names of folders that tests make, are others in each run.
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_FOLDER = re.compile(r"/tmp/[\w./-]*/|pytest-\d+")


def found(name: str) -> Any:
    """Return npcompile's class of this name, whatever module it lies in.

    Raises LookupError where there is none, or more than one.
    """
    kinds = {
        held
        for module_name, module in list(sys.modules.items())
        if module_name.startswith("npcompile.") and isinstance(held := vars(module).get(name), type)
        if held.__module__ == module_name
    }
    if len(kinds) != 1:
        raise LookupError(f"{len(kinds)} classes of npcompile have the name {name}")
    return kinds.pop()


def steady(text: str) -> str:
    """Return a text without what differs from run to run."""
    return _FOLDER.sub("/", _ADDRESS.sub("0x", text))


class Written:
    """Collects what is made during one test, and writes it when the test is over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.made: list[dict[str, Any]] = []
        self.stats: list[Any] = []  # which outlive their functions, and hold nothing of the test's
        self._follow("Replay", self._replay)
        self._follow("Stats", lambda stats, *_, **__: self.stats.append(stats))

    def _follow(self, name: str, note: Callable[..., None]) -> None:
        """Call `note` with each object of a class, and what it was made of, once it is made."""
        kind = found(name)
        init = kind.__init__

        def noting(own: Any, *args: Any, **kwargs: Any) -> None:
            init(own, *args, **kwargs)
            note(own, *args, **kwargs)

        kind.__init__ = noting

    def _replay(self, replay: Any, program: Any, plan: Any, *_: Any, **__: Any) -> None:
        steps = [f"{step.kind} {step.node} {step.why}" for step in plan.steps]
        steps += [str(segment.graph) for segment in plan.segments]
        texts = {"program": str(program), "plan": "\n".join(steps), "replay": replay.text}
        with self.lock:
            self.made.append({kind: steady(text) for kind, text in texts.items()})

    def begin(self) -> None:
        """Forget what was made before this test."""
        with self.lock:
            self.made, self.stats = [], []

    def end(self, test: str) -> None:
        """Write what this test has made."""
        with self.lock:
            made, stats = self.made, self.stats
        counted = [
            {**{name: getattr(one, name) for name in COUNTS}, "reasons": sorted(map(steady, one.reasons))}
            for one in stats
            if one.calls
        ]
        if not made and not counted:
            return
        # Threads make programs, too: their order says nothing.
        text = json.dumps({"made": sorted(made, key=json.dumps), "counts": counted}, indent=1)
        name = re.sub(r"[^\w.-]", "_", test)[-120:] + "-" + hashlib.sha256(test.encode()).hexdigest()[:12]
        (self.folder / f"{name}.json").write_text(f"{test}\n{text}\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--written", required=True, help="the folder that files are written into")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    written = item.config.stash.get(_KEY, None)
    if written is None:
        import npcompile  # noqa: F401  (its classes are there once it is imported)

        written = item.config.stash[_KEY] = Written(Path(item.config.getoption("--written")))
    written.begin()
    yield
    written.end(item.nodeid)


_KEY = pytest.StashKey[Written]()
