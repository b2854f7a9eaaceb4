"""`npcompile.vectorize`: `np.vectorize`, with the function's calls done natively once they are compiled.

Users import it. `frontend/elementwise_loop.py` has the native calls; whatever those do not hold is
`np.vectorize`'s to do.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from npcompile.frontend.eager.errstate import traps, warnings_matter
from npcompile.frontend.elementwise_loop import ElementwiseFunction, Operands


class vectorize(np.vectorize):
    """Call a function of numbers at each item of arrays, as `numpy.vectorize` does, natively.

    The results are `numpy.vectorize`'s: values, dtype, shape and exceptions. NumPy does the first call for
    each combination of types; native code is compiled meanwhile and does later calls. It does those of
    functions that return one number and change nothing, and that native loops know. NumPy does all others,
    and each call at which native code comes upon an exception or an int beyond 64 bits.

    Parameters
    ----------
    pyfunc : callable, optional
        The function; without it the object is a decorator.
    otypes : str or list of dtypes, optional
        The dtype of the results. Without it, that of the function's value at the first items.
    doc : str, optional
        The docstring. Without it, the function's.
    excluded : set, optional
        Places and names of parameters that are handed to the function as they are.
    cache : bool, optional
        Keep the first call that finds the dtype of the results. Native calls have no use for it.
    signature : str, optional
        The generalised ufunc signature. With one, NumPy does all calls.

    Attributes
    ----------
    native_calls : int
        The number of calls that were done natively.
    reasons : list of str
        The reasons why NumPy did calls after the first.
    nin, nout : int
        The number of the function's parameters that have no default, and of its results (by `otypes`, 1
        where there is none).

    Examples
    --------
    >>> import npcompile
    >>> @npcompile.vectorize
    ... def clip(x, top):
    ...     if x > top:
    ...         return top
    ...     return x
    >>> clip([1, 5, 3], 4)
    array([1, 4, 3])
    """

    def __init__(self, pyfunc: Any = np._NoValue, *args: Any, **options: Any) -> None:
        super().__init__(pyfunc, *args, **options)
        self._native: ElementwiseFunction | None = None
        # Filters of warnings that are set later are there to see NumPy's warnings.
        self._filters = warnings.filters

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_native": None, "_filters": None, "_ufunc": {}}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the function's values at the broadcast arguments.

        Parameters
        ----------
        *args, **kwargs
            The function's arguments.
        out : ndarray, optional
            The array that takes the results. Only where the function has no such parameter.
        where : array_like of bool, optional
            The places at which to call the function; others are left as they are. Only where the function has
            no such parameter.
        """
        if self._native is None:
            if not callable(self.pyfunc):
                return super().__call__(*args, **kwargs)
            self._native = ElementwiseFunction(self.pyfunc)
        if "out" in kwargs or "where" in kwargs:
            return self._ufunc_call(args, kwargs)
        return self._call(args, kwargs)

    @property
    def native_calls(self) -> int:
        return 0 if self._native is None else self._native.calls

    @property
    def reasons(self) -> list[str]:
        return [] if self._native is None else self._native.reasons

    @property
    def nin(self) -> int:
        return sum(
            one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
            for one in self._parameters().values()
        )

    @property
    def nout(self) -> int:
        return 1 if self.otypes is None else len(self.otypes)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until no native code of the function is being compiled."""
        if self._native is not None:
            self._native.wait(timeout)

    def outer(self, a: Any, b: Any, **kwargs: Any) -> Any:
        """Return the function's values at all pairs of an item of `a` and one of `b`."""
        a = np.asanyarray(a)
        return self(a.reshape(a.shape + (1,) * np.ndim(b)), b, **kwargs)

    def _parameters(self) -> Any:
        try:
            return inspect.signature(self.pyfunc).parameters
        except (TypeError, ValueError):  # of a function in C
            return {}

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        native = self._native
        assert native is not None
        if self.signature is not None or self.nout != 1 or self._errors_matter():
            return super().__call__(*args, **kwargs)
        operands = self._operands(args, kwargs)
        if not operands.items or not operands.size:
            return super().__call__(*args, **kwargs)
        if native.is_pure(operands):
            dtype = self._dtype(operands)
            result = None if dtype is None else native.call(operands, dtype)
            if result is not None:
                return result
        result = super().__call__(*args, **kwargs)
        native.prepare(operands, result)
        return result

    def _errors_matter(self) -> bool:
        """Tell if NumPy is to raise or show floating-point errors."""
        return traps() or (warnings_matter() and warnings.filters is not self._filters)

    def _operands(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Operands:
        positional = tuple(f"x{place}" for place in range(len(args)))
        keywords = tuple((word, f"k{place}") for place, word in enumerate(kwargs))
        given = dict(zip(positional, args, strict=True))
        given |= {name: kwargs[word] for word, name in keywords}
        kept = {name for place, name in enumerate(positional) if place in self.excluded}
        kept |= {name for word, name in keywords if word in self.excluded}
        items = {name: value for name, value in given.items() if name not in kept}
        return Operands(positional, keywords, items, {name: given[name] for name in kept})

    def _dtype(self, operands: Operands) -> np.dtype[Any] | None:
        """Return the results' dtype, by the function's value at the first items; None for several
        results.
        """
        if self.otypes is not None:
            return np.dtype(self.otypes[0])
        first = operands.called_at_first(self.pyfunc)
        return None if isinstance(first, tuple) else np.asarray(first).dtype

    def _ufunc_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do a call with `out` or `where`, as a ufunc does it."""
        own = {word for word in ("out", "where") if word in kwargs and word not in self._parameters()}
        given = {word: kwargs[word] for word in kwargs if word not in own}
        out = kwargs["out"] if "out" in own else None
        where = kwargs["where"] if "where" in own else True
        if isinstance(out, tuple):
            (out,) = out
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError("return arrays must be of ArrayType")
        if where is True:
            result = self._call(args, given)
            if out is None:
                return result
            _check_shape(out, np.shape(result))
            np.copyto(out, result, casting="same_kind")
            return out
        return self._masked(args, given, out, np.asanyarray(where, dtype=bool))

    def _masked(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any, where: np.ndarray[Any, Any]
    ) -> Any:
        """Call the function at the places that a mask chooses."""
        operands = self._operands(args, kwargs)
        shape = np.broadcast_shapes(operands.shape, where.shape, () if out is None else out.shape)
        if out is not None:
            _check_shape(out, shape)
        where = np.broadcast_to(where, shape)
        chosen = {
            name: np.broadcast_to(np.asanyarray(one), shape)[where] for name, one in operands.items.items()
        }
        chosen |= operands.whole
        if out is not None and not where.any():
            return out
        result = self._call(
            tuple(chosen[name] for name in operands.positional),
            {word: chosen[name] for word, name in operands.keywords},
        )
        if out is None:
            out = np.empty(shape, result.dtype)
        elif not np.can_cast(result.dtype, out.dtype, "same_kind"):
            raise TypeError(f"Cannot cast output from {result.dtype!r} to {out.dtype!r} with 'same_kind'")
        out[where] = result
        return out


def _check_shape(out: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    if np.broadcast_shapes(shape, out.shape) != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape} for {shape}")
