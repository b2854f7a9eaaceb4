"""Checks that this Python's deques have the fields that native loops read (`lower/loops/headers/deques.h`).

CPython keeps them to itself, so they are compared with the items of a deque that is known. Where they differ,
loops over deques stay Python's.
"""

from __future__ import annotations

import ctypes
from collections import deque
from functools import cache

_WORD = 8
_IN_BLOCK = 64
_SIZE, _LEFT, _RIGHT, _FIRST, _LAST, _MOVES, _MOST, _FIELDS = range(2, 10)  # in words from the object on


@cache
def has_known_fields() -> bool:
    """Tell if a deque's items are where native code looks for them."""
    if deque.__basicsize__ < _FIELDS * _WORD:
        return False
    items: deque[int] = deque(range(1000, 1000 + _IN_BLOCK + 6), 99)
    before = _fields(items)
    if before[_SIZE] != len(items) or before[_MOST] != 99:
        return False
    first, last = before[_FIRST], before[_LAST]
    if not (0 < first < _IN_BLOCK - 1 and 0 < last < _IN_BLOCK - 1 and before[_LEFT] != before[_RIGHT]):
        return False
    left, right = (_words(before[place], _IN_BLOCK + 2) for place in (_LEFT, _RIGHT))
    is_linked = left[-1] == before[_RIGHT] and right[0] == before[_LEFT]
    if not is_linked or left[1 + first] != id(items[0]) or right[1 + last] != id(items[-1]):
        return False
    items.popleft()
    items.pop()
    after = _fields(items)
    moved = after[_FIRST] == first + 1 and after[_LAST] == last - 1
    return moved and after[_SIZE] == len(items) and after[_MOVES] == before[_MOVES] + 2


def _fields(items: deque[int]) -> list[int]:
    return _words(id(items), _FIELDS)


def _words(address: int, count: int) -> list[int]:
    return [*(ctypes.c_int64 * count).from_address(address)]
