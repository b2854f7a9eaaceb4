"""Functions are compiled wherever Python keeps their source; where it keeps none, a reason says so.

Cells of notebooks have tests of their own (`tests/test_notebooks.py`).
"""

from __future__ import annotations

import ast
import code
import dataclasses
import doctest
import functools
import importlib
import linecache
import os
import py_compile
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.rewrite import source
from npcompile.lower.codegen import parsing

PROGRAM = """\
import numpy as np
import npcompile

@npcompile.jit(wait=True)
def f(x):
    "Doubles."
    assert x.ndim == 1
    return np.multiply(x, 2) + np.float64(1)

for _ in range(3):
    if (f(np.arange(64.0)) != np.arange(64.0) * 2 + 1).any():
        raise ValueError
print(f.stats.replays, *f.stats.reasons)
"""
X = np.arange(64.0)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def said(*arguments: str, **options: Any) -> str:
    """What a Python of its own prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, check=True, **options
    )
    return done.stdout.strip()


def replays(fn: Callable[..., Any], *args: Any) -> int:
    """The replays among three calls, whose answers are the plain function's; nothing is left uncompiled."""
    jitted = npcompile.jit(fn)
    for _ in range(3):
        assert np.array_equal(jitted(*args), fn(*args))
    assert not jitted.stats.reasons
    return int(jitted.stats.replays)


def reason(fn: Callable[..., Any], *args: Any) -> str:
    """Why a function runs uncompiled."""
    jitted = npcompile.jit(fn)
    with pytest.warns(npcompile.NotCompiledWarning):
        assert np.array_equal(jitted(*args), fn(*args))
    (text,) = jitted.stats.reasons
    return str(text).split(": ", 1)[1]


# Where Python keeps the source


@pytest.mark.parametrize(
    "options", [["-c", PROGRAM], ["-c" + PROGRAM], ["-OOc", PROGRAM]], ids=lambda o: o[0][:5]
)
def test_a_program_on_the_command_line(options: list[str]) -> None:
    assert said(*options) == "2"


def test_an_optimized_file(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert said("-OO", str(tmp_path / "program.py")) == "2"


def test_a_doctest() -> None:
    text = "\n".join(
        [">>> import numpy as np, npcompile"]
        + [">>> @npcompile.jit", "... def f(x):", "...     return np.multiply(x, 2) + np.float64(1)"]
        + [">>> _ = f(np.ones(9)), f(np.ones(9))", ">>> f.stats.replays, f.stats.reasons", "(1, [])"]
    )
    test = doctest.DocTestParser().get_doctest(text, {}, "example", None, None)
    assert doctest.DocTestRunner(verbose=False).run(test) == doctest.TestResults(0, 4)


def test_a_module_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("in_archive.py", "import numpy as np\ndef f(x):\n    return np.multiply(x, 2) + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    assert replays(importlib.import_module("in_archive").f, X) == 2


def test_text_that_is_given_to_linecache() -> None:
    text, name = "def f(x):\n    return np.multiply(x, 2) + 1\n", "<generated>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    assert replays(space["f"], X) == 2


@pytest.mark.parametrize("whole", [True, False], ids=["as a whole", "statement by statement"])
def test_a_text_that_a_shell_compiles(whole: bool) -> None:
    """What is imported in one statement is unknown to the compiler in the next."""
    text, name = (
        "import numpy as np\n\ndef f(x):\n    return np.multiply(x, 2) + np.sum(x)\n",
        f"<cell {whole}>",
    )
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    space: dict[str, Any] = {}
    statements = ast.parse(text).body
    for part in [statements] if whole else [[one] for one in statements]:
        exec(compile(ast.Module(part, []), name, "exec"), space)
    assert replays(space["f"], X) == 2


@pytest.mark.parametrize("whole", [True, False])
def test_a_text_that_was_changed_is_not_taken(whole: bool, tmp_path: Path) -> None:
    text = "import numpy as np\n\ndef f(x):\n    return np.multiply(x, 2) + np.sum(x)\n"
    path = tmp_path / "changed.py"
    path.write_text(text.replace("2", "3"))
    space: dict[str, Any] = {}
    statements = ast.parse(text).body
    for part in [statements] if whole else [[one] for one in statements]:
        exec(compile(ast.Module(part, []), str(path), "exec"), space)
    assert reason(space["f"], X).startswith("its source does not compile to its code")


# Texts of files

# Ends of functions that indentation alone does not show.
ENDS = """\
from math import (
    floor,
)
import numpy as np

def one_line(x): return np.multiply(x, 2)
def dead(x):
    return np.multiply(x, 2)
    "never reached"

    # a comment

def dedented(x):
    return np.multiply(x, len('''
a
'''))
def bracket(x):
    return np.multiply(
        x,
        floor(2.5)
)
# a comment
class A:
    @staticmethod
    def in_a_class(x):
        def inner(y):
            return np.multiply(y, 2)
        return inner(x)

    in_a_class_too = staticmethod(one_line)
def last(x):
    pass
    return np.multiply(x, 2)"""


def module_of(text: str, path: Path) -> dict[str, Any]:
    path.write_text(text)
    space: dict[str, Any] = {"__name__": path.stem}
    exec(compile(text, str(path), "exec"), space)
    return space


def test_functions_are_found_whole(tmp_path: Path) -> None:
    """The tree is that which Python makes of the whole file."""
    space = module_of(ENDS, tmp_path / "ends.py")
    nodes = [node for node in ast.walk(ast.parse(ENDS)) if isinstance(node, ast.FunctionDef)]
    found = {node.name: node for node in nodes if node.name != "inner"}
    assert len(found) == 6
    for name, node in found.items():
        fn = space.get(name) or space["A"].in_a_class
        tree, imports = source.find(fn)
        assert ast.dump(tree, include_attributes=True) == ast.dump(node, include_attributes=True)
        assert "np" in imports and ("floor" in imports or name != "bracket")


def test_the_rest_of_a_file_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long file takes no more time than a short one, unless it has to tell where an object came from."""
    text = "from math import floor, pi\nHALF = 0.5\nREST = [1]\n"
    text += "def f(x):\n    return floor(x) * HALF\ndef g(x):\n    return floor(x) * pi\n"
    space = module_of(text, tmp_path / "long.py")
    parsed: list[str] = []
    parse = parsing.parse
    monkeypatch.setattr(parsing, "parse", lambda text, *name: parsed.append(text) or parse(text, *name))
    assert source.find(space["f"])[1] == {"floor"}
    assert not any("REST" in one for one in parsed)
    assert source.find(space["g"])[1] == {"floor", "pi"}
    assert any("REST" in one for one in parsed)


# Functions that stand in for others


def decorated(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def around(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs) + 1

    return around


@decorated
@decorated
def twice_decorated(x: Any) -> Any:
    return np.multiply(x, 2)


first, second = (lambda x: np.multiply(x, 2)), (lambda x: np.multiply(x, 3))


@dataclasses.dataclass
class Scale:
    factor: float

    def of(self, x: Any) -> Any:
        return np.multiply(x, self.factor) + np.float64(1)


def by_a_dataclass(x: Any) -> Any:
    return Scale(2.0).of(x)


def asserts(x: Any) -> Any:
    assert x.ndim == 1, "one axis"
    return np.multiply(x, 2) + 1


@pytest.mark.parametrize(
    "fn", [twice_decorated, first, second, by_a_dataclass, asserts], ids=lambda f: f.__qualname__
)
def test_functions_that_are_wrapped_unnamed_or_rewritten(fn: Callable[..., Any]) -> None:
    assert replays(fn, X) == 2


# Where Python keeps none


def test_a_program_from_standard_input() -> None:
    assert said("-", input=PROGRAM).endswith(
        "its source is not available: Python keeps no text that it read from standard input"
    )


def test_a_module_without_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "compiled_only.py"
    source.write_text("import numpy as np\ndef f(x):\n    return np.multiply(x, 2) + 1\n")
    py_compile.compile(str(source), cfile=str(tmp_path / "compiled_only.pyc"))
    source.unlink()
    monkeypatch.syspath_prepend(str(tmp_path))
    fn = importlib.import_module("compiled_only").f
    assert reason(fn, X) == f"its source is not available: there is no file {source}"


def test_code_from_exec() -> None:
    space: dict[str, Any] = {"np": np}
    exec(compile("def f(x):\n    return np.multiply(x, 2) + 1\n", "<made>", "exec"), space)
    assert reason(space["f"], X) == "its source is not available"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="from then on the prompt's texts are kept")
def test_a_prompt_of_a_program_s_own() -> None:
    console = code.InteractiveInterpreter({"np": np})
    console.runsource("def f(x):\n    return np.multiply(x, 2) + 1\n")
    assert reason(console.locals["f"], X) == "its source is not available"


def test_a_tracer_is_named() -> None:
    jitted = npcompile.jit(first)
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        jitted(X), jitted(X)
    finally:
        sys.settrace(before)
    (text,) = jitted.stats.reasons
    assert text.endswith("under a debugger or tracer, functions run as they are written")
    assert np.array_equal(jitted(X), jitted(X)) and jitted.stats.replays == 1


def test_under_a_debugger(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(npcompile.__file__).parent.parent)}
    output = said("-m", "pdb", "-c", "continue", str(tmp_path / "program.py"), input="q\n", env=environment)
    assert "3" not in output.split() and "uncompiled" not in output
