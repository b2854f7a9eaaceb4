"""Measures the cost of calls of NumPy for which there is no op, on a few replays of a program that has any.

A call that takes more than a tenth of the time is told, once.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

from torch import fx

from npcompile.diagnostics.host_calls import host_reason
from npcompile.frontend.program.printing import call_text
from npcompile.lower.plan.attributes import source_place
from npcompile.tiering.contest import computing_seconds, costly_parts
from npcompile.tiering.protocols import Owner, ProgramLike, SpecializationLike

# As in `statement_profile.py`: after FIRST calls, CALLS are measured. A host call that takes more than PART
# of the time is told, if it takes SECONDS.
FIRST, CALLS = 2, 3
PART, SECONDS = 0.1, 5e-6

clock, wall = time.thread_time, time.perf_counter


class HostCallProfile:
    """A replay in which NumPy is called, until it is known what that costs."""

    def __init__(
        self,
        owner: Owner,
        state: SpecializationLike,
        entry: ProgramLike,
        kernels: list[Any],
        replay: Callable[..., Any],
    ) -> None:
        self.owner = weakref.ref(owner)  # programs may outlive it
        self.state = state
        self.replay = replay
        self.timed = entry.replay.link(kernels, owner.own_stats, self._around, entry.exactly)
        self.filename = entry.program.filename
        self.calls = 0
        self.spent: dict[fx.Node, float] = {}  # in the call at hand
        self.measured: list[tuple[float, dict[fx.Node, float]]] = []

    def __call__(self, *leaves: Any) -> Any:
        self.calls += 1
        if self.calls <= FIRST:
            return self.replay(*leaves)
        self.spent = {}
        began, start = wall(), clock()
        result = self.timed(*leaves)
        own = clock() - start
        self.measured.append((computing_seconds(own, wall() - began), self.spent))
        if len(self.measured) == CALLS:
            ready = self.state.ready
            self.state.ready = [(self.replay if one is self else one, calls) for one, calls in ready]
            self._tell()
        return result

    def _around(self, node: fx.Node, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = clock()
            result = function(*args, **kwargs)
            self.spent[node] = self.spent.get(node, 0.0) + clock() - start
            return result

        return call

    def _tell(self) -> None:
        if (owner := self.owner()) is None:
            return
        for node, part in costly_parts(self.measured, PART, SECONDS):
            reason = host_reason(node)
            owner.root.tell(
                f"{self.filename}:{source_place(node).line}",
                f"{part:.0%} of its time goes into `{call_text(node)}`, which runs uncompiled: {reason}",
                reason.advice,
            )
