"""All that an array does by itself: attributes, methods, operators, conversions; beside NumPy's array."""

from __future__ import annotations

import copy
import hashlib
import io
import operator
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile
import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.ndarray import ndarray

ARRAYS: dict[str, Callable[[], numpy.ndarray]] = {
    "float64": lambda: numpy.arange(12.0).reshape(3, 4).copy(),
    "int32 reversed": lambda: numpy.arange(12, dtype="i4").reshape(3, 4)[::-1, ::2],
    "0-d": lambda: numpy.array(3.5),
    "one": lambda: numpy.array([7]),
    "uint16 columns": lambda: numpy.arange(6, dtype="u2").reshape(2, 3).T.copy("K"),
    "complex": lambda: numpy.array([1 + 2j, 3 - 1j]),
    "empty": lambda: numpy.array([], "f4"),
    "bool": lambda: numpy.array([True, False]),
}

# Expressions of `a`: the values are compared, or the types of the exceptions.
ASKED = """
hash(a) ; pow(a, 2) ; pow(a, 2, 3) ; divmod(a, 2) ; a == None ; a != None ; None == a ; a == 'x' ; a in [1]
3 in a ; None in a ; bool(a) ; int(a) ; float(a) ; complex(a) ; operator.index(a) ; len(a) ; list(a)
round(a) ; format(a) ; format(a, '.2f') ; repr(a) ; str(a) ; a.tobytes() ; a.tobytes('F') ; a.tolist()
a.item() ; a.item(0) ; a.item(1) ; a.item(0, 1) ; a.flags['C'] ; a.flags.c_contiguous ; a.flags.forc
a.flags.behaved
a.strides ; a.nbytes ; a.itemsize ; a.size ; a.ndim ; a.shape ; a.dtype ; a.T ; a.mT ; a.real ; a.imag
a.data.tobytes() ; a.data.shape ; a.data.format ; a.ctypes.shape[:] ; a.__array_interface__['shape']
a.__array_interface__['typestr'] ; a.__array_interface__['strides'] ; a.__dlpack_device__() ; a.byteswap()
a.view() ; a.view('u1') ; a.view('i8') ; a.view('f4') ; a.view(dtype='c8') ; a.getfield('i1')
a.getfield('i2', 2) ; a.getfield('u1', 1) ; a.getfield('i4', 1) ; copy.copy(a) ; copy.deepcopy(a)
pickle.loads(pickle.dumps(a)) ; pickle.loads(a.dumps()) ; a.flat[0] ; a.flat[-1] ; a.flat[1:3]
a.flat[[0, 1]] ; a.flat[a.size] ; a.flat[...] ; a.flat[:] ; a.flat == 1 ; a.flat < 2 ; list(a.flat)
a.flat.coords ; a.flat.index ; len(a.flat) ; a.flat.base is a ; next(a.flat) ; a.flat.copy() ; a.repeat(2)
a.swapaxes(0, -1)
a.squeeze() ; a.ravel() ; a.ravel('F') ; a.flatten('F') ; a.diagonal() ; a.trace() ; a.nonzero() ; a.argmax()
a.argmin(0) ; a.sum() ; a.sum(dtype='i2') ; a.prod(0) ; a.cumsum() ; a.cumprod(0) ; a.mean() ; a.std()
a.var(ddof=1) ; a.clip(1, 2) ; a.round(1) ; a.conj() ; a.conjugate() ; a.any() ; a.all(0) ; a.max() ; a.min(0)
a.sort() ; a.argsort(kind='stable') ; a.partition(0) ; a.argpartition(0) ; a.searchsorted(2) ; a.take([0])
a.compress([True]) ; a.choose([1, 2]) ; a.dot(a.T) ; a @ a.T ; a.reshape(-1) ; a.reshape((a.size,))
a.reshape(5) ; a.reshape(2, -1, order='F') ; a.transpose() ; a.transpose(0) ; a.astype('i4')
a.astype('f8', copy=False) is a ; a.astype('i1', casting='safe') ; a.copy() ; a.copy('K') ; a.device
a.to_device('cpu') is a ; a.__contains__(2) ; ~a ; -a ; +a ; abs(a) ; a << 1 ; a & 1 ; a | 1 ; a ^ 1 ; a // 2
a % 2 ; a / 2 ; 2**a ; 2 - a ; a**2 ; a**0.5 ; a**-1 ; a**2.0 ; a < 2 ; a >= 2 ; a.fill(1) ; a.noattr ; a[0]
a[-1] ; a[...] ; a[None] ; a[()] ; a[0, 0] ; a[5] ; a[0:1] ; a['x'] ; a[1.5] ; a[[0]] ; a[True] ; a[[]]
a[::-1] ; a.__setitem__(0, 1) ; a.__delitem__(0) ; a.setflags(write=False) ; a.setflags(bogus=1)
a.resize(-1) ; a.resize('x') ; a.newbyteorder() ; a.itemset(0, 1)
""".replace("\n", " ; ")

# Statements that change `a`: what it is afterwards is compared, or the types of the exceptions.
DONE = """
a.shape = (a.size,) ~ a.shape = (5,) ~ a.shape = (2, -1) ~ a.dtype = 'u1' ~ a.dtype = 'i8' ~ a.dtype = float
a.strides = (0,) * a.ndim ~ a += 1 ~ a -= 1.5 ~ a *= 2 ~ a /= 2 ~ a //= 2 ~ a %= 2 ~ a **= 2 ~ a &= 1 ~ a |= 1
a ^= 1 ~ a <<= 1 ~ a >>= 1 ~ a @= np.eye(4) ~ a[0] = 5 ~ a[...] = 2 ~ a[:] = [1] ~ a[0] = 300 ~ a[0] = -1
a[0] = 'x' ~ a[0] = None ~ a[0] = 1j ~ a[a > 2] = 0 ~ a.flat = 5 ~ a.flat = [1, 2] ~ a.flat[0] = 9
a.flat[1:] = [1, 2] ~ a.flat[::2] = a ~ a.flat[[0]] = 7 ~ a.flat[-1] = 1.5 ~ a.flat[0] = 300 ~ a.flat[99] = 1
a.flat[:] = [] ~ a.flat[a.size] = 1 ~ a.flat[::-1] = [3, 4] ~ a.real = 3 ~ a.imag = 2
a.real = 2**40 ~ a.real = float("nan") ~ a.imag = [2.5]
a.flags.writeable = False; a[0] = 1 ~ a.flags['W'] = False ~ a.flags.aligned = False
a.flags.c_contiguous = True ~ a.setflags(write=0); a += 1 ~ del a[0] ~ a.T = 1 ~ a.base = 1 ~ a.ndim = 2
a.setfield(1, 'i1') ~ a.setfield(1, 'i2', 2) ~ a.sort(0) ~ a.sort(axis=5) ~ a.put([0], [9]) ~ a.put(99, 1)
a.put([0, 1], [5], mode='wrap') ~ a.partition(1) ~ a.byteswap(True) ~ a.fill(3) ~ a.fill('x') ~ a.fill([1, 2])
a.resize(50, refcheck=False) ~ a.newattr = 3
""".replace("\n", " ~ ")


def pieces(text: str, mark: str) -> list[str]:
    return [item.strip() for item in text.split(mark) if item.strip()]


def plain(value: Any) -> Any:
    """A value as what can be compared: type, dtype and digits; memory layout aside."""
    if isinstance(value, ndarray):
        value = value._layout
    if isinstance(value, numpy.ndarray):
        return "array", str(value.tolist()), str(value.dtype), value.shape
    if isinstance(value, numpy.generic):
        return "scalar", type(value), repr(value)
    if isinstance(value, (tuple, list)):
        return type(value), [plain(item) for item in value]
    return repr(value)


def outcome(library: Any, a: Any, text: str, *, statement: bool) -> Any:
    space = {"a": a, "np": library, "copy": copy, "pickle": pickle, "operator": operator}
    del a
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if statement:
                exec(text, space)
                return plain(space["a"])
            return plain(eval(text, space)), plain(space["a"])
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("text", pieces(ASKED, " ; "))
def test_what_is_asked_of_an_array(text: str) -> None:
    for label, make in ARRAYS.items():
        want = outcome(numpy, make(), text, statement=False)
        assert outcome(np, npcompile.asarray(make()), text, statement=False) == want, label


@pytest.mark.parametrize("text", pieces(DONE, " ~ "))
def test_what_is_done_to_an_array(text: str) -> None:
    for label, make in ARRAYS.items():
        want = outcome(numpy, make(), text, statement=True)
        assert outcome(np, npcompile.asarray(make()), text, statement=True) == want, label


def test_every_attribute_is_there() -> None:
    private = ("_set_dtype", "_set_shape")  # NumPy's own way, since 2.5, to set what it warns of
    gone = ("itemset", "newbyteorder", "ptp")  # until 2.3 they are there, and raise AttributeError
    missing = {name for name in dir(numpy.ndarray) if name not in (*dir(ndarray), *private, *gone)}
    assert missing == {"__setstate__"}  # unpickling makes a new array


@pytest.mark.filterwarnings("ignore:Setting the .* on a NumPy array:DeprecationWarning")  # since NumPy 2.5
def test_no_host_call_for_what_needs_no_values() -> None:
    counters.reset()
    a = np.arange(12.0).reshape(3, 4)
    assert a.getfield("f4", 4).shape == a.view("i8").shape
    a.flat[::2] = [1, 2]
    a.flat = 3
    a.shape = (4, 3)
    a.dtype = "i8"
    assert next(a.flat) == a.flat[0] == numpy.float64(3).view("i8")
    assert not counters.host_calls


def test_resizing() -> None:
    a = np.arange(4)
    a.resize(2, 3)
    assert a.tolist() == [[0, 1, 2], [3, 0, 0]] and a.flags.owndata
    view = a[0]
    with pytest.raises(ValueError, match="references or is referenced"):
        a.resize(9)
    with pytest.raises(ValueError, match="does not own"):
        view.resize(9)
    a.resize((3, 2))  # as many elements: nothing moves
    del view
    other = a
    with pytest.raises(ValueError, match="references or is referenced"):
        a.resize(9)
    del other
    a.resize(3)
    assert a.tolist() == [0, 1, 2]
    columns = np.array(numpy.arange(6).reshape(2, 3, order="F"), order="F")
    want = numpy.arange(6).reshape(2, 3, order="F").copy("F")
    columns.resize(2, 2)
    want.resize(2, 2)
    assert columns.tolist() == want.tolist()


@pytest.mark.filterwarnings("ignore:Setting the .* on a NumPy array:DeprecationWarning")  # since NumPy 2.5
def test_the_shape_that_is_set_leaves_the_owner() -> None:
    a = np.zeros((2, 3))
    a.shape = (6,)
    assert a.base is None and a.flags.owndata
    view = a[1:]
    view.shape = (5, 1)
    assert view.base is a
    view[0] = 7
    assert a[1] == 7


def test_files(tmp_path: Any) -> None:
    a = np.arange(6, dtype="u4").reshape(2, 3)
    a.dump(tmp_path / "one")
    with open(tmp_path / "one", "rb") as file:
        again = pickle.load(file)
    assert type(again) is ndarray and again.dtype == numpy.uint32 and again.tolist() == a.tolist()
    buffer = io.BytesIO()
    a.dump(buffer)
    assert pickle.loads(buffer.getvalue()).tolist() == a.tolist()
    a.tofile(tmp_path / "raw")
    assert numpy.fromfile(tmp_path / "raw", "u4").tolist() == [0, 1, 2, 3, 4, 5]


def test_buffers(tmp_path) -> None:
    a = np.arange(6.0).reshape(2, 3)
    seen = memoryview(a)
    assert seen.shape == (2, 3) and seen.format == "d"
    seen[1, 2] = 9.0
    assert a[1, 2] == 9.0 and numpy.shares_memory(numpy.asarray(seen), a._layout)
    del a
    assert seen[1, 2] == 9.0
    a = np.arange(6.0)[::-2]
    a.setflags(write=False)
    assert memoryview(a).readonly and memoryview(a).strides == (-16,) and bytes(a) == a.tobytes()
    with pytest.raises((ValueError, SystemError)):  # not contiguous; the latter on Python 3.11
        hashlib.sha256(a)
    assert hashlib.sha256(a.copy()).digest() == hashlib.sha256(a.tobytes()).digest()
    with open(tmp_path / "raw", "wb") as file:
        file.write(a.copy())
    assert (tmp_path / "raw").read_bytes() == a.tobytes()
    assert numpy.frombuffer(a.copy()).tolist() == a.tolist()


def test_the_memory_as_others_see_it() -> None:
    a = np.arange(6.0).reshape(2, 3)[:, ::-1]
    seen = numpy.asarray(a)
    seen[0, 0] = 9
    assert a[0, 0] == 9 and a.data[0, 0] == 9
    shared = numpy.from_dlpack(np.arange(3))
    assert shared.tolist() == [0, 1, 2]


def test_scalars_are_numpys() -> None:
    assert np.float64 is numpy.float64 and np.uint16 is numpy.uint16
    for value in (np.sum(np.ones(3)), np.arange(3)[0], np.arange(3, dtype="u8").max(), np.array([1j])[0]):
        assert type(value).__module__ == "numpy" and isinstance(value, numpy.generic)
    assert np.arange(3, dtype="u2").sum().dtype == numpy.uint64
    assert np.int32(2) * [1, 2, 3] == [1, 2, 3, 1, 2, 3]
    assert isinstance(np.mean(np.ones(3)), float) and hash(np.sum(np.arange(3))) == hash(3)
    assert f"{np.max(np.array([1.5])):.2f}" == "1.50"


def test_generic_alias() -> None:
    assert str(ndarray[Any, numpy.dtype[numpy.float64]]).endswith("numpy.float64]]")


def test_broadcast_knows_the_arrays() -> None:
    a, b = np.arange(3), np.arange(2)[:, None]
    both = np.broadcast(a, b)
    assert both.shape == (2, 3) and both.ndim == both.nd == 2 and both.numiter == 2 and both.size == 6
    assert list(both) == list(numpy.broadcast(numpy.arange(3), numpy.arange(2)[:, None]))
    assert both.index == 6
    both.reset()
    assert next(both) == (0, 0) and both.iters[0].base is a and both.iters[1].base is b
    assert list(np.broadcast(a, b).iters[1]) == [0, 0, 0, 1, 1, 1]
    assert np.broadcast(both, 1).numiter == 3
    with pytest.raises(ValueError, match="mismatch"):
        np.broadcast(a, np.arange(2))


class Like:
    """What NumPy's protocol makes an array of ours of."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value, dtype)


def test_array_likes() -> None:
    a = np.zeros((2, 2))
    assert type(a[Like(0), Like(1)]) is numpy.float64
    a[Like(1)] = Like([3.0, 4.0])
    assert a.tolist() == [[0, 0], [3, 4]]
    assert np.asarray(Like([1, 2])).tolist() == [1, 2]


def test_memory_orders_may_be_written_small() -> None:
    a = np.arange(6).reshape(2, 3)
    assert a.flatten("f").tolist() == a.flatten("F").tolist() == a.ravel(order="f").tolist()
    assert a.flatten(None).tolist() == a.flatten().tolist()


def test_memory_given_to_the_class() -> None:
    a = np.arange(6.0)
    shared = ndarray((2, 2), float, a, 16)
    assert type(shared) is ndarray and shared.tolist() == [[2, 3], [4, 5]]
    shared[0, 0] = 9
    assert a[2] == 9


def test_what_is_no_answer_for_out() -> None:
    a = np.arange(6).reshape(2, 3).copy()
    with pytest.raises(ValueError):
        a.argmax(axis=0, out=np.empty((2, 3), int))
    with pytest.raises(ValueError):
        a.sum(axis=0, out=np.empty((4, 3), int))
    with pytest.raises(ValueError):
        a.sort(kind="bogus")
    with pytest.raises(ValueError):
        a.to_device("bogus")
    with pytest.raises(TypeError):
        a.resize((3, 3), refcheck="x")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_keep_the_memory_order(protocol: int) -> None:
    for make in ARRAYS.values():
        a = npcompile.asarray(make())
        want = pickle.loads(pickle.dumps(make(), protocol))
        again = pickle.loads(pickle.dumps(a, protocol))
        assert again.tolist() == want.tolist() and again.strides == want.strides


def test_who_may_write() -> None:
    a = np.arange(3) + 0
    a.flags.writeable = False
    view = a[1:]
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.setflags(write=True)
    a.flags.writeable = True
    view.flags["W"] = True
    view[0] = 7
    assert a.tolist() == [0, 7, 2]
    fixed = numpy.arange(3)[1:]
    fixed.base.flags.writeable = fixed.flags.writeable = False
    with pytest.raises(ValueError, match="WRITEABLE"):
        npcompile.asarray(fixed).flags.writeable = True


def test_the_row_that_flat_is() -> None:
    a = np.arange(6).reshape(2, 3)
    numpy.asarray(a.flat)[0] = 5
    assert a[0, 0] == 5 and not numpy.asarray(a.T.flat).flags.writeable
    with pytest.raises(TypeError):
        del a.flat[0]


def test_products_in_place() -> None:
    a = np.arange(4.0).reshape(2, 2)
    a @= np.eye(2)
    assert a.tolist() == [[0, 1], [2, 3]]
    for other in (np.ones(2), np.ones((2, 1)), np.ones((3, 2, 2))):
        with pytest.raises(ValueError):
            a @= other


def test_the_memory_counts_once() -> None:
    a = np.zeros(1000)
    assert sys.getsizeof(a) > 8000 > sys.getsizeof(a[:500])


def test_copies_keep_the_columns_together() -> None:
    a = np.arange(6).reshape(2, 3).T
    assert a.copy("K").strides == a.strides == copy.copy(a).strides and a.copy().strides == (16, 8)
