"""Runs a Python function natively at each item of broadcast arrays, as `np.vectorize` calls it.

`npcompile.vectorize` uses it. The loop is one of Python's, written here, and typed and compiled as any native
loop is; it writes to new memory alone, and where it leaves NumPy does the whole call again.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from npcompile.frontend.loop_pipeline import LoopSource, TypedLoop, loop_source, typed_loop
from npcompile.frontend.loops.callees import ItemFunction
from npcompile.frontend.loops.exchange import arrays_in
from npcompile.frontend.loops.values import WIDE, key_of, type_of
from npcompile.lower.loops.types import Array, Known

MAX_TYPED = 16  # combinations of types of one function that are compiled
MIN_LEAVES = 3  # calls that leave, before their types are NumPy's for good
PAYS = 10  # calls that are done for each one that leaves, with which the types stay native
_NUMBERS = (bool, int, float, complex)
_sources: dict[tuple[Any, ...], LoopSource] = {}  # by the names of keywords and the numbers of operands


@dataclass(frozen=True)
class Operands:
    """The arguments of a call: each has its name in the loop, by position first and then by keyword.

    items: those of which the function takes an item a call. whole: those that it is given as they are.
    """

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
        """Return what tells apart operands that have other native code; None where none has any."""
        parts: list[Any] = [self.keywords]
        for value in self.items.values():
            if type(value) is np.ndarray:
                parts.append((value.dtype, value.size == 1))
            elif type(value) in _NUMBERS or isinstance(value, np.generic):
                parts.append(key_of(value))
            else:
                return None
        parts += map(key_of, self.whole.values())
        return None if None in parts else (len(self.items), *parts)

    def called_at_first(self, function: Callable[..., Any]) -> Any:
        """Return the function's value at the first item, as `np.vectorize` asks for it."""
        given = {name: np.asarray(value).flat[0] for name, value in self.items.items()} | self.whole
        return function(
            *(given[name] for name in self.positional), **{word: given[name] for word, name in self.keywords}
        )


@dataclass(eq=False)
class _Native:
    """The native code of one combination of operands' types."""

    loops: dict[np.dtype[Any], TypedLoop | None] = field(default_factory=dict)  # by the result's dtype
    done: int = 0
    leaves: int = 0

    @property
    def is_left(self) -> bool:
        """Tell if too many calls leave."""
        return self.leaves >= MIN_LEAVES and self.done < PAYS * self.leaves


@dataclass(eq=False)
class ElementwiseFunction:
    """A function that is called at each item. calls: those done natively. reasons: why others were not."""

    function: Callable[..., Any]
    calls: int = 0
    reasons: list[str] = field(default_factory=list)
    _found: dict[Any, _Native | None] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return ElementwiseFunction, (self.function,)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until no native code of this function is being compiled."""
        for native in self._found.values():
            for loop in () if native is None else native.loops.values():
                if loop is not None:
                    loop.job.wait(timeout)

    def prepare(self, operands: Operands, result: Any) -> None:
        """Have a loop compiled for calls that have these operands and a result that NumPy gave."""
        key = operands.key()
        if key is None:
            self._tell("operands other than arrays and numbers")
            return None
        if type(result) is not np.ndarray:
            self._tell("a function of several results")
            return None
        if key not in self._found:
            held = len(self._found) < MAX_TYPED
            self._found[key] = _Native() if held else None
        native = self._found[key]
        if native is not None and result.dtype not in native.loops and len(native.loops) < MAX_TYPED:
            native.loops[result.dtype] = self._make(operands, result.dtype)
        return None

    def is_pure(self, operands: Operands) -> bool:
        """Tell if the function is known to do nothing but return a value, for operands of these types."""
        native = self._native(operands)
        return native is not None and any(loop is not None and loop.holds() for loop in native.loops.values())

    def call(self, operands: Operands, dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
        """Return the function's values at all items, of that dtype; None where NumPy is to find them."""
        native = self._native(operands)
        loop = None if native is None else native.loops.get(dtype)
        if native is None or loop is None or not loop.job.done:
            return None
        if loop.job.error is not None:
            self._tell(str(loop.job.error))
            return None
        if not loop.holds():
            self._tell("a name or an attribute that has changed")
            return None
        result, items = _laid_out(operands, dtype)
        names = _names(loop_of(operands), operands, items, self.function)
        words = loop.exchange.pack(names)
        number = loop.job.function(loop.exchange.address(words))
        if loop.finishes[number]:
            self.calls += 1
            native.done += 1
            return result
        exit_ = loop.exits[number]
        loop.unpack(words, arrays_in(names.values()))  # frees what the function had made
        native.leaves += 1
        self._tell(exit_.why or "an exception, or a number that 64 bits do not hold")
        return None

    def _native(self, operands: Operands) -> _Native | None:
        key = operands.key()
        native = None if key is None else self._found.get(key)
        return None if native is None or native.is_left else native

    def _make(self, operands: Operands, dtype: np.dtype[Any]) -> TypedLoop | None:
        """Type the loop for such operands and have it compiled; None where native code does not do it."""
        _, items = _laid_out(operands, dtype)
        out = type_of(items["out"])
        if not isinstance(out, Array):
            self._tell(f"a result of dtype {dtype}")
            return None
        source = loop_of(operands)
        names = _names(source, operands, items, self.function)
        types = {name: type_of(value) for name, value in names.items()}
        if isinstance(self.function, FunctionType):
            types["function"] = Known(ItemFunction(self.function, out.item))
        known = {name: kind for name, kind in types.items() if kind is not None}
        odd = [name for name in types if name not in known]
        if odd:
            self._tell(f"an operand that is a {type(names[odd[0]]).__name__}")
            return None
        wide = frozenset(name for name, value in names.items() if key_of(value) is WIDE)
        loop = typed_loop(source.flow, known, wide)
        if (refusal := loop.refusal) is not None:
            self._tell(refusal.why)
            return None
        assert loop.job  # it is being compiled from now on
        return loop

    def _tell(self, why: str) -> None:
        if why not in self.reasons:
            self.reasons.append(why)


def loop_of(operands: Operands) -> LoopSource:
    """Return the loop that calls a function at each item of operands."""
    singles = tuple(not _is_array(value) for value in operands.items.values())
    key = operands.positional, operands.keywords, (*operands.items,), singles
    if key not in _sources:
        single = dict(zip(operands.items, singles, strict=True))
        read = {name: name if single.get(name, True) else f"{name}[place].item()" for name in operands.names}
        given = [read[name] for name in operands.positional]
        given += [f"{word}={read[name]}" for word, name in operands.keywords]
        text = f"for place in places:\n    out[place] = function({', '.join(given)})"
        (node,) = ast.parse(text).body
        assert isinstance(node, ast.For)
        _sources[key] = loop_source(node)
    return _sources[key]


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.size > 1


def _names(
    source: LoopSource, operands: Operands, items: dict[str, Any], function: Callable[..., Any]
) -> dict[str, Any]:
    """Return the values of the names at the loop's entry."""
    names = {"function": function, **items, **operands.whole}
    assert source.flow.state is not None
    return {name: names[name] for name in source.reads} | {source.flow.state: range(items["out"].size)}


def _laid_out(
    operands: Operands, dtype: np.dtype[Any]
) -> tuple[np.ndarray[Any, Any], dict[str, np.ndarray[Any, Any] | Any]]:
    """Return a new array, with the memory order that NumPy gives it, and the operands' items in that order.

    The items are arrays of one axis, `out` for those of the new array, or single numbers.
    """
    items: dict[str, Any] = {}
    arrays = {name: value for name, value in operands.items.items() if _is_array(value)}
    for name, value in operands.items.items():
        if name not in arrays:
            items[name] = value.item() if type(value) is np.ndarray else value
    shape = operands.shape
    if all(array.flags.c_contiguous and array.shape == shape for array in arrays.values()):
        result: np.ndarray[Any, Any] = np.empty(shape, dtype)
        axes = tuple(range(result.ndim))
    else:
        alike: list[Any] = [
            np.empty_like(value, order="K") for value in map(np.asarray, operands.items.values())
        ]
        flags: list[Any] = [["readonly"]] * len(alike) + [["writeonly", "allocate"]]
        alike.append(None)
        iterator = np.nditer(alike, [], flags, op_dtypes=[None] * (len(alike) - 1) + [dtype])
        result = np.empty_like(iterator.operands[-1])
        axes = tuple(sorted(range(result.ndim), key=lambda axis: -result.strides[axis]))
    for name, array in arrays.items():
        ordered = np.broadcast_to(array, shape).transpose(axes).reshape(-1)
        items[name] = ordered if ordered.flags.aligned else ordered.copy()
    items["out"] = result.transpose(axes).reshape(-1)
    return result, items
