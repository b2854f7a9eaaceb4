"""The tiers of the suite: a pytest plugin that leaves out tests for which the quick tier has no time.

`--tier quick` gives each test file a budget of seconds. Of a file's tests, in an order that only their names
decide, those run that fit into what is left of its budget, and one runs in any case: each layer and each kind
of check is met, and tests that compile are sampled. Where tests of a file are marked as `quick`, those run
and no others. The choice is made by `costs.json`, which `python -m tests --all --record` writes anew from
what each test function took (`--costs FILE`). A function that is not in it is taken to be dear.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

COSTS = Path(__file__).with_name("costs.json")
BUDGET = 1.5  # seconds of each file in the quick tier
NEW = 1.0  # seconds that a test is taken to last of which nothing is known: it may wait for a compiler


def function_of(item: str) -> str:
    """Return the test function of a test's name: `path::name[parameters]` without the parameters."""
    return item.partition("[")[0]


def file_of(item: str) -> str:
    return item.partition("::")[0]


def costs() -> dict[str, tuple[int, float]]:
    """Return the number of tests and their seconds in all, by function."""
    return {name: (count, seconds) for name, (count, seconds) in json.loads(COSTS.read_text()).items()}


def each(known: dict[str, tuple[int, float]], item: str) -> float:
    """Return the seconds that a test is taken to last."""
    count, seconds = known.get(function_of(item), (1, NEW))
    return seconds / count


def chosen(items: dict[str, bool], known: dict[str, tuple[int, float]], budget: float = BUDGET) -> set[str]:
    """Return the tests of the quick tier. items: names of tests, and if they are marked as `quick`."""
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        by_file[file_of(item)].append(item)
    found: set[str] = set()
    for tests in by_file.values():
        if marked := {item for item in tests if items[item]}:
            found |= marked
            continue
        left = budget
        for item in sorted(tests, key=lambda name: hashlib.sha256(name.encode()).digest()):
            if (cost := each(known, item)) <= left:
                left -= cost
                found.add(item)
        if left == budget:
            found.add(min(tests, key=lambda name: each(known, name)))
    return found


class Costs:
    """Adds up what tests take, by function, and writes it when the run is over."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.tests: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[function_of(report.nodeid)] += report.duration
        self.tests[function_of(report.nodeid)].add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        found = {name: (len(self.tests[name]), round(self.seconds[name], 2)) for name in sorted(self.tests)}
        self.file.write_text(json.dumps(found))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("npcompile")
    group.addoption("--tier", choices=("quick", "all"), default="all", help="which tests (default: all)")
    group.addoption("--costs", type=Path, metavar="FILE", help="write what each test function took")


def pytest_configure(config: pytest.Config) -> None:
    if (file := config.getoption("--costs")) is not None:
        config.pluginmanager.register(Costs(file))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--tier") == "quick":
        quick = chosen({item.nodeid: item.get_closest_marker("quick") is not None for item in items}, costs())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in quick])
        items[:] = [item for item in items if item.nodeid in quick]
