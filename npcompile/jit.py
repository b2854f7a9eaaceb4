"""`npcompile.jit`: records a function while NumPy answers, compiles it in another process, replays from then
on.

This file has the jitted function as users see it; `runtime/` decides how each call is answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import pickle
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike

from npcompile.diagnostics.not_compiled import NotCompiledError, NotCompiledWarning, warn
from npcompile.diagnostics.reason import Cause
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.catalog.called_libraries import calls_libraries
from npcompile.frontend.catalog.inlining import is_users_class, is_written_by_user, note_jitted
from npcompile.frontend.pipeline import Traced
from npcompile.frontend.program.program import Program
from npcompile.frontend.rewrite.long_loops import goes_over_many
from npcompile.frontend.rewrite.partition import goes_as_before, must_be_cut, tree_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.lower.plan.attributes import source_place
from npcompile.partition.loops_left import with_loops_left
from npcompile.partition.partitioned import PartitionedFunction
from npcompile.partition.suitability import done_for_effect, recurs_over_items
from npcompile.runtime import descriptors, fast_path
from npcompile.runtime.ahead import compile_ahead
from npcompile.runtime.arrivals import arrived, texts_of
from npcompile.runtime.function import MAX_MISSES, RecordedFunction
from npcompile.runtime.recording_families import Family, family_of
from npcompile.runtime.request import ONWARD, Request
from npcompile.runtime.specialization import Specialization
from npcompile.tiering.compile_budget import CompileBudget
from npcompile.tiering.contest import CrowdedSignatures
from npcompile.tiering.overhead import Allowance
from npcompile.tiering.recording_budget import WHOLE, RecordingBudget
from npcompile.tiering.statement_profile import Watch

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


class Jitted(RecordedFunction):
    """A function under `npcompile.jit`, called like the function.

    `stats` counts what it did, `programs` are its residual programs, and `wait()` waits until its kernels are
    compiled.
    """

    __slots__ = (
        "_earns",
        "_family",
        "_rest",
        "_told",
        "allowance",
        "balances",
        "block_stats",
        "callees",
        "filters",
        "own",
        "session",
        "spending",
        "worked",
    )
    __name__: str
    __qualname__: str
    _earns: bool | None  # its calls have to earn the work done for it; None: unknown yet
    _direct = True
    tries_again = True
    root = property(lambda self: self)
    # Leaves of signatures that are the function's own: itself, where it shares programs with others of its
    # code.
    own: tuple[Any, ...]
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
        functools.update_wrapper(self, fn, updated=())
        if isinstance(fn, types.FunctionType) and (given := vars(fn)):  # and not what `Jitted` is made of
            vars(self).update({key: value for key, value in given.items() if not hasattr(type(self), key)})
        if inspect.iscoroutinefunction(fn):
            _mark_coroutine_function(self)
        self._family: Family | None = None
        self.own = ()
        self._rest = 0  # the number of next calls that are not recorded
        super().__init__(fn, wait, strict, dtype, Stats(), [])
        self.fast_random = fast_random
        # The jitted callees that Python between blocks calls, by the function, or by the key that all
        # functions made by one `def` share.
        self.callees: dict[Any, Any] = {}
        self.balances: dict[Any, RecordingBudget] = {}  # of the places in it
        self.spending = CompileBudget()
        self.allowance = Allowance()
        self.worked = 0.0  # seconds that native code of loops has worked
        self.filters: Any = None  # of warnings, where a call that was cut into blocks began
        self.session: Watch | None = None  # the watch of the call at hand, while one is measured
        self._told: set[str] = set()  # places of which it was told that they cost
        self.block_stats = Stats()  # counts of the function's blocks, and of functions that it calls
        if not strict and (family := family_of(fn, (wait, dtype, fast_random))) is not None:
            if family.parted:
                self._rest = family.rest()
            else:
                self._family, self.own = family, (fn,)
                family.take(self)

    @property
    def stats(self) -> Stats:
        """Counts of what the function did, as a `Stats`.

        Where it was cut into blocks, theirs are among them; calls and replays are the function's own (a call
        is a replay when all that was recorded of it was replayed).
        """
        if self._front is not None:
            self._front.settle()
        return with_loops_left(self, self.own_stats.with_blocks(self.block_stats))

    def _is_to_earn(self) -> bool:
        """Tell if first calls may spend no more than later ones, as the function calls libraries."""
        if self._earns is None:
            self._earns = not self.is_strict and calls_libraries(self.__wrapped__)
            if self._earns:
                self.allowance.first = False
        return self._earns

    def _before_recording(self, request: Request) -> Any:
        """Python answers calls of a function that is one of many of its kind, and short-lived; none answers
        where that is refused. Its signature may spend what a first call may, and its family may be left."""
        state = request.state = self.by_signature.get(request.key)
        if (state is None or (state.ready and not state.pending)) and not self._is_to_earn():
            self.allowance.begin(state is not None, self.has_to_wait)
        if self._rest:
            self._rest -= 1
            self.note(Cause.SHORT_LIVED(), self.at(None))
            return self._plain(request.args, request.kwargs)
        if self._family is not None and (self._family.parted or self._is_full(state)):
            self._leave_family()
            state = None
        if state is not None and state.refused is not None and self.is_strict:
            raise NotCompiledError(state.refused)
        return ONWARD

    ways = (RecordedFunction._by_replay, _before_recording, *RecordedFunction.ways_without_replay)

    def tell(self, where: str, what: str, instead: str) -> None:
        """Warn, once for each place, of code that runs uncompiled and costs time; strict=True: raise it."""
        if where in self._told:
            return
        self._told.add(where)
        text = f"{self.name}: {where}: {what}; instead: {instead}"
        if self.is_strict:
            raise NotCompiledError(text)
        warn(text)

    def gave_up(self) -> None:
        self.note(Cause.NUMPY_FASTER(), self.at(None))

    def _start_anew(self) -> None:
        self._earns = None
        if self._family is not None:
            self._family, self.own = None, ()
            self._lock = threading.Lock()
            self.balance, self.balances, self.spending = RecordingBudget(WHOLE), {}, CompileBudget()
            self.kept_programs, self._uncompiled, self._kinds = [], {}, set()
            self._crowd = CrowdedSignatures()
        super()._start_anew()

    def share_nothing(self) -> None:
        """Have a function that has not been called be recorded by itself, whatever is known of others of its
        code."""
        self._rest = 0
        self._start_anew()

    def _leave_family(self) -> bool:
        """Leave the family, if there is one, whose programs cannot be this function's. Recordings of it begin
        anew."""
        if self._family is None:
            return False
        self._family.part()
        self._start_anew()
        return True

    def _is_full(self, state: Specialization | None) -> bool:
        """Tell if calls of a signature go more ways than are kept, as closures differ."""
        if state is None or state.pending:
            return False
        return state.count >= self.max_programs or state.misses >= MAX_MISSES

    def _not_followed(self, state: Specialization, traced: Traced) -> None:
        if self._leave_family():
            state = Specialization()  # the family's stays as it is
        super()._not_followed(state, traced)

    def _worth(self, state: Specialization, traced: Traced) -> bool:
        assert traced.program is not None and isinstance(self.__wrapped__, types.FunctionType)
        if not super()._worth(state, traced):
            return False
        if self._family is not None:
            many = state.count > 0 and self._family.differs(self.balance.replays)
            return not ((many or self._is_cut(traced.program)) and self._leave_family())
        try:
            body = tree_of(self.__wrapped__)[0].body
            fn = self.__wrapped__
            if fn.__name__ in fn.__code__.co_names and recurs_over_items(fn, traced.program):
                return self._cut_at_last(state) is None
            if not goes_as_before(fn, traced.program.trips):
                state.partitioned = self._cut_alike(state)
                return state.partitioned is None
        except NotFound:
            return True
        if (done := done_for_effect(traced.program, body)) is None:
            return True
        traced.reason = Cause.EFFECT()
        traced.line, traced.top, _ = source_place(done)
        state.partitioned = self._cut_after(state, traced)
        return state.partitioned is None

    def _is_cut(self, program: Program) -> bool:
        """Tell if the function is cut into blocks though it was recorded whole."""
        fn: Any = self.__wrapped__
        with contextlib.suppress(NotFound):
            body = tree_of(fn)[0].body
            others = recurs_over_items(fn, program) or not goes_as_before(fn, program.trips)
            return others or done_for_effect(program, body) is not None
        return False

    def _goes_over_many(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        fn = self.__wrapped__
        if self._family is not None or not isinstance(fn, types.FunctionType):
            return False
        return goes_over_many(fn, args, kwargs)

    def _cut(self, failed: Traced | None) -> PartitionedFunction | None:
        fn = self.__wrapped__
        if not isinstance(fn, types.FunctionType) or self._family is not None:
            return None
        if failed is None and not must_be_cut(fn):
            return None
        return PartitionedFunction.of(self, self, failed)

    # -- being a function --------------------------------------------------------------------------------

    @property
    def programs(self) -> tuple[Program, ...]:
        """The residual programs recorded so far: `print(f.programs[0])` shows one."""
        return tuple(self.kept_programs)

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
        compile_ahead(self, examples, named)

    def npcompile_function(self) -> Any:
        """Return the plain function, which the recording of a caller goes into."""
        return self.__wrapped__

    @property
    def has_options(self) -> bool:
        """Tell if calls may give other values than the plain function's."""
        return self.default_float is not None or self.fast_random

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

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
        options = self.always_waits, self.is_strict, self.default_float, self.fast_random
        return _unpickled, (self.__wrapped__, texts_of(self.__wrapped__), *options)

    def __copy__(self) -> Jitted:
        return self

    def __deepcopy__(self, memo: Any) -> Jitted:
        return self


fast_path.classes["__get__"] = Jitted


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
