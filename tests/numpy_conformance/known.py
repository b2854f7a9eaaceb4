"""The strict lists of known failures: one file per lane and module, grouped by cause.

    # the cause, in one line: it applies to the tests below it
    TestClass::test_name[parameters]
    TestClass::test_name[*]             every counted case of the function fails
    TestClass::*                        every counted test of the class fails

A listed test that passes and an unlisted one that fails are both errors. `--update` rewrites the files:
causes stay, tests that pass now leave, and a new failure goes under "unsorted: <what it raised>".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .plugin import Outcome

FOLDER = Path(__file__).parent / "known_failures"
UNSORTED = "unsorted: "


def path_of(lane: str, module: str) -> Path:
    return FOLDER / lane / f"{module}.txt"


def read(lane: str, module: str) -> dict[str, list[str]]:
    """Cause -> entries as they are written."""
    groups: dict[str, list[str]] = {}
    path = path_of(lane, module)
    cause = ""
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("# "):
            cause = line[2:]
        elif line:
            groups.setdefault(cause, []).append(line)
    return groups


def expand(entries: Iterable[str], counted: Iterable[str]) -> set[str]:
    """The tests that the entries name."""
    tests: set[str] = set()
    counted = list(counted)
    for entry in entries:
        if entry.endswith("[*]"):
            tests.update(t for t in counted if t.startswith(entry[:-2]))
        elif entry.endswith("::*"):
            tests.update(t for t in counted if t.startswith(entry[:-1]))
        else:
            tests.add(entry)
    return tests


def listed(lane: str, module: str, counted: Iterable[str]) -> set[str]:
    """The known failures of a module, of which some stand for several tests."""
    return expand([entry for entries in read(lane, module).values() for entry in entries], counted)


def problems(lane: str, module: str, outcomes: dict[str, Outcome]) -> list[str]:
    """Where the outcomes and the list differ, one line each."""
    failures = listed(lane, module, outcomes)
    found = []
    for test, out in outcomes.items():
        if out.outcome == "passed" and test in failures:
            found.append(f"{module}::{test} passes and is listed as a known failure")
        elif out.outcome != "passed" and test not in failures:
            found.append(f"{module}::{test} {out.outcome} and is not listed: {out.cause} ({out.where})")
    found += [f"{module}::{test} is listed and does not exist" for test in sorted(failures - set(outcomes))]
    return found


def update(lane: str, module: str, outcomes: dict[str, Outcome]) -> None:
    """Rewrites the list of the module from what happened."""
    failing = {test: out for test, out in outcomes.items() if out.outcome != "passed"}
    groups: dict[str, list[str]] = {}
    placed: set[str] = set()
    for cause, entries in read(lane, module).items():
        if not cause.startswith(UNSORTED):
            kept = [t for t in failing if t in expand(entries, outcomes) and t not in placed]
            placed.update(kept)
            groups[cause] = kept
    for test, out in failing.items():
        if test not in placed:
            groups.setdefault(UNSORTED + general(out), []).append(test)
    path = path_of(lane, module)
    text = "\n".join(
        "\n".join([f"# {cause}", *_compact(tests, list(outcomes))]) + "\n"
        for cause, tests in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
        if tests
    )
    if text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    else:
        path.unlink(missing_ok=True)


def general(out: Outcome) -> str:
    """The cause without the numbers and addresses that differ from test to test."""
    text = out.cause or out.outcome
    text = re.sub(r" \(comparison \d+\)", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    if re.match(r"AssertionError: (Not equal|Arrays are not)", text) or text.startswith(
        "AssertionError: Items"
    ):
        text = "AssertionError: other values"
    text = re.sub(r"AssertionError: (In test case|item=|ACTUAL|\().*", r"AssertionError: \1 ...", text)
    return re.sub(r"\d+", "N", text)[:110].rstrip()


def _compact(tests: list[str], counted: list[str]) -> list[str]:
    """`tests` with whole classes and whole parametrized functions as one entry each."""
    lines: list[str] = []
    left = set(tests)
    for test in tests:
        if test not in left:
            continue
        for entry in _wider(test):
            named = expand([entry], counted)
            if named <= left and len(named) > 1:
                break
        else:
            entry, named = test, {test}
        lines.append(entry)
        left -= named
    return lines


def _wider(test: str) -> list[str]:
    """The entries that could stand for the test, the widest first."""
    function, bracket, _ = test.partition("[")
    owner, colons, _ = function.rpartition("::")
    return [*([f"{owner}::*"] if colons else []), *([f"{function}[*]"] if bracket else [])]
