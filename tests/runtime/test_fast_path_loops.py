"""What loops call at each trip runs no Python but the replay: in `np.errstate`, with histories, methods."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.usefixtures("native_runtime")

# Answers a call where the native runtime does not.
_PYTHONS = {"RecordedFunction.__call__", "RecordedFunction._answer"}


def last(u: Any, history: Any) -> Any:
    return history[-1] * 0.5 + u


def divided(x: Any, y: Any) -> Any:
    return x / y


def means(u: Any, count: int) -> Any:
    found = []
    v = u
    for _ in range(count):
        v = v * 0.5 + u
        found.append(v.mean())
    return found


def test_a_list_that_grows_is_known_by_its_type() -> None:
    jitted = npcompile.jit(last, wait=True)
    history = [np.ones(8)]
    for _ in range(20):
        found = jitted(np.ones(8), history)
        np.testing.assert_array_equal(found, last(np.ones(8), history))
        history.append(found)
    u = np.ones(8)
    assert frames(lambda: jitted(u, history)) == ["last"], jitted.stats
    history.append(np.ones(8, "f4"))  # its items are still checked
    found = jitted(np.ones(8, "f4"), history)
    assert found.dtype == np.float32
    history.append(np.ones((2, 8)))
    assert jitted(np.ones(8), history).shape == (2, 8)


def test_errstate_that_ignores_asks_no_python_and_one_that_raises_does() -> None:
    jitted = npcompile.jit(divided, wait=True)
    one, zero = np.ones(3), np.zeros(3)
    for _ in range(12):
        jitted(one, one)
    for _ in range(3):
        with np.errstate(divide="ignore"):
            seen = frames(lambda: jitted(one, one))
        assert not _PYTHONS.intersection(seen), seen
        for kind in ("raise", "call"):
            with np.errstate(divide=kind, call=_raise), pytest.raises((FloatingPointError, KeyError)):
                jitted(one, zero)
        with np.errstate(over="raise", divide="ignore"):
            np.testing.assert_array_equal(jitted(one, zero), np.full(3, np.inf))
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        jitted(zero, zero)


def _raise(*_: Any) -> None:
    raise KeyError


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_methods_of_builtins_are_called_without_a_look() -> None:
    jitted = npcompile.jit(means, wait=True)
    u = np.linspace(0, 1, 50)
    for _ in range(8):
        np.testing.assert_allclose(jitted(u, 5), means(u, 5))
    seen = frames(lambda: jitted(u, 5))
    assert "means" in seen and "CalleeSubstitution._entered" not in seen, seen


_NOTHING_COMPILED = """
import numpy as np
import npcompile
from tests.runtime.test_fast_path import frames

@npcompile.jit
def filled(x):
    seen = {}
    for i in range(len(x)):
        seen[f"{i}"] = x[i] * 2.0
    return x

x = np.ones(4)
for _ in range(40):
    filled(x)
print(frames(lambda: filled(x)), filled.stats.compilations)
"""


def test_where_nothing_is_compiled_in_a_process_the_runtime_answers_too(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(_NOTHING_COMPILED)
    command = [sys.executable, "-W", "ignore", str(tmp_path / "main.py")]
    environment = os.environ | {"PYTHONPATH": str(Path(npcompile.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["['filled']", "0"], done.stdout
