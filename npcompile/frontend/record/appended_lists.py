"""Lists and deques from outside that things are appended to, and long tuples.

What was appended is stored like an attribute; what is asked of such a list is read by itself, so that how
long it is decides nothing.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from typing import Any

from npcompile.frontend.program.guards import TruthIs
from npcompile.frontend.program.object_steps import Append, is_own
from npcompile.frontend.program.reads import ReadItem
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.state import READ_BY_ITEM, Deferred
from npcompile.frontend.record.stores import Storing
from npcompile.lower.plan.values import Value


class Histories(Storing):
    """`obj.name.append(value)`, and what is read of such a list: items, its length, whether it is empty."""

    def appending(self, obj: Any, name: str) -> Any:
        if self.on and self.is_followed(obj) and id(obj) not in self.builder.objects and is_own(obj, name):
            kept = self.getattr(obj, name)
            if self.grows(kept):
                return functools.partial(self.append, kept)
            function = self.getattr(kept, "append")
            return lambda value: self.discard(self.call(function, value))
        return super().appending(obj, name)

    def grows(self, obj: Any) -> bool:
        """Whether what is appended to this is to be a step: it is a deque from outside, or a list of which
        not all was read (how long it is would be decided), or of which nothing is known any more."""
        if not self.on or type(obj) not in (list, deque):
            return False
        if id(obj) in self.builder.loose:
            return id(obj) in self.builder.containers
        if type(obj) is deque and id(obj) in self.builder.containers:
            return True
        return id(obj) in self.builder.unread or id(obj) in self.builder.appended

    def append(self, kept: Any, value: Any) -> None:
        """`kept.append(value)`, where it grows."""
        kept.append(self.builder.tracked.meant(value))
        if self.on:
            self.note(self._appended, kept, value, None)

    def _appended(self, kept: Any, value: Any, _: None) -> None:
        builder = self.builder
        self._storable(value, f"a {type(kept).__name__}")
        builder.unread.pop(id(kept), None)
        builder.appended.setdefault(id(kept), []).append(value)
        self.effects.waiting[id(kept), len(self.effects.waiting)] = Deferred(
            kept, Append(), value, builder.where()
        )

    def of_history(self, obj: Any, index: Any, result: Any) -> tuple[Any, ...]:
        """An item of a list, tuple or deque from outside that was not read as a whole, in a tuple; empty
        where that is another thing."""
        builder = self.builder
        if type(obj) not in READ_BY_ITEM or type(index) is not int or id(obj) in builder.loose:
            return ()
        added = builder.appended.get(id(obj), [])
        if not added and id(obj) not in builder.unread:
            return ()
        builder.ref(index, True)
        if -len(added) <= index < 0:
            return (result,)  # it was appended just now
        if added and (type(obj) is deque or index >= len(obj) - len(added)):
            return ()
        if index < 0:
            index += len(added)  # where it is until what was appended is stored
        return (self._read(ReadItem, index, None, builder.containers[id(obj)], result),)  # type: ignore[attr-defined]

    def length_of_history(self, obj: Any, result: int) -> tuple[Any, ...]:
        """The length of a list, tuple or deque from outside that was not read as a whole, in a tuple; empty
        where that is another thing."""
        builder = self.builder
        added = len(builder.appended.get(id(obj), ()))
        if id(obj) in builder.loose or (id(obj) not in builder.unread and (not added or type(obj) is deque)):
            return ()
        place = "length", "", builder.containers[id(obj)]
        if place not in self.reads_seen:
            length = builder.tracked.result(result - added)
            builder.tracked.number(length, builder.add("number", len, (place[2],), {}, Value("int")))
            self.reads_seen[place] = None, length
        length = self.reads_seen[place][1]
        if not added:
            return (length,)
        builder.constant(added)
        return (builder.number(operator.add, (length, added), {}, result),)

    def truth_of_list(self, x: Any) -> Any:
        if id(x) not in self.builder.loose:
            if id(x) in self.builder.appended:
                return bool(x)
            if id(x) in self.builder.unread:
                result = bool(x)
                self.note(self.builder.guard, TruthIs(result), self.builder.containers[id(x)])
                return result
        return PASS
