"""Random programs with fresh seeds, each jitted and compared with plain Python: `./run tests --fuzz SECONDS`.

python -m tests.fuzz --seconds 600                        every kind, in a process for each processor
python -m tests.fuzz array --seed 17 --programs 20000     programs of one kind, from seed 17 on
python -m tests.fuzz python --seed 123                    one program: what a failure prints to do

A program depends on its kind and seed alone. Programs are interpreted, but for each whose seed is a multiple
of `--compiled-every`, and loops. Exit status 1: a program differed.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.environment  # noqa: F401  (before npcompile is imported)
from tests.loops import random_check
from tests.loops.random_programs import program_source
from tests.programs import (
    copying_device,
    random_array_programs,
    random_ending_loops,
    random_history_programs,
)
from tests.programs import identity_program_generator as identity
from tests.programs import random_python_programs as python
from tests.programs.array_program_generator import Grower
from tests.programs.history_program_generator import HistoryGrower
from tests.programs.identity_scenarios import VALUES
from tests.programs.python_program_generator import PythonGrower

COMPILED_EVERY = 50
SEEDS = 1 << 40  # fresh seeds lie below


def array(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    program = Grower(random.Random(seed)).grow()
    return program.source, lambda: random_array_programs.check(program, folder, seed)


def array_lengths(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    program = Grower(random.Random(seed)).grow()
    calls = random_array_programs.OTHER_LENGTHS
    return program.source, lambda: random_array_programs.check(program, folder, seed, calls)


def whole_python(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    source = PythonGrower(random.Random(seed)).source
    return source, lambda: python.check(source, folder, seed)


def history(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    source = HistoryGrower(random.Random(seed)).source
    return source, lambda: random_history_programs.check(source, folder, seed)


def identities(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    rng = random.Random(seed)
    kind = rng.choice(sorted(VALUES))
    source = identity.IdentityGrower(rng, kind).source
    return source, lambda: identity.check(source, kind, rng, folder, seed)


def loop(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    source = program_source(random.Random(seed))

    def check() -> None:
        with pytest.MonkeyPatch.context() as patch:
            random_check.compile_loops_alone(patch)
            random_check.check([source], folder)

    return source, check


def ending(seed: int, folder: Path) -> tuple[str, Callable[[], object]]:
    source = random_ending_loops.EndingLoopGrower(random.Random(seed)).source
    return source, lambda: random_ending_loops.check(source, folder, seed)


# Each gives a program's source, and the comparison, which raises where an answer is not plain Python's.
KINDS: dict[str, Callable[[int, Path], tuple[str, Callable[[], object]]]] = {
    "array": array,
    "lengths": array_lengths,
    "python": whole_python,
    "history": history,
    "identity": identities,
    "loop": loop,
    "ending": ending,
}


def differs(kind: str, seed: int, folder: Path, compiled_every: int, copying: bool) -> bool:
    """Run one program; print it, and the command that runs it again, where its answers differ."""
    compiled = compiled_every > 0 and seed % compiled_every == 0 and not copying
    os.environ["NPCOMPILE_BACKEND"] = "inductor" if compiled else "interpreter"
    source, check = KINDS[kind](seed, folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # functions that stay uncompiled say so
            check()
    except Exception as error:
        given = f" --compiled-every {compiled_every}" if compiled_every != COMPILED_EVERY else ""
        given += " --copying-device" if copying else ""
        print(f"== {kind} program {seed}: {type(error).__name__}: {str(error)[:400]}")
        print(source)
        print(f"again: python -m tests.fuzz {kind} --seed {seed}{given}", flush=True)
        return True
    return False


def run(kinds: list[str], seeds: range, seconds: float | None, compiled_every: int, copying: bool) -> int:
    """Run programs of each kind in turn until seeds or seconds are over; returns how many differed."""
    end = None if seconds is None else time.monotonic() + seconds
    count = wrong = 0
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if copying:
            copying_device.use(patch)
        for seed, kind in ((seed, kind) for seed in seeds for kind in kinds):
            if end is not None and time.monotonic() > end:
                break
            count += 1
            wrong += differs(kind, seed, Path(folder), compiled_every, copying)
    print(f"{count} programs, {wrong} wrong", flush=True)
    return wrong


def on_every_processor(seconds: float, first: int) -> int:
    """Run a process on each processor, with seeds of its own; returns the exit status."""
    command = [sys.executable, "-m", "tests.fuzz", "--one-process", "--seconds", str(seconds)]
    count = os.cpu_count() or 1
    print(f"random programs on {count} processors for {seconds:g} seconds, seeds from {first} on", flush=True)
    running = [
        subprocess.Popen([*command, "--seed", str(first + place * SEEDS // count)]) for place in range(count)
    ]
    return max(process.wait() for process in running)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--seconds", type=float, help="as many programs as these allow")
    parser.add_argument("--programs", type=int, help="so many seeds (1 where no --seconds are given)")
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one by default")
    parser.add_argument("--shard", default="0/1", metavar="K/N", help="every Nth seed, from the Kth on")
    parser.add_argument("--compiled-every", type=int, default=COMPILED_EVERY, metavar="N", help="0: none")
    parser.add_argument("--copying-device", action="store_true", help="on a device with memory of its own")
    parser.add_argument("--one-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no kind of program: {', '.join(sorted(unknown))}")
    first = random.SystemRandom().randrange(SEEDS) if options.seed is None else options.seed
    if options.seconds is not None and not (options.one_process or options.kinds):
        return on_every_processor(options.seconds, first)
    place, step = map(int, options.shard.split("/"))
    count = options.programs or (1 if options.seconds is None else SEEDS)
    seeds = range(first + place % step, first + count, step)
    kinds = options.kinds or list(KINDS)
    return int(run(kinds, seeds, options.seconds, options.compiled_every, options.copying_device) > 0)


if __name__ == "__main__":
    sys.exit(main())
