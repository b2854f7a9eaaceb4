"""Checks a whole call: also inside the user's functions, and in methods that Python itself would call."""

from __future__ import annotations

import ast
import functools
import itertools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from npcompile.diagnostics import log
from npcompile.diagnostics.paths import PACKAGE
from npcompile.frontend.catalog import inlining
from npcompile.frontend.catalog.installed_packages import is_users_file
from npcompile.frontend.eager.errstate import traps
from npcompile.frontend.program.object_steps import class_attribute, is_plain
from npcompile.frontend.record.special_methods import COMPARED, MIRRORED, NAMES, UNARY
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.verify.hooks import Checked
from npcompile.verify.loop_check import LoopDifference, Native, makers
from npcompile.verify.loop_marks import marked
from npcompile.verify.loop_run import LoopRun

# Functions that ask a method of their argument.
_ASKING: dict[int, tuple[str, type | None]] = {
    id(f): (f"__{f.__name__}__", None) for f in (abs, round, iter, next)
}
_ASKING |= {id(f): (f"__{f.__name__}__", f) for f in (int, float, complex)} | {id(len): ("__len__", int)}
# Python's own functions that call their arguments, and use them in no other way.
_CALLING = [map, filter, sorted, min, max, functools.reduce, itertools.starmap, itertools.accumulate]
_CALLING += [itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.groupby]
_CALLING_IDS = {id(function) for function in _CALLING}


def _method(obj: Any, name: str) -> Any:
    """Return the user's function that Python calls as this special method of an object, or None."""
    found = class_attribute(type(obj), name)
    plain = inlining.unwrapped(found, ())[0]
    return plain if isinstance(plain, types.FunctionType) and inlining.is_users(plain) else None


class CheckedRun(Checked):
    """Checks a whole call. `skipped` names functions of the user's that could not be looked into."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped: dict[str, None] = {}
        self._looked_into: set[types.CodeType] = set()
        self.loops = 0  # runs of native loops that were compared
        self._natives: dict[tuple[types.FunctionType, ast.stmt], Native] = {}
        self._run_at_hand: LoopRun | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note which functions of the user's Python calls as they are."""
        before = sys.getprofile()

        def look(frame: types.FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            if event != "call" or code in self._looked_into or code.co_filename.startswith((PACKAGE, "<")):
                return
            if is_users_file(code.co_filename) and not self._is_part(frame):
                name = log.function_at(code.co_qualname, code.co_filename, code.co_firstlineno)
                self.skipped[name] = None

        sys.setprofile(look)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _is_part(self, frame: types.FrameType) -> bool:
        """Tell if this is code within a function that is looked into: a comprehension, a nested function."""
        return any(value is self for value in frame.f_locals.values())

    def enter(self, fn: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the user's, on these hooks."""
        rewritten = rewrite(fn)
        if isinstance(rewritten, Rewritten):
            fn = marked(fn, self._begin_loop)
            rewritten = rewrite(fn)
        if not isinstance(rewritten, Rewritten):
            return fn(*args, **kwargs)
        self._note_codes(rewritten.code)
        return rewritten.bind(fn, self)(*args, **kwargs)

    def _note_codes(self, code: types.CodeType) -> None:
        if code not in self._looked_into:
            self._looked_into.add(code)
            for const in code.co_consts:
                if isinstance(const, types.CodeType):
                    self._note_codes(const)

    # -- native loops ----------------------------------------------------------------------------------------

    def _begin_loop(self, fn: types.FunctionType, node: ast.stmt, iterator: Any) -> LoopRun | None:
        """Return the run of a loop that begins; None within a loop that is compared as a whole."""
        at_hand = self._run_at_hand
        if (at_hand is not None and at_hand.is_native) or self.difference is not None or traps():
            return None
        native = self._natives.get((fn, node))
        if native is None:
            native = self._natives[fn, node] = makers[0](fn, node)
        run = self._run_at_hand = LoopRun(native, node, fn.__code__.co_filename, iterator, self._end_loop)
        return run

    def _end_loop(self, difference: LoopDifference | None) -> None:
        self.loops += difference is None
        self.difference = self.difference or difference

    # -- calls -----------------------------------------------------------------------------------------------

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        inner, given = inlining.unwrapped(fn, args)
        if isinstance(inner, types.FunctionType) and inlining.is_users(inner):
            return self.enter(inner, given, kwargs)
        if type(fn) is functools.partial:
            return self.call(fn.func, *fn.args, *args, **{**fn.keywords, **kwargs})
        if isinstance(fn, type) and (init := self._init_of(fn)) is not None:
            made: Any = object.__new__(fn)
            if self.enter(init, (made, *args), kwargs) is not None:
                raise TypeError(f"__init__() should return None, not '{type(made).__name__}'")
            return made
        if (method := _method(fn, "__call__")) is not None:
            return self.call(method, fn, *args, **kwargs)
        if id(fn) in _CALLING_IDS:
            args = tuple([self._calling(arg) for arg in args])
            kwargs = {name: self._calling(arg) for name, arg in kwargs.items()}
        elif args and not kwargs and id(fn) in _ASKING:
            name, kind = _ASKING[id(fn)]
            if (method := _method(args[0], name)) is not None:
                result = self.call(method, *args)
                if kind is None or type(result) is kind:  # else Python raises its own error
                    return result
        elif (fn is list or fn is tuple) and len(args) == 1 and not kwargs:
            args = (self.iterate(args[0]),)
        return super().call(fn, *args, **kwargs)

    def _calling(self, arg: Any) -> Any:
        """Return an argument with functions, which the callee may call, on these hooks."""
        called = isinstance(arg, types.FunctionType | types.MethodType | np.ufunc | functools.partial)
        return functools.partial(self.call, arg) if called else arg

    def _init_of(self, kind: type) -> Any:
        usual = class_attribute(type(kind), "__call__") is type.__dict__["__call__"]
        if not usual or not is_plain(kind, "__new__"):
            return None
        found = class_attribute(kind, "__init__")
        plain = inlining.unwrapped(found, ())[0]
        followed = isinstance(plain, types.FunctionType) and inlining.is_users(plain)
        return plain if followed and isinstance(rewrite(plain), Rewritten) else None

    # -- operators and other special methods -----------------------------------------------------------------

    def binary(self, op: str, a: Any, b: Any) -> Any:
        names = f"__{NAMES[op]}__", f"__r{NAMES[op]}__"
        found = self._first_that_answers(a, b, *names)
        return super().binary(op, a, b) if found is NotImplemented else found

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        method = _method(a, f"__i{NAMES[op]}__")
        if method is not None and (result := self.call(method, a, b)) is not NotImplemented:
            return result
        if method is not None or class_attribute(type(a), f"__i{NAMES[op]}__") is None:
            found = self._first_that_answers(a, b, f"__{NAMES[op]}__", f"__r{NAMES[op]}__")
            if found is not NotImplemented:
                return found
        return super().inplace(op, a, b)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        if op in COMPARED:
            found = self._first_that_answers(a, b, COMPARED[op], COMPARED[MIRRORED[op]], True)
            if found is not NotImplemented:
                return found
        elif op in ("in", "not in") and (method := _method(b, "__contains__")) is not None:
            return self.truth(self.call(method, b, a)) is (op == "in")
        return super().compare(op, a, b)

    def _first_that_answers(self, a: Any, b: Any, forward: str, backward: str, compared: bool = False) -> Any:
        """Return the answer of the first method that has one, in Python's order; NotImplemented if neither is
        the user's."""
        one, other = type(a), type(b)
        mirrored = compared or one is not other
        if _method(a, forward) is None and (not mirrored or _method(b, backward) is None):
            return NotImplemented
        tries = [(a, b, forward)] + ([(b, a, backward)] if mirrored else [])
        if one is not other and issubclass(other, one):
            if compared or class_attribute(one, backward) is not class_attribute(other, backward):
                tries.reverse()
        for own, operand, name in tries:
            if (method := _method(own, name)) is not None:
                result = self.call(method, own, operand)
            elif (held := getattr(type(own), name, None)) is not None:
                result = held(own, operand)
            else:
                continue
            if result is not NotImplemented:
                return result
        return NotImplemented

    def unary(self, op: str, a: Any) -> Any:
        method = _method(a, UNARY[op])
        return super().unary(op, a) if method is None else self.call(method, a)

    def truth(self, value: Any) -> bool:
        if (method := _method(value, "__bool__")) is not None:
            result = self.call(method, value)
            return super().truth(result) if type(result) is bool else super().truth(value)
        return super().truth(value)

    def getitem(self, obj: Any, index: Any) -> Any:
        method = _method(obj, "__getitem__")
        return super().getitem(obj, index) if method is None else self.call(method, obj, index)

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        method = _method(obj, "__setitem__")
        if method is None:
            super().setitem(obj, index, value)
        else:
            self.call(method, obj, index, value)

    def getattr(self, obj: Any, name: str) -> Any:
        found = None if isinstance(obj, type) else class_attribute(type(obj), name)
        if type(found) is property and found.fget is not None:
            return self.call(found.fget, obj)
        return super().getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        found = None if isinstance(obj, type) else class_attribute(type(obj), name)
        if type(found) is property and found.fset is not None:
            self.call(found.fset, obj, value)
        else:
            super().setattr(obj, name, value)

    def iterate(self, obj: Any) -> Any:
        method = _method(obj, "__iter__")
        return super().iterate(obj) if method is None else self.call(method, obj)

    def unpack(self, value: Any, count: int) -> Any:
        return self.iterate(value)

    def unpack_star(self, value: Any, before: int, after: int) -> Any:
        return self.iterate(value)

    def manager(self, obj: Any) -> Any:
        enter, leave = _method(obj, "__enter__"), _method(obj, "__exit__")
        return _Managing(self, obj) if enter is not None and leave is not None else obj


class _Managing:
    """A context manager of the user's, entered and left by the hooks."""

    def __init__(self, hooks: CheckedRun, obj: Any) -> None:
        self._hooks, self._obj = hooks, obj

    def __enter__(self) -> Any:
        return self._hooks.call(type(self._obj).__enter__, self._obj)

    def __exit__(self, *error: Any) -> Any:
        return self._hooks.call(type(self._obj).__exit__, self._obj, *error)
