"""Calls the blocks of a function whose arrays stay on a device.

A replay that shows its arrays to nobody finds them there. Before anything else answers, NumPy's arrays get
their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.replay.replay import DeviceReplay
from npcompile.frontend.replay.residency import Residency, settle, table
from npcompile.partition.unit import Unit

NOT_ANSWERED: Any = object()


class ResidentCalls(Unit):
    """A block's calls from a function whose arrays stay on a device."""

    def by_private_replay(self, arrays: Residency, args: tuple[Any, ...]) -> Any:
        """Return the answer of a replay that is ready and private; NOT_ANSWERED if there is none."""
        if self.__wrapped__.__code__ is not self._code or len(args) != self._arity or self._is_numpys_now():
            return NOT_ANSWERED
        leaves: list[Any] = [*self.own]
        try:
            state = self._states.get(self.signature(args, {}, leaves))
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
            except BaseException as error:
                arrays.settle()
                answer = self.despite(error, args, {})
                if answer is error:
                    raise
                return answer
            self._stats.calls += 1
            self._answered(state, replay, host_calls)
            return result
        return NOT_ANSWERED


class ResidentCut:
    """A function that was cut, as the place where arrays may stay on a device.

    table: makes the table of those arrays; None where none stay. is_resident: the function has such a table.
    """

    table: Callable[[], Residency] | None = None
    is_resident = False

    def as_called(self, block: ResidentCalls | None, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what the cut function is to call where `function` answers a block's calls."""
        return ResidentBlock(block, function) if self.is_resident else function


class ResidentBlock:
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
