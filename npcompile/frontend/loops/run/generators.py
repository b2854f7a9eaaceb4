"""Finds the states of NumPy's generators of random numbers for native loops, and holds their locks.

Native code draws from the very states that the objects have, in the order in which Python would, so numbers
drawn before, after and beside it are those of the one stream. While it runs no other thread draws.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

# The name of the generator behind `np.random.rand` and other functions there: a path, which all blocks know.
SHARED = ".random.shared"
SHARED_GENERATOR: Any = np.random.mtrand._rand
_KINDS = (np.random.Generator, np.random.RandomState)
_BITS = frozenset(
    (np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)
)

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


def is_generator(value: Any) -> bool:
    """Tell if native code may draw from an object: one of NumPy's, with a state of NumPy's."""
    return type(value) in _KINDS and type(value._bit_generator) in _BITS


def is_legacy(value: Any) -> bool:
    """Tell if a generator is a `RandomState`."""
    return type(value) is np.random.RandomState


def state_of(value: Any) -> int:
    """Return the address of the functions and the state of a generator."""
    return _pointer(value._bit_generator.capsule, b"BitGenerator") or 0


@contextmanager
def held(values: Iterable[Any]) -> Iterator[None]:
    """Hold the locks of the generators among values, in one order for all threads."""
    locks = {id(lock): lock for one in values if is_generator(one) for lock in (one._bit_generator.lock,)}
    with ExitStack() as stack:
        for _, lock in sorted(locks.items()):
            stack.enter_context(lock)
        yield
