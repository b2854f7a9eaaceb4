"""Functions that are called with ever other signatures: what is looked at, kept, and left to NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.root_function import RootFunction
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.request import Request
from npcompile.runtime.shape_sharing import LOOKED_AT, MAX_FOUND_AGAIN, MAX_SIGNATURES
from npcompile.tiering.contest import CrowdedSignatures
from tests.checker import same

pytestmark = pytest.mark.usefixtures("native_runtime")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Calls that Python looks at as nothing that is known of their signature answers them."""
    counts: Counter[str] = Counter()

    def counting(self: RecordedFunction, request: Request) -> Any:
        counts[self.name] += 1
        return RecordedFunction._by_generic(self, request)

    for kind in (RootFunction, RecordedFunction):
        ways = [counting if way is RecordedFunction._by_generic else way for way in kind.ways]
        monkeypatch.setattr(kind, "ways", tuple(ways))
    yield counts


def of_text(x: np.ndarray, name: str) -> Any:
    return {name: x * 2 + 1}


def of_keys(x: dict[str, np.ndarray], name: str) -> Any:
    return {key: value * 2 for key, value in x.items()}, name


@pytest.mark.parametrize("fn", [of_text, of_keys])
def test_signatures_that_never_come_again_are_seldom_looked_at(fn: Any, looks: Counter[str]) -> None:
    jitted = npcompile.jit(fn, wait=True)
    calls = 20 * LOOKED_AT + MAX_SIGNATURES
    with pytest.warns(npcompile.NotCompiledWarning, match="more than 64 signatures"):
        for i in range(calls):
            x = np.arange(8.0) + i
            x = x if fn is of_text else {"a": x, f"b{i}": x[:3]}
            same(jitted(x, f"n{i}"), fn(x, f"n{i}"), where=f"call {i}")
    assert looks[fn.__name__] <= 2 * MAX_SIGNATURES + 20
    counts = jitted.stats
    assert (counts.calls, counts.plain_calls) == (calls, calls - counts.recordings)
    known = np.arange(8.0) if fn is of_text else {"a": np.arange(8.0), "b0": np.arange(3.0)}
    for _ in range(3):  # kept programs are replayed as ever
        same(jitted(known, "n0"), fn(known, "n0"))
    assert jitted.stats.replays == 3


def test_an_unknown_signature_that_stays_is_looked_at_in_the_end() -> None:
    jitted = npcompile.jit(of_text, wait=True)
    with pytest.warns(npcompile.NotCompiledWarning, match="more than 64 signatures"):
        for i in range(2 * MAX_SIGNATURES):
            jitted(np.arange(8.0), f"n{i}")
    assert jitted.npcompile_root().unlooked > 0
    jitted.npcompile_root().max_signatures *= 2  # there is room now
    for _ in range(2 * LOOKED_AT + 2):
        same(jitted(np.arange(9), "new"), of_text(np.arange(9), "new"))
    assert jitted.stats.replays > 0


def of_lengths(x: np.ndarray) -> Any:
    return np.sin(x) * x + np.cos(x)


def test_lengths_that_come_again_are_kept(monkeypatch: pytest.MonkeyPatch, looks: Counter[str]) -> None:
    monkeypatch.setattr(CrowdedSignatures, "is_numpys", lambda self, key: False)
    jitted = npcompile.jit(of_lengths, wait=True)
    lengths = range(1000, 1000 + 2 * MAX_SIGNATURES)
    for _ in range(8):
        for n in lengths:
            x = np.linspace(0, 1, n)
            same(jitted(x), of_lengths(x), ulp=4)
    assert len(jitted.npcompile_root().by_signature) == len(lengths)
    met = looks["of_lengths"]
    for n in lengths:
        jitted(np.linspace(0, 1, n))
    assert looks["of_lengths"] == met
    assert jitted.stats.programs <= 3


def test_of_very_many_lengths_the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CrowdedSignatures, "is_numpys", lambda self, key: False)
    jitted = npcompile.jit(of_lengths, wait=True)
    for n in range(1000, 1000 + 2 * MAX_FOUND_AGAIN):
        x = np.linspace(0, 1, n)
        same(jitted(x), of_lengths(x), ulp=4)
        assert len(jitted.npcompile_root().by_signature) <= MAX_FOUND_AGAIN + MAX_SIGNATURES
    assert len(jitted.npcompile_root().by_signature) >= MAX_FOUND_AGAIN // 2
    assert jitted.stats.programs <= 3


def of_shrinking(x: np.ndarray, trips: int) -> Any:
    sums = []
    for _ in range(trips):
        y = np.sin(x) * x + np.cos(x)
        sums.append(float(y.sum()))
        x = x[y < y.max() * 0.98]
    return sums


def test_a_program_that_answers_for_many_lengths_is_explained_once() -> None:
    jitted = npcompile.jit(of_shrinking, wait=True)
    x = np.random.default_rng(0).random(20000)
    for _ in range(4):
        same(jitted(x, 12), of_shrinking(x, 12), ulp=64)
    (block,) = [block for block in npcompile.explain(jitted, x, 12).blocks if block.programs]
    assert len(block.programs) == 3
    assert [program.others for program in block.programs] == [0, 0, 9]
    assert "has answered for 9 other lengths" in str(block)
