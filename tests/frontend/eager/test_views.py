"""Views are views: what NumPy's arrays do through shared memory, ours do, negative strides included."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npcompile.numpy as np
from npcompile.frontend.eager import counters

SHAPES = [(12,), (3, 4), (2, 3, 4), (4, 1, 3), (0, 3), ()]


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A basic index that fits the shape."""
    items: list[Any] = []
    for length in shape[: draw(st.integers(0, len(shape)))]:
        if length and draw(st.booleans()):
            items.append(draw(st.integers(-length, length - 1)))
        else:
            bound = st.none() | st.integers(-length - 1, length + 1)
            step = draw(st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]))
            items.append(slice(draw(bound), draw(bound), step))
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.booleans()) and len(items) >= len(shape):
        items.append(...)
    return tuple(items)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), shape=st.sampled_from(SHAPES), dtype=st.sampled_from(["i4", "f8", "c8", "?"]))
def test_chains_of_views_and_writes(data: st.DataObject, shape: tuple[int, ...], dtype: str) -> None:
    theirs: list[Any] = [numpy.arange(int(numpy.prod(shape))).astype(dtype).reshape(shape)]
    ours: list[Any] = [np.array(theirs[0])]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(theirs) - 1))
        a, b = theirs[at], ours[at]
        kind = data.draw(
            st.sampled_from(["index", "transpose", "swap", "reshape", "flip", "real", "write", "add"])
        )
        if kind == "index":
            index = data.draw(indices(a.shape))
            a, b = a[index], b[index]
        elif kind == "transpose":
            axes = data.draw(st.permutations(range(a.ndim)))
            a, b = a.transpose(axes), b.transpose(axes)
        elif kind == "swap":
            if a.ndim > 1:
                a, b = a.swapaxes(0, -1), b.swapaxes(0, -1)
        elif kind == "reshape":
            target = data.draw(st.sampled_from([(-1,), (a.size,), (1, a.size), (a.size, 1)]))
            if a.size:
                a, b = a.reshape(target), b.reshape(target)
        elif kind == "flip":
            a, b = numpy.flip(a), np.flip(b)
        elif kind == "real":
            a, b = a.real, b.real
        elif kind == "write":
            index = data.draw(indices(a.shape))
            value = data.draw(st.integers(0, 100))
            if a.size and a.dtype != bool:
                a[index] = value
                b[index] = value
        elif isinstance(a, numpy.ndarray) and a.dtype != bool:
            a += 3
            b += 3
        assert type(a) is numpy.ndarray or type(a) is type(b)
        if type(a) is numpy.ndarray:
            assert type(b) is np.ndarray
            assert a.shape == b.shape
            assert a.strides == b.strides or a.size == 0  # no element: NumPy's strides are arbitrary
            theirs.append(a)
            ours.append(b)
        for one, other in zip(theirs, ours, strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(other), one)
    for i, one in enumerate(theirs):
        for j, other in enumerate(theirs):
            assert numpy.shares_memory(one, other) == np.shares_memory(ours[i], ours[j])
    assert not counters.host_calls
    assert not counters.op_failures


def test_a_write_through_a_reversed_view() -> None:
    a = np.arange(6)
    b = a[::-1]
    b[:2] = [10, 20]
    b[1:][::-2] += 100
    assert a.tolist() == [100, 1, 102, 3, 120, 10]
    assert b.base is a
    assert b.strides == (-8,)


def test_overlapping_assignment() -> None:
    for index, other in [(slice(1, None), slice(None, -1)), (slice(None, None, -1), slice(None))]:
        a, b = numpy.arange(8), np.arange(8)
        a[index] = a[other]
        b[index] = b[other]
        assert a.tolist() == b.tolist()


def test_an_advanced_store_reaches_every_view() -> None:
    a = np.array(numpy.zeros((3, 4)))
    view = a[::-1].T
    view[[0, 1], 0] = 5
    view[view == 0] = -1
    b = numpy.zeros((3, 4))
    other = b[::-1].T
    other[[0, 1], 0] = 5
    other[other == 0] = -1
    assert a.tolist() == b.tolist()
    assert not counters.host_calls


def test_read_only() -> None:
    a = np.broadcast_to(np.arange(3), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        a[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        a[[0]] = 1
    with pytest.raises(ValueError, match="read-only"):
        a += 1
    b = np.arange(3)
    b.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        b[:] = 1
    assert b.tolist() == [0, 1, 2]


def test_numpy_memory_is_shared() -> None:
    theirs = numpy.arange(6.0)
    ours = np.asarray(theirs)
    ours[::2] = -1
    assert theirs.tolist() == [-1, 1, -1, 3, -1, 5]
    back = numpy.asarray(ours)
    back[0] = 7
    assert ours[0] == 7
    assert numpy.shares_memory(numpy.asarray(np.reshape(theirs, (2, 3))), theirs)


@pytest.mark.filterwarnings("ignore:Setting the .* on a NumPy array:DeprecationWarning")  # since NumPy 2.5
def test_shape_and_flags() -> None:
    a = np.arange(12)
    a.shape = (3, 4)
    assert a.shape == (3, 4)
    with pytest.raises(AttributeError):
        a.T.shape = (12,)
    assert a.flags["C_CONTIGUOUS"] and not a.T.flags.c_contiguous and a.T.flags.f_contiguous
    assert np.arange(3).flags.owndata and not a.T.flags.owndata
    assert (a.nbytes, a.itemsize, a.size, a.ndim, a.device) == (96, 8, 12, 2, "cpu")
    assert a.flat[5] == 5
    a.flat[5] = 50
    assert a[1, 1] == 50
    assert [int(x) for x in np.arange(3).flat] == [0, 1, 2]


def test_real_and_imag_write() -> None:
    a = np.array([1 + 2j, 3 - 1j])
    a.real = 5
    a.imag[::-1] = [7, 8]
    assert a.tolist() == [5 + 8j, 5 + 7j]
    with pytest.raises(TypeError):
        np.arange(3.0).imag = 1


def test_a_float64_written_into_float16_is_rounded_once() -> None:
    values = numpy.array([1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11, -1 - 2.0**-11 - 2.0**-40])
    for ours in (np.array(values), values):
        array = np.empty(3, "f2")
        array[...] = ours
        assert array.tolist() == values.astype("f2").tolist()
        np.add(ours, 0.0, out=array, casting="same_kind")
        assert array.tolist() == values.astype("f2").tolist()
    assert np.array(values, "f2").tolist() == values.astype("f2").tolist()


def test_broadcasting_a_number_allocates_nothing() -> None:
    array = np.broadcast_to(5, (1 << 18, 1 << 18))
    assert type(array) is np.ndarray and array.strides == (0, 0) and not array.flags.writeable
    assert array[3, 4] == 5


def test_flat_takes_the_indices_that_numpys_takes() -> None:
    theirs = numpy.arange(6).reshape(2, 3)
    ours = np.array(theirs)
    for index in (
        2,
        -1,
        slice(1, None, 2),
        [0, 3],
        numpy.array([[1], [4]]),
        numpy.arange(6) > 2,
        (),
        ...,
        (2,),
        [],
    ):
        assert numpy.asarray(ours.flat[index]).tolist() == theirs.flat[index].tolist()
    for index in (None, (1, 2), "a"):
        with pytest.raises(IndexError):
            ours.flat[index]
    try:
        of_two_bools = theirs.flat[[True, True]].tolist()
    except IndexError:  # since NumPy 2.4
        with pytest.raises(IndexError):
            ours.flat[[True, True]]
    else:
        assert ours.flat[[True, True]].tolist() == of_two_bools


MASK = numpy.array([True, False])
PICKS: list[Any] = [
    (slice(None), [0, 2]),
    (slice(None), [0, 2], slice(None, None, 2)),
    (..., numpy.array([[0, 1], [1, 0]])),
    (0, slice(None), [1, 0]),
    (slice(None), 1, ..., [0, 1]),
    (None, slice(None, None, -1), numpy.array([[0, 0], [1, 0]])),
    (numpy.array([[0, 1, 1], [1, 0, 1]]).T,),
    (numpy.array([[0, 1, 1], [1, 0, 1]]).T, 0, 0),
    (MASK, slice(1, None)),
    (slice(None), [0], [True, False, True, True]),
]


@pytest.mark.parametrize("index", PICKS, ids=str)
def test_what_arrays_pick_lies_in_memory_as_numpys(index: Any) -> None:
    plain = numpy.arange(24.0).reshape(2, 3, 4)
    for one in (plain, numpy.asfortranarray(plain), plain[:, ::-1], plain.transpose(0, 2, 1)[:, :3]):
        try:
            want = one[index]
        except IndexError:
            continue
        got = np.asarray(one)[index]
        assert got.shape == want.shape
        long = [axis for axis, size in enumerate(want.shape) if size > 1]
        assert [got.strides[axis] for axis in long] == [want.strides[axis] for axis in long]
        numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_the_imaginary_part_of_real_numbers_is_read_only() -> None:
    for space in (numpy, np):
        with pytest.raises(ValueError, match="read-only"):
            space.arange(3.0).imag[0] = 1
