"""Random NumPy programs: their source, their arguments, and what NumPy and `npcompile.jit` make of them.

Programs are grown statement by statement: each is run on real arguments as it is written, and dropped where
NumPy refuses it, so that most of what is generated is meaningful. All arithmetic is exact in any order (sums
are of small whole numbers, the rest is dyadic), so answers are compared to the last bit.

    python -m tests.jit.random_programs --programs 20000 [--compiled-every 10] [--seed 0] [--lengths]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import os
import random
import sys
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import npcompile
from tests.checker import same
from tests.jit.grower import PRELUDE, Grower, Program
from tests.jit.lane import sharing


def module_of(source: str, folder: Path, name: str) -> types.ModuleType:
    """The source as a module of its own, from a file (so that its functions have a source)."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(module: types.ModuleType, fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call gives and leaves behind: result or exception type, arguments, the array, its print."""
    printed = io.StringIO()
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            result = fn(*args)
        except Exception as error:
            result = type(error)
    return result, list(args), module.G, printed.getvalue()


def facts(value: Any) -> Iterator[Any]:
    """Strides (of axes that have any) and writeability of the arrays in a result."""
    if isinstance(value, np.ndarray):
        strides = (
            tuple(s for s, n in zip(value.strides, value.shape, strict=True) if n > 1) if value.size else ()
        )
        yield strides, value.flags.writeable
    elif isinstance(value, dict):
        yield from facts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from facts(item)


# Each call's arguments: with numbers of their own or not, and by how much longer than the first ones.
AGAIN = [(False, 0), (False, 0), (True, 0), (False, 0), (True, 0)]
OTHER_LENGTHS = [(False, longer) for longer in (0, 1, 2, 5, 1, 9, 30, 4, 5)]


def check(program: Program, folder: Path, seed: int, calls: list[tuple[bool, int]] = AGAIN) -> Any:
    """Run a program some times under NumPy and jitted; raises AssertionError at the first difference."""
    plain = module_of(program.source, folder, "plain_program")
    ours = module_of(program.source, folder, "jitted_program")
    jitted = npcompile.jit(ours.program, wait=True)
    for call, (numbers, longer) in enumerate(calls):
        want = outcome(plain, plain.program, program.make(random.Random(seed + call), numbers, longer))
        got = outcome(ours, jitted, program.make(random.Random(seed + call), numbers, longer))
        where = f"call {call}, {jitted.stats.replays} replayed so far"
        same(got, want, where=where)
        assert sharing(got[0], got[1:3]) == sharing(want[0], want[1:3]), f"{where}: what shares memory"
        assert list(facts(got[0])) == list(facts(want[0])), f"{where}: strides and flags"
    return jitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--compiled-every", type=int, default=0, help="compile every so many; the rest is interpreted"
    )
    parser.add_argument("--lengths", action="store_true", help="call each with arguments of many lengths")
    chosen = parser.parse_args()
    calls = OTHER_LENGTHS if chosen.lengths else AGAIN
    reasons: Counter[str] = Counter()
    replayed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(chosen.seed, chosen.seed + chosen.programs):
            compiled = chosen.compiled_every and seed % chosen.compiled_every == 0
            os.environ["NPCOMPILE_BACKEND"] = "" if compiled else "interpreter"
            program = Grower(random.Random(seed)).grow()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    jitted = check(program, Path(folder), seed, calls)
                replayed += jitted.stats.replays > 0
                reasons.update(reason.split(": ", 1)[-1][:80] for reason in jitted.stats.reasons)
            except Exception as wrong:
                failed += 1
                how = "compiled " if compiled else ""
                print(f"== {how}seed {seed}: {type(wrong).__name__}: {str(wrong)[:300]}")
                print(program.source.removeprefix(PRELUDE), program.arguments, flush=True)
    print(f"{chosen.programs} programs, {replayed} replayed, {failed} wrong")
    for reason, count in reasons.most_common(40):
        print(f"{count:6} {reason}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
