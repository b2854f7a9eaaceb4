"""Holds numbers that are others at each trip of a loop: what stands for them while trips are captured, and
Python's work on them after the launches.

What stands for a number notes the work that replays do on it, as trees of operators. After a launch the trees
are evaluated with the numbers that the kernels have given, trip by trip. Where a kernel is given such a
number, its tree is also computed on the device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from npcompile.frontend.program.guards import same_value
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.rewrite.resident_loops import Trip
from npcompile.lower.device import transfers

MOST = 1024  # numbers of one graph that kernels give
SLOT = 16  # bytes: the largest number, and the alignment of all
LOOKED_AT = "Python looks at a number at each trip"
# Operators on floats that give the same bits on a device.
_ON_DEVICE = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, abs))


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
    """

    __slots__ = ("room", "typical")
    __array_ufunc__ = None

    def __init__(self, room: NumberRoom, typical: Any) -> None:
        self.room, self.typical = room, typical

    def read(self) -> Any:
        """Return the number in the trip that is evaluated."""
        raise NotImplementedError

    def tensor(self) -> torch.Tensor:
        """Return the number on the device. Raises Uncapturable where it does not lie there."""
        raise transfers.Uncapturable("a kernel is given another number at each trip")

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
    room, typical
        As of `Changing`.
    on_device
        Returns the number on the device; None where it does not lie there.
    """

    __slots__ = ("_on_device", "value")
    value: Any

    def __init__(
        self, room: NumberRoom, typical: Any, on_device: Callable[[], torch.Tensor] | None = None
    ) -> None:
        super().__init__(room, typical)
        self._on_device = on_device

    def read(self) -> Any:
        return self.value

    def tensor(self) -> torch.Tensor:
        return super().tensor() if self._on_device is None else self._on_device()


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
        super().__init__(room, np.ones((), slot.dtype)[()])
        if is_pythons:
            self.typical = self.typical.item()

    def read(self) -> Any:
        found = self._slot[()]
        return found.item() if self._is_pythons else found

    def tensor(self) -> torch.Tensor:
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
        super().__init__(room, typical)
        self._function, self._args, self._turn = function, args, -1

    def read(self) -> Any:
        if self._turn != self.room.turn:
            operands = [arg.read() if isinstance(arg, Changing) else arg for arg in self._args]
            self._found, self._turn = self._function(*operands), self.room.turn
        return self._found

    def tensor(self) -> torch.Tensor:
        dtype = device_dtype(self.typical)
        is_converted = self._function in (float, complex)
        if dtype is None or not (is_converted or self._function in _ON_DEVICE):
            return super().tensor()
        operands = [
            arg.tensor().to(dtype)
            if isinstance(arg, Changing)
            else torch.full((), plain_number(arg), dtype=dtype, device=self.room.device)
            for arg in self._args
        ]
        return operands[0] if is_converted else self._function(*operands)


def _conversion(kind: type) -> Callable[[Any], Any]:
    def convert(number: Any) -> Any:
        return number.computed(kind, number) if isinstance(number, Changing) else kind(number)

    return convert


def device_dtype(number: Any) -> torch.dtype | None:
    """Return the type of a float or complex number on a device; None for another value."""
    if type(number) is float:
        return torch.float64
    if type(number) is complex:
        return torch.complex128
    if isinstance(number, np.float32 | np.float64 | np.complex64 | np.complex128):
        return torch.from_numpy(np.zeros((), number.dtype)).dtype
    return None


def plain_number(number: Any) -> Any:
    """Return a number as one of Python's own, which torch takes."""
    return number.item() if isinstance(number, np.generic | np.ndarray) else number


# Python has these return numbers of its own: they take what stands for numbers, too.
CONVERSIONS: dict[Any, Callable[[Any], Any]] = {
    kind: _conversion(kind) for kind in (int, float, complex, bool)
}


def has_value(number: Any, expected: Any) -> bool:
    """Tell if a value is of this type and equals it; what stands for a number decides it."""
    if isinstance(number, Changing):
        return bool(number.computed(same_value, number, expected))
    return same_value(number, expected)


class CapturedTrip:
    """Python's part of a trip that was captured.

    Parameters
    ----------
    begin
        By place, what stands for the numbers that names have at its begin.
    """

    def __init__(self, begin: dict[int, Variable]) -> None:
        self.begin = begin
        self.given: list[tuple[Any, ...]] = []  # what blocks and functions gave, with None for arrays
        self.decided: list[tuple[Changing, bool]] = []  # the truths on which the trip's way depends


class NumberRoom:
    """Memory on the host to which graphs write the numbers of their trips, one graph at a time, with what was
    decided by numbers while a trip was captured.

    Parameters
    ----------
    memory
        Bytes that captured work may write to.
    device
        The device.
    """

    size = MOST * SLOT  # bytes

    def __init__(self, memory: torch.Tensor, device: torch.device) -> None:
        self._memory, self.device = memory, device
        self.turn = 0  # counts evaluations of trips
        self._truths: list[bool] = []  # of a trip's decisions, in order: those with which no replay diverges
        self.clear()

    def clear(self) -> None:
        """Begin anew, for another graph."""
        self._used = 0
        self.nbytes = 0  # of the numbers that kernels of the graph give

    def begin(self, trip: CapturedTrip) -> None:
        """Begin the capture of a trip."""
        self._trip = trip

    def hold(self, tensor: torch.Tensor, is_pythons: bool) -> Held:
        """Have a number copied to the host; return what stands for it. Raises Uncapturable."""
        if self._used == MOST or tensor.is_conj() or tensor.is_neg():
            raise transfers.Uncapturable("many numbers are read at each trip")
        begins = self._used * SLOT
        slot = self._memory[begins : begins + tensor.element_size()].view(tensor.dtype).reshape(())
        transfers.into_pinned(slot, tensor)
        self._used += 1
        self.nbytes += tensor.element_size()
        return Held(self, tensor, slot.numpy(), is_pythons)

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

    def after(
        self,
        trip: Trip,
        functions: Sequence[Callable[..., Any]],
        values: Sequence[Any],
        captured: CapturedTrip,
    ) -> list[Any] | None:
        """Return what the names that stand for numbers stand for after a trip; None if it is not as captured.

        functions: do Python's work. values: of the names, before the trip.
        """
        self.turn += 1
        try:
            return _after(trip, functions, values, captured)
        except Exception:  # Python meets it where it does this trip
            return None


def _after(
    trip: Trip, functions: Sequence[Callable[..., Any]], values: Sequence[Any], captured: CapturedTrip
) -> list[Any] | None:
    now = [*values]
    for place, variable in captured.begin.items():
        variable.value = now[place]
    given = iter(captured.given)
    for step in trip.steps:
        if step.block >= 0:
            found = [value.read() if isinstance(value, Changing) else value for value in next(given)]
        elif step.function < 0:
            found = [now[place] for place in step.takes]
        else:
            result = functions[step.function](*[now[place] for place in step.takes])
            if step.goes_on is not None:
                if bool(result) is not step.goes_on:
                    return None
                continue
            next(given)[0].value = result
            found = [result]
        if step.gives:
            for place, value in zip(step.gives, found, strict=True):
                now[place] = value
    if any(bool(number.read()) is not truth for number, truth in captured.decided):
        return None
    if any(type(now[place]) is not type(variable.typical) for place, variable in captured.begin.items()):
        return None
    return now
