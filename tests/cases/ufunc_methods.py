"""Cases of the methods of ufuncs: reduce, accumulate, reduceat, outer and at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend.ops.ufunc_at import UNARY
from npcompile.frontend.ops.ufunc_methods import BINARY, MOST_STEPS
from tests.cases.framework import (
    BOOLS,
    COMPLEX,
    FLOATS,
    INTS,
    NATIVE,
    REAL,
    Operands,
    arrays,
    case,
    edges,
    filled,
    given,
    moderate,
)
from tests.cases.reductions import some_nan

# -- those that torch has functions for ----------------------------------------------------------------------

for name in ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"):
    kinds = REAL if name[:4] in ("maxi", "mini", "fmax", "fmin") else NATIVE
    ulp = 8 if name in ("add", "multiply") else 0
    size = None if name == "add" else 0.0
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a),
        arrays(kinds),
        ulp=ulp,
        half=4,
        size=size,
    )
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a, axis=None, keepdims=True),
        arrays(kinds, some_nan),
        "all",
        ulp=ulp,
        half=4,
        size=size,
    )
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a, (0, -1), dtype=np.float32, initial=3),
        arrays(INTS + FLOATS, more=()),
        "dtype",
        ulp=ulp,
        half=4,
        size=size,
    )
for name in ("add", "multiply", "maximum", "minimum"):
    kinds = REAL if name[:4] in ("maxi", "mini") else NATIVE
    for axis in (0, -1, 3):
        case(
            f"numpy.{name}.accumulate",
            lambda np, a, name=name, axis=axis: getattr(np, name).accumulate(a, axis),
            arrays(kinds, some_nan),
            f"axis={axis}",
            ulp=16 if name in ("add", "multiply") else 0,
            half=16,
            size=None if name == "add" else 0.0,
        )
OUTER = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "equal",
    "less",
    "less_equal",
    "greater",
)
for name in (*OUTER, "greater_equal", "hypot", "arctan2", "logical_and", "bitwise_and"):
    case(
        f"numpy.{name}.outer",
        lambda np, a, b, name=name: getattr(np, name).outer(a, b),
        given(
            *[
                (moderate(one), moderate(other))
                for one in BOOLS + INTS + FLOATS
                for other in ("int8", "float32")
            ],
            *[(filled((2, 3), dtype), edges(dtype)[:4]) for dtype in (*COMPLEX, "float64")],
            (np.float32(2), filled((3,), "float16")),
            ([1, 2, 3], np.array(4)),
        ),
        ulp=4,
    )
case(
    "numpy.add.outer",
    lambda np, a, b: np.add.outer(a, b),
    given((np.arange(3), 2), (2.5, np.float32([1, 2])), (3, 4)),
    "number",
)

for name in ("add", "multiply"):
    case(
        f"numpy.{name}.accumulate",
        lambda np, a, name=name: getattr(np, name).accumulate(a, dtype=bool),
        given((np.array([False, True, False]),), (np.array([[2, 0], [1, 1]]),)),
        "dtype=bool",
    )

# -- all of them ---------------------------------------------------------------------------------------------

FEW = ("bool", "int8", "int64", "float16", "float64", "complex64")  # tests/test_ufunc_methods.py has them all
ULP = 16


def shaped(dtypes: tuple[str, ...] = FEW) -> Operands:
    """Rows and a block of each dtype, an empty array, and one that runs backwards."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in dtypes:
            yield f"{dtype} 1-d", (moderate(dtype),)
        yield "3-d", (filled((2, 3, 4), "float64"),)
        yield "reversed", (filled((3, 4), "int64")[::-1, ::-1],)
        yield "empty", (np.empty((0, 4)),)
        yield "list", ([3, 1, 2],)

    return operands


def indexed(two: bool, dtypes: tuple[str, ...] = FEW) -> Operands:
    """An array, an index that means some places more than once, and values."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in dtypes:
            array, values = filled((5,), dtype), filled((4,), dtype)[::-1]
            yield dtype, (array, np.array([1, -1, 1, 0])) + ((values.copy(),) if two else ())
        block = filled((2, 3), "float64")
        yield "tuple", (block, (np.array([0, 0]), slice(None))) + ((np.arange(3.0),) if two else ())
        yield "row", (block, 1) + ((2.5,) if two else ())
        yield "outside", (block, [2]) + ((1,) if two else ())
        if two:
            yield "float64 into float32", (np.zeros(3, "f4"), [0, 0, 2], np.array([0.1, 0.2, 0.3]))
            yield "int64 into int8", (np.full(3, 100, "i1"), [0, 0, 2], np.array([100, 100, 27]))
            for dtype in ("uint16", "uint32", "uint64"):
                far = np.array([3, 2**15, np.iinfo(dtype).max], dtype)
                yield f"{dtype} row", (np.tile(far, (2, 1)), 0, far[1:2])
                yield f"{dtype} twice", (far.copy(), [1, 1, 0], np.array([7, 5, 2**15], dtype))

    return operands


def at(name: str, two: bool) -> Any:
    """A body that gives a copy that was written into. (The op, called by itself, gives the array.)"""

    def with_value(np: Any, a: Any, index: Any, value: Any) -> Any:
        made = np.array(a)
        whole = getattr(np, name).at(made, index, value)
        return made if whole is None else whole

    def alone(np: Any, a: Any, index: Any) -> Any:
        made = np.array(a)
        whole = getattr(np, name).at(made, index)
        return made if whole is None else whole

    return with_value if two else alone


NAMED = ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or")
VECTORS = ("power", "arctan2")  # float32 and float64 are reduced by NumPy, see ops/ufunc_methods.py
HALVES = given((np.array([2, 3, 1], "f2"),), (np.array([[True, False], [True, True]]),))
for np_ufunc in BINARY:
    name = np_ufunc.__name__
    reduced = HALVES if name in VECTORS else shaped()
    if name not in NAMED:
        case(
            f"numpy.{name}.reduce",
            lambda np, a, name=name: getattr(np, name).reduce(a),
            reduced,
            ulp=ULP,
            size=8.0,
        )
        case(
            f"numpy.{name}.reduce",
            lambda np, a, name=name: getattr(np, name).reduce(a, -1, initial=1, keepdims=True, where=a == a),
            HALVES if name in VECTORS else given((filled((2, 3), "int64"),)),
            "initial, where",
            ulp=ULP,
        )
    if name not in NAMED[:4]:
        case(
            f"numpy.{name}.accumulate",
            lambda np, a, name=name: getattr(np, name).accumulate(a, -1),
            shaped(),
            ulp=ULP,
            size=8.0,
        )
    case(
        f"numpy.{name}.reduceat",
        lambda np, a, name=name: getattr(np, name).reduceat(a, [0, 1, 0, 1], axis=-1),
        reduced,
        ulp=ULP,
        size=8.0,
    )
    case(
        f"numpy.{name}.outer",
        lambda np, a, name=name: getattr(np, name).outer(a, a),
        shaped(),
        "itself",
        ulp=ULP,
    )
    case(f"numpy.{name}.at", at(name, True), indexed(True), ulp=ULP, size=8.0)
case(
    "numpy.divmod.outer", lambda np, a: np.divmod.outer(a, a), shaped(("bool", "int8", "float16", "float64"))
)
for np_ufunc in UNARY:
    case(f"numpy.{np_ufunc.__name__}.at", at(np_ufunc.__name__, False), indexed(False), ulp=ULP)

case(
    "numpy.bitwise_and.at",
    at("bitwise_and", True),
    given((np.zeros(3), np.empty(0, int), np.empty(0)), (np.zeros(0), slice(None), 1)),
    "nothing of floats",
)
case(
    "numpy.add.reduceat",
    lambda np, a, i: np.add.reduceat(a, i),
    given((np.arange(8), np.array([0, 4, 1, 5, 2, 6, 3, 7])), (np.arange(3.0), [3]), (np.arange(3.0), [-1])),
    "indices",
)
case(
    "numpy.subtract.reduce",
    lambda np, a: np.subtract.reduce(a),
    given((np.arange(MOST_STEPS + 1),)),
    "too long",
    refused=True,
)
for name in VECTORS:
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a),
        given((np.array([2.0, 3.0, 2.0]),)),
        "vectors",
        refused=True,
    )
case(
    "numpy.add.outer",
    lambda np, a, b: np.add.outer(a, b, out=np.zeros((3, 2)), where=[True, False]),
    given((np.arange(3), np.arange(2.0))),
    "out, where",
)
case(
    "numpy.multiply.outer",
    lambda np, a, b: np.multiply.outer(a, b, dtype=np.float32),
    given((np.arange(3), np.arange(2.0)), (2, np.arange(2.0))),
    "dtype",
)
