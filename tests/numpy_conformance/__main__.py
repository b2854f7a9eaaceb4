"""The command: runs lanes over modules, prints the table, checks or rewrites the lists of known failures.

python -m tests.numpy_conformance                          every module, in the shim
python -m tests.numpy_conformance --lane shim --lane torch_numpy --json figures.json
python -m tests.numpy_conformance --lane jit               the second call under jit, by the interpreter
python -m tests.numpy_conformance --lane jit_compiled      by Inductor: 300 tests (sample.py)
python -m tests.numpy_conformance --lane jit --sample      which 300, chosen anew
python -m tests.numpy_conformance core.einsum --causes     why its tests fail, most frequent first
python -m tests.numpy_conformance --check                  exit status 1 where a list is not exact
python -m tests.numpy_conformance --update                 rewrite the lists
python -m tests.numpy_conformance core.einsum --debug TestEinsum::test_einsum_views    with tracebacks
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections import Counter
from pathlib import Path

from . import known, runner, sample
from .lanes import LANES
from .modules import EVERY_CHANGE, MODULES
from .plugin import Outcome

Results = dict[str, dict[str, dict[str, Outcome]]]  # lane -> module -> test -> outcome


def figures(outcomes: dict[str, Outcome]) -> dict[str, int]:
    """The counts of one module in one lane."""
    passed = [out for out in outcomes.values() if out.outcome == "passed"]
    return {
        "counted": len(outcomes),
        "passed": len(passed),
        "no_host_call": sum(not out.host and not out.failures for out in passed),
        "on_ops": sum(not out.host and not out.failures and out.ops > 0 for out in passed),
        "replayed": sum(out.replayed_at > 0 for out in passed),
        "at_once": sum(out.replayed_at == 2 for out in passed),
        "op_failures": sum(bool(out.failures) for out in outcomes.values()),
        "crashed": sum(out.outcome == "crashed" for out in outcomes.values()),
    }


def table(lane: str, modules: dict[str, dict[str, Outcome]]) -> str:
    """The lane's figures by module, as text.

    "no host call": passed with every answer ours. "on ops": of those, tests that called an op at all; the
    others are about scalars, dtypes and exceptions, NumPy's own in the shim. "replayed": passed, and
    the last answer judged was a replay's; "at once": the second call's was. "op failures": tests, passed or
    not, in which an op raised and NumPy answered.
    """
    head = f"{lane:24}{'counted':>9}{'passed':>9}{'':8}{'no host call':>14}{'on ops':>9}"
    lines = [f"{head}{'replayed':>10}{'at once':>9}{'op failures':>13}"]
    total: Counter[str] = Counter()
    rows = [(module, figures(outcomes)) for module, outcomes in modules.items()]
    for _, row in rows:
        total.update(row)
    for name, row in [*rows, ("total", figures({}) | total)]:
        counted = row.get("counted", 0)
        rate = f"{100 * row.get('passed', 0) / counted:.1f}%" if counted else "-"
        line = f"{name:24}{counted:>9}{row['passed']:>9}{rate:>8}{row['no_host_call']:>14}{row['on_ops']:>9}"
        line += f"{row['replayed']:>10}{row['at_once']:>9}{row['op_failures']:>13}"
        lines.append(line + (f"  {row['crashed']} crashed" if row["crashed"] else ""))
    return "\n".join(lines)


def causes(modules: dict[str, dict[str, Outcome]]) -> str:
    """Why tests fail, what is handed to NumPy, and which ops raise: most frequent first."""
    failed = [
        (f"{m}::{t}", out)
        for m, outs in modules.items()
        for t, out in outs.items()
        if out.outcome != "passed"
    ]
    examples: dict[tuple[str, str], str] = {}
    count: Counter[tuple[str, str]] = Counter()
    host: Counter[str] = Counter()
    ops: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    for test, out in failed:
        key = (known.general(out), out.where)
        count[key] += 1
        examples.setdefault(key, test)
    for outcomes in modules.values():
        for out in outcomes.values():
            host.update(out.host.keys())
            ops.update(out.failures.keys())
            plain.update({re.sub(r"^\S+:\d+: ", "", reason) for reason in out.reasons})
    lines = ["", "failures, by cause and place:"]
    lines += [f"{n:6}  {cause}\n        {where}\n        {examples[cause, where]}"
              for (cause, where), n in count.most_common(60)]  # fmt: skip
    lines += ["", "tests with a host call of:"] + [f"{n:6}  {name}" for name, n in host.most_common(60)]
    lines += ["", "tests with an op that raised:"] + [f"{n:6}  {name}" for name, n in ops.most_common(60)]
    lines += ["", "tests not replayed because of:"] + [f"{n:6}  {name}" for name, n in plain.most_common(60)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.numpy_conformance")
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], metavar="module", help="all by default")
    parser.add_argument("--lane", action="append", choices=sorted(LANES), help="may be repeated")
    parser.add_argument("--every-change", action="store_true", help="those that the suite runs (sample.py)")
    parser.add_argument(
        "--check", action="store_true", help="fail where the lists of known failures are not exact"
    )
    parser.add_argument("--update", action="store_true", help="rewrite the lists of known failures")
    parser.add_argument("--sample", action="store_true", help="rewrite the compiled lane's list of tests")
    parser.add_argument("--causes", action="store_true", help="print why tests fail")
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    parser.add_argument("--debug", metavar="TEST", help="run one test, or those of a class, with tracebacks")
    args = parser.parse_args()
    lanes = list(EVERY_CHANGE) if args.every_change else args.lane or ["shim"]
    modules = args.modules or list(MODULES)
    if args.debug:
        return runner.debug(modules[0], lanes[0], args.debug)

    results: Results = {lane: {} for lane in lanes}
    problems: list[str] = []
    runs: list[tuple[str, list[str], frozenset[str], dict[str, Outcome]]] = []
    for module in modules:
        here = [lane for lane in lanes if not args.every_change or module in EVERY_CHANGE[lane]]
        part = sample.tests(module)
        sampled = [lane for lane in here if LANES[lane].sampled]
        if part if here == sampled else here:
            runs.append((module, here, part, runner.oracle(module, part if here == sampled else None)))
    runner.preload(lanes)
    for module, here, part, counted in runs:
        for lane in here:
            chosen = part if LANES[lane].sampled else None
            if chosen is None and args.every_change:
                chosen = sample.varied(counted, known.listed(lane, module, counted))
            results[lane][module] = outcomes = runner.run(module, lane, counted, chosen)
            if args.update:
                known.update(lane, module, outcomes)
            if args.check:
                problems += known.problems(lane, module, outcomes)
    for lane in lanes:
        print(table(lane, results[lane]))
        if args.causes:
            print(causes(results[lane]))
    if args.sample:
        sample.write(results["jit"])
    if args.json:
        plain = {
            lane: {m: [dataclasses.asdict(out) for out in outs.values()] for m, outs in modules_.items()}
            for lane, modules_ in results.items()
        }
        args.json.write_text(json.dumps(plain))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
