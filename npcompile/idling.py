"""Functions cut into blocks of which nothing is compiled: called as they are, until something would be."""

from __future__ import annotations

# At so many calls nothing was jitted, neither a block nor what was called: then only one call in so many, or
# up to twice as many, is looked at.
MAX_IDLE, AGAIN = 8, 16


class Idling:
    """How often in a row the calls of one function came to nothing but Python."""

    def __init__(self) -> None:
        self.calls = 0
        self._looks = 0

    def note(self, jitted: bool) -> int:
        """A call that was looked at, and whether anything was jitted at it: how many after it need not be."""
        self.calls = 0 if jitted else self.calls + 1
        if self.calls <= MAX_IDLE:
            return 0
        self._looks += 1
        return AGAIN + self._looks % AGAIN  # no rhythm of the calls' own
