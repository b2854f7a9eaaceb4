"""The key of a kernel depends on each file whose text decides what the kernel does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import npcompile.lower
from npcompile.lower.graph import SOURCES

FOLDER = Path(npcompile.lower.__file__).parent
PACKAGE = "npcompile.lower"
HEADER = re.compile(r"\"(\w+\.h)\"")
# Files that compiling names, and that decide nothing.
NO_PART = {"prefix.h": "the worker makes it of what Inductor includes, which torch's version decides"}


def imported(file: str) -> set[str]:
    """The files of the folder that a module of it imports, in functions, too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((FOLDER / file).read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.removeprefix(f"{PACKAGE}.") for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = f"{PACKAGE}.{node.module or ''}".rstrip(".") if node.level else node.module or ""
            inner = module.removeprefix(PACKAGE).lstrip(".") if module.startswith(PACKAGE) else None
            if inner is not None:
                found |= {inner} if inner else {name.name for name in node.names}
    return {f"{name}.py" for name in found if (FOLDER / f"{name}.py").exists()}


def taking_part(entry: str) -> set[str]:
    """All files that a module imports, and those that these do, and the headers that they name."""
    found: set[str] = set()
    left = {entry}
    while left:
        file = left.pop()
        found.add(file)
        left |= imported(file) - found
    headers = {name for file in found for name in HEADER.findall((FOLDER / file).read_text())}
    return found | headers


def test_each_file_that_decides_a_kernel_is_in_its_key() -> None:
    files = taking_part("compile.py")
    assert {"casts.py", "unsigned.py", "loads.py", "products.h"} <= files  # so the search finds them
    assert files - set(NO_PART) == set(SOURCES)
    assert set(NO_PART) <= files
    assert all((FOLDER / name).exists() for name in SOURCES)
