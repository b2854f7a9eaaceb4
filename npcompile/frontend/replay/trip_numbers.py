"""Holds numbers that are others at each trip of a loop: what stands for them while trips are captured, and
Python's work on them after the launches.

What stands for a number notes the work that replays do on it, as trees of operators. Before a launch the
trees are evaluated trip by trip as far as no kernel gives a number for them, and the numbers that kernels are
given are copied to the device. After the launch the others are evaluated, with the numbers that kernels have
given. Where a kernel is given such a number, its tree is also computed on the device.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.replay.residency import is_plain
from npcompile.frontend.rewrite.resident_loops import Trip, TripStep
from npcompile.lower.device import transfers
from npcompile.lower.device.gathered_numbers import GatheredNumbers
from npcompile.lower.device.graphs import using

MOST = 1024  # numbers of one graph that kernels give, if all are as large as a number can be
SLOT = 16  # bytes: the largest number, and the alignment of all
LOOKED_AT = "Python looks at a number at each trip"
UNKNOWN = "a kernel is given another number at each trip"
_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
# By kind of number, the functions that give the same bits on a device.
_EXACT = {
    float: (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, abs, float),
    complex: (operator.add, operator.sub, operator.neg, complex),
}


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Changing, Any], Changing]:
    return lambda self, other: self.computed(function, self, other)


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Changing, Any], Changing]:
    return lambda self, other: self.computed(function, other, self)


def _unary(function: Callable[[Any], Any]) -> Callable[[Changing], Changing]:
    return lambda self: self.computed(function, self)


class Changing:
    """Stands for a number while trips are captured. Base class.

    Parameters
    ----------
    room
        Notes what is decided by numbers.
    typical
        A number of the same type.
    is_ahead
        It is known before the launch.
    """

    __slots__ = ("is_ahead", "room", "typical")
    __array_ufunc__ = None

    def __init__(self, room: NumberRoom, typical: Any, is_ahead: bool) -> None:
        self.room, self.typical, self.is_ahead = room, typical, is_ahead

    def read(self) -> Any:
        """Return the number in the trip that is evaluated."""
        raise NotImplementedError

    def tensor(self) -> torch.Tensor:
        """Return the number on the device. Raises Uncapturable where it cannot lie there."""
        return self.room.sent(self) if self.is_ahead else self._there()

    def _there(self) -> torch.Tensor:
        """Return the number on the device, of which a kernel gives a part."""
        raise transfers.Uncapturable(UNKNOWN)

    def computed(self, function: Callable[..., Any], *args: Any) -> Computed:
        """Return what stands for the result of an operator. Raises Uncapturable where arrays take part."""
        plain = (*NUMBERS, bool)
        if not all(isinstance(arg, Changing | np.generic) or type(arg) in plain for arg in args):
            raise transfers.Uncapturable(LOOKED_AT)
        typical = function(*[arg.typical if isinstance(arg, Changing) else arg for arg in args])
        return Computed(self.room, typical, function, args)

    def __bool__(self) -> bool:
        return self.room.decide(self)

    def _looked_at(self, *_: Any) -> Any:
        raise transfers.Uncapturable(LOOKED_AT)

    __int__ = __index__ = __float__ = __complex__ = __array__ = _looked_at
    __hash__ = None  # type: ignore[assignment]
    __eq__ = _binary(operator.eq)  # type: ignore[assignment]
    __ne__ = _binary(operator.ne)  # type: ignore[assignment]
    __lt__, __le__ = _binary(operator.lt), _binary(operator.le)
    __gt__, __ge__ = _binary(operator.gt), _binary(operator.ge)
    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _binary(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _binary(operator.mod), _reflected(operator.mod)
    __pow__, __rpow__ = _binary(operator.pow), _reflected(operator.pow)
    __and__, __rand__ = _binary(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _binary(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _binary(operator.xor), _reflected(operator.xor)
    __neg__, __pos__, __invert__ = _unary(operator.neg), _unary(operator.pos), _unary(operator.invert)
    __abs__ = _unary(abs)


class Variable(Changing):
    """Stands for a number that a name has at the begin of a trip, or that a statement of Python's gives.

    Parameters
    ----------
    room, typical, is_ahead
        As of `Changing`.
    before
        Stands for the number, too, in the trip before this one.
    """

    __slots__ = ("_before", "value")
    value: Any

    def __init__(
        self, room: NumberRoom, typical: Any, is_ahead: bool, before: Changing | None = None
    ) -> None:
        super().__init__(room, typical, is_ahead)
        self._before = before

    def read(self) -> Any:
        return self.value

    def _there(self) -> torch.Tensor:
        return super()._there() if self._before is None else self._before.tensor()


class Held(Changing):
    """Stands for a number that a kernel gives.

    Parameters
    ----------
    room
        As of `Changing`.
    tensor
        The number on the device.
    slot
        The memory on the host where it lies after a launch, as an array without dimensions.
    is_pythons
        It is a number of Python's own, else NumPy's scalar.
    """

    __slots__ = ("_is_pythons", "_slot", "_tensor")

    def __init__(
        self, room: NumberRoom, tensor: torch.Tensor, slot: np.ndarray[Any, Any], is_pythons: bool
    ) -> None:
        self._tensor, self._slot, self._is_pythons = tensor, slot, is_pythons
        super().__init__(room, np.ones((), slot.dtype)[()], False)
        if is_pythons:
            self.typical = self.typical.item()

    def read(self) -> Any:
        found = self._slot[()]
        return found.item() if self._is_pythons else found

    def _there(self) -> torch.Tensor:
        return self._tensor


class Computed(Changing):
    """Stands for the result of an operator.

    Parameters
    ----------
    room, typical
        As of `Changing`.
    function
        The operator.
    args
        Its operands: numbers, or what stands for such.
    """

    __slots__ = ("_args", "_found", "_function", "_turn")

    def __init__(
        self, room: NumberRoom, typical: Any, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> None:
        super().__init__(room, typical, all(arg.is_ahead for arg in args if isinstance(arg, Changing)))
        self._function, self._args, self._turn = function, args, -1

    def read(self) -> Any:
        if self._turn != self.room.turn:
            operands = [arg.read() if isinstance(arg, Changing) else arg for arg in self._args]
            self._found, self._turn = self._function(*operands), self.room.turn
        return self._found

    def _there(self) -> torch.Tensor:
        dtype, kind = device_dtype(self.typical), _float_kind(self.typical)
        if dtype is None or kind is None or self._function not in _EXACT[kind]:
            return super()._there()
        if kind is float and any(map(_is_complex, self._args)):
            return super()._there()
        operands = [self._operand(arg, dtype) for arg in self._args]
        return operands[0] if self._function is kind else self._function(*operands)

    def _operand(self, arg: Any, dtype: torch.dtype) -> torch.Tensor:
        """Return an operand on the device as the operator converts it: Python's ints become doubles first."""
        if not isinstance(arg, Changing):
            plain = float(arg) if type(arg) is int else plain_number(arg)
            return torch.full((), plain, dtype=dtype, device=self.room.device)
        there = arg.tensor()
        return (there.double() if type(arg.typical) is int else there).to(dtype)


def device_dtype(number: Any) -> torch.dtype | None:
    """Return the type of a number on a device; None for what is none there."""
    if type(number) in _DTYPES:
        return _DTYPES[type(number)]
    try:
        return torch.from_numpy(np.zeros((), number.dtype)).dtype
    except (AttributeError, TypeError):
        return None


def _float_kind(number: Any) -> type | None:
    """Return Python's type for floats, or for complex numbers, that are computed alike everywhere."""
    if isinstance(number, float | np.float32):
        return float
    return complex if isinstance(number, complex | np.complex64) else None


def _is_complex(operand: Any) -> bool:
    typical = operand.typical if isinstance(operand, Changing) else operand
    return isinstance(typical, complex | np.complexfloating)


def plain_number(number: Any) -> Any:
    """Return a number as one of Python's own, which torch takes."""
    return number.item() if isinstance(number, np.generic | np.ndarray) else number


def is_number(value: Any) -> bool:
    """Tell if a value is none of arrays, or stands for such a one."""
    return isinstance(value, Changing) or is_plain(value)


def on_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a pure function of numbers that takes what stands for numbers, too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if isinstance(arg, Changing):
                return arg.computed(functools.partial(function, **kwargs) if kwargs else function, *args)
        return function(*args, **kwargs)

    return call


class CapturedTrip:
    """Python's part of a trip that was captured.

    Parameters
    ----------
    begin
        By place, what stands for the numbers that names have at its begin.
    """

    def __init__(self, begin: dict[int, Variable]) -> None:
        self.begin = [*begin.items()]
        self.kinds = [(place, type(variable.typical)) for place, variable in self.begin]
        self.steps: list[_Work | _Given | _Bound] = []
        self.decided: list[tuple[Changing, bool]] = []  # the truths on which the trip's way depends
        self.sent: list[_Sent] = []  # the numbers that kernels are given and that are known before the launch

    def work(self, step: TripStep, result: Variable) -> None:
        """Note a statement by which Python works on numbers. result: what it gives."""
        self.steps.append(_Work(step.function, step.takes, step.gives, step.goes_on, result))

    def give(self, step: TripStep, found: Sequence[Any]) -> None:
        """Note what a block gives: numbers, and what stands for such; others do not count."""
        numbers = [pair for pair in zip(step.gives, found, strict=True) if is_number(pair[1])]
        if numbers:
            self.steps.append(_Given(numbers))

    def bind(self, step: TripStep) -> None:
        """Note that names stand for what others stand for."""
        self.steps.append(_Bound(step.takes, step.gives))


class _Work(NamedTuple):
    """Work of Python's on numbers, as `TripStep`."""

    function: int
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    goes_on: bool | None
    result: Variable


class _Given(NamedTuple):
    """Numbers that a block gives, by the places of names."""

    numbers: list[tuple[int, Any]]


class _Bound(NamedTuple):
    """Names that are bound, as `TripStep`."""

    takes: tuple[int, ...]
    gives: tuple[int, ...]


@dataclass
class _Sent:
    """A number that is copied to the device. slot: where it lies on the host before. tensor: afterwards."""

    number: Changing
    slot: np.ndarray[Any, Any]
    tensor: torch.Tensor


class NumberRoom:
    """Memory for the numbers of trips, of one graph at a time, with what was decided by numbers while a trip
    was captured.

    Parameters
    ----------
    trip
        What a trip does.
    device
        The device.
    """

    def __init__(self, trip: Trip, device: torch.device) -> None:
        self._draws, self.device = trip.draws, device
        self._given = GatheredNumbers(device, MOST * SLOT)  # those that kernels give
        self._sent = torch.empty(MOST * SLOT, dtype=torch.uint8)  # those that they are given, before a launch
        self._there = torch.empty(MOST * SLOT, dtype=torch.uint8, device=device)
        self.turn = 0  # counts evaluations of trips
        self._truths: list[bool] = []  # of a trip's decisions, in order: those with which no replay diverges
        self.clear()

    @property
    def nbytes(self) -> int:
        """Return the bytes of the numbers that kernels of the graph give."""
        return self._given.nbytes

    def clear(self) -> None:
        """Begin anew, for another graph."""
        self._given.clear()
        self.nbytes_sent = 0  # of the memory for those that they are given

    def begin(self, trip: CapturedTrip) -> None:
        """Begin the capture of a trip."""
        self._trip = trip

    def hold(self, tensor: torch.Tensor, is_pythons: bool) -> Held:
        """Have a number copied to the host; return what stands for it. Raises Uncapturable."""
        slot = None if tensor.is_conj() or tensor.is_neg() else self._given.add(tensor)
        if slot is None:
            raise transfers.Uncapturable("many numbers are read at each trip")
        return Held(self, tensor, slot.numpy(), is_pythons)

    def give(self) -> None:
        """Copy the numbers that kernels have given to the host."""
        self._given.give()

    def sent(self, number: Changing) -> torch.Tensor:
        """Return a number on the device, which is copied there before each launch. Raises Uncapturable."""
        known = next((one.tensor for one in self._trip.sent if one.number is number), None)
        if known is not None:
            return known
        dtype, begins = device_dtype(number.typical), self.nbytes_sent
        if dtype is None:
            raise transfers.Uncapturable(UNKNOWN)
        if begins == MOST * SLOT:
            raise transfers.Uncapturable("kernels are given many numbers at each trip")
        here, tensor = (
            memory[begins : begins + dtype.itemsize].view(dtype).reshape(())
            for memory in (self._sent, self._there)
        )
        self._trip.sent.append(_Sent(number, here.numpy(), tensor))
        self.nbytes_sent += SLOT
        return tensor

    def send(self, nbytes: int) -> None:
        """Copy the numbers of trips to the device, which `ahead` has found."""
        pinned = using.capturer.pinned(nbytes)
        pinned.copy_(self._sent[:nbytes])
        transfers.from_pinned(self._there[:nbytes], pinned)

    def decide(self, number: Changing) -> bool:
        """Return the truth of a number in trips that are as this one."""
        place = len(self._trip.decided)
        if place == len(self._truths):
            self._truths.append(True)
        self._trip.decided.append((number, self._truths[place]))
        return self._truths[place]

    def decides_otherwise(self) -> bool:
        """Take the other truth for the last decision, as a replay diverged; False if both were tried."""
        place = len(self._trip.decided) - 1
        if place < 0 or not self._truths[place]:
            return False
        self._truths[place:] = [False]
        return True

    def evaluated(
        self,
        functions: Sequence[Callable[..., Any]],
        values: Sequence[Any],
        items: range,
        trips: list[CapturedTrip],
        *,
        is_ahead: bool,
    ) -> list[list[Any]]:
        """Evaluate trips; before their launch as far as numbers are known, and note those for `send`.

        Return what names stand for after each trip, None where that is not known, until one goes another way
        than the captured one. Before the launch a warning of NumPy's ends them: Python tells it as it does
        such a trip.

        functions: do Python's work. values: of the names, before the trips. items: that the loop draws.
        is_ahead: the trips are still to be launched.
        """
        found: list[list[Any]] = []
        with _raising() if is_ahead else nullcontext():
            for number, captured in enumerate(trips):
                now = [items[number], *values[1:]] if self._draws else [*values]
                self.turn += 1
                try:
                    goes = self._goes(functions, now, captured, is_ahead)
                except Exception:  # Python meets it where it does this trip
                    break
                if not goes:
                    break
                found.append(now)
                values = now
        return found

    def _goes(
        self,
        functions: Sequence[Callable[..., Any]],
        now: list[Any],
        captured: CapturedTrip,
        is_ahead: bool,
    ) -> bool:
        """Evaluate a trip; tell if it goes as captured. now: the values of names, which are set."""
        for place, variable in captured.begin:
            variable.value = now[place]
        for step in captured.steps:
            if isinstance(step, _Work):
                result = step.result
                if is_ahead and not result.is_ahead:
                    found = None
                else:
                    found = result.value = functions[step.function](*[now[place] for place in step.takes])
                    if step.goes_on is not None and bool(found) is not step.goes_on:
                        return False
                for place in step.gives:
                    now[place] = found
            elif isinstance(step, _Given):
                for place, value in step.numbers:
                    now[place] = _read(value, is_ahead)
            else:
                values = [now[place] for place in step.takes]
                for place, value in zip(step.gives, values, strict=True):
                    now[place] = value
        for number, truth in captured.decided:
            if (number.is_ahead or not is_ahead) and bool(number.read()) is not truth:
                return False
        if is_ahead and not all(map(_is_noted, captured.sent)):
            return False
        for place, kind in captured.kinds:
            if type(now[place]) is not kind and not (is_ahead and now[place] is None):
                return False
        return True


def _raising() -> np.errstate:
    """Return the context in which NumPy raises what it would warn of."""
    ways: Any = {kind: way if way == "ignore" else "raise" for kind, way in np.geterr().items()}
    return np.errstate(**ways)


def _read(value: Any, is_ahead: bool) -> Any:
    """Return what a value stands for in the trip that is evaluated; None where it is not known yet."""
    if not isinstance(value, Changing):
        return value
    return None if is_ahead and not value.is_ahead else value.read()


def _is_noted(sent: _Sent) -> bool:
    """Note a number that is copied to the device; tell if it is of the captured one's type."""
    value = sent.number.read()
    if type(value) is not type(sent.number.typical):
        return False
    sent.slot[()] = value  # OverflowError where it is no int of the device
    return True
