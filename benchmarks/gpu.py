"""k-means on a CUDA device: against the memory limit, against torch.compile, and the bytes that were copied.

The limit is the time in which the device copies as many bytes as the step must move: the points read once and
the labels written once. Prints "no CUDA device" where there is none.
"""

from __future__ import annotations

import functools

import numpy as np
import torch

import npcompile
from timing import Candidate, header, interleaved, parser, pretty, save, table


def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


@npcompile.jit
def between_tensors(X, means):
    return torch.from_numpy(np.argmin(np.linalg.norm(X.numpy() - means.numpy()[:, None], axis=2), axis=0))


@torch.compile
def between_tensors_torch(X, means):
    return torch.from_numpy(np.argmin(np.linalg.norm(X.numpy() - means.numpy()[:, None], axis=2), axis=0))


def copy_bandwidth(size: int = 2 << 30) -> float:
    """Bytes read and written in a second by a device-to-device copy: median of 20."""
    source = torch.randint(0, 255, (size,), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = []
    for _ in range(25):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        target.copy_(source)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return 2 * size / float(np.median(times[5:]))


def copied(name: str, function, args: tuple) -> str:
    """The bytes that one replayed call copied to the device and back."""
    before = function.stats.bytes_to_device, function.stats.bytes_from_device, function.stats.replays
    function(*args)
    to, back = function.stats.bytes_to_device - before[0], function.stats.bytes_from_device - before[1]
    how = "" if function.stats.replays > before[2] else "  NOT REPLAYED"
    return f"{name:34}{to:>16,} to the device{back:>16,} back{how}"


def in_device(device, call):
    with device("cuda"):
        return call()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=20_000_000)
    options.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    chosen = options.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device")
        return
    header(
        f"k-means, assignment step, {chosen.points:,} points, {chosen.dtype}, {torch.cuda.get_device_name()}"
    )
    X = np.random.default_rng(0).standard_normal((chosen.points, 2), dtype=np.dtype(chosen.dtype).type)
    means = np.array([[0, 0], [2, 2]], dtype=X.dtype)
    tensors = torch.from_numpy(X).cuda(), torch.from_numpy(means).cuda()
    with npcompile.device("cuda"):
        arrays = npcompile.asarray(X), npcompile.asarray(means)
    stays, moves = npcompile.jit(assign), npcompile.jit(assign)
    assign_torch = torch.compile(assign)
    # Forced: the host would do what takes less time there.
    there = functools.partial(in_device, functools.partial(npcompile.device, force=True))
    there_torch = functools.partial(in_device, torch.device)
    rows = [
        Candidate("NumPy, on the CPU", lambda: assign(X, means)),
        Candidate("torch.compile, tensors", lambda: there_torch(lambda: between_tensors_torch(*tensors))),
        Candidate("torch.compile, NumPy arrays", lambda: there_torch(lambda: assign_torch(X, means))),
        Candidate("npcompile, device arrays", lambda: there(lambda: stays(*arrays)), settle=stays.wait),
        Candidate(
            "npcompile, tensors",
            lambda: there(lambda: between_tensors(*tensors)),
            settle=between_tensors.wait,
        ),
        Candidate("npcompile, NumPy arrays", lambda: there(lambda: moves(X, means)), settle=moves.wait),
    ]
    interleaved(rows, rounds=5, done=torch.cuda.synchronize)
    print(f"\n{table(rows)}")
    bandwidth = copy_bandwidth()
    moved = X.nbytes + 8 * chosen.points
    limit = moved / bandwidth
    print(f"\ncopy bandwidth {bandwidth / 1e9:.0f} GB/s; {moved / 1e6:.0f} MB take {pretty(limit)} at least")
    for row in rows[1:]:
        if row.times:
            print(f"{row.name:34}{row.steady / limit:8.2f} x that")
    sizes = f"points {X.nbytes:,}, means {means.nbytes:,}, labels {8 * chosen.points:,}"
    print(f"\nbytes copied by one call ({sizes})")
    with npcompile.device("cuda", force=True):
        print(copied("npcompile, device arrays", stays, arrays))
        print(copied("npcompile, tensors", between_tensors, tensors))
        print(copied("npcompile, NumPy arrays", moves, (X, means)))
    save(chosen.json, f"k-means on CUDA, {chosen.points:,} points", rows, bandwidth=bandwidth, limit=limit)


if __name__ == "__main__":
    main()
