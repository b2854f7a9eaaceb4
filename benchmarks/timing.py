"""Timing that the benchmarks share: interleaved repeats, medians, one table, and how busy the machine was."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

BATCH = 0.02  # seconds: shorter calls are timed so many together
BUSY = 0.3  # load per core above which numbers are not worth much


@dataclass
class Candidate:
    """One way of doing the work. `call` does it once; `threads` is set for it where it is given."""

    name: str
    call: Callable[[], Any]
    threads: int | None = None
    settle: Callable[[], Any] | None = None  # after the first call: wait until compiled
    first: float = 0.0  # seconds of the first call
    times: list[float] = field(default_factory=list)  # seconds a call, one for each round
    answer: str = ""  # its second answer compared with the first candidate's
    note: str = ""  # why there are no numbers

    @property
    def steady(self) -> float:
        return statistics.median(self.times)


def interleaved(
    candidates: Sequence[Candidate], rounds: int = 7, done: Callable[[], Any] | None = None
) -> None:
    """First calls, one candidate after the other; then rounds in each of which every candidate has a turn.

    Taking turns shares out what the machine does meanwhile. The second answer of each candidate (npcompile's
    first compiled one) is compared with the first candidate's. `done` is called before the clock is read, for
    work that goes on after a call returns (CUDA). A candidate that raises keeps its reason and drops out.
    """
    alive = []
    expected = None
    for one in candidates:
        try:
            use_threads(one)
            start = time.perf_counter()
            one.call()
            finish(done)
            one.first = time.perf_counter() - start
            if one.settle:
                one.settle()
            answer = one.call()
            finish(done)
            if one is candidates[0]:
                expected = on_host(answer).copy()  # later calls may write into it
            one.answer = compared(expected, answer)
            del answer
            alive.append((one, batch_of(one, done)))
        except Exception as error:  # one candidate that cannot run here must not hide the others
            one.note = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    for _ in range(rounds):
        for one, number in alive:
            use_threads(one)
            one.call()  # threads started, caches as they are between its own calls
            finish(done)
            gc.collect()
            gc.disable()
            start = time.perf_counter()
            for _ in range(number):
                one.call()
            finish(done)
            one.times.append((time.perf_counter() - start) / number)
            gc.enable()


def compared(expected: np.ndarray, answer: Any) -> str:
    """How an answer differs from NumPy's, in a few words."""
    left, right = expected, on_host(answer)
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        return f"{right.dtype}{right.shape}"
    if np.array_equal(left, right, equal_nan=left.dtype.kind in "fc"):
        return "same"
    if left.dtype.kind not in "fc":
        return f"{np.count_nonzero(left != right):,} differ"
    scale = np.maximum(np.abs(left), np.finfo(left.dtype).tiny)
    return f"within {np.max(np.abs(left - right) / scale):.0e}"


def on_host(answer: Any) -> np.ndarray:
    return answer.cpu().numpy() if isinstance(answer, torch.Tensor) else np.asarray(answer)


def use_threads(one: Candidate) -> None:
    if one.threads and torch.get_num_threads() != one.threads:
        torch.set_num_threads(one.threads)


def finish(done: Callable[[], Any] | None) -> None:
    if done:
        done()


def batch_of(one: Candidate, done: Callable[[], Any] | None) -> int:
    """How many calls take about BATCH seconds."""
    number = 1
    while True:
        start = time.perf_counter()
        for _ in range(number):
            one.call()
        finish(done)
        seconds = time.perf_counter() - start
        if seconds >= BATCH / 2:
            return number if number == 1 else max(1, round(number * BATCH / seconds))
        number *= 4


def pretty(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.2f} µs"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def table(candidates: Sequence[Candidate]) -> str:
    """First call, steady median and its range, and time relative to the first candidate (NumPy)."""
    lines = [f"{'':34}{'first call':>12}{'steady':>12}{'(range)':>26}{'of NumPy':>12}{'speed':>9}  answer"]
    for one in candidates:
        if one.note or not one.times:
            lines.append(f"{one.name:34}  {one.note or 'not run'}")
            continue
        spread = f"({pretty(min(one.times))} to {pretty(max(one.times))})"
        relative = one.steady / candidates[0].steady
        lines.append(
            f"{one.name:34}{pretty(one.first):>12}{pretty(one.steady):>12}{spread:>26}"
            f"{relative:>10.3f} x{1 / relative:>7.3g} x  {one.answer}"
        )
    return "\n".join(lines)


Found = dict[str, Any]  # facts of one program: the last line of JSON that its process wrote


def found_by(
    script: str, name: str, arguments: Sequence[str], limit: float, cache: str, **more: str
) -> Found:
    """Run a script of this folder on one program, in a process of its own that keeps its kernels in a folder.

    Parameters
    ----------
    script
        The script's file name. It prints all that it knows as one line of JSON at each stage.
    name
        The program's name, for a process that prints nothing.
    arguments
        The script's arguments.
    limit
        The seconds that it may take.
    cache
        The folder for kernels.
    **more
        Environment variables.

    Returns
    -------
    dict
        The last line that was printed; with ``failed``, the stage and the reason, where the process did not
        end well.
    """
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    environment = os.environ | {"NPCOMPILE_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": cache} | more
    failed = ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=limit, check=False
        )
        out = done.stdout
        if done.returncode:
            failed = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    except subprocess.TimeoutExpired as expired:
        out = expired.stdout.decode() if isinstance(expired.stdout, bytes) else expired.stdout or ""
        failed = f"more than {limit:.0f} s"
    lines = [line for line in out.splitlines() if line.startswith("{")]
    found: Found = json.loads(lines[-1]) if lines else {"name": name, "stage": "starting"}
    if failed:
        found["failed"] = f"{found['stage']}: {failed}"
    return found


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    made.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    return made


def machine() -> dict[str, Any]:
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "load": os.getloadavg()[0],
    }


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")


def header(title: str) -> None:
    """Says what is measured and on what, and warns where the machine was busy before it began."""
    here = machine()
    print(
        f"{title}\n{here['cpu']}, {here['cores']} cores; NumPy {here['numpy']}, PyTorch {here['torch']}",
        flush=True,
    )
    if here["load"] > BUSY * here["cores"]:
        print(f"NOT A QUIET MACHINE: load {here['load']:.2f} before the first measurement", flush=True)


def save(path: Path | None, title: str, candidates: Sequence[Candidate] = (), **more: Any) -> None:
    """Writes the numbers of one table, added to what the file holds."""
    if path is None:
        return
    tables = json.loads(path.read_text()) if path.exists() else []
    kept = ("name", "threads", "first", "times", "answer", "note")
    rows = [{key: getattr(one, key) for key in kept} for one in candidates]
    tables.append({"title": title, "machine": machine(), "rows": rows, **more})
    path.write_text(json.dumps(tables, indent=1) + "\n")


def thread_counts() -> list[int]:
    """One thread, and all of them where there are more."""
    return sorted({1, torch.get_num_threads()})


def plural(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"
