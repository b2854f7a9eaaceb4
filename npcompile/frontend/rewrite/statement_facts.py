"""Facts about a function's statements, taken from its source once, however often the function is cut.

`cutter.py` asks them which statements a block may hold, and which names the block then takes and gives.
"""

from __future__ import annotations

import ast
from collections import Counter

from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import (
    Liveness,
    captured_later,
    displays,
    drawn,
    is_scalar,
    live_in_and_bound,
    loads,
    rebound,
    scalars,
)
from npcompile.frontend.rewrite.scopes import WORK, Scope, arguments, stored_names
from npcompile.frontend.rewrite.statement_forms import deletes, is_short, is_super

_HOLDABLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.For, ast.Pass, ast.Assert)
NEVER_HELD = frozenset(
    (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda, ast.GeneratorExp, ast.FunctionDef)
    + (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.While, ast.Try, ast.With, ast.Delete, ast.ClassDef)
    + (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Match, ast.AsyncFunctionDef, ast.AsyncFor)
    + (ast.AsyncWith, ast.TryStar)
)


class Form:
    """The facts about one statement of the source.

    parts: its nodes. stored, loads: the names that it stores and reads. reads: those that it reads before it
    has bound them. binds: those that it surely binds. holds: a block may hold it, as far as the statement
    alone decides. at_once: it binds its names last, all or none, so that an exception before leaves them
    unchanged. work: how many operations it has.
    """

    def __init__(self, node: ast.stmt, facts: Facts) -> None:
        self.parts = list(own_nodes([node]))
        self.stored = frozenset(stored_names(node))
        self.loads = frozenset(loads(node))
        reads, binds = live_in_and_bound([node])
        self.reads, self.binds = frozenset(reads), frozenset(binds)
        self.holds = self._holds(node, facts)
        self.at_once = not self.stored or self._at_once(node)
        self.work = sum(isinstance(part, WORK) for part in self.parts)

    def _holds(self, node: ast.stmt, facts: Facts) -> bool:
        if not isinstance(node, _HOLDABLE) or isinstance(node, ast.Pass):
            return isinstance(node, ast.Pass)
        if not NEVER_HELD.isdisjoint(map(type, self.parts)) or any(map(is_super, self.parts)):
            return False
        for part in self.parts:
            if isinstance(part, ast.AnnAssign) and part.value is None:
                return False
            if isinstance(part, ast.If) and is_scalar(part.test, facts.scalars):
                return False
            if isinstance(part, ast.For) and not is_short(part):
                return False
        if deletes(self.parts) or any(not facts.is_local(name) for name in self.stored):
            return False
        return not (facts.rebound | facts.drawn) & (self.stored | self.loads)

    def _at_once(self, node: ast.stmt) -> bool:
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            return False
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [part for target in targets for part in ast.walk(target)]
        names = all(isinstance(part, ast.Name | ast.Tuple | ast.List | ast.expr_context) for part in parts)
        return names and len(targets) == 1


class Facts:
    """The facts about one function: its statements' forms, live names, and names that inner functions
    change."""

    def __init__(self, node: ast.FunctionDef, scope: Scope) -> None:
        self.scope = scope
        self.live = Liveness(node.body)
        self.captured = self.live.always  # functions made inside read these at any time
        self.captured_later = frozenset(captured_later(node.body, self.is_local))
        self.rebound = frozenset(rebound(node.body))  # functions made inside bind these anew
        self.drawn = frozenset(drawn(node.body))
        self.arguments = frozenset(arguments(node))
        others = scope.declared_global | scope.declared_nonlocal | self.rebound | self.arguments
        self.scalars = scalars(node.body, others)
        self.displays = displays(node.body, others)
        parts = list(ast.walk(node))
        names = [part for part in parts if isinstance(part, ast.Name)]
        self.used = {name.id for name in names}
        self.prefix = "npc"  # of names that the cutter adds
        while any(name.startswith(self.prefix) for name in self.used):
            self.prefix += "_"
        # Names bound anywhere in the function, comprehensions and functions made inside included.
        self.bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        self._makers = _makers(node, parts)
        self.tried = False  # it was recorded whole, in vain
        self.trips: tuple[int, ...] | None = None  # of its loops, in the first recording of the whole
        self._forms: dict[ast.stmt, Form] = {}

    def form(self, node: ast.stmt) -> Form:
        """Return the facts about a statement of the function's own tree."""
        found = self._forms.get(node)
        if found is None:
            found = self._forms[node] = Form(node, self)
        return found

    def makers(self, name: str) -> list[ast.Call]:
        """Return the calls that give a name all of its values; none if it has other values."""
        return self._makers.get(name, [])

    def is_local(self, name: str) -> bool:
        return self.scope.kind(name, ()) == "local"

    def is_display_method(self, function: ast.expr) -> bool:
        """Tell if this is a method of a list, set or dict that was made here, which is Python's own."""
        match function:
            case ast.Attribute(value=ast.Name(id=name)):
                return name in self.displays
        return False


_MAKING = frozenset((ast.Assign, ast.Name))


def _makers(node: ast.FunctionDef, parts: list[ast.AST]) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    stores: Counter[str] = Counter(arguments(node))
    for part in parts:
        if type(part) not in _MAKING:
            continue
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                found.setdefault(name, []).append(call)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                stores[name] += 1
    return {name: calls for name, calls in found.items() if len(calls) == stores[name]}


class Gathered:
    """Statements that are to make a block, each with the statement that it comes from.

    stored, loads: the names that they store and read. read: those that they read before they have bound them.
    binds: those that they surely bind.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.body: list[tuple[ast.stmt, ast.AST]] = []
        self.stored: set[str] = set()
        self.loads: set[str] = set()
        self.read: set[str] = set()
        self.binds: set[str] = set()
        self.work = 0  # operations

    def add(self, node: ast.stmt, origin: ast.AST) -> None:
        form = self.facts.form(node) if node is origin else Form(node, self.facts)
        self.body.append((node, origin))
        self.stored |= form.stored
        self.loads |= form.loads
        self.read |= form.reads - self.binds
        self.binds |= form.binds
        self.work += form.work
