"""NPBench's 54 programs, unmodified but for the decorator: right, how fast, how much of them ran compiled.

    git clone https://github.com/spcl/npbench ../npbench
    python benchmarks/npbench.py --path ../npbench --preset S
    python benchmarks/npbench.py --path ../npbench --preset S --markdown > table.md
    python benchmarks/npbench.py --path ../npbench --only jacobi_2d,nbody --compare torch

Each program runs in a process of its own with a time limit; the kernels of a run are compiled anew. The
function is the one in NPBench's `*_numpy.py`; its inputs are what NPBench's `initialize` makes, copied anew
for every call. Judged against plain NumPy are the calls until nothing new is recorded or measured and one
after the timed ones: what they return and what they leave in their arguments, floats by NPBench's own
tolerance, everything else exactly. `compiled` is the part of a call's time that is spent in its kernels,
`programs` that in recorded programs (with NumPy's BLAS in them); the rest is Python and plain NumPy.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import dataclasses
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

import npcompile
from npcompile import forks
from timing import header, machine, parser, pretty

LIMIT = 180.0  # seconds for one program: plain NumPy, first call, compiling, judging and timing together
TIMING = 2.0  # seconds of timed rounds, once there have been enough
ROUNDS = (3, 25)  # at least and at most
# Calls, and seconds of them, within which a function must have seen all ways through itself, and have found
# out what NumPy does in less time.
SETTLE = (10, 40)
SETTLING = 6.0
SLOWER = 1.15  # of NumPy's time: what counts as slower than NumPy


# -- one program


class Work(NamedTuple):
    """One NPBench program: its function, and what it says of itself in bench_info/."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    rtol: float
    atol: float
    norm_error: float
    chaotic: bool  # NPBench itself loosens the norm: integers may follow a float's last digit there
    outputs: tuple[int, ...]  # the arguments that NPBench itself judges

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
    return Work(function, args, *tolerances, "norm_error" in info, outputs)


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
    settle: Callable[[], Any]  # waits for what is being compiled; what stays when nothing is new
    counts: Callable[[], dict[str, Any]]
    shares: Callable[[Callable[[], Any]], dict[str, float]]  # of a call's time


def ours(function: Callable[..., Any]) -> Way:
    jitted = npcompile.jit(function)

    def settle() -> Any:
        jitted.wait()
        trials = [state.trial for state in states()]
        return jitted.stats.recordings, sum(len(t.replays) + len(t.numpys) for t in trials if t), len(trials)

    return Way(jitted, settle, lambda: dataclasses.asdict(jitted.stats), shares)


def states() -> list[Any]:
    """What is known of each signature of all that was jitted."""
    return [state for recorded in list(forks.alive) for state in list(recorded._states.values())]


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
            space = replay.__globals__
            kernels = [name for name in space if name.startswith("segment")]
            space.update({name: clocked(space[name], "compiled") for name in kernels})
        state.ready = [(clocked(replay, "programs"), calls) for replay, calls in state.ready]
    start = time.perf_counter()
    call()
    total = time.perf_counter() - start
    return {what: seconds / total for what, seconds in spent.items()}


def torchs(function: Callable[..., Any]) -> Way:
    return Way(torch.compile(function), lambda: 0, dict, lambda call: {})


def child(path: Path, name: str, preset: str, way: str) -> None:
    """Prints what is known so far as one line of JSON, after each stage: the last one counts."""
    warnings.simplefilter("ignore")
    end = time.monotonic() + LIMIT
    found: dict[str, Any] = {"name": name, "stage": "loading"}

    def stage(what: str) -> None:
        found["stage"] = what
        print(json.dumps(found), flush=True)

    stage("loading")
    work = load(path, name, preset)
    stage("plain NumPy")
    wanted = work.fresh()
    start = time.perf_counter()
    want = work.function(*wanted)
    found["numpy_first"] = time.perf_counter() - start
    after = wanted
    aliases = sharing(want, after)
    stage("first call")
    runner = ours(work.function) if way == "npcompile" else torchs(work.function)

    def judged() -> float:
        args = work.fresh()
        start = time.perf_counter()
        got = runner.call(*args)
        seconds = time.perf_counter() - start
        wrong = differs(work, got, want, "result")
        wrong = wrong or differs(work, work.judged(args), work.judged(after), "args")
        if not wrong and sharing(got, args) != aliases:
            wrong = "the result shares other memory"
        if wrong:
            found.setdefault("wrong", f"{found['stage']}: {wrong}")
        return seconds

    found["first"] = judged()
    stage("compiling")
    start = time.perf_counter()
    seen = runner.settle()
    found["compiling"] = time.perf_counter() - start
    began = time.monotonic()
    for number in range(2, SETTLE[1] + 1):
        stage(f"call {number}")
        judged()
        before, seen = seen, runner.settle()
        found["counts"] = runner.counts()
        if seen == before or (number >= SETTLE[0] and time.monotonic() - began > SETTLING):
            break
    stage("timing")
    before_timing = runner.counts()
    numpys: list[float] = []
    theirs: list[float] = []
    began = time.monotonic()
    while len(numpys) < ROUNDS[1]:
        now = time.monotonic()
        if len(numpys) >= ROUNDS[0] and now - began > TIMING:
            break
        if numpys and end - now < 2.5 * (numpys[-1] + theirs[-1]) + 1:
            break
        numpys.append(timed(work.function, work.fresh()))
        theirs.append(timed(runner.call, work.fresh()))
    found["numpy_times"], found["times"] = numpys, theirs
    found["steady_counts"] = {
        key: value - before_timing[key]
        for key, value in runner.counts().items()
        if isinstance(value, int | float)
    }
    stage("last call")
    judged()
    found["counts"] = runner.counts()
    args = work.fresh()
    found["shares"] = runner.shares(lambda: runner.call(*args))
    stage("done")


def timed(call: Callable[..., Any], args: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


# -- all of them


def run(path: Path, name: str, preset: str, way: str, limit: float, cache: str) -> dict[str, Any]:
    """One program in a process of its own: what its last line of JSON says, and how it ended if not well."""
    command = [sys.executable, __file__, "--path", str(path), "--preset", preset, "--child", name, way]
    environment = os.environ | {"NPCOMPILE_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": cache}
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
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {"name": name, "stage": "starting"}
    if failed:
        found["failed"] = f"{found['stage']}: {failed}"
    return found


def speed(found: dict[str, Any]) -> float | None:
    """NumPy's steady time over ours, where both were measured."""
    if not found.get("times"):
        return None
    return statistics.median(found["numpy_times"]) / statistics.median(found["times"])


def verdict(found: dict[str, Any]) -> str:
    if "wrong" in found:
        return "WRONG"
    return "FAILED" if "failed" in found else "right"


def row(found: dict[str, Any]) -> str:
    line = f"{found['name']:26}{verdict(found):8}"
    if (ratio := speed(found)) is None:
        return f"{line}  {found.get('wrong') or found.get('failed')}"
    steady = [statistics.median(found[key]) for key in ("numpy_times", "times")]
    line += f"{pretty(found['first']):>11}{pretty(found['compiling']):>11}"
    line += f"{pretty(steady[0]):>12}{pretty(steady[1]):>12}{ratio:>8.2f}"
    counts = found["steady_counts"]
    if counts:
        calls = counts["calls"]
        line += f"{counts['replays'] / calls:>9.0%}{counts['host_calls'] / calls:>7.0f}"
        line += f"{found['counts']['kernels']:>8}"
        line += "".join(f"{found.get('shares', {}).get(what, 0):>10.0%}" for what in ("programs", "compiled"))
    return f"{line}  {found.get('wrong') or found.get('failed') or '; '.join(reasons(found))}"


def reasons(found: dict[str, Any]) -> list[str]:
    """Why something ran uncompiled: file names cut down to the last part."""
    return [Path(one.partition(": ")[0]).name + ": " + one.partition(": ")[2] for one in kept(found)]


def kept(found: dict[str, Any]) -> list[str]:
    return list(found.get("counts", {}).get("reasons", []))


def summary(rows: list[dict[str, Any]]) -> str:
    ratios = sorted(ratio for one in rows if (ratio := speed(one)) is not None)
    right = sum(verdict(one) == "right" for one in rows)
    lines = [f"{right} of {len(rows)} right; {len(ratios)} measured"]
    if ratios:
        slow = [one["name"] for one in rows if (ratio := speed(one)) is not None and ratio < 1 / SLOWER]
        middle = statistics.median(ratios)
        lines.append(f"speed: geomean {statistics.geometric_mean(ratios):.2f}, median {middle:.2f}")
        lines.append(f"slower than NumPy by more than {SLOWER - 1:.0%}: {', '.join(slow) or 'none'}")
    return "\n".join(lines)


def heading(preset: str, way: str) -> str:
    columns = f"{'first':>11}{'compiling':>11}{'NumPy':>12}{'ours':>12}{'speed':>8}"
    if way == "npcompile":
        columns += f"{'replays':>9}{'host':>7}{'kernels':>8}{'programs':>10}{'compiled':>10}"
        columns += "  runs uncompiled because"
    return f"\n{way}, preset {preset}\n{'':34}{columns}"


def markdown(rows: list[dict[str, Any]], preset: str, way: str) -> str:
    """The table for the docs."""
    lines = [
        f"{way}, preset {preset}",
        "",
        "| program | first call | replayed call | NumPy ms | ms | ratio |",
    ]
    lines[-1] += " compiled | programs |"
    lines.append("|---|---|---|---:|---:|---:|---:|---:|")
    for found in rows:
        wrong, failed = found.get("wrong", ""), found.get("failed", "")
        first = wrong if wrong.startswith("first call") else "right" if "first" in found else failed
        later = failed or (wrong if not wrong.startswith("first call") else "") or "right"
        cells = [found["name"], first, later]
        if (ratio := speed(found)) is not None:
            steady = [1e3 * statistics.median(found[key]) for key in ("numpy_times", "times")]
            cells += [*(f"{one:.3g}" for one in steady), f"{ratio:.2f}"]
            cells += [f"{found.get('shares', {}).get(what, 0):.0%}" for what in ("compiled", "programs")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {line}" for line in summary(rows).splitlines())])


def arguments() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--path", type=Path, required=True, help="NPBench's folder")
    options.add_argument("--preset", choices=("S", "M"), default="S")
    options.add_argument("--only", default="", help="names, with commas; default: all")
    options.add_argument(
        "--compare", choices=("torch",), help="the same under torch.compile, in a second table"
    )
    options.add_argument("--markdown", action="store_true", help="print tables for the docs, at the end only")
    options.add_argument("--limit", type=float, default=LIMIT, help="seconds for each program, default 180")
    options.add_argument("--child", nargs=2, metavar=("NAME", "WAY"), help="one program, as lines of JSON")
    return options.parse_args()


def main() -> int:
    chosen = arguments()
    if chosen.child:
        child(chosen.path, chosen.child[0], chosen.preset, chosen.child[1])
        return 0
    names = sorted(file.stem for file in (chosen.path / "bench_info").glob("*.json"))
    if chosen.only:
        names = [name for name in names if name in chosen.only.split(",")]
    if not names:
        print(f"no program of NPBench in {chosen.path}", file=sys.stderr)
        return 2
    shown = sys.stderr if chosen.markdown else sys.stdout
    with contextlib.redirect_stdout(shown):
        header("NPBench")
    tables: dict[str, Any] = {"machine": machine(), "preset": chosen.preset}
    for way in ("npcompile", *([chosen.compare] if chosen.compare else [])):
        print(heading(chosen.preset, way), file=shown, flush=True)
        tables[way] = []
        with tempfile.TemporaryDirectory(prefix="npbench-") as cache:
            for name in names:
                found = run(chosen.path, name, chosen.preset, way, chosen.limit, cache)
                tables[way].append(found)
                print(row(found), file=shown, flush=True)
                if chosen.json:
                    chosen.json.write_text(json.dumps(tables, indent=1) + "\n")
        print(
            markdown(tables[way], chosen.preset, way) if chosen.markdown else summary(tables[way]), flush=True
        )
    return int(any(verdict(one) != "right" for one in tables["npcompile"]))


if __name__ == "__main__":
    sys.exit(main())
