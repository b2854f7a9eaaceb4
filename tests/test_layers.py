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

# What each layer may import beside the standard library. Files straight in npcompile/ and the NumPy shim are
# the top layer: they may import all.
ALLOWED = {
    "nep50": ("numpy", "npcompile.nep50"),
    "lower": ("torch", "npcompile.lower"),
    "frontend": (
        *("numpy", "torch", "npcompile.frontend", "npcompile.nep50", "npcompile.lower"),
        "npcompile.paths",  # imports nothing
        "npcompile.tiering.overhead",  # nor does this
    ),
}

# Files in a layer that need one import more, and why.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("npcompile/frontend/eager/ndarray.py", "npcompile.numpy"): "__array_namespace__ gives the shim",
    ("npcompile/frontend/ops/special.py", "scipy"): "ops on SciPy's ufuncs: loaded once a program has SciPy",
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


def layer_of(path: Path) -> str:
    inner = path.relative_to(PACKAGE).parts
    return inner[0] if len(inner) > 1 else ""


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def climbing(source: str, path: Path) -> list[str]:
    """The imports of a file that its layer does not allow."""
    layer = layer_of(path)
    if layer not in ALLOWED:
        return []
    where = path.relative_to(ROOT).as_posix()
    return [
        f"{where}:{line} imports {name}"
        for line, name in imported(ast.parse(source), path)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(within(name, allowed) for allowed in ALLOWED[layer])
        and not any(where == file and within(name, extra) for file, extra in EXCEPTIONS)
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


def test_the_layers_are_there() -> None:
    for layer in ALLOWED:
        assert any(layer_of(path) == layer for path in MODULES), layer
    assert (ROOT / ADAPTER).exists()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_down_only(path: Path) -> None:
    assert climbing(path.read_text(), path) == []


def test_every_exception_is_needed() -> None:
    for (where, extra), reason in EXCEPTIONS.items():
        path = ROOT / where
        assert reason
        assert any(within(name, extra) for _, name in imported(ast.parse(path.read_text()), path)), where


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
            "lower/one.py",
        ),
        ("from npcompile.lower.plan.values import Value\nfrom ..nep50 import promote", "frontend/one.py"),
        ("from ..table import Op\nfrom npcompile import frontend", "frontend/ops/one.py"),
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
