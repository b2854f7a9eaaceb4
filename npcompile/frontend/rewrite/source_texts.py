"""Finds the texts that a function's code may have been compiled from, likeliest first, and why there is none.

`source.py` proves which of them it is. This file knows where Python and its shells keep texts: in files, in
`linecache` (cells of a notebook, doctests, newer Pythons' own prompt), on the command line (`python -c`) and,
for cells that IPython's magics compile themselves, in the shell's history. Functions that were pickled by
value bring their texts along.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import zlib
from collections.abc import Iterator
from types import CodeType
from typing import Any

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower.codegen import parsing

# The names under which `%time`, `%%time`, `%timeit` and `%%timeit` compile what they are given.
_OF_MAGICS = frozenset(("<timed exec>", "<timed eval>", "<magic-timeit>"))
_RUN_MAGIC = frozenset(("run_cell_magic", "run_line_magic"))

_MAX_BROUGHT = 64  # texts that are kept, those that came last
_brought: dict[bytes, list[str]] = {}


def texts(code: CodeType, names: dict[str, Any]) -> Iterator[list[str]]:
    """Yield the lines of each text. names: the function's globals."""
    filename = file_of(code.co_filename)
    linecache.checkcache(filename)
    if lines := linecache.getlines(filename, names):
        yield lines
    if filename == "<string>":
        yield from map(_lines, _commands())
    elif filename in _OF_MAGICS:
        yield from map(_lines, _magic_cells())
    for lines in reversed(list(_brought.values())):
        if _may_begin(lines[code.co_firstlineno - 1 : code.co_firstlineno], code.co_name):
            yield lines


def packed(lines: list[str]) -> bytes:
    """Return a text as functions take it along."""
    return zlib.compress("".join(lines).encode(errors="surrogatepass"))


def bring(text: bytes) -> None:
    """Add a text that a function has brought along. It came from `packed`."""
    known = _brought.pop(text, [])
    _brought[text] = known or _lines(zlib.decompress(text).decode(errors="surrogatepass"))
    while len(_brought) > _MAX_BROUGHT:
        del _brought[next(iter(_brought))]


def _may_begin(first: list[str], name: str) -> bool:
    """Tell if a function of this name may begin with a line. first: the line; empty in a shorter text."""
    line = "".join(first).lstrip()
    return "lambda" in line if name == "<lambda>" else line.startswith(("@", "def ", "async "))


def missing(filename: str) -> Reason:
    """Return the reason why there is no text."""
    if filename == "<stdin>":
        return Cause.SOURCE_FROM_INPUT()
    if not filename.startswith("<"):
        return Cause.NO_SOURCE_FILE(filename)
    return Cause.NO_SOURCE()


def file_of(name: str) -> str:
    """Return the file of code that came with the interpreter (`<frozen _collections_abc>`), else the name
    given."""
    module = sys.modules.get(name[8:-1]) if name.startswith("<frozen ") else None
    return getattr(module, "__file__", None) or name


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _commands() -> Iterator[str]:
    """Yield the program after `-c` on the command line of this process."""
    given = sys.orig_argv
    for option, following in zip(given[1:], [*given[2:], ""], strict=True):
        if (found := re.fullmatch(r"-[A-Za-z]*?c(.*)", option, re.DOTALL)) is not None:
            yield found[1] or following


def _magic_cells() -> Iterator[str]:
    """Yield the texts that were handed to magics in the running IPython, newest first, as IPython reads
    them."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    history = getattr(shell, "history_manager", None)
    for cell in reversed(getattr(history, "input_hist_parsed", ())):
        if any(name in cell for name in _RUN_MAGIC):
            for node in ast.walk(parsing.parse(cell)):
                match node:
                    case ast.Call(ast.Attribute(attr=name), [*_, ast.Constant(value=str(text))]):
                        if name in _RUN_MAGIC:
                            yield shell.transform_cell(text)
