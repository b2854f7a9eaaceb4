"""Runs a package's own tests plain and with every function of the package jitted, and compares the outcomes.

`python -m tests.packages --path FOLDER_OR_PACKAGE`. Each way is a process of its own. The exit status is 1
where the outcome of a test differs.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BACKENDS = ("kernels", "interpreter")
ROUNDS = 2  # the second replays the first one's programs and kernels
INTERPRETING = 10  # times the limit, for the backend that interprets: it is there to be right, not to be fast
TAIL = 20  # lines of what pytest printed, where it could not run all of the tests
Test = tuple[int, str]  # the round, and the test's name


@dataclass
class Outcome:
    outcome: str
    exception: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.outcome} ({self.exception})" if self.exception else self.outcome

    def is_like(self, other: Outcome | None) -> bool:
        return other is not None and (self.outcome, self.exception) == (other.outcome, other.exception)


MISSING = Outcome("not run", "", 0.0)


@dataclass
class Run:
    """One process's outcomes by test, seconds of its rounds, and counts of what the jitted functions did."""

    outcomes: dict[Test, Outcome] = field(default_factory=dict)
    rounds: list[float] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Run:
        run = cls()
        for line in path.read_text().splitlines() if path.exists() else []:
            told = json.loads(line)
            if "functions" in told:
                run.counts = told
            elif "turned" in told:
                run.rounds.append(told["turned"])
            else:
                # A test that began and did not end took the process with it.
                ended = told["outcome"] != "started"
                outcome = told["outcome"] if ended else "the process ended"
                found = Outcome(outcome, told.get("exception", ""), told.get("seconds", 0.0))
                run.outcomes[told["round"], told["test"]] = found
        return run

    def unsteady(self) -> set[str]:
        """The tests whose outcome differs from round to round."""
        first = {test: outcome for (turn, test), outcome in self.outcomes.items() if turn == 0}
        return {test for (_, test), outcome in self.outcomes.items() if not outcome.is_like(first.get(test))}

    def summary(self) -> str:
        """The counts of the last round's outcomes."""
        last = max((turn for turn, _ in self.outcomes), default=0)
        counts: dict[str, int] = {}
        for (turn, _), outcome in self.outcomes.items():
            if turn == last:
                counts[outcome.outcome] = counts.get(outcome.outcome, 0) + 1
        return ", ".join(
            f"{count} {name}" for name, count in sorted(counts.items(), key=lambda item: -item[1])
        )

    def times(self) -> str:
        return ", ".join(f"{seconds:.1f}" for seconds in self.rounds)


def differences(plain: Run, jitted: Run) -> list[str]:
    """A line for each test whose outcome differs between plain Python and jitted functions."""
    unsteady = plain.unsteady()
    lines = []
    for key in sorted(plain.outcomes.keys() | jitted.outcomes.keys()):
        if key[1] in unsteady:
            continue
        there, here = plain.outcomes.get(key, MISSING), jitted.outcomes.get(key, MISSING)
        if not there.is_like(here):
            lines.append(f"round {key[0] + 1}: {key[1]}: plain {there}, jitted {here}")
    return lines


def slower(plain: Run, jitted: Run) -> list[str]:
    """A line for each of the tests that take a second more and three times as long: told, not judged."""
    lines = []
    for (turn, test), here in jitted.outcomes.items():
        there = plain.outcomes.get((turn, test), MISSING)
        if here.seconds > 3 * there.seconds + 1:
            lines.append(f"round {turn + 1}: {test}: {here.seconds:.1f} s, plain {there.seconds:.1f} s")
    return lines


def where(path: str) -> tuple[str, Path]:
    """The name and the folder (or file) of a package that is named by its path or its name."""
    given = Path(path)
    if given.exists():
        given = given.resolve()
        return given.stem, given
    spec = importlib.util.find_spec(path)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{path} is neither a folder nor an installed package")
    origin = Path(spec.origin)
    return path, origin.parent if origin.name == "__init__.py" else origin


def run(
    name: str, place: Path, options: argparse.Namespace, way: str, folder: Path
) -> tuple[Run, subprocess.CompletedProcess[str] | None]:
    """The package's tests in a process of its own: `way` is "plain" or a backend."""
    out = folder / f"{way}.json"
    config = folder / "pytest.ini"
    config.write_text("[pytest]\nfilterwarnings = ignore::npcompile.NotCompiledWarning\n")
    tests = [str(place / test) for test in options.tests] or [str(place / name)]
    command = [sys.executable, str(Path(__file__).with_name("plugin.py")), name, *tests, "--out", str(out)]
    limit = options.timeout * (INTERPRETING if way == "interpreter" else 1)
    command += ["--limit", str(limit), "--rounds", str(options.rounds)]
    passed_on = ["-q", "-p", "no:cacheprovider", "-c", str(config), "--rootdir", str(place), "--tb=short"]
    passed_on += [f"--deselect={test}" for test in options.deselect]
    passed_on += ["-k", options.k] if options.k else []
    command += [f"--pytest={option}" for option in passed_on]
    command += ["--plain"] if way == "plain" else []
    paths = [str(place), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "MPLBACKEND": "Agg",
        "NPCOMPILE_INTERNAL_ERRORS": "raise",
        "NPCOMPILE_CACHE_DIR": os.environ.get("NPCOMPILE_CACHE_DIR", str(folder / "cache")),
    }
    environment.pop("NPCOMPILE_BACKEND", None)
    if way == "interpreter":
        environment["NPCOMPILE_BACKEND"] = way
    done = None
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, timeout=options.all
        )
    except subprocess.TimeoutExpired as error:
        print(f"{name}, {way}: stopped after {error.timeout:.0f} s", flush=True)
    if done is not None and done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        told = "\n".join([*done.stdout.splitlines()[-TAIL:], *done.stderr.splitlines()[-TAIL:]])
        print(f"{name}, {way}: exit status {done.returncode}\n{told}", flush=True)
    return Run.read(out), done


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.packages", description=__doc__)
    parser.add_argument("--path", required=True, help="a package's folder, or the name of an installed one")
    parser.add_argument(
        "--tests", nargs="+", default=[], help="its tests, beside the package (default: within it)"
    )
    parser.add_argument("--backend", choices=[*BACKENDS, "both"], default="both")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a test")
    parser.add_argument("--all", type=float, default=1800.0, help="seconds a process")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="times that a process runs all of the tests"
    )
    parser.add_argument("--deselect", action="append", default=[], help="a test that is left out")
    parser.add_argument("-k", help="an expression that chooses tests, as pytest's")
    parser.add_argument("--output", action="store_true", help="print what pytest printed")
    options = parser.parse_args(arguments)
    name, found = where(options.path)
    different = False
    with tempfile.TemporaryDirectory(prefix="npcompile-packages-") as made:
        folder = Path(made)
        place = found.parent
        if "site-packages" in found.parts:
            # An installed package is a library, whose inside is not recorded; a copy is the user's code.
            place = folder / "copy"
            place.mkdir()
            if found.is_dir():
                shutil.copytree(found, place / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(found, place)
        plain, _ = run(name, place, options, "plain", folder)
        if not any(outcome.outcome == "passed" for outcome in plain.outcomes.values()):
            print(f"{name}: no test passes in plain Python")
            different = True
        runs = {"plain": plain}
        for backend in BACKENDS if options.backend == "both" else (options.backend,):
            runs[backend], done = run(name, place, options, backend, folder)
            lines = differences(plain, runs[backend])
            different = different or bool(lines)
            told = slower(plain, runs[backend]) if backend == "kernels" else []
            for line in [*lines, *(f"slow: {line}" for line in told)]:
                print(f"{backend}: {line}", flush=True)
            if options.output and done is not None:
                print(done.stdout, done.stderr, sep="\n", flush=True)
    if unsteady := plain.unsteady():
        print(f"not compared, as plain Python's rounds differ: {', '.join(sorted(unsteady))}")
    print(table(f"{name} {version(name)}", runs))
    return int(different)


def table(name: str, runs: dict[str, Run]) -> str:
    """A row for each way: outcomes in the last round, CPU seconds of the process in each round, counts."""
    lines = ["| package | run | outcomes | CPU seconds | functions | calls | replayed |", f"|{'---|' * 7}"]
    for way, done in runs.items():
        counts = [str(done.counts.get(key, "")) for key in ("functions", "calls", "replays")]
        shown = counts if way != "plain" else [""] * len(counts)
        cells = [name if way == "plain" else "", way, done.summary(), done.times(), *shown]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def version(name: str) -> str:
    distributions = importlib.metadata.packages_distributions().get(name)
    return importlib.metadata.version(distributions[0]) if distributions else "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
