"""What NumPy refuses, or copies, where our arrays could do otherwise: limits of dtypes, `flat`, `out=`."""

from __future__ import annotations

import numpy
import pytest

import npcompile.numpy as np


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
