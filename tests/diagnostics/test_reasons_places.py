"""A reason names the line of the file in which it lies, whichever function of whichever module that is."""

from __future__ import annotations

import importlib.util
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

HELPERS = """

def stored(x, names):
    y = x * 2
    names.append(float(y.sum()))
    z = np.array([None, 1], dtype=object)  # here
    z[0] = y
    return y + len(names)


def by_lengths(x):
    while x.sum() > 1:  # here
        x = x[: len(x) // 2] * 2
    return x


def raising(x):
    y = x * 2
    raise ValueError(str(y.shape))  # here


def within(x, names):
    return stored(x, names) + 1


def driven(a):
    for i in range(a.shape[0]):
        for k in range(i):
            a[i, :i] += a[i, k]  # here
    return a
"""

PROGRAMS = """
def whole(x):
    return helpers.within(x, []) + 1


def blocks(x):
    names = []
    for _ in range(20):
        x = helpers.stored(x, names) * 0.1
    return x


def callees(x):
    out = []
    while len(out) < 3:
        out.append(helpers.by_lengths(x))
        out.append(helpers.within(x, []))
    return out


def library(x):
    for _ in range(3):
        x = signal.filtfilt(*signal.butter(3, 0.2), signal.medfilt(x, 3) + x)
    return x, optimize.minimize(lambda p: ((x[:3] - p) ** 2).sum(), np.zeros(3)).x


def raised(x):
    for _ in range(2):
        try:
            helpers.raising(x)
        except ValueError:
            x = x + 1
    return x


def triangles(x):
    return helpers.driven(np.outer(x, x))


def own(x, n=2):
    if n:
        return own(x, n - 1)
    y = np.array([None], dtype=object)  # here
    y[0] = x
    return x + 1
"""


def module(folder: Path, name: str, lines: int, text: str) -> types.ModuleType:
    """A module whose functions begin after so many lines: no line of one of these is one of another's."""
    file = folder / f"{name}.py"
    imports = "import numpy as np\nfrom scipy import optimize, signal\n"
    file.write_text(imports + "\n" * lines + text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def lines_of(file: str) -> set[int]:
    """The lines of a file on which code lies."""

    def within(code: types.CodeType) -> Iterator[int]:
        yield from (line for _, _, line in code.co_lines() if line)
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                yield from within(const)

    return set(within(compile(Path(file).read_text(), file, "exec")))


def reasons(tmp_path: Path, name: str) -> tuple[npcompile.Jitted, list[tuple[str, int, str]]]:
    helpers = module(tmp_path, "helpers", 300, HELPERS)
    programs = module(tmp_path, "programs", 5, PROGRAMS)
    programs.helpers = helpers  # type: ignore[attr-defined]
    jitted: Any = npcompile.jit(getattr(programs, name), wait=True)
    for call in range(12):
        jitted(np.arange(1.0, 30 + call % 2) / 40)
    found = []
    for reason in jitted.stats.reasons:
        place, _, text = reason.partition(": ")
        file, _, line = place.rpartition(":")
        found.append((file, int(line), text))
    return jitted, found


@pytest.mark.parametrize("name", ["whole", "blocks", "callees", "library", "raised", "triangles", "own"])
def test_each_place_is_a_line_of_code_of_its_file(name: str, tmp_path: Path) -> None:
    for file, line, text in reasons(tmp_path, name)[1]:
        assert line in lines_of(file), f"{file}:{line}: {text}"
        if " (at " in text:
            other, _, at = text.rpartition(" (at ")[2].rstrip(")").rpartition(":")
            assert int(at) in lines_of(other), text


@pytest.mark.parametrize(
    ("name", "text", "file"),
    [("blocks", "Python objects", "helpers.py"), ("callees", "Python objects", "helpers.py")]
    + [("own", "Python objects", "programs.py")],
)
def test_the_line_is_that_of_the_operation(name: str, text: str, file: str, tmp_path: Path) -> None:
    _, found = reasons(tmp_path, name)
    places = [(where, line) for where, line, reason in found if text in reason and " (at " not in reason]
    assert places
    for where, line in places:
        assert Path(where).name == file
        assert Path(where).read_text().splitlines()[line - 1].endswith("# here")


def test_what_explain_tells_names_the_other_file(tmp_path: Path) -> None:
    jitted, _ = reasons(tmp_path, "blocks")
    told = npcompile.explain(jitted.__wrapped__, np.arange(1.0, 30))
    line = 3 + 300 + HELPERS.splitlines().index("    z = np.array([None, 1], dtype=object)  # here")
    assert f"line {line} of {tmp_path / 'helpers.py'}" in told.text("program")
