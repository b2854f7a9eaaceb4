"""Idle calls of a function cut into blocks are those at which nothing was jitted: few of them are looked at.

`partition.call` asks here which of its calls are to be the function's own: where nothing is compiled, and
where it calls itself over and over.
"""

from __future__ import annotations

import threading

# After MAX_IDLE calls in which nothing was jitted, neither a block nor a callee, only one call in AGAIN, or
# in up to twice as many, is looked at.
MAX_IDLE, AGAIN = 8, 16
# After this many more looks that found nothing the function is given up, whatever its arguments.
LOOKS = 4

# Calls within calls from here on are the function's own. Each of those before takes up to a dozen levels of
# the stack that Python allows the user's recursion.
MAX_DEPTH = 8
ALL = 1 << 30  # calls that pass unlooked at: all of them


class _AtHand(threading.local):
    """Counts one thread's calls at hand, each within the one before."""

    calls = 0


class IdleCalls:
    """Counts the calls of one function in a row that Python alone has answered."""

    def __init__(self) -> None:
        self.calls = 0
        self._looks = 0
        self.depth = 0  # calls at hand, each within the one before or in another thread
        self.at_hand = _AtHand()

    @property
    def deep(self) -> bool:
        """Tell if the next call is one too many within calls."""
        return self.at_hand.calls >= MAX_DEPTH

    @property
    def long(self) -> bool:
        """Tell if Python alone has answered many calls in a row."""
        return self._looks >= LOOKS and self.calls > MAX_IDLE

    def note(self, jitted: bool) -> int:
        """Count a call that was looked at; return how many after it need not be. jitted: something was."""
        self.calls = 0 if jitted else self.calls + 1
        if self.calls <= MAX_IDLE:
            return 0
        self._looks += 1
        return AGAIN + self._looks % AGAIN  # no rhythm of the calls' own
