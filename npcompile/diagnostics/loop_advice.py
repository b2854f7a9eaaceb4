"""Says what to write in place of a construct that native loops leave to Python, where that is known.

`explain/loops.py` asks for the statement at which native code leaves; it and `partition/loops_left.py` ask
for the part that keeps a loop from being native.
"""

from __future__ import annotations

import ast

_BEFORE = "bind it before the loop"
_TEXTS = "keep the numbers, and make texts of them after the loop"
_LOCAL = "work on a local name in the loop, and bind the outer one after it"
# The name of a part of the language, and what to write instead of it; "": nothing is known.
_PARTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Yield: ("`yield`", "have the loop fill an array or a list, and yield after it"),
    ast.YieldFrom: ("`yield from`", "have the loop fill an array or a list, and yield after it"),
    ast.Await: ("`await`", ""),
    ast.AsyncFor: ("`async for`", ""),
    ast.AsyncWith: ("`async with`", ""),
    ast.Global: ("`global`", _LOCAL),
    ast.Nonlocal: ("`nonlocal`", _LOCAL),
    ast.FunctionDef: ("a function made in the loop", "define the function before the loop"),
    ast.AsyncFunctionDef: ("a function made in the loop", "define the function before the loop"),
    ast.Lambda: ("a `lambda` made in the loop", "define the function before the loop"),
    ast.ClassDef: ("a class made in the loop", "define the class before the loop"),
    ast.Import: ("`import`", "import before the loop"),
    ast.ImportFrom: ("`import`", "import before the loop"),
    ast.Name: ("`del` of a name", "bind another name in place of deleting this one"),
    ast.Attribute: ("an attribute that is deleted, or the loop's target", _BEFORE),
    ast.Subscript: ("an item as the loop's target", "take a name as the target, and store it as the item"),
    ast.List: ("a list as the loop's target", "write the targets as a tuple"),
    ast.Starred: ("a starred target", "take a tuple, and its parts by slices"),
    ast.Break: ("`break` in the loop's `else`", "test a flag after the loop"),
    ast.Continue: ("`continue` in the loop's `else`", "test a flag after the loop"),
}
_STATEMENTS: dict[type[ast.AST], str] = {
    ast.Try: "test for what may fail, or catch exceptions around the loop",
    ast.With: "enter the context manager around the loop",
    ast.Match: "cases of values and names alone, or `if` and `elif`",
    ast.JoinedStr: _TEXTS,
}
_CALLS = {
    "print": "keep what is to be printed, and print it after the loop",
    "str": _TEXTS,
    "repr": _TEXTS,
    "nditer": "`for i, j in np.ndindex(*a.shape)`, or `for x in a.flat`",
}


def part_text(part: ast.AST) -> tuple[str, str]:
    """Return the name of a part for which a loop cannot be native, and the code to write instead."""
    if isinstance(part, ast.stmt) and type(part) not in _PARTS:  # within the loop's `else`
        return _PARTS[ast.Break]
    return _PARTS.get(type(part), (f"`{type(part).__name__}`", ""))


def advice(statement: ast.stmt | None) -> str:
    """Return what to write in place of a statement; "" where nothing is known."""
    if statement is None:
        return ""
    for part in ast.walk(statement):
        if type(part) in _STATEMENTS:
            return _STATEMENTS[type(part)]
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name in _CALLS:
                return _CALLS[name]
    return ""
