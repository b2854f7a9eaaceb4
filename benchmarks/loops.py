"""The corpus of loop programs at realistic sizes: npcompile beside plain Python and Numba, in one run.

    python benchmarks/loops.py
    python benchmarks/loops.py --only nussinov,crc16
    python benchmarks/loops.py --area sorting --size 0.1  # a tenth of each program's size

Each program of `tests/loops/programs` runs in a process of its own (`loops_program.py`), in which plain
Python, npcompile and Numba take turns. Where Numba is not installed its columns stay empty: the project does
not need it. *speed* is plain Python's time over npcompile's, *by Numba* that over Numba's, and *of Numba*
Numba's time over npcompile's. Numba's answer is `same`, `other types` (equal numbers of other types), or the
difference; `refused` where it does not compile the program. The exit status
is 1 if an answer of npcompile's is wrong or a program fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from timing import Found, found_by, header, machine, parser, pretty

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loops_program import NUMBA
from tests.loops.programs import PROGRAMS

LIMIT = 120.0  # seconds for one program
SLOWER = 0.95  # speeds below this are slower than plain Python


def steady(found: Found, way: str) -> float | None:
    """Return the median seconds of a call."""
    times = found.get("ways", {}).get(way, {}).get("times")
    return statistics.median(times) if times else None


def ratio(found: Found, way: str, to: str) -> float | None:
    one, other = steady(found, way), steady(found, to)
    return one / other if one and other else None


def text_of(number: float | None, width: int = 9) -> str:
    return f"{number:>{width}.3g}" if number is not None else " " * width


def wrong(found: Found) -> str:
    """Return the fault of npcompile's in a program; empty where there is none."""
    if "failed" in found:
        return str(found["failed"])
    answer = found["ways"]["npcompile"]["answer"]
    return "" if answer == "same" else str(answer)


def numbas(found: Found) -> str:
    """Describe Numba's answer."""
    way = found.get("ways", {}).get(NUMBA)
    if way is None:
        return ""
    return f"refused: {way['refused']}" if way["refused"] else way["answer"]


def line(found: Found) -> str:
    text = f"{found['name']:38}"
    if "ways" not in found:
        return f"{text}FAILED  {wrong(found)}"
    ours = found["ways"]["npcompile"]
    for seconds in (steady(found, "python"), ours["first"], steady(found, "npcompile"), steady(found, NUMBA)):
        text += f"{pretty(seconds) if seconds is not None else '':>12}"
    text += text_of(ratio(found, "python", "npcompile")) + text_of(ratio(found, "python", NUMBA))
    text += text_of(ratio(found, NUMBA, "npcompile"))
    return f"{text}  {'WRONG: ' + wrong(found) if wrong(found) else 'right':8}{numbas(found)[:70]}"


def heading() -> str:
    columns = f"{'Python':>12}{'first call':>12}{'npcompile':>12}{'Numba':>12}"
    columns += f"{'speed':>9}{'by Numba':>9}{'of Numba':>9}"
    return f"\n{'':38}{columns}  answer  Numba's answer"


def geomean(ratios: list[float]) -> str:
    return f"{statistics.geometric_mean(ratios):.2f}" if ratios else "none"


def summary(rows: list[Found]) -> str:
    faults = [found["name"] for found in rows if wrong(found)]
    speeds = {
        found["name"]: speed for found in rows if (speed := ratio(found, "python", "npcompile")) is not None
    }
    slow = [name for name, speed in speeds.items() if speed < SLOWER]
    text = (
        f"npcompile: {len(rows) - len(faults)} of {len(rows)} right; geomean {geomean(list(speeds.values()))}"
    )
    text += f"; slower than Python: {', '.join(slow) or 'none'}"
    if faults:
        text += f"\nwrong or failed: {', '.join(faults)}"
    tried = [found for found in rows if NUMBA in found.get("ways", {})]
    if tried:
        answers = [numbas(found) for found in tried]
        refused = sum(answer.startswith("refused") for answer in answers)
        kinds = [answers.count(kind) for kind in ("same", "other types")]
        others = len(tried) - refused - sum(kinds)
        theirs = [speed for found in tried if (speed := ratio(found, "python", NUMBA)) is not None]
        beside = [speed for found in tried if (speed := ratio(found, NUMBA, "npcompile")) is not None]
        text += f"\nNumba: {kinds[0]} answered as Python, {kinds[1]} with other types, {others} otherwise, "
        text += (
            f"{refused} refused; geomean {geomean(theirs)}; npcompile's speed over Numba's: {geomean(beside)}"
        )
    return text


def arguments() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--only", default="", metavar="NAME", help="names, with commas; default: all")
    options.add_argument("--area", default="", help="the programs of one file of the corpus")
    options.add_argument("--size", type=float, default=1.0, help="a factor on each program's size, default 1")
    options.add_argument("--limit", type=float, default=LIMIT, help="seconds for each program, default 120")
    return options.parse_args()


def main() -> int:
    chosen = arguments()
    names = [
        program.name
        for program in PROGRAMS
        if (not chosen.only or program.name in chosen.only.split(","))
        and (not chosen.area or program.area == chosen.area)
    ]
    if not names:
        print("no program of that name", file=sys.stderr)
        return 2
    header("loop programs: npcompile beside plain Python and Numba")
    print(heading(), flush=True)
    rows: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="loops-") as cache:
        for name in names:
            rows.append(found_by("loops_program.py", name, [name, str(chosen.size)], chosen.limit, cache))
            print(line(rows[-1]), flush=True)
            if chosen.json:
                known = {"machine": machine(), "size": chosen.size, "rows": rows}
                chosen.json.write_text(json.dumps(known, indent=1) + "\n")
    print(summary(rows))
    return int(any(wrong(found) for found in rows))


if __name__ == "__main__":
    sys.exit(main())
