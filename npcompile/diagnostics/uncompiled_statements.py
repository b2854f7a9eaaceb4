"""Why a statement of a function that was cut is left to Python, in words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from npcompile.diagnostics.advice import advice
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.statement_forms import has_work

_PYTHONS = "calls of Python's own, or arithmetic on numbers"
LITTLE = "each trip is too little work for a kernel"
_SMALL = "it is too little work for a kernel"
_FASTER = "measured: NumPy takes less time than kernels do"
_EFFECT = "a call for its effect: made at each call, in its place"
_FOUND_OUT = "an index or a size in it changes, or it is too little work for a kernel"
# Why no block holds a statement, by its form. Others were found out while they ran: `stats.reasons` says why.
_FORMS: tuple[tuple[tuple[type[ast.AST], ...], str], ...] = (
    ((ast.Yield, ast.YieldFrom, ast.Await), "the caller goes on in the middle of it"),
    ((ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.GeneratorExp), "a function is made"),
    ((ast.Raise,), "it raises"),
    ((ast.Delete,), "it unbinds names"),
    ((ast.Import, ast.ImportFrom), "an import"),
)
_DRAWS = "it draws from what may be a generator, which Python ends when nothing holds it"


def reasons_of(fn: Any, stats: Stats) -> dict[int, str]:
    """The reasons that were found out while a function of its file ran, by line."""
    file = fn.__code__.co_filename
    found = {}
    for reason in stats.reasons:
        where, _, text = reason.removeprefix(f"{file}:").partition(": ")
        if reason.startswith(f"{file}:") and where.isdigit():
            found[int(where)] = text
    return found


def tell_libraries(partitioned: Any) -> None:
    """Say of a function that was cut which lines call libraries' functions; `strict` has that be an error."""
    root, levels = partitioned.root, partitioned.levels
    for node, name in levels.libraries.items():
        reason, place = f"{name} is a library's function, called as it is", partitioned.owner.at(node.lineno)
        answer = isinstance(node, ast.Return) and isinstance(node.value, ast.Call)
        if root._strict and not answer:
            root._report(reason, place)
        root.note(reason, place)


def why_left(node: ast.stmt, levels: Levels, reasons: dict[int, str]) -> str:
    """Why no block holds a statement."""
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    said = next((reasons[line] for line in lines if line in reasons), None)
    if (known := said or _form(node)) is not None:
        return known
    if node in levels.why and not _is_small(node, levels):
        return levels.why[node]
    if node in levels.small:
        return _FASTER if node in levels.faster else _SMALL
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _EFFECT
    return _FOUND_OUT if levels[node] else _PYTHONS


def told(node: ast.stmt, in_loop: bool, levels: Levels, reasons: dict[int, str]) -> tuple[str, str]:
    """Why no block holds a simple statement, and what to write instead; empty where nothing need be."""
    small = _is_small(node, levels)
    reason = LITTLE if small and in_loop else why_left(node, levels, reasons)
    nothing = reason in (_PYTHONS, _EFFECT) or _form(node) == reason or (small and not in_loop)
    return reason, "" if nothing else advice(reason)


def _is_small(node: ast.stmt, levels: Levels) -> bool:
    """Whether a statement is too little work, where that is not said of what is left of one taken apart."""
    return node in levels.small and (node in levels.faster or node not in levels.why)


def why_it_costs(node: ast.stmt, levels: Levels, reasons: dict[int, str]) -> str | None:
    """The same for one that costs; None where nothing would make it faster. Of a loop it is that of the first
    statement in it which was found out to be one that no block holds."""
    inner = [part for part in statements([node]) if has_work(part)]
    if inner == [node] and _is_small(node, levels):
        return LITTLE if node in levels.driven else None
    if inner and all(_is_small(part, levels) for part in inner):
        return LITTLE
    return why_left(next((part for part in inner if levels[part] >= 2), node), levels, reasons)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The simple statements of a body, however deep."""
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
    """The names by which a statement calls functions and methods."""
    called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    named = {func.id for func in called if isinstance(func, ast.Name)}
    return named | {func.attr for func in called if isinstance(func, ast.Attribute)}


def first_line(node: ast.stmt) -> str:
    """How a statement begins."""
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


def _form(node: ast.stmt) -> str | None:
    """Why no block holds it, where its form says so."""
    parts = list(ast.walk(node))
    if any(isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) for part in parts):
        return "it stores into an object"
    if any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "next"
        for part in parts
    ):
        return _DRAWS
    return next((why for forms, why in _FORMS if any(isinstance(part, forms) for part in parts)), None)
