"""k-means on 20 million points: ordinary NumPy, compiled, beside NumPy itself and torch.compile.

    python examples/kmeans.py
    python examples/kmeans.py --points 2_000_000 --dtype float32 --plot clusters.png
    python examples/kmeans.py --device cuda --dtype float32

First Lloyd's algorithm runs on two clouds of points: the first iterations are NumPy's own, and as soon as the
kernels have been compiled (in another process, meanwhile) the iterations are theirs. Then the assignment step
alone is timed in each way of running it, and its labels are compared with NumPy's.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

import npcompile

REPEATS = 5  # steady time is the median of so many calls


def assign(X, means):
    """The nearest mean of each point: X (n, d), means (k, d), result (n,) int64."""
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


@npcompile.jit
def step(X, means):
    """One iteration of Lloyd's algorithm: the nearest mean of each point, then the mean of each cluster."""
    labels = np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)
    k, d = means.shape
    counts = np.bincount(labels, minlength=k)
    sums = np.stack([np.bincount(labels, weights=X[:, j], minlength=k) for j in range(d)], axis=1)
    filled = counts[:, None] > 0  # an empty cluster keeps its mean
    means = np.where(filled, sums / np.maximum(counts, 1)[:, None], means).astype(X.dtype)
    return labels, means


def two_blobs(points: int, dtype: str) -> np.ndarray:
    """Points around (5, 5) and as many around (10, 10): an array of shape (points, 2)."""
    X = np.random.default_rng(0).standard_normal((points, 2), dtype=np.dtype(dtype).type)
    X[: points // 2] += 5
    X[points // 2 :] += 10
    return X


# -- Lloyd's algorithm, with its progress bar


class Iteration(NamedTuple):
    seconds: float
    compiled: bool


def lloyd(X: Any, means: Any, iterations: int) -> tuple[Any, Any, list[Iteration]]:
    """The labels and means after so many iterations, and how each iteration went."""
    done: list[Iteration] = []
    labels = None
    show_progress(done, iterations)
    for _ in range(iterations):
        before = step.stats.replays
        start = time.perf_counter()
        labels, means = step(X, means)
        synchronize()
        done.append(Iteration(time.perf_counter() - start, step.stats.replays > before))
        show_progress(done, iterations)
    return labels, means, done


def show_progress(done: list[Iteration], iterations: int, width: int = 30) -> None:
    if not sys.stderr.isatty():
        return
    full = width * len(done) // iterations
    last = f"{done[-1].seconds:6.3f} s {'compiled' if done[-1].compiled else 'NumPy   '}" if done else ""
    end = "\n" if len(done) == iterations else ""
    bar = "#" * full + "." * (width - full)
    print(f"\r[{bar}] iteration {len(done)}/{iterations} {last}", end=end, file=sys.stderr, flush=True)


def summary(done: list[Iteration]) -> str:
    lines = [f"{len(done)} iterations in {sum(one.seconds for one in done):.1f} s"]
    for compiled, how in ((False, "by NumPy, while the kernels were compiled"), (True, "compiled")):
        times = [one.seconds for one in done if one.compiled == compiled]
        if times:
            lines.append(f"  {len(times):3} {how}: {statistics.median(times):.3f} s each")
    return "\n".join(lines)


# -- the comparison


class Row(NamedTuple):
    name: str
    first: float = 0.0  # seconds of the first call
    steady: float = 0.0  # median of the later ones
    equal: int = 0  # labels that are NumPy's
    note: str = ""  # why there are no numbers


def synchronize() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def on_host(labels: Any) -> np.ndarray:
    return labels.cpu().numpy() if isinstance(labels, torch.Tensor) else np.asarray(labels)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    synchronize()
    return time.perf_counter() - start, result


def measure(name: str, call: Callable[[], Any], expected: np.ndarray, settle: Callable[[], Any]) -> Row:
    """Times the first call, lets it settle (finish compiling), then times the calls after that."""
    try:
        first, labels = timed(call)
        settle()
        times = []
        for _ in range(REPEATS + 1):
            del labels  # the caller drops one result before asking for the next
            seconds, labels = timed(call)
            times.append(seconds)
    except Exception as error:  # a comparison that cannot run here must not hide the others
        return Row(name, note=f"not available: {type(error).__name__}: {str(error).splitlines()[0]}")
    equal = int(np.count_nonzero(on_host(labels) == expected))
    return Row(name, first, statistics.median(times[1:]), equal)


def nothing() -> None:
    pass


def torch_compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """torch.compile(function), made at the first call, so that a refusal is that call's failure."""
    made = functools.cache(lambda: torch.compile(function))
    return lambda *args: made()(*args)


def cpu_rows(X: np.ndarray, means: np.ndarray, expected: np.ndarray, threads: int) -> list[Row]:
    rows = []
    for count in sorted({1, threads}):
        torch.set_num_threads(count)
        many = "1 thread" if count == 1 else f"{count} threads"
        call = functools.partial(torch_compiled(assign), X, means)
        rows.append(measure(f"torch.compile, {many}", call, expected, nothing))
        compiled = npcompile.jit(assign)
        call = functools.partial(compiled, X, means)
        rows.append(measure(f"npcompile, {many}", call, expected, compiled.wait))
    return sorted(rows, key=lambda row: row.name.startswith("npcompile"))


def cuda_rows(X: np.ndarray, means: np.ndarray, expected: np.ndarray) -> list[Row]:
    def between_tensors(X, means):
        return torch.from_numpy(assign(X.numpy(), means.numpy()))

    there, on_tensors = torch_compiled(assign), torch_compiled(between_tensors)
    tensors = torch.from_numpy(X).cuda(), torch.from_numpy(means).cuda()
    with torch.device("cuda"):
        rows = [
            measure("torch.compile, NumPy arrays", lambda: there(X, means), expected, nothing),
            measure("torch.compile, CUDA tensors", lambda: on_tensors(*tensors), expected, nothing),
        ]
    ours, stays = npcompile.jit(assign), npcompile.jit(assign)
    with npcompile.device("cuda"):
        arrays = npcompile.asarray(X), npcompile.asarray(means)
        rows += [
            measure("npcompile, NumPy arrays", lambda: ours(X, means), expected, ours.wait),
            measure("npcompile, device arrays", lambda: stays(*arrays), expected, stays.wait),
        ]
    return rows


def compare(X: np.ndarray, means: np.ndarray, device: str, threads: int) -> list[Row]:
    expected = assign(X, means)
    rows = [measure("NumPy", lambda: assign(X, means), expected, nothing)]
    return rows + (
        cuda_rows(X, means, expected) if device == "cuda" else cpu_rows(X, means, expected, threads)
    )


def table(rows: list[Row], points: int) -> str:
    lines = [f"{'':30}{'first call':>12}{'steady':>12}{'speed':>10}  labels equal to NumPy's"]
    for row in rows:
        if row.note:
            lines.append(f"{row.name:30}  {row.note}")
            continue
        ratio = rows[0].steady / row.steady
        lines.append(
            f"{row.name:30}{row.first:10.3f} s{row.steady:10.4f} s{ratio:8.1f} x  {row.equal:,} of {points:,}"
        )
    return "\n".join(lines)


def plot(path: Path, X: np.ndarray, labels: np.ndarray, means: np.ndarray, rows: list[Row]) -> None:
    """Draws some of the points in their clusters, and how many times NumPy's speed each row reached."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    clusters, bars = figure.subplots(1, 2)
    some = np.random.default_rng(1).choice(len(X), min(len(X), 5000), replace=False)
    clusters.scatter(X[some, 0], X[some, 1], c=labels[some], s=3, cmap="viridis")
    clusters.scatter(means[:, 0], means[:, 1], c="red", marker="x", s=80, label="means")
    clusters.set_title(f"{len(some):,} of {len(X):,} points")
    clusters.legend()
    measured = [row for row in rows if not row.note]
    ratios = [rows[0].steady / row.steady for row in measured]
    drawn = bars.barh([row.name for row in measured], ratios)
    bars.bar_label(drawn, fmt="%.1f", padding=3)
    bars.invert_yaxis()
    bars.set_title("speed of the assignment step, NumPy = 1")
    bars.margins(x=0.15)
    figure.savefig(path, dpi=120)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=20_000_000, help="in all, default 20_000_000")
    parser.add_argument("--k", type=int, default=2, help="clusters to look for, default 2")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float64")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="default: all cores")
    parser.add_argument("--iterations", type=int, default=20, help="of Lloyd's algorithm, default 20")
    parser.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the clusters and the ratios")
    chosen = parser.parse_args(argv)
    if min(chosen.k, chosen.threads, chosen.iterations) < 1 or chosen.points < chosen.k:
        parser.error("--k, --threads and --iterations are at least 1, --points at least --k")
    if chosen.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: PyTorch sees no CUDA device here")
    if chosen.plot:
        try:
            import matplotlib  # noqa: F401  (better now than after minutes of work)
        except ImportError:
            parser.error("--plot needs matplotlib: pip install 'npcompile[plot]'")
    return chosen


def main(argv: list[str] | None = None) -> int:
    chosen = arguments(argv)
    torch.set_num_threads(chosen.threads)
    print(
        f"k-means: {chosen.points:,} points, k = {chosen.k}, {chosen.dtype}, on {chosen.device}", flush=True
    )
    X = two_blobs(chosen.points, chosen.dtype)
    start = X[np.random.default_rng(2).choice(len(X), chosen.k, replace=False)]

    with npcompile.device(chosen.device):
        here = npcompile.asarray if chosen.device == "cuda" else np.asarray
        found, centres, done = lloyd(here(X), here(start), chosen.iterations)
    labels, means = on_host(found), on_host(centres)
    print(summary(done))
    for mean, size in zip(means, np.bincount(labels, minlength=chosen.k), strict=True):
        print(f"  a cluster of {size:,} points around ({', '.join(f'{x:.3f}' for x in mean)})")

    print("\nThe assignment step alone: np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)\n")
    rows = compare(X, means, chosen.device, chosen.threads)
    print(table(rows, chosen.points))
    print(f"\nsteady: median of {REPEATS} calls; speed: how many times NumPy's.")
    print("npcompile's first call is NumPy's own: compiling goes on in another process meanwhile.")
    if chosen.plot:
        plot(chosen.plot, X, labels, means, rows)
        print(f"drawn: {chosen.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
