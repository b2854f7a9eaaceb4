"""NPBench's 54 programs, unmodified but for the decorator: right, how fast, how much of them ran compiled.

    git clone https://github.com/spcl/npbench ../npbench
    python benchmarks/npbench.py --path ../npbench --preset S
    python benchmarks/npbench.py --path ../npbench --preset S --markdown > table.md
    python benchmarks/npbench.py --path ../npbench --compare numba numba-by-hand torch.compile
    python benchmarks/npbench.py --path ../npbench --only jacobi_2d,nbody
    python benchmarks/npbench.py --path ../npbench --check  # right or not, within 15 minutes on two cores

Each program runs in a process of its own (`npbench_program.py`) with a time limit, in which NumPy, npcompile
and Numba take turns; torch.compile has one of its own beside NumPy. *numba* is `numba.njit` on the same text,
*numba-by-hand* the fastest right one of the versions that NPBench's authors wrote for it. The kernels of a
run are compiled anew. *kernels* is the part of a call's time that is spent in its kernels, *recorded* that in
recorded programs (with NumPy's BLAS in them); the rest is Python, native loops and plain NumPy.

`--check` judges a few calls of each program (the first, some while kernels are compiled, some after that)
and times the first beside NumPy's. A fault of npcompile's own is raised. The exit status is 1, with a line
for each such program, if any is wrong, fails, or stalls; one whose first call is merely slow is told.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from npbench_program import CHECK, LIMIT, OURS, TOGETHER, WAYS
from timing import Found, found_by, header, machine, parser, pretty

SLOWER = 1.15  # of NumPy's time: what counts as slower than NumPy
# A first call may take 1.5 times NumPy's and so many seconds: past these it is told as slow, as the machine
# may be busy; past those it has stalled.
OF_FIRST, SLOW, STALLED = 1.5, 0.15, 3.0
CHECKED_WITHIN = 870.0  # seconds for all of `--check`
AT_ONCE = 2  # programs of `--check`: one waits for the compiler as a rule


def run(path: Path, name: str, preset: str, ways: list[str], limit: float, cache: str) -> dict[str, Found]:
    """Run one program in a process of its own under compilers that take turns: what is known of each."""
    arguments = [str(path), name, preset, ",".join(ways)]
    more = {"NPCOMPILE_INTERNAL_ERRORS": "raise"} if ways == [CHECK] else {}
    found = found_by("npbench_program.py", name, arguments, limit, cache, **more)
    known = found.get("ways", {})
    rest = {key: value for key, value in found.items() if key != "ways"}
    every: dict[str, Found] = {}
    for way in ways:
        every[way] = {**rest, **known.get(way, {})}
        if "times" not in every[way] and ways != [CHECK]:
            every[way].setdefault("failed", f"{found['stage']}: not timed")
    return every


def processes(ways: list[str]) -> list[list[str]]:
    """Those compilers together that take turns in one process, the others in one of their own."""
    together = [way for way in ways if way in TOGETHER]
    return [together, *([way] for way in ways if way not in TOGETHER)]


def steady(found: Found) -> tuple[float, float]:
    """NumPy's and the compiler's seconds a call: the least, as other work only ever adds to times."""
    return min(found["numpy_times"]), min(found["times"])


def speed(found: Found) -> float | None:
    """NumPy's steady time over the compiler's, where both were measured."""
    if not found.get("times"):
        return None
    theirs, ours = steady(found)
    return theirs / ours


def verdict(found: Found) -> str:
    if "wrong" in found:
        return "WRONG"
    return "FAILED" if "failed" in found else "right"


def line(found: Found, way: str) -> str:
    """What is known of one program under one compiler, for who watches the run."""
    text = f"{found['name']:26}{way:15}{verdict(found):8}"
    if (ratio := speed(found)) is None:
        return f"{text}  {found.get('wrong') or found.get('failed')}"
    numpys, theirs = steady(found)
    text += f"{pretty(found['first']):>11}{pretty(found['compiling']):>11}"
    text += f"{pretty(numpys):>12}{pretty(theirs):>12}{ratio:>8.2f}"
    if counts := found["steady_counts"]:
        calls = counts["calls"]
        text += f"{counts['replays'] / calls:>9.0%}{counts['host_calls'] / calls:>7.0f}"
        text += f"{found['counts']['kernels']:>8}"
        text += "".join(f"{found.get('shares', {}).get(what, 0):>10.0%}" for what in ("programs", "compiled"))
    return f"{text}  {found.get('wrong') or found.get('failed') or '; '.join(reasons(found))}"


def reasons(found: Found) -> list[str]:
    """Why something ran uncompiled: file names cut down to the last part."""
    kept = found.get("counts", {}).get("reasons", [])
    return [Path(one.partition(": ")[0]).name + ": " + one.partition(": ")[2] for one in kept]


def heading(preset: str) -> str:
    columns = f"{'first':>11}{'compiling':>11}{'NumPy':>12}{'compiled':>12}{'speed':>8}"
    columns += f"{'replays':>9}{'host':>7}{'kernels':>8}{'recorded':>10}{'kernels':>10}"
    return f"\nNPBench, preset {preset}\n{'':49}{columns}  runs uncompiled because"


def summary(rows: list[Found], way: str) -> str:
    """How many are right, and the mean speeds of those."""
    right = [one for one in rows if verdict(one) == "right"]
    ratios = [ratio for one in right if (ratio := speed(one)) is not None]
    text = f"{way}: {len(right)} of {len(rows)} right"
    if ratios:
        text += f"; speed of those: geomean {statistics.geometric_mean(ratios):.2f}"
        text += f", median {statistics.median(ratios):.2f}"
    slow = [one["name"] for one in right if (ratio := speed(one)) is not None and ratio < 1 / SLOWER]
    return f"{text}; slower than NumPy by more than {SLOWER - 1:.0%}: {', '.join(slow) or 'none'}"


def cell(found: Found) -> str:
    """Another compiler's speed, or why there is none."""
    if "failed" in found:
        return "> limit" if "more than" in found["failed"] else "error"
    ratio = speed(found)
    return f"{ratio:.2f}" if verdict(found) == "right" and ratio is not None else "wrong"


def markdown(table: dict[str, list[Found]]) -> str:
    """The table for the docs: ours in full, of the others the speeds."""
    others = [way for way in table if way != OURS]
    lines = ["| program | NumPy | npcompile | speed | recorded | kernels |"]
    lines[0] += "".join(f" {way} |" for way in others)
    lines.append("|---|" + "---:|" * (5 + len(others)))
    for at, found in enumerate(table[OURS]):
        if (ratio := speed(found)) is None or verdict(found) != "right":
            cells = ["", "", found.get("wrong") or found.get("failed") or "", "", ""]
        else:
            shares = found.get("shares", {})
            cells = [*(pretty(one) for one in steady(found)), f"{ratio:.2f}"]
            cells += [f"{shares.get(what, 0):.0%}" for what in ("programs", "compiled")]
        cells += [cell(table[way][at]) for way in others]
        lines.append(f"| {' | '.join([found['name'], *cells])} |")
    return "\n".join([*lines, "", *(f"- {summary(rows, way)}" for way, rows in table.items())])


def checked(found: Found) -> tuple[str, str]:
    """The verdict on a program whose calls were judged, and why."""
    if "wrong" in found or "failed" in found:
        return verdict(found), found.get("wrong") or found["failed"]
    text = f"first call {pretty(found['first'])}, NumPy's {pretty(found['numpy_first'])}"
    over = found["first"] - OF_FIRST * found["numpy_first"]
    return "STALLED" if over > STALLED else "slow" if over > SLOW else "right", text


def check(path: Path, names: list[str], preset: str, limit: float) -> int:
    """Judge a few calls of each program, of two programs at once; the exit status."""
    end = time.monotonic() + CHECKED_WITHIN

    def found_of(name: str) -> Found:
        left = end - time.monotonic()
        if left > 0:
            return run(path, name, preset, [CHECK], min(limit, left), cache)[CHECK]
        return {"name": name, "stage": "starting", "failed": f"not begun within {CHECKED_WITHIN:.0f} s"}

    bad = []
    with tempfile.TemporaryDirectory(prefix="npbench-") as cache, ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(found_of, names):
            what, why = checked(found)
            counts = found.get("counts", {})
            replays = f"{counts['replays']} of {counts['calls']} calls replayed" if counts else ""
            print(f"{found['name']:26}{what:8}{why}; {found.get('waiting') or replays}", flush=True)
            if what not in ("right", "slow"):
                bad.append(f"{found['name']}: {what}: {why}")
    print("\n".join([f"{len(names) - len(bad)} of {len(names)} right", *bad]))
    return int(bool(bad))


def arguments() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--path", type=Path, required=True, help="NPBench's folder")
    options.add_argument("--preset", choices=("S", "M"), default="S")
    options.add_argument("--only", default="", help="names, with commas; default: all")
    others = [way for way in WAYS if way != OURS]
    options.add_argument("--compare", nargs="+", default=[], choices=others, help="other compilers, by turns")
    options.add_argument(
        "--markdown", action="store_true", help="print a table for the docs, at the end only"
    )
    options.add_argument("--check", action="store_true", help="judge a few calls of each; next to no times")
    options.add_argument("--limit", type=float, default=LIMIT, help="seconds for each program, default 180")
    return options.parse_args()


def main() -> int:
    chosen = arguments()
    names = sorted(file.stem for file in (chosen.path / "bench_info").glob("*.json"))
    if chosen.only:
        names = [name for name in names if name in chosen.only.split(",")]
    if not names:
        print(f"no program of NPBench in {chosen.path}", file=sys.stderr)
        return 2
    if chosen.check:
        header("NPBench")
        return check(chosen.path, names, chosen.preset, chosen.limit)
    shown = sys.stderr if chosen.markdown else sys.stdout
    with contextlib.redirect_stdout(shown):
        header("NPBench")
    table: dict[str, list[Found]] = {way: [] for way in (OURS, *chosen.compare)}
    print(heading(chosen.preset), file=shown, flush=True)
    with tempfile.TemporaryDirectory(prefix="npbench-") as cache:
        for name in names:
            for ways in processes(list(table)):
                found = run(chosen.path, name, chosen.preset, ways, chosen.limit, cache)
                for way in ways:
                    table[way].append(found[way])
                    print(line(found[way], way), file=shown, flush=True)
            if chosen.json:
                known = {"machine": machine(), "preset": chosen.preset, **table}
                chosen.json.write_text(json.dumps(known, indent=1) + "\n")
    print(
        markdown(table) if chosen.markdown else "\n".join(summary(rows, way) for way, rows in table.items())
    )
    return int(any(verdict(one) != "right" for one in table[OURS]))


if __name__ == "__main__":
    sys.exit(main())
