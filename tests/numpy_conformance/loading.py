"""Executes an installed test module with its imports of `numpy` resolved to the module under test.

The source is read where it is installed. Each statement of the module and of its classes is guarded: where
one fails (a parametrization that calls a function we lack), only the tests of that statement are lost, and
counted as failures, instead of all tests of the file.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Import = Callable[..., Any]
_DEFECT = "conformance_defect"


class Missing:
    """Stands for a name that the module under test lacks: any use raises the error of its import."""

    def __init__(self, error: str) -> None:
        self.__dict__["error"] = error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(self.__dict__["error"])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self.__dict__["error"])


@dataclass
class Loaded:
    module: types.ModuleType
    defects: dict[str, str] = field(default_factory=dict)  # qualified name of what is lost -> why


def load(path: Path, name: str, import_: Import, filename: str | None = None) -> Loaded:
    """The module at `path`, executed under `name` with `import_` as its `__import__`.

    Its functions say that they come from `filename`; their source is found under it too.
    """
    filename = filename or str(path)
    module = types.ModuleType(name)
    module.__file__ = str(path)
    loaded = Loaded(module)

    def defect(where: str, names: tuple[str, ...], imported: bool) -> None:
        error = sys.exc_info()[1]
        reason = f"{type(error).__name__}: {error}"
        for lost in names:
            loaded.defects[where + lost] = reason
            if imported:
                module.__dict__[lost] = Missing(str(error))

    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_}
    module.__dict__[_DEFECT] = defect
    sys.modules[name] = module  # its definitions can be pickled and looked up
    source = path.read_text(encoding="utf-8")
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    tree = ast.parse(source, filename)
    tree.body = _guard_all(tree.body, "")
    exec(compile(ast.fix_missing_locations(tree), filename, "exec"), module.__dict__)
    return loaded


def _guard_all(body: list[ast.stmt], where: str) -> list[ast.stmt]:
    return [guarded for stmt in body for one in _split(stmt) for guarded in _guard(one, where)]


def _split(stmt: ast.stmt) -> list[ast.stmt]:
    """One import statement per name, so that one missing name costs only itself."""
    if isinstance(stmt, ast.ImportFrom):
        return [
            ast.copy_location(ast.ImportFrom(module=stmt.module, names=[alias], level=stmt.level), stmt)
            for alias in stmt.names
        ]
    return [stmt]


def _guard(stmt: ast.stmt, where: str) -> list[ast.stmt]:
    names = _names(stmt)
    if isinstance(stmt, ast.ClassDef):
        stmt.body = _guard_all(stmt.body, f"{where}{stmt.name}::")
    if isinstance(stmt, ast.Import | ast.ImportFrom) and (
        isinstance(stmt, ast.ImportFrom) and stmt.module == "__future__"
    ):
        return [stmt]
    if not names:  # docstrings and bare calls: nothing is defined that could be lost
        names = [f"line {stmt.lineno}"]
    call = ast.Call(
        func=ast.Name(_DEFECT, ast.Load()),
        args=[
            ast.Constant(where),
            ast.Tuple([ast.Constant(n) for n in names], ast.Load()),
            ast.Constant(isinstance(stmt, ast.Import | ast.ImportFrom)),
        ],
        keywords=[],
    )
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
        return [stmt]
    handler = ast.ExceptHandler(type=ast.Name("Exception", ast.Load()), name=None, body=[ast.Expr(call)])
    return [ast.copy_location(ast.Try(body=[stmt], handlers=[handler], orelse=[], finalbody=[]), stmt)]


def _names(stmt: ast.stmt) -> list[str]:
    """The names that the statement defines."""
    if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [stmt.name]
    if isinstance(stmt, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in stmt.names]
    return [n.id for n in ast.walk(stmt) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
