"""What NumPy refuses, or copies, where our arrays could do otherwise: limits of dtypes, `flat`, `out=`."""

from __future__ import annotations

import warnings

import numpy
import pytest

import npcompile.numpy as np
from tests.checker import same_exception

# Arguments of other kinds than the ones asked for: truth values for integers, orders that there are not,
# integers that fit no int64.
ODD = """
list(np.array(3.))
[x for x in np.array(3)]
np.array([True, False]) > 2**63
np.array([True, False]) == 2**64
-(2**64) < np.array([True, False])
np.sin(2**64)
np.sqrt(-(2**64))
np.sin(np.ones(3), order=0)
np.sin(np.ones(3), order="x")
np.sin(np.ones((2, 3)), order="f")
np.modf(np.array(1.5), out=(None, np.zeros((2, 3))))
np.sum(np.ones((2, 3)), keepdims=None)
np.sum(np.ones((2, 3)), keepdims=np.True_)
np.sum(np.ones((2, 3)), keepdims=np.int8(1))
np.mean(np.ones((2, 3)), keepdims=np.True_)
np.nanmean(np.ones((2, 3)), keepdims=np.True_)
np.argmax(np.ones((2, 3)), keepdims=np.True_)
np.count_nonzero(np.ones((2, 3)), keepdims=np.True_)
np.sum(np.ones((2, 3)), True)
np.max(np.ones((2, 3)), axis=(True, 0))
np.any(np.ones((2, 3)), axis=False)
np.argmax(np.ones((2, 3)), axis=True)
np.cumsum(np.ones((2, 3)), axis=True)
np.flip(np.ones((2, 3)), axis=True)
np.sort(np.ones((2, 3)), axis=True)
np.concatenate([np.ones((2, 3))] * 2, axis=True)
np.take(np.ones((2, 3)), [0], axis=True)
np.add.reduce(np.ones((2, 3)), axis=True)
np.add.accumulate(np.ones((2, 3)), axis=True)
np.right_shift.reduce(np.ones((2, 3), int), axis=True)
np.argpartition(np.array(1.), -1, axis=[0])
np.fft.fft(np.ones(4), n=True)
np.unpackbits(np.ones(2, "u1"), count=True)
np.bincount([1, 2], minlength=True)
np.zeros(True)
np.ones((True, 2))
np.full((2, True), 3)
np.identity(True)
np.eye(True)
np.tri(True)
np.eye(3, order="K")
np.zeros(3, order="A")
np.empty_like(np.ones((2, 3)), order="A").shape
np.asmatrix(np.arange(8)[::-2]).A1.tolist()
""".strip().splitlines()


@pytest.mark.parametrize("call", ODD)
def test_arguments_of_another_kind_are_refused_or_taken_as_by_numpy(call: str) -> None:
    answers: list[object] = []
    for library in (numpy, np):
        try:
            found = eval(call, {"np": library})
        except Exception as error:
            answers.append(error)
        else:
            answers.append(repr(numpy.asarray(found)) if not isinstance(found, tuple) else repr(found))
    want, got = (item if isinstance(item, Exception) else None for item in answers)
    same_exception(got, want)
    assert want is None or str(got) == str(want)
    assert want is not None or answers[0] == answers[1]


def test_resizing_keeps_what_is_read_only() -> None:
    a = np.arange(6)
    a.flags.writeable = False
    a.resize(np.array([2, 3]))
    assert a.shape == (2, 3) and not a.flags.writeable


@pytest.mark.parametrize("name", ["finfo", "iinfo"])
def test_limits_are_of_dtypes(name: str) -> None:
    kinds = ("f2", "f4", numpy.float64, numpy.float32(1), "c8") if name == "finfo" else ("u1", int, 3, "i8")
    for kind in kinds:
        made = getattr(np, name)(kind)
        assert made.max == getattr(numpy, name)(kind).max
        assert isinstance(made, getattr(np, name)) and isinstance(made, getattr(numpy, name))
    for kind in ("f8", "i4"):
        try:
            want = getattr(numpy, name)(numpy.zeros(2, kind))
        except Exception as error:
            with pytest.raises(type(error)):
                getattr(np, name)(np.zeros(2, kind))
        else:
            assert getattr(np, name)(np.zeros(2, kind)).max == want.max


def test_flat_as_an_array_is_a_copy_where_it_is_not_one_row() -> None:
    for part in (slice(None), slice(None, None, 2), slice(None, None, -1)):
        ours, theirs = np.arange(6)[part], numpy.arange(6)[part]
        got, want = np.asarray(ours.flat), numpy.asarray(theirs.flat)
        assert (got.strides, got.flags.writeable) == (want.strides, want.flags.writeable)
        assert np.shares_memory(got, ours) == numpy.shares_memory(want, theirs)


def test_a_count_has_no_out() -> None:
    with pytest.raises(TypeError):
        np.count_nonzero(np.ones((2, 2)), axis=0, out=np.zeros(2, int))


def test_functions_that_import_others_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.polynomial.hermite.herm2poly([1, 2, 3]).tolist() == [-5.0, 4.0, 12.0]


# Calls that NumPy refuses: by itself, while it handles an exception, or after one of a callback with a cause.
CHAINED = """
np.ones(3) + "x"
np.ones(3) + np.ones(7)
np.ones(3) @ np.ones((4, 4))
np.sin(np.array(["x"]))
np.ones(3).reshape(2, 2)
np.linalg.eig(np.ones(3))
np.unpackbits(np.ones(3))
np.zeros(3, "i4,i4") + 1
np.vectorize(fails)(np.ones(3))
np.apply_along_axis(fails, 0, np.ones(3))
""".strip().splitlines()


def fails(x: object) -> None:
    raise KeyError("of a callback") from OSError("its cause")


def chain(program: str, module: object) -> list[tuple[object, ...]]:
    """The exception of a program that runs while another is handled, and those that it came after."""
    error: BaseException | None = None
    try:
        try:
            raise LookupError("the user's")
        except LookupError:
            eval(program, {"np": module, "fails": fails})
    except Exception as raised:
        error = raised
    found = []
    while error is not None:
        found.append((type(error), type(error.__cause__), error.__suppress_context__))
        error = error.__context__
    return found


@pytest.mark.parametrize("program", CHAINED)
def test_exceptions_come_after_those_that_numpys_come_after(program: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert chain(program, np) == chain(program, numpy) != []
