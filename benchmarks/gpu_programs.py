"""Fifteen kinds of NumPy program on a CUDA device, with NumPy arrays in and with device arrays in.

Each program runs in a process of its own, which is given up after LIMIT seconds. The table has the time of a
call that is answered by a replay, the bytes that crossed in it, the segments' kernels, and NumPy's time.
Prints "no CUDA device" where there is none.

    python benchmarks/gpu_programs.py [--only mandelbrot,softmax] [--dtype float32] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 75.0


def mandelbrot(width, height, trips):
    re = np.linspace(-2.0, 0.5, width)
    im = np.linspace(-1.25, 1.25, height)
    c = re + 1j * im[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(trips):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def jacobi(a, b, trips):
    for _ in range(trips):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def gray_scott(u, v, trips):
    for _ in range(trips):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4.0 * v
        uvv = u * v * v
        u = u + 0.16 * lu - uvv + 0.06 * (1.0 - u)
        v = v + 0.08 * lv + uvv - 0.122 * v
    return u, v


def converging(matrix, start, tolerance):
    x = start
    while True:
        y = matrix @ x
        y = y / np.sqrt(np.sum(y * y))
        if np.max(np.abs(y - x)) < tolerance:
            return y
        x = y


def logistic(X, y, trips):
    w = np.zeros(X.shape[1], dtype=X.dtype)
    for _ in range(trips):
        p = 1.0 / (1.0 + np.exp(-(X @ w)))
        w = w - 0.1 * (X.T @ (p - y)) / len(y)
    return w


def histogram_gather(x, bins):
    counts, edges = np.histogram(x, bins=bins, range=(0.0, 1.0))
    place = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
    return counts[place] / len(x)


def mlp(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0.0) @ w2 + b2


def masked_statistics(x):
    valid = np.isfinite(x) & (x > 0.1)
    kept = np.where(valid, x, 0.0)
    count = valid.sum()
    mean = kept.sum() / count
    spread = np.sqrt((np.where(valid, x - mean, 0.0) ** 2).sum() / count)
    return mean, spread, np.where(valid, x, -np.inf).max()


def boolean_updates(x):
    y = x.copy()
    y[y < 0.2] = 0.0
    y[y > 0.8] *= 2.0
    return y


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + bias


def n_body(position, mass):
    d = position[None, :, :] - position[:, None, :]
    r2 = (d * d).sum(axis=2) + 1e-3
    return (d * (mass[None, :] / (r2 * np.sqrt(r2)))[:, :, None]).sum(axis=1)


def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def black_scholes(price, strike, years):
    d = (np.log(price / strike) + 0.06 * years) / (0.2 * np.sqrt(years))
    chance = 1.0 / (1.0 + np.exp(-1.702 * d))
    return price * chance - strike * np.exp(-0.05 * years) * chance


def blurred(image):
    padded = np.pad(image, 1, mode="edge")
    total = sum(padded[i : i + image.shape[0], j : j + image.shape[1]] for i in range(3) for j in range(3))
    return np.clip(total / 9.0, 0.0, 1.0)


def cases(dtype: str) -> dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]]:
    """Return each program with what makes its arguments."""
    rng = np.random.default_rng(0)

    def uniform(*shape: int) -> np.ndarray:
        return rng.random(shape).astype(dtype)

    return {
        "mandelbrot": (mandelbrot, lambda: (1200, 800, 50)),
        "jacobi": (jacobi, lambda: (uniform(2000, 2000), uniform(2000, 2000), 25)),
        "gray_scott": (gray_scott, lambda: (uniform(1024, 1024), uniform(1024, 1024), 40)),
        "converging": (
            converging,
            lambda: (uniform(2000, 2000) + 2000 * np.eye(2000, dtype=dtype), uniform(2000), 1e-5),
        ),
        "logistic": (logistic, lambda: (uniform(200_000, 50), (uniform(200_000) > 0.5).astype(dtype), 20)),
        "histogram_gather": (histogram_gather, lambda: (uniform(4_000_000), 64)),
        "mlp": (
            mlp,
            lambda: (uniform(8192, 512), uniform(512, 1024), uniform(1024), uniform(1024, 64), uniform(64)),
        ),
        "masked_statistics": (masked_statistics, lambda: (uniform(10_000_000),)),
        "boolean_updates": (boolean_updates, lambda: (uniform(10_000_000),)),
        "softmax": (softmax, lambda: (uniform(20_000, 512),)),
        "layer_norm": (layer_norm, lambda: (uniform(20_000, 512), uniform(512), uniform(512))),
        "n_body": (n_body, lambda: (uniform(3000, 3), uniform(3000))),
        "kmeans": (kmeans, lambda: (uniform(5_000_000, 2), uniform(2, 2))),
        "black_scholes": (
            black_scholes,
            lambda: (uniform(10_000_000) + 1, uniform(10_000_000) + 1, uniform(10_000_000) + 0.1),
        ),
        "blurred": (blurred, lambda: (uniform(4000, 4000),)),
    }


def one(name: str, dtype: str) -> dict[str, Any]:
    """Return what a program did with NumPy arrays and with device arrays."""
    import torch

    import npcompile

    function, made = cases(dtype)[name]
    arguments = made()
    plain = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    began = time.perf_counter()
    expected = function(*plain)
    found: dict[str, Any] = {"numpy_ms": 1e3 * (time.perf_counter() - began)}
    if expected is None:
        expected = plain[0]
    for way in ("numpy", "device"):
        jitted = npcompile.jit(function, wait=True)
        report: dict[str, Any] = {}
        found[way] = report
        with npcompile.device("cuda", force=True):  # or the host does what takes less time there
            began = time.perf_counter()
            for _ in range(3):
                own = fresh(arguments, way)
                answer = jitted(*own)
            torch.cuda.synchronize()
            report["first_three_s"] = time.perf_counter() - began
            answer = own[0] if answer is None else answer
            report["right"] = close(answer, expected)
            times = []
            spent = time.perf_counter()
            while len(times) < 2 or (len(times) < 10 and time.perf_counter() - spent < 6):
                own = fresh(arguments, way)
                before = counts(jitted)
                torch.cuda.synchronize()
                began = time.perf_counter()
                jitted(*own)
                torch.cuda.synchronize()
                times.append(time.perf_counter() - began)
        report["ms"] = 1e3 * sorted(times)[len(times) // 2]
        stats = jitted.stats
        for what, now, then in zip(("to", "back", "replays"), counts(jitted), before, strict=True):
            report[what] = now - then
        report["kernels"], report["reasons"] = stats.kernels, list(stats.reasons)[:4]
    return found


def counts(jitted: Any) -> tuple[int, int, int]:
    """Return the bytes to the device, the bytes from there, and the replays."""
    stats = jitted.stats
    return stats.bytes_to_device, stats.bytes_from_device, stats.replays


def fresh(arguments: tuple[Any, ...], way: str) -> list[Any]:
    """Return copies of arguments, as NumPy arrays or as arrays of the device."""
    import npcompile

    own = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    if way == "device":
        own = [npcompile.asarray(value) if isinstance(value, np.ndarray) else value for value in own]
    return own


def close(answer: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return all(close(mine, theirs) for mine, theirs in zip(answer, expected, strict=True))
    mine = np.asarray(answer)
    return mine.dtype == expected.dtype and bool(np.allclose(mine, expected, rtol=1e-3, atol=1e-4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--json", default="")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one, given.dtype)))
        return
    import torch

    if not torch.cuda.is_available():
        print("no CUDA device")
        return
    print(torch.cuda.get_device_name(), given.dtype)
    results = {}
    for name in given.only.split(",") if given.only else cases(given.dtype):
        command = [sys.executable, __file__, "--one", name, "--dtype", given.dtype]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            print(f"{name:20} NO ANSWER after {LIMIT:.0f} s", flush=True)
            continue
        if done.returncode:
            print(f"{name:20} FAILED {done.stderr[-1500:]}", flush=True)
            continue
        results[name] = found = json.loads(done.stdout.splitlines()[-1])
        for way in ("numpy", "device"):
            report = found[way]
            print(
                f"{name:20}{way:8}{report['ms']:10.2f} ms (NumPy {found['numpy_ms']:9.1f}) "
                f"{report['to'] / 1e6:9.1f} MB to {report['back'] / 1e6:9.1f} MB back "
                f"{report['kernels']:4} kernels {report['replays']:3} replays, first three "
                f"{report['first_three_s']:5.1f} s {'right' if report['right'] else 'WRONG'} "
                f"{report['reasons']}",
                flush=True,
            )
    if given.json:
        with open(given.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
