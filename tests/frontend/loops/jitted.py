"""Compares calls of jitted functions, whose loops become native, with plain Python."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

import npcompile
from npcompile.diagnostics.stats import Stats

CALLS = 4


def check(function: Callable[..., Any], *args: Any, native: bool | None = True) -> Stats:
    """Assert that calls do what plain Python does, and enter native code or not (None: either)."""
    jitted = npcompile.jit(function)
    for call in range(CALLS):
        want, plain = outcome(function, args)
        got, mine = outcome(jitted, args)
        assert_same(got, want, f"call {call + 1}")
        assert_same(mine, plain, f"the arguments of call {call + 1}")
        jitted.wait()
    assert native is None or (jitted.stats.loop_entries > 0) == native, npcompile.explain(jitted)
    return jitted.stats


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return a call's value, or its exception, and the arguments after it."""
    given = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            return function(*given), given
    except Exception as error:
        return (type(error), str(error)), given


def assert_same(got: Any, want: Any, where: str) -> None:
    """Assert that two values have the same type, and the same items."""
    assert type(got) is type(want), f"{where}: {type(got)} for {type(want)}"
    if isinstance(want, tuple | list | deque):
        assert len(got) == len(want), f"{where}: {got} for {want}"
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            assert_same(one, other, f"{where}, item {place}")
        assert [one is got[0] for one in got] == [one is want[0] for one in want] or not _is_shared(want)
        return
    if type(want) is dict:
        assert list(got) == list(want), f"{where}: {got} for {want}"
        for key in want:
            assert_same(got[key], want[key], f"{where}, item {key!r}")
        return
    if isinstance(want, np.ndarray):
        assert (got.dtype, got.shape) == (want.dtype, want.shape), where
    if isinstance(want, np.ndarray | np.generic | float | complex):
        np.testing.assert_array_equal(got, want, err_msg=where)
    elif not isinstance(want, type):
        assert got == want, where


def _is_shared(values: tuple[Any, ...] | list[Any]) -> bool:
    """Tell if there are arrays or lists among values, so that one may be another one."""
    return any(isinstance(value, np.ndarray | list) for value in values)


class Programs:
    """Programs with arguments, which are called in rounds: the loops of one round are compiled together."""

    def __init__(self) -> None:
        self.cases: dict[str, tuple[Callable[..., Any], tuple[Any, ...], bool | None]] = {}

    def __call__(
        self, *args: Any, native: bool | None = True
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a program. native: its calls are to enter native code; None where they may."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            name = function.__name__
            self.cases[name if name not in self.cases else f"{name}-{len(self.cases)}"] = (
                function,
                args,
                native,
            )
            return function

        return register

    def called(self) -> dict[str, tuple[Any, list[Any]]]:
        """Return the jitted function of each program, and the outcomes of its calls."""
        made: dict[str, tuple[Any, list[Any]]] = {}
        for name, (function, _, _) in self.cases.items():
            made[name] = npcompile.jit(function), []
        for _ in range(CALLS):
            for name, (function, outcomes) in made.items():
                outcomes.append(outcome(function, self.cases[name][1]))
            for function, _ in made.values():
                function.wait()
        return made

    def check(self, name: str, jitted: Any, outcomes: list[Any]) -> None:
        """Assert that the calls of a program did what plain Python does."""
        function, args, native = self.cases[name]
        want, plain = outcome(function, args)
        for call, (got, given) in enumerate(outcomes):
            assert_same(got, want, f"call {call + 1}")
            assert_same(given, plain, f"the arguments of call {call + 1}")
        assert native is None or (jitted.stats.loop_entries > 0) == native, jitted.stats
