"""Ends the calls of users' functions that native code has left half-way, in Python, innermost first.

Each such function has left a frame: its number, that of its exit and the words of its names. `go_on` serves
the loop region around them, too. An exception passes the frames as it passes Python's: its traceback has an
entry for each, with the function's name and line.
"""

from __future__ import annotations

import ast
import ctypes
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from npcompile.frontend.loops.run.exchange import WORD, Exchange, Memory
from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.run.resume import ERROR, raising_at, resume
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.loops.source.control_flow import ControlFlow, Iterate
from npcompile.frontend.rewrite.source import compile_in_place
from npcompile.lower.loops.codegen.emitter import Exit

_HEAD = struct.Struct("=qqq")  # of a frame: the function's number, the exit's, and the number of its words
Frame = tuple["Callee", Exit, dict[str, Any]]  # a function, its exit, and the values of its names


@dataclass(frozen=True, eq=False)
class Callee:
    """A user's function that native code calls."""

    flow: ControlFlow
    scope: Scope
    exits: tuple[Exit, ...]
    exchange: Exchange
    objects: tuple[tuple[str, str], ...]  # the parameters that are objects, and these objects' paths
    closure: str | None  # the function's path, if it is nested


def go_on(
    flow: ControlFlow, exit_: Exit, names: dict[str, Any], scope: Scope, call: Outcome | None = None
) -> Outcome:
    """Go on in Python from an exit. call: the outcome of the call at which native code has left half-way."""
    block, step = flow.blocks[exit_.place.block], exit_.place.step
    if call is None:
        return resume(flow, (block, step), names, scope)
    node = block.steps[step]
    assert isinstance(node, ast.Expr | ast.Assign)
    if call.error is not None and block.guard is not None:
        return resume(flow, (block, raising_at(step)), names | {ERROR: call.error}, scope)
    if call.error is not None:
        bound = {name: names[name] for name in flow.stored if name in names}
        return Outcome(bound, error=call.error, line=node.value.lineno)
    if isinstance(node, ast.Assign):
        (target,) = node.targets
        assert isinstance(target, ast.Name)
        names[target.id] = call.value
    return resume(flow, (block, step + 1), names, scope)


def frames_at(
    address: int, size: int, callees: Sequence[Callee | None], memory: Memory, owners: Mapping[str, Any]
) -> list[Frame]:
    """Return the functions, exits and names of the frames at an address, which are `count` words long.

    owners: users' objects by their paths.
    """
    words = ctypes.string_at(address, size * WORD)
    frames = []
    offset = 0
    while offset < len(words):
        number, exit_, count = _HEAD.unpack_from(words, offset)
        start = offset + _HEAD.size
        offset = start + count * WORD
        callee = callees[number]
        assert callee is not None
        names = {name: owners[path] for name, path in callee.objects}
        names |= callee.exchange.read(bytearray(words[start:offset]), memory)
        if callee.closure is not None:
            callee = replace(callee, scope=Scope(owners[callee.closure]))
        frames.append((callee, callee.exits[exit_], names))
    return frames


def end_calls(frames: list[Frame]) -> Outcome | None:
    """End the calls of frames; return the outcome of the outermost one, None where there is none."""
    return _ended(frames, len(frames) - 1) if frames else None


def pass_through(frames: list[Frame], error: BaseException) -> BaseException:
    """Return an exception that came while native code ran, after it has passed the calls of frames."""
    for callee, exit_, names in frames:
        error = raised_within(error, callee.scope, _line_of(callee.flow, exit_, callee.scope), names)
    return error


def _line_of(flow: ControlFlow, exit_: Exit, scope: Scope) -> int:
    """Return the line of the statement at which native code has left."""
    block, step = flow.blocks[exit_.place.block], exit_.place.step
    if step < len(block.steps):
        one = block.steps[step]
        return one.iterable.lineno if isinstance(one, Iterate) else one.lineno
    if block.loop is not None:
        return block.loop.lineno
    return scope.code.co_firstlineno


def _ended(frames: list[Frame], place: int) -> Outcome:
    """End the call of a frame, and before it those within it.

    These calls are made within one another, as the user's are: Python counts them to limit recursion.
    """
    callee, exit_, names = frames[place]
    call: Outcome | None = None
    if place > 0:
        try:
            call = _ended(frames, place - 1)
        except RecursionError as error:
            call = Outcome(error=error.with_traceback(None))
    call = go_on(callee.flow, exit_, names, callee.scope, call)
    if call.error is not None:
        call.error = raised_within(call.error, callee.scope, call.line, names)
    return call


def raised_within(error: BaseException, scope: Scope, line: int, names: dict[str, Any]) -> BaseException:
    """Return an exception after a function has raised it at a line of its own. names: those of its frame."""
    own = tuple([name for name in names if scope.is_local(name)])
    code = _raising(scope.code, scope.code.co_filename, line, tuple(map(scope.mangled, own)))
    function = FunctionType(code, scope.globals)
    try:
        function(*[names[name] for name in own], error)
    except BaseException as raised:
        error = raised
    assert error.__traceback__ is not None
    error.__traceback__ = error.__traceback__.tb_next
    return error


@lru_cache(512)
def _raising(code: CodeType, file: str, line: int, names: tuple[str, ...]) -> CodeType:
    """Return the code of a function that raises its last argument, as if it were another function.

    file: the code's, since the code of equal functions in two files is equal.
    """
    at: dict[str, Any] = {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}
    fields: dict[str, Any] = {"decorator_list": [], "type_params": []}
    arguments = [ast.arg(name, **at) for name in (*names, ERROR)]
    node = ast.FunctionDef(
        name=code.co_name,
        args=ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[ast.Raise(ast.Name(ERROR, ast.Load(), **at), None, **at)],
        **fields,
        **at,
    )
    return compile_in_place(node, code, frozenset())
