"""Compares one device with several, by `npcompile.device(mesh=N)`: k-means, softmax and more.

`python benchmarks/mesh.py --kind cuda --mesh 2 --scale 64` takes two GPUs, `--kind cpu` two processes.
Prints for each program the times of NumPy, of one device and of the mesh, the ratio of these two, how far
answers are from NumPy's, and what is not split.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import torch

import npcompile


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def assign(x, means):
    return np.argmin(np.linalg.norm(x - means[:, None], axis=2), axis=0)


def kmeans(x, means):
    for _ in range(5):
        labels = assign(x, means)
        one = (labels[:, None] == np.arange(len(means))).astype(x.dtype)
        means = one.T @ x / one.sum(axis=0)[:, None]
    return means


def logistic(x, y, w, rate):
    for _ in range(10):
        p = 1 / (1 + np.exp(-(x @ w)))
        w = w - rate * (x.T @ (p - y)) / len(y)
    return w


def nbody(position, mass):
    d = position[None, :, :] - position[:, None, :]
    inverse = ((d**2).sum(axis=2) + 0.01) ** -1.5
    return (d * (mass[None, :, None] * inverse[:, :, None])).sum(axis=1)


def programs(scale: int):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000 * scale, 16))
    yield "softmax", softmax, (x,)
    yield "k-means, 5 rounds", kmeans, (x, x[:8].copy())
    yield "logistic regression, 10 steps", logistic, (x, (x[:, 0] > 0) * 1.0, np.zeros(16), 0.1)
    bodies = 2 * int(100 * scale**0.5)
    yield "n-body", nbody, (rng.normal(size=(bodies, 3)), np.ones(bodies))


def on_device(function, args, device):
    with device:
        given = tuple(npcompile.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args)
        function(*given)
        function.wait()
        answers = [function(*given) for _ in range(9)]  # one of them is compared with one device's
        if device.device.type != "cpu" and torch.cuda.is_available():
            torch.cuda.synchronize()
        times = []
        for _ in range(7):
            start = time.perf_counter()
            answers = [function(*given)]
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
    return np.asarray(answers[-1]), sorted(times)[len(times) // 2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kind", default="cuda" if torch.cuda.is_available() else "cpu")
    options.add_argument("--mesh", type=int, default=2)
    options.add_argument("--scale", type=int, default=4)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    kind, size = given.kind, given.mesh
    print(f"{'':32}{'NumPy':>12}{'one ' + kind:>12}{f'{size} of them':>12}{'ratio':>8}  largest difference")
    for name, function, args in programs(given.scale):
        start = time.perf_counter()
        want = function(*args)
        plain = time.perf_counter() - start
        times, worst, reasons = [], 0.0, []
        for device in (npcompile.device(kind), npcompile.device(kind, mesh=size)):
            jitted = npcompile.jit(function, wait=True)
            got, seconds = on_device(jitted, args, device)
            times.append(seconds)
            worst = max(worst, float(np.max(np.abs(got - want))))
            reasons += map(str, jitted.stats.reasons)
            assert jitted.stats.replays > 7, jitted.stats
        columns = "".join(f"{seconds * 1e3:>9.3f} ms" for seconds in (plain, *times))
        print(f"{name:32}{columns}{times[0] / times[1]:>8.2f}  {worst:.1e}")
        for reason in reasons:
            print(f"    {reason}")


if __name__ == "__main__":
    main()
