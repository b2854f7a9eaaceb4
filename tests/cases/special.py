"""Cases of SciPy's ufuncs that are ops. SciPy computes float32 with its own rounding: hence the ulp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

import npcompile.frontend.ops.special  # noqa: F401  (registers them)
from tests.cases.eager import Lane
from tests.cases.framework import FLOATS, REAL, Operands, binary, case, given, unary

NUMBERS = (True, 3, 2.5)
# Functions of one operand: those that are tried at all edge values of each dtype, and those at moderate ones.
CLOSE = (
    "erf",
    "erfinv",
    "erfcx",
    "expit",
    "log_expit",
    "entr",
    "log1p",
    "expm1",
    "exprel",
    "exp2",
    "exp10",
    "cbrt",
    "i0",
    "i0e",
    "i1",
)
FAR = ("erfc", "ndtr", "ndtri", "log_ndtr", "logit", "i1e", "k0", "k0e", "k1", "k1e")


def ufunc(space: Any, name: str) -> Any:
    """The ufunc, or its op where ops are called by themselves."""
    own = getattr(special, name)
    return space.of(own) if isinstance(space, Lane) else own


def moderate(dtype: str) -> np.ndarray:
    """Away from roots, where the digits that are left are few."""
    if np.dtype(dtype).kind in "biu":
        return np.array([1, 0, 1, 1], dtype)
    return np.array([0.5, 0.25, 3.0, 2.75, 0.125, 1e-3, 20.0, -0.5, -2.25, np.inf, -np.inf, np.nan], dtype)


def ours(operands: Operands) -> Operands:
    """Operands that are arrays or scalars: of a list SciPy makes an array, under `npcompile.numpy` too."""

    def some() -> Iterator[tuple[str, tuple[Any, ...]]]:
        return (row for row in operands() if not any(isinstance(item, list) for item in row[1]))

    return some


for name in CLOSE:
    body = lambda np, a, name=name: ufunc(np, name)(a)  # noqa: E731
    case(f"scipy.special.{name}", body, ours(unary(REAL, more=(), numbers=NUMBERS)), ulp=8)
for name in FAR:
    body = lambda np, a, name=name: ufunc(np, name)(a)  # noqa: E731
    case(f"scipy.special.{name}", body, ours(unary(REAL, moderate, (), NUMBERS)), ulp=128)
for name in ("gammaln", "psi"):
    body = lambda np, a, name=name: ufunc(np, name)(a)  # noqa: E731
    case(f"scipy.special.{name}", body, ours(unary(REAL, moderate, (), NUMBERS)), ulp=16, size=4.0)
for name, near in (("logit", np.linspace(0.25, 0.75, 101)), ("psi", np.linspace(1.4, 1.5, 101))):
    body = lambda np, a, name=name: ufunc(np, name)(a)  # noqa: E731
    case(f"scipy.special.{name}", body, given((near,), (near.astype("f4"),)), "near its root", ulp=4)
for name in ("xlogy", "xlog1py", "rel_entr", "huber"):
    body = lambda np, a, b, name=name: ufunc(np, name)(a, b)  # noqa: E731
    case(f"scipy.special.{name}", body, ours(binary(FLOATS, moderate, (), numbers=(3, 2.5))), ulp=16)
case(
    "scipy.special.erf",
    lambda np, a: ufunc(np, "erf")(a),
    given((np.array([1j]),)),
    "complex",
    refused=True,
)
