"""The suite in two pytest processes at once: `python -m tests [--all] [arguments of pytest]`.

python -m tests                  the quick tier: each layer, what compiles sampled (tests/tiers.py says how)
python -m tests --all            every test
python -m tests --all --record   every test, and tests/costs.json written anew from what each took
python -m tests --fuzz 60        random programs with fresh seeds, for so many seconds (tests/fuzz.py)

The files are put into parts, each shorter than the one before, and each process takes the next part when it
is done with one, so that both are done at about one time. The slowest 30 tests are shown at the end. Exit
status 0 when all passed. Ctrl-C stops the parts that run, and each says how far it came.
"""

from __future__ import annotations

import compileall
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from tests import tiers

TESTS = Path(__file__).resolve().parent
PROCESSES = 2
# Seconds of the shortest parts: importing what tests need takes some ten for each part.
SHORTEST, QUICK_SHORTEST = 60.0, 20.0
_print = threading.Lock()
_SUMMARY = re.compile(r"(\d+) (passed|failed|skipped|xfailed|deselected|errors?)\b")
_FAILED = re.compile(r"(?:FAILED|ERROR) tests/\S")
_FUNCTION = re.compile(r"^def (test_\w+)", re.MULTILINE)
_SLOW = re.compile(r"([\d.]+)s (call|setup|teardown) +(\S.*)")


def seconds_of_files(quick: bool) -> dict[str, float]:
    """Return what each test file is taken to last."""
    known = tiers.costs()
    found = {}
    for path in TESTS.rglob("test_*.py"):
        file = str(path.relative_to(TESTS.parent))
        functions = [f"{file}::{name}" for name in _FUNCTION.findall(path.read_text())]
        found[file] = 0.5 + sum(known.get(name, (1, tiers.NEW))[1] for name in functions)
    return {name: min(seconds, tiers.BUDGET + 0.5) if quick else seconds for name, seconds in found.items()}


def parts(seconds: dict[str, float], processes: int, shortest: float) -> list[list[str]]:
    """Put files into parts, the longest first: each is an equal share of half of what is left."""
    left = sorted(seconds, key=lambda name: (-seconds[name], name))
    found = []
    while left:
        share = max(sum(seconds[name] for name in left) / (2 * processes), shortest)
        part: list[str] = []
        for name in left:
            if not part or seconds[name] <= share:
                part.append(name)
                share -= seconds[name]
        found.append(sorted(part))
        left = [name for name in left if name not in part]
    return found


class Run:
    """Runs the parts, shows what each says, and adds up what came of them."""

    def __init__(self, arguments: list[str], folder: Path) -> None:
        self.arguments = arguments
        self.folder = folder
        self.counts: Counter[str] = Counter()
        self.slow: list[tuple[float, str]] = []
        self.failed: list[str] = []
        self.running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def folders(self, kernels: str) -> dict[str, str]:
        """Return where a part finds kernels, and the precompiled header of all parts."""
        return {"NPCOMPILE_CACHE_DIR": kernels, "NPCOMPILE_HEADER_DIR": str(self.folder / "header")}

    def part(self, number: int, files: list[str], kernels: str) -> None:
        """Run one part to its end. kernels: the folder in which earlier parts of the process left theirs."""
        shown = [
            "-q",
            "--durations=30",
            "--durations-min=0.5",
            "--costs",
            str(self.folder / f"{number}.json"),
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *shown, *self.arguments, *files],
            cwd=TESTS.parent,
            env={**self.folders(kernels), **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
        self.running.add(process)
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            last = line if line.strip() else last
            if _FAILED.match(line):  # shown at the end, too: the last lines are all that some readers keep
                self.failed.append(line.strip())
            if slow := _SLOW.match(line):
                with _print:
                    self.slow.append((float(slow[1]), f"{slow[2]} {slow[3].strip()}"))
            else:
                with _print:
                    print(f"{number:2} | {line}", end="" if line.endswith("\n") else "\n", flush=True)
        status = process.wait()
        self.running.discard(process)
        with _print:
            self.counts.update({name: int(count) for count, name in _SUMMARY.findall(last)})
            if status not in (0, 5):  # 5: all tests of a part were left out
                self.failed.append(f"FAILED part {number}: exit status {status}")

    def work(self, waiting: queue.SimpleQueue[tuple[int, list[str]]], kernels: str) -> None:
        """Run parts until none is left, as one of the processes."""
        while not self.stopped:
            try:
                number, files = waiting.get_nowait()
            except queue.Empty:
                return
            self.part(number, files, kernels)

    def stop(self, number: int, frame: FrameType | None) -> None:
        self.stopped = True
        for process in list(self.running):
            process.send_signal(signal.SIGINT)


def record(folder: Path) -> None:
    """Write costs.json anew from the parts' costs."""
    found: dict[str, list[float]] = {}
    for file in folder.glob("*.json"):
        found |= json.loads(file.read_text())
    lines = [f"{json.dumps(name)}: {json.dumps(cost)}" for name, cost in sorted(found.items())]
    tiers.COSTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> int:
    arguments = sys.argv[1:]
    if "--fuzz" in arguments:
        arguments[arguments.index("--fuzz")] = "--seconds"
        return subprocess.run([sys.executable, "-m", "tests.fuzz", *arguments]).returncode
    whole, recorded = "--all" in arguments, "--record" in arguments
    arguments = [argument for argument in arguments if argument not in ("--all", "--record")]
    if not whole:
        arguments = ["--tier", "quick", *arguments]
    # Some processes that tests start write no bytecode, and would all compile npcompile's sources again.
    compileall.compile_dir(TESTS.parent / "npcompile", quiet=2)
    with tempfile.TemporaryDirectory(prefix="npcompile-tests-") as folder:
        run = Run(arguments, Path(folder))
        # A terminal's Ctrl-C reaches this process alone, since each part is a process group: it is told once.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, run.stop)
        waiting: queue.SimpleQueue[tuple[int, list[str]]] = queue.SimpleQueue()
        start = time.monotonic()
        shortest = SHORTEST if whole else QUICK_SHORTEST
        for part in enumerate(parts(seconds_of_files(not whole), PROCESSES, shortest)):
            waiting.put(part)
        threads = [
            threading.Thread(target=run.work, args=(waiting, f"{folder}/kernels-{place}"))
            for place in range(PROCESSES)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if recorded and not run.stopped:
            record(Path(folder))
    print("\nthe slowest tests:")
    for seconds, name in sorted(run.slow, reverse=True)[:30]:
        print(f"{seconds:8.1f} s  {name}")
    counts = ", ".join(f"{count} {name}" for name, count in run.counts.items())
    print(f"\n{counts} in {(time.monotonic() - start) / 60:.1f} minutes")
    for failed in run.failed:
        print(failed)
    return int(bool(run.failed) or run.stopped)


if __name__ == "__main__":
    sys.exit(main())
