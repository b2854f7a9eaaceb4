"""k-means on more points than fit into a chunk, on a cluster of processes: Dask, with and without npcompile.

    python examples/kmeans_dask.py
    python examples/kmeans_dask.py --points 1_000_000_000 --folder /data/points --workers 8

The points lie in files, one a chunk, and a process holds no more than the chunk at hand: there may be more
than memory holds. Each iteration is one task a chunk (the nearest mean of each point, the sum of clusters)
and a sum over chunks, by plain NumPy and by the same function compiled. It needs the extra `dask`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster, as_completed

import npcompile


def sums(X, means):
    """For each mean: the sum of the points that are nearest to it, and how many there are."""
    labels = np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)
    k, d = means.shape
    counts = np.bincount(labels, minlength=k)
    totals = np.stack([np.bincount(labels, weights=X[:, j], minlength=k) for j in range(d)], axis=1)
    return totals, counts


compiled_sums = npcompile.jit(sums)


def write_chunk(file: Path, number: int, points: int) -> None:
    """Write points around (5, 5), (10, 10) and (5, 10), of which each chunk has others."""
    rng = np.random.default_rng(number)
    centres = np.array([[5.0, 5.0], [10.0, 10.0], [5.0, 10.0]])
    np.save(file, rng.standard_normal((points, 2)) + centres[rng.integers(3, size=points)])


def of_chunk(file: Path, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return sums(np.load(file), means)


def of_chunk_compiled(file: Path, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return compiled_sums(np.load(file), means)


def compile_for(file: Path, means: np.ndarray) -> None:
    """Compile before the first iteration, in the process that calls this."""
    compiled_sums.compile(np.load(file), means)


def replays() -> tuple[int, int]:
    return compiled_sums.stats.replays, compiled_sums.stats.calls


def lloyd(client: Client, task, files: list[Path], means: np.ndarray, iterations: int, name: str):
    """Return the means after some iterations, and the seconds of each."""
    seconds = []
    for iteration in range(iterations):
        start = time.perf_counter()
        totals, counts = np.zeros(means.shape), np.zeros(len(means))
        parts = client.map(task, files, means=means, pure=False)
        for done, (_, (total, count)) in enumerate(as_completed(parts, with_results=True), 1):
            totals += total
            counts += count
            show_progress(f"{name}, iteration {iteration + 1} of {iterations}", done, len(files))
        means = np.where(counts[:, None] > 0, totals / np.maximum(counts, 1)[:, None], means)
        seconds.append(time.perf_counter() - start)
    return means, seconds


def show_progress(text: str, done: int, chunks: int, width: int = 30) -> None:
    if sys.stderr.isatty():
        bar = "#" * (width * done // chunks)
        end = "\n" if done == chunks else ""
        print(f"\r{text:36} [{bar:{width}}] {done} of {chunks} chunks", end=end, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=4_000_000)
    parser.add_argument("--chunk", type=int, default=500_000, help="points of a chunk (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2, help="processes, of one thread each")
    parser.add_argument("--folder", type=Path, help="where the points are written (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"points{n}.npy" for n in range(-(-options.points // options.chunk))]
        setup = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**setup) as cluster, Client(cluster) as client:
            return compare(client, files, options.points, options.chunk, options.iterations)


def compare(client: Client, files: list[Path], points: int, chunk: int, iterations: int) -> int:
    rows = [min(chunk, points - n * chunk) for n in range(len(files))]
    client.gather(client.map(write_chunk, files, range(len(files)), rows, pure=False))
    print(f"{points:,} points in {len(files)} chunks, {points * 16 / 1e9:.2f} GB")
    means = np.array([[4.0, 4.0], [9.0, 9.0], [4.0, 9.0]])

    start = time.perf_counter()
    client.submit(compile_for, files[0], means).result()
    client.run(compile_for, files[0], means)  # the other workers find the kernels on disk
    compiling = time.perf_counter() - start
    plain, numpys = lloyd(client, of_chunk, files, means, iterations, "plain Dask")
    ours, seconds = lloyd(client, of_chunk_compiled, files, means, iterations, "npcompile")

    equal = np.allclose(ours, plain, rtol=1e-9)
    base, fast = statistics.median(numpys), statistics.median(seconds)
    found = [f"{replayed} of {calls}" for replayed, calls in client.run(replays).values()]
    print(f"plain Dask  {base:8.3f} s an iteration")
    print(f"npcompile   {fast:8.3f} s an iteration, {base / fast:.1f} times as fast")
    print(f"compiled in {compiling:.1f} s; replays of calls, by worker: {', '.join(found)}")
    print(f"equal: {'yes' if equal else 'NO'}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
