"""Sorting compares what it sorts by the hooks: `sorted`, `list.sort`, `min` and `max`, `bisect` and `heapq`.

The registry lists the handlers. The order that the comparisons find is decided.
"""

from __future__ import annotations

import bisect
import functools
import heapq
from collections import deque
from typing import Any

from npcompile.frontend.catalog import inlining
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.record.callbacks import Ordered, applied_call, further
from npcompile.frontend.record.decided_values import is_decided, note_decided
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.loops import LAZY
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed
from npcompile.frontend.rewrite.call_sites import do

# Functions on sorted lists and heaps: where the items are decided, these are.
OF_DECIDED: frozenset[Any] = frozenset(
    [bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right]
    + [heapq.heappush, heapq.heappop, heapq.heapify, heapq.heappushpop, heapq.heapreplace]
)


def call_of_decided(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of `bisect` or `heapq` on a list of items that are decided."""
    if not kwargs and all(map(functools.partial(is_decided, recording), args)):
        return note_decided(recording, do(fn, *args))
    return PASS


def call_sorted(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `sorted`, comparison by comparison."""
    if len(args) != 1 or set(kwargs) - {"key", "reverse"} or not hasattr(type(args[0]), "__iter__"):
        return PASS
    items = [*recording.iterate(args[0])]
    return _in_order(recording, items, kwargs.get("key"), kwargs.get("reverse", False))


def call_list_sort(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `list.sort` of a list that was made inside."""
    items = fn.__self__
    if type(items) is not list or fn.__name__ != "sort":
        return PASS
    if args or set(kwargs) - {"key", "reverse"} or recording.builder.tracked.get(items) is not None:
        return PASS
    items[:] = _in_order(recording, list(items), kwargs.get("key"), kwargs.get("reverse", False))
    return None


def _in_order(recording: Recording, items: list[Any], key: Any, reverse: Any) -> list[Any]:
    """Return items sorted by a key, or by themselves where it is None."""
    reverse = recording.truth(reverse)
    keys = items if key is None else list(do(map, applied_call(recording, key), items))
    if not recording.done and any(map(functools.partial(_is_compared, recording), keys)):
        keys = [Ordered(recording, key) for key in keys]
    return [items[place] for place in do(sorted, range(len(items)), key=keys.__getitem__, reverse=reverse)]


def _is_compared(recording: Recording, key: Any) -> bool:
    """Return True if comparing a key is an operation to record."""
    return recording.builder.traced(key) or is_array(key) or inlining.is_users_class(type(key))


def call_extreme(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `max` or `min` comparison by comparison, where a key is given or no numbers are compared."""
    key = kwargs.get("key")
    if len(args) == 1 and not set(kwargs) - {"default"} and (kwargs or type(args[0]) in (*LAZY, deque)):
        if hasattr(type(args[0]), "__iter__"):
            given = [*recording.iterate(args[0])]
            return recording.call(fn, given) if given or not kwargs else kwargs["default"]
    if not args or set(kwargs) - {"key", "default"} or (key is None and not _are_no_numbers(recording, args)):
        return PASS
    items = [*recording.iterate(args[0])] if len(args) == 1 else list(args)
    if not items and "default" in kwargs and len(args) == 1:
        return kwargs["default"]
    if not items:
        return PASS if key is None else do(fn, [], key=key)
    best = items[0]
    most = best if key is None else recording.call(key, best)
    left = iter(items[1:])
    for item in left:
        value = item if key is None else recording.call(key, item)
        if recording.truth(recording.compare(">" if fn is max else "<", value, most)):
            best, most = item, value
        if recording.done:
            return further(fn, left, key, best, most)
    return best


def _are_no_numbers(recording: Recording, args: tuple[Any, ...]) -> bool:
    """Return True if `max` or `min` compares tuples, texts or objects of the user's."""
    items = args[0] if len(args) == 1 else args
    if type(items) not in (list, tuple):
        return False
    return bool(items) and all(type(item) in (tuple, str) or is_followed(recording, item) for item in items)
