"""Times calls of a function that is left to plain Python: jitted, as it is, and by functools.partial."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

import npcompile
from timing import header, parser, save

CALLS = 3000  # in one batch
ROUNDS = 60  # batches of each, by turns; the least counts
SETTLING = 400  # batches, in which contests between NumPy and replays are decided


def tenth(x):
    return x * x * x - 2.0 * x - 5.0


def fifth(x):
    return (x * x * x - 2.0 * x - 5.0) * (x * x * x + 3.0 * x * x - x) + x * x - 3.0 * x + 2.0


def gauss(x):
    return np.exp(-x * x)


class Body:
    def force(self, x):
        return x * x * x - 2.0 * x - 5.0


class Jitted(Body):
    force = npcompile.jit(Body.force)


def loop(f, n):
    for k in range(n):
        f(k * 0.001)


def method(body, n):
    for k in range(n):
        body.force(k * 0.001)


def mapped(f, n):
    return list(map(f, [0.5] * n))


def roots(f, n):
    for _ in range(n // 10):
        brentq(f, 1.0, 4.0)


def integrals(f, n):
    for _ in range(n // 21):
        quad(f, 0.1, 0.9)


def seconds(run: Callable[..., Any], f: Any) -> float:
    """Of this thread, for a batch."""
    start = time.thread_time()
    run(f, CALLS)
    return time.thread_time() - start


def measured(run: Callable[..., Any], ways: dict[str, Any]) -> dict[str, float]:
    """The least seconds of a batch, each way."""
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, f in ways.items():
            least[name] = min(least[name], seconds(run, f))
    return least


def main() -> None:
    chosen = parser(__doc__).parse_args()
    warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
    header("forwarded: calls of functions that are plain Python's")
    print(f"{'':28}{'plain, a call':>14}{'jitted, more':>14}{'speed':>7}{'of partial':>12}")
    rows = []
    runs = [(f, run) for f in (tenth, fifth, gauss) for run in (loop, mapped, roots, integrals)]
    for f, run in [*((f, run) for f, run in runs if (f, run) != (gauss, roots)), (Body(), method)]:
        jitted = Jitted() if run is method else npcompile.jit(f)
        for _ in range(SETTLING):
            run(jitted, CALLS)
        ways = {"plain": f, "jitted": jitted}
        if run is not method:
            ways["partial"] = functools.partial(f)
        least = measured(run, ways)
        plain, ours, partial = (least.get(name, float("nan")) for name in ("plain", "jitted", "partial"))
        name = f"{getattr(f, '__name__', 'tenth')}, {run.__name__}"
        more = (ours - plain) / CALLS
        print(
            f"{name:28}{plain / CALLS * 1e9:>11.0f} ns{more * 1e9:>11.0f} ns"
            f"{plain / ours:>7.2f}{plain / partial:>12.2f}",
            flush=True,
        )
        rows.append(
            {"name": name, "plain": plain / CALLS, "jitted": ours / CALLS, "partial": partial / CALLS}
        )
    save(chosen.json, "forwarded", measured=rows)


if __name__ == "__main__":
    main()
