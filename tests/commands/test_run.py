"""`python -m npcompile run` runs a program as Python does: its output, exit status, tracebacks, arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The parts of Python that decorating functions might break, and one function that gains.
SCRIPT = '''\
"""A docstring, then a future import."""
from __future__ import annotations

import functools
import inspect
import pickle
import sys
from dataclasses import dataclass

import numpy as np
from helpers import rooted


def smooth(x, weight):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = weight * x[i] + (1 - weight) * y[i - 1]
    return y


def squares(n):
    for i in range(n):
        yield i * i


@functools.lru_cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def decorated(function):
    return lambda *args: function(*args) + 1


@decorated
def doubled(x):
    return x * 2


@dataclass
class Box:
    side: float

    def scaled(self, x):
        return x * self.side

    @property
    def area(self):
        return self.side**2

    @staticmethod
    def shifted(x):
        return x + 1

    @classmethod
    def of(cls, side):
        return cls(side * 1.0)


def failing(x):
    return x / 0


if __name__ == "__main__":
    for _ in range(5):
        y = smooth(np.linspace(0.0, 1.0, 50), 0.5)
    box = Box.of(3)
    print(y.sum().round(6), sum(squares(5)), fibonacci(30), doubled(2))
    print(box.scaled(2.0), box.area, box.shifted(1))
    print(__name__, __doc__, sys.argv[1:], pickle.loads(pickle.dumps(smooth)) is smooth)
    print([name for name in globals() if not name.startswith("__")])
    print(inspect.signature(smooth), inspect.getsource(Box.scaled).strip(), rooted(np.float64(4.0)))
    if "fail" in sys.argv:
        failing(1)
    sys.exit(3)
'''
HELPERS = "import numpy as np\n\n\ndef rooted(x):\n    return np.sqrt(x) + 1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("programs")
    (made / "script.py").write_text(SCRIPT)
    (made / "helpers.py").write_text(HELPERS)
    return made


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NPCOMPILE_BACKEND": "interpreter"}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_a_script_runs_as_under_python(folder: Path) -> None:
    run = ran(folder, "-m", "npcompile", "run", "--package", "helpers", "script.py", "a", "-m", "b")
    plain = ran(folder, "script.py", "a", "-m", "b")
    assert (run.stdout, run.returncode) == (plain.stdout, plain.returncode)
    assert plain.returncode == 3 and plain.stderr == ""
    assert "npcompile: 9 functions jitted" in run.stderr, run.stderr  # of the script 8, and the helper


def test_an_error_has_the_users_lines_alone(folder: Path) -> None:
    run = ran(folder, "-m", "npcompile", "run", "script.py", "fail")
    plain = ran(folder, "script.py", "fail")
    assert run.returncode == plain.returncode == 1
    told = run.stderr.partition("npcompile: ")[0].replace(str(folder) + os.sep, "")
    assert told == plain.stderr.replace(str(folder) + os.sep, "")


def test_a_module_runs_by_its_name(folder: Path) -> None:
    run = ran(folder, "-m", "npcompile", "run", "-m", "script", "x")
    assert run.returncode == 3 and "npcompile: 8 functions jitted" in run.stderr
    assert "__main__ A docstring, then a future import. ['x'] True" in run.stdout


def test_what_is_not_there_is_told(folder: Path) -> None:
    run = ran(folder, "-m", "npcompile", "run", "nothing.py")
    assert run.returncode == 2 and "there is no file nothing.py" in run.stderr
