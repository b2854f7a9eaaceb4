"""One program of NPBench under some compilers: judged, then timed beside NumPy by turns.

    python benchmarks/npbench_program.py ../npbench jacobi_2d S npcompile,numba,numba-by-hand
    python benchmarks/npbench_program.py ../npbench jacobi_2d S check

`npbench.py` runs it for all programs and reads the lines of JSON that it prints, one after each stage. The
function is the one in NPBench's `*_numpy.py`; its inputs are what NPBench's `initialize` makes, copied anew
for every call. Judged against plain NumPy are the calls until nothing new is recorded or measured (others'
first two calls) and one after the timed ones: what they return and what they leave in their arguments, floats
by NPBench's own tolerance, everything else exactly. `check` judges a few calls and times no more than the
first.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import json
import sys
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LIMIT = 180.0  # seconds for one program: plain NumPy, first call, compiling, judging and timing together
TIMING = 2.0  # seconds of timed rounds, once there have been enough
ROUNDS = (3, 25)  # at least and at most
# Calls, and seconds of them, within which a function must have seen all ways through itself, and have found
# out what NumPy does in less time. It has where nothing new has come of so many calls in a row.
SETTLE = (10, 120)
SETTLING = 6.0
QUIET = 8
# `check`: calls while kernels are compiled, calls after waiting for them, and seconds of waiting in all.
MEANWHILE, AFTERWARDS = 2, 4
WAITING = 20.0
CHECK = "check"  # in place of a compiler's name


class Work(NamedTuple):
    """One NPBench program: its function, and what it says of itself in bench_info/."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    rtol: float
    atol: float
    norm_error: float
    chaotic: bool  # NPBench itself loosens the norm: integers may follow a float's last digit there
    outputs: tuple[int, ...]  # the arguments that NPBench itself judges
    by_hand: tuple[Path, ...]  # files in which NPBench writes it for Numba

    def judged(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments; where a last digit decides what others become, those that NPBench judges."""
        return tuple(args[place] for place in self.outputs) if self.chaotic else args

    def fresh(self) -> tuple[Any, ...]:
        return copy.deepcopy(self.args)


def load(path: Path, name: str, preset: str) -> Work:
    info = json.loads((path / "bench_info" / f"{name}.json").read_text())["benchmark"]
    folder = path / "npbench" / "benchmarks" / info["relative_path"]
    data = dict(info["parameters"][preset])
    init = info.get("init")
    if init:
        made = getattr(module(folder / f"{info['module_name']}.py"), init["func_name"])(
            *(data[key] for key in init["input_args"])
        )
        names = init["output_args"]
        data.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    function = getattr(module(folder / f"{info['module_name']}_numpy.py"), info["func_name"])
    args = tuple(data[key] for key in info["input_args"])
    tolerances = (info.get("rtol", 1e-5), info.get("atol", 1e-8), info.get("norm_error", 1e-5))
    names = info["input_args"]
    outputs = tuple(names.index(name) for name in info.get("output_args", ()) if name in names)
    by_hand = tuple(sorted(folder.glob(f"{info['module_name']}_numba_*.py")))
    return Work(function, args, *tolerances, "norm_error" in info, outputs, by_hand)


def module(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = made
    spec.loader.exec_module(made)
    return made


def differs(work: Work, got: Any, want: Any, where: str) -> str:
    """What is not NumPy's, in a few words; empty where all is."""
    if type(got) is not type(want):
        return f"{where} is {type(got).__name__}, not {type(want).__name__}"
    if isinstance(want, tuple | list):
        if len(got) != len(want):
            return f"{where} has {len(got)} items, not {len(want)}"
        parts = (
            differs(work, one, other, f"{where}[{at}]")
            for at, (one, other) in enumerate(zip(got, want, strict=True))
        )
        return next((part for part in parts if part), "")
    if isinstance(want, np.ndarray | np.generic):
        left, right = np.asarray(got), np.asarray(want)
        if (left.dtype, left.shape) != (right.dtype, right.shape):
            return f"{where} is {left.dtype}{left.shape}, not {right.dtype}{right.shape}"
        return "" if close(work, left, right) else f"{where} has other values"
    if isinstance(want, float | complex):
        return "" if close(work, np.asarray(got), np.asarray(want)) else f"{where} is {got}, not {want}"
    return "" if got == want else f"{where} is {got!r}, not {want!r}"


def close(work: Work, got: np.ndarray, want: np.ndarray) -> bool:
    """NPBench's own validation (np.allclose, else the relative norm of the error), NaNs equal; else exact."""
    if want.dtype.kind not in "fc" and not work.chaotic:
        return np.array_equal(got, want)
    if np.allclose(want, got, rtol=work.rtol, atol=work.atol, equal_nan=True):
        return True
    return bool(np.linalg.norm(want - got) / np.linalg.norm(want) < work.norm_error)


def sharing(result: Any, args: tuple[Any, ...]) -> list[bool]:
    results = result if isinstance(result, tuple) else (result,)
    arrays = [one for one in args if isinstance(one, np.ndarray)]
    return [
        np.may_share_memory(one, other) for one in results if isinstance(one, np.ndarray) for other in arrays
    ]


class Way(NamedTuple):
    """How the function is run beside NumPy."""

    call: Callable[..., Any]
    settle: Callable[[], Any] = lambda: 0  # waits for what is being compiled; what stays when nothing is new
    counts: Callable[[], dict[str, Any]] = dict
    shares: Callable[[Callable[[], Any]], dict[str, float]] = lambda call: {}  # of a call's time


def ours(function: Callable[..., Any]) -> Way:
    import npcompile

    jitted = npcompile.jit(function)

    def settle() -> Any:
        jitted.wait()
        trials = [state.trial for state in states()]
        return jitted.stats.recordings, sum(len(t.ours) + len(t.numpys) for t in trials if t), len(trials)

    return Way(jitted, settle, lambda: dataclasses.asdict(jitted.stats), shares)


def states() -> list[Any]:
    """What is known of each signature of all that was jitted."""
    from npcompile.runtime import fork

    return [state for recorded in list(fork.alive) for state in list(recorded.by_signature.values())]


def shares(call: Callable[[], Any]) -> dict[str, float]:
    """The parts of a call's time that are spent in recorded programs, and in their kernels."""
    spent = {"programs": 0.0, "compiled": 0.0}

    def clocked(function: Callable[..., Any], what: str) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args)
            finally:
                spent[what] += time.perf_counter() - start

        return timed

    for state in states():
        for replay, _ in state.ready:
            space = getattr(replay, "replay", replay).__globals__  # one for certain numbers holds another
            kernels = [name for name in space if name.startswith("__segment")]
            space.update({name: clocked(space[name], "compiled") for name in kernels})
        state.ready = [(clocked(replay, "programs"), calls) for replay, calls in state.ready]
    start = time.perf_counter()
    call()
    total = time.perf_counter() - start
    return {what: seconds / total for what, seconds in spent.items()}


def by_torch(function: Callable[..., Any]) -> Way:
    import torch

    return Way(torch.compile(function))


def by_numba(function: Callable[..., Any]) -> Way:
    """`numba.njit` on the function, and on the helpers of its module, which it cannot call otherwise."""
    import numba

    space = dict(function.__globals__)  # NumPy's turns go on with the functions as they are
    for name, helper in list(space.items()):
        if isinstance(helper, types.FunctionType) and helper.__module__ == function.__module__:
            space[name] = numba.njit(types.FunctionType(helper.__code__, space, name, helper.__defaults__))
    return Way(space[function.__name__])


def by_numba_by_hand(work: Work) -> Way:
    """The fastest right one of the versions that NPBench's authors wrote for Numba, most with `fastmath`."""
    best: tuple[float, Callable[..., Any] | None] = (float("inf"), None)
    why = "there is none"
    for file in work.by_hand:
        try:
            function = getattr(module(file), work.function.__name__)
            judge = Judge(work, {"stage": file.stem, "by hand": True})
            judge.seconds(function)
            seconds = min(judge.seconds(function) for _ in range(3))
        except Exception as error:  # of Numba's own for the most part
            why = reason(error)
        else:
            why = judge.found.get("wrong", why)
            if "wrong" not in judge.found and seconds < best[0]:
                best = seconds, function
    if best[1] is None:
        raise RuntimeError(why)
    return Way(best[1])


OURS, BY_HAND = "npcompile", "numba-by-hand"
WAYS: dict[str, Callable[[Work], Way]] = {
    OURS: lambda work: ours(work.function),
    "numba": lambda work: by_numba(work.function),
    BY_HAND: by_numba_by_hand,
    "torch.compile": lambda work: by_torch(work.function),
}
# Those that take turns in one process: torch.compile's threads would go on spinning in the turns of others.
TOGETHER = (OURS, "numba", BY_HAND)


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


class Judge:
    """Holds calls of a program to what plain NumPy gave and left in the arguments."""

    def __init__(self, work: Work, found: dict[str, Any]) -> None:
        """found: what is known so far; a first call of plain NumPy is added to it."""
        self.work = work
        self.found = found
        self._after = work.fresh()
        start = time.perf_counter()
        self._want = work.function(*self._after)
        found["numpy_first"] = time.perf_counter() - start
        self._aliases = sharing(self._want, self._after)

    def seconds(self, call: Callable[..., Any]) -> float:
        """The time of a call whose answer is judged: the first that is wrong is noted."""
        work, args = self.work, self.work.fresh()
        start = time.perf_counter()
        got = call(*args)
        seconds = time.perf_counter() - start
        by_place = got is None and self.found.get("by hand")  # some of those return nothing
        wrong = "" if by_place else differs(work, got, self._want, "result")
        wrong = wrong or differs(work, work.judged(args), work.judged(self._after), "args")
        if not wrong and not by_place and sharing(got, args) != self._aliases:
            wrong = "the result shares other memory"
        if wrong:
            self.found.setdefault("wrong", f"{self.found['stage']}: {wrong}")
        return seconds


class Stages:
    """Prints all that is known of a program as one line of JSON at each stage: the last one counts."""

    def __init__(self, name: str) -> None:
        self.found: dict[str, Any] = {"name": name}
        self("loading")

    def __call__(self, what: str) -> None:
        self.found["stage"] = what
        print(json.dumps(self.found), flush=True)


def begun(path: Path, name: str, preset: str) -> tuple[Stages, Work, Judge]:
    """Load a program and run it by plain NumPy: its first call comes next."""
    warnings.simplefilter("ignore")
    stage = Stages(name)
    work = load(path, name, preset)
    stage("plain NumPy")
    judge = Judge(work, stage.found)
    stage("first call")
    return stage, work, judge


def check(path: Path, name: str, preset: str) -> None:
    """A few calls: the first, such as NumPy answers while kernels are compiled, and later ones."""
    stage, work, judge = begun(path, name, preset)
    found = stage.found
    import npcompile

    jitted = npcompile.jit(work.function)
    # Not the first, in which NumPy itself and the caches are cold.
    found["numpy_first"] = min(found["numpy_first"], judge.seconds(work.function))
    found["first"] = judge.seconds(jitted)
    for number in range(2, 2 + MEANWHILE):
        stage(f"call {number}, while compiling")
        judge.seconds(jitted)
    end = time.monotonic() + WAITING
    for number in range(2 + MEANWHILE, 2 + MEANWHILE + AFTERWARDS):
        stage(f"waiting before call {number}")
        try:
            jitted.wait(max(end - time.monotonic(), 0.0))
        except TimeoutError:
            found["waiting"] = f"still compiling after {WAITING:g} s"
        stage(f"call {number}, after waiting")
        judge.seconds(jitted)
        found["counts"] = dataclasses.asdict(jitted.stats)
    stage("done")


def report(path: Path, name: str, preset: str, ways: list[str]) -> None:
    """Judged until nothing new is compiled, then timed beside NumPy, each in its turn."""
    end = time.monotonic() + LIMIT
    stage, work, judge = begun(path, name, preset)
    found = stage.found
    of_ways: dict[str, dict[str, Any]] = {}
    found["ways"] = of_ways
    runners: dict[str, Way] = {}
    for way in ways:
        of_ways[way] = mine = {"by hand": way == BY_HAND}
        try:
            judge.found = mine
            runners[way] = prepared(way, work, judge, stage)
        except Exception as error:
            if way == OURS:
                raise
            mine["failed"] = reason(error)
    stage("timing")
    before_timing = {way: runner.counts() for way, runner in runners.items()}
    calls = {"numpy": work.function, **{way: runner.call for way, runner in runners.items()}}
    times: dict[str, list[float]] = {way: [] for way in calls}
    began = time.monotonic()
    while len(times["numpy"]) < ROUNDS[1]:
        now, done = time.monotonic(), len(times["numpy"])
        if done >= ROUNDS[0] and now - began > TIMING:
            break
        if done and end - now < 1.5 * sum(some[-1] for some in times.values()) + 1:
            break
        for way, call in calls.items():
            times[way].append(timed(call, work.fresh()))
    found["numpy_times"] = times["numpy"]
    for way, runner in runners.items():
        mine = of_ways[way]
        mine["times"] = times[way]
        mine["steady_counts"] = {
            key: value - before_timing[way][key]
            for key, value in runner.counts().items()
            if isinstance(value, int | float)
        }
        stage("last call")
        judge.found = mine
        judge.seconds(runner.call)
        mine["counts"] = runner.counts()
        args = work.fresh()
        mine["shares"] = runner.shares(lambda runner=runner, args=args: runner.call(*args))  # type: ignore[misc]
    stage("done")


def prepared(way: str, work: Work, judge: Judge, stage: Stages) -> Way:
    """One compiler's way, called until nothing new is compiled; what is known of that is in `judge.found`."""
    mine = judge.found
    stage(f"{way}: first call")
    mine["stage"] = "first call"
    runner = WAYS[way](work)
    mine["first"] = judge.seconds(runner.call)
    stage(f"{way}: compiling")
    start = time.perf_counter()
    seen = runner.settle()
    mine["compiling"] = time.perf_counter() - start
    began, quiet = time.monotonic(), 0
    for number in range(2, SETTLE[1] + 1):
        mine["stage"] = f"call {number}"
        stage(f"{way}: call {number}")
        judge.seconds(runner.call)
        before, seen = seen, runner.settle()
        mine["counts"] = runner.counts()
        quiet = quiet + 1 if seen == before else 0
        if quiet == QUIET or (number >= SETTLE[0] and time.monotonic() - began > SETTLING):
            break
    return runner


def timed(call: Callable[..., Any], args: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


if __name__ == "__main__":
    path, name, preset, way = Path(sys.argv[1]), *sys.argv[2:5]
    check(path, name, preset) if way == CHECK else report(path, name, preset, way.split(","))
