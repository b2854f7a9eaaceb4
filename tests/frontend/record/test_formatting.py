"""Texts made of traced values are made again at replay."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

X = np.array([0.5, 0.75, 1.0, 1.25, 1.5, 2.0])


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def printed(x, i):
    error = np.abs(x).max()
    print(f"{i}: {error:.3e} {x.shape} {x[:2]} {i!r:>4}|{error!s}", i, error)
    return x * 2


def answered(x, i):
    return f"{x.sum():.3f}", "%d: %.3f" % (i, x.sum()), "{} {k:.2f}".format(i, k=x.mean()), x * 2  # noqa: UP031, UP032


def shown(x, i):
    return str(x.sum()), repr(x[1] * i), str(x), x * 2


def in_containers(x, i):
    return {"name": f"run {x.sum():.2f}", "all": [f"max {x.max()}", (f"min {x.min()}", i)]}


def of_one_character(x, i):
    return f"{i % 7}", x * 2


def compared(x, i):
    text = f"run {i % 3}"
    return x * 2 if text == "run 1" else x


def asked(x, i):
    text = f"{x.sum() * i:.1f}"
    return len(text), text[2:], text + "z", text.upper(), "1" in text, {text: x}, x if text else i


def width(x, i):
    return f"{x.sum():{i + 3}.1f}|"


class Named:
    def __init__(self):
        self.name0, self.name1 = 2.0, 3.0


def names_an_attribute(x, i):
    named = Named()
    setattr(named, f"name{i % 2}", x * 2)
    return named.name0 * x, getattr(named, "name%d" % ((i + 1) % 2))  # noqa: UP031


STEPS = [printed, answered, shown, in_containers]
DECIDING = [names_an_attribute, of_one_character, compared, asked, width]


def outcome(fn: Callable[..., Any], x: Any, i: int) -> tuple[str, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = repr(fn(x, i))
    return result, out.getvalue()


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")  # that texts take much of the time
@pytest.mark.parametrize("fn", STEPS + DECIDING, ids=lambda fn: fn.__name__)
def test_as_plain_python(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for i in range(300, 312):
        x = X * (i - 304)
        assert outcome(jitted, x, i) == outcome(fn, x, i)
    if fn in STEPS:
        assert (jitted.stats.recordings, jitted.stats.replays) == (1, 11), jitted.stats


def test_print_options_are_those_of_the_call() -> None:
    jitted = npcompile.jit(lambda x: f"{x * 1.123456}")
    for precision in (2, 2, 5, 3):
        with np.printoptions(precision=precision):
            assert jitted(X) == f"{X * 1.123456}"
    assert jitted.stats.replays == 3
