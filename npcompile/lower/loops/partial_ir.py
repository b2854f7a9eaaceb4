"""Defines sums that an innermost loop makes in parts: of so few trips that ints of 16 or 32 bits hold them.

`frontend/loops/passes/partial_sums.py` finds them, `partial_code.py` writes their C++.
"""

from __future__ import annotations

from typing import NamedTuple


class PartialSums(NamedTuple):
    """The ints that trips add to and do not use otherwise. trips: of a part, which `bits` bits hold."""

    names: tuple[str, ...]
    bits: int
    trips: int
