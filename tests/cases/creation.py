"""Cases of the functions that make arrays."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import (
    FLOATS,
    NATIVE,
    REAL,
    WIDER,
    arrays,
    binary,
    case,
    edges,
    filled,
    given,
    moderate,
    unary,
)

NOTHING = given(())
DTYPES = (
    None,
    "bool",
    "int8",
    "float16",
    "float32",
    "complex64",
    np.int32,
    int,
    float,
    complex,
    "uint16",
    ">f8",
)

for name in ("zeros", "ones", "empty"):
    # items that empty leaves in the array are not compared
    for at, shape in enumerate((3, (2, 3), [2, 0], (), -1, (2, -3))):
        case(
            f"numpy.{name}",
            lambda np, name=name, shape=shape: (
                np.zeros_like(getattr(np, name)(shape)) if name == "empty" else getattr(np, name)(shape)
            ),
            NOTHING,
            f"shape {at}",
        )
    for dtype in DTYPES:
        case(
            f"numpy.{name}",
            lambda np, name=name, dtype=dtype: (
                np.zeros_like(getattr(np, name)((2, 3), dtype))
                if name == "empty"
                else getattr(np, name)((2, 3), dtype=dtype)
            ),
            NOTHING,
            str(dtype),
        )
    case(
        f"numpy.{name}",
        lambda np, name=name: (
            np.zeros_like(np.empty((2, 3), order="F"))
            if name == "empty"
            else getattr(np, name)((2, 3), order="F")
        ),
        NOTHING,
        "order",
    )

case("numpy.full", lambda np, a: np.full((3, 2), a), unary(values=lambda dtype: edges(dtype)[:2]))
case("numpy.full", lambda np, a: np.full((2, 4), a), arrays(NATIVE), "array")
for dtype in ("uint8", "float32", "complex64", "bool", "uint16"):
    case(
        "numpy.full",
        lambda np, a, dtype=dtype: np.full((2,), a, dtype),
        given((3,), (2.5,), (True,), (300,), (1e3,), (2j,), (-1,), (np.float64(2.5),), (np.int8(-1),)),
        f"dtype={dtype}",
    )
for name in ("zeros_like", "ones_like", "empty_like"):
    case(f"numpy.{name}", lambda np, a, name=name: np.zeros_like(getattr(np, name)(a)), arrays(), "same")
    case(
        f"numpy.{name}",
        lambda np, a, name=name: np.zeros_like(getattr(np, name)(a, dtype="f4", order="C", shape=(2, 3))),
        arrays(REAL, more=()),
        "other",
    )
case("numpy.ones_like", lambda np, a: np.ones_like(a), unary(), "values")
case("numpy.zeros_like", lambda np, a: np.zeros_like(a), unary(), "values")
case("numpy.full_like", lambda np, a: np.full_like(a, 2), arrays())
case("numpy.full_like", lambda np, a, b: np.full_like(a, b), binary(REAL, moderate), "values")
case("numpy.full_like", lambda np, a: np.full_like(a, 2.5, dtype=np.float32, shape=(3,)), arrays(), "other")

RANGES = (
    (5,),
    (2, 7),
    (7, 2, -2),
    (0, 1, 0.1),
    (1.5, 9),
    (0.0, -1.0, 0.3),
    (0, 5, 2.5),
    (np.int8(3),),
    (np.float32(4),),
    (1, 2, np.float32(0.25)),
    (0,),
    (-3,),
    (0.1, 1.0, 1e-3),
    (2**40, 2**40 + 5),
    (0, 3, 0),
)
for at, ends in enumerate(RANGES):
    case("numpy.arange", lambda np, ends=ends: np.arange(*ends), NOTHING, f"ends {at}")
    for dtype in ("float32", "float16", "int8", "int32", "complex64", "uint32"):
        if dtype != "int8" or at != 13:
            case(
                "numpy.arange",
                lambda np, e=ends, d=dtype: np.arange(*e, dtype=d),
                NOTHING,
                f"ends {at} {dtype}",
            )
case("numpy.arange", lambda np: np.arange(start=1, stop=4), NOTHING, "keywords")
case("numpy.arange", lambda np: np.arange(2000, dtype="f4"), NOTHING, "long")
case("numpy.arange", lambda np: np.arange(0.0, 3.0, 0.001, dtype="f4"), NOTHING, "long float")

ENDS = given(
    (0, 1),
    (0.5, -3.25),
    (np.float32(0.1), 7),
    (np.float32(0.1), np.float32(7)),
    (np.array([0.0, 1.0]), 5),
    ([1, 2], np.array([3.5, 4.5], "f4")),
    (0, 1e-323),
    (1j, 3),
    (3, 3),
)
for num in (0, 1, 2, 7, 50):
    case("numpy.linspace", lambda np, a, b, num=num: np.linspace(a, b, num), ENDS, str(num))
    case(
        "numpy.linspace",
        lambda np, a, b, num=num: np.linspace(a, b, num, endpoint=False),
        ENDS,
        f"{num} open",
    )
case(
    "numpy.linspace",
    lambda np, a, b: np.linspace(a, b, 3, dtype="u1"),
    given((0, 2j), (1j, 2)),
    "complex int",
)
case("numpy.linspace", lambda np, a, b: np.linspace(a, b, -1), given((0, 1)), "negative")
case("numpy.linspace", lambda np, a, b: np.linspace(a, b, 5, axis=-1), ENDS, "axis")
case("numpy.linspace", lambda np, a, b: np.linspace(a, b, 11, dtype=int), given((0, 10), (-3.5, 4)), "int")
case(
    "numpy.linspace", lambda np, a, b: np.linspace(a, b, 11, dtype="f4"), given((0, 10), (-3.5, 4)), "float32"
)
case(
    "numpy.linspace", lambda np, a, b: np.linspace(a, b, retstep=True), given((0, 1)), "retstep", refused=True
)
case(
    "numpy.logspace",
    lambda np, a, b: np.logspace(a, b, 7),
    given((0, 3), (-2.5, 2.0), (np.float32(1), 2)),
    ulp=8,
)
case(
    "numpy.logspace",
    lambda np, a, b: np.logspace(a, b, 7, base=2, dtype="f4"),
    given((0, 3), (-2.5, 2)),
    "base",
    ulp=8,
)

MATRICES = ((3,), (3, 4), (3, 4, 1), (3, 2, -1), (0,), (2, 5, 9), (3, None, -5))
for at, size in enumerate(MATRICES):
    for name in ("eye", "tri"):
        case(f"numpy.{name}", lambda np, name=name, size=size: getattr(np, name)(*size), NOTHING, str(at))
        case(
            f"numpy.{name}",
            lambda np, name=name, size=size: getattr(np, name)(*size, dtype="i4"),
            NOTHING,
            f"{at} int32",
        )
case("numpy.eye", lambda np: np.eye(-1), NOTHING, "negative")
case("numpy.identity", lambda np: np.identity(3), NOTHING)
case("numpy.identity", lambda np: np.identity(2, bool), NOTHING, "bool")
for k in (0, 1, -2):
    case("numpy.tril", lambda np, a, k=k: np.tril(a, k), arrays(), str(k))
    case("numpy.triu", lambda np, a, k=k: np.triu(a, k), arrays(), str(k))

for sizes in ((2, 3), (4,), (2, 0), (), (2, 1, 3)):
    case("numpy.indices", lambda np, sizes=sizes: np.indices(sizes), NOTHING, str(sizes))
    case("numpy.indices", lambda np, sizes=sizes: np.indices(sizes, "f4", True), NOTHING, f"{sizes} sparse")
LINES = given(
    (np.arange(3), np.arange(4.0)),
    (np.arange(3, dtype="f4"), [1, 2]),
    (np.float32(2), np.arange(2)),
    (np.empty(0), np.arange(2)),
)
case("numpy.meshgrid", lambda np, a, b: np.meshgrid(a, b), LINES)
case("numpy.meshgrid", lambda np, a, b: np.meshgrid(a, b, a, indexing="ij"), LINES, "ij")
case("numpy.meshgrid", lambda np, a, b: np.meshgrid(a, b, b), LINES, "three")
case("numpy.meshgrid", lambda np, a, b: np.meshgrid(a, b, sparse=True), LINES, "sparse")
case("numpy.meshgrid", lambda np, a: np.meshgrid(a), given((np.arange(3),)), "one")
case(
    "numpy.meshgrid",
    lambda np, a: np.meshgrid(a, a, copy=False),
    given((np.arange(3),)),
    "views",
    refused=True,
)

LISTS = given(
    ([1, 2.5, 3],),
    ([[1, 2], [3, 4]],),
    ([np.arange(3), [1.5, 2, 3]],),
    ([np.float32(1), 2],),
    (3,),
    (2.5,),
    ([],),
    ([True, False],),
    ([1j, 2],),
    ((np.arange(2), np.arange(2.0)),),
)
for name in ("array", "asarray", "ascontiguousarray"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), LISTS, "lists")
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), arrays())
    for dtype in ("float32", "int64", "complex64", "uint16"):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, dtype=dtype: getattr(np, name)(a, dtype=dtype),
            arrays(REAL, more=WIDER),
            dtype,
        )
case("numpy.asarray", lambda np, a: np.asanyarray(a), arrays(FLOATS), "any")
case(
    "numpy.array",
    lambda np, a: np.array(a, ndmin=3),
    given((filled((3,), "float64"),)),
    "ndmin",
)
case(
    "numpy.array",
    lambda np, a: np.array(a, dtype=np.uint64),
    given(([9923372036854775807, 104783749223640],), ([[2**63 + 1], [3]],)),
    "integers beyond int64",
    refused=True,
)
for name in ("zeros_like", "ones_like", "empty_like"):
    LAID = np.empty((2, 3, 4))
    case(
        f"numpy.{name}",
        lambda np, a, name=name: np.logical_and(getattr(np, name)(a, shape=(3, 5, 2)), False),
        given((LAID,), (LAID.T,), (LAID.transpose(1, 0, 2),), (LAID[0],)),
        "another shape",
    )
case("numpy.ones", lambda np, a: np.ones(a), given((np.array([2, 3]),)), "sizes in an array", refused=True)
case(
    "numpy.logspace",
    lambda np, a: np.logspace(0, 1, 4, base=a),
    given((np.array([2.0, 3.0]),)),
    "bases",
    refused=True,
)
