"""The key of a kernel depends on each file whose text decides what the kernel does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import npcompile.lower
from npcompile.lower.plan.graph import SOURCES

FOLDER = Path(npcompile.lower.__file__).parent
PACKAGE = "npcompile.lower"
HEADER = re.compile(r"\"(\w+\.h)\"")
# Files that compiling names, and that decide nothing.
NO_PART = {"prefix.h": "the worker makes it of what Inductor includes, which torch's version decides"}


def file_of(module: str) -> str | None:
    """The path of a module of lower/ within it; None for others, and for packages."""
    if not module.startswith(PACKAGE + "."):
        return None
    file = module.removeprefix(PACKAGE + ".").replace(".", "/") + ".py"
    return file if (FOLDER / file).exists() else None


def imported(file: str) -> set[str]:
    """The files of lower/ that one of them imports, in functions, too."""
    found: set[str | None] = set()
    parents = [PACKAGE, *file.split("/")[:-1]]
    for node in ast.walk(ast.parse((FOLDER / file).read_text())):
        if isinstance(node, ast.Import):
            found |= {file_of(name.name) for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [*parents[: len(parents) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {file_of(f"{module}.{name.name}") or file_of(module) for name in node.names}
    return {one for one in found if one is not None}


def taking_part(entry: str) -> set[str]:
    """All files that a module imports, and those that these do, and the headers that they name."""
    found: set[str] = set()
    left = {entry}
    while left:
        file = left.pop()
        found.add(file)
        left |= imported(file) - found
    named = {name for file in found for name in HEADER.findall((FOLDER / file).read_text())}
    headers = [path.relative_to(FOLDER) for path in FOLDER.rglob("*.h")]
    outside = [path for path in headers if path.parts[0] != "loops"]  # which have keys of their own
    places = {path.name: path.as_posix() for path in outside}
    return found | {places.get(name, name) for name in named}


def test_each_file_that_decides_a_kernel_is_in_its_key() -> None:
    (entry,) = (path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("compile.py"))
    files = taking_part(entry)
    names = {file.rpartition("/")[2] for file in files}
    assert {"casts.py", "unsigned.py", "loads.py", "products.h"} <= names  # so the search finds them
    assert files - set(NO_PART) == set(SOURCES)
    assert set(NO_PART) <= files
    assert all((FOLDER / name).exists() for name in SOURCES)
