"""Answers calls of `np.vectorize` objects, and of `np.frompyfunc` functions, natively where that can be done.

`npcompile.vectorize` uses it, and jitted functions do for the objects that they call. The answers are
NumPy's: it does the first call of each combination of types, and all that `elementwise_loop.py` does not.
"""

from __future__ import annotations

import gc
import warnings
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from npcompile.frontend.catalog.item_functions import register
from npcompile.frontend.eager.errstate import traps, warnings_matter
from npcompile.frontend.elementwise_loop import ElementwiseFunction, Operands, Results
from npcompile.frontend.loops.entry.closures import is_nested
from npcompile.frontend.loops.entry.values import plain_function

LEAST = 64  # items: entering a native loop takes about as long as this many calls
MOST = 256  # codes of functions whose native code is kept

_by_code: dict[tuple[Any, ...], ElementwiseFunction] = {}
_NUMBERS = (bool, int, float, complex)


def native_calls() -> int:
    """Return how many calls of `np.vectorize` objects and the like were native in jitted functions."""
    return sum(native.calls for native in _by_code.values())


def wait(timeout: float | None = None) -> None:
    """Wait until no native code of functions that are called at each item is being compiled."""
    for native in [*_by_code.values()]:
        native.wait(timeout)


def function_of(function: Any) -> ElementwiseFunction | None:
    """Return the native code of a Python function; None for other callables, and for one of too many.

    Functions that one `def` or `lambda` makes share native code.
    """
    plain = plain_function(function)
    if plain is None:
        return None
    code: CodeType = plain.__code__
    key = (code, code.co_filename, id(plain.__globals__)) if is_nested(plain) else (plain,)
    if key not in _by_code and len(_by_code) < MOST:
        _by_code[key] = ElementwiseFunction()
    return _by_code.get(key)


@register(np.vectorize)
def call_vectorized(made: np.vectorize, /, *args: Any, **kwargs: Any) -> Any:
    """Call an `np.vectorize` object."""
    native = function_of(made.pyfunc)
    if native is None:
        return made(*args, **kwargs)
    return values_at_items(made, native, args, kwargs, LEAST)


def values_at_items(
    made: np.vectorize,
    native: ElementwiseFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    least: int = 1,
) -> Any:
    """Return the answer of `np.vectorize.__call__`. least: calls for fewer items are NumPy's."""
    if made.signature is not None or _errors_matter(native):
        return np.vectorize.__call__(made, *args, **kwargs)
    operands = operands_of(made, args, kwargs)
    if not operands.items or operands.size < least:
        return np.vectorize.__call__(made, *args, **kwargs)
    if native.is_pure(operands):
        results = _results(made, operands)
        answer = None if results is None else native.call(operands, results)
        if answer is not None:
            return answer
    answer = np.vectorize.__call__(made, *args, **kwargs)
    native.prepare(operands, answer)
    return answer


def operands_of(made: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Operands:
    """Return the operands of a call of an `np.vectorize` object."""
    positional = tuple(f"x{place}" for place in range(len(args)))
    keywords = tuple((word, f"k{place}") for place, word in enumerate(kwargs))
    given = dict(zip(positional, args, strict=True))
    given |= {name: kwargs[word] for word, name in keywords}
    kept = {name for place, name in enumerate(positional) if place in made.excluded}
    kept |= {name for word, name in keywords if word in made.excluded}
    items = {name: value for name, value in given.items() if name not in kept}
    return Operands(made.pyfunc, positional, keywords, items, {name: given[name] for name in kept})


def _results(made: np.vectorize, operands: Operands) -> Results | None:
    """Return the results' dtypes, by `otypes` or by the function's value at the first items."""
    if made.otypes is not None:
        return Results(tuple(map(np.dtype, made.otypes)))
    first = operands.called_at_first()
    if type(first) is tuple and len(first) == 1:
        return None  # the tuple is the result
    values = first if isinstance(first, tuple) else (first,)
    return Results(tuple([np.asarray(value).dtype for value in values]))


def _errors_matter(native: ElementwiseFunction) -> bool:
    """Tell if NumPy is to raise or show floating-point errors, by settings made since NumPy's first call."""
    return traps() or (warnings_matter() and warnings.filters is not native.filters)


# -- np.frompyfunc -----------------------------------------------------------------------------------------


@register(np.ufunc)
def call_ufunc(made: np.ufunc, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function that `np.frompyfunc` has made, for one result: an array of objects."""
    function = python_function(made)
    native = None if kwargs or made.nout != 1 else function_of(function)
    if function is None or native is None or not any(type(arg) is np.ndarray and arg.ndim for arg in args):
        return made(*args, **kwargs)
    if len(args) != made.nin or _errors_matter(native) or not all(map(_becomes_items, args)):
        return made(*args)
    names = tuple(f"x{place}" for place in range(len(args)))
    operands = Operands(function, names, (), dict(zip(names, args, strict=True)), {})
    if operands.size < LEAST:
        return made(*args)
    results = native.objects_for(operands)
    answer = None if results is None else native.call(operands, results)
    if answer is None:
        answer = made(*args)
        native.prepare(operands, answer)
    return answer


def python_function(made: np.ufunc) -> FunctionType | None:
    """Return the function of Python's that a ufunc calls; None where it is another ufunc."""
    held = [one for one in gc.get_referents(made) if type(one) is FunctionType]
    return held[0] if len(held) == 1 else None


def _becomes_items(arg: Any) -> bool:
    """Tell if a ufunc makes Python's numbers of an argument."""
    return type(arg) is np.ndarray or type(arg) in _NUMBERS
