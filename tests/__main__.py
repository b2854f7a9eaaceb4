"""The whole suite in two pytest processes at once: `python -m tests`, for machines with two cores.

One runs what `FIRST` names, the other everything else. Each line of output starts with the name of its half.
Exit status 0 when both passed. Ctrl-C stops both, and each says how far it came.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import IO

TESTS = Path(__file__).resolve().parent
# About half of the time: what interprets, most of it NumPy's own tests. The rest is what compiles.
FIRST = (
    "numpy_conformance",
    "shim",
    "frontend",
    "test_ops_eager.py",
    "test_ops_traced.py",
    "test_ops_placed.py",
)
_print = threading.Lock()


def halves() -> dict[str, list[str]]:
    """pytest's arguments by the name of the half: together every test, each once."""
    paths = [f"tests/{name}" for name in FIRST]
    missing = [path for path in paths if not (TESTS.parent / path).exists()]
    if missing:
        raise SystemExit(f"tests/__main__.py names what does not exist: {', '.join(missing)}")
    return {"interpreted": paths, "compiled": [f"--ignore={path}" for path in paths]}


def show(name: str, lines: IO[str]) -> None:
    for line in lines:
        with _print:
            print(f"{name:11} | {line}", end="" if line.endswith("\n") else "\n", flush=True)


def main() -> int:
    running: dict[str, subprocess.Popen[str]] = {}

    def stop(number: int, frame: FrameType | None) -> None:
        for process in running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)

    # A terminal's Ctrl-C reaches this process alone, since each half is a process group: it is told once.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    for name, arguments in halves().items():
        running[name] = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=TESTS.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
    readers = [
        threading.Thread(target=show, args=(name, half.stdout), daemon=True) for name, half in running.items()
    ]
    for reader in readers:
        reader.start()
    statuses = {name: half.wait() for name, half in running.items()}
    for reader in readers:
        reader.join(10)  # not for ever: a process that a test left behind may hold the pipe
    for name, status in statuses.items():
        print(f"{name:11} | {'passed' if status == 0 else f'FAILED: exit status {status}'}", flush=True)
    return int(any(statuses.values()))


if __name__ == "__main__":
    sys.exit(main())
