"""The settings of npcompile, in one table: each is an environment variable and an attribute of `config`.

A setting that is assigned is written to the environment. Processes that are started from then on have it,
too, among them the one that compiles. `docs/settings.md` is this table.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

import torch

T = TypeVar("T")

NO, YES = ("0", "false", "no", "off"), ("1", "true", "yes", "on")


def _flag(text: str) -> bool:
    if text.lower() not in NO + YES:
        raise ValueError(f"expected 0 or 1, not {text!r}")
    return text.lower() in YES


def _one_of(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"expected {' or '.join(map(repr, names))}, not {text!r}")
        return text

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"expected a number of seconds above 0, not {text!r}")
    return seconds


def _bytes(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"expected a number of bytes, not {text!r}")
    return int(text)


@dataclass(frozen=True, eq=False)
class Setting(Generic[T]):
    """One setting, a descriptor of `Config`.

    variable: its environment variable; one that is not set, or empty, stands for the default. meaning: a
    sentence for users. parse: the value that a text stands for; it raises ValueError. default_text: the
    default in words, where the value does not say it. at_import: it is read at import alone, and cannot be
    assigned.
    """

    variable: str
    default: T
    meaning: str
    parse: Callable[[str], T]
    default_text: str = ""
    at_import: bool = False
    followers: list[Callable[[T], object]] = field(default_factory=list)

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, instance: Config, owner: type) -> T: ...

    def __get__(self, instance: Config | None, owner: type) -> Setting[T] | T:
        if instance is None:
            return self
        # First calls ask often, and most variables are not set.
        return self.read() if os.environ.get(self.variable) else self.default

    def __set__(self, instance: Config, value: T | None) -> None:
        if self.at_import:
            raise AttributeError(f"it is read at import: set {self.variable} in the environment before")
        if value is None:
            os.environ.pop(self.variable, None)
        else:
            text = str(int(value)) if isinstance(value, bool) else str(value)
            try:
                self.parse(text)
            except ValueError as error:
                raise ValueError(f"{self.variable}: {error}") from None
            os.environ[self.variable] = text
        for follower in self.followers:
            follower(self.read())

    def read(self) -> T:
        """Return the value at present: the default where the text stands for none."""
        if not (text := os.environ.get(self.variable)):
            return self.default
        try:
            return self.parse(text)
        except ValueError:
            return self.default

    def fault(self) -> str | None:
        """Return the reason why the text in the environment stands for no value."""
        try:
            if text := os.environ.get(self.variable):
                self.parse(text)
        except ValueError as error:
            return f"{self.variable} is ignored: {error}"
        return None

    def follow(self, follower: Callable[[T], object]) -> None:
        """Call a function with the value now, and whenever another one is assigned."""
        self.followers.append(follower)
        follower(self.read())


class Config:
    """The settings of this process, as attributes: `npcompile.config`.

    An attribute is read from its environment variable at each use. Assigning it sets the variable, for this
    process and for those that it starts; None removes the variable, which brings the default back.
    `print(npcompile.config)` shows all of them, and `docs/settings.md` says what each means.

    Raises
    ------
    AttributeError
        There is no setting of that name, or it is read at import only.
    ValueError
        The setting cannot have that value.

    Examples
    --------
    >>> import npcompile
    >>> npcompile.config.compile_seconds = 120
    >>> npcompile.config.compile_seconds
    120.0
    >>> npcompile.config.compile_seconds = None
    """

    __slots__ = ()

    wait = Setting("NPCOMPILE_WAIT", False, "First calls wait for the compiler: `jit(wait=True)`.", _flag)
    backend = Setting(
        "NPCOMPILE_BACKEND",
        "inductor",
        "`interpreter` compiles nothing: torch does the operations one by one.",
        _one_of("inductor", "interpreter"),
    )
    verify = Setting(
        "NPCOMPILE_VERIFY", False, "Every recording and every kernel is compared with NumPy.", _flag
    )
    compile_seconds = Setting(
        "NPCOMPILE_COMPILE_SECONDS",
        60.0,
        "The longest that one compilation may take, in seconds; then NumPy does the work.",
        _seconds,
    )
    cache_dir = Setting(
        "NPCOMPILE_CACHE_DIR",
        "",
        "The folder that keeps kernels for later processes.",
        str,
        "`npcompile` in `$XDG_CACHE_HOME` or `~/.cache`",
    )
    cache_bytes = Setting(
        "NPCOMPILE_CACHE_BYTES",
        2 << 30,
        "The most bytes of kernels that are kept there, those of the last minute apart; 0: no limit.",
        _bytes,
        "2 GiB",
    )
    pool_bytes: Setting[int | None] = Setting(
        "NPCOMPILE_POOL_BYTES",
        None,
        "The most bytes that are kept to be reused for results.",
        _bytes,
        "a quarter of the machine's memory",
    )
    header_dir = Setting(
        "NPCOMPILE_HEADER_DIR",
        "",
        "A folder for the precompiled headers of kernels (150 MB) and of native loops (15 MB), a third of "
        "their time. The compiling process reads it when it starts.",
        str,
        "none",
    )
    optimize_loops = Setting(
        "NPCOMPILE_OPTIMIZE_LOOPS", True, "Native loops are compiled with optimization.", _flag
    )
    overhead = Setting(
        "NPCOMPILE_OVERHEAD",
        "bounded",
        "`unlimited` takes the bound from the time that recording may take; tests count with it.",
        _one_of("bounded", "unlimited"),
        at_import=True,
    )
    contests = Setting(
        "NPCOMPILE_CONTESTS", True, "Replays are timed beside NumPy; the faster answers.", _flag
    )
    spending = Setting("NPCOMPILE_SPENDING", True, "Time to compile is bounded by the calls' work.", _flag)
    verify_programs = Setting(
        "NPCOMPILE_VERIFY_PROGRAMS",
        False,
        "Recorded programs are checked against the rules of their form after each pass.",
        _flag,
        at_import=True,
    )
    internal_errors = Setting(
        "NPCOMPILE_INTERNAL_ERRORS",
        "report",
        "`raise` raises npcompile's own faults; otherwise Python answers, and `stats.reasons` says so.",
        _one_of("report", "raise"),
    )

    @property
    def num_threads(self) -> int:
        """The number of threads that kernels and native loops use: see `npcompile.set_num_threads`."""
        return torch.get_num_threads()

    @num_threads.setter
    def num_threads(self, count: int) -> None:
        set_num_threads(count)

    def __dir__(self) -> list[str]:
        return sorted([*dict(settings()), "num_threads"])

    def __repr__(self) -> str:
        lines = [f"{name} = {getattr(self, name)!r}  # {one.variable}" for name, one in settings()]
        return "\n".join([f"num_threads = {self.num_threads}  # OMP_NUM_THREADS", *lines])


def settings() -> Iterator[tuple[str, Setting[Any]]]:
    """Yield the table: the name of each setting, and the setting."""
    return ((name, one) for name, one in vars(Config).items() if isinstance(one, Setting))


def set_num_threads(count: int) -> None:
    """Have kernels and native loops use this many threads.

    At first there are as many as OMP_NUM_THREADS says, else one for each core. PyTorch has the same number:
    this is `torch.set_num_threads`. The threads of NumPy's own matrix products are those of its library
    (OPENBLAS_NUM_THREADS). Programs are compiled for a number of threads, so functions are recorded again
    after a change.

    Parameters
    ----------
    count : int
        At least 1.

    Raises
    ------
    TypeError
        `count` is no integer.
    ValueError
        `count` is below 1.

    Examples
    --------
    >>> import npcompile
    >>> npcompile.set_num_threads(1)
    >>> npcompile.config.num_threads
    1
    """
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(f"the number of threads is an int, not {count!r}")
    number = count.__index__()
    if number < 1:
        raise ValueError(f"the number of threads is at least 1, not {number}")
    torch.set_num_threads(number)


def table() -> str:
    """Return the settings as a table in Markdown."""
    rows = ["| `npcompile.config.` | variable | default | |", "|---|---|---|---|"]
    for name, one in settings():
        default = one.default_text or f"`{one.default!r}`"
        own = f"{name} (read at import)" if one.at_import else name
        rows.append(f"| {own} | `{one.variable}` | {default} | {one.meaning} |")
    return "\n".join(rows)


def warn_of_faults() -> None:
    """Warn of variables whose texts stand for no value."""
    for _, one in settings():
        if reason := one.fault():
            warnings.warn(reason, stacklevel=3)


config = Config()
