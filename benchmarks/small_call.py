"""What one call costs on small arrays: np.sum(x*y + np.sin(x), axis=0) on 100 by 10 float64."""

from __future__ import annotations

import functools

import numpy as np
import torch

import npcompile
from timing import Candidate, header, interleaved, parser, save, table


def small(x, y):
    return np.sum(x * y + np.sin(x), axis=0)


def main() -> None:
    chosen = parser(__doc__).parse_args()
    header("a small call")
    x, y = np.random.default_rng(0).standard_normal((2, 100, 10))
    compiled = npcompile.jit(small)
    rows = [
        Candidate("NumPy", functools.partial(small, x, y)),
        Candidate("torch.compile", functools.partial(torch.compile(small), x, y)),
        Candidate("npcompile", functools.partial(compiled, x, y), settle=compiled.wait),
    ]
    interleaved(rows, rounds=25)
    print(f"\n100 by 10\n{table(rows)}")
    save(chosen.json, "a small call, 100 by 10", rows)


if __name__ == "__main__":
    main()
