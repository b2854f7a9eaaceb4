"""A second process, with the kernel on disk: from the end of `import npcompile` to the first compiled answer.

The first process compiles into a folder of its own. Each later one calls the same function until an answer
came from the kernel; none of them may import the compiler (PyTorch's Inductor).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import npcompile
from timing import header, parser, pretty, save

IMPORTED = time.perf_counter()
POINTS = 100_000
PATIENCE = 60  # seconds


@npcompile.jit
def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def child() -> None:
    """Prints seconds from the import to the first compiled answer, and how it came about, as JSON."""
    X = np.random.default_rng(0).standard_normal((POINTS, 2))
    means = np.array([[0.0, 0.0], [2.0, 2.0]])
    while assign.stats.replays == 0:
        labels = assign(X, means)
        if time.perf_counter() - IMPORTED > PATIENCE:
            raise SystemExit(f"not compiled after {PATIENCE} s: {assign.stats}")
    seconds = time.perf_counter() - IMPORTED
    np.testing.assert_array_equal(labels, assign.__wrapped__(X, means))
    answer = {
        "seconds": seconds,
        "calls": assign.stats.calls,
        "compilations": assign.stats.compilations,
        "inductor": "torch._inductor" in sys.modules,
    }
    print(json.dumps(answer))


def measured(folder: str) -> dict:
    with_folder = os.environ | {"NPCOMPILE_CACHE_DIR": folder}
    run = subprocess.run(
        [sys.executable, __file__, "--child"], check=True, stdout=subprocess.PIPE, text=True, env=with_folder
    )
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--child", action="store_true", help="one process, as JSON")
    options.add_argument("--rounds", type=int, default=7)
    chosen = options.parse_args()
    if chosen.child:
        child()
        return
    header("second process")
    with tempfile.TemporaryDirectory() as folder:
        cold = measured(folder)
        print(f"first process: compiled answer after {pretty(cold['seconds'])}, at call {cold['calls']}")
        runs = [measured(folder) for _ in range(chosen.rounds)]
    for run in runs:
        assert not run["inductor"], "torch._inductor was imported"
        print(f"later process: compiled answer after {pretty(run['seconds'])}, at call {run['calls']}")
    print(f"median {pretty(statistics.median(run['seconds'] for run in runs))}; Inductor not imported")
    save(chosen.json, "second process", cold=cold, runs=runs)


if __name__ == "__main__":
    main()
