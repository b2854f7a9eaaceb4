"""Recording: hooks that do exactly what Python does, on the real NumPy objects, and note what they did."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from npcompile.frontend import follow, pure
from npcompile.frontend.arrays import facts, from_tensor, is_array, is_numpy, layout, to_tensor
from npcompile.frontend.defaults import with_default
from npcompile.frontend.dispatch import map_arrays
from npcompile.frontend.errstate import TRAPS
from npcompile.frontend.hooks import Hooks
from npcompile.frontend.notes import GETITEM, SETITEM, Notes, Unfollowed, is_basic
from npcompile.frontend.rewrite import Rewritten, rewrite
from npcompile.frontend.program import Call, Program, Read
from npcompile.frontend.signature import NUMBERS
from npcompile.frontend.table import TABLE, TORCH, Op
from npcompile.frontend.tracked import fresh

# A loop is unrolled into the program up to this many trips; loops proper are units, which are still to come.
MAX_TRIPS = 32
# Functions called from the function, and from those: no deeper than this.
MAX_DEPTH = 30

_plain = Hooks()
_SIMPLE = (list, tuple, dict, str, bytes, set, frozenset, range, slice, type(None), bool, type(Ellipsis))
_WALKERS = (enumerate, zip, reversed, type(iter(range(0))), type(iter([])), type(iter(())), map, filter)


class Recorder(Hooks):
    """One recording of one call. After `stop` (or on another thread) the hooks do what Python does and nothing else."""

    def __init__(self, filename: str, default_float: np.dtype[Any] | None = None, libraries: bool = True) -> None:
        self.notes = Notes(filename, libraries)
        self.active = True
        self.reason: str | None = None  # why the recording was given up
        self.at: int | None = None  # the user's line where it was
        self.host_calls = 0
        self.default_float = default_float
        self._thread = threading.get_ident()
        self._inner: dict[int, Any] = {}  # functions made inside: they are rewritten already
        self._cells: list[dict[str, Any]] = []  # of the functions being run: closure cells by name
        self._seen: dict[Any, tuple[Any, Any]] = {}  # what has been read from outside: place -> (value, handed on)

    # -- state -------------------------------------------------------------------------------------------------

    def stop(self, reason: str) -> None:
        """Give the recording up; the call itself goes on."""
        if self.active:
            self.active = False
            self.reason = reason
            self.at = self.notes.line()

    @property
    def on(self) -> bool:
        return self.active and threading.get_ident() == self._thread

    def _note(self, note: Callable[..., Any], *args: Any) -> Any:
        """Run a note; what cannot be followed ends the recording, never the user's call. Its last argument is the
        result that Python gave, and stays the result then."""
        try:
            return note(*args)
        except Unfollowed as reason:
            self.stop(str(reason))
        return args[-1]

    def _refuses(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        if self.notes.devices:
            args, kwargs = _layouts(args), _layouts(kwargs)
        return op.refuses(args, kwargs)

    # -- operators ---------------------------------------------------------------------------------------------

    def binary(self, op: str, a: Any, b: Any) -> Any:
        result = pure.OPERATORS[op](a, b)
        return self._note(self._operator, op, a, b, result) if self.on else result

    def compare(self, op: str, a: Any, b: Any) -> Any:
        result = _plain.compare(op, a, b)
        if op in pure.OPERATORS and self.on:
            return self._note(self._operator, op, a, b, result)
        if op in ("in", "not in") and self.on and self.notes.traced(a, b):
            self._note(self._contained, op, a, b, result)
        if op in ("is", "is not") and self.on:
            self._note(self._identity, a, b, result)
        return result

    def _identity(self, a: Any, b: Any, result: bool) -> None:
        """Whether two things are one object is a decision, but for None and the like: their types decide."""
        if any(thing is None or thing is Ellipsis or isinstance(thing, bool | type) for thing in (a, b)):
            return
        one, other = self.notes.tracked.node(a), self.notes.tracked.node(b)
        if one is None and other is None:
            return
        if type(a) in NUMBERS or type(b) in NUMBERS or isinstance(a, np.generic) or isinstance(b, np.generic):
            raise Unfollowed("`is` on numbers")
        if a is not b:
            nodes = [node for node in (one, other) if node is not None]
            self.notes.guard("other", a if one is None else b, *nodes)

    def _contained(self, op: str, a: Any, b: Any, result: bool) -> None:
        raise Unfollowed(f"`{op}` on traced values")

    def _operator(self, op: str, a: Any, b: Any, result: Any) -> Any:
        if is_numpy(a) or is_numpy(b):
            if not is_numpy(result):
                if self.notes.traced(a, b):
                    raise Unfollowed(f"`{op}` of {type(a).__name__} and {type(b).__name__}")
                return result
            ufunc = pure.UFUNCS[op]
            return self._ufunc(ufunc, (a, b), {}, result)
        if type(a) in (*NUMBERS, bool) and type(b) in (*NUMBERS, bool):
            return self.notes.number(pure.OPERATORS[op], (a, b), {}, result)
        if type(a) in _SIMPLE or type(b) in _SIMPLE:
            if self.notes.traced(a, b) and not isinstance(result, list | tuple):
                raise Unfollowed(f"`{op}` of {type(a).__name__} and {type(b).__name__}")
            return result
        if op in ("==", "!=") and isinstance(result, bool) and not self.notes.traced(a, b):
            return result  # dtypes, types and the like
        raise Unfollowed(f"`{op}` of {type(a).__name__} and {type(b).__name__}")

    def _ufunc(self, ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        op = TABLE.of(ufunc)
        if op is None or self._refuses(op, args, kwargs) is not None:
            self.host_calls += 1
            return self.notes.host(ufunc, args, kwargs, result)
        return self.notes.op(op, args, kwargs, result)

    def inplace(self, op: str, a: Any, b: Any) -> Any:
        if is_array(a) and self.on:
            known = self.notes.tracked.node(a)
            before = self._ref_or_stop(b)
            result = _plain.inplace(op, a, b)
            if known is not None and before is not None:
                self._note(self._inplace, op, a, b, result)
            elif known is None:
                self.stop("an in-place operator on an array of unknown origin")
            return result
        if type(a) in (*NUMBERS, bool, str, tuple) or isinstance(a, np.generic):
            return self.binary(op, a, b)
        result = _plain.inplace(op, a, b)
        if self.on:
            if type(a) is list:
                self._note(self._mutated, a, result)
            else:
                self.stop(f"`{op}=` on {type(a).__name__}")
        return result

    def _ref_or_stop(self, obj: Any) -> Any:
        try:
            self.notes.ref(obj)
            return True
        except Unfollowed as reason:
            self.stop(str(reason))
            return None

    def _inplace(self, op: str, a: Any, b: Any, result: Any) -> Any:
        ufunc = pure.UFUNCS[op]
        entry = TABLE.of(ufunc)
        reason = "" if entry is None else self._refuses(entry, (a, b), {})
        if entry is None or reason is not None:
            raise Unfollowed(f"`{op}=`: {reason or 'not an op yet'}")
        self._write_back(entry, (a, b), {}, a)
        return result

    def _write_back(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], dst: Any) -> None:
        """Note `dst[...] = op(*args)` (NumPy has carried it out already)."""
        notes = self.notes
        refs, named = notes.operands(op, args, kwargs, dst)
        value = notes.value(dst).renewed(notes.roots.new(), dst.shape, None)
        library = notes.in_library(op)
        if library:
            value = replace(value, dtype=TORCH.get(np.result_type(*_layouts(args))))
        node = notes.add("library" if library else "op", op, refs, named, value)
        notes.write(dst, node)

    def unary(self, op: str, a: Any) -> Any:
        result = pure.UNARY[op](a)
        return self._note(self._unary, op, a, result) if self.on else result

    def _unary(self, op: str, a: Any, result: Any) -> Any:
        if is_numpy(a):
            return self._ufunc(pure.UNARY_UFUNCS[op], (a,), {}, result)
        if type(a) in (*NUMBERS, bool):
            return self.notes.number(pure.UNARY[op], (a,), {}, result)
        raise Unfollowed(f"unary `{op}` on {type(a).__name__}")

    def truth(self, x: Any) -> bool:
        result = bool(x)
        if self.on and type(x) is not bool:
            self._note(self._truth, x, result)
        return result

    def _truth(self, x: Any, result: bool) -> None:
        if is_numpy(x) or type(x) in NUMBERS:
            ref = self.notes.ref(x)
            if ref is not x:
                self.notes.guard("truth", result, ref)
        elif type(x) not in _SIMPLE and not callable(x) and type(x) not in (np.dtype,):
            raise Unfollowed(f"the truth of a {type(x).__name__}")

    # -- calls -------------------------------------------------------------------------------------------------

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not self.on or id(fn) in self._inner:
            return fn(*args, **kwargs)
        op = TABLE.of(fn)
        if fn is torch.from_numpy and len(args) == 1 and is_array(args[0]):
            return self._note(self.notes.host, to_tensor, args, {}, to_tensor(args[0]))
        if fn is getattr and len(args) == 2:
            return self.getattr(*args)
        if op is None and type(fn) is types.BuiltinFunctionType and fn.__self__ is not None:
            return self._method(fn, args, kwargs)
        if type(fn) is types.MethodType and is_array(fn.__self__):
            return self._method(fn, args, kwargs)
        if op is not None:
            return self._numpy(op, fn, args, kwargs)
        if isinstance(fn, types.FunctionType | types.MethodType) or hasattr(type(fn), "npcompile_function"):
            return self._function(fn, args, kwargs)
        try:
            listed = (
                "number"
                if fn in pure.NUMBER_FUNCTIONS
                else "structure"
                if fn in pure.STRUCTURE
                else "walk"
                if fn in pure.WALKS
                else "host"
                if fn in pure.HOST_FUNCTIONS or isinstance(fn, np.ufunc)
                else "opaque"
            )
        except TypeError:  # an unhashable callable
            listed = "opaque"
        if listed == "host":
            return self._host(fn, args, kwargs)
        if listed == "walk":
            args = tuple(self._walkable(arg) for arg in args)
            return fn(*args, **kwargs)
        if fn is len or fn is sum or fn is print:
            return self._builtin(fn, args, kwargs)
        if listed == "opaque":
            return self._opaque(Call(getattr(fn, "__name__", repr(fn)), fn), fn, args, kwargs)
        result = fn(*args, **kwargs)
        return self._note(self._number if listed == "number" else self._structural, fn, args, kwargs, result)

    def _number(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        if any(is_array(arg) for arg in args):
            if fn is abs:
                return self._ufunc(np.absolute, args, kwargs, result)
            if is_array(result):
                raise Unfollowed(f"{fn.__name__} of an array")
        if fn is abs and isinstance(args[0], np.generic):
            return self._ufunc(np.absolute, args, kwargs, result)
        return self.notes.number(fn, args, kwargs, result)

    def _structural(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        if fn not in (isinstance, type, callable, hasattr, id, issubclass, np.shape, np.ndim, np.size):
            self.notes.ref(args, True)
            self.notes.ref(kwargs, True)
        if fn is id:
            raise Unfollowed("id() of an object")
        if fn is np.errstate and any(mode in TRAPS for mode in (*args, *kwargs.values())):
            raise Unfollowed("np.errstate asks for exceptions or callbacks")
        self.notes.constant(result)
        if type(result) not in (bool, *NUMBERS, tuple, range, slice, type, np.dtype):
            self.notes.tracked.keep(result, None)
        return result

    def _walkable(self, obj: Any) -> Any:
        return self.iterate(obj) if is_array(obj) else obj

    def _builtin(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if fn is len:
            result = fn(*args, **kwargs)
            self._note(self._length, args[0], result)
            return result
        if fn is sum and args and not kwargs:
            total: Any = args[1] if len(args) > 1 else 0
            if len(args) == 1:
                self.notes.constant(total)
            for item in self.iterate(args[0]):
                total = self.binary("+", total, item)
            return total
        return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)

    def _length(self, obj: Any, result: int) -> None:
        if not is_array(obj) and type(obj) not in _SIMPLE:
            raise Unfollowed(f"len() of a {type(obj).__name__}")
        self.notes.constant(result)

    def _numpy(self, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if op.function is SETITEM and not kwargs and len(args) == 3:
            result = fn(*args)
            self._note(lambda *_: self.notes.store(*args), result)
            return result
        if op.creates and self.default_float is not None:
            kwargs = with_default(fn, args, kwargs, self.default_float)
        ufunc = op.function
        if isinstance(ufunc, np.ufunc) and ufunc.nout == 1 and len(args) == ufunc.nin + 1 and "out" not in kwargs:
            args, kwargs = args[:-1], {**kwargs, "out": args[-1]}
        if kwargs.get("out") is not None:
            return self._into(op, fn, args, kwargs)
        try:
            reason = self._refuses(op, args, kwargs)
        except Exception as error:  # the predicate saw a call that NumPy will refuse itself
            reason = repr(error)
        result = fn(*args, **kwargs)
        if reason is not None:
            self.host_calls += 1
            return self._note(self.notes.host, _target(fn), args, kwargs, result)
        return self._note(self.notes.op, op, args, kwargs, result)

    def _into(self, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with out=: the value, then a write."""
        rest = {key: value for key, value in kwargs.items() if key != "out"}
        dst = kwargs["out"]
        if type(dst) is tuple and len(dst) == 1:
            dst = dst[0]
        result = fn(*args, **kwargs)
        return self._note(self._into_note, op, args, rest, dst, result)

    def _into_note(self, op: Op, args: tuple[Any, ...], rest: dict[str, Any], dst: Any, result: Any) -> Any:
        if not is_array(dst):
            raise Unfollowed("out= that is not one array")
        if isinstance(op.function, np.ufunc) and "where" in rest:
            rest = {**rest, "base": dst}
        reason = self._refuses(op, args, {**{key: value for key, value in rest.items() if key != "base"}, "out": dst})
        if reason is not None:
            raise Unfollowed(f"out= of a call that is not native: {reason}")
        self._write_back(op, args, rest, dst)
        return result

    def _host(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = fn(*args, **kwargs)
        self.host_calls += 1
        if kwargs.get("out") is not None:
            self.stop("out= of a call that is not native")
            return result
        return self._note(self.notes.host, _target(fn), args, kwargs, result)

    def _method(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A bound built-in method: of an array, a scalar, a ufunc, a container."""
        own, name = fn.__self__, fn.__name__
        if isinstance(own, types.ModuleType):
            return self._listed(fn, args, kwargs)
        if is_array(own):
            descriptor = np.ndarray.__dict__[name]
            op = TABLE.of(descriptor)
            if op is not None:
                return self._numpy(op, _Method(fn), (own, *args), kwargs)
            if descriptor in pure.HOST_METHODS:
                return self._host(_Method(fn), (own, *args), kwargs)
            if descriptor is np.ndarray.fill or descriptor is np.ndarray.sort:
                return self._in_place_method(descriptor, own, args, kwargs, fn)
            result = fn(*args, **kwargs)
            self.stop(f"ndarray.{name}")
            return result
        if isinstance(own, torch.Tensor) and name == "numpy" and not args:
            return self._note(self._from_tensor, own, fn(**kwargs) if kwargs else from_tensor(own))
        if isinstance(own, np.ufunc):
            op = TABLE.of_method(own, name)
            if op is not None:
                return self._numpy(op, fn, args, kwargs)
            if name in ("reduce", "accumulate", "reduceat", "outer"):
                return self._host(fn, args, kwargs)
            result = fn(*args, **kwargs)
            self.stop(f"{own.__name__}.{name}")
            return result
        if isinstance(own, np.generic) and not kwargs:
            result = fn(*args)
            if name == "item":
                return self._note(self.notes.number, Call("item"), (own, *args), {}, result)
            return self._note(self.notes.host, Call(name), (own, *args), {}, result)
        if type(own) in (list, dict, set, tuple, str, bytes):
            result = fn(*args, **kwargs)
            if type(own) in (list, dict, set):
                self._note(self._mutated, own, result)
                if name in ("index", "count"):
                    self.notes.constant(result)
            elif type(own) is str and self.notes.traced(*args, *kwargs.values()):
                self.stop("a traced value made into text")
            else:
                self.notes.constant(result)
            return result
        if self.notes.tracked.node(own) is not None:
            return self._opaque(Call(name), fn, (own, *args), kwargs, bound=True)
        return self._listed(fn, args, kwargs)

    def _from_tensor(self, tensor: torch.Tensor, result: Any) -> Any:
        """`tensor.numpy()`: an array from outside, on the tensor's memory."""
        base = self.notes.ref(tensor)
        node = self.notes.add("read", Read("tensor", "numpy"), (base,), {}, self.notes.value(result, outside=True))
        self.notes.guard("array", facts(result), node)
        return self.notes.result(node, result)

    def _listed(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A built-in function of a module."""
        if fn is len or fn is sum or fn is print:
            return self._builtin(fn, args, kwargs)
        if fn in pure.NUMBER_FUNCTIONS:
            return self._note(self._number, fn, args, kwargs, fn(*args, **kwargs))
        if fn in pure.STRUCTURE:
            return self._note(self._structural, fn, args, kwargs, fn(*args, **kwargs))
        if fn in pure.WALKS:
            return fn(*(self._walkable(arg) for arg in args), **kwargs)
        if fn in pure.HOST_FUNCTIONS:
            return self._host(fn, args, kwargs)
        return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)

    def _mutated(self, container: Any, result: Any) -> Any:
        """A method of a container: fine on one made inside the function; one from outside would need a store."""
        if self.notes.tracked.get(container) is not None:
            raise Unfollowed("a container from outside is used in place")
        return result

    def _in_place_method(self, descriptor: Any, own: Any, args: Any, kwargs: Any, fn: Any) -> Any:
        result = fn(*args, **kwargs)
        if descriptor is np.ndarray.fill and len(args) == 1:
            self._note(lambda value, _: self.notes.write(own, self.notes.ref(value)), args[0], None)
        elif (op := TABLE.of(np.sort)) is not None and self._refuses(op, (own, *args), kwargs) is None:
            self._note(lambda _: self._write_back(op, (own, *args), kwargs, own), None)
        else:
            self.stop(f"ndarray.{descriptor.__name__}")
        return result

    def _opaque(self, call: Call, fn: Any, args: Any, kwargs: Any, bound: bool = False) -> Any:
        """Anything else: called as it is, and again at replay. What goes on inside is not noted."""
        self.active = False
        try:
            result = fn(*(args[1:] if bound else args), **kwargs)
        finally:
            self.active = True
        self._seen.clear()  # what is read after it is read again
        if fn is print:
            return self._note(self.notes.effect, call, args, kwargs, result)
        return self._note(self.notes.opaque, call, args, kwargs, result)

    def _function(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A Python function or method: rewritten in its turn, or opaque with the reason."""
        if hasattr(type(fn), "npcompile_function"):
            fn = fn.npcompile_function()
        if isinstance(fn, types.MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
            if not isinstance(fn, types.FunctionType):
                return self.call(fn, *args, **kwargs)
        try:
            if fn in pure.HOST_FUNCTIONS:
                return self._host(fn, args, kwargs)
            if fn in pure.STRUCTURE:
                return self._note(self._structural, fn, args, kwargs, fn(*args, **kwargs))
        except TypeError:
            pass
        rewritten = rewrite(fn) if follow.is_users(fn) and len(self._cells) < MAX_DEPTH else None
        if not isinstance(rewritten, Rewritten):
            return self._opaque(Call(fn.__name__, fn), fn, args, kwargs)
        return self.run(rewritten, fn, args, kwargs)

    def run(self, rewritten: Rewritten, fn: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a function, rewritten, on these hooks; its literals and defaults are known."""
        for literal in rewritten.constants:
            self._note(self.notes.constant, literal)
        for default in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
            self._note(self.notes.constant, default)
        cells = fn.__closure__ or ()
        self._cells.append(dict(zip(fn.__code__.co_freevars, cells, strict=True)))
        try:
            return rewritten.bind(fn, self)(*args, **kwargs)
        finally:
            self._cells.pop()

    # -- attributes and items ----------------------------------------------------------------------------------

    def getattr(self, obj: Any, name: str) -> Any:
        result = getattr(obj, name)
        return self._note(self._getattr, obj, name, result) if self.on else result

    def _getattr(self, obj: Any, name: str, result: Any) -> Any:
        if is_array(obj):
            if name in pure.ARRAY_FACTS:
                self.notes.constant(result)
                return result
            if name == "device" and isinstance(result, str):
                return result
            op = TABLE.of(np.ndarray.__dict__.get(name))
            if type(result) in (types.BuiltinFunctionType, types.MethodType):
                return result
            if op is None:
                raise Unfollowed(f"ndarray.{name}")
            if (reason := self._refuses(op, (obj,), {})) is not None:
                raise Unfollowed(reason)
            return self.notes.op(op, (obj,), {}, result)
        if isinstance(obj, np.generic):
            if name in pure.ARRAY_FACTS or type(result) is types.BuiltinFunctionType:
                self.notes.constant(result)
                return result
            return self.notes.number(Read("attribute", name), (obj,), {}, result)
        if isinstance(obj, types.ModuleType):
            if id(obj) not in pure.FIXED_MODULES:
                return self._read("global", name, vars(obj), None, result)
            self.notes.constant(result)
            return result
        known = self.notes.tracked.get(obj)
        if known is not None and known.node is None:
            self.notes.constant(result)
            if type(result) not in NUMBERS:
                self.notes.tracked.keep(result, None)
            return result
        if known is not None and known.node is not None and type(obj) not in NUMBERS:
            return self._attribute(obj, known.node, name, result)
        if type(obj) in _SIMPLE or isinstance(obj, np.dtype | np.ufunc | type):
            if isinstance(obj, type) and obj.__module__ not in ("builtins", "numpy"):
                raise Unfollowed(f"an attribute of class {obj.__name__}")
            self.notes.constant(result)
            return result
        if type(obj) in NUMBERS and self.notes.tracked.node(obj) is not None:
            if callable(result):
                raise Unfollowed(f"{type(obj).__name__}.{name}")
            return self.notes.number(Read("attribute", name), (obj,), {}, result)
        if type(obj) in NUMBERS:
            self.notes.constant(result)
            return result
        raise Unfollowed(f"attribute {name} of a {type(obj).__name__}")

    def _attribute(self, obj: Any, node: Any, name: str, result: Any) -> Any:
        """An attribute of an object from outside: read again at replay."""
        if isinstance(result, types.MethodType) and result.__self__ is obj:
            read = self.notes.add("read", Read("attribute", name), (node,), {}, self.notes.value(result))
            self.notes.guard("function", result.__func__, read)
            return result
        if type(result) is types.BuiltinFunctionType:
            return result
        own = getattr(obj, "__dict__", {})
        if name not in own and isinstance(getattr(type(obj), name, None), property):
            raise Unfollowed(f"property {name}")
        return self._read("attribute", name, None, node, result)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        setattr(obj, name, value)
        if self.on:
            self.stop(f"a store to attribute {name}")

    def delattr(self, obj: Any, name: str) -> None:
        delattr(obj, name)
        if self.on:
            self.stop(f"deleting attribute {name}")

    def getitem(self, obj: Any, index: Any) -> Any:
        result = obj[index]
        return self._note(self._getitem, obj, index, result) if self.on else result

    def _getitem(self, obj: Any, index: Any, result: Any) -> Any:
        if is_array(obj):
            op = TABLE.of(GETITEM)
            reason = "not an op yet" if op is None else self._refuses(op, (obj, index), {})
            if op is None or reason is not None:
                self.host_calls += 1
                return self.notes.host(GETITEM, (obj, index), {}, result)
            return self.notes.op(op, (obj, index), {}, result, view=is_array(result) and is_basic(index))
        known = self.notes.tracked.get(obj)
        if known is not None and known.node is not None:
            if type(obj) not in (list, dict, tuple):
                raise Unfollowed(f"an item of a {type(obj).__name__}")
            index = self.notes.ref(index, True)
            return self._read("item", index, None, known.node, result)
        if type(obj) not in _SIMPLE:
            raise Unfollowed(f"an item of a {type(obj).__name__}")
        self.notes.ref(index, True)
        if type(obj) in (str, bytes, range):
            self.notes.constant(result)
        return result

    def setitem(self, obj: Any, index: Any, value: Any) -> None:
        if self.on and is_array(obj):
            obj[index] = value
            self._note(self.notes.store, obj, index, value)
            return
        obj[index] = value
        if self.on:
            if type(obj) in (list, dict):
                self._note(self._mutated, obj, None)
            else:
                self.stop(f"a store into a {type(obj).__name__}")

    def delitem(self, obj: Any, index: Any) -> None:
        del obj[index]
        if self.on:
            self._note(self._mutated, obj, None)

    # -- names -------------------------------------------------------------------------------------------------

    def load_global(self, name: str, value: Any) -> Any:
        if not self.on:
            return value
        return self._note(self._read, "global", name, sys._getframe(1).f_globals, None, value)

    def load_free(self, name: str, value: Any) -> Any:
        return self._note(self._free, name, value) if self.on else value

    def _free(self, name: str, value: Any) -> Any:
        for cells in reversed(self._cells):
            if name in cells and cells[name].cell_contents is value:
                return self._read("cell", name, cells[name], None, value)
        raise Unfollowed(f"closure variable {name}")

    def _read(self, how: str, name: Any, holder: Any, base: Any, value: Any) -> Any:
        """A value from outside: followed if it is data, guarded if it decides."""
        notes = self.notes
        if how == "global" and name not in holder:
            return value  # a builtin
        place = (how, name, id(holder) if base is None else base)
        seen = self._seen.get(place)
        if seen is not None and seen[0] is value:
            return seen[1]
        read = notes.outside(Read(how, name, holder), base, value)
        self._seen[place] = (value, read)
        return read

    def store_global(self, name: str, value: Any) -> Any:
        if self.on:
            self.stop(f"a store to global {name}")
        return value

    def store_free(self, name: str, value: Any) -> Any:
        if self.on:
            self.stop(f"a store to closure variable {name}")
        return value

    # -- control -----------------------------------------------------------------------------------------------

    def iterate(self, obj: Any) -> Any:
        return self._trips(obj) if self.on else obj

    def _trips(self, obj: Any) -> Iterator[Any]:
        if is_array(obj):
            items: Any = (self._row(obj, position) for position in range(len(obj)))
        else:
            items = iter(obj)
        if type(obj) not in (list, tuple, dict, range, str) and not is_array(obj) and type(obj) not in _WALKERS:
            if type(obj) not in (type({}.items()), type({}.keys()), type({}.values()), type(iter(items))):
                self.stop(f"a loop over a {type(obj).__name__}")
        for trip, item in enumerate(items):
            if self.on:
                if trip >= MAX_TRIPS:
                    self.stop(f"a loop of more than {MAX_TRIPS} trips")
                elif type(obj) is range or type(obj) is type(iter(range(0))):
                    self.notes.constant(item)
                elif type(obj) is enumerate:
                    self.notes.constant(item[0])
            yield item

    def _row(self, array: Any, position: int) -> Any:
        self.notes.constant(position)
        return self.getitem(array, position)

    def unpack(self, value: Any, count: int) -> Any:
        return list(self.iterate(value)) if self.on and is_array(value) else value

    def unpack_star(self, value: Any, before: int, after: int) -> Any:
        return self.unpack(value, before + after)

    def format(self, value: Any, conversion: Any, spec: str) -> str:
        if self.on and self.notes.traced(value):
            self.stop("a traced value made into text")
        return _plain.format(value, conversion, spec)

    def caught(self, exc: Any) -> None:
        if self.on:
            self.stop(f"an exception was caught ({type(exc).__name__})")

    def define(self, function: Any) -> Any:
        self._inner[id(function)] = function
        return function

    def manager(self, obj: Any) -> Any:
        if self.on and not isinstance(obj, np.errstate):
            self.stop(f"a with statement on a {type(obj).__name__}")
        return obj

    def unsupported(self, what: str, line: int) -> None:
        if self.on:
            self.stop(what)

    def imported(self, name: str, value: Any) -> None:
        if self.on and isinstance(value, types.ModuleType) and id(value) not in pure.FIXED_MODULES:
            self.stop(f"an import of {name}")

    def finish(self, name: str, result: Any) -> Program | None:
        """The program, or None with `reason` set."""
        if not self.active:
            return None
        try:
            return self.notes.finish(name, result)
        except Unfollowed as reason:
            self.stop(str(reason))
            return None


class _Method:
    """An array's method called with its array first; noted as a call of the method of that name."""

    def __init__(self, bound: Any) -> None:
        self._bound = bound

    def __call__(self, own: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bound(*args, **kwargs)


def _target(fn: Any) -> Any:
    """What a replay calls for this."""
    return Call(fn._bound.__name__) if isinstance(fn, _Method) else fn


def _layouts(value: Any) -> Any:
    """Arguments with each device array as the NumPy array that lies as it does."""
    return map_arrays(value, layout)
