"""Functions of the user's, which a recording goes into: with their closures and defaults as they will be."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from npcompile.frontend.notes import Unfollowed
from npcompile.frontend.program import Read, step_of
from npcompile.frontend.recording.base import Cells
from npcompile.frontend.recording.control import Control
from npcompile.frontend.rewrite import Rewritten

# Functions called from the function, and from those: no deeper than this.
MAX_DEPTH = 60


class Functions(Control):
    """What is known of a function that is called, and running it."""

    def _unwrapped(self, jitted: Any, fn: Any) -> Any:
        """The function in a jitted one that a step gave."""
        if (node := self.notes.tracked.node(jitted)) is not None and self.notes.tracked.node(fn) is None:
            self.notes.tracked.keep(fn, self.notes.inside(node, "attribute", "__wrapped__"))
        return fn

    def _bound(self, method: types.MethodType, _: None) -> None:
        """The object of a method that a step gave."""
        node = self.notes.tracked.node(method)
        if node is None or "called" in node.meta:
            return
        node.meta["called"] = True
        if step_of(node) != "input":  # of those, it is a part of the signature
            self.notes.guard("function", method.__func__, node)
        own = self.notes.inside(node, "attribute", "__self__")
        known = self.notes.tracked.node(method.__self__)
        if known is not None:
            self.notes.guard("same", None, own, known)
        elif isinstance(method.__self__, type):
            self.notes.identify(own, method.__self__)
        else:
            self.notes.guard("type", type(method.__self__), own)
            self.notes.tracked.keep(method.__self__, own)

    def _given(self, fn: types.FunctionType, _: None) -> None:
        """A function that a step gave is about to be called: at replay it must have this code, and these
        globals."""
        node = self.notes.tracked.node(fn)
        assert node is not None
        if "called" not in node.meta and step_of(node) != "input":  # of those, both are in the signature
            node.meta["called"] = True
            self.notes.guard("code", fn.__code__, node)
            self.notes.guard("is", fn.__globals__, self.notes.inside(node, "attribute", "__globals__"))

    def _defaults(self, fn: types.FunctionType, _: None) -> None:
        """The defaults of a function from outside may be others, or changed in place, at replay."""
        given = self.notes.tracked.node(fn)
        for how, found in (("defaults", fn.__defaults__), ("kwdefaults", fn.__kwdefaults__)):
            if not found:
                continue
            if given is not None:
                node = self.notes.inside(given, "attribute", f"__{how}__")
                self.notes.guard("length", len(found), node)
            else:
                node = self.notes.add("read", Read(how, fn.__name__, fn), (), {}, self.notes.value(found))
            node.meta["within"] = True
            for key, item in found.items() if isinstance(found, dict) else enumerate(found):
                with contextlib.suppress(Unfollowed):  # the recording ends where such a one is used
                    self.notes.outside(Read("item", key), node, item, within=True)

    def run(
        self, rewritten: Rewritten, fn: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a function, rewritten, on these hooks; its literals and defaults are known."""
        for literal in rewritten.constants:
            self._note(self.notes.constant, literal)
        node = self.notes.tracked.node(fn)
        if node is None:
            for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
                self._note(self.notes.constant, default)
        if self._cells and (fn.__defaults__ or fn.__kwdefaults__):
            self._note(self._defaults, fn, None)
        cells = fn.__closure__ or ()
        self._cells.append(Cells(dict(zip(fn.__code__.co_freevars, cells, strict=True)), node))
        tries = self.notes.tries
        try:
            return rewritten.bind(fn, self)(*args, **kwargs)
        finally:
            self._cells.pop()
            self.notes.tries = tries  # it may have returned from within
