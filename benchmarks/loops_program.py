"""One loop program of the corpus: judged, then timed by turns in plain Python, npcompile and Numba.

    python benchmarks/loops_program.py nussinov 1.0

`loops.py` runs it for each program and reads the lines of JSON that it prints, one after each stage. Calls of
every way get arguments made anew, outside the clock. An answer that is not plain Python's is described.
"""

from __future__ import annotations

import contextlib
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from npbench_program import SETTLE, SETTLING, Stages, ours
from tests.loops import outcomes
from tests.loops.programs import PROGRAMS, LoopProgram

ROUNDS = (3, 25)  # at least and at most
TIMING = 2.0  # seconds of timed rounds, once there have been enough
NUMBA = "numba"


@dataclass
class Way:
    """A way to run the program, and the seconds of its calls.

    Attributes
    ----------
    call : callable
        The function.
    answer : str
        The difference of its last judged answer from plain Python's.
    refused : str
        The reason for which there are no numbers.
    """

    call: Callable[..., Any]
    answer: str = "same"
    refused: str = ""
    first: float = 0.0
    times: list[float] = field(default_factory=list)


class Run:
    """The calls of one program."""

    def __init__(self, program: LoopProgram, factor: float) -> None:
        self.program = program
        self.size = max(int(program.realistic * factor), 1)
        self.want = outcomes.outcome(program.function, self.arguments)

    def arguments(self) -> tuple[Any, ...]:
        return self.program.arguments(self.size)

    @contextlib.contextmanager
    def named(self, call: Callable[..., Any]) -> Iterator[None]:
        """Let a program that calls itself call this function."""
        module, name = self.program.module, self.program.name
        before = getattr(module, name, None)
        if before is self.program.function:
            setattr(module, name, call)
        yield
        if before is self.program.function:
            setattr(module, name, before)

    def seconds(self, way: Way) -> float:
        arguments = self.arguments()
        with self.named(way.call), contextlib.suppress(Exception):
            start = time.perf_counter()
            try:
                way.call(*arguments)
            finally:
                took = time.perf_counter() - start
        return took

    def judged(self, way: Way) -> float:
        """Return the seconds of a call whose answer is compared with plain Python's."""
        arguments = self.arguments()
        with self.named(way.call):
            start = time.perf_counter()
            got = outcomes.called(way.call, arguments)
            took = time.perf_counter() - start
        if way.answer in ("same", "other types"):
            way.answer = self.difference(got)
        return took

    def difference(self, got: outcomes.Outcome) -> str:
        try:
            outcomes.compare(got, self.want, None if self.program.exact else self.rounded)
        except AssertionError as wrong:
            return "other types" if loosely_equal(got, self.want) else str(wrong).partition("\n")[0]
        return "same"

    def rounded(self, trial: int) -> outcomes.Outcome:
        return outcomes.moved(self.program.function, self.arguments, trial)


def loosely_equal(got: outcomes.Outcome, want: outcomes.Outcome) -> bool:
    """Tell if two outcomes hold the same numbers, whatever their types, within what rounding amounts to."""
    if (got.raised and got.raised[:2]) != (want.raised and want.raised[:2]):
        return False
    for what in ("result", "arguments"):
        ours = list(outcomes.leaves(getattr(got, what)))
        theirs = list(outcomes.leaves(getattr(want, what)))
        if len(ours) != len(theirs):
            return False
        for one, other in zip(ours, theirs, strict=True):
            if not isinstance(other, np.ndarray | np.generic | int | float | complex):
                if one != other:
                    return False
            elif np.shape(one) != np.shape(other) or one is None:
                return False
            elif not np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True):
                return False
    return True


def by_numba(function: types.FunctionType) -> Callable[..., Any]:
    """Return `numba.njit` of a copy of the function, and of the functions of its module that it calls."""
    import numba

    warnings.simplefilter("ignore", numba.NumbaWarning)
    space = dict(function.__globals__)
    for name, helper in list(space.items()):
        if isinstance(helper, types.FunctionType) and helper.__module__ == function.__module__:
            space[name] = numba.njit(copied(helper, space))
    own = space.get(function.__name__)
    return own if getattr(own, "py_func", None) is not None else numba.njit(copied(function, space))


def copied(function: types.FunctionType, space: dict[str, Any]) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def main(name: str, factor: float) -> None:
    warnings.simplefilter("ignore")
    stage = Stages(name)
    program = next(one for one in PROGRAMS if one.name == name)
    run = Run(program, factor)
    plain = Way(program.function)
    jitted = ours(program.function)
    ways = {"python": plain, "npcompile": Way(jitted.call)}

    stage("first call")
    ways["npcompile"].first = run.judged(ways["npcompile"])
    stage("compiling")
    began, seen = time.monotonic(), jitted.settle()
    for number in range(2, SETTLE[1] + 1):
        run.judged(ways["npcompile"])
        before, seen = seen, jitted.settle()
        if seen == before or (number >= SETTLE[0] and time.monotonic() - began > SETTLING):
            break
    stage("Numba")
    with contextlib.suppress(ImportError):
        import numba  # noqa: F401

        ways[NUMBA] = numbas = Way(program.function)
        try:
            numbas.call = by_numba(program.function)
            numbas.first = run.judged(numbas)
            run.judged(numbas)
        except Exception as error:
            numbas.refused = reason(error)
        if (raised := refusal(numbas.answer)) is not None:
            numbas.refused = raised
    stage("timing")
    began = time.monotonic()
    while len(plain.times) < ROUNDS[1]:
        if len(plain.times) >= ROUNDS[0] and time.monotonic() - began > TIMING:
            break
        for way in ways.values():
            if not way.refused:
                way.times.append(run.seconds(way))
    stage("last call")
    run.judged(ways["npcompile"])
    counts = jitted.counts()
    stage.found["ways"] = {
        key: {"first": way.first, "times": way.times, "answer": way.answer, "refused": way.refused}
        for key, way in ways.items()
    }
    stage.found |= {"area": program.area, "size": run.size, "reasons": counts.get("reasons", [])}
    stage("done")


def refusal(answer: str) -> str | None:
    """Return the name of Numba's own error where an answer says that it was raised."""
    for name in (
        "TypingError",
        "UnsupportedError",
        "LoweringError",
        "NumbaValueError",
        "UnsupportedBytecodeError",
    ):
        if name in answer.partition(", not ")[0]:
            return name
    return None


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
