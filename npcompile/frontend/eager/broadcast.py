"""`numpy.broadcast` of our arrays: it keeps the arrays, and NumPy's own broadcast object iterates over their
values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend.eager.ndarray import asarray, ndarray


class _OperandIterator:
    """Iterates over one operand, each element as often as broadcasting repeats it."""

    def __init__(self, base: Any, iterator: Any) -> None:
        self.base = base
        self._iterator = iterator

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    @property
    def index(self) -> int:
        return int(self._iterator.index)

    @property
    def coords(self) -> tuple[int, ...]:
        return tuple(self._iterator.coords)


class broadcast:
    """NumPy's `broadcast` for our arrays: the arrays, their common shape, and their elements together.

    Raises ValueError for shapes that do not fit together, for more than 64 operands, and for keywords.
    """

    def __init__(self, *arrays: Any, **kwargs: Any) -> None:
        flat: list[Any] = []
        for item in arrays:
            flat.extend(item._arrays if isinstance(item, broadcast) else [item])
        self._arrays: list[Any] = [
            item if isinstance(item, (ndarray, np.ndarray)) else asarray(item) for item in flat
        ]
        values = [item._on_host() if isinstance(item, ndarray) else item for item in self._arrays]
        self._real = np.broadcast(*values, **kwargs)

    @property
    def iters(self) -> tuple[Any, ...]:
        return tuple(map(_OperandIterator, self._arrays, self._real.iters))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._real.shape

    @property
    def ndim(self) -> int:
        return self._real.ndim

    nd = ndim

    @property
    def numiter(self) -> int:
        return self._real.numiter

    @property
    def size(self) -> int:
        return self._real.size

    @property
    def index(self) -> int:
        return self._real.index

    def reset(self, /) -> None:
        self._real.reset()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        return next(self._real)
