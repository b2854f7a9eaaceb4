"""Runs an operation as if it stood on the user's own line, so that warnings name that line.

Hooks and replays call `do` for operations of the user's. The frame in between has the user's file, line, name
and globals; frames of npcompile do not count as levels of `warnings.warn`.
"""

from __future__ import annotations

import builtins
import dis
import itertools
import operator
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from npcompile.diagnostics.paths import AROUND_HOOKS, PACKAGE
from npcompile.frontend.catalog.python_operators import BINARY, COMPARE, UNARY
from npcompile.frontend.rewrite.source import given_as, is_given
from npcompile.tiering.overhead import users


class _Performed(threading.local):
    """The number of operations run for this thread's user code that may have changed something."""

    count = 0


performed = _Performed()
# Operators change nothing, nor does reading items of these types. Operators of users' classes are functions
# of the user's, which are counted when they run.
_OPERATORS = frozenset(
    [id(function) for function in (*BINARY.values(), *UNARY.values(), getattr, len)]
    + [id(COMPARE[op]) for op in ("<", "<=", ">", ">=", "==", "!=", "is", "is not")]
)
_ITEMS = frozenset(id(kind.__getitem__) for kind in (list, tuple, str, np.ndarray))


def _may_change(function: Any, args: tuple[Any, ...]) -> bool:
    if id(function) in _OPERATORS:
        return False
    kind = type(args[0]) if function is operator.getitem else None
    return kind is not dict and id(getattr(kind, "__getitem__", None)) not in _ITEMS


# A lambda has a single line: whoever looks at its frame as it begins finds it there already.
_TEMPLATE = (lambda function, args, kwargs: function(*args, **kwargs)).__code__
_TEMPLATE_OF_REPLAYS = (lambda callee, given, named: callee(*given, **named)).__code__
_callers: dict[tuple[CodeType, str, int], FunctionType] = {}


def is_place(code: CodeType) -> bool:
    """Tell if a frame of this code is one that `do` made."""
    return code.co_code == _TEMPLATE.co_code and code.co_varnames == _TEMPLATE.co_varnames


def frames() -> Iterator[FrameType]:
    """Yield the frames of the user's functions, innermost first, without frames of npcompile and of
    blocks."""
    frame: FrameType | None = sys._getframe(1)
    skip = False
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) and not is_place(code):
            if not skip:
                yield frame
            skip = is_given(code)  # a block's frame: the next one is that of the function it was cut out of
        frame = frame.f_back


def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
    """Warn as `warnings.warn` does, where only frames of the user's functions count as levels."""
    found = list(itertools.islice(frames(), max(stacklevel, 1)))
    warn_at(
        (found[-1].f_code.co_filename, found[-1].f_lineno, found[-1].f_globals), message, category, source
    )


def warn_at(
    place: tuple[str, int, dict[str, Any]], message: Any, category: Any = None, source: Any = None
) -> None:
    """Warn of a line of a file, in a module's namespace."""
    file, line, space = place
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    elif not (isinstance(category, type) and issubclass(category, Warning)):
        return warnings.warn(message, category, stacklevel=1)  # it says what is wrong
    name, registry = space.get("__name__", "<string>"), space.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, file, line, name, registry, None, source)


_plain_warn = warnings.warn


def _warn_as_usual(*args: Any, **kwargs: Any) -> None:
    """Warn as the user's code asks for, where only frames of the user's functions count as levels."""
    is_usual = len(args) <= 4 and kwargs.keys() <= {"message", "category", "stacklevel", "source"}
    if warnings.warn is not _plain_warn or not is_usual or type(kwargs.get("stacklevel", 1)) is not int:
        return warnings.warn(*args, **kwargs)  # somebody's own function, or arguments of a later Python
    warn(*args, **kwargs)


class _Warnings:
    """Stands for the module `warnings` in functions of the user's that npcompile calls."""

    warn = staticmethod(_warn_as_usual)

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(warnings, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(warnings, name)


# Names among the builtins, which modules do not show.
_MODULE, _WARN = "__npcompile_warnings__", "__npcompile_warn__"
setattr(builtins, _MODULE, _Warnings())
setattr(builtins, _WARN, _warn_as_usual)


def with_users_levels(code: CodeType, space: dict[str, Any]) -> CodeType:
    """Return a function's code with frames of npcompile's not counting as levels of `warnings.warn`.

    It is the code itself where that is not called. `stacklevel=2` in a function that npcompile calls would
    name a line of npcompile's, by which filters would judge.
    """
    stand_ins: dict[str, str] = {}
    for name in code.co_names:
        held = space.get(name)
        if held is _plain_warn:
            stand_ins[name] = _WARN
        elif held is warnings and "warn" in code.co_names:
            stand_ins[name] = _MODULE
    if not stand_ins or space.get("__builtins__", builtins) not in (builtins, vars(builtins)):
        return code
    for instruction in dis.get_instructions(code):  # an attribute may have the same name
        if instruction.opcode in dis.hasname and instruction.opname != "LOAD_GLOBAL":
            stand_ins.pop(instruction.argval, None)
    if not stand_ins:
        return code
    names = tuple([stand_ins.get(name, name) for name in code.co_names])
    return given_as(code.replace(co_names=names), code)


def caller() -> FrameType:
    """The frame that called a hook."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(AROUND_HOOKS) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def do(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call `function(*args, **kwargs)` from a frame that has the user's file, line, name and globals."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(AROUND_HOOKS):
        frame = frame.f_back
    caller = None
    if frame is not None:
        code = frame.f_code
        place = code, code.co_filename, frame.f_lineno  # the code of equal functions in two files is equal
        caller = _callers.get(place)
        if caller is None or caller.__globals__ is not frame.f_globals:
            made = _placed(_TEMPLATE, code, frame.f_lineno)
            caller = _callers[place] = FunctionType(made, frame.f_globals)
    if _may_change(function, args):  # last: an error of ours before it leaves nothing done
        performed.count += 1
    return function(*args, **kwargs) if caller is None else users(caller, (function, args, kwargs), {})


def caller_at(code: CodeType, line: int, space: dict[str, Any]) -> FunctionType:
    """Return a function that calls another, in a frame that has this line of that code.

    Replays use it, so that loggers and tracebacks see the call where it stands in a helper.
    """
    return FunctionType(_placed(_TEMPLATE_OF_REPLAYS, code, line), space)


def _placed(template: CodeType, code: CodeType, line: int) -> CodeType:
    """Return a template whose frames are taken for those of some code at one of its lines."""
    return template.replace(
        co_filename=code.co_filename, co_firstlineno=line, co_name=code.co_name, co_qualname=code.co_qualname
    )


def as_noted(
    decide: Callable[[Any], Any], fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return NumPy's arguments as they are noted: ranges as lists, and outputs of a ufunc given by place as
    `out=`.

    decide: notes a value that the program decides on.
    """
    if not _MAY_HOLD_RANGES.isdisjoint(map(type, args)):
        args = tuple([written_out(decide, arg) for arg in args])
    kwargs = {key: written_out(decide, arg) for key, arg in kwargs.items()}
    if not isinstance(fn, np.ufunc) or len(args) <= fn.nin or "out" in kwargs:
        return args, kwargs
    placed = (*args[fn.nin :], *[None] * (fn.nin + fn.nout - len(args)))
    if len(placed) != fn.nout or all(one is None for one in placed) or any(one is ... for one in placed):
        return args, kwargs  # too many outputs, or `...`, which is allowed as `out=` alone: NumPy raises
    return args[: fn.nin], {**kwargs, "out": placed[0] if fn.nout == 1 else placed}


_MAY_HOLD_RANGES = frozenset([range, tuple, list])


def written_out(decide: Callable[[Any], Any], arg: Any) -> Any:
    """Return an argument with its ranges as lists, which are equal to NumPy; an argument without ranges as it
    is."""
    if type(arg) is range:
        numbers = list(arg)
        decide(tuple(numbers))
        return numbers
    if type(arg) in (tuple, list) and any(type(item) is range for item in arg):
        return type(arg)([written_out(decide, item) for item in arg])
    return arg
