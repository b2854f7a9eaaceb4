"""Of what a call gives, or is given, that holds many things no more are followed than are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.graph.builder_reads import MAX_GIVEN, ReadBuilder
from npcompile.frontend.program import signature
from npcompile.runtime.growing_arguments import MANY
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
LENGTHS = (1000, 4000, 16000)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def counted(x: np.ndarray, text: str) -> Any:
    y = x * 2
    found = json.loads(text)
    return y + len(found)


def item_of(x: np.ndarray, text: str) -> Any:
    found = json.loads(text)
    return np.sqrt(x) * len(str(found)), found


def items_in_loop(x: np.ndarray, text: str) -> Any:
    total = x * 0
    for item in json.loads(text):
        total = total + len(str(item))
    return total


GIVEN: dict[str, Callable[[int], Any]] = {
    "a list": lambda n: [k / 2 for k in range(n)],
    "a dict": lambda n: {str(k): k for k in range(n)},
    "lists in a list": lambda n: [[k, k + 0.5] for k in range(n // 2)],
    "a list of a few lists": lambda n: [list(range(n // 4))] * 4,
}


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("fn", [counted, item_of, items_in_loop])
def test_what_a_call_gives(fn: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values and lengths are others at each call; those that are followed do not grow with them."""
    typed, seen = ReadBuilder.typed, [0]

    def counting(*args: Any) -> None:
        seen[0] += 1
        typed(*args)

    monkeypatch.setattr(ReadBuilder, "typed", counting)
    jitted = npcompile.jit(fn)
    x = np.arange(4.0)
    counts = []
    for n in (*LENGTHS, 3, 1000, 1001):
        seen[0] = 0
        text = json.dumps(GIVEN[kind](n))
        for k in range(3):
            same(jitted(x + k, text), fn(x + k, text))
        counts.append(seen[0])
    assert max(counts) <= 3 * MAX_GIVEN, counts


def scaled(x: np.ndarray, many: Any) -> Any:
    return x * many[3] + len(many), many[-1]


def with_rest(x: np.ndarray, *many: Any) -> Any:
    return x * many[3] + len(many), many[-1]


def test_a_long_tuple_among_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    key_of, seen = signature.key_of, [0]

    def counting(value: Any, leaves: list[Any]) -> Any:
        seen[0] += 1
        return key_of(value, leaves)

    monkeypatch.setattr(signature, "key_of", counting)
    monkeypatch.setattr("npcompile.runtime.growing_arguments.key_of", counting)
    monkeypatch.setattr("npcompile.runtime.function.key_of", counting)
    jitted, rest = npcompile.jit(scaled), npcompile.jit(with_rest)
    x, last = np.arange(4.0), 1234.5
    for n in (*LENGTHS, 5, MANY + 1, MANY):
        many = (*(k / 2 for k in range(n)), last)
        seen[0] = 0
        for k in range(3):
            got, wanted = jitted(x + k, many), scaled(x + k, many)
            same(got, wanted)
            assert got[1] is last
        assert seen[0] <= 20 or n <= MANY, (n, seen)
        same(rest(x, *many[-100:]), with_rest(x, *many[-100:]))
    assert jitted.stats.replays >= 3 * len(LENGTHS)  # its items are read one by one
