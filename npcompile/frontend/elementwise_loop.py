"""Runs a Python function natively at each item of broadcast arrays, as `np.vectorize` calls it.

`elementwise_calls.py` uses it. The loop is one of Python's, written here, and typed and compiled as any
native loop is; it writes to new memory alone, and where it leaves NumPy does the whole call again.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from npcompile.diagnostics import log
from npcompile.frontend.catalog.item_functions import note_pending
from npcompile.frontend.loop_pipeline import LoopSource, TypedLoop, loop_source, typed_loop
from npcompile.frontend.loops.callees import ItemFunction
from npcompile.frontend.loops.entry.closures import Closure, is_nested
from npcompile.frontend.loops.entry.objects import Objects, objects_of
from npcompile.frontend.loops.entry.values import WIDE, key_of, scalar_of, type_of
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.lower.loops.types import Array, Exact, Known, Tuple, Type

MAX_TYPED = 16  # combinations of types of one function that are compiled
MIN_LEAVES = 3  # calls that leave, after which calls with their types are NumPy's
PAYS = 10  # calls that are done for each one that leaves, with which the types stay native
FUNCTION = "function"  # its name in the loop
_NUMBERS = (bool, int, float, complex)
_sources: dict[tuple[Any, ...], LoopSource] = {}  # by the names of keywords and the numbers of operands


@dataclass(frozen=True)
class Operands:
    """The function, and the arguments of a call: each has its name in the loop, by position first and then by
    keyword.

    items: those of which the function takes an item a call. whole: those that it is given as they are.
    """

    function: Callable[..., Any]
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]  # the function's parameter, and the name
    items: dict[str, Any]
    whole: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The operands' names in the order in which the function is given them."""
        return (*self.positional, *(name for _, name in self.keywords))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape to which the operands are broadcast. Raises ValueError where they are not."""
        return np.broadcast_shapes(*map(np.shape, self.items.values()))

    @property
    def size(self) -> int:
        """The number of items; 0 where the operands are not broadcast, which is NumPy's to tell."""
        try:
            return math.prod(self.shape)
        except ValueError:
            return 0

    def key(self) -> tuple[Any, ...] | None:
        """Return the key of the native code for operands; None where there can be none."""
        parts: list[Any] = [self.keywords]
        for value in self.items.values():
            if type(value) is np.ndarray:
                parts.append((value.dtype, value.size == 1))
            elif type(value) in _NUMBERS or isinstance(value, np.generic):
                parts.append(key_of(value))
            else:
                return None
        parts += map(key_of, self.whole.values())
        if (objects := self.objects()) is not None:
            parts += objects.key(())
        return None if None in parts else (len(self.items), *parts)

    def objects(self) -> Objects | None:
        """Return the function as a nested one, with its free variables' values; None for another one."""
        return objects_of({FUNCTION: self.function}, (), (FUNCTION,)) if is_nested(self.function) else None

    def called_at_first(self) -> Any:
        """Return the function's value at the first item, as `np.vectorize` asks for it."""
        given = {name: np.asarray(value).flat[0] for name, value in self.items.items()} | self.whole
        return self.function(
            *(given[name] for name in self.positional), **{word: given[name] for word, name in self.keywords}
        )


class Results(NamedTuple):
    """The dtypes of a call's results: of a function that returns a tuple there is one for each item.

    exact: each result is to be a Python number or a NumPy scalar of the very type, as an object.
    """

    dtypes: tuple[np.dtype[Any], ...]
    exact: Exact | None = None

    @property
    def item(self) -> Type | None:
        """The type to which results are converted; None where native code does not hold them."""
        if self.exact is not None:
            return self.exact
        kinds = [type_of(np.empty(0, dtype)) for dtype in self.dtypes]
        items = tuple([kind.item for kind in kinds if isinstance(kind, Array)])
        if len(items) < len(kinds):
            return None
        return items[0] if len(items) == 1 else Tuple(items)


@dataclass(eq=False)
class _Native:
    """The native code of one combination of operands' types."""

    loops: dict[Results, TypedLoop | None] = field(default_factory=dict)
    done: int = 0
    leaves: int = 0

    @property
    def is_left(self) -> bool:
        """Tell if too many calls leave."""
        return self.leaves >= MIN_LEAVES and self.done < PAYS * self.leaves

    @property
    def awaits_objects(self) -> bool:
        """Tell if a loop whose results are made as objects is being compiled."""
        loops = [loop for results, loop in self.loops.items() if results.exact is not None]
        return any(loop is not None and not loop.job.done for loop in loops)


@dataclass(eq=False)
class ElementwiseFunction:
    """The native code of functions of one code, which are called at each item.

    calls: those done natively. reasons: why others were not. filters: the filters of warnings when NumPy did
    the first call.
    """

    calls: int = 0
    reasons: list[str] = field(default_factory=list)
    filters: Any = field(default_factory=lambda: warnings.filters)
    _found: dict[Any, _Native | None] = field(default_factory=dict)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until no native code of this function is being compiled."""
        for native in self._found.values():
            for loop in () if native is None else native.loops.values():
                if loop is not None:
                    loop.job.wait(timeout)

    def prepare(self, operands: Operands, result: Any) -> None:
        """Have a loop compiled for calls that have these operands and the results that NumPy gave."""
        key = operands.key()
        if key is None:
            self._tell("operands other than arrays and numbers")
            return
        native = self._found.get(key)
        has_objects = type(result) is np.ndarray and result.dtype.hasobject
        if has_objects and native is not None and native.awaits_objects:
            return  # to look at each object takes longer than the calls that have made them
        results = results_of(result)
        if results is None:
            self._tell("results of other types than native code holds")
        else:
            if key not in self._found:
                self._found[key] = _Native() if len(self._found) < MAX_TYPED else None
            native = self._found[key]
            if native is not None and results not in native.loops and len(native.loops) < MAX_TYPED:
                native.loops[results] = self._make(operands, results)

    def is_pure(self, operands: Operands) -> bool:
        """Tell if the function is known to do nothing but return a value, for operands of these types."""
        native = self._native(operands)
        return native is not None and any(loop is not None and loop.holds() for loop in native.loops.values())

    def objects_for(self, operands: Operands) -> Results | None:
        """Return the results that are made as objects for such operands; None where there are none."""
        native = self._native(operands)
        return None if native is None else next((one for one in native.loops if one.exact), None)

    def call(self, operands: Operands, results: Results) -> Any:
        """Return the function's values at all items, an array or a tuple of them; None where NumPy is to find
        them.
        """
        native = self._native(operands)
        loop = None if native is None else native.loops.get(results)
        if native is None or loop is None or not loop.job.done:
            return None
        if loop.job.error is not None:
            self._tell(str(loop.job.error))
            return None
        if not loop.holds():
            self._tell("a name or an attribute that has changed")
            return None
        laid = _laid_out(operands, results.dtypes)
        names = _names(loop_of(operands, len(results.dtypes)), operands, laid.items)
        words = loop.exchange.pack(names)
        number = loop.job.function(loop.exchange.address(words))
        if loop.finishes[number]:
            self.calls += 1
            native.done += 1
            if results.exact is not None:
                return _as_objects(laid, results.exact)
            return laid.results if len(laid.results) > 1 else laid.results[0]
        exit_ = loop.exits[number]
        loop.unpack(words, arrays_in(names.values()))  # frees the memory that the function had made
        native.leaves += 1
        self._tell(exit_.why or "an exception, or a number that 64 bits do not hold")
        return None

    def _native(self, operands: Operands) -> _Native | None:
        key = operands.key()
        native = None if key is None else self._found.get(key)
        return None if native is None or native.is_left else native

    def _make(self, operands: Operands, results: Results) -> TypedLoop | None:
        """Type the loop for such operands and have it compiled; None where native code does not do it."""
        if (item := results.item) is None:
            self._tell(f"a result of dtype {', '.join(map(str, results.dtypes))}")
            return None
        source = loop_of(operands, len(results.dtypes))
        names = _names(source, operands, _laid_out(operands, results.dtypes).items)
        objects = operands.objects()
        types = {name: type_of(value) for name, value in names.items()}
        if objects is not None:
            del types[FUNCTION]
            closure = objects.names[FUNCTION]
            assert isinstance(closure, Closure)
            objects.names[FUNCTION] = replace(closure, item=item)
            types |= {name: type_of(value) for name, value in objects.values.items()}
        elif isinstance(operands.function, FunctionType):
            types[FUNCTION] = Known(ItemFunction(operands.function, item))
        known = {name: kind for name, kind in types.items() if kind is not None}
        odd = [name for name in types if name not in known]
        if odd:
            self._tell(f"an operand that is a {type(names[odd[0]]).__name__}")
            return None
        wide = frozenset(name for name, value in names.items() if key_of(value) is WIDE)
        code = operands.function.__code__
        wanted_by = log.function_at(code.co_name, code.co_filename, code.co_firstlineno)
        loop = typed_loop(source.flow, known, wide, objects, wanted_by)
        if (refusal := loop.refusal) is not None:
            self._tell(refusal.why)
            return None
        if any(function.has_effects for function in loop.region.functions):
            self._tell("a function that changes something")
            return None
        job = loop.job  # it is being compiled from now on
        note_pending(lambda: job.done)
        return loop

    def _tell(self, why: str) -> None:
        if why not in self.reasons:
            self.reasons.append(why)


def results_of(result: Any) -> Results | None:
    """Return the dtypes of results that NumPy has given; None for others than native code makes."""
    if type(result) is tuple:
        found = tuple([one.dtype for one in result if type(one) is np.ndarray])
        return Results(found) if len(found) == len(result) > 1 else None
    if type(result) is not np.ndarray:
        return None
    if result.dtype != object:
        return Results((result.dtype,))
    kind = scalar_of(result.flat[0]) if result.size else None
    if kind is None or any(scalar_of(item) != kind for item in result.flat):
        return None
    return Results((np.dtype(kind.code),), Exact(kind))


def loop_of(operands: Operands, count: int = 1) -> LoopSource:
    """Return the loop that calls a function at each item of operands. count: the number of its results."""
    singles = tuple(not _is_array(value) for value in operands.items.values())
    key = operands.positional, operands.keywords, (*operands.items,), singles, count
    if key not in _sources:
        single = dict(zip(operands.items, singles, strict=True))
        read = {name: name if single.get(name, True) else f"item_{name}" for name in operands.names}
        given = [read[name] for name in operands.positional]
        given += [f"{word}={read[name]}" for word, name in operands.keywords]
        lines = [f"{one} = {name}[place].item()" for name, one in read.items() if one != name]
        targets = ", ".join(f"{name}[place]" for name in _outputs(count))
        lines.append(f"{targets} = {FUNCTION}({', '.join(given)})")
        (node,) = ast.parse("\n    ".join(["for place in places:", *lines])).body
        assert isinstance(node, ast.For)
        _sources[key] = loop_source(node)
    return _sources[key]


def _outputs(count: int) -> list[str]:
    """Return the names of the results' items."""
    return [f"out{place}" for place in range(count)]


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.size > 1


def _names(source: LoopSource, operands: Operands, items: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the names at the loop's entry."""
    names = {FUNCTION: operands.function, **items, **operands.whole}
    if (objects := operands.objects()) is not None:
        names |= objects.values
    assert source.flow.state is not None
    held = {name: names[name] for name in (*source.reads, *(name for name in names if "." in name))}
    return held | {source.flow.state: range(items["out0"].size)}


class _LaidOut(NamedTuple):
    """New arrays, with the memory order that NumPy gives them, and the operands' items in that order.

    axes: that order. items: arrays of one axis, `out0` for those of the first new array, or single numbers.
    """

    results: tuple[np.ndarray[Any, Any], ...]
    axes: tuple[int, ...]
    items: dict[str, Any]


def _laid_out(operands: Operands, dtypes: tuple[np.dtype[Any], ...]) -> _LaidOut:
    items: dict[str, Any] = {}
    arrays = {name: value for name, value in operands.items.items() if _is_array(value)}
    for name, value in operands.items.items():
        if name not in arrays:
            items[name] = value.item() if type(value) is np.ndarray else value
    shape = operands.shape
    if all(array.flags.c_contiguous and array.shape == shape for array in arrays.values()):
        first: np.ndarray[Any, Any] = np.empty(shape, dtypes[0])
        axes = tuple(range(first.ndim))
    else:
        alike: list[Any] = [
            np.empty_like(value, order="K") for value in map(np.asarray, operands.items.values())
        ]
        flags: list[Any] = [["readonly"]] * len(alike) + [["writeonly", "allocate"]]
        alike.append(None)
        iterator = np.nditer(alike, [], flags, op_dtypes=[None] * (len(alike) - 1) + [dtypes[0]])
        first = np.empty_like(iterator.operands[-1])
        axes = tuple(sorted(range(first.ndim), key=lambda axis: -first.strides[axis]))
    for name, array in arrays.items():
        # A view of one axis may keep its stride, for which the loop was not compiled.
        ordered = np.ascontiguousarray(np.broadcast_to(array, shape).transpose(axes).reshape(-1))
        items[name] = ordered if ordered.flags.aligned else ordered.copy()
    results = first, *(np.empty_like(first, dtype) for dtype in dtypes[1:])
    for name, result in zip(_outputs(len(dtypes)), results, strict=True):
        items[name] = result.transpose(axes).reshape(-1)
    return _LaidOut(results, axes, items)


def _as_objects(laid: _LaidOut, exact: Exact) -> np.ndarray[Any, Any]:
    """Return an array of the Python numbers, or of the NumPy scalars, that a new array's items stand for."""
    (result,) = laid.results
    if exact.kind.python:
        return result.astype(object)
    made = np.empty_like(result, object)
    made.transpose(laid.axes).reshape(-1)[:] = list(laid.items["out0"])
    return made
