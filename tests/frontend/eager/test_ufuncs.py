"""Ufuncs under `npcompile.numpy`: every method of every ufunc in every dtype, outputs, layouts, errors."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from scipy import special

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.frontend.ops.ufunc_at import UNARY
from npcompile.frontend.ops.ufunc_methods import BINARY
from tests.cases.framework import NATIVE
from tests.checker import same, same_exception

# float32 and float64 go to NumPy, whose vector loops do not reduce every element (ops/ufunc_methods.py).
VECTORS = (numpy.power, numpy.arctan2)
PLACES = numpy.array([0, 2, 2, -1, 0, 2])


def some(dtype: str, count: int) -> Any:
    """Small numbers of both signs, exact in every dtype."""
    values = numpy.random.default_rng(count).integers(-6, 9, count)
    if dtype in ("bool", "uint8"):
        return (abs(values) % 3).astype(dtype)
    if dtype.startswith("c"):
        return (values / 4 + 1j * values[::-1]).astype(dtype)
    return (values / 4 if dtype.startswith("f") else values).astype(dtype)


def calls(method: str, two: bool, dtype: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    row, block = some(dtype, 6), some(dtype, 24).reshape(2, 3, 4)
    if method == "reduce":
        return [
            ((row,), {}),
            ((block, 1), {}),
            ((block, -1), {"keepdims": True}),
            ((block, (0, 2)), {}),
            ((block, None), {}),
            ((block, 1), {"initial": 1}),
            ((block, 1), {"initial": 2, "where": block[:1] == block[:1, :1]}),
            ((block[:, :0], 1), {}),
            ((block, 1), {"dtype": "f8"}),
        ]
    if method == "accumulate":
        return [((row,), {}), ((block, 1), {}), ((block[:, :0], 1), {}), ((block, 0), {"dtype": "f4"})]
    if method == "reduceat":
        return [((row, [0, 3, 1, 5]), {}), ((block, numpy.array([1, 0, 2, 2]), 1), {}), ((row, [6]), {})]
    if method == "outer":
        return [
            ((row, row), {}),
            ((block, row[:2]), {}),
            ((row[3], row), {}),
            ((row, 3), {}),
            ((2.5, row), {}),
        ]
    more = [
        (row, PLACES),
        (block, (0, PLACES[:4] % 3)),
        (block, (slice(None), [0, 0, 1])),
        (block, 1),
        (row, [9]),
    ]
    if not two:
        return [(args, {}) for args in more]
    given = [row, some(dtype, 4), row[:4], row[2], row[2]]
    return [
        *[((*args, value), {}) for args, value in zip(more, given, strict=True)],
        *[((row, PLACES, some(other, 6)), {}) for other in ("int64", "float32", "bool")],
        ((row, PLACES, 1), {}),
        ((row, numpy.arange(6) % 2 == 0, 1), {}),
    ]


def run(space: Any, ufunc: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    own = [space.array(item) if isinstance(item, numpy.ndarray) else item for item in args]
    named = {
        key: space.array(item) if isinstance(item, numpy.ndarray) else item for key, item in kwargs.items()
    }
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = getattr(getattr(space, ufunc), method)(*own, **named)
        except Exception as error:
            return None, error
    answer = own[0] if method == "at" else answer
    return (numpy.asarray(answer) if isinstance(answer, np.ndarray) else answer), None


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer", "at"])
@pytest.mark.parametrize("ufunc", [*BINARY, *UNARY], ids=lambda ufunc: ufunc.__name__)
def test_every_method_in_every_dtype(ufunc: numpy.ufunc, method: str) -> None:
    if ufunc in UNARY and method != "at":
        pytest.skip("a ufunc of one operand has `at` alone")
    counters.reset()
    for dtype in NATIVE:
        for args, kwargs in calls(method, ufunc.nin == 2, dtype):
            want, raised = run(numpy, ufunc.__name__, method, args, kwargs)
            got, error = run(np, ufunc.__name__, method, args, kwargs)
            same_exception(error, raised)
            if raised is None:
                kind = numpy.asarray(want).dtype.kind
                same(got, want, 64 if kind in "fc" else 0, 100.0 if kind in "fc" else 0, f"{dtype} {args}")
    assert not counters.op_failures
    if ufunc not in VECTORS and method != "at":
        assert not counters.host_calls
    counters.reset()


@pytest.mark.parametrize(
    ("index", "values"),
    [
        (numpy.array([1, 1, -1]), 10),
        (numpy.array([[1, 1], [0, 3]]), numpy.array([1, 2])),
        (slice(1, None), 2.5),
        (numpy.array([True, False, True, True]), numpy.arange(3)),
    ],
)
def test_add_at_writes_into_views(index: Any, values: Any) -> None:
    want, got = numpy.zeros((4, 2)), np.zeros((4, 2))
    numpy.add.at(want[::-1, 1], index, values)
    counters.reset()
    np.add.at(got[::-1, 1], index, values)
    assert not counters.host_calls
    same(numpy.asarray(got), want)


def test_outputs() -> None:
    a, b = np.array([5.0, 7.5, -2]), np.array([2.0, 2, 3])
    whole, rest = np.zeros(3, "f8"), np.zeros(3, "f4")
    counters.reset()
    assert np.divmod(a, b, out=(whole, rest))[0] is whole
    assert whole.tolist() == [2, 3, -1] and rest.tolist() == [1, 1.5, 1]
    first, second = np.modf(a, None, rest)
    assert second is rest and first.tolist() == [0, 0.5, 0]
    assert np.add(a, b, whole, where=[True, False, True]) is whole and whole.tolist() == [7, 3, 1]
    total = np.zeros(())
    assert np.add.reduce(a, out=total) is total and total == 10.5
    theirs = numpy.zeros(3)
    assert np.add(a, b, out=theirs) is theirs and theirs.tolist() == [7, 9.5, 1]
    assert type(np.add(np.float64(1), 2, out=...)) is np.ndarray
    for wrong in (
        lambda: np.add(a, b, whole, out=whole),
        lambda: np.frexp(a, out=whole),
        lambda: np.add(a, b, out=np.zeros(2)),
        lambda: np.add(a, b, out=np.zeros(3, "i4")),
        lambda: np.add(a, b, sig="dd->d", dtype="f8"),
        lambda: np.add(a),
        lambda: np.divmod.reduce(a),
        lambda: np.negative.outer(a, a),
        lambda: np.left_shift(a, b),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    assert not counters.host_calls
    assert not counters.op_failures
    counters.reset()


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
def test_answers_lie_in_memory_as_numpys(order: str) -> None:
    plain = numpy.arange(24.0).reshape(2, 3, 4)
    for make in (
        lambda a: a,
        lambda a: a.T,
        lambda a: a.transpose(1, 0, 2),
        lambda a: a[:, ::-1],
        lambda a: a[:, :, :1],
    ):
        want = numpy.add(make(plain), make(plain), order=order)
        got = np.add(make(np.array(plain)), make(np.array(plain)), order=order)
        assert got.strides == want.strides
        want = numpy.add(make(plain), numpy.float64(1), order=order)
        assert np.add(make(np.array(plain)), numpy.float64(1), order=order).strides == want.strides


def test_a_masked_output_must_hold_the_result() -> None:
    for space in (numpy, np):
        out = space.arange(3)
        with pytest.raises(TypeError, match="same_kind"):
            space.sqrt(space.arange(3.0), out=out, where=space.array([True, False, True]))
        assert out.tolist() == [0, 1, 2]


def halved(a: Any, by: Any) -> None:
    a /= by


ERRORS: list[Callable[[Any], Any]] = [
    lambda np: np.divide(np.array([1.0, 0, -1]), 0),
    lambda np: np.log(np.array([0.0, -1, 1])),
    lambda np: np.floor_divide(np.array([1, 2]), np.array([0, 1])),
    lambda np: np.remainder(np.array([1, 2], "u1"), 0),
    lambda np: np.floor_divide(np.array([-128, 1], "i1"), np.array([-1], "i1")),
    lambda np: np.multiply(np.array([1e308, 1]), 10),
    lambda np: np.add.reduce(np.array([1e308, 1e308])),
    lambda np: np.multiply.accumulate(np.array([1e308, 1e308])),
    lambda np: np.power(np.array([0.0, 2]), -1),
    lambda np: np.sqrt(np.array([-1.0, np.nan])),
    lambda np: np.subtract(np.array([np.inf]), np.array([np.inf])),
    lambda np: np.add(np.array([np.nan, 1]), np.inf),
    lambda np: np.add(np.array([1e300]), 1, dtype="f4"),
    lambda np: np.array([1.0, 2]) / np.array([0.0, 1]),
    lambda np: halved(np.array([1.0, 2]), 0),
    lambda np: np.sqrt(np.array([-1.0]), out=np.zeros(1)),
    lambda np: np.floor_divide(np.array([1, 2]), 0, out=np.zeros(2)),
    lambda np: np.add(np.arange(2), 1, where=np.array([True, False])).shape,
]


@pytest.mark.parametrize("body", ERRORS)
def test_warnings_and_errors_are_numpys(body: Callable[[Any], Any]) -> None:
    def told(space: Any) -> set[tuple[type, str, str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            body(space)
        return {(item.category, str(item.message), item.filename) for item in caught}

    def raised(space: Any) -> str:
        with numpy.errstate(all="raise", under="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                body(space)
            except FloatingPointError as error:
                return str(error)
        return ""

    assert told(np) == told(numpy)
    assert raised(np) == raised(numpy)
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        body(np)


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda np: np.sum(np.array([np.inf, -np.inf])),
    lambda np: np.mean(np.zeros((0, 4)), axis=0),
    lambda np: np.mean(np.arange(3.0), where=False),
    lambda np: np.std(np.arange(3.0), ddof=3),
    lambda np: np.median(np.zeros(0)),
    lambda np: np.average(np.zeros((0, 2)), axis=0),
    lambda np: np.cumsum(np.array([1e308, 1e308])),
    lambda np: np.array([np.nan, 1]).astype("i4"),
    lambda np: np.array([1e300, 1]).astype("f4"),
    lambda np: np.array([1e5, 1], "i8").astype("f2"),
    lambda np: np.array([1.0, 200]).astype("i1"),
    lambda np: np.zeros(2, "i4").__setitem__(0, np.array(np.inf)),
    lambda np: np.zeros(2, "f2").__setitem__(slice(None), np.array([1e5, 1])),
    lambda np: np.sum(np.ones((2, 2), complex), 0, "f8"),
    lambda np: np.add.reduce(np.ones(2, complex), dtype="f8"),
    lambda np: np.cumsum(np.array([np.nan, 1]), dtype="i4"),
    lambda np: np.full(2, 1j, dtype="f8"),
    lambda np: np.full_like(np.ones(2), np.array(1j)),
    lambda np: np.select([np.arange(3) > 1], [np.arange(3)], 7),
    lambda np: np.broadcast_arrays(np.ones(3), 2)[0].sum(),
]


@pytest.mark.parametrize("body", FUNCTIONS)
def test_functions_warn_as_numpys_do(body: Callable[[Any], Any]) -> None:
    def told(space: Any) -> list[tuple[type, str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            body(space)
        return [(item.category, str(item.message)) for item in caught]

    assert told(np) == told(numpy)


COUNTS = ("nin", "nout", "nargs", "ntypes")


def test_attributes() -> None:
    for name in ("add", "sin", "divmod", "frexp", "matmul"):
        own, real = getattr(np, name), getattr(numpy, name)
        assert isinstance(own, np.ufunc) and isinstance(real, np.ufunc)
        for attribute in (
            "nin",
            "nout",
            "nargs",
            "ntypes",
            "types",
            "identity",
            "signature",
            "__name__",
            "__doc__",
        ):
            assert getattr(own, attribute) == getattr(real, attribute)
        assert repr(own) == repr(real)
        assert pickle.loads(pickle.dumps(own)) is own
    asked = (numpy.dtype("f4"), int, None)
    assert np.add.resolve_dtypes(asked) == numpy.add.resolve_dtypes(asked)


def test_scipys_ufuncs_are_ops() -> None:
    counters.reset()
    a = np.array([0.25, 0.5, 2.0])
    same(numpy.asarray(special.erf(a)), special.erf(numpy.array([0.25, 0.5, 2.0])), 4)
    assert not counters.host_calls
    same(numpy.asarray(special.j0(a)), special.j0(numpy.array([0.25, 0.5, 2.0])))
    assert counters.host_calls.total() == 1
    counters.reset()


IN_ORDER = [item for item in BINARY if item not in (numpy.add, numpy.multiply)]


@pytest.mark.parametrize("ufunc", IN_ORDER, ids=lambda ufunc: ufunc.__name__)
def test_long_rows_accumulate_in_order(ufunc: numpy.ufunc) -> None:
    """All places at once, again until none changes: without a host call where elements make earlier ones
    forgotten."""
    forgetting = (numpy.remainder, numpy.fmod, numpy.lcm, numpy.left_shift, numpy.right_shift, numpy.power)
    for dtype in NATIVE:
        row = numpy.array([0, 1, 2] * 100).astype(dtype)
        for array, axis in ((row, 0), (numpy.stack([row, row[::-1] + row.dtype.type(1)]), 1)):
            counters.reset()
            args, kwargs = (array, axis), {"dtype": dtype} if dtype != "bool" else {}
            want, raised = run(numpy, ufunc.__name__, "accumulate", args, kwargs)
            got, error = run(np, ufunc.__name__, "accumulate", args, kwargs)
            same_exception(error, raised)
            if raised is None:
                kind = numpy.asarray(want).dtype.kind
                same(got, want, 64 if kind in "fc" else 0, 100.0 if kind in "fc" else 0, dtype)
            if ufunc in forgetting and array is row:
                assert not counters.host_calls, dtype
    counters.reset()
