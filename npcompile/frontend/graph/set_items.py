"""Replaces items of a set by objects that equal them, where they are: the set keeps its order.

The order of a set depends on all that was ever put into it: one that is filled anew may have another order.
CPython keeps the fields of its sets to itself: they are compared once with those of a set that is known.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_WORD = 8
_USED, _MASK, _TABLE, _FIELDS = 3, 4, 5, 6  # in words from the object on
_ENTRY = 2 * _WORD  # an item, and its hash


def replace_items(items: set[Any], others: list[tuple[Any, Any]]) -> None:
    """Put the second object of each pair in place of the first, an item that equals it."""
    if not _has_known_fields() or any(hash(one) != hash(other) for one, other in others):
        found = {id(one): other for one, other in others}
        kept = [found.get(id(item), item) for item in items]
        items.clear()
        items.update(kept)
        return
    places = {place.value: place for place in _places(items)}
    for one, other in others:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(other))
        places[id(one)].value = id(other)
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(one))


def _fields(items: set[Any]) -> list[int]:
    return list((ctypes.c_size_t * _FIELDS).from_address(id(items)))


def _places(items: set[Any]) -> list[ctypes.c_size_t]:
    """Return the places of a set's table, which hold items, nothing, or what stood for removed ones."""
    fields = _fields(items)
    return [
        ctypes.c_size_t.from_address(fields[_TABLE] + place * _ENTRY) for place in range(fields[_MASK] + 1)
    ]


@cache
def _has_known_fields() -> bool:
    """Tell if a set's items are where they are looked for."""
    if ctypes.sizeof(ctypes.c_size_t) != _WORD or set.__basicsize__ < _FIELDS * _WORD:
        return False
    for count in (3, 40):  # the table is a part of a small set
        items = {1000 * place + 1000 for place in range(count)}
        fields = _fields(items)
        mask = fields[_MASK]
        if fields[_USED] != count or not count <= mask < 1 << 12 or mask & (mask + 1):
            return False
        found = [place.value for place in _places(items)]
        if [known for known in found if known] != [*map(id, items)]:
            return False
    return True
