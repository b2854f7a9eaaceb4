"""Back-offs give ever longer waits before something is tried again.

`runtime`, `partition` and `tiering` use them wherever something that came to nothing may come to something
later: recordings, replays, compiled parts. Nothing here takes the time: waits are in calls or whatever else
the user counts.
"""

from __future__ import annotations

UNBOUNDED = 1 << 62


class Backoff:
    """Gives the wait before each further try, each longer than the one before.

    Parameters
    ----------
    first
        The first wait.
    factor
        Each wait is so many times as long as the one before, ...
    step
        ... and longer by this.
    most
        The longest wait.
    """

    __slots__ = ("_factor", "_most", "_step", "left", "length", "waits")

    def __init__(self, first: int, factor: int = 2, most: int = UNBOUNDED, step: int = 0) -> None:
        self._factor = factor
        self._most = most
        self._step = step
        self.length = first  # of the next wait
        self.left = 0  # of the wait at hand, where `rest` has begun it
        self.waits = 0  # waits so far

    def wait(self, least: int = 0) -> int:
        """Return the next wait, or `least` where that is longer; the one after it is longer."""
        length = self.length = max(self.length, least)
        self.waits += 1
        self.lengthen()
        return length

    def lengthen(self) -> None:
        """Make the next wait longer."""
        self.length = min(self.length * self._factor + self._step, self._most)

    def rest(self) -> None:
        """Begin the next wait, in calls that `rests` counts."""
        self.left = self.wait()

    def rests(self) -> bool:
        """Count a call; tell if it is one of those to wait for."""
        if not self.left:
            return False
        self.left -= 1
        return True


class Patience:
    """Counts failures in a row and tells when there were too many. Each time there were, more may follow.

    Parameters
    ----------
    first, factor, most
        The failures in a row that are too many, as the waits of a `Backoff`.
    """

    __slots__ = ("_lengths", "failures")

    def __init__(self, first: int, factor: int = 2, most: int = UNBOUNDED) -> None:
        self._lengths = Backoff(first, factor, most)
        self.failures = 0  # in a row

    def fails(self) -> bool:
        """Count a failure; tell if there were too many in a row by now. Counting begins anew then."""
        self.failures += 1
        if self.failures < self._lengths.length:
            return False
        self.failures = 0
        self._lengths.lengthen()
        return True

    def succeeds(self) -> None:
        """Take note of a success: no failures in a row are left."""
        self.failures = 0
