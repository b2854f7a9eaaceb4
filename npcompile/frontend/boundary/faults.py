"""The boundary against npcompile's own faults: it tells them from the user's exceptions, and knows what was
done.

An exception that is not the user's or NumPy's never reaches a caller. These catch it: a hook of a recording
(`guarded`), a method of an object that a hook has handed to Python (`handed`), a generator that a loop draws
from (`drawn`), a method that is called from within the user's code to take notes (`beside`), and the call of
a jitted function (`RecordedFunction.__call__`). All ask `fault_of`. Work that has been done is not done
again, and Python does the rest. Where work was begun that can neither be undone nor continued,
`InternalError` says so: nothing is ever done twice.

A convention tells where the answer is known: a function that carries out what the user asked for, in the
hooks of a recording or around a call, keeps the answer in a local name `result`, bound as soon as it is
there. It costs nothing until something fails: then the frames of the traceback are looked at. An exception of
the user's that was on its way when bookkeeping failed is the answer, too.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FrameType, MethodType, TracebackType
from typing import Any, TypeVar

from npcompile.diagnostics.paths import ANSWERING, DEVICE_LANE, HOOKS, PACKAGE
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.frontend.catalog.installed_packages import is_nobodys
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.rewrite.call_sites import is_place, performed
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.tracebacks import tell
from npcompile.tiering.overhead import users

_MISSING: Any = object()
_performers: set[CodeType] = set()
# Exceptions of ours that are to reach the caller.
_meant: tuple[type[BaseException], ...] = (RecursionError,)

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Any)


class InternalError(BaseException):
    """A fault of npcompile's own in work that can neither be undone nor continued.

    With NPCOMPILE_INTERNAL_ERRORS=raise it is raised for any fault, which otherwise is a reason in `stats`.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Fault:
    """A fault of npcompile's own, as an exception.

    reason: for `stats`. done: the user's operation has been done; result: its answer; raised: the exception
    that it raised. begun: a replay failed after its first effect.
    """

    def __init__(self, error: BaseException, frames: list[FrameType], lines: list[int]) -> None:
        self.error = error
        place = ""
        for frame, line in zip(frames, lines, strict=True):
            if _is_ours(frame.f_code):
                place = f"{frame.f_code.co_filename.removeprefix(PACKAGE)}:{line}"
        text = str(error)
        self.reason = Cause.INTERNAL_ERROR(type(error).__name__, text, place)
        answers = (frame.f_locals.get("result", _MISSING) for frame in frames if _keeps_result(frame.f_code))
        self.result = next((answer for answer in answers if answer is not _MISSING), _MISSING)
        self.raised = _on_its_way(error, frames)
        self.done = self.result is not _MISSING or self.raised is not None
        # Until its first effect, a replay raises nothing but `Diverged`.
        self.begun = not isinstance(error, Diverged) and any(_is_replay(frame) for frame in frames)

    def outcome(self) -> Any:
        """Return the answer of the operation that has been done, or raise its exception."""
        if self.raised is not None:
            raise self.raised
        return self.result

    def torn(self) -> InternalError:
        """Return the exception for work that was begun and not done."""
        return InternalError(Cause.TORN(self.reason))

    def same(self, other: BaseException) -> bool:
        """Tell if Python raises just this exception: then it was the user's, raised where we did the user's
        work."""
        return type(other) is type(self.error) and str(other) == str(self.error)

    def loud(self) -> None:
        """Raise, where faults are not to be hidden."""
        if config.internal_errors == "raise":
            raise InternalError(self.reason) from self.error


def meant(*kinds: type[BaseException]) -> None:
    """Note that exceptions of these kinds are raised for the caller: they are no faults."""
    global _meant
    _meant += kinds


def performs(function: Function) -> Function:
    """Mark a function that does what the user asked for.

    An exception raised in its own frame is the user's, and its local name `result` is the answer once it is
    bound.
    """
    _performers.add(function.__code__)
    return function


performs(users)


def fault_of(error: BaseException, caught: int = 1) -> Fault | None:
    """Return the fault that an exception is; None for the user's and NumPy's.

    caught: the number of frames at the top of its traceback that are the caller's own.
    """
    if isinstance(error, InternalError) or not isinstance(error, Exception | Diverged):
        return None
    if isinstance(error, _meant):
        return None
    found = list(_frames(error.__traceback__))[caught:]
    frames, lines = [frame for frame, _ in found], [line for _, line in found]
    if not isinstance(error, Diverged) and _is_theirs(frames):
        return None
    return Fault(error, frames, lines)


def told(error: BaseException) -> None:
    """Give the user's exception the traceback of functions as the user wrote them; a fault keeps its own."""
    with contextlib.suppress(Exception):
        if fault_of(error) is None:
            tell(error)


def _on_its_way(error: BaseException, frames: list[FrameType]) -> BaseException | None:
    """Return the user's exception that was propagating when another was raised: both left one of these
    frames."""
    seen = {id(error)}
    further = error.__context__
    while further is not None and id(further) not in seen:
        seen.add(id(further))
        passed = [frame for frame, _ in _frames(further.__traceback__)]
        if any(frame in frames for frame in passed) and not isinstance(further, Diverged):
            if not isinstance(further, Exception) or _is_theirs(passed):
                return further
        further = further.__context__
    return None


def noting(error: BaseException) -> Fault:
    """Return the fault for an exception, caught by the caller, in code that does nothing for the user."""
    found = list(_frames(error.__traceback__))
    return Fault(error, [frame for frame, _ in found], [line for _, line in found])


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(PACKAGE) and not is_place(code)


def _is_of_our_class(frame: FrameType) -> bool:
    """Tell if the frame is of a method that Python wrote for a class of npcompile's (a dataclass's)."""
    name = frame.f_globals.get("__name__")
    is_written = frame.f_code.co_filename.startswith("<")
    return is_written and isinstance(name, str) and name.startswith("npcompile.")


def _is_replay(frame: FrameType) -> bool:
    """Tell if the frame is that of a program's function, whose lines are the user's."""
    return frame.f_globals.get("__Diverged") is Diverged


def _keeps_result(code: CodeType) -> bool:
    folder = os.path.dirname(code.co_filename) + os.sep
    return code in _performers or folder in ANSWERING


def _is_nobodys(code: CodeType) -> bool:
    """Tell if code is not the user's, as code without a file (`<frozen ...>`, `<string>`) is not."""
    return code.co_filename.startswith("<") or is_nobodys(code.co_filename)


def _is_theirs(frames: list[FrameType]) -> bool:
    """Tell if the user's code raised, or an operation done on its behalf."""
    performs = replays = False
    for frame in frames:
        code = frame.f_code
        if _is_ours(code):
            performs = code in _performers or code.co_filename == HOOKS
            if replays:  # it calls ops of ours, which raise as NumPy does, and its lane
                return performs or code.co_filename not in DEVICE_LANE
        elif _is_replay(frame):
            performs = replays = True
        elif _is_of_our_class(frame):
            performs = False
        elif is_place(code) or not _is_nobodys(code):
            return True
        else:
            return performs
    return performs


def guarded(kind: Class) -> Class:
    """Decorate a class of hooks: a fault in one ends the recording (`faulted`), and Python does the
    operation."""
    for name, plain in vars(Hooks).items():
        hook = getattr(kind, name)
        if not name.startswith("_") and callable(plain) and hook is not plain:
            setattr(kind, name, _guarded(hook, plain, name in _CHANGING, name == "call"))
    return kind


# Hooks that change something, which need not be done by `place.do`; and so do methods of these.
_CHANGING = frozenset(["setattr", "delattr", "setitem", "delitem", "inplace", "store_global", "store_free"])
_CHANGED = frozenset([list, dict, set, deque, OrderedDict, defaultdict, Counter])


def _guarded(
    hook: Callable[..., Any], plain: Callable[..., Any], changes: bool, calls: bool
) -> Callable[..., Any]:
    @functools.wraps(hook)
    def guard(self: Any, /, *given: Any, **named: Any) -> Any:
        before = performed.count
        if self.at_hand.machinery > self.limit and self.at_hand.is_past(self.limit):
            self.exceed()
        try:
            result = MethodType(hook, self)(*given, **named)  # no further tuple refers to what is given
            if changes or (calls and _is_of_container(given[0])):
                performed.count += 1
            return result
        except Exception as error:
            if (fault := fault_of(error)) is None:
                raise
        return _instead(self, fault, before, plain, self, given, named)

    return guard


def _is_of_container(fn: Any) -> bool:
    return type(fn) is BuiltinFunctionType and type(fn.__self__) in _CHANGED


def handed(plain: Callable[..., Any]) -> Callable[[Function], Function]:
    """Decorate a method of an object that a hook has handed to Python, which calls it outside any hook.

    A fault ends the recording, that of the object's `hooks`, and `plain` is called in its place.
    """

    def decorate(method: Function) -> Function:
        @functools.wraps(method)
        def guard(self: Any, /, *given: Any, **named: Any) -> Any:
            before = performed.count
            try:
                return method(self, *given, **named)
            except Exception as error:
                if (fault := fault_of(error)) is None:
                    raise
            return _instead(self.hooks, fault, before, plain, self, given, named)

        return guard  # type: ignore[return-value]

    return decorate


def _instead(
    hooks: Any, fault: Fault, before: int, plain: Any, own: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Do what the user asked for, where that has met a fault. before: `performed.count` when it began."""
    if not fault.done and performed.count != before:
        hooks.faulted(fault)
        raise fault.torn() from fault.error
    if fault.done:
        hooks.faulted(fault)
        return fault.outcome()
    try:
        result = plain(own, *[_as_python_has(hooks, one) for one in given], **named)
    except Exception as error:
        if not fault.same(error):
            hooks.faulted(fault)
        raise
    hooks.faulted(fault)
    return result


def _as_python_has(hooks: Any, value: Any) -> Any:
    try:
        return hooks.builder.tracked.meant(value)
    except Exception:  # the fault itself
        return value


class Source:
    """Holds the iterator of a loop, from which a generator of ours draws.

    It keeps items that have been drawn and not yet handed over, so that Python can go on where the generator
    fails.
    """

    __slots__ = ("_given", "_held", "_items", "_obj", "_places")

    def __init__(self, obj: Any) -> None:
        self._obj = obj
        self._items: Iterator[Any] | None = None
        self._places = False  # items are got by their places
        self._held: tuple[Any, ...] = ()
        self._given = 0

    @performs
    def over(self, obj: Any) -> None:
        """Iterate over this object."""
        self._obj, self._items = obj, iter(obj)

    def by_place(self, obj: Any, item: Callable[[int], Any]) -> None:
        """Iterate over this object an item at a time, which `item` returns."""
        self._obj, self._items, self._places = obj, map(item, range(len(obj))), True

    @performs
    def __iter__(self) -> Iterator[Any]:
        items = self._items = iter(self._obj) if self._items is None else self._items
        while True:
            try:
                self._held = (next(items),)
            except StopIteration:
                return
            if items is self._obj:  # nobody can draw that again
                performed.count += 1
            yield self._held[0]

    def given(self) -> None:
        """Note that the loop has got the item that was drawn."""
        self._held = ()
        self._given += 1

    def left(self) -> Iterator[Any]:
        """Return an iterator of Python's alone over the items that have not been drawn."""
        if self._places:
            return map(self._obj.__getitem__, range(self._given + len(self._held), len(self._obj)))
        return iter(self._obj) if self._items is None else self._items

    def rest(self) -> Iterator[Any]:
        """Return an iterator over the item that was drawn and not given, and over those not drawn."""
        return itertools.chain(self._held, self.left())


def drawn(hooks: Any, source: Source, parts: Iterator[Iterable[Any]]) -> Iterator[Any]:
    """Yield the items of a generator of ours, part by part; from a fault of its own on, the items left in its
    source."""
    return itertools.chain.from_iterable(_parts(hooks, source, parts))


def _parts(hooks: Any, source: Source, parts: Iterator[Iterable[Any]]) -> Iterator[Iterable[Any]]:
    try:
        for part in parts:
            source.given()
            yield part
        return
    except Exception as error:
        if (fault := fault_of(error)) is None:
            raise
    hooks.faulted(fault)
    yield source.rest()


def _nothing(*_: Any) -> None:
    """Answer for a method that returns nothing."""


def beside(
    ends: Callable[[Any, Fault], None], plain: Callable[..., Any] = _nothing
) -> Callable[[Function], Function]:
    """Decorate a method that is called from within the user's code and does nothing that the user wrote.

    Where it meets a fault, `ends` makes sure that it does nothing any more, and `plain` answers.
    """

    def decorate(method: Function) -> Function:
        @functools.wraps(method)
        def noted(self: Any, /, *given: Any) -> Any:
            try:
                return method(self, *given)
            except Exception as error:
                ends(self, noting(error))
            return plain(*given)

        return noted  # type: ignore[return-value]

    return decorate
