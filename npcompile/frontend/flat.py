"""`ndarray.flags` and `ndarray.flat` of our arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend import dispatch

_OWNDATA = 0x4  # NPY_ARRAY_OWNDATA


class Flags:
    """NumPy's flags of the layout; whether the array owns its memory is our own knowledge."""

    def __init__(self, flags: Any, owns: bool) -> None:
        object.__setattr__(self, "_flags", flags)
        object.__setattr__(self, "owndata", owns)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __setattr__(self, name: str, value: bool) -> None:
        setattr(self._flags, name, value)

    def __getitem__(self, name: str) -> Any:
        return self.owndata if name in ("OWNDATA", "O") else self._flags[name]

    def __setitem__(self, name: str, value: bool) -> None:
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
        return "\n".join(f"  OWNDATA : {self.owndata}" if "OWNDATA" in line else line for line in lines)


class FlatIterator:
    """An array seen as one row in C order; storing through it writes into the array."""

    def __init__(self, array: Any) -> None:
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
        return tuple(int(i) for i in np.unravel_index(self._next, self.base.shape))

    def copy(self) -> Any:
        return self.base.flatten()

    def __getitem__(self, index: Any) -> Any:
        plain = index[0] if type(index) is tuple and len(index) == 1 else index
        items = plain if type(plain) is list else [plain]
        if all(type(item) in (int, slice) or getattr(item, "dtype", None) in (bool, int) for item in items):
            return self.base.flatten()[index]
        return dispatch.host(_load_flat, (self.base, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        dispatch.host(_store_flat, (self.base, index, value), {})

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.copy(), dtype=dtype)


def _load_flat(array: np.ndarray[Any, Any], index: Any) -> Any:
    return array.flat[index]


def _store_flat(array: np.ndarray[Any, Any], index: Any, value: Any) -> None:
    array.flat[index] = value


for _host in (_load_flat, _store_flat):
    _host.__name__, _host.__module__ = "flat", "numpy.ndarray"
