"""Calls the blocks of a function whose arrays stay on a device.

A replay that shows its arrays to nobody finds them there. Before anything else answers, NumPy's arrays get
their values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from npcompile.frontend.boundary.faults import Fault
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.replay.replay import DeviceReplay
from npcompile.frontend.replay.residency import Residency, settle, table
from npcompile.frontend.replay.resident_loop import Block, LoopGraphs
from npcompile.partition.unit import Unit
from npcompile.runtime.function import RecordedFunction

NOT_ANSWERED: Any = object()


class ResidentCalls(Unit):
    """A block's calls from a function whose arrays stay on a device."""

    def by_private_replay(self, arrays: Residency, args: tuple[Any, ...]) -> Any:
        """Return the answer of a replay that is ready and private; NOT_ANSWERED if there is none."""
        try:
            return self._by_private_replay(arrays, args)
        except BaseException as error:
            arrays.settle()
            answer = self.despite(error, args, {})
            if answer is error:
                raise
            return answer

    def _by_private_replay(self, arrays: Residency, args: tuple[Any, ...]) -> Any:
        if self.__wrapped__.__code__ is not self._code or len(args) != self._arity or self._is_numpys_now():
            return NOT_ANSWERED
        leaves: list[Any] = [*self.own]
        try:
            state = self.by_signature.get(self.signature(args, {}, leaves))
        except TypeError:  # an argument that has no hash
            return NOT_ANSWERED
        if state is None or state.partitioned is not None or state.trial is not None:
            return NOT_ANSWERED
        for replay, host_calls in state.ready:
            if type(replay) is not DeviceReplay or not replay.is_private:
                return NOT_ANSWERED
            try:
                result = arrays.replay(replay, leaves)
            except Diverged:
                continue
            self.own_stats.calls += 1
            self._answered(state, replay, host_calls)
            return result
        return NOT_ANSWERED

    def leaves_of(self, replay: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """Return the leaves of a call that a replay answers; None if it does not, as far as can be told."""
        if len(args) != self._arity:
            return None
        leaves: list[Any] = [*self.own]
        state = self.by_signature.get(self.signature(args, {}, leaves))
        if state is None or not any(ready is replay for ready, _ in state.ready):
            return None
        return leaves

    def counted(self, calls: int) -> None:
        """Count calls that captured device work has answered."""
        self.own_stats.calls += calls
        self.own_stats.replays += calls


class ResidentCut:
    """A function that was cut, as the place where arrays may stay on a device.

    table: makes the table of those arrays; None where none stay. loop_graphs: the graphs of its loops.
    is_resident: the function has such a table.
    """

    owner: RecordedFunction
    root: Any
    table: Callable[[], Residency] | None = None
    loop_graphs: LoopGraphs | None = None
    is_resident = False

    def keep_arrays(self) -> None:
        """Keep arrays on the device in calls from now on."""
        counter = self.root.block_stats
        self.loop_graphs = LoopGraphs(counter)
        self.table = functools.partial(Residency, counter, self._failed, self.loop_graphs)

    def _failed(self, fault: Fault) -> None:
        """Leave later calls to Python, as npcompile failed between blocks, and tell of it."""
        own: Any = self  # as `PartitionedLike`
        for state in self.owner.by_signature.values():
            if state.partitioned is own:
                state.settle()
        self.root.failed(fault)

    def as_called(self, block: ResidentCalls | None, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what the cut function is to call where `function` answers a block's calls."""
        return ResidentBlock(block, function) if self.is_resident else function


class ResidentBlock(Block):
    """The function that a cut function calls for a block, where arrays stay on a device.

    Parameters
    ----------
    block
        The block; None where it is not recorded.
    function
        What answers the block's calls.
    """

    __slots__ = ("_block", "_function")

    def __init__(self, block: ResidentCalls | None, function: Callable[..., Any]) -> None:
        self._block, self._function = block, function

    def __call__(self, *args: Any) -> Any:
        block = self._block
        if block is not None and self._function is block and (arrays := table()) is not None:
            if (answer := block.by_private_replay(arrays, args)) is not NOT_ANSWERED:
                return answer
        settle()
        return self._function(*args)

    def leaves(self, replay: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """Return what a replay is called with for these arguments; None if it does not answer the call."""
        block = self._block
        return block.leaves_of(replay, args) if block is not None and self._function is block else None

    def counted(self, calls: int) -> None:
        """Count calls that were answered."""
        if self._block is not None:
            self._block.counted(calls)
