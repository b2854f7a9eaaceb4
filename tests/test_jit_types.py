"""Type checkers see a jitted function's own signature, and refuse what it does not take."""

from __future__ import annotations

from pathlib import Path

import mypy.api
import pytest

PROGRAM = """\
import numpy as np
import numpy.typing as npt
import npcompile

Floats = npt.NDArray[np.float64]

@npcompile.jit
def mean(x: Floats, n: int = 2) -> float:
    return float(x.sum()) / n

@npcompile.jit(strict=True)
def shifted(x: Floats) -> Floats:
    return x + 1

class Model:
    @npcompile.jit
    def step(self, x: Floats) -> int:
        return len(x)

@npcompile.jit
class Whole:
    def __init__(self) -> None:
        self.count = 1

x = np.zeros(3)
"""
# No type that users see is one of PyTorch, of which reading the sources took most of the time.
CONFIGURATION = """\
[mypy]
strict = True
follow_imports = silent
pretty = False
[mypy-torch.*]
follow_imports = skip
"""
ANSWERS = {
    "mean(x)": "float",
    "mean(x, n=3)": "float",
    "shifted(x).sum()": "Any",
    "Model().step(x)": "int",
    "Model.step(Model(), x)": "int",
    "Whole().count": "int",
    "mean.stats.replays": "int",
    "mean.wait()": "None",
    'mean.compile(npcompile.spec("float64", ("n", 3)), n=4)': "None",
    "npcompile.jit(len, wait=True)(x)": "int",
    "[mean(one) for one in (x, x)]": "list[float]",
}
REFUSED = {
    'mean("wrong")': "arg-type",
    "mean(x, nonsense=3)": "call-arg",
    "mean()": "call-arg",
    "mean.wiat()": "attr-defined",
    "mean.stats.replay": "attr-defined",
    'Model().step("wrong")': "arg-type",
    "npcompile.jit(3)": "call-overload",
    "npcompile.jit(mean, wiat=True)": "call-overload",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with mypy's configuration, and what it keeps of npcompile."""
    made = tmp_path_factory.mktemp("types")
    (made / "mypy.ini").write_text(CONFIGURATION)
    return made


def lines_of(folder: Path, statements: list[str]) -> list[str]:
    """Return what mypy says of each statement after the program; empty texts where it is silent."""
    path = folder / "program.py"
    path.write_text(PROGRAM + "\n".join(statements) + "\n")
    options = ["--config-file", str(folder / "mypy.ini"), "--cache-dir", str(folder / "cache")]
    text, failed, _ = mypy.api.run([*options, str(path)])
    assert not failed, failed
    before = PROGRAM.count("\n")
    said = [""] * len(statements)
    for line in text.splitlines()[:-1]:
        number = int(line.split(":")[1]) - 1 - before
        assert number >= 0, line
        said[number] += line.partition(": ")[2]
    return said


@pytest.mark.quick
def test_answers_have_the_types_of_the_plain_function(folder: Path) -> None:
    said = lines_of(folder, [f"reveal_type({expression})" for expression in ANSWERS])
    for found, (expression, kind) in zip(said, ANSWERS.items(), strict=True):
        assert found == f'note: Revealed type is "{kind}"', expression


@pytest.mark.quick
def test_wrong_uses_are_refused(folder: Path) -> None:
    said = lines_of(folder, list(REFUSED))
    for found, (statement, code) in zip(said, REFUSED.items(), strict=True):
        assert f"[{code}]" in found, (statement, found)
