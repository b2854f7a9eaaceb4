"""Follows one run of a loop that Python does, and has native code compared with it at the end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npcompile.verify.loop_check import LoopCheck, LoopDifference, Moment, Native


class LoopRun:
    """One run of a loop.

    tell: called at the end with the first difference, or None; it is not called where there was nothing to
    compare.
    """

    def __init__(
        self,
        native: Native,
        node: ast.stmt,
        file: str,
        iterator: Any,
        tell: Callable[[LoopDifference | None], None],
    ) -> None:
        self._native, self._iterator, self._tell = native, iterator, tell
        self._check = LoopCheck(node, file)
        self._first: Moment | None = None
        self._has_ended = False

    @property
    def is_native(self) -> bool:
        """Tell if there is native code to compare with Python's loop."""
        return self._first is not None and not self._has_ended

    def header(self, names: dict[str, Any]) -> None:
        """Note that the loop's header was reached, with these locals."""
        if self._first is None and self._check.trips:
            return
        moment = self._native.moment(self._iterator, names, self._first) if self._check.keeps else None
        self._first = self._first or moment
        self._check.header(moment)

    def keeps_no_more(self) -> None:
        """Keep no more trips: the first wrong one is not to be named."""
        self._check.header(None)

    def end(self, names: dict[str, Any], raised: bool) -> None:
        """Note that the loop has ended, with these locals. raised: by an exception."""
        self._has_ended = True
        if self._first is None or raised:
            return
        end = self._native.end(names, self._first)
        if end is None:
            return
        seen, difference = self._check.compare(end)
        if seen:
            self._tell(difference)
