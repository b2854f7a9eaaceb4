"""What the first call costs: k-means at 2 million points, compiled in the background, no kernels on disk.

First the first call against NumPy's own time, each time in a process of its own. Then what the user's own
NumPy code (sines of an array, over and over) loses while the worker process compiles.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import numpy as np

import npcompile
from timing import header, parser, pretty, save

POINTS = 2_000_000


@npcompile.jit
def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def own_work(a: np.ndarray) -> float:
    """A piece of the user's own code: seconds it took."""
    start = time.perf_counter()
    np.sin(a).sum()
    return time.perf_counter() - start


def pieces(a: np.ndarray, going_on: Callable[[], bool]) -> list[float]:
    times = []
    while going_on():
        times.append(own_work(a))
    return times


def child() -> None:
    """Prints the measurements of one fresh process as JSON, in seconds."""
    X = np.random.default_rng(0).standard_normal((POINTS, 2))
    means = np.array([[0.0, 0.0], [2.0, 2.0]])
    plain = []
    for _ in range(4):
        start = time.perf_counter()
        assign.__wrapped__(X, means)
        plain.append(time.perf_counter() - start)

    a = np.linspace(0, 1, 200_000)
    until = time.perf_counter() + 2
    alone = pieces(a, lambda: time.perf_counter() < until)

    start = time.perf_counter()
    assign(X, means)
    first = time.perf_counter() - start

    ready = threading.Event()

    def wait() -> None:
        assign.wait()
        ready.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    meanwhile = pieces(a, lambda: not ready.is_set())
    waiting.join()
    compiling = time.perf_counter() - start - first
    assign(X, means)
    answer = {
        "numpy": statistics.median(plain[1:]),
        "first": first,
        "compiling": compiling,
        "alone": alone,
        "meanwhile": meanwhile,
        "replays": assign.stats.replays,
    }
    print(json.dumps(answer))


def measured() -> dict:
    with tempfile.TemporaryDirectory() as empty:
        fresh = os.environ | {
            "NPCOMPILE_CACHE_DIR": empty,
            "TORCHINDUCTOR_CACHE_DIR": os.path.join(empty, "inductor"),
        }
        fresh.pop("NPCOMPILE_WAIT", None)
        run = subprocess.run(
            [sys.executable, __file__, "--child"], check=True, capture_output=True, text=True, env=fresh
        )
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--child", action="store_true", help="one measurement, as JSON")
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    if chosen.child:
        child()
        return
    header(f"first call, {POINTS:,} points")
    runs = [measured() for _ in range(chosen.rounds)]
    for run in runs:
        print(
            f"NumPy {pretty(run['numpy'])}, first call {pretty(run['first'])}"
            f" ({run['first'] / run['numpy']:.2f} x); ready after {run['compiling']:.1f} s,"
            f" {'then compiled' if run['replays'] else 'THEN NOT COMPILED'}"
        )
        if run["meanwhile"]:
            alone, meanwhile = statistics.median(run["alone"]), statistics.median(run["meanwhile"])
            print(
                f"    own code: {pretty(alone)} alone, {pretty(meanwhile)} while compiling"
                f" ({meanwhile / alone:.2f} x), slowest {pretty(max(run['meanwhile']))}"
                f" (alone {pretty(max(run['alone']))})"
            )
    ratio = statistics.median(run["first"] / run["numpy"] for run in runs)
    print(f"\nfirst call: {ratio:.2f} x NumPy (median of {len(runs)} processes)")
    slowed = [
        statistics.mean(run["meanwhile"]) / statistics.mean(run["alone"]) for run in runs if run["meanwhile"]
    ]
    if slowed:
        print(f"own code while compiling: {statistics.median(slowed):.2f} x its time alone (means)")
    save(chosen.json, "first call", runs=runs)


if __name__ == "__main__":
    main()
