"""Calls: of ops, of pure functions, of the user's own functions (recorded in their turn), and opaque ones."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import fast_random, inlining, purity
from npcompile.frontend.eager.dispatch import UPDATING
from npcompile.frontend.eager.errstate import TRAPS
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.graph_builder import SETITEM, _part
from npcompile.frontend.graph.memmaps import of_memmaps
from npcompile.frontend.graph.object_arrays import is_numpys
from npcompile.frontend.graph.options import with_default
from npcompile.frontend.graph.resize_refcount import counting
from npcompile.frontend.graph.visible_objects import HOLDING, JOINING
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE, TORCH, Op, native
from npcompile.frontend.program.array_facts import facts, from_tensor, is_array, to_tensor
from npcompile.frontend.program.bound_methods import After, Method, as_called, target_of
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.guards import ArrayMatches
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.program.reads import ReadTensor
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import fill
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.opaque_calls import Opaque
from npcompile.frontend.record.state import SIMPLE
from npcompile.frontend.record.user_functions import MAX_OWN_DEPTH
from npcompile.frontend.rewrite.call_sites import as_noted, do, frames, warn, warn_at
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.lower.plan.attributes import attributes
from npcompile.lower.plan.values import Value

_COMPARED = (int, float, bool, *(dtype.type for dtype in TORCH))  # what min and max compare by value
# Methods that write into their array, and the functions that give what is then in it.
_IN_PLACE = {np.ndarray.fill: None, np.ndarray.sort: np.sort, np.ndarray.partition: np.partition}
_KEYS = (*_COMPARED, complex, tuple, list)

# Lists of more things are no arguments of what is recorded: each of them would be looked at.
MOST_ITEMS = 4096


class Calls(Opaque):
    """`f(a)`, by what is known of `f`."""

    def call_plain(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Any call where nothing is recorded."""
        if (resize := counting(fn)) is not None:
            self.end_for_resize()
            return resize(*args, **kwargs)
        if self.fast_random and (draw := fast_random.draw_of(fn, args, kwargs)) is not None:
            return self._draw(draw)  # type: ignore[attr-defined]
        if id(fn) in self.inner_functions:
            return self.inner(fn, args, kwargs)
        if self.inside_numpy and type(fn) is types.BuiltinFunctionType:
            fn = numpy_private.public(fn)
        return do(fn, *args, **kwargs)

    def end_for_resize(self) -> None:
        """Follow nothing any more, before an array is resized."""
        self.stop(Cause.RESIZE())
        self.let_go()

    def call_inner_function(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.inner(fn, args, kwargs) if id(fn) in self.inner_functions else PASS

    def call_warn(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._warn(*args, **kwargs)

    def call_from_numpy(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 1 or not is_array(args[0]):
            return PASS
        result = to_tensor(args[0])
        return self.note(self.builder.call, "host", to_tensor, args, {}, result)

    def call_copyto(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 2 or not is_array(args[0]):
            return PASS
        result = do(fn, *args, **kwargs)
        return self.note(self.builder.copied, args[0], args[1], kwargs.get("where", True), result)

    def call_getattr(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != (2 if fn is getattr else 3):
            return PASS
        self.note(self.builder.ref, args[1], True)  # a name decides
        return self.getattr(*args) if fn is getattr else self.setattr(*args)

    def call_bool(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.truth(args[0]) if len(args) == 1 else PASS

    def call_builtin(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if fn.__self__ is not None and TABLE.of(fn) is None:
            return self._method(fn, args, kwargs)
        return PASS

    def call_method(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_array(fn.__self__) and not of_memmaps(fn.__self__, fn.__name__):
            return self._method(fn, args, kwargs)
        return PASS

    def call_op(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (op := TABLE.of(fn)) is None:
            return PASS
        if any(type(arg) in (list, tuple) and len(arg) > MOST_ITEMS for arg in args):
            self.stop(Cause.ONE_BY_ONE(op.name, MOST_ITEMS))
            return self.call(fn, *args, **kwargs)
        return self._numpy(op, fn, args, kwargs)

    def call_callable(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An object of the user's with `__call__`, and any other callable."""
        if inlining.is_called_by_users(fn):
            return self.call(self.getattr(fn, "__call__"), *args, **kwargs)
        return self._listed(fn, args, kwargs)

    def _warn(self, message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
        """`warnings.warn`: of the line that it names now, where that is the function's or a helper's."""
        inside = []
        for frame in frames():
            inside.append(frame)
            if frame.f_code is self.builder.code:
                break
        if stacklevel <= len(inside):
            frame = inside[max(stacklevel, 1) - 1]
            place = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
            told = functools.partial(warn_at, place)
            self._opaque(Call("warn", told), told, (message, category, source), {})
        else:
            told = functools.partial(warn, stacklevel=stacklevel - len(inside) + 1)
            function = functools.partial(warn, stacklevel=stacklevel)
            self._opaque(Call("warn", told), function, (message, category), {})

    def _number(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        if kwargs or (fn in (min, max) and any(type(arg) not in _COMPARED for arg in args)):
            numbers = type(args[0]) in (list, tuple) and len(args) == 1 and not kwargs
            if not (numbers and all(type(item) in _COMPARED for item in args[0])):
                self.builder.ref(kwargs)
                if fn in (min, max):
                    raise Unfollowed(Cause.NOT_NUMBERS(fn.__name__))
        if any(is_array(arg) for arg in args):
            if fn is abs:
                return self._ufunc(np.absolute, args, kwargs, result)
            if is_array(result):
                raise Unfollowed(Cause.BUILTIN_OF_ARRAY(fn.__name__))
        if fn is abs and isinstance(args[0], np.generic):
            return self._ufunc(np.absolute, args, kwargs, result)
        return self.builder.number(fn, args, kwargs, result)

    def _structural(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        if fn is np.result_type:  # it asks numbers for their types alone
            args = tuple(
                [arg for arg in args if type(arg) not in NUMBERS and not isinstance(arg, np.generic)]
            )
        if fn not in (isinstance, type, callable, hasattr, id, issubclass, np.shape, np.ndim, np.size):
            for arg in (*args, *kwargs.values()):  # NumPy's functions ask arrays for their types and shapes
                self.builder.ref(arg, fn is range or not is_array(arg))
        self.builder.asked(*args)
        if fn is id:
            return self.identity(args[0], result)
        if fn in (isinstance, issubclass, callable, hasattr):
            self.ask_again(fn, args, result)
        if fn is np.errstate and any(mode in TRAPS for mode in (*args, *kwargs.values())):
            raise Unfollowed(Cause.ERRSTATE())
        if fn is np.broadcast:  # its shape is decided, what it goes through is not
            return result
        self.builder.constant(result)
        if type(result) not in (bool, *NUMBERS, tuple, range, slice, type, np.dtype):
            self.builder.tracked.keep(result, None)
        return result

    def _walkable(self, fn: Any, obj: Any) -> Any:
        if is_array(obj) and (obj.ndim or fn is not iter):  # else it raises
            return list(self.iterate(obj)) if fn is reversed else self.iterate(obj)
        known = type(obj) in SIMPLE or id(obj) in self.builder.containers
        if not self.is_walked(obj) or (not known and self.builder.tracked.node(obj) is not None):
            self.stop(Cause.ITEMS_NOT_FOLLOWED(fn.__name__, type(obj).__name__))
        elif self.on:  # what is made of it holds what was read
            self.note(self._gone_through, obj)
        return obj

    def _builtin(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if fn is len:
            result = do(fn, *args, **kwargs)
            return self.note(self._length, args[0], result)
        if fn is sum and args and not kwargs:
            total: Any = args[1] if len(args) > 1 else 0
            if len(args) == 1:
                self.builder.constant(total)
            items = iter(self.iterate(args[0]))
            for item in items:
                total = self.binary("+", total, item)
                if self.done:
                    return do(sum, items, total)
            return total
        if (fn is any or fn is all) and len(args) == 1 and not kwargs:
            items = iter(self.iterate(args[0]))
            for item in items:
                if self.truth(item) is (fn is any):
                    return fn is any
                if self.done:
                    return do(fn, items)
            return fn is all
        return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)

    def _numpy(self, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if op.function is SETITEM and not kwargs and len(args) == 3:
            result = do(fn, *args)
            self.note(lambda *_: self.builder.store(*args), result)
            return result
        if op.creates and self.default_float is not None:
            kwargs = with_default(fn, args, kwargs, self.default_float)
        args, kwargs = as_noted(self.builder.constant, op.function, args, kwargs)
        if kwargs.get("out") is not None:
            return self._into(op, fn, args, kwargs)
        try:
            reason = self._refuses(op, args, kwargs)
        except Exception as error:  # the predicate saw a call that NumPy will refuse itself
            reason = Cause.UNSUPPORTED(repr(error))
        result = do(*as_called(fn, args), **kwargs)
        if (
            args and result is args[0] and (op.view or op.function in shape_guards.HANDS_BACK)
        ):  # np.asarray, say
            return self.note(shape_guards.lies, self.builder, result)
        self.note(shape_guards.squeezes, self.builder, op, args)
        if op.function in UPDATING:
            return self.note(self._updated, op, args, kwargs, reason, result)
        if reason is None and not native(result):
            reason = self.builder.refusal = Cause.RESULT_DTYPE()
        if reason is not None:
            return self.note(self.builder.host, target_of(fn), args, kwargs, result)
        return self.note(self.builder.op, op, args, kwargs, result)

    def _updated(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Any, _: None) -> None:
        """NumPy has written into the first argument, which the op (or NumPy again) gives as a whole."""
        if reason is None:
            self.builder.update(op, args, kwargs)
        elif kwargs or not is_array(args[0]):
            raise Unfollowed(reason)
        else:
            self.builder.instead(After(op.function), args, args[0])

    def _into(self, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with out=: the value, then a write."""
        rest = {key: value for key, value in kwargs.items() if key != "out"}
        dst = kwargs["out"]
        if type(dst) is tuple and len(dst) == 1:
            dst = dst[0]
        result = do(*as_called(fn, args), **kwargs)
        return self.note(self._into_note, op, args, rest, dst, result)

    def _into_note(self, op: Op, args: tuple[Any, ...], rest: dict[str, Any], dst: Any, result: Any) -> Any:
        if dst is ...:  # out=...: an array in any case
            if (reason := self._refuses(op, args, rest)) is not None:
                raise Unfollowed(reason)
            return self.builder.op(op, args, rest, result)
        if type(dst) is tuple and all(is_array(item) for item in dst):
            return self._into_several(op, args, rest, dst, result)
        if not is_array(dst):
            raise Unfollowed(Cause.OUT_NEITHER())
        if "base" in op.accepts and "where" in rest:
            rest = {**rest, "base": dst}
        reason = self._refuses(
            op, args, {**{key: value for key, value in rest.items() if key != "base"}, "out": dst}
        )
        if reason is not None:
            raise Unfollowed(Cause.OUT_NOT_NATIVE_AS(reason))
        self._write_back(op, args, rest, dst)
        return result

    def _into_several(
        self, op: Op, args: tuple[Any, ...], rest: dict[str, Any], dst: tuple[Any, ...], result: Any
    ) -> Any:
        """out=(a, b): the values of all, then a write of each."""
        builder = self.builder
        base = {"base": dst} if "where" in rest else {}
        if (reason := self._refuses(op, args, {**rest, "out": dst})) is not None:
            raise Unfollowed(Cause.OUT_NOT_NATIVE_AS(reason))
        refs, named = builder.operands(op, args, {**rest, **base}, dst[0])
        node = builder.add("op", op, refs, named, Value("object"))
        attributes(node).result_count = len(dst)
        parts = [
            builder.add(
                "part",
                _part,
                (node, at),
                {},
                builder.value(item).renewed(builder.roots.new(), item.shape, None),
            )
            for at, item in enumerate(dst)
        ]
        for item, value in zip(dst, parts, strict=True):
            attributes(value).broadcast = True
            builder.write(item, value)
        return result

    def _at(self, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """`ufunc.at(a, index, ...)`: a write of the whole new array, by the op or by NumPy."""
        try:
            reason = self._refuses(op, args, kwargs)
        except Exception as error:  # the predicate saw a call that NumPy will refuse itself
            reason = Cause.UNSUPPORTED(repr(error))
        do(fn, *args, **kwargs)
        if reason is None:
            self.note(lambda _: self.builder.update(op, args, kwargs), None)
        else:
            after = After(fn, f"{fn.__self__.__name__}.at")
            self.note(lambda _: self.builder.instead(after, args, args[0]), None)

    def _host(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = as_noted(self.builder.constant, fn, args, kwargs)
        if kwargs.get("out") is not None:
            self.stop(Cause.OUT_NOT_NATIVE())
        result = do(*as_called(fn, args), **kwargs)
        return self.note(self.builder.host, target_of(fn), args, kwargs, result) if self.on else result

    def _view(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = do(fn, *args, **kwargs)
        return self.note(self.builder.call, "host", fn, args, kwargs, result)

    def _method(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A bound built-in method: of an array, a scalar, a ufunc, a container."""
        own, name = fn.__self__, fn.__name__
        if isinstance(own, types.ModuleType):
            return self._listed(fn, args, kwargs)
        if is_array(own):
            descriptor = np.ndarray.__dict__[name]
            op = TABLE.of(descriptor)
            if op is not None and op.function is np.ndarray.conj and args:
                return self.call(np.conjugate, own, *args, **kwargs)  # `out` by place
            if op is not None:
                return self._numpy(op, Method(fn), (own, *args), kwargs)
            if descriptor in purity.HOST_METHODS:
                return self._host(Method(fn), (own, *args), kwargs)
            if descriptor in _IN_PLACE:
                return self._in_place_method(descriptor, own, args, kwargs, fn)
            self.stop(Cause.ARRAY_MEMBER(name))
            return do(fn, *args, **kwargs)
        if isinstance(own, torch.Tensor) and name == "numpy" and not args:
            return self.note(self._from_tensor, own, fn(**kwargs) if kwargs else from_tensor(own))
        if isinstance(own, np.ufunc):
            op = TABLE.of_method(own, name)
            if op is not None:
                return (self._at if name == "at" else self._numpy)(op, fn, args, kwargs)
            if name in ("reduce", "accumulate", "reduceat", "outer") and is_numpys(own):
                return self._host(fn, args, kwargs)
            self.stop(Cause.MEMBER(own.__name__, name))
            return do(fn, *args, **kwargs)
        if isinstance(own, np.generic) and not kwargs:
            note = self.builder.number if name == "item" else self.builder.host
            result = do(fn, *args)
            return self.note(note, Call(name), (own, *args), {}, result)
        if type(own) is str and name == "format" and self.builder.traced(*args, *kwargs.values()):
            result = do(fn, *args, **kwargs)
            return self.note(self._made_text, fill, (own, *args), kwargs, result)
        if name == "append" and len(args) == 1 and not kwargs and self.grows(own):
            return self.append(own, *args)
        other = type(own) in DICTS and id(own) in self.builder.containers
        if (type(own) is dict or other) and not kwargs and (found := self.entry(own, name, args)):
            return found[0]
        if other or type(own) in (list, dict, set, tuple, str, bytes):
            outside = type(own) in HOLDING and self.builder.container_of(own) is not None
            shown = self.builder.given if name in JOINING else self.builder.tracked.meant
            result = do(fn, *(map(shown, args) if outside else args), **kwargs)
            if type(own) is list and name != "append":
                self.note(self.builder.tight, own)
            if (
                name in purity.READING_METHODS.get(type(own), ())
                and self.builder.tracked.get(own) is not None
            ):
                return self.note(self._asked_of, own, name, args, result)
            if other or type(own) in (list, dict, set):
                self.note(self._mutated, own, result)
            self.note(self._of_container, own, name, args, kwargs, result)
            return result
        if (method := vars(type(own)).get(name)) in purity.NUMBER_FUNCTIONS:
            return self._listed(method, (own, *args), kwargs)
        if self.builder.tracked.node(own) is not None:
            return self._opaque(Call(name), fn, (own, *args), kwargs, bound=True)
        return self._listed(fn, args, kwargs)

    def _of_container(self, own: Any, name: str, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
        """A method of a container, carried out already: what it compares, counts or makes into text is
        decided."""
        kind = type(own)
        if kind in (str, bytes):
            if self.builder.traced(own, *args, *kwargs.values()):
                raise Unfollowed(Cause.TRACED_TO_TEXT())
            self.builder.constant(result)
        elif kind in (dict, set):
            self._keys([arg for arg in args[: None if kind is set else 1] if type(arg) in _KEYS], result)
        elif name in ("index", "count", "remove"):
            if self._compare_themselves((*args, *own)):
                raise Unfollowed(Cause.COMPARE_THEMSELVES(kind.__name__, name))
            self._keys((args, *([own] if self.builder.traced(own) else ())), result)
            self.builder.constant(result)
        elif name in ("insert", "pop", "__getitem__"):
            self._keys(args[:1], result)
        elif name == "sort" and (kwargs or self.builder.traced(own)):
            raise Unfollowed(Cause.ORDER_OF_TRACED())
        return result

    def _compare_themselves(self, items: Iterable[Any]) -> bool:
        for item in items:
            kind = type(item)
            if kind is tuple or kind is list:
                if self._compare_themselves(item):
                    return True
            elif inlining.is_users_class(kind) and not is_plain(kind, "__eq__"):
                return True
        return False

    def _from_tensor(self, tensor: torch.Tensor, result: Any) -> Any:
        """`tensor.numpy()`: an array from outside, on the tensor's memory."""
        base = self.builder.ref(tensor)
        node = self.builder.add(
            "read", ReadTensor("numpy"), (base,), {}, self.builder.value(result, outside=True)
        )
        self.builder.guard(ArrayMatches(facts(result)), node)
        return self.builder.result(node, result)

    def _listed(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Any other callable, by the list that it is on; on none: opaque."""
        if (fn is str or fn is repr) and (text := self.shown_as(fn, args)) is not None:
            return text
        if fn is len or fn is sum or fn is print or fn is any or fn is all:
            return self._builtin(fn, args, kwargs)
        try:
            hash(fn)
        except TypeError:  # no list holds it
            return self._opaque(Call(getattr(fn, "__name__", type(fn).__name__), fn), fn, args, kwargs)
        if fn in purity.NUMBER_FUNCTIONS:
            result = do(fn, *args, **kwargs)
            return self.note(self._number, fn, args, kwargs, result)
        if fn in purity.STRUCTURE:
            given = map(self.builder.tracked.meant, args) if fn is id else args
            result = do(fn, *given, **kwargs)
            return self.note(self._structural, fn, args, kwargs, result)
        if fn in purity.WALKS:
            first = 1 if fn is enumerate else len(args)  # the second is where it starts to count
            return fn(*(self._walkable(fn, arg) for arg in args[:first]), *args[first:], **kwargs)
        if fn in purity.VIEWS:
            return self._view(fn, args, kwargs)
        if fn in purity.HOST_FUNCTIONS or (is_numpys(fn) and self.builder.tracked.node(fn) is None):
            return self._host(fn, args, kwargs)
        return self._opaque(Call(getattr(fn, "__name__", type(fn).__name__), fn), fn, args, kwargs)

    def _in_place_method(self, descriptor: Any, own: Any, args: Any, kwargs: Any, fn: Any) -> Any:
        result = do(fn, *args, **kwargs)
        if descriptor is np.ndarray.fill and len(args) == 1:
            self.note(lambda value, _: self.builder.write(own, self.builder.ref(value)), args[0], None)
        elif (op := TABLE.of(_IN_PLACE[descriptor])) is not None and self._refuses(
            op, (own, *args), kwargs
        ) is None:
            self.note(lambda _: self._write_back(op, (own, *args), kwargs, own), None)
        else:
            self.stop(Cause.ARRAY_MEMBER(descriptor.__name__))
        return result

    def call_function(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A Python function or method: rewritten in its turn, or opaque with the reason."""
        if hasattr(type(fn), "npcompile_function"):
            fn = self.note(self._unwrapped, fn, fn.npcompile_function())
        if isinstance(fn, types.MethodType):
            self.note(self._bound, fn, None)
            if fn.__self__ is _SHARED:
                self.builder.tracked.keep(_SHARED, None)
            fn, args = fn.__func__, (fn.__self__, *args)
            if not isinstance(fn, types.FunctionType):
                return self.call(fn, *args, **kwargs)
        self.note(self._given, fn, None)
        try:
            if fn in purity.HOST_FUNCTIONS:
                return self._host(fn, args, kwargs)
            if fn in purity.VIEWS:
                return self._view(fn, args, kwargs)
            if fn in purity.STRUCTURE:
                result = do(fn, *args, **kwargs)
                return self.note(self._structural, fn, args, kwargs, result)
        except TypeError:
            pass
        deep = len(self.closures) >= MAX_OWN_DEPTH
        rewritten = (
            rewrite(fn) if inlining.is_users(fn) and not (deep or inlining.looks_at_callers(fn)) else None
        )
        if not isinstance(rewritten, Rewritten):
            return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)
        if self.builder.tracked.node(fn) is None:
            self.gone_into[fn] = fn.__code__
        return self.run(rewritten, fn, args, kwargs)


_SHARED = np.random.mtrand._rand  # the generator of `np.random.rand` and the like
