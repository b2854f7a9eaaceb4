"""What a function keeps for itself: deques, dicts of other kinds, lazy objects and exceptions that it makes.

They are no steps: what lies in them is followed as local names are, and where one leaves the function the
recording ends.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining
from npcompile.frontend.catalog.python_operators import INPLACE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.program.reads import ReadAttribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.context_managers import Managing
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.special_methods import MANY
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import attributes

KEPT_DICTS = (OrderedDict, Counter, defaultdict)
_METHODS: dict[type, frozenset[str]] = {
    deque: frozenset(
        [
            "append",
            "appendleft",
            "pop",
            "popleft",
            "extend",
            "extendleft",
            "rotate",
            "clear",
            "reverse",
            "insert",
        ]
    ),
    **dict.fromkeys(
        KEPT_DICTS,
        frozenset(["get", "keys", "items", "values", "pop", "popitem", "setdefault", "clear", "move_to_end"]),
    ),
}
_NAMES = ("__name__", "__qualname__", "__module__", "__doc__")
_NOTHING: Any = object()


class Kept(Managing):
    """Objects of Python's own that are made inside."""

    def is_kept(self, obj: Any) -> bool:
        return self.on and id(obj) in self.builder.kept

    def _keep(self, obj: Any) -> tuple[Any]:
        self.builder.kept[id(obj)] = obj
        return (obj,)

    def call_builtin_method(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Note the object of a method such as `history.append` that came from outside."""
        if self.builder.tracked.node(fn) is not None:
            self.note(self._owner, fn, None)
        return PASS

    def call_container_class(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`dict`, `set` and `frozenset`."""
        if fn is dict and len(args) == 1 and self._is_known_dict(args[0]):
            return self._copied(args[0], kwargs)
        if any(map(self.builder.tracked.get, args)):
            return PASS
        given = (list(args[0]),) if len(args) == 1 and fn is not dict else args
        result: Any = fn(*given, **kwargs)
        keys = given[0] if given and fn is not dict else result
        if fn is dict and given and type(given[0]) in (list, tuple):
            keys = [key for key, _ in given[0]]
        return self.note(self._keys, keys, result)

    def call_text_of_exception(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], BaseException) and not kwargs:
            if not self.builder.traced(*args) and not _has_code(type(args[0])):
                return do(fn, *args)
        return PASS

    def call_kept_class(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = self._make_kept(fn, args, kwargs)
        return PASS if made is None else made[0]

    def call_method_of_named_tuple(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own: Any = fn.__self__
        if is_named_tuple(type(own)) and fn.__name__ == "_replace" and not args and self.is_followed(own):
            found = self._replaced(own, kwargs)
            return PASS if found is None else found[0]
        return PASS

    def call_method_of_container(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            return PASS
        own: Any = fn.__self__
        if id(own) in self.builder.kept and fn.__name__ in _METHODS[type(own)]:
            return self._of_kept(fn, own, args)[0]
        if type(own) is types.GeneratorType and self.builder.tracked.get(own) is None:
            return self._drawn_from(fn, args)
        if (
            type(own) is str
            and fn.__name__ == "join"
            and len(args) == 1
            and type(args[0]) not in (list, tuple)
        ):
            if hasattr(type(args[0]), "__iter__"):
                return self.call(fn, [*self.iterate(args[0])])
        if type(own) in (list, tuple) and fn.__name__ in ("index", "count") and len(args) == 1:
            if len(own) <= MANY and self.builder.traced(own, *args) and self._are_compared((*own, *args)):
                return self._place(fn, own, args[0])
        if type(own) is frozenset and self.builder.tracked.get(own) is None:
            self.note(self._keys, args, None)
            return do(fn, *args)
        return PASS

    def _owner(self, fn: Any, _: None) -> None:
        """The object of a method such as `history.append` that came from outside."""
        self._read(ReadAttribute, "__self__", None, self.builder.tracked.node(fn), fn.__self__)

    def _is_known_dict(self, obj: Any) -> bool:
        """Whether it is a dict of which it is known what lies in it: made inside, or not given by a call."""
        known = self.builder.tracked.get(obj)
        inside = known is None and (type(obj) is dict or id(obj) in self.builder.kept)
        given = known is not None and (known.node is None or id(obj) in self.builder.containers)
        return (
            type(obj) in DICTS and type(obj) is not Counter and (inside or given)
        )  # {"a": 0} is equal to {}

    def _copied(self, own: Any, more: dict[str, Any]) -> dict[Any, Any]:
        """`dict(own, **more)`."""
        self.note(self._gone_through, own)
        return {**{key: self.getitem(own, key) for key in list(own)}, **more}

    def _replaced(self, own: Any, changes: dict[str, Any]) -> tuple[Any, ...] | None:
        """`named_tuple._replace(**changes)`."""
        kind = type(own)
        if set(changes) - set(kind._fields):
            return None
        self.builder.constant(tuple(range(len(own))))
        held = [changes.get(name, _NOTHING) for name in kind._fields]
        held = [self.getitem(own, place) if value is _NOTHING else value for place, value in enumerate(held)]
        return (self.call(kind, *held),)

    def _are_compared(self, items: Any) -> bool:
        """Whether how these compare is seen: what is from outside and compares by what it is ends a
        recording, as no answer for one such object is another's."""
        kinds = (*NUMBERS, bool, str, bytes, type(None))
        return all(
            self._are_compared(item)
            if type(item) in (list, tuple)
            else type(item) in kinds or isinstance(item, np.generic) or id(item) in self.builder.objects
            for item in items
        )

    @performs
    def _place(self, fn: Any, own: Any, value: Any) -> int:
        """`row.index(value)` or `row.count(value)`, item by item."""
        places = []
        for place, item in enumerate(self.iterate(own)):
            if item is value or self.truth(self.compare("==", item, value)):
                places.append(place)
                if fn.__name__ == "index":
                    break
            elif isinstance(item, float | np.inexact) and self._is_nan(value):
                meant = self.builder.tracked.meant
                return int(getattr([*map(meant, own)], fn.__name__)(meant(value)))
        if fn.__name__ == "index" and not places:
            try:
                fn(value)
            except ValueError as error:
                self.raising(error)
                raise
        result = places[0] if fn.__name__ == "index" else len(places)
        self.note(self.builder.constant, result)
        return result

    # -- containers --------------------------------------------------------------------------------------

    def _make_kept(self, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if kind is deque and set(kwargs) <= {"maxlen"}:
            self.note(self.builder.ref, [*args[1:], *kwargs.values()], True)
            items = (self.iterate(args[0]),) if args and hasattr(type(args[0]), "__iter__") else args[:1]
            result: Any = do(deque, *items, *args[1:], **kwargs)
            return self._keep(result)
        if kind in KEPT_DICTS:
            first = args[: 1 if kind is defaultdict else 0]
            if len(args) > len(first) + 1 or (kind is Counter and kwargs):
                return None
            given = args[len(first) :]
            if given and type(given[0]) not in (dict, *KEPT_DICTS):
                if not hasattr(type(given[0]), "__iter__"):
                    return None
                given = ([*self.iterate(given[0])],)
            elif given:
                self.note(self.builder.tight, given[0])
                if self.builder.tracked.get(given[0]) is not None:
                    return None
            if kind is Counter and given:
                self.note(self._keys, given[0], None)
            result = do(kind, *first, *given, **kwargs)
            self.note(self._keys, result, None)
            return self._keep(result)
        if issubclass(kind, BaseException) and not _has_code(kind):
            return (do(kind, *args, **kwargs),)
        return None

    def _of_kept(self, fn: Any, own: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """A method of a container."""
        name = fn.__name__
        if type(own) is deque:
            if name in ("extend", "extendleft") and args and hasattr(type(args[0]), "__iter__"):
                args = (list(self.iterate(args[0])),)
            elif name in ("rotate", "insert"):
                self.note(self.builder.ref, args[:1], True)
        else:
            self.note(self._keys, args[:1], None)
        try:
            result = do(fn, *args)
        except (KeyError, IndexError) as error:
            self.raising(error)
            raise
        if type(own) is Counter:
            self.note(self._count, result)
        return (result,)

    def _count(self, found: Any) -> Any:
        if type(found) is int:
            self.builder.constant(found)
        return found

    def read_item(self, obj: Any, index: Any) -> Any:
        if id(obj) in self.builder.kept:
            return self._item_kept(obj, index)
        if type(obj) in (defaultdict, Counter) and index not in obj and id(obj) in self.builder.containers:
            return self._entered(obj, index)
        if type(obj) not in (list, tuple, *DICTS):
            try:
                return self.item_of(obj, index)
            except LookupError:
                if not (is_array(obj) or self.is_followed(obj)):  # what catches it would decide by it
                    self.stop(Cause.ITEM(type(obj).__name__))
                raise
        try:
            return self.item_of(obj, index)
        except (KeyError, IndexError, TypeError) as error:
            if type(error) is not TypeError:
                self.note(self._is_missing, obj, index, error)
            raise

    def _entered(self, obj: Any, index: Any) -> Any:
        """An item of a defaultdict or Counter from outside that was not there."""
        self.note(self.among, index, obj, None)
        if type(obj) is Counter:
            return self.note(self._count, 0)
        factory = self.getattr(obj, "default_factory")
        if factory is None:
            return self.item_of(obj, index)
        value = self.call(factory)
        self.setitem(obj, index, value)
        return value

    def _is_missing(self, obj: Any, index: Any, error: BaseException) -> Any:
        """What is in the container, and what was asked for, decide that it is not there."""
        self.builder.ref(index, True)
        if type(obj) in DICTS:
            self.among(index, obj, None) if self.builder.tracked.get(obj) is not None else None
        else:
            self.builder.asked(obj)
            self.builder.tight(obj)
            node = self.builder.tracked.node(obj)
            if node is not None and attributes(node).contents_epoch != self.builder.calls:
                return error
        self.raising(error)
        return error

    def _item_kept(self, obj: Any, index: Any) -> Any:
        if type(obj) is deque:
            self.note(self.builder.ref, index, True)
        else:
            self.note(self._keys, (index,), None)
        if type(obj) is defaultdict and index not in obj and obj.default_factory is not None:
            value = self.call(obj.default_factory)
            obj[index] = value
            return value
        try:
            found = do(dict.__getitem__ if type(obj) is defaultdict else type(obj).__getitem__, obj, index)
        except (KeyError, IndexError) as error:
            self.raising(error)
            raise
        return self.note(self._count, found) if type(obj) is Counter else found

    def store_kept_item(self, obj: Any, index: Any, value: Any) -> Any:
        if not self.is_kept(obj):
            return PASS
        if type(obj) is deque:
            self.note(self.builder.ref, index, True)
        else:
            self.note(self._keys, (index,), None)
        obj[index] = value
        return None

    def delete_kept_item(self, obj: Any, index: Any) -> Any:
        if not self.is_kept(obj):
            return PASS
        self.note(self._keys, (index,), None)
        del obj[index]
        return None

    def binary_of_dicts(self, op: str, a: Any, b: Any) -> Any:
        if op == "|" and type(a) is dict and type(b) is dict:
            self.note(self._joined, a, b)
            return a | b
        return PASS

    def inplace_containers(self, op: str, a: Any, b: Any) -> Any:
        if type(a) not in (dict, set) or self.builder.tracked.get(a) is not None:
            return PASS
        if type(a) is dict and type(b) is dict:
            self.note(self._joined, b)
        elif type(a) is set and type(b) in (set, frozenset):
            self.note(self.members, b)
        else:
            return PASS
        return INPLACE[op](a, b)

    def _joined(self, *dicts: Any) -> None:
        for one in dicts:
            self._gone_through(one)

    def _dicts_differ(self, a: Any, b: Any) -> bool | None:
        """Whether two dicts differ, each in keys or values; None where that is left to Python."""
        same = a.keys() == b.keys()
        if type(a) is type(b) is OrderedDict or (same and len(a) > MANY):
            return None
        for one in (a, b):
            self.note(self._gone_through, one)
        if not same:
            return True
        one, other = (tuple(self.getitem(own, key) for key in a) for own in (a, b))
        return bool(self._in_turn("!=", one, other))

    def compare_containers(self, op: str, a: Any, b: Any) -> Any:
        if op in ("==", "!=") and self._is_known_dict(a) and self._is_known_dict(b):
            if (differ := self._dicts_differ(a, b)) is not None:
                return differ is (op == "!=")
        if self.on and op in ("in", "not in") and self._holds_keys(b):
            self.note(self._keys, (a,), None)
            if type(b) in (set, frozenset):
                self.note(self.members, b)
            return self.compared(op, a, b)
        return PASS

    def _holds_keys(self, obj: Any) -> bool:
        """Whether what is in this was decided as it was made, or checked."""
        kind = type(obj)
        if id(obj) in self.builder.kept:
            return kind is not deque
        return kind is set or kind is frozenset

    def truth_of_kept(self, x: Any) -> Any:
        return bool(x) if self.is_kept(x) else PASS

    def attribute_of_kept(self, obj: Any, name: str, result: Any) -> Any:
        if type(obj) is types.FunctionType and name in _NAMES and type(result) is str:
            if self.builder.tracked.get(obj) is None:
                return result  # of a function that is decided
        if type(result) is types.BuiltinFunctionType:
            if id(obj) in self.builder.kept:
                return result
            if type(obj) is types.GeneratorType and self.builder.tracked.get(obj) is None:
                return result
        return PASS

    # -- what is drawn -----------------------------------------------------------------------------------

    def _drawn_from(self, fn: Any, args: tuple[Any, ...]) -> Any:
        """`send`, `throw` and `close` of a generator."""
        try:
            return do(fn, *args)
        except StopIteration as error:
            self.raising(error)
            raise


def _has_code(kind: type) -> bool:
    """Whether making an exception of this class runs code of the user's."""
    made = (kind.__init__, kind.__new__)  # type: ignore[misc]
    return any(isinstance(method, types.FunctionType) for method in made) and inlining.is_users_class(kind)
