"""The layers: imports go down only, private torch names stay in one file, files say what they are for.

Imports are read from the source, those inside functions too, so a file is judged without being imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "npcompile"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = MODULES + [
    path for folder in ("tests", "benchmarks", "examples") for path in sorted((ROOT / folder).rglob("*.py"))
]
NATIVE = sorted(PACKAGE.rglob("*.cpp"))
ADAPTER = "npcompile/lower/adapter.py"
LONGEST = 600  # lines: past this a reviewer asks why

# The folders, top to bottom. A file imports from its own folder and from those further down, within functions
# and for type checking, too. "" is what lies straight in npcompile/ but for `__init__.py`, which is the top.
ORDER = (
    *("__init__", "explain", "", "numpy", "commands", "partition", "runtime"),
    *("tiering", "diagnostics", "verify"),
    "frontend",
    *("frontend.record", "frontend.passes", "frontend.graph", "frontend.replay", "frontend.boundary"),
    *("frontend.program", "frontend.loops.rules", "frontend.loops", "frontend.loops.scalars"),
    *("frontend.loops.passes", "frontend.loops.entry", "frontend.loops.run", "frontend.loops.source"),
    *("frontend.rewrite", "frontend.eager", "frontend.catalog", "frontend.ops", "nep50"),
    *("lower.loops.service", "lower.loops.codegen", "lower.loops"),
    *("lower.service", "lower.shapes", "lower.native", "lower.mesh", "lower.device", "lower.store"),
    *("lower.codegen", "lower.plan", "lower.arithmetic", "lower"),
)
# Files that import nothing of npcompile but each other, and that any may import.
LEAVES = (
    *("npcompile.diagnostics.garbage", "npcompile.diagnostics.log", "npcompile.diagnostics.naming"),
    "npcompile.diagnostics.paths",
    "npcompile.diagnostics.reason",
    *("npcompile.tiering.backoff", "npcompile.tiering.deferred_calls", "npcompile.tiering.overhead"),
    "npcompile.diagnostics.settings",
    "npcompile.diagnostics.words",
)

# Other packages that a folder, and those in it, may import. Folders not named may import all.
PACKAGES = {"nep50": ("numpy",), "lower": ("torch",), "frontend": ("numpy", "torch")}
# Folders that import nothing of npcompile but their own files.
BY_THEMSELVES = ("nep50",)

# Imports that go up, and why.
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "npcompile/frontend/eager/ndarray.py",
        "npcompile.numpy",
    ): "__array_namespace__ gives the shim",
    ("npcompile/__main__.py", "npcompile"): "the command shows the package's version",
    ("npcompile/frontend/ops/special.py", "scipy"): "ops on SciPy's ufuncs: loaded once a program has SciPy",
    ("npcompile/verify/verify.py", "npcompile.numpy"): "loaded for what it registers",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def imported(tree: ast.AST, path: Path) -> Iterator[tuple[int, str]]:
    """The line and full name of every import; `from package import module` names the module."""
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join(parents[: len(parents) - node.level + 1] + ([base] if base else []))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield node.lineno, inner if base.startswith("npcompile") and is_module(inner) else base
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            callee = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if callee in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.lineno, node.args[0].value


def folder_of(name: str, is_package: bool = False) -> str:
    """Return the entry of ORDER that a module belongs to."""
    if name == "npcompile":
        return "__init__"
    inner = name.removeprefix("npcompile.")
    folder = inner if is_package else inner.rpartition(".")[0]
    return "numpy" if folder.partition(".")[0] == "numpy" else folder


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def climbing(source: str, path: Path) -> list[str]:
    """Return the imports of a file that its folder does not allow."""
    where, name = path.relative_to(ROOT).as_posix(), module_name(path)
    own = folder_of(name, path.name == "__init__.py")
    packages = PACKAGES.get(own.partition(".")[0])

    def is_allowed(imported_name: str) -> bool:
        top = imported_name.partition(".")[0]
        if top != "npcompile":
            return packages is None or top in packages or top in sys.stdlib_module_names
        if imported_name in LEAVES:
            return True
        is_package = ROOT.joinpath(*imported_name.split(".")).is_dir()
        folder = folder_of(imported_name, is_package)
        if own not in ORDER or folder not in ORDER or own in BY_THEMSELVES:
            return folder == own
        return ORDER.index(own) <= ORDER.index(folder)

    return [
        f"{where}:{line} imports {one}"
        for line, one in imported(ast.parse(source), path)
        if not is_allowed(one) and not any(where == file and within(one, extra) for file, extra in EXCEPTIONS)
    ]


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def private_torch_names(source: str) -> list[str]:
    """The private names below `torch` in a file: imported, reached by attribute, or spelled in a string."""
    tree = ast.parse(source)
    known: dict[str, str] = {}  # local name -> the torch module it stands for
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if within(alias.name, "torch"):
                    known[alias.asname or "torch"] = alias.name if alias.asname else "torch"
                    found.append((node.lineno, alias.name))
        elif isinstance(node, ast.ImportFrom) and within(node.module or "", "torch") and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                found.append((node.lineno, f"{node.module}.{alias.name}"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and within(node.value, "torch"):
            found.append((node.lineno, node.value))
    for node in ast.walk(tree):
        parts = []
        inner = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if parts and isinstance(inner, ast.Name) and inner.id in known:
            found.append((node.lineno, ".".join([known[inner.id], *reversed(parts)])))
    return sorted({f"{line}: {name}" for line, name in found if any(map(is_private, name.split(".")))})


def test_the_folders_are_there() -> None:
    folders = {folder_of(module_name(path), path.name == "__init__.py") for path in MODULES}
    assert folders == set(ORDER)
    assert (ROOT / ADAPTER).exists()


def test_few_files_lie_at_the_top() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "device.py",
        "jit.py",
    }


def test_leaves_import_nothing_of_npcompile_but_leaves() -> None:
    for leaf in LEAVES:
        path = ROOT.joinpath(*leaf.split(".")).with_suffix(".py")
        names = {name for _, name in imported(ast.parse(path.read_text()), path)}
        assert {name for name in names if within(name, "npcompile")} <= {*LEAVES}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_down_only(path: Path) -> None:
    assert climbing(path.read_text(), path) == []


def test_every_exception_is_needed() -> None:
    for (where, extra), reason in EXCEPTIONS.items():
        path = ROOT / where
        assert reason
        assert any(within(name, extra) for _, name in imported(ast.parse(path.read_text()), path)), where


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import one another, directly or through others."""
    reached: dict[str, set[str]] = {}
    for name in imports:
        found: set[str] = set()
        left = [name]
        while left:
            further = imports.get(left.pop(), set()) - found
            found |= further
            left += further
        reached[name] = found
    rings = {
        frozenset(other for other in reached[name] if name in reached.get(other, ()))
        for name in imports
        if name in reached[name]
    }
    return sorted(sorted(ring) for ring in rings)


def test_files_import_one_another_in_no_circle() -> None:
    known = {module_name(path) for path in MODULES}
    allowed = {(module_name(ROOT / where), extra) for where, extra in EXCEPTIONS}
    imports = {
        name: {one for _, one in imported(ast.parse(path.read_text()), path) if one in known and one != name}
        - {extra for where, extra in allowed if where == name}
        for path, name in ((path, module_name(path)) for path in MODULES)
    }
    assert circles(imports) == []


def test_circles_are_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_private_torch_names_are_in_the_adapter(path: Path) -> None:
    if path.relative_to(ROOT).as_posix() != ADAPTER:
        assert private_torch_names(path.read_text()) == []


@pytest.mark.parametrize("path", SOURCES + NATIVE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_says_what_it_is_for_and_is_not_too_long(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines, "an empty file"
    assert lines[0].startswith(('"""', "# ", "//", "/*")), lines[0]
    assert len(lines) <= LONGEST


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("import torch", "nep50/one.py"),
        ("def f():\n    import torch.fx", "nep50/one.py"),
        ("from npcompile.lower.plan import values", "nep50/one.py"),
        ("import numpy as np", "lower/one.py"),
        ("from .. import nep50", "lower/one.py"),
        ("from ..nep50 import promote", "lower/one.py"),
        ("import importlib\nimportlib.import_module('numpy')", "lower/one.py"),
        ("import npcompile", "frontend/one.py"),
        ("from npcompile import jit", "frontend/one.py"),
        ("from npcompile.numpy import ndarray", "frontend/one.py"),
        ("from .... import x", "frontend/ops/one.py"),
    ],
)
def test_climbing_is_seen(source: str, where: str) -> None:
    assert len(climbing(source, PACKAGE / where)) == 1


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("import math, functools\nimport numpy as np\nfrom . import other", "nep50/one.py"),
        (
            "import torch.fx\nfrom .values import Value\nfrom npcompile.lower.plan import values",
            "lower/plan/one.py",
        ),
        ("from npcompile.lower.plan.values import Value\nfrom ..nep50 import promote", "frontend/one.py"),
        ("from .table import Op\nfrom npcompile.nep50 import weak", "frontend/ops/one.py"),
        ("from npcompile.frontend.record import recorder as record\nimport numpy", "jit.py"),
    ],
)
def test_going_down_is_allowed(source: str, where: str) -> None:
    assert climbing(source, PACKAGE / where) == []


@pytest.mark.parametrize(
    "source",
    [
        "import torch._inductor.config",
        "def f():\n    from torch._subclasses import FakeTensorMode",
        "from torch import _C",
        "import torch\ntorch._dynamo.reset()",
        "import torch as t\nt.fx._symbolic_trace",
        "from torch import fx\nfx._pytree",
        "import sys\n'torch._inductor' in sys.modules",
    ],
)
def test_private_torch_names_are_seen(source: str) -> None:
    assert private_torch_names(source) != []


def test_public_torch_names_are_not_private() -> None:
    assert private_torch_names("import torch\ntorch.__version__\ntorch.fx.Graph\nself._torch") == []
