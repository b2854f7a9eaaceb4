"""Compiles modules with a decorator on each function and method that works on arrays or numbers.

The source is not edited: the decorator is added as the module is compiled, on the line of the `def`, so that
tracebacks and `inspect` show the file as it is.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

_DECORATOR = "__npcompile_run__"  # a name among the builtins, which modules do not show
# Below other decorators than these a function is not what it will be called as.
_KEEP = frozenset(["staticmethod", "classmethod", "property", "cache", "lru_cache", "cached_property"])
# Work on arrays or numbers; a function without any has nothing to gain.
_WORK = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.For, ast.While, ast.Call, ast.Compare, ast.Subscript)
_NEVER = (ast.Yield, ast.YieldFrom, ast.Await)


def decorate_with(decorator: Callable[[types.FunctionType], Any], packages: Sequence[str]) -> None:
    """Have code of `decorated_code`, and modules of some packages from now on, use this decorator."""
    setattr(builtins, _DECORATOR, decorator)
    sys.meta_path.insert(0, _Finder(tuple(packages)))


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return decorated_code(self.get_data(path), path)


class _Finder:
    """Finds the modules of some packages as Python does, and has their functions decorated."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def decorated_code(source: bytes, path: str) -> types.CodeType:
    """Return the code of a module whose functions and methods are decorated."""
    # `ast.parse` would be a frame in the traceback of a syntax error
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    _decorate(tree.body, in_class=False)
    code: types.CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def _decorate(body: list[ast.stmt], in_class: bool) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef) and _suits(node, in_class):
            name = ast.Name(_DECORATOR, ast.Load(), lineno=node.lineno, col_offset=node.col_offset)
            name.end_lineno, name.end_col_offset = node.lineno, node.col_offset
            node.decorator_list.append(name)
        elif isinstance(node, ast.ClassDef):
            _decorate(node.body, in_class=True)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for name_of in ("body", "orelse", "finalbody"):
                _decorate(getattr(node, name_of, []), in_class)
            for handler in getattr(node, "handlers", []):
                _decorate(handler.body, in_class)


def _suits(node: ast.FunctionDef, in_class: bool) -> bool:
    """Tell if a function may be decorated, and does work of which any might be compiled."""
    if in_class and node.name.startswith("__") and node.name != "__call__":
        return False
    if not all(_last_name(decorator) in _KEEP for decorator in node.decorator_list):
        return False
    own = [part for statement in node.body for part in ast.walk(statement)]
    return any(isinstance(part, _WORK) for part in own) and not any(isinstance(part, _NEVER) for part in own)


def _last_name(decorator: ast.expr) -> str:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        return decorator.attr
    return decorator.id if isinstance(decorator, ast.Name) else ""
