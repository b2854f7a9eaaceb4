"""`a.resize(...)` of eager arrays: the one method that gives an array other memory.

NumPy refuses it where the array has other references; these are counted here as NumPy counts them.
"""

from __future__ import annotations

import gc
import math
import operator
import sys
import types
import weakref
from typing import Any

import torch

from npcompile.frontend.eager.strided import Strided


class _Probe:
    """Stands for an array with one name, to count the references that `resize` then sees."""

    def resize(self, *new_shape: Any, refcheck: bool = True) -> int:
        return _references(self)


def _references(array: Any) -> int:
    return sys.getrefcount(array)


_probe = _Probe()
_ONE_NAME = _probe.resize()


def _bound_methods(array: Any) -> int:
    """Return the number of bound methods of the array: `assert_raises(..., a.resize)` holds one."""
    return sum(type(item) is types.MethodType and item.__self__ is array for item in gc.get_referrers(array))


def resize(array: Strided, new_shape: tuple[Any, ...], refcheck: bool) -> None:
    """Give the array that shape, and memory for it: cut off, or with zeros appended.

    Raises NumPy's ValueError where the array does not own its memory, where it has other references, and for
    no shape. Source of the rules: PyArray_Resize (shape.c).
    """
    references = _references(array) - 1  # without this function's own
    checked = operator.index(refcheck)
    asked: Any = new_shape[0] if len(new_shape) == 1 else new_shape
    if asked is None or new_shape == ():
        return
    listed = isinstance(asked, (tuple, list)) or getattr(asked, "ndim", 0) > 0
    lengths = tuple(map(operator.index, asked if listed else (asked,)))
    layout = array._layout
    if not (layout.flags.c_contiguous or layout.flags.f_contiguous):
        raise ValueError("resize only works on single-segment arrays")
    if any(length < 0 for length in lengths):
        raise ValueError("negative dimensions not allowed")
    old, new = array._memory.numel(), math.prod(lengths)
    if old != new:
        if array._base is not None or not layout.flags.writeable:
            raise ValueError("cannot resize this array: it does not own its data")
        others = references > _ONE_NAME and references - _bound_methods(array) > _ONE_NAME
        if weakref.getweakrefcount(array) or (checked and others):
            raise ValueError(
                "cannot resize an array that references or is referenced\nby another object in this way.\n"
                "Use the np.resize function to get a new resized copy or\n"
                " set refcheck=False to disable this check"
            )
    held = array._memory.as_strided((old,), (1,))
    if old != new:
        memory = torch.zeros(new, dtype=held.dtype, device=held.device)
        kept = min(old, new)
        memory[:kept].copy_(held[:kept])
        held = memory
    if layout.flags.c_contiguous:
        memory = held.reshape(lengths)
    else:
        axes = tuple(reversed(range(len(lengths))))
        memory = held.reshape(lengths[::-1]).permute(axes)
    array._memory, array._flips, array._layout_known, array._reserved = memory, (), None, None
    if not layout.flags.writeable:
        array._layout.setflags(write=False)
