"""Texts made of traced values are made again at replay."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
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


# A text that is made of a number `n` is gone over by its characters.
OVER_CHARACTERS = """
sum(int(c) for c in str(abs(n)))
[c for c in f"{n / 7:.3f}"]
[c for c in "%05d" % n]
list(str(n))
(*str(n), 1)
set(bin(n))
sorted(str(n), key=int)
min(str(n), key=int)
max(int(c) for c in hex(n)[2:] if c.isdigit())
{c: i for i, c in enumerate(str(n))}
dict.fromkeys(str(n))
"".join(reversed(str(n)))
[a + b for a, b in zip(str(n), str(n)[1:])]
sum(map(int, str(n)))
next(iter(str(n)))
all(c in "12345" for c in str(n))
any(c == "7" for c in str(n * 2))
math.prod(int(c) for c in repr(n))
np.array([int(c) for c in str(n)]) * 2
np.fromiter(map(int, str(n)), int).sum()
list(itertools.accumulate(map(int, str(n))))
[(k, len(list(g))) for k, g in itertools.groupby(str(n))]
list(itertools.combinations(str(n), 2))
functools.reduce(lambda total, c: total + int(c), str(n), 0)
(lambda *digits: digits)(*str(n))
list(n.to_bytes(4, "little"))
sum((np.arange(3) + n).astype(np.uint8).tobytes())
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("expression", OVER_CHARACTERS)
@pytest.mark.parametrize("times", [1, 2])
def test_characters_are_those_of_the_call(
    expression: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["import functools, itertools, math", "import numpy as np", "def fn(n):", "    found = []"]
    lines += [
        f"    for n in range(n, n + {times}):",
        f"        found.append({expression})",
        "    return found",
    ]
    (tmp_path / "characters.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "characters", raising=False)
    fn = importlib.import_module("characters").fn
    jitted = npcompile.jit(fn)
    for n in (12345, 123, 12345, 0, 777, 54321, 123):
        assert repr(jitted(n)) == repr(fn(n))


def test_print_options_are_those_of_the_call() -> None:
    jitted = npcompile.jit(lambda x: f"{x * 1.123456}")
    for precision in (2, 2, 5, 3):
        with np.printoptions(precision=precision):
            assert jitted(X) == f"{X * 1.123456}"
    assert jitted.stats.replays == 3
