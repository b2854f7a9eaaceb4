"""Cuts a function into blocks, each a function of its own: statements that no recording can follow stay
Python.

`partition/` calls `outline` with the levels of the function's statements, and replaces what the blocks' cells
hold: functions that record, then replay. The predicates below tell before any recording if a function has to
be cut.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import functools
import inspect
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining
from npcompile.frontend.catalog.called_libraries import is_as_it_is
from npcompile.frontend.rewrite.block_levels import MAX_WORK, Block, Levels
from npcompile.frontend.rewrite.call_sites import with_users_levels
from npcompile.frontend.rewrite.cutter import Cutter
from npcompile.frontend.rewrite.dual_loops import CALL, CUT
from npcompile.frontend.rewrite.function_trees import function_tree
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.native_entry import BEGIN, LOCALS, Native
from npcompile.frontend.rewrite.nested_calls import backtracks, bound_by_nested, made_once, working_functions
from npcompile.frontend.rewrite.resident_statements import TABLE, resident
from npcompile.frontend.rewrite.scopes import WORK, body_of, function_scope, stored_names
from npcompile.frontend.rewrite.source import (
    FunctionNode,
    NotFound,
    compile_in_place,
    enclosing_class,
    given,
    is_given,
)
from npcompile.frontend.rewrite.statement_facts import Facts
from npcompile.frontend.rewrite.statement_forms import (
    ENTER,
    appended_to,
    changes_container,
    is_counted,
    is_effect,
    is_short,
    root_of,
)
from npcompile.frontend.rewrite.timers import TICK, TOCK, WATCH, clocked
from npcompile.tiering.overhead import current

_NOT_CUT = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
UNKNOWN: Any = object()  # stands for the value of an expression that is known at the call only
_facts: dict[int, Facts] = {}  # of trees, by their identity


@dataclass
class Piece:
    """A block as a function. `function` does its work; `cell` holds the function that the cut function calls
    for it."""

    block: Block
    function: FunctionType
    cell: CellType


@dataclass
class Outline:
    """A function that does what the original does, with calls of blocks in it.

    It is the original function if there are no blocks and it calls no function that is to be jitted.
    """

    function: FunctionType
    pieces: list[Piece]
    units: list[ast.stmt]  # the timed statements, where a clock was given
    is_resident: bool = False  # are there arrays that stay on a device between its blocks?


class Clock(Protocol):
    """Takes the time of the statements of a function that stay Python."""

    enough: bool  # it has timed enough, so that loops need not call it any more

    def tick(self, unit: int) -> None:
        """Note that the statement of this number comes next."""

    def tock(self) -> None:
        """Note that the statement is done."""


class Idler(Protocol):
    """Counts trips and calls in a row that came to nothing.

    These are trips of loops, calls of functions that are called as they are, and calls of blocks that no
    kernel answered.
    """

    idle: int
    unanswered: int
    tried: int  # times that loops were made to try their blocks again

    def idles(self) -> None:
        """Make loops go on as written for a while."""


def tree_of(fn: FunctionType) -> tuple[ast.FunctionDef, frozenset[str]]:
    """Return the function's tree and its file's imports.

    Raises NotFound, also for a function that cannot be cut.
    """
    found = function_tree(fn, keep=True)
    if fn.__code__.co_flags & _NOT_CUT:
        raise NotFound(Cause.COROUTINE())
    if not isinstance(found.node, ast.FunctionDef):
        raise NotFound(Cause.LAMBDA())
    if found.reason is not None:
        raise NotFound(found.reason)
    return found.node, found.imports


def _facts_of(node: ast.FunctionDef, code: CodeType) -> Facts:
    """Return the facts about the statements of a tree that `tree_of` returned."""
    found = _facts.get(id(node))
    if found is None:
        found = Facts(node, function_scope(node, None, enclosing_class(code)))
        key = id(node)
        _facts[key] = found
        weakref.finalize(code, _facts.pop, key, None)
    return found


def outline(
    fn: FunctionType,
    levels: Levels,
    enter: Callable[[Any], Any],
    as_it_is: Callable[[Any], bool],
    clock: Clock | None = None,
    idler: Idler | None = None,
    native: Callable[[ast.stmt], Native | None] = lambda node: None,
    table: Callable[[], Any] | None = None,
) -> Outline:
    """Cut a function at the levels of its statements.

    enter: `enter(f)` returns the function to call where Python between blocks calls `f`. as_it_is:
    `as_it_is(f)` tells if that is `f` (which may be UNKNOWN). clock: times the statements that stay Python.
    idler: counts calls that come to nothing, for loops that may go on as written. native: returns the native
    code that a loop may have. table: makes a table of the arrays that stay on a device between blocks. Raises
    NotFound.
    """
    node, imports = tree_of(fn)
    code = fn.__code__
    outside = dict(zip(code.co_freevars, fn.__closure__ or (), strict=True))
    facts = _facts_of(node, code)
    names = _Names(
        lambda name: facts.is_local(name) or name in facts.bound,
        outside,
        fn.__globals__,
        facts.makers,
        node,
    )
    cut = Cutter(
        node,
        facts,
        levels,
        imports,
        lambda called: names.is_of_library(called) or as_it_is(names.find(called)),
        names.is_of_others,
        names.is_of_library,
        idler is not None,
        native,
    ).cut()
    if clock is None and not cut.blocks and not cut.enters and not cut.natives:
        return Outline(fn, [], [])
    cells = {name: CellType() for name in (ENTER, *(block.name for block in cut.blocks))}
    cells[ENTER].cell_contents = enter
    if cut.twice:
        cells |= {CALL: CellType(current), CUT: CellType(idler)}
    if cut.natives:
        cells |= {BEGIN: CellType(iter), LOCALS: CellType(locals)}
        cells |= {name: CellType(one) for name, one in cut.natives.items()}
    tree: FunctionNode = cut.node
    units: list[ast.stmt] = []
    if clock is not None:
        tree, units = clocked(tree, _facts_of(node, code).scalars, levels.faster)
        cells |= {TICK: CellType(clock.tick), TOCK: CellType(clock.tock), WATCH: CellType(clock)}
    stays: FunctionNode | None = None
    if table is not None and cut.blocks:
        shown = facts.bound | outside.keys() | fn.__globals__.keys()
        own = tuple(name for name in code.co_varnames if name not in code.co_cellvars)
        stays = resident(tree, lambda name: not (facts.is_local(name) or name in shown), own)
    if stays is not None:
        cells[TABLE] = CellType(table)
    written = tree if stays is None else stays
    made = _function(fn, compile_in_place(written, code, imports, tuple(cells)), outside | cells)
    if is_given(code):  # `fn` is a block, which is cut further
        given(made.__code__, tree, imports)
    pieces = []
    for block in cut.blocks:
        inner = compile_in_place(block.node, code, imports)
        function = _function(fn, inner, outside)
        function.__defaults__ = function.__kwdefaults__ = None
        given(function.__code__, block.node, imports)
        pieces.append(Piece(block, function, cells[block.name]))
    return Outline(made, pieces, units, stays is not None)


class _Names:
    """The values of a function's expressions, as far as they are known before the function is called."""

    def __init__(
        self,
        is_local: Callable[[str], bool],
        cells: dict[str, CellType],
        outer: dict[str, Any],
        makers: Callable[[str], list[ast.Call]],
        node: ast.AST,
    ) -> None:
        self.node = node
        self.is_local = is_local
        self.makers = makers  # returns the calls that give a local name all of its values
        self.cells = cells
        self.outer = outer

    def find(self, node: ast.expr) -> Any:
        """Return the value of an outer name or a module's attribute, else UNKNOWN."""
        if isinstance(node, ast.Name):
            if self.is_local(node.id):
                return UNKNOWN
            if node.id in self.cells:
                return _content(self.cells[node.id])
            return self.outer.get(node.id, getattr(builtins, node.id, UNKNOWN))
        if isinstance(node, ast.Attribute):
            module = self.find(node.value)
            if isinstance(module, ModuleType):
                return vars(module).get(node.attr, UNKNOWN)
        return UNKNOWN

    def is_of_library(self, called: ast.expr) -> bool:
        """Tell if this is a function, a class or a method of an installed library, inside which nothing is
        recorded.

        In a branch that ends by raising it is no reason to cut.
        """
        return self._is_of_library(called) and called not in self.raising

    @functools.cached_property
    def raising(self) -> set[ast.AST]:
        """All parts of branches that end by raising, as those of asserts that pytest has rewritten do."""
        ifs = [part for part in ast.walk(self.node) if isinstance(part, ast.If)]
        branches = [branch for part in ifs for branch in (part.body, part.orelse) if branch]
        ended = [branch for branch in branches if isinstance(branch[-1], ast.Raise)]
        return {part for branch in ended for statement in branch for part in ast.walk(statement)}

    def _is_of_library(self, called: ast.expr) -> bool:
        found = self.find(called)
        if found is not UNKNOWN:
            return is_as_it_is(found)
        while isinstance(called, ast.Attribute):
            called = called.value
            found = self.find(called)
            if found is not UNKNOWN:
                return not isinstance(found, ModuleType) and is_as_it_is(found)
        makers = self.makers(called.id) if isinstance(called, ast.Name) else [called]
        made = [self.find(maker.func) if isinstance(maker, ast.Call) else UNKNOWN for maker in makers]
        return bool(made) and all(isinstance(kind, type) and is_as_it_is(kind) for kind in made)

    def is_of_others(self, called: ast.expr) -> bool:
        """Tell if this is a function, or an object's method, of a library other than NumPy."""
        if self.is_of_library(called):
            return True
        found = self.find(called)
        while found is UNKNOWN and isinstance(called, ast.Attribute):
            called = called.value
            found = self.find(called)
        if found is UNKNOWN or isinstance(found, ModuleType | type):
            return False
        return inlining.is_of_others(found)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return UNKNOWN


def _function(fn: FunctionType, code: CodeType, cells: dict[str, CellType]) -> FunctionType:
    closure = tuple(cells[name] for name in code.co_freevars)
    code = with_users_levels(code, fn.__globals__)
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    return made


def _is_print(node: Any) -> bool:
    return isinstance(node.value.func, ast.Name) and node.value.func.id == "print"


def may_resize(fn: FunctionType) -> bool:
    """Tell if a function may call an array's `resize`, for which NumPy counts the references to the array."""
    if any(fn.__globals__.get(name) is np.ndarray.resize for name in fn.__code__.co_names):
        return True
    if "resize" not in fn.__code__.co_names:
        return False
    try:
        node, imports = tree_of(fn)
    except NotFound:
        return True
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == "resize"
        and (root_of(part) not in imports or _attribute_of(part, fn.__globals__) is np.ndarray.resize)
        for part in ast.walk(node)
    )


def _attribute_of(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return the value of a name, or of an attribute of one; None if there is none."""
    if isinstance(node, ast.Attribute):
        return getattr(_attribute_of(node.value, known), node.attr, None)
    return known.get(node.id) if isinstance(node, ast.Name) else None


def calls_itself(fn: FunctionType) -> bool:
    """Tell if a function's code reads its own global name, which stands for the function, jitted or not."""
    name, code = fn.__name__, fn.__code__
    found = fn.__globals__.get(name)
    if name not in code.co_names or getattr(found, "__wrapped__", found) is not fn:
        return False
    # An attribute may have the same name: `def mean(x): return np.mean(x)`.
    return any(one.opname == "LOAD_GLOBAL" and one.argval == name for one in dis.get_instructions(code))


def must_be_cut(fn: FunctionType) -> bool:
    """Tell if a function holds statements that no recording of the whole follows.

    These are loops that count or go on while something holds, calls for their effect or of libraries,
    `yield`, nested functions that backtrack or have `while` loops, and more operations than one recording
    follows; any loop, calls of the function itself, and nested functions that have some, once recording the
    whole was tried in vain.
    """
    try:
        node, imports = tree_of(fn)
    except NotFound:
        return False
    known = _facts.get(id(node))  # those known already: collecting facts takes as long as recording does
    tried = known is not None and known.tried
    last = node.body[-1]
    made = set(stored_names(*node.body)) | {fn.__code__.co_varnames[place] for place in histories(fn)}
    work = 0
    libraries = _calls_of_libraries(fn, node)
    for part in own_nodes(body_of(node)):
        work += isinstance(part, WORK)
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            changed = changes_container(part)
            if changed is not None and changed not in made and changed not in imports:
                return True
            if changed is None and part is not last and is_effect(part, imports) and not _is_print(part):
                return True
        if isinstance(part, ast.While | ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal):
            return True
        if isinstance(part, ast.Call) and libraries(part):
            return True
        if isinstance(part, ast.For) and not is_short(part) and (tried or is_counted(part)):
            return True
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Del):
            return True
    if tried and calls_itself(fn):
        return True
    nests = any(isinstance(one, CodeType) for one in fn.__code__.co_consts)
    if nests and (backtracks(node.body) or (tried and working_functions(node.body))):
        return True
    return work > 2 * MAX_WORK


def _calls_of_libraries(fn: FunctionType, node: ast.AST) -> Callable[[ast.Call], bool]:
    """Return the predicate that tells if a call in a function is of a library's function."""
    code = fn.__code__
    cells = dict(zip(code.co_freevars, fn.__closure__ or (), strict=True))
    local = {*code.co_varnames, *code.co_cellvars}
    names = _Names(local.__contains__, cells, fn.__globals__, lambda name: [], node)
    return lambda call: names.is_of_library(call.func)


def histories(fn: Any) -> frozenset[int]:
    """Return the places of the parameters that the function only ever changes by `history.append(x)`.

    Only an answer may follow the appends: they are stores, and sizes computed after a store would be decided
    by value.
    """
    if not isinstance(fn, FunctionType) or "append" not in fn.__code__.co_names:
        return frozenset()
    try:
        node, _ = tree_of(fn)
    except NotFound:
        return frozenset()
    parts = own_nodes(body_of(node))
    found = {kept.id for part in parts if isinstance(kept := appended_to(part), ast.Name)}
    others = {changes_container(part) for part in parts if appended_to(part) is None}
    names = found - others - set(stored_names(*node.body))
    first = next((at for at, one in enumerate(node.body) if _appends(one)), None)
    if first is None or not all(map(_only_answers, node.body[first + 1 :])):
        return frozenset()
    parameters = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    return frozenset(place for place, name in enumerate(parameters) if name in names)


_NO_COMPUTATION = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.expr_context)


def _appends(node: ast.stmt) -> bool:
    return any(isinstance(appended_to(part), ast.Name) for part in ast.walk(node))


def _only_answers(node: ast.stmt) -> bool:
    """Tell if a statement appends, or returns values that are computed already."""
    if isinstance(node, ast.Expr):
        return _appends(node)
    parts = ast.walk(node.value) if isinstance(node, ast.Return) and node.value is not None else ()
    return isinstance(node, ast.Return) and all(isinstance(part, _NO_COMPUTATION) for part in parts)


def captured_by_nested(fn: FunctionType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the nested functions that a function makes by one `def` each, and its variables that nested
    functions bind.
    """
    if not fn.__code__.co_cellvars:
        return frozenset(), frozenset()
    try:
        node = tree_of(fn)[0]
    except NotFound:
        return frozenset(), frozenset(fn.__code__.co_cellvars)
    return made_once(node), bound_by_nested(node.body).intersection(fn.__code__.co_cellvars)


def tried_whole(fn: Any) -> None:
    """Note that a function was recorded whole in vain: if it has loops, its source decides how it is cut."""
    if isinstance(fn, FunctionType):
        with contextlib.suppress(NotFound):
            _facts_of(tree_of(fn)[0], fn.__code__).tried = True


def goes_as_before(fn: Any, trips: tuple[int, ...]) -> bool:
    """Tell if the loops of a function that was recorded whole ran as often as in the first such recording.

    If they did not, the function is cut, for the number of trips must not enter what is compiled.
    """
    if not trips:
        return True
    facts = _facts_of(tree_of(fn)[0], fn.__code__)
    if facts.trips is None:
        facts.trips = trips
    facts.tried |= facts.trips != trips
    return facts.trips == trips
