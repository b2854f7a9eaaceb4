"""A main program that computes with Dask on processes: `python dask_program.py processes` or `cluster`.

Its own functions go to them by value, those of a module by name. It prints what each process compiled.
"""

from __future__ import annotations

import sys
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

import npcompile
from tests.ecosystem.dask_functions import CHUNK, MEANS, X, nearest, norm, results

SHIFT = 1.0


@npcompile.jit
def scaled(x: Any, k: float = 2.0) -> Any:
    return np.sqrt(x) * k + SHIFT


def counts() -> list[tuple[int, bool]]:
    """Return compilations and if anything was replayed, of each function, in the process that calls this."""
    functions = scaled, nearest, norm
    for one in functions:
        one.wait()
    return [(one.stats.compilations, one.stats.replays > 0) for one in functions]


def check(computed: Any) -> None:
    for answer, (_, expected) in zip(computed, results(scaled).values(), strict=True):
        np.testing.assert_allclose(np.ravel(answer), np.ravel(expected), rtol=1e-12)


def main() -> None:
    wanted = [lazy for lazy, _ in results(scaled).values()]
    if sys.argv[1] == "processes":
        check(dask.compute(*wanted, scheduler="processes", num_workers=2))
        return
    npcompile.set_num_threads(1)  # as workers have: kernels for more threads are others
    scaled.compile(X[:CHUNK], 2.0)
    nearest.compile(X[:CHUNK], MEANS)
    norm.compile(X[:CHUNK])
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        for _ in range(3):
            check(dask.compute(*wanted))
            found = client.run(counts)
    print(*found.values(), sep="\n")


if __name__ == "__main__":
    main()
