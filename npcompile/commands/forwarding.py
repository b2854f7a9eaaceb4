"""Replaces the code of a function, while the program runs, by code that hands its calls to another callable.

The function stays the object that it was: its name, its signature, its place in classes, decorators,
containers and pickles. Code that hands on adds no line to a traceback.
"""

from __future__ import annotations

import types

TYPE_CHECKING = False  # a program that runs waits for the imports of this file
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_HANDS_ON = "<hands on>"  # the constant that stands for the callable, while the code is compiled
# Functions ask by these who calls them, or how many refer to an object: another frame changes the answer.
_ASKS = frozenset(
    "_getframe currentframe stack extract_stack print_stack format_stack walk_stack warn warning breakpoint "
    "resize getrefcount get_referrers set_trace".split()
)


class Forwarding:
    """The calls of one function, handed to `to`.

    function: it. first: its own code. code: the code that hands on. plain: a function of the first code.
    """

    def __init__(self, function: types.FunctionType, to: Callable[[types.FunctionType], Any]) -> None:
        self.function = function
        self.first = function.__code__
        self.plain = _copy(function)
        self._holder = _holder(call=to(self.plain), clean=clean)
        self.code = _forwarding_code(function, self._holder)
        function.__code__ = self.code

    def hand_to(self, to: Callable[..., Any]) -> None:
        """Hand later calls to another callable."""
        vars(self._holder)["call"] = to

    def end(self) -> None:
        """Have later calls run the function's own code."""
        self.function.__code__ = self.first


def can_forward(code: types.CodeType) -> bool:
    """Tell if functions of this code do as before when another frame is around their calls."""
    import inspect

    other_kinds = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    if code.co_flags & other_kinds or code.co_name == "<lambda>":
        return False
    # A frame more at each level of a recursion might be one too many; `super().name` is none.
    recursive = code.co_name in code.co_names and "super" not in code.co_names
    return not recursive and _ASKS.isdisjoint(code.co_names) and set(code.co_freevars) <= {"__class__"}


def clean(error: BaseException) -> None:
    """Take the frames of a forwarding from the beginning of an error's traceback."""
    traceback = error.__traceback__
    traceback = traceback and traceback.tb_next
    while traceback is not None and traceback.tb_frame.f_globals.get("__package__") == __package__:
        traceback = traceback.tb_next
    error.__traceback__ = traceback


def _holder(**values: Any) -> types.FunctionType:
    """Return an object with attributes that can be a constant of code: hashable, and pickled by value."""

    def holder() -> None: ...

    vars(holder).update(values)
    assert isinstance(holder, types.FunctionType)
    return holder


def _copy(function: types.FunctionType) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    made.__annotations__ = function.__annotations__
    vars(made).update(vars(function))
    return made


def _forwarding_code(function: types.FunctionType, holder: types.FunctionType) -> types.CodeType:
    """Return code of the function's parameters that calls `holder.call` with them."""
    import ast
    import inspect

    code = function.__code__
    positional = list(code.co_varnames[: code.co_argcount])
    count = code.co_argcount + code.co_kwonlyargcount
    named = list(code.co_varnames[code.co_argcount : count])
    rest = [*code.co_varnames[count:]]
    star = rest.pop(0) if code.co_flags & inspect.CO_VARARGS else ""
    stars = rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else ""
    parameters = list(positional)
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    if star or named:
        parameters.append(f"*{star}")
    parameters += named + ([f"**{stars}"] if stars else [])
    given = [*positional, *([f"*{star}"] if star else []), *(f"{name}={name}" for name in named)]
    given += [f"**{stars}"] if stars else []
    error = "error"
    while error in code.co_varnames:
        error += "_"
    tree = ast.parse(
        f"def outer({', '.join(code.co_freevars)}):\n"
        f" def inner({', '.join(parameters)}):\n"
        f"  try:\n   return {_HANDS_ON!r}.call({', '.join(given)})\n"
        # Raised again as it is, an error gets no line of this frame.
        f"  except BaseException as {error}:\n   {_HANDS_ON!r}.clean({error})\n   raise\n"
        + "".join(f"  {name}\n" for name in code.co_freevars)
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.excepthandler):
            node.lineno = node.end_lineno = code.co_firstlineno
            node.col_offset = node.end_col_offset = 0
    outer = _code_in(compile(tree, code.co_filename, "exec", dont_inherit=True))
    inner = _code_in(outer)
    return inner.replace(
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
        co_consts=tuple(holder if const == _HANDS_ON else const for const in inner.co_consts),
    )


def _code_in(code: types.CodeType) -> types.CodeType:
    return next(const for const in code.co_consts if isinstance(const, types.CodeType))
