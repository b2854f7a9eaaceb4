"""`ndarray.flags` and `ndarray.flat` of eager arrays: they follow NumPy's rules of flags and of indexing.

NumPy has the flags of the layout; the eager array itself knows who owns the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend.eager import dispatch, errstate
from npcompile.frontend.eager.strided import Strided, overlap
from npcompile.frontend.ops.table import Unsupported
from npcompile.nep50 import weak

_OWNDATA = 0x4  # NPY_ARRAY_OWNDATA


class Flags:
    """NumPy's flags of the layout, except for owner and writeability, which the eager array keeps itself."""

    def __init__(self, array: Any) -> None:
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_flags", array._layout.flags)
        object.__setattr__(self, "owndata", array._base is None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __setattr__(self, name: str, value: bool) -> None:
        if name == "writeable" and value:
            allow_writing(self._array)
        setattr(self._flags, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._flags, name)  # raises

    def __getitem__(self, name: str) -> Any:
        return self.owndata if name in ("OWNDATA", "O") else self._flags[name]

    def __setitem__(self, name: str, value: bool) -> None:
        if name in ("WRITEABLE", "W") and value:
            allow_writing(self._array)
        self._flags[name] = value

    @property
    def num(self) -> int:
        """The flags as NumPy's bits."""
        return int(self._flags.num) & ~_OWNDATA | (_OWNDATA if self.owndata else 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self.num == other.num

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = repr(self._flags).splitlines()
        return "".join(
            f"  OWNDATA : {self.owndata}\n" if "OWNDATA" in line else f"{line}\n" for line in lines
        )


def allow_writing(array: Any) -> None:
    """Raise NumPy's ValueError for a view of memory that must not be written."""
    base = array._base
    if isinstance(base, Strided) and not base._layout.flags.writeable:
        raise ValueError("cannot set WRITEABLE flag to True of this array")


class FlatIterator:
    """An array seen as one row in C order; storing through it writes into the array."""

    def __init__(self, array: Any) -> None:
        _ = array._layout.flat  # raises RuntimeError for more axes than NumPy's iterator takes
        self.base = array
        self._next = 0

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    @property
    def index(self) -> int:
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        place, found = self._next, []
        for length in reversed(self.base.shape[1:]):
            place, at = divmod(place, length) if length else (place, 0)
            found.append(at)
        return tuple(reversed([*found, place])) if self.base.ndim else ()

    def copy(self) -> Any:
        return self.base.flatten()

    def __getitem__(self, index: Any) -> Any:
        plain = index[0] if type(index) is tuple and len(index) == 1 else index
        if _is_plain_index(plain):
            try:
                found = self.base.reshape(-1)[plain]
            except (IndexError, ValueError, TypeError):
                pass  # NumPy raises its own
            else:
                return dispatch.call(np.copy, (found,), {}) if isinstance(found, Strided) else found
        return dispatch.host(_load_flat, (self.base, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        if not (_is_plain_index(index) and self._stored(index, value)):
            dispatch.host(_store_flat, (self.base, index, value), {})

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def _stored(self, index: Any, value: Any) -> bool:
        """Do `a.flat[index] = value`; return False, with nothing done, where it is left to NumPy.

        The values are stored in turn, from the first again where there are too few.
        """
        base = self.base
        if not base.flags.writeable or errstate.traps():
            return False
        if isinstance(value, Strided) and overlap(value._memory, base._memory):
            return False  # NumPy reads and writes one element after the other
        try:
            places = np.arange(base.size)[np.asarray(index) if isinstance(index, Strided) else index]
            values: Any = value
            if not isinstance(value, Strided):
                if np.asarray(value).dtype.kind == "c" and base.dtype.kind != "c":
                    return False
                read = weak.convert if type(index) is int else np.asarray
                values = Strided._of_numpy(np.asarray(read(value, base.dtype)))
            complexes = values.dtype.kind == "c" and base.dtype.kind != "c"
            if values.size == 0 or complexes or (type(index) is int and values.ndim):
                return False
            values = values.reshape(-1)
        except (IndexError, ValueError, TypeError, OverflowError, Unsupported):
            return False
        places = np.atleast_1d(places)
        if len(values) < places.size:
            values = values[np.arange(places.size) % len(values)]
        new = values[: places.size].astype(base.dtype)
        if type(index) is slice and places.size == base.size and (index.step or 1) > 0:
            base[...] = new.reshape(base.shape)
        elif base.flags.c_contiguous:
            base.reshape(-1)[places] = new
        elif base.ndim:
            base[np.unravel_index(places, base.shape)] = new
        else:
            return False
        return True

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return one row: the array's own memory where it is one, else a copy that must not be written."""
        layout = self.base._on_host()
        row = layout.reshape(-1)
        if not layout.flags.c_contiguous:
            row = layout.flatten()
            row.flags.writeable = False
        return np.array(row, dtype=dtype, copy=copy)

    def __lt__(self, other: Any) -> Any:
        return self.copy() < other

    def __le__(self, other: Any) -> Any:
        return self.copy() <= other

    def __gt__(self, other: Any) -> Any:
        return self.copy() > other

    def __ge__(self, other: Any) -> Any:
        return self.copy() >= other

    def __eq__(self, other: object) -> Any:
        return self.copy() == other

    def __ne__(self, other: object) -> Any:
        return self.copy() != other

    __hash__ = None  # type: ignore[assignment]


def _is_plain_index(index: Any) -> bool:
    """Tell if an index of `flat` means what it means for arrays of one axis."""
    if type(index) in (int, slice):
        return True
    if type(index) is list:
        return bool(index) and all(type(item) is int for item in index)
    if isinstance(index, Strided):
        index = index._layout
    if isinstance(index, np.ndarray) and index.ndim == 1:
        return index.dtype.kind in "iub"
    return isinstance(index, np.integer)


def _load_flat(array: np.ndarray[Any, Any], index: Any) -> Any:
    return array.flat[index]


def _store_flat(array: np.ndarray[Any, Any], index: Any, value: Any) -> None:
    array.flat[index] = value


for _host in (_load_flat, _store_flat):
    _host.__name__, _host.__module__ = "flat", "numpy.ndarray"
