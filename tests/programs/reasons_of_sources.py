"""Functions for causes of the catalog that lie in a function's source: by cause, what makes the function.

tests/diagnostics/test_reasons_catalog.py gives each an empty folder, and calls the function with float64[4].
"""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

_BODY = "\n\n\ndef f(x):\n    return x + 1\n"


def _imported(folder: Path, text: str, name: str = "f") -> Any:
    """Return a function of a file that has this text."""
    file = folder / "functions.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("functions", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _rewritten(folder: Path, text: str) -> Any:
    """Return a function whose file has got another text since it was imported."""
    function = _imported(folder, _BODY)
    (folder / "functions.py").write_text(text)
    return function


def _from_text(filename: str) -> Any:
    """Return a function of a text that Python took for a file's."""
    space: dict[str, Any] = {}
    exec(compile(_BODY, filename, "exec"), space)
    return space["f"]


_LONG = "def f(x):\n" + "    x = x + 1\n" * 5001 + "    return x\n"
_SUPER = """
class One:
    size = 2

    def f(self, x):
        return x * super(One).__init__.__self__.__thisclass__.size

f = One().f
"""

FUNCTIONS: dict[str, Callable[[Path], Any]] = {
    "NO_PYTHON_FUNCTION": lambda folder: operator.neg,
    "SUSPENDS": lambda folder: _imported(folder, "async def f(x):\n    yield x\n"),
    "LAMBDA": lambda folder: _imported(folder, "f = lambda x: [open(__file__).close(), x + 1][1]\n"),
    "TOO_MUCH_SOURCE": lambda folder: _imported(folder, _LONG),
    "SEGMENT_FULL": lambda folder: _imported(
        folder, "def f(x):\n" + "    x = x * 1.5 + 1\n" * 150 + "    return x\n"
    ),
    "UNUSUAL_SUPER": lambda folder: _imported(folder, _SUPER),
    "NO_SOURCE": lambda folder: _from_text("<made>"),
    "SOURCE_FROM_INPUT": lambda folder: _from_text("<stdin>"),
    "NO_SOURCE_FILE": lambda folder: _from_text(str(folder / "none.py")),
    "SOURCE_NOT_PARSED": lambda folder: _rewritten(folder, "\n\n\ndef f(x:\n    return x + 1 # longer\n"),
    "SOURCE_CHANGED": lambda folder: _rewritten(folder, "#\n"),
    "OTHER_SOURCE": lambda folder: _rewritten(folder, "\n\n\ndef f(x):\n    return x + 100\n"),
}
