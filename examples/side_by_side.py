"""What the examples share: one function, run as plain NumPy and compiled, side by side.

Each example has `example(size, seed)`, which gives the jitted function and fresh arguments for it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

CALLS = 5  # steady time is the median of so many calls
SETTLE = 4  # calls after which all that will be compiled is


def agree(got: Any, want: Any, tolerance: float = 1e-6) -> bool:
    """Are two answers the same: arrays (to a tolerance), numbers, containers and objects with attributes?"""
    if type(got) is not type(want):
        return False
    if isinstance(want, np.ndarray | np.generic | float | complex):
        if np.asarray(got).dtype.kind in "fc" and np.shape(got) == np.shape(want):
            size = np.max(np.abs(want), initial=0.0, where=np.isfinite(want))
            return np.allclose(got, want, rtol=tolerance, atol=tolerance * size, equal_nan=True)
        return np.array_equal(got, want)
    if isinstance(want, dict):
        return list(got) == list(want) and all(agree(got[key], want[key], tolerance) for key in want)
    if isinstance(want, tuple | list):
        return len(got) == len(want) and all(map(lambda a, b: agree(a, b, tolerance), got, want))
    if isinstance(want, np.random.Generator):
        return bool(got.bit_generator.state == want.bit_generator.state)
    if hasattr(want, "__dict__"):
        return agree(vars(got), vars(want), tolerance)
    return bool(got == want)


def timed(call: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call(*args)
    return time.perf_counter() - start, (result, args)


def compare(example: Callable[..., tuple[Any, tuple[Any, ...]]], **size: int) -> bool:
    """Runs the example both ways on equal arguments, prints times and whether the answers agree."""
    jitted, args = example(**size)
    first, answer = timed(jitted, args)
    for _ in range(SETTLE):
        jitted.wait()
        _, answer = timed(jitted, example(**size)[1])
    _, expected = timed(jitted.__wrapped__, example(**size)[1])
    equal = agree(answer, expected)
    plain, compiled = [], []
    for _ in range(CALLS):
        plain.append(timed(jitted.__wrapped__, example(**size)[1])[0])
        compiled.append(timed(jitted, example(**size)[1])[0])
    numpys, ours = statistics.median(plain) * 1e3, statistics.median(compiled) * 1e3
    print(f"\nNumPy      {numpys:9.2f} ms a call")
    print(
        f"npcompile  {ours:9.2f} ms a call, {numpys / ours:.2f} times NumPy's speed; the first {first:.3f} s"
    )
    print(f"equal: {'yes' if equal else 'NO'}; {jitted.stats.replays} of {jitted.stats.calls} calls compiled")
    for reason in jitted.stats.reasons:
        print(f"  uncompiled: {reason}")
    return equal
