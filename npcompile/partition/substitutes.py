"""Stands in for NumPy's functions that Python between blocks calls, where an option of `jit` asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.catalog import fast_random
from npcompile.frontend.graph.options import with_default


class Creating:
    """A function that makes arrays, with another default dtype."""

    def __init__(self, fn: Any, dtype: np.dtype[Any]) -> None:
        self.fn = fn
        self.dtype = dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **with_default(self.fn, args, kwargs, self.dtype))


class Drawing:
    """A method of a generator, some calls of which are taken over. jitted: how a function is to be called."""

    def __init__(self, fn: Any, jitted: Callable[[Any], Any]) -> None:
        self.fn = fn
        self.jitted = jitted

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        draw = fast_random.draw_of(self.fn, args, kwargs)
        return self.fn(*args, **kwargs) if draw is None else draw(self._run)

    def _run(self, function: Any, *operands: Any) -> Any:
        return self.jitted(function)(*operands)
