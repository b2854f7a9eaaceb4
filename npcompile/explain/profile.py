"""`npcompile.profile` shows where the time of the user's own run goes, and calls nothing a second time."""

from __future__ import annotations

import functools
import os
import types
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from npcompile.explain.assembly import explanation_of
from npcompile.explain.direct_calls import Place, named_by, named_since, users_place
from npcompile.explain.explanation import Explanation
from npcompile.explain.page import page
from npcompile.explain.programs import duration_text
from npcompile.explain.report_builder import report_of
from npcompile.explain.sampling import (
    CallTimes,
    Sample,
    StackSampler,
    clock,
    replay_codes,
    timed_kernels,
    timed_loops,
)
from npcompile.explain.timing import Seconds
from npcompile.partition.root_function import RootFunction
from npcompile.runtime import fork

_NOT_COMPARED = Seconds(why="a profile calls nothing again; `npcompile.explain` does")


@dataclass
class _Watched:
    """A jitted function, its calls before the run, and the times of those within it."""

    jitted: RootFunction
    calls: int
    times: CallTimes = field(default_factory=CallTimes)


class profile:
    """Profile the jitted functions that a `with` block calls, in this thread.

    Another thread looks at the stack, at most twice a millisecond, and the block runs as ever. Nothing is
    called again, so functions that print, draw or write files are timed, too.

    Attributes
    ----------
    seconds : float
        Seconds that the block took.
    explanations : tuple of Explanation
        One of each jitted function that the block has called directly, the slowest first: its `report` has
        the annotated source. Functions that these call are in theirs. Calls that take a few microseconds may
        all lie between two looks at the stack: no time is known of them then.

    Examples
    --------
    >>> import numpy as np
    >>> @npcompile.jit
    ... def scaled(x, by):
    ...     return np.sqrt(x) * by
    >>> with npcompile.profile() as p:
    ...     result = [scaled(np.ones(1000), by) for by in range(10)]
    >>> [explanation.name for explanation in p.explanations]
    ['scaled']
    >>> p.explanations[0].report.calls
    10
    """

    seconds: float
    explanations: tuple[Explanation, ...]

    def __init__(self) -> None:
        self.seconds, self.explanations = 0.0, ()
        self._watched: dict[RootFunction, _Watched] = {}
        self._roots: list[RootFunction] = []
        self._stacks = StackSampler(lambda: sum(jitted.worked for jitted in self._roots))
        self._exits = ExitStack()
        self._began = 0.0
        self._place: Place | None = None

    def __enter__(self) -> profile:
        if self._began:
            raise RuntimeError("an npcompile.profile() is for one `with` block: make another one")
        self._roots = _jitted()
        for jitted in self._roots:
            watched = self._watched[jitted] = _Watched(jitted, jitted.stats.calls)
            self._exits.enter_context(timed_kernels(jitted, watched.times))
            self._exits.enter_context(timed_loops(jitted, watched.times))
        self._place = users_place()
        self._exits.enter_context(self._stacks.sampling())
        self._began = clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = clock() - self._began
        self._exits.close()
        every = [self._watched.get(jitted) or _Watched(jitted, 0) for jitted in _jitted()]
        called = [watched for watched in every if watched.jitted.stats.calls > watched.calls]
        for sample, looks in self._stacks.samples.items():
            if (owner := _owner(sample, called)) is not None:
                owner.times.add(sample, looks)
        called = self._called_directly(called)
        for watched in called:
            times = watched.times
            times.calls = watched.jitted.stats.calls - watched.calls
            times.seconds = sum(times.spots.values()) + sum(times.native.values())
        called.sort(key=lambda watched: (-watched.times.seconds, watched.jitted.name))
        self.explanations = tuple(map(_explained, called))
        self._watched, self._roots = {}, []

    def _called_directly(self, called: list[_Watched]) -> list[_Watched]:
        """Return the functions that a sample has met, or that not only other ones have called: none of these
        names them, or the block does, too."""
        if all(map(_is_met, called)):
            return called
        by_block = named_since(self._place)
        named = {watched.jitted: named_by(watched.jitted) for watched in called}

        def is_anothers(jitted: RootFunction) -> bool:
            return any(jitted in names for other, names in named.items() if other is not jitted)

        return [
            watched
            for watched in called
            if _is_met(watched) or watched.jitted in by_block or not is_anothers(watched.jitted)
        ]

    def __str__(self) -> str:
        within = sum(
            explanation.report.seconds * explanation.report.calls for explanation in self.explanations
        )
        count = len(self.explanations)
        names = f"{count} jitted function{'s' * (count != 1)}"
        part = within / self.seconds if self.seconds else 0.0
        first = f"{duration_text(self.seconds)}, {part:.0%} of it in {names}"
        return "\n\n".join([first, *map(str, self.explanations)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all reports as one HTML page, which needs no network.

        Parameters
        ----------
        path : path-like
            The file to write, such as "report.html".
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(page("npcompile.profile", self._fragments()))

    def _repr_html_(self) -> str:
        return "\n".join(self._fragments())

    def _fragments(self) -> list[str]:
        return [explanation._repr_html_() for explanation in self.explanations]


def _is_met(watched: _Watched) -> bool:
    return bool(watched.times.spots or watched.times.native)


def _jitted() -> list[RootFunction]:
    """Return all jitted functions whose source is at hand."""
    return [
        recorded
        for recorded in list(fork.alive)
        if isinstance(recorded, RootFunction) and isinstance(recorded.__wrapped__, types.FunctionType)
    ]


def _owner(sample: Sample, called: list[_Watched]) -> _Watched | None:
    """Return the outermost jitted function on a stack: the codes of replays lie on its lines, too."""
    for code in sample.codes:
        for watched in called:
            own = watched.jitted.__wrapped__.__code__
            if code.co_filename == own.co_filename and code.co_firstlineno in _extent(own):
                return watched
    return None


@functools.lru_cache(maxsize=1024)
def _extent(code: types.CodeType) -> range:
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [_extent(const).stop for const in code.co_consts if isinstance(const, types.CodeType)]
    return range(code.co_firstlineno, max([*(line + 1 for line in lines), *inner]))


def _explained(watched: _Watched) -> Explanation:
    jitted = watched.jitted
    watched.times.replays = frozenset(replay_codes(jitted))
    states = [state for state in list(jitted.by_signature.values()) if state.entries or state.partitioned]
    explanation = explanation_of(jitted, states, None, (0, 0), _NOT_COMPARED)
    return replace(explanation, report=report_of(explanation, watched.times))
