"""Forms of Python on numbers that come as numbers of Python's, as scalars and as arrays of no dimension.

One row of `TEXTS` is lines on `n` and `m`; each is a function that is called with every row of `NUMBERS`, and
must answer as Python does at each call, exceptions too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

NUMBERS: dict[str, list[tuple[Any, Any]]] = {
    "int": [(2, 3), (2, 3), (-1, 2), (0, -2), (1, 1)],
    "from 0": [(0, 1), (0, 1), (1, 2), (-1, 0), (2, 3), (0, 0)],
    "int64 from 0": [(np.int64(0), 1), (np.int64(0), 1), (np.int64(1), 2), (np.int64(-1), 0)],
    "int64": [(np.int64(2), 3), (np.int64(2), 3), (np.int64(-1), 0), (np.int64(0), 1)],
    "uint8": [(np.uint8(2), 3), (np.uint8(1), 2), (np.uint8(250), -1), (np.uint8(0), 0)],
    "array": [(np.array(2), 3), (np.array(2), 3), (np.array(-1), 2), (np.array(0), -2)],
    "float": [(2.5, -0.5), (2.5, -0.5), (-0.0, 1.0), (0.0, -0.0), (float("nan"), 2.0)],
}
PLACES = ["n", "-n", ":n", "n:", "::n", "n:m", "n % 3", "slice(n)", "abs(n) % 2"]
HOLDERS = ["(1, 2, 3, 4)", "[n, m, 1, 2]", "'abcd'", "b'abcd'", "range(6)", "l", "x.shape", "(x, i)"]

TEXTS = [f"r = {holder}[{place}]" for holder in HOLDERS for place in PLACES]
TEXTS += [
    f"i[{place}] = {value}\nr = i" for place in ("n", "..., n", "n:") for value in ("m", "i[0] / n", "n")
]
TEXTS += [
    f"q = [1, 2, 3]\n{line}\nr = q" for line in ("q[n] = m", "q[n:] = [m]", "del q[n]", "q.insert(n, m)")
]
TEXTS += [
    f"r = {text}"
    for text in (
        *("list(range(n))", "x[range(n)]", "n in range(3)", "[1] * n", "n * 'ab'", "[1, 2].__getitem__(n)"),
        *("list(islice([1, 2, 3], n))", "list(enumerate('ab', n))", "list(enumerate(range(2), start=n))"),
        *("list(repeat(1, n))", "next(count(n))", "(1, 2, 3).index(n)", "[1, 2, 3].count(n)", "n in [1, 2]"),
        *(
            "slice(n).indices(5)",
            "'a,b,c'.split(',', n)",
            "round(2.345, n)",
            "round(m / 3, n)",
            "divmod(-7, n)",
        ),
        *(
            "pow(3, n, 7)",
            "pow(n, -1, 7)",
            "-n ** 2",
            "2 ** -n",
            "not n == m",
            "n < m > 1",
            "n is m",
            "not -n",
        ),
        *("f'{n:>{m}}'", "f'{n!r:>8}'", "'%5.1f' % n", "str(n)[::-1]", "str(n) < '2'", "max((n, m), (m, n))"),
        *(
            "sum([n, m], n)",
            "min([], default=n)",
            "sorted([n, m, 0], key=lambda q: -q)",
            "{n, m} if m else n",
        ),
        *("(n, m) < (2, 4)", "(*[n, m], n)", "n.real", "n.bit_length()", "n if n in (0, 1) else -n"),
    )
]
TEXTS += [
    "r = 0\nfor q in range(n):\n    r = r + q * m",
    "a, *b = n, m, 1\nr = a, b",
    "q = n,\nq += (m,)\nr = q",
]
# Python's errors name the operator in place.
TEXTS += [
    f"q = {left}\nq {op}= {right}\nr = q"
    for op in ("+", "-", "*", "**", "//", "%", "@", "<<", "|")
    for left, right in (("n", "None"), ("m", "'a'"), ("'a'", "n"), ("(n,)", "m"), ("True", "l"), ("n", "m"))
]
TEXTS += [
    "try:\n    r = (1, 2)[n]\nexcept IndexError:\n    r = m",
    "match n:\n    case 2: r = 1\n    case _: r = m",
]


def outcome(fn: Callable[..., Any], n: Any, m: Any) -> str:
    x, i = np.arange(4.0), np.array([3, 0, -2, 1])
    with np.errstate(all="ignore"):
        try:
            return repr((fn(x, i, np.copy(n) if isinstance(n, np.ndarray) else n, m, [m, 1, 0.5]), x, i))
        except Exception as error:
            return repr(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", NUMBERS)
def test_forms(kind: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    lines = ["from itertools import count, islice, repeat"]
    for place, text in enumerate(TEXTS):
        body = [f"    {line}" for line in text.split("\n")]
        lines += [f"def f{place}(x, i, n, m, l):", *body, "    return x * 2, r"]
    file = tmp_path / "forms.py"
    file.write_text("\n".join(lines) + "\n")
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    replays, wrong = 0, []
    for place, text in enumerate(TEXTS):
        jitted = npcompile.jit(space[f"f{place}"])
        for n, m in NUMBERS[kind]:
            want, got = outcome(space[f"f{place}"], n, m), outcome(jitted, n, m)
            if want != got:
                wrong.append((text, n, m, got, want))
        replays += jitted.stats.replays
    assert not wrong
    assert replays > len(TEXTS) // 2
