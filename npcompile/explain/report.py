"""The report on a function is the model that `text.py` and `page.py` render: a summary, and lines of source.

`report_builder.py` makes it, once an explanation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["compiled", "native loop", "library", "Python"]
# The kinds of a line, in the order in which they are named. "library" is NumPy's, SciPy's or another
# package's own code; "Python" is what the interpreter does.
KINDS: tuple[Kind, ...] = ("compiled", "native loop", "library", "Python")


@dataclass(frozen=True)
class Line:
    """One line of the user's source.

    Attributes
    ----------
    number : int
        The line in its file, from 1.
    text : str
        The line as it is written.
    kinds : tuple of Kind
        The ways in which it is done; empty where it does no work.
    share : float or None
        Part of the time, from 0 to 1. The time of a kernel of several lines is that of the line at which it
        is called. None: not known.
    seconds : float or None
        Seconds a call.
    bytes : int or None
        Bytes that kernels called here move in one call of the function; None where none was timed.
    rate : float or None
        Bytes that these kernels move in a second.
    kernels : tuple of str
        The names of the kernels that hold its operations.
    reason : str
        Why it is not compiled, or not as a whole.
    advice : str
        Python to write instead; empty where nothing would be faster.
    """

    number: int
    text: str
    kinds: tuple[Kind, ...] = ()
    share: float | None = None
    seconds: float | None = None
    bytes: int | None = None
    rate: float | None = None
    kernels: tuple[str, ...] = ()
    reason: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Function:
    """The source of one function of the user's.

    Attributes
    ----------
    name : str
        Its name.
    file : str
        The path of its file.
    lines : tuple of Line
        All its lines, in order.
    """

    name: str
    file: str
    lines: tuple[Line, ...] = field(repr=False)


@dataclass(frozen=True)
class KernelPoint:
    """One kernel in the roofline picture.

    Attributes
    ----------
    name : str
        Its name, as at the lines.
    lines : tuple of int
        The lines that it computes.
    runs : float
        Its runs in one call of the function.
    bytes, operations : int
        Bytes moved and operations done, of one run.
    seconds : float
        Seconds of one run.
    """

    name: str
    lines: tuple[int, ...]
    runs: float
    bytes: int
    operations: int
    seconds: float


@dataclass(frozen=True)
class Bottleneck:
    """The line that holds a function back most.

    Attributes
    ----------
    file, number, text : str, int, str
        Its place, and the line as it is written.
    share : float or None
        Part of the time, from 0 to 1; None: not known.
    reason, advice : str
        Why it is not compiled, and what to write instead (may be empty).
    """

    file: str
    number: int
    text: str
    share: float | None
    reason: str
    advice: str


@dataclass(frozen=True)
class Report:
    """A function's calls, as a person who wants to make it faster looks at them.

    Attributes
    ----------
    name, file, line : str, str, int
        The function and its place.
    times : dict of Kind to float
        Part of the time by kind, from 0 to 1; empty where it was not measured.
    numpy, replay : float or None
        Seconds of the fastest call, under NumPy and compiled.
    untimed : str
        Why these were not measured.
    calls : int
        The calls that were profiled.
    seconds : float
        Seconds that each of them took, on average; 0.0 where no sample of the stack met them.
    recorded : bool
        The call was recorded, and could not be made again: `times` are NumPy's and Python's, by the kind that
        each line is from now on.
    bottleneck : Bottleneck or None
        The line that holds the function back most.
    bytes : int or None
        Bytes that kernels move in one call; None where none was timed.
    kernel_seconds : float
        The seconds that they take for that.
    bandwidth, peak : float
        Bytes that this machine moves in a second, and operations on float64 that it does; 0: not measured.
    compilations, programs, kernels, native_loops, recompilations : int
        Counts since the function was jitted.
    waits : str
        Why more will be compiled by later calls; empty where nothing is awaited.
    functions : tuple of Function
        The function's source, and that of the user's functions that it calls.
    points : tuple of KernelPoint
        The kernels that were timed.
    packages : dict of str to float or None
        Part of the time by package whose code runs or was compiled with the user's; None: not known.
    device : str
        Who answers such calls under a device, and why; empty where no contest with the host has decided it.
    """

    name: str
    file: str
    line: int
    times: dict[Kind, float]
    numpy: float | None
    replay: float | None
    untimed: str
    calls: int
    seconds: float
    recorded: bool
    bottleneck: Bottleneck | None
    bytes: int | None
    kernel_seconds: float
    bandwidth: float
    peak: float
    compilations: int
    programs: int
    kernels: int
    native_loops: int
    recompilations: int
    waits: str
    functions: tuple[Function, ...]
    points: tuple[KernelPoint, ...]
    packages: dict[str, float | None]
    device: str = ""

    @property
    def lines(self) -> Iterator[Line]:
        """The lines of all functions."""
        return (line for function in self.functions for line in function.lines)
