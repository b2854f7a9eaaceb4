"""Arithmetic of traced numbers with literals, as replays write it out: signs, precedence, types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

LITERALS = ["-1", "2", "-2.5", "0.0", "True"]
SYMBOLS = ["+", "-", "*", "/", "//", "%", "**", "<<", "&", "<", "=="]
NUMBERS: list[list[Any]] = [[2, 3, 4, 5], [2.0, 3.0, -4.0, 0.5]]


TEXTS = [f"({one}) {symbol} n" for symbol in SYMBOLS for one in LITERALS]
TEXTS += [f"n {symbol} ({one})" for symbol in SYMBOLS for one in LITERALS]
TEXTS += [f"-(({one}) ** n)" for one in LITERALS] + [f"-n ** ({one})" for one in LITERALS]
TEXTS += ["(-n) ** n", "-n ** -n", "(-1) ** n * (-2) ** (n + 1)", "x[0] * (-1) ** n", "~n if n == 2 else -n"]


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except Exception as error:
        return type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("numbers", NUMBERS, ids=["int", "float"])
def test_arithmetic_with_literals(numbers: list[Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    lines = ["FUNCTIONS = {}"]
    for place, text in enumerate(TEXTS):
        lines += [f"def f{place}(x, n):", f"    return x * 2, {text}", f"FUNCTIONS[{text!r}] = f{place}"]
    file = tmp_path / "written.py"
    file.write_text("\n".join(lines) + "\n")
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    replays = 0
    for text, fn in space["FUNCTIONS"].items():
        jitted = npcompile.jit(fn)
        for n in numbers:
            want, got = outcome(fn, np.arange(3.0), n), outcome(jitted, np.arange(3.0), n)
            if isinstance(want, type):
                assert got is want, text
                continue
            same(got[0], want[0])
            assert type(got[1]) is type(want[1]), text
            assert repr(got[1]) == repr(want[1]), (text, n)
        replays += jitted.stats.replays
    assert replays > len(TEXTS)


def test_how_a_program_reads() -> None:
    def alternating(x, n):
        return x * (-1) ** n

    assert "(-1) ** n" in str(npcompile.explain(npcompile.jit(alternating), np.ones(3), 2, detail="program"))
