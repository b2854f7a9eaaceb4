"""The native runtime under a device: it answers calls that a contest has left to the host."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.runtime import device_choice
from npcompile.runtime.current_device import current_device, used
from npcompile.tiering.device_contest import DeviceContest
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.usefixtures("native_runtime")

LEFT = 1000  # calls that contests leave to the host
SEEN: list[Any] = []


def scaled(x, y, n=None):
    return np.sqrt(x * x + y) * 2


def looks(x, y):
    SEEN.append(current_device())
    return x + y


def fails(x, y):
    return np.reshape(x, (3, 5)) + y


@pytest.fixture(autouse=True)
def contests(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[DeviceContest]]:
    """Have the host win each contest before it begins; return the contests. There is no device."""
    made: list[DeviceContest] = []

    class Won(DeviceContest):
        __slots__ = ()

        def __init__(self) -> None:
            super().__init__()
            self.on_device, self.left = False, LEFT
            made.append(self)

    monkeypatch.setattr("npcompile.tiering.device_contest.DeviceContest", Won)
    monkeypatch.setattr(device_choice, "are_held", lambda: True)
    monkeypatch.setattr(
        sys.modules["npcompile.device"], "resolve", lambda name: torch.device("cuda", int(name[5:] or 0))
    )
    yield made
    used.clear()


def arrays() -> tuple[Any, Any]:
    return np.linspace(0.5, 1.5, 9), np.linspace(1.0, 0.25, 9)


def warmed(function: Any, *args: Any) -> Any:
    jitted = npcompile.jit(function, wait=True)
    with npcompile.device("cuda"):
        for _ in range(9):
            jitted(*args)
    return jitted


def test_a_replay_is_all_the_python_and_the_call_is_counted(contests: list[DeviceContest]) -> None:
    jitted, (x, y) = warmed(scaled, *arrays()), arrays()
    (contest,) = contests
    left, on_host, calls = contest.left, jitted.stats.calls_on_host, jitted.stats.calls
    with npcompile.device("cuda"):
        assert frames(lambda: jitted(x, y)) == ["scaled"]
        assert frames(lambda: jitted(x, y=y)) == ["scaled"]
        np.testing.assert_array_equal(jitted(x, y), scaled(x, y))
        assert current_device() is not None
    assert (contest.left, jitted.stats.calls_on_host, jitted.stats.calls) == (
        left - 3,
        on_host + 3,
        calls + 3,
    )
    assert jitted.stats.recordings == 1


def is_asked(jitted: Any, *args: Any) -> bool:
    """Tell if a call asks Python who answers it."""
    return any(name.endswith("_by_choice") for name in frames(lambda: jitted(*args)))


def test_python_is_asked_where_the_contest_may_say_something_else(
    contests: list[DeviceContest], monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted, args = warmed(scaled, *arrays()), arrays()
    (contest,) = contests
    choices: list[bool] = []

    def chosen(self: Any, request: Any, leaves: Any) -> Any:
        choices.append(contest.on_device)
        return self._there(False, request)

    monkeypatch.setattr(device_choice.DeviceChoice, "_by_choice", chosen)

    def asks() -> bool:
        choices.clear()
        jitted(*args)
        return bool(choices)

    assert not asks()  # there is no device
    with npcompile.device("cuda"):
        assert not asks()
        contest.on_device = True
        assert asks()
        contest.on_device, contest.left = False, 1
        assert not asks() and contest.left == 0
        assert asks()  # it is to be measured anew
        contest.left = LEFT
        assert not asks()
    with npcompile.device("cuda:1"):
        assert asks()
    with npcompile.device("cuda", force=True):
        assert asks()
    with npcompile.device("cuda"):
        assert not asks()


def test_whole_numbers_of_one_size_are_of_one_kind(contests: list[DeviceContest]) -> None:
    jitted, (x, y) = warmed(scaled, *arrays(), 7), arrays()
    with npcompile.device("cuda"):
        assert not any(is_asked(jitted, x, y, n) for n in (7, 4, -5, 6))
        assert len(contests) == 1
        for n in (8, 3, 0, -8, 1 << 62, 1 << 70):
            before = [contest.left for contest in contests]
            assert is_asked(jitted, x, y, n)
            # Another kind's call, and the later ones of its kind: each counts in its own contest.
            assert [contest.left for contest in contests][:1] == before[:1]
            assert is_asked(jitted, x, y, n) is (n >= 1 << 64)
        assert is_asked(jitted, x, y, 7)
        assert not is_asked(jitted, x, y, 4)


def test_other_arguments_have_contests_of_their_own(contests: list[DeviceContest]) -> None:
    jitted, (x, y) = warmed(scaled, *arrays()), arrays()
    with npcompile.device("cuda"):
        for _ in range(9):
            jitted(np.ones(9000), np.ones(9000))
        assert len(contests) == 2
        before = [contest.left for contest in contests]
        assert not is_asked(jitted, x, y)
        assert [contest.left for contest in contests] == [before[0] - 1, before[1]]


def test_what_the_host_does_is_done_without_a_device() -> None:
    jitted, args = warmed(looks, *arrays()), arrays()
    SEEN.clear()
    with npcompile.device("cuda"):
        for _ in range(4):
            jitted(*args)
            assert current_device() == torch.device("cuda", 0)
    assert SEEN == [None] * 4


def test_an_exception_leaves_the_device_as_it_was(contests: list[DeviceContest]) -> None:
    jitted, args = npcompile.jit(fails, wait=True), arrays()
    with npcompile.device("cuda"):
        for _ in range(12):
            with pytest.raises(ValueError, match="cannot reshape array of size 9"):
                jitted(*args)
            assert current_device() == torch.device("cuda", 0)
    assert jitted.stats.calls == jitted.stats.calls_on_host == 12
    assert sum(contest.left for contest in contests) == LEFT - 12
