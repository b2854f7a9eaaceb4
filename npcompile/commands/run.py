"""`python -m npcompile run script.py` runs a program with its functions jitted, and says what came of each.

The source is not edited: a decorator is added to each function of a module and each method of a class as the
module is compiled, on the line of its `def`, so that tracebacks and `inspect` show the file as it is.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, Protocol

from npcompile.diagnostics.stats import Stats

_DECORATOR = "__npcompile_run__"  # a name among the builtins, which modules do not show
# Below other decorators than these a function is not what it will be called as.
_KEEP = frozenset(["staticmethod", "classmethod", "property", "cache", "lru_cache", "cached_property"])
# Work on arrays or numbers; a function without any has nothing to gain.
_WORK = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.For, ast.While, ast.Call, ast.Compare, ast.Subscript)
_NEVER = (ast.Yield, ast.YieldFrom, ast.Await)
_SHOWN = 20  # functions in the summary
_PART = 0.01  # of a function's time: the least that is shown


class CannotRun(Exception):
    """There is no such program, or it has no Python source."""


class Profile(Protocol):
    """`npcompile.profile`: the times of the functions that a `with` block calls."""

    seconds: float
    explanations: tuple[Any, ...]

    def __enter__(self) -> Any: ...

    def __exit__(self, *raised: object) -> None: ...


def run(
    target: str,
    arguments: Sequence[str],
    module: bool,
    packages: Sequence[str],
    jit: Callable[..., Any],
    profile: Profile,
) -> int:
    """Run a program as Python would; return its exit status.

    Parameters
    ----------
    target
        The path of a script, or the name of a module.
    arguments
        The rest of `sys.argv`.
    module
        `target` is the name of a module.
    packages
        Packages whose functions are jitted, too, as they are imported.
    jit
        `npcompile.jit`.
    profile
        A new `npcompile.profile()`.

    Raises
    ------
    CannotRun
        Nothing can be run by that name.
    SystemExit
        The program's own.
    """
    path, spec = _of_module(target) if module else (_of_script(target), None)
    functions: list[Any] = []

    def decorated(function: types.FunctionType) -> Any:
        made = jit(function)
        functions.append(made)
        return made

    setattr(builtins, _DECORATOR, decorated)
    sys.meta_path.insert(0, _Finder(tuple(packages)))
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__spec__ = spec
    main.__package__ = None if spec is None else spec.parent
    vars(main)["__builtins__"] = builtins
    vars(main)["__cached__"] = None
    sys.modules["__main__"] = main
    sys.argv[:] = [path, *arguments]
    if not module:
        sys.path[0] = os.path.dirname(path)
    try:
        with open(path, "rb") as file:
            source = file.read()
        with profile:
            exec(jitted_code(source, path), vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        error.__traceback__ = _without_own_frames(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        sys.stdout.flush()
        print(summary([(function, function.stats) for function in functions], profile), file=sys.stderr)
    return 0


def _of_script(path: str) -> str:
    if os.path.isdir(path):
        path = os.path.join(path, "__main__.py")
    if not os.path.isfile(path):
        raise CannotRun(f"there is no file {path}")
    return os.path.abspath(path)


def _of_module(name: str) -> tuple[str, ModuleSpec]:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        raise CannotRun(str(error)) from None
    if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
        raise CannotRun(f"there is no module {name} with a Python source")
    return spec.origin, spec


def _without_own_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


# -- decorating ----------------------------------------------------------------------------------------------


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return jitted_code(self.get_data(path), path)


class _Finder:
    """Finds the modules of some packages as Python does, and has them loaded with their functions jitted."""

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


def jitted_code(source: bytes, path: str) -> types.CodeType:
    """Return the code of a module whose functions and methods are decorated."""
    tree = ast.parse(source, path)
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


# -- the summary ---------------------------------------------------------------------------------------------


def summary(functions: Sequence[tuple[Any, Stats]], profile: Profile) -> str:
    """Return what came of functions, those that took most of the time first."""
    called = [(function, stats) for function, stats in functions if stats.calls]
    gained = [pair for pair in called if pair[1].replays]
    times = {(one.file, one.line): one.report for one in profile.explanations}
    within = sum(report.seconds * report.calls for report in times.values())
    lines = [
        f"npcompile: {len(functions)} functions jitted, {len(called)} called,"
        f" {len(gained)} of them ran compiled: {within:.2f} of {profile.seconds:.2f} s are theirs"
    ]
    rows = []
    for function, stats in gained:
        code = function.__wrapped__.__code__
        report = times.get((code.co_filename, code.co_firstlineno))
        rows.append((0.0 if report is None else report.seconds * report.calls, function, stats, report))
    for seconds, function, stats, report in sorted(rows, key=lambda row: (-row[0], -row[2].calls))[:_SHOWN]:
        code = function.__wrapped__.__code__
        place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        loops = f", {stats.native_loops} native loops" if stats.native_loops else ""
        kinds = "" if report is None else ", ".join(f"{part:.0%} {kind}" for kind, part in _parts(report))
        lines.append(
            f"  {function.__qualname__} ({place}): {seconds:.2f} s{f' ({kinds})' if kinds else ''},"
            f" {stats.replays} of {stats.calls} calls compiled, {stats.kernels} kernels{loops}"
        )
    reasons = [reason for _, stats in called for reason in stats.reasons]
    if reasons:
        lines.append("npcompile: left to NumPy and Python, among others:")
        lines += [f"  {reason}" for reason in dict.fromkeys(reasons)][:_SHOWN]
    return "\n".join(lines)


def _parts(report: Any) -> list[tuple[str, float]]:
    """Return the parts of a function's time by who does the work, the largest first."""
    return sorted(((kind, part) for kind, part in report.times.items() if part >= _PART), key=lambda p: -p[1])
