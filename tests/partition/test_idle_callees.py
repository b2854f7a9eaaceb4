"""Functions between blocks that nothing compiled answers: they are soon called as they are."""

from __future__ import annotations

import pytest

import npcompile
from npcompile.partition.partitioned import PartitionedFunction
from npcompile.tiering.idle_calls import MAX_IDLE


def noted(log: list[object]) -> None:
    log.append(len(log))
    log.sort(key=str)


def notes(log: list[object]) -> None:
    for _ in range(3):
        noted(log)


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_idle_calls_ask_if_a_function_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, bool]] = []
    leave_if_plain = PartitionedFunction.leave_if_plain

    def asks(self: PartitionedFunction) -> None:
        if self.owner.__wrapped__ is noted:
            asked.append((self.idling.calls, self.rest > 0))
        leave_if_plain(self)

    monkeypatch.setattr(PartitionedFunction, "leave_if_plain", asks)
    jitted = npcompile.jit(notes)
    for _ in range(40):
        mine: list[object] = [2, 1]
        theirs: list[object] = [2, 1]
        jitted(mine)
        notes(theirs)
        assert mine == theirs
    # At the first idle call of many, and at each look after a rest.
    idle = [calls for calls, rests in asked if rests]
    assert idle and idle[0] == MAX_IDLE + 1, asked
