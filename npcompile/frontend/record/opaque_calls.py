"""Opaque calls: made as they are, of the objects that Python would have, and made again at replay."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.dunder_calls import Special
from npcompile.frontend.rewrite.call_sites import do

_LOOKING = (sorted, str, repr, any, all, map, filter, print)  # they change nothing that they are given


class Opaque(Special):
    """Calls of which nothing is noted but that they are made."""

    def _opaque(self, call: Call, fn: Any, args: Any, kwargs: Any, bound: bool = False) -> Any:
        """Anything else: called as it is, and again at replay. What goes on inside is not noted."""
        if not bound and self.builder.tracked.node(fn) is not None:
            call, args, bound = Call(call.name, _invoke), (fn, *args), True
        self.note(self.handed, args, kwargs, fn)
        given = [*map(self.builder.tracked.meant, args[1:] if bound else args)]
        named = {key: self.builder.tracked.meant(arg) for key, arg in kwargs.items()}
        looks = any(fn is one for one in _LOOKING)
        put_back = [] if looks else self.builder.show(*given, *named.values())
        if not self.on:
            return do(fn, *given, **named)
        self.active = False
        try:
            result = do(fn, *given, **named)
        finally:
            self.active = True
        for back in put_back:  # until it is noted what they hold
            back()
        if fn is print:
            # It runs nobody's code where it is given arrays, numbers and text: what was read stays read.
            inert = not kwargs and all(is_numpy(arg) or type(arg) in (*NUMBERS, bool, str) for arg in args)
            if not inert:
                self.forget()
            return self.note(self.builder.effect, call, args, kwargs, inert, result)
        self.forget()
        result = self.note(self.builder.opaque, call, args, kwargs, result)
        if not looks:
            self.builder.show(*given, *named.values())
            self.builder.loosen(*args, *kwargs.values())
        return result


def _invoke(fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The call of something that a step gave."""
    return fn(*args, **kwargs)
