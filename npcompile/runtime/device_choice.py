"""Chooses between the current device and the host for a whole call with NumPy arrays, by a contest.

It is a base of `RecordedFunction`, which asks it before its replays. All that is done within the call, in
blocks and callees, is done where the call is. Calls with arrays of the device are the device's.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import meant
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.lower.device import memory
from npcompile.runtime import fast_path
from npcompile.runtime.binding import Binding
from npcompile.runtime.current_device import computing, current_device, forced, is_apart
from npcompile.runtime.plain_calls import PlainCalls
from npcompile.runtime.request import ONWARD, Request
from npcompile.tiering import device_contest
from npcompile.tiering.contest import are_held
from npcompile.tiering.device_contest import DeviceContest, DeviceContests, are_on_host
from npcompile.tiering.overhead import this_thread, users
from npcompile.verify.verify import verifying

_ARRAYS = (np.ndarray, ndarray, torch.Tensor)
meant(memory.DeviceMemoryError)


class DeviceChoice(PlainCalls):
    """A recorded function's calls under a device that the host may answer."""

    __slots__ = ("_contests",)
    _contests: DeviceContests
    argument_binding: Binding

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Answer a call."""
        raise NotImplementedError

    @property
    def contests(self) -> DeviceContests:
        """Return the function's contests between devices and the host."""
        try:
            return self._contests
        except AttributeError:
            self._contests = DeviceContests()
            return self._contests

    def _by_choice(self, request: Request, leaves: list[Any]) -> Any:
        """The host answers a call under a device if it was measured to take less time, or to measure it.

        leaves: those of the call's signature.
        """
        if not is_apart() or forced.get() or this_thread.ahead or not are_held() or verifying():
            return ONWARD
        try:
            contest = self.contests.of(request.key, leaves)
        except TypeError:  # an argument that has no hash
            return ONWARD
        if contest is None or contest.is_busy:
            return ONWARD
        if contest.left > 0:
            contest.left -= 1
            if contest.on_device:
                return ONWARD
            seen: Any = self  # as `fast_path.Seen`
            result = self._there(False, request)
            fast_path.choose(seen, request.args, request.kwargs, contest, leaves)
            return result
        return self._measured(contest, request)

    def told_of_choice(self, key: Any, leaves: list[Any]) -> str:
        """Return who answers calls of a signature under the current device, and the times that say so; empty
        where that is not known."""
        if not is_apart() or not are_held():
            return ""
        try:
            contest = self.contests.of(key, leaves)
        except TypeError:
            return ""
        if contest is None or contest.seconds is None:
            return ""
        there, here = map(_text, contest.seconds)
        device = current_device()
        winner = device if contest.on_device else "the host"
        return (
            f"{winner} answers: calls take {there} on {device} with copies there and back, {here} on the host"
        )

    def _measured(self, contest: DeviceContest, request: Request) -> Any:
        contest.is_busy = True
        try:
            key = request.key
            host = key[0], None, *key[2:]
            on_device = contest.is_devices_turn(self.by_signature.get(key), self.by_signature.get(host))
            before = self._counts()
            start = device_contest.clock()
            result = self._there(on_device, request)
            seconds = device_contest.clock() - start
            replays, recordings = self._counts()
            replayed, recorded = replays > before[0], recordings > before[1]
            if contest.note(on_device, seconds, replayed, recorded) and not contest.on_device:
                self._tell_of_host(contest)
        finally:
            contest.is_busy = False
        return result

    def _counts(self) -> tuple[int, int]:
        return self.own_stats.replays, self.own_stats.recordings + self.root.block_stats.recordings

    def _without_memory(self, request: Request, leaves: list[Any], failure: BaseException) -> Any:
        """Answer a call for whose replay there is no memory on the device, after what was not needed was
        released: NumPy does where all arrays are in the host's memory. No replay has had an effect.

        Raises DeviceMemoryError where arrays are on the device.
        """
        names = self.argument_binding.names(len(request.args))
        given = [*zip(names, request.args, strict=False), *request.kwargs.items()]
        shown = [told_of(name, value) for name, value in given if isinstance(value, _ARRAYS)]
        reason = Cause.NO_DEVICE_MEMORY(memory.told(failure), ", ".join(shown) or "none among the arguments")
        if are_on_host(leaves):
            return self._plain(request.args, request.kwargs, reason)
        raise memory.DeviceMemoryError(f"{self.name}: {reason}") from failure

    def _there(self, on_device: bool, request: Request) -> Any:
        """Answer a call on the device or on the host, as a whole."""
        self.own_stats.calls -= 1  # it is counted once more
        self.own_stats.calls_on_host += not on_device
        variable: ContextVar[Any] = forced if on_device else computing
        token = variable.set(True if on_device else None)
        try:
            return users(self, request.args, request.kwargs)
        finally:
            variable.reset(token)

    def _tell_of_host(self, contest: DeviceContest) -> None:
        assert contest.seconds is not None
        device, host = map(_text, contest.seconds)
        self.note(Cause.HOST_FASTER(host, str(current_device()), device), self.at(None))


def told_of(name: str, array: Any) -> str:
    """Return an array's name, dtype, shape, bytes and place as text."""
    where = getattr(array, "device", "cpu")
    place = "host" if str(where) == "cpu" else f"{where}"
    dtype = str(array.dtype).removeprefix("torch.")
    return f"{name} {dtype}{[*array.shape]} ({array.nbytes:,} bytes, {place})"


def _text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"
