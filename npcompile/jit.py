"""`npcompile.jit`: records a function while NumPy answers, compiles it in another process, replays from then
on.

This file has the jitted function as users see it; `runtime/` decides how each call is answered.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike

from npcompile.diagnostics.not_compiled import NotCompiledError, NotCompiledWarning
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.catalog.inlining import is_users_class, is_written_by_user, note_jitted
from npcompile.frontend.program.program import Program
from npcompile.partition.root_function import Handle, RootFunction
from npcompile.runtime import descriptors
from npcompile.runtime.ahead import compile_ahead
from npcompile.runtime.arrivals import arrived, texts_of

__all__ = ["Jitted", "NotCompiledError", "NotCompiledWarning", "jit"]

P = ParamSpec("P")  # the arguments of a function
Q = ParamSpec("Q")  # the arguments of a method but for `self`
R = TypeVar("R", covariant=True)
Kind = TypeVar("Kind")


def _from_plain_function(name: str) -> Any:
    """Return a property that reads and writes an attribute of the plain function."""
    return property(
        lambda self: getattr(self.__wrapped__, name),
        lambda self, value: setattr(self.__wrapped__, name, value),
    )


class _Shown:
    """A property of which an attribute of the same name, which the program sets, takes the place."""

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self._get = get
        self.__doc__ = get.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self._get(instance)


class Jitted(Handle):
    """A function under `npcompile.jit`, called like the function.

    `stats` counts what it did, `programs` are its residual programs, `compile` compiles it ahead of calls,
    and `wait()` waits until its kernels are compiled. All other attributes are the program's, as those of a
    plain function are, and where it sets one of these names it has its own.
    """

    __slots__ = ()
    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]
    # Attributes by which `inspect` recognises functions, and generators and coroutines among them.
    __code__ = _from_plain_function("__code__")
    __defaults__ = _from_plain_function("__defaults__")
    __kwdefaults__ = _from_plain_function("__kwdefaults__")
    __closure__ = _from_plain_function("__closure__")
    __globals__ = _from_plain_function("__globals__")

    def __init__(
        self, fn: Callable[..., Any], wait: bool, strict: bool, default_float: Any, fast_random: bool
    ) -> None:
        if not callable(fn):
            raise TypeError(f"npcompile.jit takes a function, not {fn!r}")
        dtype = None if default_float is None else np.dtype(default_float)
        if dtype is not None and dtype.kind != "f":
            raise TypeError(f"default_float must be a float dtype, not {dtype}")
        note_jitted(fn)
        if isinstance(fn, types.FunctionType):
            vars(self).update(vars(fn))
        functools.update_wrapper(self, fn, updated=())
        if inspect.iscoroutinefunction(fn):
            _mark_coroutine_function(self)
        super().__init__(RootFunction(fn, wait, strict, dtype, fast_random))

    @_Shown
    def stats(self) -> Stats:
        """Counts of what the function did, as a `Stats`.

        Where it was cut into blocks, theirs are among them; calls and replays are the function's own (a call
        is a replay when all that was recorded of it was replayed).
        """
        return self.npcompile_root().stats

    @_Shown
    def programs(self) -> tuple[Program, ...]:
        """The residual programs recorded so far: `print(f.programs[0])` shows one."""
        return tuple(self.npcompile_root().kept_programs)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until all that this function has under way is compiled, or has failed (see `stats.reasons`).

        Ctrl-C interrupts the wait.

        Parameters
        ----------
        timeout : float, optional
            The longest wait, in seconds.

        Raises
        ------
        TimeoutError
            The timeout passed first.

        Examples
        --------
        >>> @npcompile.jit
        ... def doubled(x):
        ...     return x + x
        >>> doubled(np.arange(3))
        array([0, 2, 4])
        >>> doubled.wait()
        """
        self.npcompile_root().wait(timeout)

    def compile(self, /, *examples: Any, **named: Any) -> None:
        """Compile for such arguments, so that the first call with them is a replay.

        The function is called: a recording is a call that NumPy answers. It is called several times, on
        copies of the examples, and on made-up arrays in place of each `spec`; `stats` counts these calls. The
        caller's arrays and the global random generators stay as they are. All else that the function does to
        the outside (files, prints, globals) happens each time. Kernels are kept on disk: in another process
        that has the same cache folder and number of threads, the same `f.compile` takes a tenth of a second.

        Parameters
        ----------
        *examples, **named
            The arguments of a call: arrays, numbers and other objects, or `npcompile.spec("float64", ("n",
            3))`. Of a method, the object comes first: `Model.step.compile(model, x)`. For lengths that vary,
            kernels are compiled for small and large work, up to calls of 10 ms and arrays of 64 MB: for still
            larger ones, pass arrays.

        Raises
        ------
        TypeError
            An example cannot be copied.
        NotCompiledError
            With `strict=True`, what cannot be compiled. Otherwise a warning says so, and `stats.reasons`.

        Examples
        --------
        >>> import numpy as np, npcompile
        >>> @npcompile.jit
        ... def total(x):
        ...     return (x * x).sum()
        >>> total.compile(np.ones(1000))
        >>> before = total.stats.replays
        >>> total(np.ones(1000)), total.stats.replays - before
        (np.float64(1000.0), 1)
        """
        compile_ahead(self.npcompile_root(), examples, named)

    def npcompile_function(self) -> Any:
        """Return the plain function, which the recording of a caller goes into."""
        return self.__wrapped__

    def __repr__(self) -> str:
        return f"<npcompile.jit of {self.__wrapped__!r}>"

    def __dir__(self) -> list[str]:
        return sorted(
            {*dir(self.__wrapped__), *vars(self), "__wrapped__", "compile", "programs", "stats", "wait"}
        )

    def __reduce__(self) -> Any:
        module = sys.modules.get(self.__module__)
        found: Any = module
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is self and not (self.__module__ == "__main__" and _pickles_by_value(sys._getframe(1))):
            return self.__qualname__
        root = self.npcompile_root()
        options = root.always_waits, root.is_strict, root.default_float, root.fast_random
        return _unpickled, (self.__wrapped__, texts_of(self.__wrapped__), *options)

    def __copy__(self) -> Jitted:
        return self

    def __deepcopy__(self, memo: Any) -> Jitted:
        return self


class JittedFunction(Protocol[P, R]):
    """A jitted function as type checkers see it: the signature is the plain function's."""

    __name__: str
    __qualname__: str

    @property
    def __wrapped__(self) -> Callable[P, R]: ...

    @property
    def stats(self) -> Stats: ...

    @property
    def programs(self) -> tuple[Program, ...]: ...

    def compile(self, /, *examples: Any, **named: Any) -> None: ...

    def wait(self, timeout: float | None = None) -> None: ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    @overload
    def __get__(self, instance: None, owner: type) -> JittedFunction[P, R]: ...

    @overload
    def __get__(
        self: JittedFunction[Concatenate[Any, Q], R], instance: object, owner: type | None = None
    ) -> JittedFunction[Q, R]: ...


class JitDecorator(Protocol):
    """A decorator that `jit` returns where it is given options alone, as type checkers see it."""

    @overload
    def __call__(self, fn: type[Kind], /) -> type[Kind]: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, fn: Callable[P, R], /) -> JittedFunction[P, R]: ...

    @overload
    def __call__(self, fn: property, /) -> property: ...


class Partial(functools.partial):
    """A jitted function with some of its arguments: `jit(functools.partial(f, a))`.

    Its `stats` and other attributes are the jitted function's.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.func, name)
        return functools.partial(found, *self.args, **self.keywords) if name == "compile" else found


class Instance(Partial):
    """An object whose `__call__` is jitted: `jit(model)`.

    Its attributes are the object's; `stats` and the like are the jitted function's.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.args[0]
        if type(own).__call__ is not vars(self)["_called"]:  # the class has another by now
            return own(*args, **kwargs)
        return self.func(own, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        own = self.args[0]
        return getattr(own, name) if hasattr(own, name) else super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.args[0], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.args[0], name)


def _mark_coroutine_function(jitted: Any) -> None:
    """Make asyncio and frameworks recognise that a call returns a coroutine."""
    if sys.version_info >= (3, 12):
        inspect.markcoroutinefunction(jitted)
    else:
        jitted._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]


def _unpickled(fn: Any, texts: tuple[bytes, ...], *options: Any) -> Jitted:
    """Return the jitted function of a function that was pickled by value."""
    made: Jitted = arrived(fn, texts, options, lambda: Jitted(fn, *options))
    return made


def _pickles_by_value(frame: types.FrameType) -> bool:
    """Tell if the code that pickles in this frame pickles functions themselves, not their names.

    joblib and dask do with those of the main program, which their processes do not import.
    """
    pickler = frame.f_locals.get("self")
    return isinstance(pickler, pickle.Pickler) and hasattr(pickler, "reducer_override")


@overload
def jit(  # type: ignore[overload-overlap]  # a class is also a callable that makes its objects
    fn: type[Kind],
    *,
    wait: bool = False,
    strict: bool = False,
    default_float: DTypeLike | None = None,
    fast_random: bool = False,
) -> type[Kind]: ...


@overload
def jit(
    fn: Callable[P, R],
    *,
    wait: bool = False,
    strict: bool = False,
    default_float: DTypeLike | None = None,
    fast_random: bool = False,
) -> JittedFunction[P, R]: ...


@overload
def jit(
    fn: property,
    *,
    wait: bool = False,
    strict: bool = False,
    default_float: DTypeLike | None = None,
    fast_random: bool = False,
) -> property: ...


@overload
def jit(
    fn: None = None,
    *,
    wait: bool = False,
    strict: bool = False,
    default_float: DTypeLike | None = None,
    fast_random: bool = False,
) -> JitDecorator: ...


def jit(
    fn: Any = None,
    *,
    wait: bool = False,
    strict: bool = False,
    default_float: DTypeLike | None = None,
    fast_random: bool = False,
) -> Any:
    """Make a NumPy function fast as it is: `@jit`, `@jit(wait=True)` or `jit(f)`.

    The first call runs on NumPy while it is recorded; later calls are replayed once their kernels are
    compiled. Code that cannot be compiled runs on NumPy, and is reported.

    Parameters
    ----------
    fn : callable
        A function. Of a class, all methods are jitted but special ones other than `__call__`, and the class
        stays the same object. Of another object, its `__call__` is jitted.
    wait : bool
        The first call waits until its kernels are compiled. Otherwise compiling goes on in another process,
        and NumPy answers calls until it is done. For parts of a function (loops' bodies, callees) no call
        waits where NumPy takes microseconds for them: they are compiled once their calls have done enough.
        NPCOMPILE_WAIT=1 in the environment forces waiting.
    strict : bool
        Raise `NotCompiledError`, naming file and line, where the function would run uncompiled.
    default_float : dtype, optional
        The dtype of arrays that are made without one ("float32" in place of NumPy's float64).
    fast_random : bool
        Uniform, normal and exponential numbers and integers that NumPy's generators are asked for with a
        size are computed with the array work, on its device. The generator's seed and state determine them,
        but they are not the numbers of NumPy's stream (`frontend/catalog/fast_random.py`).

    Returns
    -------
    Jitted
        Called like `fn`; of a class, the class itself.

    Raises
    ------
    TypeError
        `fn` is not callable, or `default_float` is no float dtype.

    Examples
    --------
    >>> scaled = npcompile.jit(lambda x, by: np.sqrt(x) * by)
    >>> scaled(np.array([1.0, 4.0]), 3.0)
    array([3., 6.])
    """
    options = wait, strict, default_float, fast_random
    if fn is None:
        return functools.partial(
            jit, wait=wait, strict=strict, default_float=default_float, fast_random=fast_random
        )
    if type(fn) is types.FunctionType:
        return Jitted(fn, *options)
    if isinstance(fn, Jitted):
        return Jitted(fn.__wrapped__, *options)
    if isinstance(fn, Instance):
        fn = fn.args[0]
    if isinstance(fn, Partial):
        fn = functools.partial(fn.npcompile_function(), *fn.args, **fn.keywords)
    if isinstance(fn, functools.partial):
        return Partial(Jitted(fn.func, *options), *fn.args, **fn.keywords)
    if isinstance(fn, types.MethodType):
        return types.MethodType(Jitted(fn.__func__, *options), fn.__self__)
    descriptor = descriptors.of_jitted(fn, lambda function: Jitted(function, *options))
    if descriptor is not None:
        return descriptor
    if isinstance(fn, type):
        note_jitted(fn)
        is_users = is_users_class(fn) or is_written_by_user(fn)
        return _with_methods(fn, options) if is_users else Jitted(fn, *options)
    called = inspect.getattr_static(type(fn), "__call__", None)
    if isinstance(called, Jitted | types.FunctionType) and is_users_class(type(fn)):
        made = jit(called, wait=wait, strict=strict, default_float=default_float, fast_random=fast_random)
        instance = Instance(made, fn)
        vars(instance)["_called"] = called
        return instance
    return Jitted(fn, *options)


def _with_methods(kind: type, options: tuple[bool, bool, Any, bool]) -> type:
    """Jit the methods of a class. Python itself calls special methods, most of which are small."""
    wait, strict, default_float, fast_random = options
    for name, found in list(vars(kind).items()):
        function = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        function = found.fget if isinstance(found, property) else function
        special = name.startswith("__") and name.endswith("__") and name != "__call__"
        if isinstance(function, types.FunctionType) and not special and not _runs_plain(function):
            made = jit(found, wait=wait, strict=strict, default_float=default_float, fast_random=fast_random)
            setattr(kind, name, made)
    return kind


def _runs_plain(fn: types.FunctionType) -> bool:
    return inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn)
