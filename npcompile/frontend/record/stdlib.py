"""What Python's own library does with the user's functions and values: `sorted`, `reduce`, `itertools`,
`operator`, operation by operation.

Lazy objects are Python's own, over functions that go through the hooks: what they give is noted as it is
drawn.
"""

from __future__ import annotations

import bisect
import enum
import functools
import heapq
import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, INPLACE, UNARY
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.callbacks import Ordered, Remembered, applied, further
from npcompile.frontend.record.calls import walkable
from npcompile.frontend.record.control_flow import LAZY
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed, special_method
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import step_of

_BINARY = {id(function): symbol for symbol, function in BINARY.items()}
_INPLACE = {id(function): symbol for symbol, function in INPLACE.items()}
_UNARY = {id(function): symbol for symbol, function in UNARY.items()}
_COMPARE = {id(COMPARE[op]): op for op in ("<", "<=", ">", ">=", "==", "!=", "is", "is not")}
CACHED: Any = type(functools.cache(abs))
_DISPATCHER: Any = functools.singledispatch(abs)
_DISPATCHING = _DISPATCHER.__code__
SEVERAL = 16  # a cache of fewer may have forgotten what it was asked for before
GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
# What is drawn from one after the other, and nothing else is done with.
_DRAWN = (itertools.chain, itertools.pairwise, itertools.product, itertools.zip_longest, itertools.cycle)
_CHOSEN = (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations)
# Of what is decided they give what is decided.
OF_DECIDED: frozenset[Any] = frozenset(
    [bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right]
    + [heapq.heappush, heapq.heappop, heapq.heapify, heapq.heappushpop, heapq.heapreplace]
)


def call_library(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Functions of Python's own library that are listed."""
    done = _HANDLERS[id(fn)](recording, fn, args, kwargs)
    return done[0] if done else PASS


def call_operator(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    done = _operation(recording, fn, args) if args and not kwargs else None
    return done[0] if done else PASS


def call_enum(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and not kwargs and not recording.builder.traced(*args):
        return _decided(recording, do(fn, *args))
    return PASS


def call_getter(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if (node := recording.builder.tracked.node(fn)) is not None and step_of(node) != "read":
        return PASS  # an argument may be another at each call, and is called again
    found = _getter(recording, fn, args, kwargs)
    return PASS if found is None else found[0]


def call_cached(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or not all(map(functools.partial(_is_decided_or_member, recording), args)):
        return PASS
    found = _remembered(recording, fn, args)
    return PASS if found is None else found[0]


def call_dispatcher(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function under `functools.singledispatch`."""
    if fn.__code__ is not _DISPATCHING or not args or recording.builder.tracked.node(fn) is not None:
        return PASS  # an argument is known by its code, which all of them have
    return recording.call(_dispatched(recording, fn, recording.call(type, args[0])), *args, **kwargs)


def call_library_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`itertools.chain.from_iterable` and `list.sort`."""
    own = fn.__self__
    if own is itertools.chain:
        found = _chained(recording, fn, args, kwargs)
    elif type(own) is list and fn.__name__ == "sort":
        found = _sort(recording, fn, args, kwargs)
    else:
        return PASS
    return PASS if found is None else found[0]


def call_of_decided(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not kwargs and all(_is_decided(recording, arg) for arg in args):
        return _decided(recording, do(fn, *args))
    return PASS


def _remembered(recording: Recording, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What a function under `functools.cache` gives for what is decided: that very object at each call,
    so it is read as what lies in a dict is."""
    recording.note(recording.builder.ref, fn, True)  # an argument is known by its type alone
    most = fn.cache_parameters()["maxsize"]
    if most is not None and most < SEVERAL:
        return None
    result = do(fn, *args)
    return (recording.note(_is_remembered, recording, fn, args, result),)


def _is_remembered(recording: Recording, fn: Any, args: tuple[Any, ...], result: Any) -> Any:
    value = recording.builder.tracked.stand(result) if type(result) in NUMBERS else result
    node = recording.builder.add(
        "read", Remembered(fn), args, {}, recording.builder.value(value, outside=True)
    )
    return recording.builder.read_as(node, value)


def _dispatched(recording: Recording, fn: Any, kind: type) -> Any:
    """Which function one under `functools.singledispatch` calls for a type: others may be registered."""
    found = fn.dispatch(kind)
    asked = Remembered(functools.partial(fn.dispatch, kind))
    return recording.note(_is_dispatched, recording, asked, found) if recording.on else found


def _is_dispatched(recording: Recording, asked: Remembered, found: Any) -> Any:
    node = recording.builder.add("read", asked, (), {}, recording.builder.value(found, outside=True))
    return recording.builder.read_as(node, found)


def _decided(recording: Recording, result: Any) -> Any:
    if type(result) in NUMBERS:
        recording.builder.constant(result)
    elif isinstance(result, enum.Enum):
        recording.builder.tracked.keep(result, None)
    return result


def _is_decided(recording: Recording, value: Any) -> bool:
    """Whether nothing in this came from a step, and nothing is an array."""
    if type(value) in (list, tuple):
        if type(value) is list and recording.builder.tracked.get(value) is not None:
            return False
        return not recording.builder.traced(value) and all(
            map(functools.partial(_is_decided, recording), value)
        )
    return not recording.builder.traced(value) and type(value) in (*NUMBERS, bool, str, bytes, type(None))


def _is_decided_or_member(recording: Recording, value: Any) -> bool:
    return _is_decided(recording, value) or (
        isinstance(value, enum.Enum) and not recording.builder.traced(value)
    )


# -- operators as functions --------------------------------------------------------------------------


def _operation(recording: Recording, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    key, count = id(fn), len(args)
    if count == 2 and key in _BINARY:
        return (recording.binary(_BINARY[key], *args),)
    if count == 2 and key in _COMPARE:
        return (recording.compare(_COMPARE[key], *args),)
    if count == 2 and key in _INPLACE:
        return (recording.inplace(_INPLACE[key], *args),)
    if count == 1 and key in _UNARY:
        return (recording.unary(_UNARY[key], *args),)
    return None


def _getter(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 1 or kwargs:
        return None
    (obj,) = args
    if type(fn) is operator.itemgetter:
        found = [recording.getitem(obj, key) for key in fn.__reduce__()[1]]
    elif type(fn) is operator.attrgetter:
        found = [_path(recording, obj, path) for path in fn.__reduce__()[1]]
    else:
        made = fn.__reduce__()
        if made[0] is not operator.methodcaller:  # with arguments by name: a partial object
            return None
        name, *rest = made[1]
        return (recording.call(recording.getattr(obj, name), *rest),)
    return (found[0] if len(found) == 1 else tuple(found),)


def _path(recording: Recording, obj: Any, path: str) -> Any:
    for name in path.split("."):
        obj = recording.getattr(obj, name)
    return obj


def _make_getter(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if kwargs or not args or any(map(recording.builder.traced, args)):
        return None
    return (do(fn, *args),)


# -- what is gone over -------------------------------------------------------------------------------


def _over(recording: Recording, obj: Any) -> Any:
    """What a function of the library is to go over, instead of this."""
    return recording.iterate(obj) if hasattr(type(obj), "__iter__") else obj


def _make_walk(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """`list`, `tuple`, `zip` and `enumerate` of what gives numbers that are decided, or of sets."""
    if fn is enumerate and (rest := [*args[1:], *kwargs.values()]):
        recording.note(recording.builder.ref, rest, True)
    kinds = (range, itertools.count, enumerate, set, frozenset, enum.EnumType)
    if not any(isinstance(arg, kinds) for arg in args) or fn is reversed or fn is iter:
        return None
    first = 1 if fn is enumerate else len(args)
    over = [
        _over(recording, arg) if isinstance(arg, kinds) else walkable(recording, fn, arg)
        for arg in args[:first]
    ]
    return (fn(*over, *args[first:], **kwargs),)


def _mapped(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) < 2 or kwargs:
        return None
    function, *rest = args
    return (fn(_applied(recording, function), *map(functools.partial(_over, recording), rest)),)


def _applied(recording: Recording, function: Any) -> Any:
    return applied(recording, functools.partial(recording.call, function), function)


def _chosen(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 2 or kwargs:
        return None
    return (fn(_predicate(recording, args[0]), _over(recording, args[1])),)


def _predicate(recording: Recording, function: Any) -> Callable[[Any], bool]:
    if function is None or function is bool:
        return applied(recording, recording.truth, bool)
    return applied(recording, lambda value: recording.truth(recording.call(function, value)), function)


def _make_lazy(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    recording.note(recording.builder.ref, kwargs.get("repeat"), True)
    return (do(fn, *map(functools.partial(_over, recording), args), **kwargs),)


def _combined(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if not args:
        return None
    recording.note(recording.builder.ref, [*args[1:], *kwargs.values()], True)
    return (do(fn, _over(recording, args[0]), *args[1:], **kwargs),)


def _counted_out(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    recording.note(
        recording.builder.ref, [*args, *kwargs.values()] if fn is itertools.count else args[1:], True
    )
    return (do(fn, *args, **kwargs),)


def _accumulated(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if not args or len(args) > 2 or set(kwargs) - {"func", "initial"}:
        return None
    function = args[1] if len(args) == 2 else kwargs.get("func")
    plus = functools.partial(recording.binary, "+")
    one = applied(recording, plus, operator.add) if function is None else _applied(recording, function)
    return (do(fn, _over(recording, args[0]), one, initial=kwargs.get("initial")),)


def _starred(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 2 or kwargs:
        return None
    return (fn(_applied(recording, args[0]), _over(recording, args[1])),)


def _chained(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 1 or kwargs:
        return None
    return (fn(map(functools.partial(_over, recording), _over(recording, args[0]))),)


def _compressed(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 2 or kwargs:
        return None
    chosen = map(applied(recording, recording.truth, bool), _over(recording, args[1]))
    return (fn(_over(recording, args[0]), chosen),)


def _grouped(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """`itertools.groupby` by what is decided."""
    if not args or len(args) > 2 or set(kwargs) - {"key"}:
        return None
    function = args[1] if len(args) == 2 else kwargs.get("key")

    def key(item: Any) -> Any:
        if recording.done:
            return item if function is None else function(item)
        found = item if function is None else recording.call(function, item)
        if not _is_decided_or_member(recording, found):
            recording.stop(Cause.GROUPBY())
        return found

    return (fn(_over(recording, args[0]), key),)


def _call_next(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if not args or kwargs:
        return None
    obj, *default = args
    if (method := special_method(recording, obj, "__next__")) is not None:
        try:
            return (recording.call(method, obj),)
        except StopIteration:
            if not default:
                raise
            return (default[0],)
    if type(obj) not in LAZY or recording.builder.tracked.get(obj) is not None:
        return None
    try:
        result = do(next, obj)
    except StopIteration as error:
        if default:
            return (default[0],)
        recording.raising(error)  # how much there is to draw was decided
        raise
    if type(obj) in _COUNTING:
        recording.note(recording.builder.constant, result[0] if type(obj) is enumerate else result)
    return (result,)


# -- what is asked of all of them --------------------------------------------------------------------


def _sorted(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) != 1 or set(kwargs) - {"key", "reverse"} or not hasattr(type(args[0]), "__iter__"):
        return None
    items = [*recording.iterate(args[0])]
    return (_in_order(recording, items, kwargs.get("key"), kwargs.get("reverse", False)),)


def _in_order(recording: Recording, items: list[Any], key: Any, reverse: Any) -> list[Any]:
    reverse = recording.truth(reverse)
    keys = items if key is None else list(do(map, _applied(recording, key), items))
    if not recording.done and any(map(functools.partial(_is_traced, recording), keys)):
        keys = [Ordered(recording, key) for key in keys]
    return [items[place] for place in do(sorted, range(len(items)), key=keys.__getitem__, reverse=reverse)]


def _is_traced(recording: Recording, key: Any) -> bool:
    return recording.builder.traced(key) or is_array(key) or inlining.is_users_class(type(key))


def _sort(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """`list.sort` of a list that was made inside."""
    items = fn.__self__
    if args or set(kwargs) - {"key", "reverse"} or recording.builder.tracked.get(items) is not None:
        return None
    items[:] = _in_order(recording, list(items), kwargs.get("key"), kwargs.get("reverse", False))
    return (None,)


def _extreme(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    key = kwargs.get("key")
    if len(args) == 1 and not set(kwargs) - {"default"} and (kwargs or type(args[0]) in (*LAZY, deque)):
        if hasattr(type(args[0]), "__iter__"):
            given = [*recording.iterate(args[0])]
            return (recording.call(fn, given) if given or not kwargs else kwargs["default"],)
    if not args or set(kwargs) - {"key", "default"} or (key is None and not _of_others(recording, args)):
        return None
    items = [*recording.iterate(args[0])] if len(args) == 1 else list(args)
    if not items and "default" in kwargs and len(args) == 1:
        return (kwargs["default"],)
    if not items:
        return None if key is None else (do(fn, [], key=key),)
    best = items[0]
    most = best if key is None else recording.call(key, best)
    left = iter(items[1:])
    for item in left:
        value = item if key is None else recording.call(key, item)
        if recording.truth(recording.compare(">" if fn is max else "<", value, most)):
            best, most = item, value
        if recording.done:
            return (further(fn, left, key, best, most),)
    return (best,)


def _of_others(recording: Recording, args: tuple[Any, ...]) -> bool:
    """Whether what is compared are tuples, texts or objects of the user's: no numbers."""
    items = args[0] if len(args) == 1 else args
    if type(items) not in (list, tuple):
        return False
    return bool(items) and all(type(item) in (tuple, str) or is_followed(recording, item) for item in items)


def _reduced(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if len(args) not in (2, 3) or kwargs or not hasattr(type(args[1]), "__iter__"):
        return None
    items: Iterator[Any] = iter(recording.iterate(args[1]))
    if len(args) == 3:
        total = args[2]
    else:
        total = next(items, _NOTHING)
        if total is _NOTHING:
            return (do(fn, args[0], ()),)
    for item in items:
        total = recording.call(args[0], total, item)
        if recording.done:
            return (do(fn, args[0], items, total),)
    return (total,)


def _divided(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """`divmod` of whole numbers: both that it gives may be sizes."""
    if len(args) != 2 or kwargs or any(type(arg) is not int for arg in args):
        return None
    do(fn, *args)
    return ((recording.binary("//", *args), recording.binary("%", *args)),)


def _from_iter(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """`np.fromiter`: an array of what is drawn."""
    dtype = args[1] if len(args) == 2 else kwargs.get("dtype")
    if not args or len(args) > 2 or set(kwargs) - {"dtype"} or is_array(args[0]):
        return None
    kind = np.dtype(dtype).kind if isinstance(dtype, type | str | np.dtype) else "O"
    items = [*recording.iterate(args[0])] if hasattr(type(args[0]), "__iter__") else None
    if items is None:
        return None
    if recording.done:
        return (do(np.fromiter, items, *args[1:], **kwargs),)
    plain = all(type(item) in (float, int, np.float64, np.int64) for item in items)
    if kind == "f" and plain and items:
        return (recording.call(np.array, items, dtype=dtype),)
    recording.stop(Cause.FROMITER())
    return (do(np.fromiter, items, *args[1:], **kwargs),)


_NOTHING: Any = object()
_COUNTING = (enumerate, itertools.count, type(iter(range(0))))
_Handler = Callable[[Recording, Any, tuple[Any, ...], dict[str, Any]], "tuple[Any, ...] | None"]
_LISTED: list[tuple[Any, _Handler]] = [
    *((fn, _make_walk) for fn in purity.WALKS),
    *((fn, _make_lazy) for fn in _DRAWN),
    *((fn, _combined) for fn in (*_CHOSEN, itertools.islice, itertools.tee)),
    *((fn, _chosen) for fn in (filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)),
    *((fn, _counted_out) for fn in (itertools.count, itertools.repeat)),
    *((fn, _make_getter) for fn in GETTERS),
    (map, _mapped),
    (itertools.accumulate, _accumulated),
    (itertools.starmap, _starred),
    (itertools.compress, _compressed),
    (itertools.groupby, _grouped),
    (next, _call_next),
    (sorted, _sorted),
    (max, _extreme),
    (min, _extreme),
    (functools.reduce, _reduced),
    (np.fromiter, _from_iter),
    (divmod, _divided),
]
LIBRARY = tuple(fn for fn, _ in _LISTED)
OPERATORS = (
    *BINARY.values(),
    *INPLACE.values(),
    *UNARY.values(),
    *map(COMPARE.__getitem__, _COMPARE.values()),
)
_HANDLERS: dict[int, _Handler] = {id(fn): handler for fn, handler in _LISTED}
