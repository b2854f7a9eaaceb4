"""`npcompile.verify` does a call under NumPy and, beside it, each of its operations under npcompile."""

from __future__ import annotations

import functools
import importlib
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from npcompile.diagnostics.settings import config
from npcompile.diagnostics.words import count_text
from npcompile.frontend.catalog import inlining
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.lower.plan.segment import Segment
from npcompile.verify.call import CheckedRun
from npcompile.verify.hooks import CheckedRecorder, Difference
from npcompile.verify.kernel import CheckedKernel


class DifferenceWarning(UserWarning):
    """With `NPCOMPILE_VERIFY=1`, an operation's answer is not NumPy's; the message names it and its line."""


@dataclass(frozen=True)
class Verification:
    """The result of `verify`. `str` of it is for reading.

    Attributes
    ----------
    ok : bool
        No operation differs.
    checked : int
        The number of operations that were compared.
    loops : int
        The number of native loops that were compared, each time that one was entered.
    result : object
        The call's result, which is NumPy's own answer.
    difference : Difference or None
        The first operation that differs.
    host : tuple of str
        Operations that npcompile leaves to NumPy, where there is nothing to compare.
    skipped : tuple of str
        Functions that Python itself called (arguments of a cache or a library), in which nothing was
        compared.
    unseen : str or None
        The reason why nothing at all could be compared.
    """

    ok: bool
    checked: int
    result: Any
    difference: Difference | None = None
    host: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    unseen: str | None = None
    loops: int = 0

    @property
    def op(self) -> str | None:
        """The operation that differs, by its NumPy name."""
        return None if self.difference is None else self.difference.op

    @property
    def file(self) -> str | None:
        return None if self.difference is None else self.difference.file

    @property
    def line(self) -> int | None:
        return None if self.difference is None else self.difference.line

    @property
    def what(self) -> str | None:
        """The kind of difference: see `Difference`."""
        return None if self.difference is None else self.difference.what

    @property
    def expected(self) -> str | None:
        return None if self.difference is None else self.difference.expected

    @property
    def got(self) -> str | None:
        return None if self.difference is None else self.difference.got

    def __str__(self) -> str:
        if self.difference is not None:
            before = "no operation was compared before it"
            if self.checked:
                agree = "agrees" if self.checked == 1 else "agree"
                before = f"{count_text(self.checked, 'operation')} before it {agree}"
            return f"{self.difference}\n  ({before})"
        if self.unseen is not None:
            return f"nothing was compared: {self.unseen}"
        text = f"all {self.checked} operations agree with NumPy"
        if self.checked < 2:
            text = "1 operation agrees with NumPy" if self.checked else "no operation was compared"
        loops = count_text(self.loops, "native loop")
        if self.loops and not self.checked:
            text = f"no operation was compared, but {loops}, and Python's answers are the same"
        elif self.loops:
            text += f", and {loops} with Python"
        text += f"; left to NumPy: {', '.join(self.host)}" if self.host else ""
        return text + (f"; not looked into: {', '.join(self.skipped)}" if self.skipped else "")


def verify(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Verification:
    """Call `f(*args, **kwargs)` under NumPy, and do each of its operations a second time under npcompile.

    The call happens once, on the caller's own arrays, with all its effects; npcompile works on copies of
    them. Helpers that it calls are looked into, installed libraries are not. A loop that has native code is
    done natively, too, and compared: names and arrays after it, and after each trip where they differ.

    Parameters
    ----------
    f : callable
        A function, jitted or not, a bound method, or a function of NumPy's.
    *args, **kwargs
        The arguments of the call.

    Returns
    -------
    Verification

    Raises
    ------
    TypeError
        `f` cannot be called.
    Exception
        Whatever the call raises, with a note of what differed before.

    Examples
    --------
    >>> import numpy as np
    >>> def ranks(x):
    ...     return (x - x.mean()) / x.std()
    >>> npcompile.verify(ranks, np.arange(5.0)).ok
    True
    """
    if not callable(f):
        raise TypeError(f"npcompile.verify takes a function, not {f!r}")
    if isinstance(f, functools.partial):
        return verify(f.func, *f.args, *args, **(f.keywords | kwargs))
    plain, given = inlining.unwrapped(f, args)
    importlib.import_module("npcompile.numpy")  # where functions that are made of ops are known
    hooks, unseen = CheckedRun(), None
    if isinstance(plain, types.FunctionType):
        rewritten = rewrite(plain)
        if isinstance(rewritten, Rewritten):
            try:
                with hooks.watching():
                    result = hooks.enter(plain, given, kwargs)
            except BaseException as error:
                if hooks.difference is not None:
                    error.add_note(str(hooks.difference))
                raise
        else:
            result, unseen = plain(*given, **kwargs), str(rewritten.reason)
    else:  # one of NumPy's, perhaps
        result = hooks.call(plain, *given, **kwargs)
        if hooks.difference is None and not (hooks.checked or hooks.host):
            unseen = f"a {type(plain).__name__} is no Python function"
    difference = hooks.difference
    host, skipped = tuple(hooks.host), tuple(hooks.skipped)
    return Verification(
        difference is None, hooks.checked, result, difference, host, skipped, unseen, hooks.loops
    )


def verifying() -> bool:
    """Tell if this whole run is to be verified: `NPCOMPILE_VERIFY` is set, and not to 0."""
    return config.verify


class Watch:
    """Makes the recorder of one recording, which compares each operation."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._recorder: CheckedRecorder | None = None

    def __call__(self, *args: Any) -> CheckedRecorder:
        importlib.import_module("npcompile.numpy")
        self._recorder = CheckedRecorder(*args)
        return self._recorder

    def report(self) -> None:
        """Warn of the first difference, if there was one."""
        if self._recorder is not None and self._recorder.difference is not None:
            warn(self._name, self._recorder.difference)


def watched(kernels: list[Any], segments: list[Segment], file: str, name: str) -> list[CheckedKernel]:
    """Return the kernels of a program, each compared with its ops when it is first called."""
    tell = functools.partial(warn, name)
    return [
        CheckedKernel(kernel, segment, file, tell) for kernel, segment in zip(kernels, segments, strict=True)
    ]


def warn(name: str, difference: Difference) -> None:
    """Warn that an operation of a jitted function differs, at the line that it stands on."""
    warnings.warn_explicit(f"{name}: {difference}", DifferenceWarning, difference.file, difference.line)
