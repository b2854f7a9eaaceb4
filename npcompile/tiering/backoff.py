"""Functions cut into blocks, called as they are: until something would be compiled, or one does not raise,
and where they call themselves over and over."""

from __future__ import annotations

# At so many calls nothing was jitted, neither a block nor what was called: then only one call in so many, or
# up to twice as many, is looked at.
MAX_IDLE, AGAIN = 8, 16
# After so many more looks at which there was nothing, there is nothing to come, whatever its arguments.
LOOKS = 4

# After so many calls in a row that raised they are called as they are until one does not; from then on after
# so many times as many, each time: what answers now and then is to be compiled work.
MAX_RAISED, LONGER = 8, 4

# Calls within calls from here on are the function's own: as deep as they may be without jit, or half as deep.
MAX_DEPTH = 24
ALL = 1 << 30  # so many calls need not be looked at


class Idling:
    """How often in a row the calls of one function came to nothing but Python."""

    def __init__(self) -> None:
        self.calls = 0
        self._looks = 0
        self.raised = 0  # calls in a row
        self._patience = MAX_RAISED
        self.depth = 0  # calls at hand, each within the one before or in another thread

    @property
    def deep(self) -> bool:
        """Whether the next call is one too many within calls."""
        return self.depth >= MAX_DEPTH

    @property
    def long(self) -> bool:
        """Whether that has been so for long."""
        return self._looks >= LOOKS and self.calls > MAX_IDLE

    def raises(self) -> bool:
        """A call that was looked at raised: whether those to come need not be, until one does not raise."""
        if self.raised >= self._patience:
            self.answers()
        self.raised += 1
        return self.raised >= self._patience

    def note(self, jitted: bool) -> int:
        """A call that was looked at, and whether anything was jitted at it: how many after it need not be."""
        self.calls = 0 if jitted else self.calls + 1
        if self.calls <= MAX_IDLE:
            return 0
        self._looks += 1
        return AGAIN + self._looks % AGAIN  # no rhythm of the calls' own

    def answers(self) -> None:
        """A call did not raise."""
        if self.raised >= self._patience:
            self._patience *= LONGER
        self.raised = 0
