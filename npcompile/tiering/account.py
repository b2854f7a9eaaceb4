"""Accounts of signatures: the plain function's calls pay for machinery that came to nothing.

Each known signature of a function has one, and the function has one for all others. A call that the plain
function answers after all is charged what machinery took for it. Beyond a free amount the signature rests:
the plain function answers its calls, unlooked at, until they have taken so long that the machinery is a small
share of it. The rest is counted in seconds, not in calls: should a call be a long one, for which compiled
code would have paid, few follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from npcompile.tiering.overhead import EACH, PAID, is_unlimited

clock: Callable[[], float] = time.perf_counter

# Seconds of machinery that a signature may take in vain before it rests.
FREE = float("inf") if is_unlimited() else 0.01
# The most seconds that rests may come to: calls under a device, say, are charged and do not pay.
MOST = 1.0


class Account:
    """Holds what the calls of one signature owe, or those of a function whose signature is not known.

    Subclasses set both to 0: signatures are made often.

    debt: seconds of machinery. overdrawn: seconds that the plain function's calls are to take before one is
    looked at again.
    """

    __slots__ = ("debt", "overdrawn")
    debt: float
    overdrawn: float

    def charge(self, machinery: float, users: float) -> None:
        """Charge a call that the plain function answered: its seconds of machinery, and the user's.

        What is more than a call may always spend was work that began, and is not done again.
        """
        self.debt = max(self.debt + min(machinery, EACH) - PAID * users, 0.0)
        if self.debt > FREE:
            self.overdrawn = min(self.overdrawn + (self.debt - FREE) / PAID, MOST)
            self.debt = FREE
