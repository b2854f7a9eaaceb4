"""`numpy.testing` on our arrays: NumPy's own assertions, which look at values on the host."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy.testing

from npcompile.frontend.eager import dispatch
from npcompile.frontend.eager.ndarray import ndarray

__all__ = list(numpy.testing.__all__)


def _on_host(assertion: Callable[..., Any]) -> Callable[..., Any]:
    """Return an assertion of NumPy's that takes our arrays, in lists and dicts too."""

    @functools.wraps(assertion)
    def called(*args: Any, **kwargs: Any) -> Any:
        values: Callable[[Any], Any] = ndarray._on_host
        return assertion(*dispatch.map_arrays(args, values), **dispatch.map_arrays(kwargs, values))

    return called


assert_allclose = _on_host(numpy.testing.assert_allclose)
assert_almost_equal = _on_host(numpy.testing.assert_almost_equal)
assert_approx_equal = _on_host(numpy.testing.assert_approx_equal)
assert_array_almost_equal = _on_host(numpy.testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _on_host(numpy.testing.assert_array_almost_equal_nulp)
assert_array_compare = _on_host(numpy.testing.assert_array_compare)
assert_array_equal = _on_host(numpy.testing.assert_array_equal)
assert_array_less = _on_host(numpy.testing.assert_array_less)
assert_array_max_ulp = _on_host(numpy.testing.assert_array_max_ulp)
assert_equal = _on_host(numpy.testing.assert_equal)
print_assert_equal = _on_host(numpy.testing.print_assert_equal)


def __getattr__(name: str) -> Any:
    """Return NumPy's own objects, for names that take no arrays."""
    return getattr(numpy.testing, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *numpy.testing.__all__})
