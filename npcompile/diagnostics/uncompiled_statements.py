"""Says why statements of a function that was cut are left to Python.

`npcompile.explain` and warnings of what costs show these reasons.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.statement_forms import has_work

# Why no block holds a statement, by its form. Others were found out while they ran: `stats.told` says why.
_FORMS: tuple[tuple[tuple[type[ast.AST], ...], Cause], ...] = (
    ((ast.Yield, ast.YieldFrom, ast.Await), Cause.YIELDS),
    ((ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.GeneratorExp), Cause.MAKES_FUNCTION),
    ((ast.Raise,), Cause.RAISE),
    ((ast.Delete,), Cause.UNBINDS),
    ((ast.Import, ast.ImportFrom), Cause.IMPORT_STATEMENT),
)


def reasons_of(fn: Any, stats: Stats) -> dict[int, Reason]:
    """Return the reasons that were found out while a function of its file ran, by line."""
    file = fn.__code__.co_filename
    return {
        told.where.line: told for told in stats.told if told.where is not None and told.where.file == file
    }


def tell_libraries(partitioned: Any) -> None:
    """Tell of a function that was cut which lines call libraries' functions; with `strict`, as an error."""
    root, levels = partitioned.root, partitioned.levels
    for node, name in levels.libraries.items():
        reason, place = Cause.LIBRARY(name), partitioned.owner.at(node.lineno)
        answer = isinstance(node, ast.Return) and isinstance(node.value, ast.Call)
        if root.is_strict and not answer:
            root.report_uncompiled(reason, place)
        root.note(reason, place)


def why_left(node: ast.stmt, levels: Levels, reasons: dict[int, Reason]) -> Reason:
    """Return why no block holds a statement."""
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    if (known := next((reasons[line] for line in lines if line in reasons), None)) is not None:
        return known
    if (form := _form(node)) is not None:
        return form()
    if node in levels.why and not _is_small(node, levels):
        return levels.why[node]
    if node in levels.small:
        return Cause.SLOWER() if node in levels.faster else Cause.LITTLE()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return Cause.EFFECT_IN_PLACE()
    return Cause.CHANGES_OR_LITTLE() if levels[node] else Cause.PYTHONS_OWN()


def told(node: ast.stmt, in_loop: bool, levels: Levels, reasons: dict[int, Reason]) -> tuple[Reason, str]:
    """Return why no block holds a simple statement, and what to write instead, if anything need be."""
    small = _is_small(node, levels)
    reason = Cause.LITTLE_EACH_TRIP() if small and in_loop else why_left(node, levels, reasons)
    needless = reason.code in (Cause.PYTHONS_OWN, Cause.EFFECT_IN_PLACE, _form(node))
    return reason, "" if needless or (small and not in_loop) else reason.advice


def _is_small(node: ast.stmt, levels: Levels) -> bool:
    """Tell if a statement is too little work, where that is not said of what is left of one taken apart."""
    return node in levels.small and (node in levels.faster or node not in levels.why)


def why_it_costs(node: ast.stmt, levels: Levels, reasons: dict[int, Reason]) -> Reason | None:
    """Return why no block holds a statement that costs; None where nothing would make it faster. Of a loop it
    is the reason of the first statement in it which was found out to be one that no block holds."""
    inner = [part for part in statements([node]) if has_work(part)]
    if inner == [node] and _is_small(node, levels):
        return Cause.LITTLE_EACH_TRIP() if node in levels.driven else None
    if inner and all(_is_small(part, levels) for part in inner):
        return Cause.LITTLE_EACH_TRIP()
    return why_left(next((part for part in inner if levels[part] >= 2), node), levels, reasons)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements of a body, however deep."""
    for node in body:
        inner: list[ast.stmt] = []
        for name in ("body", "orelse", "finalbody"):
            inner += getattr(node, name, [])
        for handler in getattr(node, "handlers", []):
            inner += handler.body
        if inner and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from statements(inner)
        else:
            yield node


def calls_of(node: ast.stmt) -> set[str]:
    """Return the names by which a statement calls functions and methods."""
    called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    named = {func.id for func in called if isinstance(func, ast.Name)}
    return named | {func.attr for func in called if isinstance(func, ast.Attribute)}


def first_line(node: ast.stmt) -> str:
    """Return the beginning of a statement's text."""
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


def _form(node: ast.stmt) -> Cause | None:
    """Return why no block holds a statement, where its form says so."""
    parts = list(ast.walk(node))
    if any(isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) for part in parts):
        return Cause.STORES_INTO_OBJECT
    if any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "next"
        for part in parts
    ):
        return Cause.DRAWS
    return next((why for forms, why in _FORMS if any(isinstance(part, forms) for part in parts)), None)
