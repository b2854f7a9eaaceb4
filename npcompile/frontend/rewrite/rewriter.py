"""Rewrites functions: `rewrite` returns the same function with every operation going through a method of
`Hooks`.

The recorder, `npcompile.verify` and the tests bind the result to their hooks. Each code object is rewritten
once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import weakref
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.rewrite.ast_builder import HOOKS
from npcompile.frontend.rewrite.function_trees import function_tree
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.literals import literals
from npcompile.frontend.rewrite.nested_functions import learn
from npcompile.frontend.rewrite.scopes import Loop, loops
from npcompile.frontend.rewrite.source import (
    NotFound,
    compile_in_place,
    given,
    is_given,
)
from npcompile.frontend.rewrite.statements import transform

_SUSPENDS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Refusal:
    """The reason why a function cannot be rewritten and runs as it is, and the line of its definition."""

    reason: Reason
    line: int | None


@dataclass(frozen=True, eq=False)
class Rewritten:
    """A function's code with hooks, to be bound to any function that has the original code.

    constants: its literals and those of nested functions, the very objects that the code loads. loops: the
    `for` and `while` loops of the function itself.
    """

    code: CodeType
    constants: tuple[Any, ...]
    loops: tuple[Loop, ...]
    cells: tuple[int, ...]  # the place of each free variable in the original's closure, -1 for the hooks

    def bind(self, fn: FunctionType, hooks: Hooks) -> FunctionType:
        """Return the rewritten function with `fn`'s globals, defaults and closure (the very cells)."""
        cells = fn.__closure__ or ()
        closure = tuple([CellType(hooks) if i < 0 else cells[i] for i in self.cells])
        made = FunctionType(self.code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
        made.__kwdefaults__ = fn.__kwdefaults__
        made.__qualname__ = fn.__qualname__
        made.__module__ = fn.__module__
        made.__doc__ = fn.__doc__
        return made


# By identity of the code object, and only while it lives: equal code objects of two files are two functions.
# Threads may build the same entry twice; the first one in stays.
_done: dict[int, tuple[weakref.ref[CodeType], Rewritten | Refusal]] = {}


def rewrite(fn: FunctionType) -> Rewritten | Refusal:
    """Rewrite a Python function from its source, once per code object.

    Bound to plain `Hooks` the result is the original but for hook frames in between: values, exceptions,
    order of evaluation, effects, lines of its own frames. Coroutines are refused, as are functions that look
    at their own frame (`locals()`, `eval`, ...) and those without a source that compiles to the function's
    very code.
    """
    code = fn.__code__
    entry = _done.get(id(code))
    if entry is None or entry[0]() is not code:
        key = id(code)
        # The callback gets `_done` as an argument: when the process ends, code objects die after this
        # module's names.
        new = weakref.ref(code, functools.partial(_forget, _done, key)), _rewrite(fn)
        entry = _done.setdefault(key, new)
    return entry[1]


def source_with_hooks(fn: FunctionType) -> str:
    """Return the source of a function with hooks, for reading. Raises NotFound where it has no source."""
    node, imports, scope, _ = function_tree(fn)
    return ast.unparse(transform(node, scope, fn.__code__.co_freevars, imports))


def _forget(done: dict[int, Any], key: int, dead: weakref.ref[CodeType]) -> None:
    entry = done.get(key)
    if entry is not None and entry[0] is dead:
        del done[key]


def _rewrite(fn: FunctionType) -> Rewritten | Refusal:
    code = fn.__code__
    if code.co_flags & _SUSPENDS:
        return Refusal(Cause.COROUTINE(), code.co_firstlineno)
    try:
        node, imports, scope, reason = function_tree(fn)
        if reason is not None:
            return Refusal(reason, code.co_firstlineno)
        made = compile_in_place(transform(node, scope, code.co_freevars, imports), code, imports, (HOOKS,))
    except NotFound as error:
        return Refusal(error.reason, code.co_firstlineno)
    except RecursionError:
        return Refusal(Cause.NESTED_TOO_DEEPLY(), code.co_firstlineno)
    if is_given(code):
        given(made, node, imports)
    if CodeType in map(type, made.co_consts):
        learn(made, node, imports)
    places = {name: i for i, name in enumerate(code.co_freevars)}
    cells = tuple(-1 if name == HOOKS else places[name] for name in made.co_freevars)
    return Rewritten(made, tuple(literals(made)), loops(node, scope), cells)
