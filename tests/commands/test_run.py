"""`python -m npcompile run` runs a program as Python does: its output, exit status, tracebacks, arguments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import npcompile
from npcompile.commands import history, watching
from npcompile.commands import run as run_command

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


# A function that is called for seconds, and one whose calls are short.
LONG = """\
import sys
import time

import numpy as np


def scaled(x, by):
    for _ in range(20):
        x = np.sqrt(x * x + by)
    if by < 0:
        raise ValueError(by)
    return x


def little(i):
    return i + 1


class Model:
    def __init__(self):
        self.x = np.ones(20000)

    def advance(self, *more, by=1.0):
        self.x = scaled(self.x, by) / 2
        return self.x[0] + len(more)


def main():
    model, total, count = Model(), 0.0, 0
    known = {scaled: "scaled", Model.advance: "advance"}
    while "torch" not in sys.modules:
        total += model.advance(1, 2, by=3.0)
        count = little(count)
    before = known[scaled], known[Model.advance], scaled.__name__
    results = [model.advance(by=float(k)) for k in range(100)]
    try:
        scaled(model.x, -1.0)
    except ValueError as error:
        lines = []
        traceback = error.__traceback__
        while traceback is not None:
            lines.append(traceback.tb_frame.f_code.co_name)
            traceback = traceback.tb_next
    print(before, np.round(results[-1], 6), lines, "torch" in sys.modules)


main()
"""

COMMAND = """
import sys
sys.argv[:], sys.orig_argv[:] = ["-m", "run"], ["npcompile", "run"]
from npcompile.commands import run

def engine():
    import npcompile
    return npcompile.jit, npcompile.profile

sys.exit(run.run({target!r}, {arguments!r}, {module!r}, {packages!r}, engine, after={after!r}))
"""


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NPCOMPILE_BACKEND": "interpreter",
        "NPCOMPILE_CACHE_DIR": str(folder / "kernels"),
    }
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )


def ran_after(
    after: float,
    folder: Path,
    target: str,
    *arguments: str,
    module: bool = False,
    packages: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a program whose functions are jitted after so many seconds."""
    text = COMMAND.format(
        target=target, arguments=list(arguments), module=module, packages=packages, after=after
    )
    return ran(folder, "-c", text)


def test_a_script_runs_as_under_python(folder: Path) -> None:
    plain = ran(folder, "script.py", "a", "-m", "b")
    run = ran(folder, "-m", "npcompile", "run", "--package", "helpers", "script.py", "a", "-m", "b")
    jitted = ran_after(0, folder, "script.py", "a", "-m", "b", packages=("helpers",))
    assert (
        (run.stdout, run.returncode) == (jitted.stdout, jitted.returncode) == (plain.stdout, plain.returncode)
    )
    assert plain.returncode == 3 and plain.stderr == ""
    assert "npcompile: nothing was compiled in " in run.stderr, run.stderr
    assert "npcompile: 9 functions jitted" in jitted.stderr, jitted.stderr  # of the script 8, and the helper


def test_a_short_program_never_imports_the_engine(folder: Path) -> None:
    (folder / "modules.py").write_text(
        "import sys\nprint([name for name in ('torch', 'npcompile') if name in sys.modules])\n"
    )
    assert ran(folder, "-m", "npcompile", "run", "modules.py").stdout == "[]\n"


def test_a_program_without_imports_waits_for_few(folder: Path) -> None:
    """`-S`: an environment may import more when Python starts. Python's `-m` imports `importlib.util`."""
    (folder / "modules.py").write_text("import sys\nprint(*sys.modules)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    plain, run = (
        subprocess.run(
            [sys.executable, "-S", "-m", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        for arguments in (["modules"], ["npcompile", "run", "modules.py"])
    )
    slow = {"pathlib", "re", "enum", "inspect", "ast", "argparse", "threading", "typing", "dataclasses"}
    assert slow.isdisjoint(found := {*run.stdout.split()} - {*plain.stdout.split()}), slow & found


def test_a_program_finds_its_place_as_under_python(folder: Path) -> None:
    (folder / "inner").mkdir(exist_ok=True)
    (folder / "inner" / "place.py").write_text("import sys\nprint(__file__, sys.argv, sys.path[0])\n")
    (folder / "link.py").unlink(missing_ok=True)
    (folder / "link.py").symlink_to(folder / "inner" / "place.py")
    for path in ("inner/place.py", "inner/../inner/place.py", "link.py", str(folder / "link.py")):
        assert ran(folder, "-m", "npcompile", "run", path, "x").stdout == ran(folder, path, "x").stdout


MAIN = """\
import multiprocessing
import sys
number: int = 3
names = sorted(name for name in vars(sys.modules["__main__"]) if name.startswith("__"))
print(names, __loader__.__class__.__name__, __loader__.get_filename("__main__") == __file__, __annotations__)
print(sys.modules["__mp_main__"] is sys.modules["__main__"])
"""


@pytest.mark.parametrize("first_line", ["", "import npcompile"], ids=["watched", "from the start"])
def test_the_main_module_is_as_under_python(folder: Path, first_line: str) -> None:
    (folder / "main_module.py").write_text(f"{first_line}\n{MAIN}")
    run = ran(folder, "-m", "npcompile", "run", "main_module.py")
    assert run.stdout == ran(folder, "main_module.py").stdout


def test_a_process_that_knows_of_the_main_module_knows_the_programs(folder: Path) -> None:
    (folder / "main_module.py").write_text(MAIN)
    text = f"import multiprocessing\n{COMMAND}".format(
        target="main_module.py", arguments=[], module=False, packages=(), after=60
    )
    assert ran(folder, "-c", text).stdout.splitlines()[-1] == "True"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_may_close_its_streams(folder: Path, stream: str) -> None:
    for close in (f"sys.{stream}.close()", f"sys.{stream} = None"):
        (folder / "closing.py").write_text(f"import sys\nprint(1, flush=True)\n{close}\nsys.exit(3)\n")
        plain, run = ran(folder, "closing.py"), ran(folder, "-m", "npcompile", "run", "closing.py")
        assert (run.stdout, run.returncode) == (plain.stdout, plain.returncode), run.stderr
        assert "Error" not in run.stderr


def test_a_forked_child_says_nothing(folder: Path) -> None:
    text = "import os, warnings\nwarnings.simplefilter('ignore')  # Python's own, of forks beside threads\n"
    (folder / "forking.py").write_text(f"{text}pid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n")
    stderr = ran(folder, "-m", "npcompile", "run", "forking.py").stderr
    assert stderr.startswith("npcompile: nothing was compiled") and stderr.count("npcompile: ") == 1, stderr


def test_a_program_that_imports_npcompile_has_all_of_it(folder: Path) -> None:
    (folder / "jitted.py").write_text(
        "import numpy as np\nimport npcompile\n\n"
        "def twice(x):\n    return x * 2\n\n"
        "print(twice(np.ones(2)), isinstance(twice, npcompile.Jitted), dir(npcompile) == npcompile.__all__)\n"
    )
    run = ran(folder, "-m", "npcompile", "run", "jitted.py")
    assert run.stdout == "[2. 2.] True True\n", run.stderr
    assert "npcompile: 1 function jitted" in run.stderr


def test_a_long_program_has_its_functions_jitted_as_it_runs(folder: Path) -> None:
    (folder / "long.py").write_text(LONG)
    run = ran_after(0.5, folder, "long.py")
    plain_lines = "['main', 'scaled'] True"
    assert run.stdout.startswith("('scaled', 'advance', 'scaled') ") and run.returncode == 0, run.stderr
    assert run.stdout.endswith(plain_lines + "\n"), run.stdout
    assert "functions jitted after" in run.stderr and "Model.advance (long.py:" in run.stderr, run.stderr
    assert "little" not in run.stderr and "its source does not compile" not in run.stderr


def test_a_program_goes_on_where_npcompile_cannot_be_imported(folder: Path) -> None:
    asked = "    sys.modules['asked'] = sys\n    raise ImportError('no torch')\n"
    text = COMMAND.replace("    import npcompile\n", asked)
    (folder / "without.py").write_text(LONG.replace('while "torch" not', 'while "asked" not'))
    text = text.format(target="without.py", arguments=[], module=False, packages=(), after=0.5)
    run = ran(folder, "-c", text)
    assert run.stdout.endswith("['main', 'scaled'] False\n") and run.returncode == 0, run.stderr
    assert run.stderr.endswith("npcompile cannot be imported: no torch\n"), run.stderr


def test_a_long_program_is_jitted_from_the_start_the_next_time(folder: Path) -> None:
    cache, source = str(folder / "some"), b"source"
    for plain, jitted, pays in (
        (59.0, 0.0, False),
        (61.0, 0.0, True),
        (61.0, 10.0, True),
        (61.0, 62.0, False),
    ):
        history.History(cache, source, ["a"]).remember(plain, jitted)
        past = history.History(cache, source, ["a"])
        assert (past.plain, past.jitted) == (plain, jitted)
        assert run_command.pays_from_the_start(source, past, 60.0) == pays
    assert history.History(cache, source, ["b"]).plain == 0.0
    assert run_command.pays_from_the_start(b"x\nimport npcompile as npc\n", past, 60.0)
    history.remember_import(cache, 1.5)
    assert history.import_seconds(cache) == 1.5


@pytest.mark.parametrize("after", [None, 0])
def test_an_error_has_the_users_lines_alone(folder: Path, after: float | None) -> None:
    if after is None:
        run = ran(folder, "-m", "npcompile", "run", "script.py", "fail")
    else:
        run = ran_after(after, folder, "script.py", "fail")
    plain = ran(folder, "script.py", "fail")
    assert run.returncode == plain.returncode == 1
    told = run.stderr.partition("npcompile: ")[0].replace(str(folder) + os.sep, "")
    assert told == plain.stderr.replace(str(folder) + os.sep, "")


def test_a_module_runs_by_its_name(folder: Path) -> None:
    run = ran(folder, "-m", "npcompile", "run", "-m", "script", "x")
    jitted = ran_after(0, folder, "script", "x", module=True)
    assert run.returncode == jitted.returncode == 3 and "npcompile: 8 functions jitted" in jitted.stderr
    assert "__main__ A docstring, then a future import. ['x'] True" in run.stdout == jitted.stdout


@pytest.mark.parametrize("option", [[], ["--package", "helpers"]])
def test_what_is_not_there_is_told(folder: Path, option: list[str]) -> None:
    run = ran(folder, "-m", "npcompile", "run", *option, "nothing.py")
    assert run.returncode == 2 and "there is no file nothing.py" in run.stderr


@pytest.mark.parametrize("last_line", ["", "import npcompile"], ids=["watched", "from the start"])
def test_a_syntax_error_is_told_as_python_tells_it(last_line: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"def f(x)\n    return x\n{last_line}\n")
    plain, ours = (
        subprocess.run([sys.executable, *way, script], cwd=ROOT, capture_output=True, text=True)
        for way in ((), ("-m", "npcompile", "run"))
    )
    assert ours.returncode == plain.returncode == 1
    told, _, summary = ours.stderr.partition("npcompile: ")
    assert told == plain.stderr and summary


@pytest.mark.parametrize("last_line", ["", "import npcompile"], ids=["watched", "from the start"])
def test_an_interrupted_program_ends_by_the_signal(folder: Path, last_line: str) -> None:
    """Shells and other programs tell from the status that it was interrupted."""
    (folder / "stopped.py").write_text(f"{last_line}\nprint('one')\nraise KeyboardInterrupt\n")
    plain = ran(folder, "stopped.py")
    run = ran(folder, "-m", "npcompile", "run", "stopped.py")
    assert (run.returncode, run.stdout) == (plain.returncode, plain.stdout) == (-signal.SIGINT, "one\n")
    told, _, summary = run.stderr.partition("npcompile: ")
    assert told == plain.stderr and summary and "Traceback" not in summary


# Python code of a millisecond, then NumPy, which gives the interpreter's lock away.
TURNS = """
import time

import numpy as np


def in_python(until):
    while time.thread_time() < until:
        pass


def in_numpy(x, until):
    while time.thread_time() < until:
        np.sqrt(x, out=x)


def main():
    x = np.ones(100_000)
    for _ in range(1500):
        in_python(time.thread_time() + 1e-3)
        in_numpy(x, time.thread_time() + 1e-3)


main()
"""

MEETS = """
import sys
import time
from npcompile.commands import watching

watch = watching.Watch(lambda file: file == "turns.py", None, lambda work: 1e9)
watching._FIRST = 0.0
interval = sys.getswitchinterval()
watch.start()
exec(compile(open("turns.py").read(), "turns.py", "exec"), {{"__name__": "turns"}})
watch.stop()
while sys.getswitchinterval() != interval:
    time.sleep(0.01)
looks = {{met.code.co_name: met.looks for met in watch._met.values()}}
print(min(looks.get("in_python", 0), looks.get("in_numpy", 0)) > {least} * looks["main"] > 0)
"""


def test_python_code_between_calls_of_numpy_is_met(folder: Path) -> None:
    """Both take half of the time; none may look like a fifth of it, from which on a function is jitted."""
    (folder / "turns.py").write_text(TURNS)
    run = ran(folder, "-c", MEETS.format(least=watching._MUCH))
    assert run.stdout == "True\n", run.stderr + run.stdout


def test_a_function_whose_time_is_another_ones_has_no_time_in_the_summary() -> None:
    def inner(x: float) -> float:
        return x + 1

    def outer(x: float) -> float:
        return inner(x)

    functions = [(npcompile.jit(fn), npcompile.Stats(calls=3, replays=2, kernels=1)) for fn in (inner, outer)]
    line = outer.__code__.co_firstlineno
    report = SimpleNamespace(seconds=0.5, calls=3, times={"compiled": 1.0})
    profile = SimpleNamespace(
        seconds=2.0, explanations=[SimpleNamespace(file=outer.__code__.co_filename, line=line, report=report)]
    )
    first, of_outer, of_inner = run_command.summary(functions, profile).splitlines()
    assert first.endswith(": 1.50 of 2.00 s are theirs")
    assert of_outer.endswith(
        f"({Path(__file__).name}:{line}): 1.50 s (100% compiled), 2 of 3 calls compiled, 1 kernel"
    )
    assert of_inner.endswith(f"({Path(__file__).name}:{line - 3}): 2 of 3 calls compiled, 1 kernel")
