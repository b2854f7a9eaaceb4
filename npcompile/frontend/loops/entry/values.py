"""Finds the types of values that a loop region meets, for its inference and for the choice of its native
code.
"""

from __future__ import annotations

import math
import types
from collections import Counter, defaultdict, deque
from inspect import CO_GENERATOR
from itertools import islice
from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.closures import Closure
from npcompile.frontend.loops.run.array_iterators import Flat, Grid
from npcompile.frontend.loops.run.deques import has_known_fields
from npcompile.frontend.loops.run.generators import is_generator, is_legacy
from npcompile.frontend.loops.run.iterators import Counted, Held, Items, Numbers, State, Zipped
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import FlatState, GridState
from npcompile.lower.loops.dict_ir import ObjectState
from npcompile.lower.loops.ir import SMALL, RangeState
from npcompile.lower.loops.iterator_ir import CountedState, ItemsState, PartsState, ZippedState
from npcompile.lower.loops.list_ir import common
from npcompile.lower.loops.text_ir import TextState
from npcompile.lower.loops.types import (
    BOOL,
    C_TYPES,
    CHARACTER,
    COMPLEX,
    FLOAT,
    INT,
    MODULUS,
    NONE,
    UNSIGNED,
    WORD,
    Array,
    Deque,
    Dict,
    Generator,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    is_key,
)

_PYTHON = {bool: BOOL, float: FLOAT, complex: COMPLEX}
_NUMPY = {np.dtype(code).type: Scalar(code) for code in C_TYPES if code != "b1"} | {np.bool_: Scalar("b1")}
_KNOWN = (
    type(None),
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    type,
    np.ufunc,
    np.dtype,
)
TEXTS = {kind: Text(kind.__name__) for kind in (str, bytes, bytearray)}
_STATES = frozenset((Numbers, Items, Held, Counted, Zipped, Grid, Flat))
_NUMBERS: dict[type, Type] = {int: INT, **_PYTHON, **_NUMPY}
_PLAIN: dict[type, Type] = {**_NUMBERS, type(None): NONE}  # of these the class of an item tells the type
_DICTS = frozenset((dict, defaultdict, Counter))
_METHOD_OWNERS = frozenset((list, deque, set, *_DICTS))
# The types of values that a defaultdict makes.
_MADE = {int: INT, float: FLOAT, list: List(None), dict: Dict(None, None), set: Set(None)}
NESTED = 3  # lists within more lists are Python's
LOOKED_AT = 8  # first items of a list that, with the last one, tell the type expected of all
MOST_NONES = 64  # first items of a list among which one is looked for that is not None
MOST_AXES = 8  # of arrays whose items, or places, a loop goes over
LONGEST = 64  # tuples with more items are Python's
WIDE = "wide"  # the key of an int that takes more bits than most
_FLAGS = 0x500  # of NumPy's: that an array is aligned, and that it may be written


def scalar_of(value: Any) -> Scalar | None:
    """Return the type of a number's value, None for other values.

    A Python int beyond 64 bits has none, as have subclasses of Python's numbers.
    """
    kind = type(value)
    if kind is int:
        return INT if -(1 << 63) <= value < 1 << 63 else None
    return _PYTHON.get(kind) or _NUMPY.get(kind)


def key_of(value: Any, unsigned: bool = False) -> Any:
    """Return a key that is equal for values of one type at a region's entry.

    It is cheaper than the type: `type_of` values of equal keys are equal. None for values that native loops
    do not hold. unsigned: an int that is not negative is to be unsigned.
    """
    kind = type(value)
    if kind is np.ndarray:
        dtype = value.dtype
        packed = value.ndim > 0 and value.strides[-1] == dtype.itemsize
        turned = not packed and _is_turned(value)
        return dtype.num, dtype.isnative, value.ndim, value.flags.num & _FLAGS, packed, turned
    if kind is int:
        return UNSIGNED if unsigned and 0 <= value < MODULUS else _key_of_int(value)
    if kind in _PYTHON or kind in _NUMPY:
        return kind
    if kind is range:
        return _range_type(value)
    if kind is tuple:
        keys = tuple(map(key_of, value))
        return None if None in keys or len(keys) > LONGEST else keys
    if kind in _STATES:
        return state_type(value)
    if kind in TEXTS:
        return kind
    if kind is list:
        return list_type(value)
    if kind is deque:
        return deque_type(value)
    if kind is set or kind in _DICTS:
        return table_type(value)
    if kind is types.BuiltinFunctionType and type(value.__self__) in _METHOD_OWNERS:
        return _method_type(value)
    if value is None:
        return type(None)
    if is_generator(value):
        return Generator(is_legacy(value))
    return value if is_known(value) else None


def is_known(value: Any) -> bool:
    """Tell if a value is taken for the very object that it is: a function, a module, a type."""
    return isinstance(value, _KNOWN) or hasattr(type(value), "npcompile_function")


def plain_function(value: Any) -> types.FunctionType | None:
    """Return the function of the user's that a function, or a jitted one, is; None for other values."""
    if hasattr(type(value), "npcompile_function"):
        value = None if value.npcompile_root().has_options else value.npcompile_function()
    return value if type(value) is types.FunctionType else None


def makes_generators(value: Any) -> bool:
    """Tell if a value is a generator function of the user's, or the type of a nested one."""
    function = value.bare() if isinstance(value, Closure) else plain_function(value)
    return function is not None and bool(function.__code__.co_flags & CO_GENERATOR)


def _key_of_int(value: int) -> Any:
    if -SMALL <= value <= SMALL:
        return int
    if value.bit_length() < 64:
        return WIDE
    return UNSIGNED if is_unsigned(value) else MODULUS if value == MODULUS else None


def is_unsigned(value: Any) -> bool:
    """Tell if a value is an int that 64 bits hold, but not with a sign."""
    return type(value) is int and 1 << 63 <= value < MODULUS


def type_of(value: Any, unsigned: bool = False) -> Type | None:
    """Return the type of a value at a region's entry; None for one that native loops do not hold.

    unsigned: an int that is not negative is to be unsigned.
    """
    if type(value) is np.ndarray:
        return array_type(value)
    if unsigned and type(value) is int and 0 <= value < MODULUS:
        return UNSIGNED
    if (scalar := scalar_of(value)) is not None:
        return scalar
    if type(value) is int:
        return UNSIGNED if is_unsigned(value) else Known(MODULUS) if value == MODULUS else None
    if type(value) is types.BuiltinFunctionType and type(value.__self__) in _METHOD_OWNERS:
        return _method_type(value)
    if is_known(value):
        return Known(value)
    if type(value) is range:
        return _range_type(value)
    if type(value) in TEXTS:
        return TEXTS[type(value)]
    if is_generator(value):
        return Generator(is_legacy(value))
    if type(value) is tuple:
        items = tuple([kind for kind in map(type_of, value) if kind is not None])
        return Tuple(items) if len(items) == len(value) <= LONGEST else None
    if type(value) is list:
        return list_type(value)
    if type(value) is deque:
        return deque_type(value)
    if type(value) is set or type(value) in _DICTS:
        return table_type(value)
    return state_type(value) if type(value) in _STATES else None


def state_type(state: State) -> ir.State | None:
    """Return the type of an iterator in a state; None for others."""
    match state:
        case Numbers():
            return _range_type(state.numbers)
        case Items(source=np.ndarray() as source, step=step):
            array = array_type(source)
            return ItemsState(array, step) if array is not None and array.ndim else None
        case Items(source=list() as source, step=step):
            listed = list_type(source)
            return None if listed is None else ItemsState(listed, step)
        case Held(source=source, view=view):
            held = deque_type(source) if type(source) is deque else table_type(source)
            return None if held is None else ObjectState(held, view)
        case Items(source=tuple() as source, step=step):
            parts = type_of(source)
            return PartsState(parts, step) if isinstance(parts, Tuple) and has_one_type(parts) else None
        case Items(source=str() | bytes() | bytearray() as source):
            return TextState(TEXTS[type(source)])
        case Counted(next=first, items=items):
            inner = state_type(items)
            if inner is None or abs(first) >= 1 << 62:
                return None
            return CountedState(inner, 0 <= first <= SMALL)
        case Zipped(parts=parts, strict=strict):
            found = tuple([kind for kind in map(state_type, parts) if kind is not None])
            return ZippedState(found, strict) if len(found) == len(parts) else None
        case Grid(shape=shape):
            small = math.prod(max(length, 1) for length in shape) <= SMALL
            return GridState(len(shape)) if small and 0 < len(shape) <= MOST_AXES else None
        case Flat(source=source):
            array = array_type(source)
            return FlatState(array) if array is not None and 0 < array.ndim <= MOST_AXES else None
    return None


def has_one_type(kind: Tuple) -> bool:
    """Tell if a tuple's items all have one type, and there are any."""
    return len(set(kind.items)) == 1


def _range_type(numbers: range) -> RangeState | None:
    if max(map(abs, (numbers.start, numbers.stop, numbers.step))) > SMALL:
        return None
    least = min(numbers[0], numbers[-1]) if numbers else 0
    return RangeState(numbers.step if numbers.step in (1, -1) else None, least >= 0)


def list_type(items: list[Any], depth: int = 1) -> List | None:
    """Return a list's type, by some of its items; None for items that native loops do not read."""
    if not items:
        return List(None)
    first, last = items[0], items[-1]
    kind = type(first)
    if kind is int and _are_unsigned(items[:LOOKED_AT]):
        return List(UNSIGNED)
    if kind is str:
        return List(_text_type(items))
    if first is None:
        item = _beside_none([*items[:MOST_NONES], last])
        return None if item is None else List(item)
    if kind in _PLAIN:
        kinds = [*dict.fromkeys(map(type, items[1:LOOKED_AT])), type(last)]
        return List(_expected(_PLAIN[kind], [_PLAIN[one] for one in kinds if one in _PLAIN]))
    if kind is tuple:
        parts = _tuple_type(first)
        others: list[Type | None] = [_tuple_type(last) if type(last) is tuple else None]
        others += [NONE] if type(None) in map(type, (*items[:LOOKED_AT], last)) else []
        return None if parts is None else List(_expected(parts, others))
    if kind is not list or depth == NESTED:
        return None
    lists = [item for item in items[:LOOKED_AT] if type(item) is list]
    inner = list_type(next((item for item in lists if item), first), depth + 1)
    return None if inner is None else List(inner)


def _text_type(items: list[Any]) -> Type | None:
    """Return the type to expect of items of which the first one is a str."""
    some = (*items[:LOOKED_AT], items[-1])
    is_longer = any(type(one) is str and len(one) != 1 for one in some)
    return _expected(WORD if is_longer else CHARACTER, [NONE] if type(None) in map(type, some) else [])


def _beside_none(items: list[Any]) -> Type | None:
    """Return the type to expect of items of which the first one is None; None for others than are read."""
    known = [one for one in items if one is not None]
    item = _item_type(known, NESTED) if known else None
    return common(NONE, item) if known and item is not None else None if known else NONE


def _are_unsigned(items: list[Any]) -> bool:
    """Tell if the first items of a list are ints of which some are beyond those with a sign."""
    return any(map(is_unsigned, items)) and all(type(one) is int and 0 <= one < MODULUS for one in items)


def _expected(item: Type | None, others: list[Any]) -> Type | None:
    """Return the type to expect of items, of which some have these types; a third type is not expected."""
    for other in others:
        item = common(item, other) or item
    return item


def _tuple_type(items: tuple[Any, ...]) -> Tuple | None:
    """Return the type of a tuple of numbers; None for other tuples."""
    parts = tuple([_NUMBERS[type(part)] for part in items if type(part) in _NUMBERS])
    return Tuple(parts) if 0 < len(parts) == len(items) <= LONGEST else None


def deque_type(items: deque[Any]) -> Deque | None:
    """Return a deque's type, by some of its items; None for items that native loops do not read."""
    if not has_known_fields():
        return None
    listed = list_type([*islice(items, LOOKED_AT), *([items[-1]] if items else [])])
    return None if listed is None else Deque(listed.item)


def _method_type(method: Any) -> Method | None:
    kind = type(method.__self__)
    find: Any = list_type if kind is list else deque_type if kind is deque else table_type
    owner = find(method.__self__)
    return None if owner is None else Method(owner, method.__name__)


def made_by(factory: Any) -> Type | None:
    """Return the type of the values that a defaultdict makes; None for a factory of others."""
    return _MADE.get(factory) if isinstance(factory, type) else None


def table_type(table: Any, depth: int = 1) -> Dict | Set | None:
    """Return the type of a dict or a set, by its first items; None for others than native loops read."""
    kind = type(table)
    first = [*islice(table, LOOKED_AT)]
    key = _item_type(first if first and type(first[0]) is str else first[:1], NESTED) if table else None
    if table and (key is None or not is_key(key)):
        return None
    if kind is set:
        return Set(key)
    factory = table.default_factory if kind is defaultdict else None
    value = INT if kind is Counter else made_by(factory)
    if kind is defaultdict and value is None:
        return None
    if table:
        value = _item_type(list(islice(table.values(), LOOKED_AT)), depth)
    return None if table and value is None else Dict(key, value, kind, factory)


def _item_type(items: list[Any], depth: int) -> Type | None:
    """Return the type of a dict's keys or values, by the first one; by more where they are containers or
    numbers."""
    first = items[0]
    kind = type(first)
    if first is None:
        return _beside_none(items)
    if kind in _PLAIN:
        return _expected(_PLAIN[kind], [_PLAIN[type(one)] for one in items if type(one) in _PLAIN])
    others = [NONE] if type(None) in map(type, items) else []
    if kind is tuple:
        return _expected(_tuple_type(first), others)
    if kind is str:
        return _text_type(items)
    if kind not in (list, dict, set) or depth == NESTED:
        return None
    alike = [item for item in items if type(item) is kind]
    found: Any = next((item for item in alike if item), first)
    return list_type(found, depth + 1) if kind is list else table_type(found, depth + 1)


def array_type(array: np.ndarray[Any, Any]) -> Array | None:
    """Return an array's type; None for dtypes, byte orders and memory that native loops do not read."""
    dtype, flags = array.dtype, array.flags
    code = f"{dtype.kind}{dtype.itemsize}"
    if code not in C_TYPES or not dtype.isnative or not flags.aligned or dtype.type not in _NUMPY:
        return None
    packed = array.ndim > 0 and array.strides[-1] == dtype.itemsize
    return Array(code, array.ndim, packed, flags.writeable, not packed and _is_turned(array))


def _is_turned(array: np.ndarray[Any, Any]) -> bool:
    """Tell if an array is a matrix that lies in memory by columns."""
    return array.ndim == 2 and 1 not in array.shape and 0 < abs(array.strides[0]) < abs(array.strides[1])
