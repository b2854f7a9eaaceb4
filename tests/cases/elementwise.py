"""Cases of the elementwise ufuncs."""

from __future__ import annotations

from tests.cases.framework import binary, case

case("numpy.add", lambda np, a, b: np.add(a, b), binary())
case("numpy.subtract", lambda np, a, b: np.subtract(a, b), binary())
case("numpy.multiply", lambda np, a, b: np.multiply(a, b), binary(), ulp=1)
case("numpy.equal", lambda np, a, b: np.equal(a, b), binary())
