"""The assignment step of k-means: NumPy, torch.compile and npcompile, on one thread and on all.

Two-dimensional float64 points, k = 2, at the sizes of --points (default 4 and 20 million).
"""

from __future__ import annotations

import functools

import numpy as np
import torch

import npcompile
from timing import Candidate, header, interleaved, parser, plural, save, table, thread_counts


def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def candidates(X: np.ndarray, means: np.ndarray) -> list[Candidate]:
    rows = [Candidate("NumPy", lambda: assign(X, means))]
    for threads in thread_counts():
        call = functools.partial(torch.compile(assign), X, means)
        rows.append(Candidate(f"torch.compile, {plural(threads)}", call, threads))
    for threads in thread_counts():
        compiled = npcompile.jit(assign)
        call = functools.partial(compiled, X, means)
        rows.append(Candidate(f"npcompile, {plural(threads)}", call, threads, settle=compiled.wait))
    return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, nargs="+", default=[4_000_000, 20_000_000])
    options.add_argument("--dtype", choices=("float32", "float64"), default="float64")
    chosen = options.parse_args()
    header("k-means, assignment step")
    for points in chosen.points:
        X = np.random.default_rng(0).standard_normal((points, 2)).astype(chosen.dtype)
        X[points // 2 :] += 5
        means = np.array([[0, 0], [5, 5]], dtype=chosen.dtype)
        title = f"{points:,} points, {chosen.dtype}"
        rows = candidates(X, means)
        interleaved(rows)
        print(f"\n{title}\n{table(rows)}", flush=True)
        save(chosen.json, title, rows)


if __name__ == "__main__":
    main()
