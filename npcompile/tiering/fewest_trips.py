"""Finds the number of trips from which on native code of a loop takes less time than Python.

`partition/native_loop.py` has one for each loop. Entering native code takes some microseconds, whatever the
loop does: the first short loops are done once natively and once by Python, in turn, and both are timed.
"""

from __future__ import annotations

from time import perf_counter as clock

# Native code that works for longer than this many seconds is not in doubt.
LONG = 5e-5
# Each way is timed this many times, and its least time counts, as others may load the machine.
SAMPLES = 3
MOST_ASKED = 4 * SAMPLES
# A `while` loop that native code does not pay for is done natively at one entry in this many.
AGAIN = 64


class FewestTrips:
    """The measuring of one loop. fewest: loops of fewer trips are Python's; 0 while that is not known.

    settled: nothing is measured any more.
    """

    def __init__(self, settled: bool = False) -> None:
        self.fewest = 0
        self.settled = settled
        self._native: list[float] = []  # seconds
        self._worked: list[float] = []  # those without the way to native code and back
        self._by_trip: list[float] = []  # Python's seconds for one trip
        self._asked = 0  # loops given to Python: those that it leaves by `return` are not timed
        self._began: tuple[float, int] | None = None  # when Python began a loop, and its trips
        self._passed = 0

    def asks_python(self, trips: int) -> bool:
        """Tell if Python is to do the loop at hand, which has so many trips, so that it is timed."""
        if trips == 0 or len(self._native) <= self._asked or min(self._worked) > LONG:
            return False
        self._began = clock(), trips
        self._asked += 1
        self.settled = self._asked == MOST_ASKED
        return True

    def note_native(self, seconds: float, worked: float) -> None:
        """Note how long native code took, and how long it worked."""
        self._native.append(seconds)
        self._worked.append(worked)
        if len(self._native) == SAMPLES and min(self._worked) > LONG:
            self.settled = True
        self._decide()

    def note_python(self) -> None:
        """Note that Python has done a loop."""
        if self._began is not None and not self.settled:
            start, trips = self._began
            self._by_trip.append((clock() - start) / trips)
            self._decide()
        self._began = None

    def _decide(self) -> None:
        if min(len(self._native), len(self._by_trip)) >= SAMPLES:
            self.settled = True
            self.fewest = int(min(self._native) / max(min(self._by_trip), 1e-9))

    def rests(self) -> bool:
        """Tell if a `while` loop that native code does not pay for is Python's at this entry."""
        self._passed += 1
        return self.fewest > 1 and self._passed % AGAIN != 0
