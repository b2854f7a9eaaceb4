"""Replays that look at what they are called with first: which numbers, how long slices are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.program.guards import Diverged
from npcompile.tiering.backoff import Backoff

# Numbers for which is known that the program may answer; past this many they are looked at again.
KEPT = 256
EXACT = 2**53  # up to here each whole number is a float, too


class ForLengths(Protocol):
    """A program for many lengths: `runtime.polymorphic.PolymorphicProgram`."""

    counts: tuple[int, ...]
    places_others: bool

    @property
    def host_calls(self) -> int:
        """Return the host calls of one replay."""

    @property
    def gone(self) -> int:
        """Return how many kernels that were found are no longer kept."""

    def serves(self, leaves: list[Any], lengths: tuple[int, ...]) -> bool:
        """Tell if the program may answer for these arguments."""

    def answer(
        self, leaves: list[Any], lengths: tuple[int, ...], stats: Stats
    ) -> tuple[Any, list[Callable[..., Any]]]:
        """Return the program's answer for these arguments, and replays for others of the same lengths."""


class Keeper(Protocol):
    """A signature that keeps replays: `runtime.specialization.Specialization`."""

    def keep(self, replay: Callable[..., Any], host_calls: int) -> None:
        """Keep another replay for certain slices."""


class Counted:
    """A general replay for arguments of some lengths, whatever the numbers that sizes depend on: views of
    the caller's arrays lie as such numbers say."""

    def __init__(self, general: ForLengths, lengths: tuple[int, ...], replay: Callable[..., Any]) -> None:
        self.general = general
        self.lengths = lengths
        self.replay = replay
        self._served: set[tuple[int, ...]] = set()
        self._keeps = not general.places_others
        self._gone = general.gone  # then: where a kernel runs after an effect, it has to be there before

    def __call__(self, *leaves: Any) -> Any:
        general = self.general
        counts = tuple([leaves[place] for place in general.counts])
        if self._gone != general.gone:
            self._gone, self._served = general.gone, set()
        if counts not in self._served:
            if not general.serves(list(leaves), self.lengths):
                raise Diverged
            if self._keeps:
                if len(self._served) >= KEPT:
                    self._served = set()
                self._served.add(counts)
        return self.replay(*leaves)


class Sliced:
    """A general replay for arguments of some lengths, however long slices are whose ends are worked out.

    It finds kernels at each call. For those that come again (the batches, and the last one of them) there are
    replays before it: another one is made at its first call, the second, the fourth and so on.
    """

    def __init__(
        self, general: ForLengths, lengths: tuple[int, ...], stats: Stats, replay: Callable[..., Any]
    ) -> None:
        self.general = general
        self.lengths = lengths
        self.stats = stats
        self.replay = replay
        self.state: Keeper | None = None  # where such replays are kept
        self._again = Backoff(1)
        self._left = 1  # calls until another one is made

    def __call__(self, *leaves: Any) -> Any:
        self._left -= 1
        if self._left > 0:
            return self.replay(*leaves)
        self._left = self._again.wait()
        if self.state is None:
            return self.replay(*leaves)
        result, replays = self.general.answer(list(leaves), self.lengths, self.stats)
        self.state.keep(replays[0], self.general.host_calls)
        return result


class Exactly:
    """The replay of a program whose sizes are these numbers among the arguments."""

    def __init__(self, counts: dict[int, int], replay: Callable[..., Any]) -> None:
        self.counts = counts
        self.replay = replay

    def __call__(self, *leaves: Any) -> Any:
        for place, value in self.counts.items():
            if leaves[place] != value:
                raise Diverged
        return self.replay(*leaves)


class AsNumpys:
    """The replay of a program that takes numbers of NumPy's, for Python's."""

    def __init__(self, kinds: dict[int, Any], replay: Callable[..., Any]) -> None:
        self.kinds = kinds  # NumPy's types, by place
        self.replay = replay

    def __call__(self, *leaves: Any) -> Any:
        made = list(leaves)
        for place, kind in self.kinds.items():
            if type(made[place]) is int and abs(made[place]) > EXACT:
                raise Diverged
            made[place] = kind(made[place])
        return self.replay(*made)
