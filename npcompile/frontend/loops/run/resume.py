"""Goes on with a loop region in Python, from the step at which native code left it.

Native code leaves where it has no answer: Python does the step, which raises or yields an object that native
code does not hold. Python then stays until the region ends or a new trip of its outermost loop begins.

Parts of the region are compiled as functions with the names that they use as their locals: a block with those
that follow it straight, a statement that may leave its trip, or all the trips left of an inner loop, which go
at the speed of plain Python. The functions have the user's file, lines, globals and cells.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType, TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.loops.source.control_flow import (
    Block,
    Branch,
    Compound,
    ControlFlow,
    Guard,
    Iterate,
    Jump,
    Next,
    Return,
)
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.call_sites import with_users_levels
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.source import compile_in_place, given

_LOAD, _STORE, _DELETE = ast.Load(), ast.Store(), ast.Del()
ERROR = ".error"  # the name of an exception that a part raises
_LOCALS = ".locals"  # a free variable of each part: the builtin
_TRIP = ".trip"
_OWN = frozenset((_LOCALS, _TRIP))
_ENTRY = (0, 0)  # the header of the outermost loop
_RETURNS, _ENDS = -1, -2  # for the number of a block: `return`, and the end of the region
_READ_FRAMES = frozenset(("locals", "vars", "dir", "eval", "exec"))


def raising_at(step: int) -> int:
    """Return the number that stands for a step within a guarded body at which `ERROR` is raised."""
    return -1 - step


def resume(flow: ControlFlow, place: tuple[Block, int], names: dict[str, Any], scope: Scope) -> Outcome:
    """Run a region from a place on, to its end or to the header of its outermost loop.

    At a place that is this header, nothing is run.

    Parameters
    ----------
    flow
        The graph of the region.
    place
        A block, and the number of the step that comes next; after the last step comes the block's end.
    names
        The values of the user's names and of temporaries, where they have one; iterators of inner loops are
        Python's own. The dictionary is changed.
    scope
        The function around the region.

    Returns
    -------
    Outcome
        The names as they are at that moment, also where the region has raised. The traceback of the exception
        begins after the user's function.
    """
    return _Run(flow, names, scope).run(*place)


@dataclass(eq=False)
class _Part:
    """A part of a region that is compiled as one function.

    exits: the numbers of the blocks to which it leads. used: the local names in it, as they are written and
    as they are compiled. outside: declares the names that it binds for the module or for a function around.
    reads_frame: it may ask for the names of all locals. codes: its code, by the names that have a value when
    it begins.
    """

    statements: list[ast.stmt]
    exits: list[int]
    used: dict[str, str]
    outside: list[ast.stmt]
    reads_frame: bool
    codes: dict[tuple[str, ...], CodeType] = field(default_factory=dict)


# The parts of each graph, by a block and the first step. They hold no blocks, which would keep it alive.
_parts: WeakKeyDictionary[ControlFlow, dict[tuple[int, int], _Part]] = WeakKeyDictionary()


class _Run:
    """One resumption."""

    def __init__(self, flow: ControlFlow, names: dict[str, Any], scope: Scope) -> None:
        self.flow = flow
        self.names = names
        self.scope = scope
        self.cells = scope.cells | {_LOCALS: CellType(locals)}
        self.used: dict[str, str] = {}  # by the part that runs
        self.code: CodeType | None = None  # the part's
        self.line = 0  # where it begins

    def run(self, block: Block, first: int) -> Outcome:
        """Run one part after the other. No exception is being handled meanwhile: the user's would have it as
        context."""
        parts = _parts.setdefault(self.flow, {})
        place = block.number, first
        try:
            while place != _ENTRY:
                part = parts.get(place)
                if part is None:
                    part = parts[place] = self.part(*place)
                way, value = self.call(part) if part.statements else (0, None)
                number = _RETURNS if way == _RETURNS else part.exits[way]
                if number == _RETURNS:
                    return Outcome(self.bound(), returns=True, value=value)
                if number == _ENDS:
                    return Outcome(self.bound())
                place = number, 0
        except BaseException as error:
            if not self.is_users(error):
                raise
            return self.raised(error)
        return Outcome(self.bound(), rest=True if self.flow.state is None else self.names[self.flow.state])

    def bound(self) -> dict[str, Any]:
        return {name: self.names[name] for name in self.flow.stored if name in self.names}

    # -- calls of parts ----------------------------------------------------------------------------------

    def call(self, part: _Part) -> tuple[int, Any]:
        """Run a part; returns the exit that it has taken, and the value that it returns from the function."""
        self.line = part.statements[0].lineno
        self.used = part.used
        if part.reads_frame:
            users = [name for name in self.names if name[0] != "." and self.is_local(name)]
            self.used = part.used | {name: self.scope.mangled(name) for name in users}
        given_names = tuple([name for name in self.used if name in self.names])
        code = part.codes.get(given_names)
        if code is None:
            code = part.codes[given_names] = self.compiled(part, given_names)
        self.code = code
        cells = tuple([self.cells[name] for name in code.co_freevars])
        function = FunctionType(code, self.scope.globals, code.co_name, None, cells)
        way, value, left = function(*[self.names[name] for name in given_names])
        self.update(left)
        return way, value

    def update(self, left: Mapping[str, Any]) -> None:
        """Take over the locals of a part."""
        for name, key in self.used.items():
            if key in left:
                self.names[name] = left[key]
            else:
                self.names.pop(name, None)
        self.names.pop(ERROR, None)

    def traceback(self, error: BaseException) -> TracebackType | None:
        """Return the entry of the part that runs in the traceback of an exception that it has raised."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_frame.f_code is not self.code:
            traceback = traceback.tb_next
        return traceback

    def is_users(self, error: BaseException) -> bool:
        """Tell if an exception is the user's, and not due to a fault in this file.

        An interrupt may come at any place.
        """
        if not isinstance(error, Exception) or isinstance(error, RecursionError | MemoryError):
            return True
        return self.traceback(error) is not None

    def raised(self, error: BaseException) -> Outcome:
        traceback = self.traceback(error)
        if traceback is None:
            error.__traceback__ = None
            return Outcome(self.bound(), error=error, line=self.line)
        self.update(traceback.tb_frame.f_locals)
        error.__traceback__ = traceback.tb_next
        return Outcome(self.bound(), error=error, line=traceback.tb_lineno)

    # -- making parts ------------------------------------------------------------------------------------

    def part(self, number: int, first: int) -> _Part:
        """Return the part that begins at a block's step."""
        block = self.flow.blocks[number]
        if block.guard is not None:
            statements, exits = _guarded(block, first, block.guard)
        elif block.loop is not None and first == 0:
            state = block.end.state if isinstance(block.end, Next) else None
            statements, exits = _trips(block, state)
        else:
            statements, exits = _straight(block, first)
        names = {part.id for one in statements for part in ast.walk(one) if isinstance(part, ast.Name)}
        stored = stored_names(*statements)
        used = {name: self.scope.mangled(name) for name in sorted(names.union(stored)) if self.is_local(name)}
        arguments = self.scope.code.co_varnames[: self.scope.code.co_argcount]
        if "super" in names and arguments:  # it asks for the first argument of its function
            used = {arguments[0]: arguments[0]} | used
        outside: list[ast.stmt] = []
        for name in stored:
            if name not in used and name[0] != ".":
                kind = ast.Nonlocal if self.scope.is_free(name) else ast.Global
                outside.append(kind([name], **position(statements[0])))
        return _Part(statements, exits, used, outside, not _READ_FRAMES.isdisjoint(names))

    def is_local(self, name: str) -> bool:
        if name[0] == ".":
            return name not in _OWN
        if self.scope.is_local(name):
            return True
        # Trees of asserts that pytest rewrote have names that are not in the function's code.
        return name in self.flow.stored and not (self.scope.is_global(name) or self.scope.is_free(name))

    def compiled(self, part: _Part, given_names: tuple[str, ...]) -> CodeType:
        """Return the code of the function whose arguments are these names. The others are its locals, too."""
        at = position(part.statements[0])
        unbound: list[ast.expr] = [
            ast.Name(name, _DELETE, **at) for name in self.used if name not in given_names
        ]
        never: list[ast.stmt] = [ast.Delete(unbound, **at)]
        hidden = [ast.If(ast.Constant(False, **at), never, [], **at)] if unbound else []
        fields: dict[str, Any] = {"decorator_list": [], "type_params": []}
        node = ast.FunctionDef(
            name=self.scope.code.co_name,
            args=ast.arguments(
                posonlyargs=[],
                args=[ast.arg(name, **at) for name in given_names],
                kwonlyargs=[],
                kw_defaults=[],
                defaults=[],
            ),
            body=[*part.outside, *hidden, *part.statements],
            **fields,
            **at,
        )
        code = compile_in_place(node, self.scope.code, frozenset(), (_LOCALS, *self.scope.own))
        code = with_users_levels(code, self.scope.globals)
        given(code, node, frozenset())
        return code


def _exit(way: int, at: dict[str, Any], value: ast.expr | None = None) -> ast.stmt:
    """Return the statement by which a part ends. Its value is evaluated before the locals are read."""
    parts: list[ast.expr] = [
        ast.Constant(way, **at),
        value or ast.Constant(None, **at),
        ast.Call(ast.Name(_LOCALS, _LOAD, **at), [], [], **at),
    ]
    return ast.Return(ast.Tuple(parts, _LOAD, **at), **at)


def _trips(header: Block, state: str | None) -> tuple[list[ast.stmt], list[int]]:
    """Return the statements of all trips of a loop, and the exits. state: its iterator, if that has begun."""
    loop, exhausted, after = header.loop, header.exhausted, header.after
    assert loop is not None and exhausted is not None and after is not None
    at = position(loop)
    (body,) = _with_exits([type(loop)(**dict(ast.iter_fields(loop)) | {"orelse": []}, **at)])
    assert isinstance(body, ast.For | ast.While)
    body.orelse = [_exit(0, at)]
    if isinstance(body, ast.For) and state is not None:
        body.iter = ast.Name(state, _LOAD, **position(body.iter))
    return [body, _exit(1, at)], [exhausted.number, after.number]


def _straight(block: Block, first: int) -> tuple[list[ast.stmt], list[int]]:
    """Return the statements from a step on, as far as no branch and no loop begins, and the exits.

    A `for` statement that begins is done with them.
    """
    steps, end = block.steps[first:], block.end
    while isinstance(end, Jump) and end.target.loop is None and end.target.guard is None:
        steps, end = steps + end.target.steps, end.target.end
    done = _with_exits([step for step in steps if not isinstance(step, Iterate)])
    at = position(done[-1]) if done else {}
    match end:
        case Jump(header) if steps and isinstance(steps[-1], Iterate):
            statements, exits = _trips(header, None)
            return done + statements, exits
        case Jump(target):
            return [*done, _exit(0, at)] if done else [], [target.number]
        case Branch(test, then, otherwise):
            at = position(test)
            statements = [ast.If(test, [_exit(0, at)], [], **at), _exit(1, at)]
            return done + statements, [then.number, otherwise.number]
        case Compound(statement, after, broken, continued):
            return done + _once(statement), [after.number, broken.number, continued.number]
        case Return(ast.expr() as value):
            return [*done, _exit(_RETURNS, position(value), value)], []
    return [*done, _exit(0, at)] if done else [], [_RETURNS if isinstance(end, Return) else _ENDS]


def _guarded(block: Block, first: int, guard: Guard) -> tuple[list[ast.stmt], list[int]]:
    """Return a `try` or `with` statement with the rest of its body, and the exits.

    Where `first` is `raising_at` a step, the rest is an exception that a call there has raised.
    """
    if first < 0:
        at = position(block.steps[-1 - first])
        rest: list[ast.stmt] = [ast.Raise(ast.Name(ERROR, _LOAD, **at), None, **at)]
    else:
        rest = _rest(block, first, guard)
    statement = copy.copy(guard.statement)
    statement.body = rest or [ast.Pass(**position(guard.statement))]
    if guard.broken is None or guard.continued is None:
        at = position(guard.statement)
        return [*_with_exits([statement]), _exit(0, at)], [guard.after.number]
    return _once(statement), [guard.after.number, guard.broken.number, guard.continued.number]


def _rest(block: Block, first: int, guard: Guard) -> list[ast.stmt]:
    """Return the rest of a guarded body, from a step on."""
    steps: list[ast.stmt] = [step for step in block.steps[first:] if not isinstance(step, Iterate)]
    at = position(steps[-1] if steps else guard.statement)
    match block.end:
        case Jump(target) if target is guard.completed:
            return steps
        case Jump(target) if target in guard.ends:
            match guard.ends[target]:
                case ast.Return() as statement:
                    return [*steps, statement]
                case statement:
                    return [*steps, type(statement)(**at)]
        case Jump(target):
            return [*steps, *_rest(target, 0, guard)]
        case Branch(test, then, otherwise):
            ways = [_rest(way, 0, guard) or [ast.Pass(**position(test))] for way in (then, otherwise)]
            return [*steps, ast.If(test, *ways, **position(test))]
    raise AssertionError("a guarded body ends otherwise")


def _once(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement within a loop of its own: exit 0 is after it, 1 for `break`, 2 for `continue`."""
    at = position(statement)
    again = ast.If(ast.Name(_TRIP, _LOAD, **at), [_exit(2, at)], [], **at)
    trips = ast.Tuple([ast.Constant(False, **at), ast.Constant(True, **at)], _LOAD, **at)
    body = [again, *_with_exits([statement]), _exit(0, at)]
    return [ast.For(ast.Name(_TRIP, _STORE, **at), trips, body, [], **at), _exit(1, at)]


_WITH_EXITS = (ast.Return, ast.Global, ast.Nonlocal)


def _with_exits(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements whose `return` gives the locals, too; a part declares names itself."""
    return [
        _Exits().visit(copy.deepcopy(one))
        if any(isinstance(part, _WITH_EXITS) for part in own_nodes([one]))
        else one
        for one in statements
    ]


class _Exits(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Return(value=value):
                return _exit(_RETURNS, position(node), value)
            case ast.Global() | ast.Nonlocal():
                return ast.Pass(**position(node))
            case ast.expr() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return node
        return self.generic_visit(node)
