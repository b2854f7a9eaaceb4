"""Keeps the first trips of a loop Python's, in a first call: native code gives none of NumPy's warnings.

`partition/native_loop.py` asks where native code of a loop is on disk already. A short first call gives the
warnings that it gives under Python then, and a long one loses `WITHIN` seconds.
"""

from __future__ import annotations

from time import perf_counter as clock

from npcompile.frontend.eager.errstate import warns
from npcompile.tiering.overhead import Allowance, is_unlimited

WITHIN = 0.01  # seconds


class FirstTrips:
    """The first trips of one loop. allowance: that of the function whose calls come to the loop."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._until = 0.0 if is_unlimited() else None

    @property
    def left(self) -> float:
        """The seconds for which trips are still to be Python's; they begin where this is asked first."""
        if self._until is None:
            self._until = clock() + WITHIN if self._allowance.first and warns() else 0.0
        return max(self._until - clock(), 0.0) if self._until and self._allowance.first else 0.0
