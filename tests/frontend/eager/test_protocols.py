"""How our arrays meet the rest of Python: scalars, operators, protocols, pickling, libraries."""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any

import numpy
import pytest
import torch

import npcompile.numpy as np
from npcompile.frontend.eager import counters


def test_items_are_numpy_scalars() -> None:
    for dtype in ("?", "i1", "u1", "i8", "f2", "f4", "f8", "c8", "c16"):
        theirs = numpy.array([[1, 0], [2, 3]], dtype)
        ours = np.array(theirs)
        for got, want in [
            (ours[0, 0], theirs[0, 0]),
            (ours.sum(), theirs.sum()),
            (ours[1].max(), theirs[1].max()),
        ]:
            assert type(got) is type(want)
            assert got == want
        assert type(ours[0, 0, ...]) is np.ndarray
        assert type(ours[0, ...]) is np.ndarray
    assert np.array([2], "i4")[0] * [1, 2] == [1, 2, 1, 2]
    assert type(np.array(2.0)) is np.ndarray
    assert type(np.array(2.0) + 1) is numpy.float64
    assert type(np.array(2.0)[()]) is numpy.float64


def test_conversions() -> None:
    one = np.array([3])[0:1].reshape(())
    assert (int(one), float(one), complex(one), operator.index(one), bool(one)) == (3, 3.0, 3 + 0j, 3, True)
    assert [10, 20, 30, 40][one] == 40
    assert f"{np.array(2.5):.3f}" == "2.500"
    assert repr(np.arange(3)[::-1]) == "array([2, 1, 0])"
    assert str(np.arange(3)) == "[0 1 2]"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(np.arange(2))
    with pytest.raises(TypeError, match="0-d"):
        iter(np.array(1))
    with pytest.raises(TypeError, match="len"):
        len(np.array(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(np.arange(2))
    assert 2 in np.arange(3) and 7 not in np.arange(3)
    assert [row.tolist() for row in np.arange(4).reshape(2, 2)] == [[0, 1], [2, 3]]


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod]
BINARY += [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("function", [*BINARY, *BITS, operator.pow])
def test_operators(function: Any) -> None:
    for dtype in ("i4", "u1") if function in BITS else ("i4", "f4", "f8"):
        a, b = numpy.array([7, 2, 5], dtype), numpy.array([2, 3, 1], dtype)
        x, y = np.array(a), np.array(b)
        pairs: list[tuple[tuple[Any, Any], tuple[Any, Any]]] = [
            ((a, b), (x, y)),
            ((a, 2), (x, 2)),
            ((3, b), (3, y)),
        ]
        pairs += [((a, numpy.int8(2)), (x, numpy.int8(2))), ((a, b), (a, y)), ((a, b), (x, b))]
        pairs += [
            ((a, [1, 2, 3]), (x, [1, 2, 3])),
            (([1, 2, 3], a), ([1, 2, 3], x)),
            ((numpy.int8(2), b), (numpy.int8(2), y)),
        ]
        for theirs, ours in pairs:
            want, got = function(*theirs), function(*ours)
            for one, other in zip(want, got, strict=True) if function is divmod else [(want, got)]:
                assert type(other) is np.ndarray
                assert one.dtype == other.dtype
                numpy.testing.assert_array_almost_equal_nulp(
                    numpy.asarray(other), one, 1
                ) if one.dtype.kind == "f" else (numpy.testing.assert_array_equal(numpy.asarray(other), one))


INPLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
]


@pytest.mark.parametrize("function", INPLACE)
def test_in_place_operators(function: Any) -> None:
    for dtype, other in [
        ("f8", 2),
        ("f4", 2.0),
        ("f4", numpy.float64(1.5)),
        ("i4", 2),
        ("i4", 2.5),
        ("u1", -1),
        ("u1", 300),
    ]:
        a = numpy.array([7, 2, 5], dtype)
        x = np.array(a)
        view = x[::-1]
        try:
            want: Any = function(a, other)
        except Exception as error:
            with pytest.raises(type(error)):
                function(x, other)
            want = a
        else:
            assert function(x, other) is x
        assert x.dtype == want.dtype
        numpy.testing.assert_allclose(numpy.asarray(x), want, rtol=1e-6)
        assert view.tolist() == x.tolist()[::-1]


def test_numpy_functions_on_our_arrays() -> None:
    a = np.arange(4.0)
    assert type(numpy.add(a, 1)) is np.ndarray
    assert type(numpy.arange(4) + a) is np.ndarray
    assert type(numpy.concatenate([a, a])) is np.ndarray
    assert type(numpy.float32(2) * a) is np.ndarray
    assert numpy.add.reduce(a) == 6.0
    out = np.zeros(4)
    assert numpy.multiply(a, 2, out=out) is out
    assert out.tolist() == [0, 2, 4, 6]
    assert numpy.linalg.norm(a[:2]) == 1.0


def test_deferral() -> None:
    class Refuses:
        __array_ufunc__ = None

        def __radd__(self, other: Any) -> str:
            return "mine"

    class Prior:
        __array_priority__ = 10.0

        def __radd__(self, other: Any) -> str:
            return "prior"

    assert np.arange(3) + Refuses() == "mine"
    assert np.arange(3) + Prior() == "prior"
    with pytest.raises(TypeError):
        np.arange(3) + Refuses


def test_comparison_with_anything() -> None:
    a = np.arange(3)
    assert (a == "x").tolist() == (numpy.arange(3) == "x").tolist()
    assert (a == None).tolist() == [False, False, False]  # noqa: E711
    with pytest.raises(TypeError):
        assert a < "x"


def test_out_and_where() -> None:
    a, out = np.arange(4.0), np.full(4, -1.0)
    assert np.add(a, 1, out, where=a > 1) is out
    assert out.tolist() == [-1, -1, 3, 4]
    with pytest.raises(numpy._core._exceptions._UFuncOutputCastingError):
        np.add(a, 1, out=np.zeros(4, int))
    with pytest.raises(ValueError):
        np.add(a, 1, out=np.zeros(3))
    wide = np.zeros((2, 4))
    np.add(a, 1, out=wide)
    assert wide.tolist() == [[1, 2, 3, 4]] * 2


def test_stores_as_numpys() -> None:
    a = np.zeros(3, "u1")
    with pytest.raises(OverflowError):
        a[0] = 300
    with pytest.raises(ValueError):
        np.zeros(3, int)[0] = numpy.nan
    with pytest.raises(ValueError, match="could not broadcast"):
        a[:2] = np.arange(3)
    with pytest.raises(IndexError):
        a[3] = 1
    with pytest.raises(TypeError):
        a[0] = 1j
    a[:] = [1.9, 2, True]
    assert a.tolist() == [1, 2, 1]
    a.fill(7)
    assert a.tolist() == [7, 7, 7]


def test_copies() -> None:
    a = np.arange(6).reshape(2, 3)[::-1]
    for made in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a), a.copy(), np.array(a)):
        assert type(made) is np.ndarray
        assert made.tolist() == a.tolist()
        made[0] = -1
        assert a[0].tolist() == [3, 4, 5]
    assert pickle.loads(pickle.dumps(np.add))(1, 2) == 3
    assert pickle.loads(pickle.dumps(np.linalg.norm))([3, 4]) == 5


def test_dlpack_of_host_memory_is_numpys() -> None:
    plain = numpy.arange(6.0).reshape(2, 3)
    frozen = plain.copy()
    frozen.setflags(write=False)
    for make in (lambda a: a, lambda a: a[::-1, ::-1], lambda a: a.T[:, 1:]):
        want = numpy.from_dlpack(make(plain))
        for given in (make(plain), make(np.asarray(plain))):
            got = np.from_dlpack(given)
            assert isinstance(got, np.ndarray) and got.strides == want.strides
            assert got.tolist() == want.tolist() and numpy.shares_memory(got._layout, plain)
    assert not np.from_dlpack(np.asarray(frozen)).flags.writeable
    assert not numpy.shares_memory(np.from_dlpack(plain, copy=True)._layout, plain)
    assert np.from_dlpack(plain, device="cpu").tolist() == plain.tolist()


def test_assertions_take_our_arrays() -> None:
    a = np.arange(3.0)
    np.testing.assert_equal(a, [0, 1, 2])
    np.testing.assert_equal({"a": [a]}, {"a": [a.copy()]})
    np.testing.assert_almost_equal(a, a + 1e-9)
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        np.testing.assert_equal(a, a + 1)
    with np.testing.assert_raises(ValueError):
        np.reshape(a, (2, 2))


@pytest.mark.parametrize("name", ["argmax", "argmin", "nanargmax", "round"])
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "float64", "float32", "complex128"])
def test_outputs_that_numpy_takes_by_rules_of_its_own(name: str, kind: str) -> None:
    for values in (numpy.array([15, 25, 4]), numpy.array([15.0, 25, 4]), numpy.array([1, 2], "u1")):
        for option in (-1, 0, 1) if name == "round" else (None, 0):
            shape = values.shape if name == "round" else ()
            told = []
            for space in (numpy, np):
                out = space.zeros(shape, kind)
                try:
                    answer = getattr(space, name)(space.asarray(values), option, out)
                    told.append((answer is out, out.tolist()))
                except (TypeError, ValueError) as error:
                    told.append((type(error), str(error)))
            assert told[0] == told[1]


def test_arrays_seed_generators() -> None:
    want = numpy.random.default_rng(numpy.arange(3)).random(2)
    assert np.random.default_rng(np.arange(3)).random(2).tolist() == want.tolist()


def test_long_long_is_a_type_of_its_own() -> None:
    a = np.asarray(numpy.arange(3, dtype="q"))
    assert a.dtype.char == "q" and type(a[1]) is numpy.longlong and type(a.sum()) is numpy.longlong


def test_dlpack_and_torch() -> None:
    a = np.arange(6.0)
    shared = torch.from_dlpack(a)
    shared[0] = 9
    assert a[0] == 9
    assert numpy.from_dlpack(a)[0] == 9
    tensor = torch.arange(4)
    ours = np.asarray(tensor)
    ours[0] = 5
    assert int(tensor[0]) == 5
    assert np.from_dlpack(torch.ones(3)).tolist() == [1, 1, 1]
    assert a.__array_namespace__() is np


def test_array_protocol() -> None:
    a = np.arange(3)
    assert numpy.shares_memory(numpy.asarray(a), a._layout)
    assert numpy.asarray(a, dtype="f4").dtype == numpy.float32
    assert not numpy.shares_memory(numpy.array(a), a._layout)
    with pytest.raises(ValueError):
        numpy.asarray(a, dtype="f4", copy=False)


def test_scipy_takes_our_arrays() -> None:
    special = pytest.importorskip("scipy.special")
    linalg = pytest.importorskip("scipy.linalg")
    assert special.erf(np.array([0.0]))[0] == 0.0
    assert linalg.inv(np.eye(2)).tolist() == [[1, 0], [0, 1]]


def test_host_calls_are_counted() -> None:
    a = np.array([[2.0, 0], [0, 4]])
    assert np.require(a, "f4", "O").tolist() == a.tolist()
    assert type(np.require(a, "f4", "O")) is np.ndarray
    assert counters.host_calls["numpy.require"] == 2
    np.random.shuffle(a)
    assert np.host_calls() is counters.host_calls
    wide = np.add(np.array([1, 2], "longdouble"), np.array([1, 2], "longdouble"))
    assert type(wide) is numpy.ndarray and wide.dtype == numpy.longdouble
    assert counters.host_calls["numpy.add"] == 1
    strings = np.array(["a", "b"])
    assert type(strings) is numpy.ndarray
    a[a > 100] = np.array([])


@pytest.mark.parametrize("asked", [{}, {"kind": "quick"}, {"kind": "H"}, {"stable": False}])
def test_orders_of_different_items_are_ours(asked: dict[str, object]) -> None:
    """Where items are equal, which comes first is decided by NumPy's algorithm."""
    for dtype in ("u8", "i2", "f4", "c16"):
        assert np.argsort(np.array([3, 1, 2], dtype), **asked).tolist() == [1, 2, 0]
    assert not counters.host_calls
    np.argsort(np.array([1, 2, 1]), **asked)
    assert counters.host_calls["numpy.argsort"] == 1


def test_what_numpy_refuses_raises_numpys_exception() -> None:
    a, b = np.array([0.0, 1, 2, 3]), np.array([0, 1, 2])
    for call in (lambda: a.reshape(3), lambda: a @ b, lambda: a + b, lambda: a[9], lambda: a[[9]]):
        with pytest.raises((ValueError, IndexError)):
            call()
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 4"):
        a[[9]]
    with pytest.raises(
        ValueError, match=r"operands could not be broadcast together with shapes \(4,\) \(3,\)"
    ):
        a + b
    assert not counters.host_calls


def test_a_second_unsigned_integer() -> None:
    for code in ("Q", "q"):
        array = np.array([3, 1], code)
        assert type(array) is np.ndarray and array.dtype == code
        assert (array + array).tolist() == [6, 2]


def test_view_as_the_array_type() -> None:
    array = np.ones(3)
    assert type(array.view(np.ndarray)) is np.ndarray
    array.view(type=np.ndarray)[0] = 5
    assert array[0] == 5


def test_the_functions_of_the_package_are_no_methods() -> None:
    class Holder:
        make = np.array

    assert Holder().make([1, 2]).tolist() == [1, 2]
    assert pickle.loads(pickle.dumps(np.array)) is np.array


def test_other_libraries_share_the_memory() -> None:
    array = np.arange(3.0)
    torch.as_tensor(array)[0] = 7.0
    assert array[0] == 7
    other = numpy.lib.stride_tricks.as_strided(array, (2,))  # reads __array_interface__
    assert numpy.shares_memory(other, numpy.asarray(array))
    assert type(array.__array_wrap__(numpy.ones(2))) is np.ndarray
    assert type(array.__array_wrap__(numpy.ones(()), None, True)) is numpy.float64


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda np: np.hypot(1, 2, 3, 4), TypeError),
        (lambda np: np.pad(np.ones(3), 3.4), TypeError),
        (lambda np: np.clip(np.ones(3), 1, 2, min=0), (ValueError, TypeError)),  # until NumPy 2.0 the latter
        (lambda np: np.clip(np.ones(3), 1, max=0), TypeError),
        (lambda np: np.concatenate([np.ones(2)], out=np.ones(2), dtype="f8"), TypeError),
        (lambda np: np.stack([np.ones(2)], out=np.ones((1, 2)), dtype="f8"), TypeError),
        (lambda np: np.add(np.ones(2), 1, ...), TypeError),
    ],
)
def test_calls_that_raise(call: Any, error: Any) -> None:
    for module in (numpy, np):
        with pytest.raises(error):
            call(module)


def test_floating_point_errors_raise_where_they_are_asked_to() -> None:
    array, half = np.array([1.0, 0.0]), np.zeros(1, "f2")
    with numpy.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            1 / array
        with pytest.raises(FloatingPointError):
            np.log(array)
        with pytest.raises(FloatingPointError):
            half[:] = np.array([1e300])
        assert (array + 1).tolist() == [2, 1]
    assert counters.host_calls == {"numpy.add": 1}


def test_elements_that_share_memory_are_written_by_numpy() -> None:
    results = []
    for module in (numpy, np):
        array = module.lib.stride_tricks.as_strided(module.arange(6), (3, 3), (8, 8))
        array += 1
        array[...] = module.arange(9).reshape(3, 3)
        array[array > 3] = 0
        results.append(array.tolist())
    assert results[0] == results[1]


def test_more_axes_than_torch_has() -> None:
    array = np.ones((1,) * 40)
    array[...] = 3
    array += 1
    assert array.sum() == 4 and array.ndim == 40


def test_flags_say_who_owns_the_memory() -> None:
    assert np.ones(3).flags == np.zeros(2).flags == np.array(numpy.ones(3)).flags
    assert np.ones(3)[:2].flags != np.ones(3).flags
    assert np.ones(3).flags.num == numpy.ones(3).flags.num


def test_a_list_that_numpy_hands_back_is_the_same_list() -> None:
    numbers = [1, 2, 3]
    assert np.diff(numbers, n=0) is numbers


INTO = [("f4", "f4", "f8"), ("?", "u1", "f4"), ("f8", None, "f4")]


@pytest.mark.parametrize("name", ["mean", "std", "var"])
@pytest.mark.parametrize(("kind", "asked", "into"), INTO)
def test_means_into_another_dtype_divide_there(name: str, kind: str, asked: Any, into: str) -> None:
    values = numpy.arange(6).reshape(2, 3).astype(kind)
    want, got = (
        getattr(space, name)(space.asarray(values), 0, asked, space.zeros(3, into)) for space in (numpy, np)
    )
    assert got.tolist() == want.tolist() and got.dtype == want.dtype


def test_long_running_sums_of_halves_are_rounded_at_each_step() -> None:
    values = numpy.full(300, 1.001, "f2")
    assert np.cumsum(np.asarray(values)).tolist() == numpy.cumsum(values).tolist()
    assert np.multiply.accumulate(np.asarray(values)).tolist() == numpy.multiply.accumulate(values).tolist()
    assert np.cumprod(np.asarray(values)[:60]).tolist() == numpy.cumprod(values[:60]).tolist()


def test_composed_functions_take_numpys_own_arrays() -> None:
    plain = numpy.arange(6.0)
    odd = numpy.frombuffer(bytearray(b"x" + plain.tobytes()), "f8", 6, 1)
    for values in (plain, odd):
        want = numpy.piecewise(values, [values > 3], [1, 2])
        assert np.piecewise(values, [values > 3], [1, 2]).tolist() == want.tolist()
    square = numpy.ones((3, 3))
    np.fill_diagonal(square, 5)
    assert square.trace() == 15
