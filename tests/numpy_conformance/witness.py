"""The assert helpers of `numpy.testing`, made to check dtype, shape and kind beside the values.

Our arrays become NumPy arrays before a helper sees them, so that our own `==` never judges itself. NumPy's
helpers mostly ignore dtype, and broadcast: so the run under plain NumPy leaves, for each test, the kind
(array, NumPy scalar, Python number), dtype and shape of everything that its helpers were given, and the run
under us must show the same.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy
import numpy.testing

# The helpers that compare values: (name, how many leading arguments are compared).
_COMPARING = {
    "assert_equal": 2,
    "assert_almost_equal": 2,
    "assert_approx_equal": 2,
    "assert_array_equal": 2,
    "assert_array_less": 2,
    "assert_array_almost_equal": 2,
    "assert_allclose": 2,
    "assert_array_almost_equal_nulp": 2,
    "assert_array_max_ulp": 2,
}


class Witness:
    """What the comparing helpers were given in the test that is running."""

    def __init__(self, to_numpy: Callable[[Any], Any]) -> None:
        self._to_numpy = to_numpy  # one of our arrays -> a NumPy array, anything else unchanged
        self.seen: list[str] = []
        self.expected: list[str] | None = None

    def begin(self, expected: list[str] | None) -> None:
        self.seen, self.expected = [], expected

    def note(self, helper: str, arguments: list[Any]) -> None:
        self.seen.append(f"{helper} " + " ".join(signature(a) for a in arguments))
        if self.expected is None:
            return
        count = len(self.seen)
        wanted = self.expected[count - 1] if count <= len(self.expected) else "no such call"
        if self.seen[-1] != wanted:
            raise AssertionError(f"compared {self.seen[-1]} where NumPy had {wanted} (comparison {count})")

    def end(self) -> None:
        """Raises if NumPy's run compared more than this one did."""
        if self.expected is not None and len(self.seen) < len(self.expected):
            raise AssertionError(f"{len(self.seen)} comparisons where NumPy made {len(self.expected)}")

    def convert(self, value: Any) -> Any:
        """`value` with our arrays in it replaced by NumPy's."""
        if type(value) in (list, tuple):
            return type(value)([self.convert(v) for v in value])
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*[self.convert(v) for v in value])
        if type(value) is dict:
            return {k: self.convert(v) for k, v in value.items()}
        return self._to_numpy(value)

    def testing(self) -> types.ModuleType:
        """`numpy.testing` with the comparing helpers wrapped."""
        wrapped = types.ModuleType("numpy.testing")
        wrapped.__dict__.update(vars(numpy.testing), **self.helpers())
        return wrapped

    def helpers(self) -> dict[str, Callable[..., Any]]:
        """The comparing helpers, wrapped, by name."""
        return {name: self._wrap(name, getattr(numpy.testing, name), n) for name, n in _COMPARING.items()}

    def _wrap(self, name: str, helper: Callable[..., Any], compared: int) -> Callable[..., Any]:
        def checked(*args: Any, **kwargs: Any) -> Any:
            return self._check(name, helper, compared, *args, **kwargs)

        # A function of an installed package, as the helper is: a recording takes it as one step.
        code = checked.__code__
        checked.__code__ = code.replace(
            co_filename=numpy.testing.__file__, co_flags=code.co_flags & ~inspect.CO_NESTED
        )
        return functools.update_wrapper(checked, helper)

    def _check(
        self, name: str, helper: Callable[..., Any], compared: int, /, *args: Any, **kwargs: Any
    ) -> Any:
        args = tuple(self.convert(a) for a in args)
        kwargs = {k: self.convert(v) for k, v in kwargs.items()}
        result = helper(*args, **kwargs)
        given = list(args[:compared])
        given += [kwargs[k] for k in ("actual", "desired", "x", "y", "a", "b") if k in kwargs]
        self.note(name, given)
        return result


def signature(value: Any) -> str:
    """Kind, dtype and shape: "array<f8(3,)", "scalar<i8", "float", "[...]"."""
    if isinstance(value, numpy.ndarray):
        return f"array{value.dtype.str}{value.shape}".replace(" ", "")
    if isinstance(value, numpy.generic):
        return f"scalar{value.dtype.str}"
    if isinstance(value, list | tuple):
        inner = ",".join(signature(v) for v in value[:6])
        return f"{len(value)}*[{inner}]"
    if isinstance(value, bool | int | float | complex | str | dict | None):
        return type(value).__name__
    return "object"
