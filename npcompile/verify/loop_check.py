"""Compares native code of a loop with Python, which does the loop on the real values.

Native code does all trips on copies of the values that the loop began with. Where the outcome differs, or
native code left, it does each trip by itself, from the values that Python had there: the first trip that
differs is named. Python's values are never touched.
"""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from npcompile.frontend.loops.run.generators import is_generator
from npcompile.frontend.rewrite.scopes import own_nodes
from npcompile.verify.hooks import Difference
from npcompile.verify.loop_state import CONTAINERS, FIRST, Given, Snapshot
from npcompile.verify.operation import Unlike
from npcompile.verify.tolerance import ULP, differs_by_more, not_explained

# The trips that are kept, and the bytes of arrays that they take, so that the first wrong one can be named.
MOST_TRIPS, MOST_BYTES = 1000, 1 << 26
NOTHING = "no value"
_COMPARED = (bool, int, float, complex, str, bytes, np.generic)


@dataclass(frozen=True)
class LoopDifference(Difference):
    """The first difference of a native loop from Python.

    Attributes
    ----------
    name : str
        The name whose value differs, or "" where that is another thing.
    lines : tuple of int
        The first and the last line of the loop. `line` is the last one at which it binds or changes the name.
    trip : int or None
        The number of the trip of the outermost loop, from 1 on. None where each trip that was kept agrees,
        done by itself.
    """

    name: str = ""
    lines: tuple[int, int] = (0, 0)
    trip: int | None = None

    def __str__(self) -> str:
        first, last = self.lines
        when = "all trips" if self.trip is None else f"trip {self.trip}"
        whose = f"`{self.name}` " if self.name else ""
        text = linecache.getline(self.file, self.line).strip()
        return (
            f"{whose}differs from Python's in {self.what} after {when} of the native loop of lines "
            f"{first}-{last}\n  {self.file}:{self.line}: {text}\n"
            f"  expected: {self.expected}\n  got:      {self.got}"
        )


@dataclass(frozen=True, eq=False)
class Ran:
    """The outcome of native code. left: it left before it was done. again: another trip would begin.

    has_unset: it makes arrays with items that are not set.
    """

    names: dict[str, Any]
    left: bool
    again: bool
    has_unset: bool


class Code(Protocol):
    """The native code of one loop for the types at one moment."""

    def run(self, names: dict[str, Any], one_trip: bool) -> Ran | None:
        """Run all trips that are left, or one, on these values; None where there is no such code."""


@dataclass(frozen=True, eq=False)
class Moment:
    """The state at a loop's header, or after the loop. code: what goes on from there."""

    state: Snapshot
    code: Code | None = None


class Native(Protocol):
    """The native code of one loop statement."""

    def moment(self, iterator: Any, local: dict[str, Any], first: Moment | None) -> Moment | None:
        """Return the state at the loop's header, with its native code; None where there is none.

        local: the locals. first: the state as the loop began.
        """

    def end(self, local: dict[str, Any], first: Moment) -> Snapshot | None:
        """Return the state after the loop; None where it cannot be copied."""


# Makes the native code of a function's loop: `partition/checked_loop.py`, which lies above, is put here.
makers: list[Callable[[types.FunctionType, ast.stmt], Native]] = []


class LoopCheck:
    """One run of a loop statement by Python. node, file: the statement."""

    def __init__(self, node: ast.stmt, file: str) -> None:
        self._node, self._file = node, file
        self._moments: list[Moment] = []
        self._size = 0
        self._complete = True  # all trips are kept
        self.trips = 0  # headers that were reached

    @property
    def keeps(self) -> bool:
        """Tell if the next trip is to be kept."""
        self._complete = self._complete and self.trips < MOST_TRIPS and self._size < MOST_BYTES
        return self._complete

    def header(self, moment: Moment | None) -> None:
        """Note that Python has come to the loop's header. moment: None where this one is not kept."""
        self.trips += 1
        if moment is None:
            self._complete = False
        elif self._complete:
            self._moments.append(moment)
            self._size += moment.state.size

    def compare(self, end: Snapshot) -> tuple[bool, LoopDifference | None]:
        """Compare with Python's values after the loop; tell if anything was compared."""
        whole = self._compared(self._moments[0], Moment(end), False)
        if whole is not None and not whole:
            return True, None
        seen = False
        moments = [*self._moments, Moment(end)] if self._complete else self._moments
        for trip, (one, other) in enumerate(pairwise(moments), 1):
            unlike = self._compared(one, other, True)
            seen = seen or unlike is not None
            if unlike:
                return True, self._difference(unlike, trip)
        if whole:
            return True, self._difference(whole, None)
        return seen, None

    def _compared(self, begin: Moment, end: Moment, one_trip: bool) -> dict[str, Unlike] | None:
        """Return the names that differ; None where native code gives nothing to compare."""
        assert begin.code is not None
        given = begin.state.given()
        ran = begin.code.run(given.names, one_trip)
        if ran is None or ran.left:
            return None
        if one_trip and ran.again != (end.code is not None):
            texts = ("the loop's end", "another trip")
            return {"": Unlike("what comes next", texts[not ran.again], texts[ran.again])}
        return dict(_Comparison(begin, given, ran, end.state, one_trip).differences())

    def _difference(self, unlike: dict[str, Unlike], trip: int | None) -> LoopDifference:
        lines = {name: self._line(name) for name in unlike}
        name = min(unlike, key=lambda one: (lines[one], one))
        first = unlike[name]
        node = self._node
        return LoopDifference(
            op="a native loop",
            file=self._file,
            line=lines[name],
            what=first.what,
            expected=first.expected,
            got=first.got,
            name=name,
            lines=(node.lineno, node.end_lineno or node.lineno),
            trip=trip,
        )

    def _line(self, name: str) -> int:
        """Return the last line at which the loop binds a name, or changes its value's contents."""
        root, lines = name.partition(".")[0], []
        for part in own_nodes([self._node]):
            if isinstance(part, ast.Name | ast.Subscript | ast.Attribute):
                if isinstance(part.ctx, ast.Store) and _root(part) == root:
                    lines.append(part.lineno)
            elif isinstance(part, ast.Expr):  # a call that may change it
                names = [one.id for one in ast.walk(part) if isinstance(one, ast.Name)]
                lines += [part.lineno] if root in names else []
        return max(lines, default=self._node.lineno)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


class _Comparison:
    """Compares the names that native code has left with Python's."""

    def __init__(self, begin: Moment, given: Given, ran: Ran, end: Snapshot, one_trip: bool) -> None:
        self._begin, self._given, self._ran, self._end = begin, given, ran, end
        self._one_trip = one_trip
        self._want = end.given()
        self._moved = functools.cache(self._run_moved)

    def differences(self) -> Iterator[tuple[str, Unlike]]:
        """Yield the names that differ."""
        want = self._want.names
        for name, got in _outcome(self._given.names, self._ran.names).items():
            try:
                if name not in want:
                    raise Unlike("value", NOTHING, repr(got))
                self._same(got, want[name], (name,))
            except Unlike as unlike:
                yield name.removeprefix(FIRST), unlike

    def _same(self, got: Any, want: Any, path: tuple[Any, ...]) -> None:
        kind = type(want)
        if is_generator(want):
            if state_text(got) != state_text(want):
                raise Unlike("value", "the state of Python's generator", "another one")
            return
        if kind is not np.ndarray and kind not in CONTAINERS and kind is not tuple:
            if not isinstance(want, _COMPARED):
                return
            if type(got) is not kind:
                raise Unlike("type", kind.__name__, type(got).__name__)
            if isinstance(want, str | bytes):
                if got != want:
                    raise Unlike("value", repr(want), repr(got))
            elif repr(got) != repr(want):
                self._same_values(np.asarray(got), np.asarray(want), path)
            return
        if type(got) is not kind:
            raise Unlike("type", kind.__name__, type(got).__name__)
        if kind is np.ndarray:
            return self._same_array(got, want, path)
        if kind is not tuple:
            self._same_object(got, want)
        if isinstance(want, bytearray | set):
            if got != want or list(got) != list(want):
                raise Unlike("value", repr(want), repr(got))
            return
        if len(got) != len(want):
            raise Unlike("shape", f"{len(want)} items", f"{len(got)} items")
        if isinstance(want, dict):
            if list(map(repr, got)) != list(map(repr, want)):
                raise Unlike("value", f"the keys {list(want)}", f"the keys {list(got)}")
            for key in want:
                self._same(got[key], want[key], (*path, key))
        else:
            for place, (one, other) in enumerate(zip(got, want, strict=True)):
                self._same(one, other, (*path, place))

    def _same_object(self, got: Any, want: Any) -> int | None:
        """Compare which object of those that the loop began with it is; return its identity, if any."""
        here, there = self._given.origins.get(id(got)), self._want.origins.get(id(want))
        known = self._begin.state.objects
        before = there if there in known else None
        if here != before:
            texts = [
                "a new object" if one is None else "an object that was there before" for one in (before, here)
            ]
            raise Unlike("aliasing", *texts if texts[0] != texts[1] else ("one object", "another one"))
        return there

    def _same_array(self, got: Any, want: Any, path: tuple[Any, ...]) -> None:
        if got.dtype != want.dtype:
            raise Unlike("dtype", want.dtype, got.dtype)
        if got.shape != want.shape:
            raise Unlike("shape", want.shape, got.shape)
        there = self._same_object(got, want)
        if not want.size:
            return
        assert there is not None
        here, place = self._given.memory.place(got), self._begin.state.mirror.place(self._end.arrays[there])
        if here != place:
            raise Unlike("aliasing", _place_text(place), _place_text(here))
        if here is not None or not self._ran.has_unset:
            self._same_values(got, want, path)

    def _same_values(self, got: Any, want: Any, path: tuple[Any, ...]) -> None:
        wrong = differs_by_more(got, want, ULP)
        if wrong.any():
            # It is native code's own answer that moves: Python's is not to be worked out again.
            wrong = not_explained(want, got, wrong, functools.partial(self._moved_value, path))
        if wrong.any():
            first = tuple(int(at) for at in np.argwhere(wrong)[0])
            count = f" ({int(np.count_nonzero(wrong))} of {want.size} differ)" if want.size > 1 else ""
            at = "".join(f"[{part!r}]" for part in path[1:]) + (str(list(first)) if first else "")
            at += ": " if at else ""
            raise Unlike("value", f"{at}{want[first]!r}", f"{at}{got[first]!r}{count}")

    def _moved_value(self, path: tuple[Any, ...], trial: int) -> Any:
        value = self._moved(trial)
        for part in path:
            value = value[part]
        return value

    def _run_moved(self, trial: int) -> dict[str, Any]:
        """Return native code's own outcome for values that are moved within their rounding."""
        given = self._begin.state.given(trial)
        assert self._begin.code is not None
        ran = self._begin.code.run(given.names, self._one_trip)
        if ran is None or ran.left:
            raise LookupError("native code left")
        return _outcome(given.names, ran.names)


def state_text(generator: Any) -> str:
    """Return the whole state of a generator of random numbers as text."""
    state = (
        generator.get_state(legacy=False)
        if hasattr(generator, "get_state")
        else generator.bit_generator.state
    )
    return repr({name: getattr(one, "tolist", lambda one=one: one)() for name, one in _flat(state)})


def _flat(state: dict[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for name, one in state.items():
        if isinstance(one, dict):
            yield from _flat(one, f"{at}{name}.")
        else:
            yield f"{at}{name}", one


def _outcome(given: dict[str, Any], left: dict[str, Any]) -> dict[str, Any]:
    """Return the values after native code: those that it has left, and those that it may have changed."""
    return {name: value for name, value in given.items() if name.startswith(FIRST)} | {
        name: value for name, value in left.items() if name[0] != "."
    }


def _place_text(place: tuple[int, int, tuple[int, ...]] | None) -> str:
    return "memory of its own" if place is None else f"a view, at byte {place[1]}, strides {place[2]}"
