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
from npcompile.frontend.record.control_flow import LAZY
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_containers import Kept
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


class Library(Kept):
    """Calls of Python's own functions that call others, or go over something."""

    def call_library(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Functions of Python's own library that are listed."""
        done = _HANDLERS[id(fn)](self, fn, args, kwargs)
        return done[0] if done else PASS

    def call_operator(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        done = self._operation(fn, args) if args and not kwargs else None
        return done[0] if done else PASS

    def call_enum(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and not kwargs and not self.builder.traced(*args):
            return self._decided(do(fn, *args))
        return PASS

    def call_getter(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (node := self.builder.tracked.node(fn)) is not None and step_of(node) != "read":
            return PASS  # an argument may be another at each call, and is called again
        found = self._getter(fn, args, kwargs)
        return PASS if found is None else found[0]

    def call_cached(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs or not all(map(self._is_decided_or_member, args)):
            return PASS
        found = self._remembered(fn, args)
        return PASS if found is None else found[0]

    def call_dispatcher(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function under `functools.singledispatch`."""
        if fn.__code__ is not _DISPATCHING or not args or self.builder.tracked.node(fn) is not None:
            return PASS  # an argument is known by its code, which all of them have
        return self.call(self._dispatched(fn, self.call(type, args[0])), *args, **kwargs)

    def call_library_method(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`itertools.chain.from_iterable` and `list.sort`."""
        own = fn.__self__
        if own is itertools.chain:
            found = self._chained(fn, args, kwargs)
        elif type(own) is list and fn.__name__ == "sort":
            found = self._sort(fn, args, kwargs)
        else:
            return PASS
        return PASS if found is None else found[0]

    def call_of_decided(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not kwargs and all(self._is_decided(arg) for arg in args):
            return self._decided(do(fn, *args))
        return PASS

    def _remembered(self, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What a function under `functools.cache` gives for what is decided: that very object at each call,
        so it is read as what lies in a dict is."""
        self.note(self.builder.ref, fn, True)  # an argument is known by its type alone
        most = fn.cache_parameters()["maxsize"]
        if most is not None and most < SEVERAL:
            return None
        result = do(fn, *args)
        return (self.note(self._is_remembered, fn, args, result),)

    def _is_remembered(self, fn: Any, args: tuple[Any, ...], result: Any) -> Any:
        value = self.builder.tracked.stand(result) if type(result) in NUMBERS else result
        node = self.builder.add("read", Remembered(fn), args, {}, self.builder.value(value, outside=True))
        return self.builder.read_as(node, value)

    def _dispatched(self, fn: Any, kind: type) -> Any:
        """Which function one under `functools.singledispatch` calls for a type: others may be registered."""
        found = fn.dispatch(kind)
        asked = Remembered(functools.partial(fn.dispatch, kind))
        return self.note(self._is_dispatched, asked, found) if self.on else found

    def _is_dispatched(self, asked: Remembered, found: Any) -> Any:
        node = self.builder.add("read", asked, (), {}, self.builder.value(found, outside=True))
        return self.builder.read_as(node, found)

    def _decided(self, result: Any) -> Any:
        if type(result) in NUMBERS:
            self.builder.constant(result)
        elif isinstance(result, enum.Enum):
            self.builder.tracked.keep(result, None)
        return result

    def _is_decided(self, value: Any) -> bool:
        """Whether nothing in this came from a step, and nothing is an array."""
        if type(value) in (list, tuple):
            if type(value) is list and self.builder.tracked.get(value) is not None:
                return False
            return not self.builder.traced(value) and all(map(self._is_decided, value))
        return not self.builder.traced(value) and type(value) in (*NUMBERS, bool, str, bytes, type(None))

    def _is_decided_or_member(self, value: Any) -> bool:
        return self._is_decided(value) or (isinstance(value, enum.Enum) and not self.builder.traced(value))

    # -- operators as functions --------------------------------------------------------------------------

    def _operation(self, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        key, count = id(fn), len(args)
        if count == 2 and key in _BINARY:
            return (self.binary(_BINARY[key], *args),)
        if count == 2 and key in _COMPARE:
            return (self.compare(_COMPARE[key], *args),)
        if count == 2 and key in _INPLACE:
            return (self.inplace(_INPLACE[key], *args),)
        if count == 1 and key in _UNARY:
            return (self.unary(_UNARY[key], *args),)
        return None

    def _getter(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 1 or kwargs:
            return None
        (obj,) = args
        if type(fn) is operator.itemgetter:
            found = [self.getitem(obj, key) for key in fn.__reduce__()[1]]
        elif type(fn) is operator.attrgetter:
            found = [self._path(obj, path) for path in fn.__reduce__()[1]]
        else:
            made = fn.__reduce__()
            if made[0] is not operator.methodcaller:  # with arguments by name: a partial object
                return None
            name, *rest = made[1]
            return (self.call(self.getattr(obj, name), *rest),)
        return (found[0] if len(found) == 1 else tuple(found),)

    def _path(self, obj: Any, path: str) -> Any:
        for name in path.split("."):
            obj = self.getattr(obj, name)
        return obj

    def _make_getter(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if kwargs or not args or any(map(self.builder.traced, args)):
            return None
        return (do(fn, *args),)

    # -- what is gone over -------------------------------------------------------------------------------

    def _over(self, obj: Any) -> Any:
        """What a function of the library is to go over, instead of this."""
        return self.iterate(obj) if hasattr(type(obj), "__iter__") else obj

    def _walk(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """`list`, `tuple`, `zip` and `enumerate` of what gives numbers that are decided, or of sets."""
        if fn is enumerate and (rest := [*args[1:], *kwargs.values()]):
            self.note(self.builder.ref, rest, True)
        kinds = (range, itertools.count, enumerate, set, frozenset, enum.EnumType)
        if not any(isinstance(arg, kinds) for arg in args) or fn is reversed or fn is iter:
            return None
        first = 1 if fn is enumerate else len(args)
        over = [
            self._over(arg) if isinstance(arg, kinds) else self._walkable(fn, arg)  # type: ignore[attr-defined]
            for arg in args[:first]
        ]
        return (fn(*over, *args[first:], **kwargs),)

    def _mapped(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) < 2 or kwargs:
            return None
        function, *rest = args
        return (fn(self._applied(function), *map(self._over, rest)),)

    def _applied(self, function: Any) -> Any:
        return applied(self, functools.partial(self.call, function), function)

    def _chosen(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 2 or kwargs:
            return None
        return (fn(self._predicate(args[0]), self._over(args[1])),)

    def _predicate(self, function: Any) -> Callable[[Any], bool]:
        if function is None or function is bool:
            return applied(self, self.truth, bool)
        return applied(self, lambda value: self.truth(self.call(function, value)), function)

    def _lazy(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        self.note(self.builder.ref, kwargs.get("repeat"), True)
        return (do(fn, *map(self._over, args), **kwargs),)

    def _combined(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if not args:
            return None
        self.note(self.builder.ref, [*args[1:], *kwargs.values()], True)
        return (do(fn, self._over(args[0]), *args[1:], **kwargs),)

    def _counted_out(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        self.note(self.builder.ref, [*args, *kwargs.values()] if fn is itertools.count else args[1:], True)
        return (do(fn, *args, **kwargs),)

    def _accumulated(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if not args or len(args) > 2 or set(kwargs) - {"func", "initial"}:
            return None
        function = args[1] if len(args) == 2 else kwargs.get("func")
        plus = functools.partial(self.binary, "+")
        one = applied(self, plus, operator.add) if function is None else self._applied(function)
        return (do(fn, self._over(args[0]), one, initial=kwargs.get("initial")),)

    def _starred(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 2 or kwargs:
            return None
        return (fn(self._applied(args[0]), self._over(args[1])),)

    def _chained(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 1 or kwargs:
            return None
        return (fn(map(self._over, self._over(args[0]))),)

    def _compressed(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 2 or kwargs:
            return None
        chosen = map(applied(self, self.truth, bool), self._over(args[1]))
        return (fn(self._over(args[0]), chosen),)

    def _grouped(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """`itertools.groupby` by what is decided."""
        if not args or len(args) > 2 or set(kwargs) - {"key"}:
            return None
        function = args[1] if len(args) == 2 else kwargs.get("key")

        def key(item: Any) -> Any:
            if self.done:
                return item if function is None else function(item)
            found = item if function is None else self.call(function, item)
            if not self._is_decided_or_member(found):
                self.stop(Cause.GROUPBY())
            return found

        return (fn(self._over(args[0]), key),)

    def _next(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if not args or kwargs:
            return None
        obj, *default = args
        if (method := self.protocol(obj, "__next__")) is not None:
            try:
                return (self.call(method, obj),)
            except StopIteration:
                if not default:
                    raise
                return (default[0],)
        if type(obj) not in LAZY or self.builder.tracked.get(obj) is not None:
            return None
        try:
            result = do(next, obj)
        except StopIteration as error:
            if default:
                return (default[0],)
            self.raising(error)  # how much there is to draw was decided
            raise
        if type(obj) in _COUNTING:
            self.note(self.builder.constant, result[0] if type(obj) is enumerate else result)
        return (result,)

    # -- what is asked of all of them --------------------------------------------------------------------

    def _sorted(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) != 1 or set(kwargs) - {"key", "reverse"} or not hasattr(type(args[0]), "__iter__"):
            return None
        items = [*self.iterate(args[0])]
        return (self._in_order(items, kwargs.get("key"), kwargs.get("reverse", False)),)

    def _in_order(self, items: list[Any], key: Any, reverse: Any) -> list[Any]:
        reverse = self.truth(reverse)
        keys = items if key is None else list(do(map, self._applied(key), items))
        if not self.done and any(map(self._is_traced, keys)):
            keys = [Ordered(self, key) for key in keys]
        return [
            items[place] for place in do(sorted, range(len(items)), key=keys.__getitem__, reverse=reverse)
        ]

    def _is_traced(self, key: Any) -> bool:
        return self.builder.traced(key) or is_array(key) or inlining.is_users_class(type(key))

    def _sort(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """`list.sort` of a list that was made inside."""
        items = fn.__self__
        if args or set(kwargs) - {"key", "reverse"} or self.builder.tracked.get(items) is not None:
            return None
        items[:] = self._in_order(list(items), kwargs.get("key"), kwargs.get("reverse", False))
        return (None,)

    def _extreme(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        key = kwargs.get("key")
        if len(args) == 1 and not set(kwargs) - {"default"} and (kwargs or type(args[0]) in (*LAZY, deque)):
            if hasattr(type(args[0]), "__iter__"):
                given = [*self.iterate(args[0])]
                return (self.call(fn, given) if given or not kwargs else kwargs["default"],)
        if not args or set(kwargs) - {"key", "default"} or (key is None and not self._of_others(args)):
            return None
        items = [*self.iterate(args[0])] if len(args) == 1 else list(args)
        if not items and "default" in kwargs and len(args) == 1:
            return (kwargs["default"],)
        if not items:
            return None if key is None else (do(fn, [], key=key),)
        best = items[0]
        most = best if key is None else self.call(key, best)
        left = iter(items[1:])
        for item in left:
            value = item if key is None else self.call(key, item)
            if self.truth(self.compare(">" if fn is max else "<", value, most)):
                best, most = item, value
            if self.done:
                return (further(fn, left, key, best, most),)
        return (best,)

    def _of_others(self, args: tuple[Any, ...]) -> bool:
        """Whether what is compared are tuples, texts or objects of the user's: no numbers."""
        items = args[0] if len(args) == 1 else args
        if type(items) not in (list, tuple):
            return False
        return bool(items) and all(type(item) in (tuple, str) or self.is_followed(item) for item in items)

    def _reduced(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if len(args) not in (2, 3) or kwargs or not hasattr(type(args[1]), "__iter__"):
            return None
        items: Iterator[Any] = iter(self.iterate(args[1]))
        if len(args) == 3:
            total = args[2]
        else:
            total = next(items, _NOTHING)
            if total is _NOTHING:
                return (do(fn, args[0], ()),)
        for item in items:
            total = self.call(args[0], total, item)
            if self.done:
                return (do(fn, args[0], items, total),)
        return (total,)

    def _divided(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """`divmod` of whole numbers: both that it gives may be sizes."""
        if len(args) != 2 or kwargs or any(type(arg) is not int for arg in args):
            return None
        do(fn, *args)
        return ((self.binary("//", *args), self.binary("%", *args)),)

    def _from_iter(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """`np.fromiter`: an array of what is drawn."""
        dtype = args[1] if len(args) == 2 else kwargs.get("dtype")
        if not args or len(args) > 2 or set(kwargs) - {"dtype"} or is_array(args[0]):
            return None
        kind = np.dtype(dtype).kind if isinstance(dtype, type | str | np.dtype) else "O"
        items = [*self.iterate(args[0])] if hasattr(type(args[0]), "__iter__") else None
        if items is None:
            return None
        if self.done:
            return (do(np.fromiter, items, *args[1:], **kwargs),)
        plain = all(type(item) in (float, int, np.float64, np.int64) for item in items)
        if kind == "f" and plain and items:
            return (self.call(np.array, items, dtype=dtype),)
        self.stop(Cause.FROMITER())
        return (do(np.fromiter, items, *args[1:], **kwargs),)


_NOTHING: Any = object()
_COUNTING = (enumerate, itertools.count, type(iter(range(0))))
_Handler = Callable[[Library, Any, tuple[Any, ...], dict[str, Any]], "tuple[Any, ...] | None"]
_LISTED: list[tuple[Any, _Handler]] = [
    *((fn, Library._walk) for fn in purity.WALKS),
    *((fn, Library._lazy) for fn in _DRAWN),
    *((fn, Library._combined) for fn in (*_CHOSEN, itertools.islice, itertools.tee)),
    *(
        (fn, Library._chosen)
        for fn in (filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
    ),
    *((fn, Library._counted_out) for fn in (itertools.count, itertools.repeat)),
    *((fn, Library._make_getter) for fn in GETTERS),
    (map, Library._mapped),
    (itertools.accumulate, Library._accumulated),
    (itertools.starmap, Library._starred),
    (itertools.compress, Library._compressed),
    (itertools.groupby, Library._grouped),
    (next, Library._next),
    (sorted, Library._sorted),
    (max, Library._extreme),
    (min, Library._extreme),
    (functools.reduce, Library._reduced),
    (np.fromiter, Library._from_iter),
    (divmod, Library._divided),
]
LIBRARY = tuple(fn for fn, _ in _LISTED)
OPERATORS = (
    *BINARY.values(),
    *INPLACE.values(),
    *UNARY.values(),
    *map(COMPARE.__getitem__, _COMPARE.values()),
)
_HANDLERS: dict[int, _Handler] = {id(fn): handler for fn, handler in _LISTED}
