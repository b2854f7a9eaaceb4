"""Cases of the elementwise ufuncs."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import FLOATS, INTS, NATIVE, REAL, binary, case, filled, given, moderate, unary

# -- arithmetic ----------------------------------------------------------------------------------------------

case("numpy.add", lambda np, a, b: np.add(a, b), binary())
case("numpy.subtract", lambda np, a, b: np.subtract(a, b), binary())
case("numpy.multiply", lambda np, a, b: np.multiply(a, b), binary(), ulp=1)
case("numpy.divide", lambda np, a, b: np.divide(a, b), binary(REAL), half=0)
case("numpy.divide", lambda np, a, b: np.divide(a, b), binary(values=moderate), "complex", ulp=4)
case("numpy.square", lambda np, a: np.square(a), unary(), ulp=1)
case("numpy.negative", lambda np, a: np.negative(a), unary())
case("numpy.positive", lambda np, a: np.positive(a), unary())
case("numpy.divmod", lambda np, a, b: np.divmod(a, b), binary(REAL))
case("numpy.floor_divide", lambda np, a, b: np.floor_divide(a, b), binary())
case("numpy.remainder", lambda np, a, b: np.remainder(a, b), binary())
case("numpy.fmod", lambda np, a, b: np.fmod(a, b), binary())
for name in ("divmod", "floor_divide", "remainder"):
    for number in (1, 3, 10, 64, 100, 1000, 2**31 - 1, -3, 0):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, b=number: getattr(np, name)(a, b),
            unary(REAL),
            f"by {number}",
        )
case("numpy.reciprocal", lambda np, a: np.reciprocal(a), unary(REAL))
case("numpy.reciprocal", lambda np, a: np.reciprocal(a), unary(values=moderate), "complex", ulp=4)

# -- powers --------------------------------------------------------------------------------------------------

WEAK = (True, 3, -2, 300, 2.5, 0.5)
case("numpy.power", lambda np, a, b: np.power(a, b), binary(REAL, numbers=WEAK), ulp=4)
case("numpy.power", lambda np, a, b: np.power(a, b), binary(values=moderate), "complex", ulp=4)
case("numpy.float_power", lambda np, a, b: np.float_power(a, b), binary(REAL, numbers=WEAK), ulp=4)
for exponent in (0, 1, 2, 3, 4, 5, -1, -2, 64, 0.5, 2.0, -0.5):
    case(
        "numpy.power",
        lambda np, a, b=exponent: np.power(a, b),
        unary(REAL),
        f"static {exponent}",
        ulp=64 if exponent == 64 else 4,
    )
case("numpy.sqrt", lambda np, a: np.sqrt(a), unary(REAL))
case("numpy.sqrt", lambda np, a: np.sqrt(a), unary(), "complex", ulp=4)
case("numpy.cbrt", lambda np, a: np.cbrt(a), unary(), ulp=4)

# -- signs, sizes, rounding ----------------------------------------------------------------------------------

case("numpy.absolute", lambda np, a: np.absolute(a), unary(REAL))
case("numpy.absolute", lambda np, a: np.abs(a), unary(), "complex", ulp=1)
for name in ("fabs", "conjugate", "rint", "floor", "ceil", "trunc", "modf", "frexp", "spacing"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary())
case("numpy.sign", lambda np, a: np.sign(a), unary(REAL))
case("numpy.sign", lambda np, a: np.sign(a), unary(), "complex", ulp=4)
PARTS = (0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1.7e308, -1.7e308, 5e-324)
PAIRS = np.array([complex(re, im) for re in PARTS for im in PARTS])
case("numpy.sign", lambda np, a: np.sign(a), given((PAIRS,)), "infinite parts", ulp=4)
for name in ("heaviside", "copysign", "nextafter", "ldexp"):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary())

# -- transcendental functions --------------------------------------------------------------------------------

for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary(REAL), ulp=4)
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(values=moderate),
        "complex",
        ulp=4,
    )
for name in (
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary(REAL), ulp=4)
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(values=moderate),
        "complex",
        ulp=4,
    )


def dense(dtype: str) -> np.ndarray:
    """Values near 0, near 1, and up to where exponentials overflow: formulas that cancel show there."""
    near = np.array(
        [1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1.001, 1.5, 3, 10, 80, 89, 700, 710]
    )
    return np.concatenate([near, -near]).astype(dtype)


for name in ("exp", "expm1", "log1p", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary(FLOATS, dense), "dense", ulp=4)
for name in ("degrees", "rad2deg", "radians", "deg2rad"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary())
for name in ("logaddexp", "logaddexp2"):  # -log(2) + log(2): right to the size of what is added
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary(), ulp=4, size=1.0)
for name in ("arctan2", "hypot"):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary(), ulp=4)

# -- keywords of every ufunc ---------------------------------------------------------------------------------

case("numpy.add", lambda np, a, b: np.add(a, b, dtype=np.float32), binary(INTS + FLOATS), "dtype")
case(
    "numpy.multiply",
    lambda np, a, b: np.multiply(a, b, dtype="f8", casting="safe"),
    binary(REAL, moderate),
    "safe",
)
case("numpy.sqrt", lambda np, a: np.sqrt(a, dtype=np.float64), unary(NATIVE, moderate), "dtype", ulp=4)
for out in ("float64", "float32"):
    case(
        "numpy.add",
        lambda np, a, b, out=out: np.add(a, b, out=np.full((3, 4), 7, out), where=[True, False, True, False]),
        given((filled((3, 4), "int32"), 2.5), (filled((3, 4), "float64"), filled((4,), "float32"))),
        f"where, out={out}",
    )
case(
    "numpy.divide",
    lambda np, a, b, m: np.divide(a, b, where=m, out=np.zeros((2, 2))),
    given((np.array([[1.0, 2], [3, 4]]), np.array([0, 2]), np.array([[True, False], [False, True]]))),
    "where",
)
case(
    "numpy.add",
    lambda np, a, b: np.add(a, b, where=a > b)[2],  # the rest is whatever was in memory
    given((np.arange(3), np.ones(3))),
    "where alone",
)
case(
    "numpy.multiply",
    lambda np, a, b: np.multiply(a, b, signature="ff->f", casting="unsafe"),
    given((filled((3, 4), "int32"), 2.5), (filled((3, 4), "float64"), filled((4,), "float16"))),
    "signature",
)

# -- zeros, infinities and NaN in complex numbers ------------------------------------------------------------

_PARTS = (0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan)
_SPECIAL = np.array([complex(real, imaginary) for real in _PARTS for imaginary in _PARTS])
for name in ("arccos", "log1p"):
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        given((_SPECIAL,), (_SPECIAL.astype("c8"),)),
        "special",
        ulp=4,
    )
case(
    "numpy.arccos",
    lambda np, a: np.signbit(np.imag(np.arccos(a))),
    given((_SPECIAL[np.isfinite(_SPECIAL)],), (_SPECIAL[np.isfinite(_SPECIAL)].astype("c8"),)),
    "signs of zeros",
)
