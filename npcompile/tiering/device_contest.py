"""Contests between a device and the host, on calls with NumPy arrays that are made anyway: which takes less?

The device's time is that of the whole call, with all copies there and back; the host's is that of the same
function compiled for it. The winner answers calls of that kind. After ever more calls both are measured anew.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.generic_signature import split_lengths
from npcompile.tiering.backoff import Backoff
from npcompile.tiering.block_contest import is_settled, specializations
from npcompile.tiering.contest import EQUAL_WORK, Contest, calls_between_turns
from npcompile.tiering.protocols import SpecializationLike

# Other threads compute too, and a device beside all of them: the time that passes counts.
clock = time.perf_counter

# The winner answers FIRST calls alone, LONGER times as many after each contest, and MOST at most; but
# more where the loser's turn would take too much of the time.
FIRST, LONGER, MOST = 256, 4, 1 << 20
# A way that takes CLEAR times as long loses early: the host's first call counts if it takes LONG seconds, the
# device's second one, as the first one links kernels.
CLEAR, LONG = 4.0, 2e-3
# Calls that no replay answers are no measure of later ones, unless so many have come to that.
UNJUDGED = 8
# A function has so many contests, and remembers them by so many signatures.
MOST_CONTESTS, MOST_SIGNATURES = 64, 256


class DeviceContest:
    """The times of one kind of calls, on a device and on the host, and who answers them."""

    # The native runtime looks into these at each call (lower/native/front.h).
    __slots__ = ("_calls", "_resting", "_trial", "_unjudged", "is_busy", "left", "on_device", "seconds")

    def __init__(self) -> None:
        self.left = 0  # calls of the winner that are not measured
        self.is_busy = False  # a call is being measured
        self.on_device = True  # the device has won, or nothing is known yet
        self.seconds: tuple[float, float] | None = None  # the least on the device and on the host, once known
        self._calls = 0
        self._unjudged = {True: 0, False: 0}
        self._resting = Backoff(FIRST, LONGER, MOST)
        self._trial = Contest(EQUAL_WORK, first=0)

    def is_devices_turn(self, device: SpecializationLike | None, host: SpecializationLike | None) -> bool:
        """Tell who is to answer a call that is measured.

        Each compiles in its first call. While one waits for its compiler the other one answers.
        """
        self._calls += 1
        if self._calls <= 2:
            return self._calls == 1
        if is_under_way(device):
            return False
        return is_under_way(host) or self._trial.is_our_turn

    def note(self, on_device: bool, seconds: float, replayed: bool, recorded: bool) -> bool:
        """Add the time of a call; tell if that decides. replayed, recorded: a replay answered it, or it was
        recorded in part."""
        if recorded or self._calls <= 2:
            return False
        if not replayed:
            self._unjudged[on_device] += 1
            if self._unjudged[on_device] <= UNJUDGED:
                return False
        self._trial.note(on_device, seconds)
        slower = self._is_device_slower()
        if slower is None:
            return False
        self._decide(not slower)
        return True

    def _is_device_slower(self) -> bool | None:
        trial = self._trial
        ours, hosts = trial.ours, trial.numpys
        if ours and hosts:
            device, host = min(ours), min(hosts)
            known = self.seconds is not None
            if device > CLEAR * host and (known or len(ours) > 1):
                return True
            if host > CLEAR * device and (known or len(hosts) > 1 or host >= LONG):
                return False
        return trial.is_ours_slower()

    def _decide(self, on_device: bool) -> None:
        times = min(self._trial.ours), min(self._trial.numpys)
        least, most = sorted(times)
        self.on_device, self.seconds = on_device, times
        self.left = self._resting.wait(least=calls_between_turns(least, most, MOST))
        self._trial = Contest(EQUAL_WORK, first=0)


class DeviceContests:
    """The contests of one function: one for each kind of call.

    Calls are of one kind if their signatures differ in lengths alone, and their arrays and whole numbers are
    of about one size: within a factor of two.
    """

    def __init__(self) -> None:
        self._by_signature: dict[Any, DeviceContest | None] = {}
        self._by_kind: dict[Any, DeviceContest] = {}

    def of(self, key: Any, leaves: Sequence[Any]) -> DeviceContest | None:
        """Return the contest of a call; None where the device is to answer without one."""
        sizes = _sizes(leaves)
        if sizes is None:
            return None
        found = self._by_signature.get((key, sizes))
        if found is None:
            found = self._of_kind((split_lengths(key)[0], sizes))
            if len(self._by_signature) >= MOST_SIGNATURES:
                self._by_signature.clear()
            self._by_signature[key, sizes] = found
        return found

    def _of_kind(self, kind: Any) -> DeviceContest | None:
        if kind not in self._by_kind and len(self._by_kind) < MOST_CONTESTS:
            self._by_kind[kind] = DeviceContest()
        return self._by_kind.get(kind)


def _sizes(leaves: Sequence[Any]) -> tuple[int, ...] | None:
    """Return the sizes of arrays together, and of whole numbers; None where an argument is a device's."""
    nbytes, numbers = 0, []
    for leaf in leaves:
        kind = type(leaf)
        if kind is np.ndarray:
            nbytes += leaf.nbytes
        elif kind is int:
            numbers.append(leaf.bit_length())
        elif kind is ndarray or (isinstance(leaf, torch.Tensor) and leaf.device.type != "cpu"):
            return None
    return nbytes.bit_length(), *numbers


def are_on_host(leaves: Sequence[Any]) -> bool:
    """Tell if no argument is an array of a device."""
    return _sizes(leaves) is not None


def is_under_way(state: SpecializationLike | None) -> bool:
    """Tell if a signature waits for the compiler, and none of it has come back since."""
    if state is None:
        return False
    states = [state]
    if state.partitioned is not None and not is_settled(state.partitioned):
        states += specializations(state.partitioned)
    waiting = [entry for one in states for entry in one.pending if not entry.parked]
    return bool(waiting) and not any(entry.done for entry in waiting)
