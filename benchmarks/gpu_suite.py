"""Kinds of NumPy program on a CUDA device: npcompile beside NumPy, CuPy and JAX, in one run.

Each program has a process of its own. All processes compile at the same time; then they measure one after the
other, each with its candidates in turns. CuPy and JAX are given the program itself, with their module in the
place of NumPy; `jax.jit` compiles it whole, with the numbers among its arguments known. An array that
npcompile answers in the host's memory is brought there by CuPy and JAX, too. Programs that write in place go
on with their own arrays.

Candidates: `numpy` and `host` (npcompile without a device) on the processor; `choice` (under a device that
npcompile may leave to the host) and `forced` with NumPy arrays in; `device`, `cupy` and `jax` with arrays of
the device in. `kernels` is the device's own time in a call, `floor` the time in which a copy moves as many
bytes as the arguments and the answer have. Prints "no CUDA device" where there is none.

    python benchmarks/gpu_suite.py [--only jacobi,softmax] [--dtypes float32] [--json FILE] [--limit 240]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu_programs import cases

CALLS = 12  # before times count: recordings, contests and captures come in these
ROUNDS = 9
LIMIT = 60.0  # seconds of a program's measurement
SPARE = 30.0  # seconds: a process is given up so long after the limit of its compilations
SECONDS = 2.0  # of a program's rounds, after which no other begins
CANDIDATES = ("numpy", "host", "choice", "forced", "device", "cupy", "jax")
HEADER = (
    f"{'in ms':28}"
    + "".join(f"{way:>10}" for way in CANDIDATES)
    + f"{'kernels':>9}{'no.':>5}{'floor':>8}{'MB to':>8}{'back':>7}"
)


def of_module(function: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """Return a program with another module in NumPy's place."""
    return types.FunctionType(function.__code__, {**function.__globals__, "np": module}, function.__name__)


def close(answer: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return all(close(mine, theirs) for mine, theirs in zip(answer, expected, strict=True))
    mine = np.asarray(answer.get() if hasattr(answer, "get") else answer)
    return mine.dtype == expected.dtype and bool(np.allclose(mine, expected, rtol=1e-3, atol=1e-4))


def nbytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(map(nbytes, value))
    return getattr(value, "nbytes", 0)


class Measured:
    """One program in a process of its own."""

    def __init__(self, name: str, dtype: str) -> None:
        self.function, made = cases(dtype)[name]
        self.arguments = made()
        self.found: dict[str, Any] = {"notes": {}, "wrong": []}
        self.calls: dict[str, Callable[[], Any]] = {}
        plain = self.copies()
        answer = self.function(*plain)
        self.expected = plain[0] if answer is None else answer
        self.is_in_place = answer is None

    def copies(self, given: Callable[[Any], Any] = np.copy) -> list[Any]:
        """Return copies of the arguments. given: makes each array."""
        return [given(value) if isinstance(value, np.ndarray) else value for value in self.arguments]

    def add(self, way: str, call: Callable[..., Any], own: list[Any], calls: int) -> None:
        """Take in a candidate if it runs: its first answer is checked, and it is called a few times."""
        try:
            answer = call(*own)
            answer = own[0] if self.is_in_place else answer
            if not close(answer, self.expected):
                self.found["wrong"].append(way)
            for _ in range(calls - 1):
                call(*own)
        except Exception as error:
            self.found["notes"][way] = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:80]}"
        else:
            self.found["notes"].pop(way, None)
            self.calls[way] = lambda: call(*own)
        print(f"{time.perf_counter():.0f} {way}", file=sys.stderr, flush=True)

    def prepare(self, until: float) -> None:
        """Compile all candidates; leave out JAX where that is not done at some time of `perf_counter`."""
        import cupy
        import jax
        import torch

        import npcompile

        jax.config.update("jax_enable_x64", True)
        self.torch, self.npcompile = torch, npcompile
        self.jitted = {way: npcompile.jit(self.function, wait=True) for way in ("host", "forced", "device")}
        self.add("host", self.jitted["host"], self.copies(), CALLS)
        self.add("forced", self.on_device("forced"), self.copies(), CALLS)
        with npcompile.device("cuda"):
            own = self.copies(npcompile.asarray)
        self.add("device", self.on_device("device"), own, CALLS)
        answer = None if self.is_in_place else self.calls["device"]()
        to_host = isinstance(answer, np.ndarray)
        on_cupy = of_module(self.function, cupy)
        finished = cupy.asnumpy if to_host else lambda answer: answer
        self.add("cupy", lambda *own: finished(on_cupy(*own)), self.copies(cupy.asarray), 3)
        numbers = [n for n, value in enumerate(self.arguments) if not isinstance(value, np.ndarray)]
        on_jax = jax.jit(of_module(self.function, jax.numpy), static_argnums=numbers)
        ready = np.asarray if to_host else jax.block_until_ready
        own = self.copies(jax.numpy.asarray)
        self.found["notes"]["jax"] = "is still compiling"
        compiling = threading.Thread(
            target=self.add, args=("jax", lambda *own: ready(on_jax(*own)), own, 3), daemon=True
        )
        compiling.start()
        compiling.join(max(until - time.perf_counter(), 5.0))
        moved = nbytes(tuple(self.arguments)) + (0 if answer is None else nbytes(answer))
        self.found["moved"] = moved + (nbytes(self.expected) if self.is_in_place else 0)

    def on_device(self, way: str) -> Callable[..., Any]:
        def call(*own: Any) -> Any:
            with self.npcompile.device("cuda", force=way != "choice"):
                return self.jitted[way](*own)

        return call

    def measure(self) -> dict[str, Any]:
        """Return times and counts; the machine has nothing else to do."""
        self.jitted["choice"] = self.npcompile.jit(self.function, wait=True)
        self.add("choice", self.on_device("choice"), self.copies(), 2 * CALLS)
        plain = self.copies()
        self.calls["numpy"] = lambda: self.function(*plain)
        times: dict[str, list[float]] = {way: [] for way in CANDIDATES if way in self.calls}
        began = time.perf_counter()
        for number in range(ROUNDS):
            if number > 1 and time.perf_counter() - began > SECONDS:
                break
            for way, own in times.items():
                if way == "numpy" and number > 1:
                    continue
                self.calls[way]()
                self.torch.cuda.synchronize()
                start = time.perf_counter()
                self.calls[way]()
                self.torch.cuda.synchronize()
                own.append(time.perf_counter() - start)
        self.found["ms"] = {way: 1e3 * statistics.median(own) for way, own in times.items()}
        self.found["host_answers"] = self.jitted["choice"].stats.calls_on_host
        for way in [way for way in ("forced", "device") if way in self.calls]:
            stats = self.jitted[way].stats
            before = stats.bytes_to_device, stats.bytes_from_device, stats.replays
            self.found[way] = self.profiled(way)
            after = stats.bytes_to_device, stats.bytes_from_device, stats.replays
            crossed = zip(("to", "back", "replays"), before, after, strict=True)
            self.found[way].update({what: now - then for what, then, now in crossed})
            self.found[way]["reasons"] = list(stats.reasons)[:4]
        return self.found

    def profiled(self, way: str) -> dict[str, Any]:
        """Return the time and the number of the kernels of one call."""
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            self.calls[way]()
            self.torch.cuda.synchronize()
        kernels = [event for event in seen.events() if event.device_time and "Memcpy" not in event.name]
        each: dict[str, list[float]] = {}
        for event in kernels:
            each.setdefault(event.name[:60], []).append(event.device_time)
        longest = sorted(each.items(), key=lambda pair: -sum(pair[1]))[:6]
        return {
            "kernels_ms": sum(event.device_time for event in kernels) / 1e3,
            "launches": len(kernels),
            "longest": [(name, len(own), sum(own) / 1e3) for name, own in longest],
        }


def one(name: str, dtype: str, until: float) -> None:
    """Prepare, say so, wait for the turn, measure."""
    measured = Measured(name, dtype)
    measured.prepare(until)
    print("ready", flush=True)
    if sys.stdin.readline():
        print(json.dumps(measured.measure()), flush=True)
    os._exit(0)  # JAX may still be compiling


def copy_bandwidth() -> float:
    """Return the bytes read and written in a second by a copy on the device."""
    from gpu import copy_bandwidth

    return copy_bandwidth()


def geomean(ratios: list[float]) -> float:
    return statistics.geometric_mean(ratios) if ratios else float("nan")


def shown(name: str, found: dict[str, Any], bandwidth: float) -> str:
    ms = found["ms"]
    times = "".join(f"{ms[way]:10.3f}" if way in ms else f"{'-':>10}" for way in CANDIDATES)
    nothing = {"kernels_ms": 0.0, "launches": 0, "to": 0, "back": 0}
    device, forced = found.get("device", nothing), found.get("forced", nothing)
    return (
        f"{name:28}{times}{device['kernels_ms']:9.3f}{device['launches']:5}"
        f"{1e3 * found['moved'] / bandwidth:8.3f}"
        f"{forced['to'] / 1e6:8.1f}{forced['back'] / 1e6:7.1f} {'WRONG ' if found['wrong'] else ''}"
        f"{','.join(found['wrong'])}{found['notes'] or ''}"
    )


def summary(results: dict[str, Any]) -> str:
    """Return the ratios that are asked for, and the programs that miss them."""
    lines = []
    for other in ("cupy", "jax"):
        ratios = {
            name: found["ms"][other] / found["ms"]["device"]
            for name, found in results.items()
            if other in found["ms"] and "device" in found["ms"]
        }
        below = {name: round(ratio, 2) for name, ratio in ratios.items() if ratio < 0.9}
        lines.append(
            f"device arrays in, {other}: {geomean([*ratios.values()]):.2f} times as fast "
            f"(geometric mean of {len(ratios)}); below 0.9: {below}"
        )
    ratios = {
        name: found["ms"]["host"] / found["ms"]["choice"]
        for name, found in results.items()
        if {"host", "choice"} <= {*found["ms"]}
    }
    below = {name: round(ratio, 2) for name, ratio in ratios.items() if ratio < 0.9}
    lines.append(f"NumPy arrays in, host compile: {geomean([*ratios.values()]):.2f}; below 0.9: {below}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default="float32,float64")
    parser.add_argument("--json", default="")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds that may be taken to compile")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one, given.limit)
        return
    import torch

    import npcompile

    if not torch.cuda.is_available():
        print("no CUDA device")
        return
    print(torch.cuda.get_device_name(), f"torch {torch.__version__}", flush=True)
    names = given.only.split(",") if given.only else [*cases("float32")]
    npcompile.jit(lambda x: x * 2 + 1, wait=True)(np.ones(3))  # builds what all processes load
    results: dict[str, Any] = {}
    for dtype in given.dtypes.split(","):
        results.update(run(names, dtype, given.limit))
    print(summary(results))
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1))


def run(names: list[str], dtype: str, limit: float) -> dict[str, Any]:
    """Return what was found of programs that are prepared at the same time."""
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        children = {
            name: Child(name, dtype, Path(folder) / name, environment, began + limit) for name in names
        }
        for child in children.values():
            child.line(max(began + limit + SPARE - time.perf_counter(), 1.0))
        print(f"{dtype}: prepared in {time.perf_counter() - began:.0f} s", flush=True)
        bandwidth = copy_bandwidth()
        print(f"copies move {bandwidth / 1e9:.0f} GB/s\n{HEADER}", flush=True)
        results = {}
        for name, child in children.items():
            found = child.measured()
            if found is None:
                print(f"{name} {dtype:10} {child.failure()}", flush=True)
                continue
            print(shown(f"{name} {dtype}", found, bandwidth), flush=True)
            results[f"{name} {dtype}"] = found
    return results


class Child:
    """A process that measures one program."""

    def __init__(self, name: str, dtype: str, log: Path, environment: dict[str, str], until: float) -> None:
        self._log = log
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--one", name, dtype, "--limit", str(until)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("w"),
            text=True,
            env=environment,
        )

    def line(self, seconds: float) -> str:
        """Return a line that the process writes within some time, or give the process up."""
        assert self._process.stdout is not None
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            return self._process.stdout.readline()
        finally:
            timer.cancel()

    def measured(self) -> dict[str, Any] | None:
        """Return what the process finds when it has its turn, which is now; None where it has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("measure\n")
            self._process.stdin.flush()
            line = self.line(LIMIT)
        except BrokenPipeError:
            return None
        self._process.wait()
        return json.loads(line) if line else None

    def failure(self) -> str:
        return f"NO ANSWER {self._log.read_text()[-1500:]}"


if __name__ == "__main__":
    main()
