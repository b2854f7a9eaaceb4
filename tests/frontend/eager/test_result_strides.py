"""How answers lie in memory: strides, flags and whether another array owns the memory are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy as np

PLAIN = (numpy.arange(24) * 7 % 11 - 4).astype("f8")
LAYOUTS: dict[str, Callable[[], numpy.ndarray]] = {
    "C": lambda: PLAIN.reshape(4, 6).copy(),
    "F": lambda: numpy.asfortranarray(PLAIN.reshape(4, 6)),
    "transposed": lambda: PLAIN.reshape(2, 3, 4).copy().transpose(1, 2, 0),
    "F of 3": lambda: numpy.asfortranarray(PLAIN.reshape(2, 3, 4)),
    "strided": lambda: PLAIN.reshape(4, 6).copy()[::2, 1::2],
    "backwards": lambda: PLAIN.reshape(4, 6).copy()[::-1, ::-1],
    "broadcast": lambda: numpy.broadcast_to(PLAIN[:4].copy(), (3, 4)),
    "integers": lambda: numpy.asfortranarray(PLAIN.reshape(4, 6).astype("i2")),
}
BODIES: list[Callable[[Any, Any], Any]] = [
    lambda np, a: np.concatenate([a, a]),
    lambda np, a: np.concatenate([a, a.copy()], axis=1),
    lambda np, a: np.concatenate([a, a], axis=None),
    lambda np, a: np.stack([a, a]),
    lambda np, a: np.stack([a, a.copy()], 1),
    lambda np, a: np.stack([a, a], axis=-1),
    lambda np, a: np.vstack([a, a]),
    lambda np, a: np.hstack([a, a]),
    lambda np, a: np.dstack([a, a]),
    lambda np, a: np.column_stack([a, a]),
    lambda np, a: np.block([[a, a], [a, a]]),
    lambda np, a: np.append(a, a, axis=0),
    lambda np, a: np.roll(a, 1),
    lambda np, a: np.roll(a, 1, axis=0),
    lambda np, a: np.roll(a, (1, 2), axis=(0, 1)),
    lambda np, a: np.fft.fftshift(a),
    lambda np, a: np.tile(a, 2),
    lambda np, a: np.tensordot(a, a, axes=0),
    lambda np, a: np.kron(a, a),
    lambda np, a: np.reshape(a, (2, -1)),
    lambda np, a: a.reshape(-1, order="F"),
    lambda np, a: np.sort(a, axis=0),
    lambda np, a: np.sort(a, axis=1),
    lambda np, a: np.argsort(a, axis=0, kind="stable"),
    lambda np, a: np.searchsorted([0, 1, 2], a),
    lambda np, a: np.digitize(a, [0, 1, 2]),
    lambda np, a: np.interp(a, [0, 1], [0, 2]),
    lambda np, a: np.cumsum(a, axis=0),
    lambda np, a: a.cumsum(1),
    lambda np, a: np.cumprod(a, 1),
    lambda np, a: np.nancumsum(a, axis=1),
    lambda np, a: np.sum(a, axis=0),
    lambda np, a: np.sum(a, axis=-1, keepdims=True),
    lambda np, a: np.add.reduce(a, 1),
    lambda np, a: np.max(a, axis=0),
    lambda np, a: np.any(a, 0),
    lambda np, a: np.all(a, 1),
    lambda np, a: np.mean(a, axis=0),
    lambda np, a: np.std(a, axis=1),
    lambda np, a: np.var(a, axis=0, keepdims=True),
    lambda np, a: np.average(a, axis=0),
    lambda np, a: np.median(a, axis=0),
    lambda np, a: np.ptp(a, 0),
    lambda np, a: np.count_nonzero(a, axis=0),
    lambda np, a: np.nanmax(a, axis=0),
    lambda np, a: np.nanmean(a, axis=1),
    lambda np, a: np.linalg.norm(a, axis=0),
    lambda np, a: np.round(a, 1),
    lambda np, a: a.imag,
    lambda np, a: np.imag(a),
    lambda np, a: np.copy(a),
    lambda np, a: a.copy("K"),
    lambda np, a: a.astype("f4"),
    lambda np, a: np.array(a, ndmin=5),
    lambda np, a: np.zeros_like(a),
    lambda np, a: np.full_like(a, 2, order="C"),
    lambda np, a: np.nan_to_num(a),
    lambda np, a: np.gradient(a, axis=0),
    lambda np, a: np.piecewise(a, [a > 0], [1, 2]),
    lambda np, a: np.unwrap(a),
    lambda np, a: np.nonzero(a)[1],
    lambda np, a: np.flatnonzero(a),
    lambda np, a: np.where(a > 0, a, 0),
    lambda np, a: np.where(a, 1, a.copy("C")),
    lambda np, a: np.where(a[..., :1] > 0, a, 0),
    lambda np, a: np.count_nonzero(a > 0, axis=1),
    lambda np, a: np.diff(a, axis=-1),
    lambda np, a: np.diff(a, axis=0),
    lambda np, a: np.diff(a, 2, axis=0),
    lambda np, a: np.diff(a, axis=1),
    lambda np, a: np.diff(a, prepend=0),
    lambda np, a: np.fft.hfft(a),
    lambda np, a: np.fft.hfft(a, axis=0),
    lambda np, a: np.i0(a),
    lambda np, a: np.diff(a, prepend=a, append=1, axis=0),
    lambda np, a: np.diff(a, 2, prepend=a[..., :1]),
    lambda np, a: np.take_along_axis(a, np.argsort(a, axis=0, kind="stable"), axis=0),
    lambda np, a: np.take_along_axis(a, np.asarray(a > 0, dtype=int), axis=-1),
]


def facts(array: Any) -> tuple[Any, ...]:
    flags = array.flags
    return (
        *(array.shape, array.strides, flags.c_contiguous, flags.f_contiguous, flags.writeable),
        *(flags.owndata, array.base is None),
    )


@pytest.mark.parametrize("body", BODIES)
def test_answers_lie_as_numpys(body: Callable[[Any, Any], Any]) -> None:
    wrong = []
    for label, make in LAYOUTS.items():
        want, got = body(numpy, make()), body(np, np.asarray(make()))
        assert got.tolist() == want.tolist() or numpy.allclose(numpy.asarray(got), want)
        if facts(got) != facts(want):
            wrong.append(f"{label}: {facts(got)}, NumPy's {facts(want)}")
    assert not wrong, "\n".join(wrong)
