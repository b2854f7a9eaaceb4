"""`python -m tests.programs.compile_op NAME ...` compiles every case of these ops, and compares with NumPy.

`tests/runtime/test_cases_compiled.py` compiles a sample of the cases of all ops; the author of one op runs
this. NAME is an op's last name or its whole one: `erf`, `scipy.special.erf`. Exit status 0: all answers are
NumPy's.
"""

from __future__ import annotations

import sys

import tests.conftest  # noqa: F401  (a cache of its own, and counts that no clock decides)
from tests.cases import CASES, expand
from tests.runtime.test_cases_compiled import AT_ONCE, Row, defaults, problems, usable


def main(names: list[str]) -> int:
    cases = [case for case in CASES if {case.op, case.op.rpartition(".")[2]} & set(names)]
    every = [
        Row(case, label, body, (*operands, *defaults(body, len(operands) + 1)))
        for case in cases
        for label, body, operands in expand(case)
    ]
    rows, left = [], []
    for row in every:
        (rows if usable(row) else left).append(row)
    if not rows:
        print(f"no op with cases is named {' or '.join(names) or '...'}", file=sys.stderr)
        return 2
    batches = [rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)]
    found = [problem for batch in batches for problem in problems(batch)]
    found += [f"{row.case.op}, {row.label}: NumPy refuses it, or answers itself" for row in left]
    wrong = len(found) - len(left)
    print("\n".join([*found, f"{len(rows)} of {len(every)} cases compiled, {wrong} wrong"]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
