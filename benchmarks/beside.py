"""Timing of a program beside itself with its functions jitted: first call, while compiling, and steady."""

from __future__ import annotations

import dataclasses
import gc
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import npcompile
from timing import header, parser, save

BATCH = 5e-3  # seconds: shorter calls are timed so many together
ROUNDS = 15  # batches of each in steady state; the least counts
LONGEST = 6.0  # seconds after which a program that still compiles is measured as it is then
SETTLING = 1.0  # seconds of calls in which contests between NumPy and replays are decided
COMPILING, STEADY = 0.9, 0.95  # the least ratio of plain to jitted time


@dataclass
class Program:
    """A program to be run as it is, and with its functions jitted.

    run: does the work once, by the functions that it is given. functions: those that are jitted.
    make: arguments of one run, made outside of what is timed.
    """

    name: str
    run: Callable[..., Any]
    functions: Sequence[Callable[..., Any]]
    make: Callable[[], tuple[Any, ...]] = tuple
    steady: float = STEADY
    compiling: float = COMPILING


@dataclass
class Row:
    name: str
    plain: float  # seconds of one run
    first: float  # seconds of the first run that is jitted
    compiling: float | None  # plain time over jitted time; None where nothing was being compiled
    steady: float
    replays: int
    calls: int


def batch(program: Program, functions: Sequence[Any], number: int) -> float:
    """Seconds of one run, of so many."""
    arguments = [program.make() for _ in range(number)]
    gc.collect(0)
    start = time.perf_counter()
    for one in arguments:
        program.run(*functions, *one)
    return (time.perf_counter() - start) / number


def is_compiling(functions: Sequence[Any]) -> bool:
    try:
        for function in functions:
            function.wait(0.0)
    except TimeoutError:
        return True
    return False


def beside(program: Program, rounds: int = ROUNDS) -> Row:
    """Measure by turns; the least counts, as what others do on the machine only ever adds to it."""
    plain = min(batch(program, program.functions, 1) for _ in range(3))
    number = max(1, round(BATCH / plain))
    jitted = [npcompile.jit(function) for function in program.functions]
    first = batch(program, jitted, 1)
    pairs: list[tuple[float, float]] = []
    end = time.perf_counter() + LONGEST
    while is_compiling(jitted) and time.perf_counter() < end:
        pairs.append((batch(program, program.functions, number), batch(program, jitted, number)))
    compiling = None
    if len(pairs) > 3:
        compiling = min(one for one, _ in pairs) / min(other for _, other in pairs)
    end = time.perf_counter() + SETTLING
    while time.perf_counter() < end:
        batch(program, jitted, number)
        for function in jitted:
            function.wait(60.0)
    pairs = [
        (batch(program, program.functions, number), batch(program, jitted, number)) for _ in range(rounds)
    ]
    plain, ours = (min(one[side] for one in pairs) for side in (0, 1))
    counts = [function.stats for function in jitted]
    replays, calls = sum(one.replays for one in counts), sum(one.calls for one in counts)
    return Row(program.name, plain, first, compiling, plain / ours, replays, calls)


def table(programs: Sequence[Program]) -> list[Row]:
    """One line for each: where a ratio is below what it is to be, it is marked."""
    print(f"{'':34}{'plain':>12}{'first call':>12}{'compiling':>11}{'steady':>9}  replays of calls")
    rows = []
    for program in programs:
        row = beside(program)
        slow = row.compiling is not None and row.compiling < program.compiling
        while_compiling = "-" if row.compiling is None else f"{row.compiling:.2f}{'!' if slow else ' '}"
        steady = f"{row.steady:.2f}{'!' if row.steady < program.steady else ' '}"
        times = f"{row.plain * 1e6:>9.1f} µs{row.first * 1e3:>9.1f} ms"
        counts = f"{row.replays} of {row.calls}"
        print(f"{row.name:34}{times}{while_compiling:>11}{steady:>9}  {counts}", flush=True)
        rows.append(row)
    return rows


def measure(doc: str | None, title: str, name: str, programs: Sequence[Program]) -> None:
    """Run a benchmark from the command line: print its table, and save it where that is asked for."""
    chosen = parser(doc).parse_args()
    warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
    header(title)
    rows = table(programs)
    save(chosen.json, name, measured=[dataclasses.asdict(row) for row in rows])
