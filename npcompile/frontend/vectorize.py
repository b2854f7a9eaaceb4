"""`npcompile.vectorize`: `np.vectorize`, with the function's calls done natively once they are compiled.

Users import it. `frontend/elementwise_calls.py` has the native calls; whatever those do not hold is
`np.vectorize`'s to do.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npcompile.frontend.elementwise_calls import operands_of, values_at_items
from npcompile.frontend.elementwise_loop import ElementwiseFunction


class vectorize(np.vectorize):
    """Call a function of numbers at each item of arrays, as `numpy.vectorize` does, natively.

    The results are `numpy.vectorize`'s: values, dtype, shape and exceptions. NumPy does the first call for
    each combination of types; native code is compiled meanwhile and does later calls. It does those of
    functions that return numbers and change nothing, and that native loops know. NumPy does all others,
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
    nin, nout, nargs : int
        The number of the function's parameters that have no default, of its results (by `otypes`, 1 where
        there is none), and of both.

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

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_native": None, "_ufunc": {}}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the function's values at the broadcast arguments.

        Parameters
        ----------
        *args, **kwargs
            The function's arguments.
        out : ndarray or tuple of ndarray, optional
            The arrays that take the results. Only where the function has no such parameter.
        where : array_like of bool, optional
            The places at which to call the function; others are left as they are. Only where the function has
            no such parameter.
        """
        if self._native is None:
            if not callable(self.pyfunc):
                return super().__call__(*args, **kwargs)
            self._native = ElementwiseFunction()
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

    @property
    def nargs(self) -> int:
        return self.nin + self.nout

    @property
    def types(self) -> list[str]:
        """The types of the function's arguments and results, which are any objects."""
        return [f"{'O' * self.nin}->{'O' * self.nout}"]

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Reduce an array along an axis, as the ufunc of `numpy.frompyfunc` does: items are objects."""
        return self._of_objects().reduce(*args, **kwargs)

    def accumulate(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulate an array along an axis, as the ufunc of `numpy.frompyfunc` does: items are objects."""
        return self._of_objects().accumulate(*args, **kwargs)

    def at(self, *args: Any) -> None:
        """Change items of an array of objects at indices, as the ufunc of `numpy.frompyfunc` does."""
        self._of_objects().at(*args)

    def _of_objects(self) -> np.ufunc:
        return np.frompyfunc(self.pyfunc, self.nin, self.nout)

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
        assert self._native is not None
        return values_at_items(self, self._native, args, kwargs)

    def _ufunc_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do a call with `out` or `where`, as a ufunc does it."""
        own = {word for word in ("out", "where") if word in kwargs and word not in self._parameters()}
        given = {word: kwargs[word] for word in kwargs if word not in own}
        out = kwargs["out"] if "out" in own else None
        where = kwargs["where"] if "where" in own else True
        outs = out if isinstance(out, tuple) else None if out is None else (out,)
        if any(one is not None and not isinstance(one, np.ndarray) for one in outs or ()):
            raise TypeError("return arrays must be of ArrayType")
        if where is True:
            made = self._call(args, given)
            results = made if isinstance(made, tuple) else (made,)
            filled = [_filled(*pair) for pair in zip(_outs(outs, results), results, strict=True)]
        else:
            filled = self._masked(args, given, outs, np.asanyarray(where, dtype=bool))
        return tuple(filled) if len(filled) > 1 else filled[0]

    def _masked(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        outs: tuple[Any, ...] | None,
        where: np.ndarray[Any, Any],
    ) -> list[Any]:
        """Call the function at the places that a mask chooses."""
        operands = operands_of(self, args, kwargs)
        given = [one for one in outs or () if one is not None]
        shape = np.broadcast_shapes(operands.shape, where.shape, *(one.shape for one in given))
        for one in given:
            _check_shape(one, shape)
        where = np.broadcast_to(where, shape)
        chosen = {
            name: np.broadcast_to(np.asanyarray(one), shape)[where] for name, one in operands.items.items()
        }
        chosen |= operands.whole
        if outs is not None and len(given) == len(outs) and not where.any():
            return given
        made = self._call(
            tuple(chosen[name] for name in operands.positional),
            {word: chosen[name] for word, name in operands.keywords},
        )
        results = made if isinstance(made, tuple) else (made,)
        filled = []
        for out, result in zip(_outs(outs, results), results, strict=True):
            if out is None:
                out = np.empty(shape, result.dtype)
            elif not np.can_cast(result.dtype, out.dtype, "same_kind"):
                raise TypeError(f"Cannot cast output from {result.dtype!r} to {out.dtype!r} with 'same_kind'")
            out[where] = result
            filled.append(out)
        return filled


def _outs(outs: tuple[Any, ...] | None, results: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the array that takes each result, None for a new one."""
    if outs is None:
        return (None,) * len(results)
    if len(outs) != len(results):
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    return outs


def _filled(out: Any, result: Any) -> Any:
    """Return the array that takes a result."""
    if out is None:
        return result
    _check_shape(out, np.shape(result))
    np.copyto(out, result, casting="same_kind")
    return out


def _check_shape(out: np.ndarray[Any, Any], shape: tuple[int, ...]) -> None:
    if np.broadcast_shapes(shape, out.shape) != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape} for {shape}")
