"""Long arrays: X + 1 on 72 MB and Black-Scholes on 5 million options, in time and in peak memory.

X + 1 is done by hand too (add_one.cpp, into memory that has been used before): what the memory allows.

Peak memory is how far a process of its own grew while it called the function, from just after making the
inputs: over all calls, and over the calls after the first ones (where the system lets the peak be reset). The
process in which npcompile compiles is not in it.
"""

from __future__ import annotations

import ctypes
import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import npcompile
from npcompile.lower.codegen import cpp
from timing import Candidate, header, interleaved, parser, plural, save, table, thread_counts

ELEMENTS = 9_000_000  # 72 MB of float64
OPTIONS = 5_000_000
CALLS = 5  # in each phase of the memory measurement


def add_one(X):
    return X + 1


def normal_cdf(x):
    """The normal distribution function, by formula 26.2.17 of Abramowitz and Stegun (error below 7.5e-8)."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * series
    return np.where(x > 0, 1 - tail, tail)


def black_scholes(spot, strike, years, rate, volatility):
    """The price of a European call."""
    width = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / width
    return spot * normal_cdf(d1) - strike * np.exp(-rate * years) * normal_cdf(d1 - width)


def inputs(case: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    if case == "X + 1":
        return add_one, (rng.standard_normal(ELEMENTS),)
    spot, strike = rng.uniform(10, 50, OPTIONS), rng.uniform(10, 50, OPTIONS)
    return black_scholes, (spot, strike, rng.uniform(1, 2, OPTIONS), 0.1, 0.2)


CASES = {"X + 1": f"{ELEMENTS:,} float64", "Black-Scholes": f"{OPTIONS:,} options"}
WAYS = ("NumPy", "torch.compile", "npcompile")


def by_hand(folder: Path) -> Callable[[Any, int], Any]:
    """X + 1 of a contiguous float64 array, on so many threads; the answer is always in the same memory."""
    library = folder / "add_one.so"
    flags = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"]
    source = Path(__file__).with_name("add_one.cpp")
    subprocess.run([cpp.compiler(), str(source), *flags, "-o", str(library)], check=True)
    add = ctypes.CDLL(str(library)).add_one
    add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    answer = np.empty(ELEMENTS + 8)
    answer = answer[-answer.ctypes.data // 8 % 8 :][:ELEMENTS]  # streaming stores need aligned memory

    def call(X: Any, threads: int) -> Any:
        add(X.ctypes.data, answer.ctypes.data, X.size, threads)
        return answer

    return call


def candidates(function: Callable[..., Any], args: tuple[Any, ...]) -> list[Candidate]:
    rows = [Candidate("NumPy", lambda: function(*args))]
    for threads in thread_counts():
        call = functools.partial(torch.compile(function), *args)
        rows.append(Candidate(f"torch.compile, {plural(threads)}", call, threads))
    for threads in thread_counts():
        compiled = npcompile.jit(function)
        call = functools.partial(compiled, *args)
        rows.append(Candidate(f"npcompile, {plural(threads)}", call, threads, settle=compiled.wait))
    if function is add_one:
        with tempfile.TemporaryDirectory() as folder:
            hand = by_hand(Path(folder))
        for threads in thread_counts():
            rows.append(
                Candidate(f"by hand, {plural(threads)}", functools.partial(hand, *args, threads), threads)
            )
    return rows


# -- peak memory, each way in a process of its own


def memory(field: str) -> int:
    """VmHWM (peak) or VmRSS (now) of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return memory("VmHWM") <= memory("VmRSS") * 1.02


def child(case: str, way: str) -> None:
    """Prints the growth of this process as JSON: {"all": bytes, "later": bytes or null}."""
    function, args = inputs(case)
    call = {"NumPy": lambda f: f, "torch.compile": torch.compile, "npcompile": npcompile.jit}[way](function)
    reset_peak()
    start = memory("VmRSS")
    for _ in range(CALLS):
        call(*args)
        if way == "npcompile":
            call.wait()
    whole = memory("VmHWM") - start
    later = None
    if reset_peak():
        for _ in range(CALLS):
            call(*args)
        later = memory("VmHWM") - start
    print(json.dumps({"all": whole, "later": later}))


def peaks(case: str) -> dict[str, dict[str, int | None]]:
    found = {}
    for way in WAYS:
        command = [sys.executable, __file__, "--child", case, way]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        found[way] = json.loads(lines[-1])
    return found


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--child", nargs=2, metavar=("CASE", "WAY"), help="one memory measurement, as JSON")
    chosen = options.parse_args()
    if chosen.child:
        child(*chosen.child)
        return
    header("long arrays")
    for case, size in CASES.items():
        function, args = inputs(case)
        rows = candidates(function, args)
        interleaved(rows)
        print(f"\n{case}, {size}\n{table(rows)}", flush=True)
        del args
        memories = peaks(case)
        print(f"{'peak memory over the inputs':34}{'all calls':>12}{'later calls':>14}")
        for way, peak in memories.items():
            later = "?" if peak["later"] is None else f"{peak['later'] / 1e6:.0f} MB"
            print(f"{way:34}{peak['all'] / 1e6:>9.0f} MB{later:>14}")
        save(chosen.json, f"{case}, {size}", rows, peak_memory=memories)


if __name__ == "__main__":
    main()
