"""A part of a jitted function that is recorded by itself: a block of it, or a function that it calls."""

from __future__ import annotations

import operator
import warnings
from typing import Any

from npcompile.diagnostics.reason import Place, Reason
from npcompile.diagnostics.recompilations import why_given_up
from npcompile.diagnostics.settings import config
from npcompile.frontend.pipeline import Traced
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.linking import KernelLinking
from npcompile.runtime.plain_calls import PlainCalls
from npcompile.runtime.shape_sharing import ShapeSharing
from npcompile.runtime.specialization import Specialization
from npcompile.runtime.tiers import TOO_SMALL, Event
from npcompile.tiering.account import Account
from npcompile.tiering.contest import FEWEST
from npcompile.tiering.numpy_cost import is_small
from npcompile.tiering.overhead import users
from npcompile.tiering.protocols import PartitionedLike
from npcompile.tiering.recording_budget import PART, RecordingBudget

# After this many calls that NumPy answers faster, while kernels do at other sizes, the native runtime has the
# function itself called, which takes a tenth of asking here.
MANY_TOO_SMALL = 64

# The attributes of a recorded function that are not in its `__dict__`.
_SLOTS = (
    *({*KernelLinking.__slots__} - {"__dict__", "__weakref__", "_vector"}),
    *(*ShapeSharing.__slots__, *PlainCalls.__slots__, *RecordedFunction.__slots__, *Account.__slots__),
)
_values = operator.attrgetter(*_SLOTS)
_puts = [getattr(RecordedFunction, name).__set__ for name in _SLOTS]


def take_over(made: RecordedFunction, one: RecordedFunction) -> None:
    """Give a recorded function all that another has."""
    made.__dict__.update(one.__dict__)
    for put, value in zip(_puts, _values(one), strict=True):
        put(made, value)


class Unit(RecordedFunction):
    """A part of a function's work that is recorded by itself; what it does is counted with the function's."""

    first_replays = FEWEST

    def __init__(self, fn: Any, within: PartitionedLike) -> None:
        root = within.root
        options = root.always_waits, root.is_strict, root.default_float
        super().__init__(fn, *options, root.block_stats, root.kept_programs)
        self.fast_random = root.fast_random
        self._made_so = root._made_so
        self.within = within
        self.root, self.allowance = root, root.allowance
        self.calls_too_small = 0
        self.balance = root.balances.setdefault(self._place(), RecordingBudget(PART))

    def _place(self) -> Any:
        """Return what it is known by, however often the functions around it are cut."""
        raise NotImplementedError

    def _too_often(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given_up = self.balance.is_given_up(self.own_stats.calls)
        if given_up or not self.balance.useless:
            self.root.note(why_given_up(self), self.at(self._first_line()))
        if given_up:
            self.leave()
        return self._plain(args, kwargs)

    def _first_line(self) -> int:
        return int(self.__wrapped__.__code__.co_firstlineno)

    def _are_news(self) -> bool:
        return super()._are_news() or warnings.filters is not self.root.filters

    def report_uncompiled(
        self, reason: Reason, place: Place | None, everywhere: bool = False, ask: str = ""
    ) -> None:
        self.root.report_uncompiled(reason, place, everywhere, ask)

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        assert traced.plan is not None
        if config.backend == "interpreter" or not is_small(traced.plan):
            return True
        state.move(Event.TOO_SMALL)
        if self._all_small():  # the next lengths are a signature of their own, and would be recorded, too
            self.leave()
        return False

    def _all_small(self) -> bool:
        """Tell if NumPy is faster at all that was seen, and enough was."""
        self.calls_too_small += 1
        states = self.by_signature.values()
        return self.calls_too_small > 3 and all(state.tier in TOO_SMALL for state in states)

    def _too_small(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._all_small():
            self.leave()
        elif self.calls_too_small == MANY_TOO_SMALL and not self.resizes:
            self._direct, self._front = True, None
        self.own_stats.calls -= 1  # none of a part's: its function may be replayed whole all the same
        return users(self._in_python(), args, kwargs)

    def leave(self) -> None:
        """Have Python do what this stands for."""
        raise NotImplementedError

    def beside(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.own_stats.calls -= 1  # as in `_too_small`
        return super().beside(args, kwargs)

    def wait_until(self, deadline: float | None) -> None:
        self._wait_for_all(deadline)
