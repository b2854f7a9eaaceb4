"""Writes into parts of a large array: what is not written must not cost anything. 3000 by 3000 float64."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import npcompile
from timing import Candidate, header, interleaved, parser, save, table


def two_rows(u):
    u[0] = 1
    u[-1] = 0


def boundaries(u):
    u[0] = u[1]
    u[-1] = u[-2]
    u[:, 0] = u[:, 1]
    u[:, -1] = u[:, -2]


def row_in_place(u):
    u[0] += 1


def candidates(function: Callable[..., Any]) -> list[Candidate]:
    compiled = npcompile.jit(function)
    u = np.random.default_rng(0).standard_normal((3000, 3000))
    return [
        Candidate("NumPy", functools.partial(written, function, u.copy())),
        Candidate("torch.compile", functools.partial(written, torch.compile(function), u.copy())),
        Candidate("npcompile", functools.partial(written, compiled, u), settle=compiled.wait),
    ]


def written(function: Callable[..., Any], u: np.ndarray) -> np.ndarray:
    """Calls the function and answers with what it wrote into, for the comparison."""
    function(u)
    return u


def main() -> None:
    chosen = parser(__doc__).parse_args()
    header("writes into slices")
    for title, function in (
        ("u[0] = 1; u[-1] = 0", two_rows),
        ("four boundary copies", boundaries),
        ("u[0] += 1", row_in_place),
    ):
        rows = candidates(function)
        interleaved(rows)
        print(f"\n{title}\n{table(rows)}", flush=True)
        save(chosen.json, title, rows)


if __name__ == "__main__":
    main()
