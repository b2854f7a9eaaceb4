"""Jitted functions of a module, which Dask's processes import, and what each way to use them is to give."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np

import npcompile

X = np.random.default_rng(0).random((400, 3))
MEANS = X[:5].copy()
CHUNK = 100


@npcompile.jit
def nearest(x: Any, means: Any) -> Any:
    return np.argmin(np.linalg.norm(x[:, None] - means, axis=2), axis=1)


@npcompile.jit
def norm(x: Any) -> Any:
    return np.sqrt((x * x).sum(axis=-1))


def chunked() -> Any:
    return da.from_array(X, chunks=(CHUNK, 3))


def results(scaled: Any) -> dict[str, tuple[Any, Any]]:
    """Return, for each way, what Dask is to compute, and NumPy's answer. scaled: a jitted elementwise
    function."""
    rows = [X[at : at + CHUNK] for at in range(0, len(X), CHUNK)]
    plain = scaled.__wrapped__
    return {
        "map_blocks": (chunked().map_blocks(scaled, dtype=float), plain(X)),
        "blockwise": (
            da.blockwise(nearest, "i", chunked(), "ij", MEANS, None, dtype=int, concatenate=True),
            nearest.__wrapped__(X, MEANS),
        ),
        "apply_gufunc": (
            da.apply_gufunc(norm, "(i)->()", chunked(), output_dtypes=float),
            norm.__wrapped__(X),
        ),
        "delayed": ([dask.delayed(scaled)(row, 3.0) for row in rows], [plain(row, 3.0) for row in rows]),
    }
