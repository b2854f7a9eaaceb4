"""Private names: no module reads those of another one's objects.

A name belongs to the modules that define it: a function, a class, a variable or an attribute that they
assign, or declare in a protocol. A class may use what its bases have. An array's own attributes are private
although all of `frontend/eager/` works with them, as its public ones are NumPy's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import MODULES, PACKAGE, ROOT, is_private

# The classes of npcompile's arrays.
ARRAYS = [
    PACKAGE / "frontend" / "eager" / f"{name}.py" for name in ("strided", "operators", "exports", "ndarray")
]
# Names that others' objects have as well: named tuples', syntax trees', NumPy's, torch's and the system's.
OTHERS = {
    "_replace",
    "_fields",
    "_attributes",
    "_exit",
    "_rand",
    "_bit_generator",
    "_C",
    "_root",
    "_legacy_seeding",
}
OF_NUMPY = PACKAGE / "frontend" / "ops" / "numpy_private.py"
# A table of ways to answer names the base class's method before there is a `self`.
OF_BASES = {"RecordedFunction._by_replay"}


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=slots)):
                yield from (str(slot.value) for slot in slots if isinstance(slot, ast.Constant))


def read(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield the private names that a module imports, or reads of anything but `self`: line, text, name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name):
                yield node.lineno, ast.unparse(node), name
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("npcompile"):
                yield from ((node.lineno, f"{module}.{one.name}", one.name) for one in names)


OWNERS: dict[str, set[Path]] = {}
for _path in MODULES:
    for _name in filter(is_private, defined(ast.parse(_path.read_text()))):
        OWNERS.setdefault(_name, set()).add(_path)


def foreign(source: str, path: Path) -> list[str]:
    """Return the private names of other modules that a module reads."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for line, text, name in read(ast.parse(source))
        if is_private(name)
        and name not in OTHERS
        and text not in OF_BASES
        and (owners := OWNERS.get(name))
        and path not in owners
        and not owners.intersection(ARRAYS)
    ]


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path != OF_NUMPY], ids=lambda path: str(path.relative_to(ROOT))
)
def test_no_module_reads_anothers_private_names(path: Path) -> None:
    assert foreign(path.read_text(), path) == []


def test_reads_are_seen() -> None:
    path = PACKAGE / "explain" / "explain.py"
    assert foreign("def told(jitted):\n    return jitted._lock\n", path) == [
        "npcompile/explain/explain.py:2: jitted._lock"
    ]
    assert foreign("from npcompile.runtime.linking import _said\n", path)
    assert not foreign("class A(B):\n    def f(self):\n        return self._lock, x._replace()\n", path)
