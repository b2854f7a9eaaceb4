"""Bounds the time that one loop loses by entering and leaving native code; past it the loop is Python's.

`partition/native_loop.py` has one for each loop. Native code earns as long as it works, since Python takes at
least as long for the same trips. All else that an entry takes is spent: finding native code, packing names,
going on in Python, and looking for native code again.
"""

from __future__ import annotations

from npcompile.tiering.backoff import Backoff

# Seconds that a loop may spend beyond those that it earns: at first, and after each rest.
FIRST, LATER = 2e-3, 1e-4
# A rest lasts until Python has taken PAYS times as long for the loop as was spent; where Python's time is not
# known, for PAYS entries. Each rest is LONGER times as long as the one before, up to LONGEST.
PAYS, LONGER, LONGEST = 20, 4, 1 << 20
INSTANT = 1e-7  # seconds: no loop is taken to take less


class LeaveBudget:
    """The budget of one loop. rests: the loop is Python's, as it was written. unlimited: it never rests."""

    def __init__(self, unlimited: bool = False) -> None:
        self.rests = False
        self._unlimited = unlimited
        self._saved = FIRST
        self._spent = 0.0  # seconds since the last rest
        self._lengths = Backoff(PAYS, LONGER, LONGEST)
        self._pays = self._left = 0  # of the rest at hand: its length, and the entries that are left of it
        self._measured = False  # it is known how long Python takes for an entry

    def begin(self) -> None:
        """Begin an entry: what earlier ones have earned pays for no more than the first leaves do."""
        if self._saved >= FIRST:
            self._saved = FIRST
            self._lengths = Backoff(PAYS, LONGER, LONGEST)

    def note(self, earned: float, spent: float) -> bool:
        """Note how long native code has worked, and how long all else has taken; tell if a rest begins."""
        self._spent += spent
        self._saved += earned - spent
        if self._saved >= 0 or self.rests or self._unlimited:
            return False
        self.rests, self._measured = True, False
        self._pays = self._left = self._lengths.wait()
        return True

    def is_python(self) -> bool:
        """Count an entry of a loop that rests; tell if it is Python's."""
        if self._left == 0:
            self.rests, self._saved, self._spent = False, LATER, 0.0
            return False
        self._left -= 1
        return True

    def note_python(self, seconds: float) -> None:
        """Note how long Python has taken for an entry."""
        if self.rests and not self._measured:
            self._measured = True
            self._left = int(self._pays * self._spent / max(seconds, INSTANT))
