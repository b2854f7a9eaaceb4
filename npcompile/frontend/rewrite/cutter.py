"""Cuts a function's body into blocks: runs of statements that are recorded and compiled, with Python in
between.

Statements that a block cannot hold (loops, `return`, stores to objects, `with`, `try`, `yield`) stay where
they stand, as Python; the array work in them goes into blocks of its own. Which statements a block can hold
also depends on what they do, so each has a *level*, raised where a recording failed: 0, in a block; 1, taken
apart (the values in a block, the store or the call of the statement left to Python); 2, left to Python whole.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from npcompile.frontend.rewrite.ast_builder import is_pure, position
from npcompile.frontend.rewrite.block_levels import Block, Cut, Levels, bound_by, function_of
from npcompile.frontend.rewrite.dual_loops import Twice
from npcompile.frontend.rewrite.foreign_names import hands_over, root_name
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.library_calls import Libraries
from npcompile.frontend.rewrite.liveness import deleted, is_scalar, loads, surely_stored
from npcompile.frontend.rewrite.native_entry import Native, may_enter_within, native_entry
from npcompile.frontend.rewrite.nested_calls import calls_for_work, one_trip, working_functions
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.statement_facts import NEVER_HELD, Facts, Gathered
from npcompile.frontend.rewrite.statement_forms import (
    asks_numbers,
    entering,
    filled,
    first_call,
    first_opaque,
    has_work,
    is_effect,
    is_given_code,
    is_resizing,
    is_super,
    leaves,
    lets_go,
    only_kept,
    swapped,
)
from npcompile.frontend.rewrite.unbound_names import bind_results, if_bound, keep_local, reads_surely


class Cutter:
    """Cuts one function's body. `node` is not changed; statements keep their identity from cut to cut."""

    def __init__(
        self,
        node: ast.FunctionDef,
        facts: Facts,
        levels: Levels,
        imports: frozenset[str],
        as_it_is: Callable[[ast.expr], bool],
        is_of_others: Callable[[ast.expr], bool],
        of_library: Callable[[ast.expr], bool],
        twice: bool,
        native: Callable[[ast.stmt], Native | None],
    ) -> None:
        self.node = node
        self.as_it_is = as_it_is  # tells if an expression stands for a function that is called as it is
        self.is_of_others = is_of_others  # tells if it stands for a function of another library's
        self.libraries = Libraries(of_library)
        self.entered = 0  # calls of functions that may be jitted in their turn
        self.twice = Twice() if twice else None  # loops are written twice: cut, and as written
        self.native = native  # returns a statement's native code, if it may have any
        self.working = working_functions(node.body)
        self.natives: dict[str, Native] = {}  # by the free variables that hold them
        self.imports = imports
        self.facts = facts
        self.levels = levels
        self.foreign = frozenset().union(*levels.foreign.values())  # names that hold foreign arrays somewhere
        self.of_foreign = self.foreign.union(stored_names(*levels.foreign))  # or what was made of them
        self.blocks: list[Block] = []
        self.run = Gathered(facts)  # the statements of the block being gathered
        self.bound: set[str] = set()  # names surely bound here
        self.before_run: set[str] = set()  # names surely bound where the block being gathered begins
        self.loops: list[ast.For | ast.While] = []  # those around
        self.protected = 0  # the number of `try` statements around, which see names bound before an exception
        self.scalars = facts.scalars
        self.loaded = loads(*node.body)
        self.places: list[Any] = []  # of the expressions that are evaluated by themselves
        self.before: list[ast.stmt] = []  # calls taken out of the statement at hand
        self.held: list[str] = []  # names of the values that were evaluated for it

    def cut(self) -> Cut:
        self.bound = set(self.facts.arguments)
        made = copy.copy(self.node)
        made.body = self.body(self.node.body)
        made.body += keep_local(self.node, made.body, self.facts)
        if self.twice is not None:
            made.body = self.twice.write(made.body)
        asked = bool(self.twice and self.twice.asked)
        return Cut(made, tuple(self.blocks), self.entered > 0, asked, self.natives)

    # -- statements --------------------------------------------------------------------------------------

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in statements:
            if node in self.levels.starts or self.protected or self.run.work >= self.levels.work:
                made += self.flush()
            if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
                made.append(node)  # does nothing
            elif self._is_counter_update(node):
                made.append(node)  # arithmetic on counters: Python's, before the block
                self.bound |= set(stored_names(node))
            elif (native := self._native_call(node)) is not None:
                made += [*self.flush(), *self._calling(node, native)]
            elif self.levels[node] == 0 and not is_effect(node, self.imports) and self.holds(node):
                self._gather(node, node)
                form = self.facts.form(node)
                self.bound |= form.binds | {name for name in form.reads if self.facts.is_local(name)}
                if self.facts.captured & form.stored:
                    made += self.flush()  # a function that is called next may read it
            elif is_resizing(node):
                made += [*self.flush(), self.entering(node)]
            else:
                made += self.python(node)
        return made + self.flush()

    def _gather(self, node: ast.stmt, origin: ast.AST) -> None:
        if not self.run.body:
            self.before_run = set(self.bound)
        self.run.add(node, origin)

    def _is_counter_update(self, node: ast.stmt) -> bool:
        """Tell if a statement only computes a counter, and may be done before the block being gathered."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                pass
            case _:
                return False
        if name not in self.scalars or name in self.facts.captured:
            return False
        if not is_scalar(value, self.scalars) or any(
            isinstance(part, ast.Mod | ast.FloorDiv) for part in ast.walk(node)
        ):
            return False
        run, reads = self.run, loads(node)
        return name not in run.stored | run.loads and not reads & run.stored and reads <= self.bound

    def holds(self, node: ast.stmt) -> bool:
        """Tell if the block being gathered may hold this statement, too."""
        form = self.facts.form(node)
        if self.libraries.are_called_by(node, form.parts, self.levels):
            return False
        if not self.levels.foreign.keys().isdisjoint(form.parts):
            return False
        # pandas copies before a write what others refer to, so they are let go as Python does.
        frees = lets_go(node) or not self.of_foreign.isdisjoint(form.stored)
        if not form.holds or (frees and not form.stored & self.facts.live.after.get(node, set())):
            return False
        if not (self.levels.of.keys().isdisjoint(form.parts) and self.levels.starts.isdisjoint(form.parts)):
            return False
        if not form.at_once and (self.protected or form.stored & self.facts.captured):
            return False
        read = self.run.read | (form.reads - self.run.binds)
        # Where the statement may not bind a name that is read later, the name must have a value before it.
        live = self.facts.live
        unsure = (form.stored - form.binds) & (live.after.get(node, frozenset()) | live.always)
        if {name for name in read if self.facts.is_local(name)} <= self.bound or reads_surely(node):
            return unsure <= self.bound
        return False

    def entering(self, node: Any) -> Any:
        return entering(node, self._called_as_it_is, None if self.twice is None else self.twice.asks)

    def _called_as_it_is(self, function: ast.expr) -> bool:
        known = self.facts.is_display_method(function) or self.as_it_is(function)
        known = known or (isinstance(function, ast.Attribute) and root_name(function) in self.foreign)
        self.entered += not known
        return known

    # -- what stays Python -------------------------------------------------------------------------------

    def python(self, node: ast.stmt) -> list[ast.stmt]:
        """Return a statement that no block holds, after blocks for the values in it."""
        visit = getattr(self, "python_" + type(node).__name__, None)
        if visit is not None:
            return visit(node)
        made = [*self.flush(), self.entering(node)]
        gone = deleted([node])
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Match | ast.TryStar):
            self.bound |= surely_stored(node)
        self.bound -= gone
        return made

    def value(self, node: ast.expr, origin: ast.stmt, extract: bool = True) -> ast.expr:
        """Return an expression of a statement that stays, or the name of its value if a block computes
        that."""
        if self.levels[origin] >= 2 or not has_work(node) or is_scalar(node, self.scalars):
            return node
        if extract and not isinstance(origin, ast.Expr | ast.AugAssign):
            node = self._opaque_calls_first(node, origin)
        if not self.levels.foreign.get(origin, frozenset()).isdisjoint(loads(node)):
            return node
        parts = own_nodes([node])
        never = not NEVER_HELD.isdisjoint(map(type, parts)) or any(map(is_super, parts))
        if never or self.libraries.are_called(parts):
            return node
        if self.levels[origin] == 1 and extract:
            node = self._calls_first(node, origin)
            if not has_work(node):
                return node
        reads = {name for name in loads(node) if self.facts.is_local(name)}
        if not (reads <= self.bound or reads_surely(node)) or self.facts.rebound & loads(node):
            return node
        name = self._held(node)
        store = ast.Assign([ast.Name(name, ast.Store(), **position(node))], node, **position(node))
        self._gather(store, origin)
        self.bound |= reads | {name}
        return ast.Name(name, ast.Load(), **position(node))

    def _steady(self, name: str) -> bool:
        """Tell if no call can bind this name anew."""
        local = self.facts.is_local(name) or name.startswith(self.facts.prefix)
        return (local and name not in self.facts.rebound) or name in self.imports

    def _opaque_calls_first(self, node: ast.expr, origin: ast.stmt) -> ast.expr:
        """Take the calls of other libraries' functions out of an expression, those that are given a function,
        and what foreign arrays hand over.

        Python makes these calls before the statement; the values before them, and their arguments, are
        computed first.
        """

        def opaque(part: ast.expr) -> bool:
            if hands_over(part, foreign):
                return True
            of_call = isinstance(part, ast.Call) and (
                (apart and self.is_of_others(part.func)) or is_given_code(part)
            )
            return of_call

        apart, foreign = self.levels[origin] == 1, self.levels.foreign.get(origin, frozenset())
        while (found := first_opaque(node, opaque, self._steady)) is not None:
            before, given = found
            if before is None and given is node:
                break
            part = given if before is None else before
            made = part if before is None else self.value(part, origin, extract=False)
            if made is part:
                made = self._by_python(part)
            node = swapped(node, part, made)
        return node

    def _by_python(self, node: ast.expr) -> ast.expr:
        """Return the name of an expression's value, which Python computes before the statement at hand."""
        name = self._held(node)
        where = position(node)
        made = ast.Assign([ast.Name(name, ast.Store(), **where)], self.entering(node), **where)
        self.before += [*self.flush(), made]
        self.bound.add(name)
        return ast.Name(name, ast.Load(), **where)

    def _calls_first(self, node: ast.expr, origin: ast.stmt) -> ast.expr:
        """Take the calls that come first in an expression out of it; Python makes them before the
        statement."""
        while (call := first_call(node, self._pure, self._steady)) is not None and call is not node:
            node = swapped(node, call, self._by_python(call))
        return node

    def _after_values(self, node: ast.stmt) -> list[ast.stmt]:
        """Return a statement after the values in it, which only the statement then holds."""
        made = [*self._before_statement(), self.entering(node)]
        held, self.held = self.held, []
        if held and not isinstance(node, ast.Return):
            made.append(
                ast.Delete([ast.Name(name, ast.Del(), **position(node)) for name in held], **position(node))
            )
            self.bound -= set(held)
        return made

    def _before_statement(self) -> list[ast.stmt]:
        """Return the statements to be done before the statement at hand."""
        before, self.before = self.before, []
        return [*before, *self.flush()]

    def python_Return(self, node: ast.Return) -> list[ast.stmt]:
        made = copy.copy(node)
        if node.value is not None:
            made.value = self.value(node.value, node)
        return self._after_values(made)

    def python_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        made = copy.copy(node)
        made.value = self.value(node.value, node)
        result = self._after_values(made)
        self.bound |= surely_stored(node)
        return result

    def python_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        made = copy.copy(node)
        if self._pure(node.value, node.target):  # Python reads the target before the value
            made.value = self.value(node.value, node)
        return self._after_values(made)

    def python_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        made = copy.copy(node)
        call = node.value
        if isinstance(call, ast.Call) and (
            filled(call) in self.facts.displays & self.bound
            or self._pure(call.func, *call.args, *(keyword.value for keyword in call.keywords))
        ):
            values = [self.value(arg, node) for arg in call.args]
            named = [copy.copy(keyword) for keyword in call.keywords]
            for keyword in named:
                keyword.value = self.value(keyword.value, node)
            made.value = ast.Call(call.func, values, named, **position(call))
        result = self._after_values(made)
        self.bound |= surely_stored(node)
        return result

    def _pure(self, *nodes: ast.expr) -> bool:
        return is_pure(nodes, self.imports)

    def python_If(self, node: ast.If) -> list[ast.stmt]:
        made = copy.copy(node)
        made.test = self.entering(node.test if asks_numbers(node.test) else self.value(node.test, node))
        before = self._before_statement()
        self.held = []
        self.bound |= surely_stored(node.test)
        start = set(self.bound)
        made.body = self.body(node.body)
        one, self.bound = self.bound, set(start)
        made.orelse = self.body(node.orelse)
        self.bound = one & self.bound if not leaves(node.body) else self.bound
        return [*before, made]

    def python_While(self, node: ast.While) -> list[ast.stmt]:
        before, native = self.flush(), self._native(node)
        made, known = copy.copy(node), self._found
        self.loops.append(node)
        self.bound -= deleted(node.body)
        made.test = self.entering(self._test(node.test, node))
        self.bound |= surely_stored(node.test)
        start = set(self.bound)
        made.body = self.body(node.body)
        self.loops.pop()
        self._write_twice(made, node, known)
        self.bound = set(start)
        made.orelse = self.body(node.orelse)
        self.bound = start
        return [*before, *self._enter_natively(node, made, native)]

    def _native_call(self, node: ast.stmt) -> Native | None:
        """Return the native code that a statement outside of loops may have, if it calls nested functions."""
        return self._native(node) if not self.loops and calls_for_work(node, self.working) else None

    def _calling(self, node: ast.stmt, native: Native) -> list[ast.stmt]:
        """Return a statement as a loop of one trip that may be done natively."""
        return self._enter_natively(one_trip([node], node), one_trip(self.python(node), node), native)

    def _native(self, node: ast.stmt) -> Native | None:
        """Return the native code that a statement may have, told which names may have no value."""
        if self.twice is None or self.protected_names(node):
            return None
        native = self.native(node)
        if native is not None:
            # A block before the loop does not give a name that the loop binds before it reads it.
            live = self.facts.live.ahead.get(node, frozenset()) | self.facts.live.always
            native.unsure = frozenset(native.takes) - (self.bound & live)
        return native

    def protected_names(self, node: ast.stmt) -> bool:
        """Tell if a statement binds names that are not the function's own, or that functions made inside
        read, or deletes names that are bound elsewhere.
        """
        if self._deletes_names(node):
            return True
        stored = set(stored_names(node))
        return bool(stored & (self.facts.captured_later | self.facts.rebound)) or not all(
            map(self.facts.is_local, stored)
        )

    def _deletes_names(self, node: ast.stmt) -> bool:
        """Tell if handlers in a loop delete names, as `except ... as name` does, that are bound elsewhere."""
        handled = {part.name for part in own_nodes([node]) if isinstance(part, ast.ExceptHandler)} - {None}
        if not handled:
            return False
        bound = {part.id for part in ast.walk(self.node) if isinstance(part, ast.Name) and _is_bound(part)}
        return not handled.isdisjoint(bound | set(self.facts.arguments))

    def _enter_natively(self, node: Any, made: Any, native: Native | None) -> list[ast.stmt]:
        """Return the statements of a loop that may be done natively, else the loop as it was cut."""
        if native is None:
            return [made]
        number = len(self.natives)
        variable, statements = native_entry(node, made, native, number, may_enter_within(node))
        self.natives[variable] = native
        return statements

    @property
    def _found(self) -> tuple[int, int]:
        """The numbers of blocks and calls found so far."""
        return len(self.blocks), self.entered

    def _write_twice(self, made: Any, node: ast.For | ast.While, known: tuple[int, int]) -> None:
        """Let a loop go on as written later, if cutting has changed it."""
        if self.twice is not None and known != self._found:
            self.twice.add(made, node)

    def _test(self, node: ast.expr, origin: ast.stmt) -> ast.expr:
        """Return a loop's condition as the call of a block that gives its value."""
        unsure = {name for name in loads(node) if self.facts.is_local(name)} - self.bound
        made = node if asks_numbers(node) or unsure else self.value(node, origin, extract=False)
        if made is node:
            return node
        assert isinstance(made, ast.Name)
        run, self.run, self.held = self.run, Gathered(self.facts), []
        return self._call(self._block(run, {made.id}), node)

    def python_For(self, node: ast.For) -> list[ast.stmt]:
        made = copy.copy(node)
        made.iter = self.entering(node.iter)
        before, native = self.flush(), self._native(node)
        self.bound |= surely_stored(node.iter)
        self.bound -= deleted(node.body)
        start = set(self.bound)
        self.loops.append(node)
        self.bound |= set(stored_names(node.target))
        known = self._found
        made.body = self.body(node.body)
        self.loops.pop()
        self._write_twice(made, node, known)
        self.bound = set(start)
        made.orelse = self.body(node.orelse)
        self.bound = start
        if native is not None and native.once:
            return [*before, *self._enter_natively(one_trip([node], node), one_trip([made], node), native)]
        return [*before, *self._enter_natively(node, made, native)]

    def python_With(self, node: ast.With) -> list[ast.stmt]:
        before = self.flush()
        made = copy.copy(node)
        made.items = [self.entering(item) for item in node.items]
        start = self.bound - deleted(node.body)  # the manager may swallow an exception
        self.bound |= set(stored_names(*node.items))
        self.protected += 1
        made.body = self.body(node.body)
        self.protected -= 1
        self.bound = start
        return [*before, made]

    def python_Try(self, node: ast.Try) -> list[ast.stmt]:
        before = self.flush()
        made = copy.copy(node)
        start = self.bound - deleted([node])
        self.protected += 1
        made.body = self.body(node.body)
        made.orelse = self.body(node.orelse)
        made.handlers = []
        for handler in node.handlers:
            self.bound = start | ({handler.name} if handler.name else set())
            copied = copy.copy(handler)
            copied.body = self.body(handler.body)
            made.handlers.append(copied)
        self.bound = set(start)
        made.finalbody = self.body(node.finalbody)
        self.protected -= 1
        self.bound = start
        return [*before, made]

    # -- blocks ------------------------------------------------------------------------------------------

    def flush(self) -> list[ast.stmt]:
        """End the block being gathered; return the statement that calls it."""
        gathered, self.run = self.run, Gathered(self.facts)
        run, stored, surely = gathered.body, gathered.stored, gathered.binds
        if not run:
            return []
        statements = [held for held, _ in run]
        if not any(has_work(statement) for statement in statements):
            return statements
        last: Any = run[-1][1]
        later = self.facts.live.after.get(last, frozenset()) | self.facts.live.always
        for held, origin in run:
            if held is not origin:  # the rest of its statement reads names, too
                assert isinstance(origin, ast.stmt)
                later |= self.facts.live.ahead[origin]
        mine = {name for name in stored if name.startswith(self.facts.prefix)}
        # A name that may have no value after the block is read nowhere, or the block would not hold it.
        kept_only = {name for held in statements for name in only_kept(held)} - self.loaded
        gives = {name for name in stored & (later | kept_only) if name in surely or name in self.bound} | mine
        block = self._block(gathered, gives)
        call = self._call(block, statements[0])
        made = bind_results(call, block.gives)
        unsure = set(block.takes) - self.before_run
        return if_bound(unsure, self._temporary(call), made, statements) if unsure else [made]

    def _block(self, run: Gathered, gives: set[str]) -> Block:
        statements = [held for held, _ in run.body]
        takes = {name for name in run.read if self.facts.is_local(name) or name.startswith(self.facts.prefix)}
        takes |= gives - run.binds  # names that the block may leave unchanged
        ordered = tuple(sorted(takes)), tuple(sorted(gives))
        node = function_of(self.node.name, statements, *ordered)
        variables, names = bound_by(self.loops)
        block = Block(
            f".block{len(self.blocks)}",
            node,
            *ordered,
            tuple(dict.fromkeys(origin for _, origin in run.body)),
            frozenset(takes & variables),
            frozenset(takes - names),
            bool(self.loops),
        )
        self.blocks.append(block)
        return block

    def _call(self, block: Block, where: Any) -> ast.Call:
        at = position(where)
        args: list[ast.expr] = [ast.Name(name, ast.Load(), **at) for name in block.takes]
        return ast.Call(ast.Name(block.name, ast.Load(), **at), args, [], **at)

    def _held(self, node: ast.expr) -> str:
        """Return a name for an expression's value, deleted after the statement at hand."""
        name = self._temporary(node)
        self.held.append(name)
        return name

    def _temporary(self, node: ast.expr) -> str:
        """Return a name for an expression's value."""
        place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        self.places.append(place)
        return f"{self.facts.prefix}{self.levels.number((*place, self.places.count(place)))}"


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
