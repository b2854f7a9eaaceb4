"""What is said of what cannot be compiled: an error under `strict`, a warning once, a reason always."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def array(count):
    return np.arange(1.0, count + 1)


def scaled(x, y):
    return x * y + 1


def by_text(x):
    y = x + 1
    return y * (2.0 if f"{x[0]}" == "1.0" else 3.0)


def test_strict_names_file_and_line() -> None:
    jitted = npcompile.jit(by_text, strict=True)
    jitted(array(3))  # the first call is NumPy's
    for _ in range(2):
        with pytest.raises(npcompile.NotCompiledError) as error:
            jitted(array(3))
    line = by_text.__code__.co_firstlineno + 2
    assert f"{__file__}:{line}" in str(error.value) and "made into text" in str(error.value)


RAN: list[int] = []


def looks_at_its_frame(x):
    RAN.append(1)
    y = x * 2
    return locals()["y"]


def evaluates(x):
    RAN.append(1)
    return eval("x * 2")


async def suspends(x):
    RAN.append(1)
    return x * 2


def without_source() -> Any:
    space: dict[str, Any] = {"RAN": RAN}
    exec("def made(x):\n    RAN.append(1)\n    return x * 2\n", space)
    return space["made"]


@pytest.mark.parametrize("function", [looks_at_its_frame, evaluates, suspends, without_source()])
def test_strict_raises_before_anything_runs_where_the_source_shows_it(function: Callable[..., Any]) -> None:
    RAN.clear()
    jitted = npcompile.jit(function, strict=True)
    for _ in range(2):
        with pytest.raises(npcompile.NotCompiledError, match=r": .*; instead: "):
            jitted(array(3))
    assert not RAN


def test_strict_is_silent_where_all_is_well() -> None:
    jitted = npcompile.jit(scaled, strict=True)
    for _ in range(2):
        judge(jitted, scaled, (array(3), 2.0))
    assert jitted.stats.replays == 1


def test_uncompiled_functions_say_so_once() -> None:
    jitted = npcompile.jit(np.sin)
    with pytest.warns(npcompile.NotCompiledWarning, match="not a Python function") as warned:
        for _ in range(3):
            jitted(array(3))
    assert len(warned) == 1 and warned[0].filename == __file__


def test_what_little_a_function_leaves_to_python_is_no_warning() -> None:
    """But a reason; what can be compiled is."""
    jitted = npcompile.jit(by_text)
    for k in (1.0, 2.0, 3.0, 4.0, 5.0):
        same(jitted(array(3) * k), by_text(array(3) * k))
    assert len(jitted.stats.reasons) == 1 and "made into text" in jitted.stats.reasons[0]
    assert jitted.stats.replays == 2


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_counts_and_reasons_can_be_logged_as_json() -> None:
    jitted = npcompile.jit(by_text)
    for _ in range(3):
        jitted(array(3))
    logged = json.loads(json.dumps(dataclasses.asdict(jitted.stats)))
    assert logged["reasons"] == jitted.stats.reasons and "made into text" in logged["reasons"][0]
    assert logged["calls"] == 3 and "told" not in logged
