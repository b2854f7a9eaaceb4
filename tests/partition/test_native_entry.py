"""The native runtime enters loops for values of the types that they were compiled for, and for no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops.run.exchange import Exchange
from tests.frontend.loops.jitted import assert_same, outcome

pytestmark = pytest.mark.usefixtures("native_runtime")


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the names of each entry that Python packs from now on."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    entries: list[dict[str, Any]] = []
    pack = Exchange.pack

    def noted(self: Exchange, names: dict[str, Any]) -> bytearray:
        entries.append(names)
        return pack(self, names)

    monkeypatch.setattr(Exchange, "pack", noted)
    return entries


SCALE = 3


def scaled(a: Any, n: Any, by: Any) -> Any:
    s = by
    for i in range(n):
        s = s * by + a[i] * SCALE
        a[i] = i
    return s, i


def matching(rows: Any, k: Any) -> Any:
    last = rows[0]
    for row in rows:
        for i in range(k):
            row[i] += row[i + 1] * 0.5
            if row[i] > 4:
                last = row
                break
    return last


def halved(n: Any) -> Any:
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    return steps, n


def root(parents: Any, x: Any) -> Any:
    while parents[x] != x:
        parents[x] = parents[parents[x]]
        x = parents[x]
    return x


def joined(parents: Any, edges: Any) -> Any:
    count = 0
    for i in range(edges.shape[0]):
        one, other = root(parents, edges[i, 0]), root(parents, edges[i, 1])
        if one != other:
            parents[one] = other
            count += 1
    return count


EDGES = np.array([[0, 1], [2, 3], [1, 2], [4, 5], [0, 3]])


def entered(function: Callable[..., Any], *args: Any) -> npcompile.Jitted:
    """Return the jitted function after calls at which native code was entered by Python and without."""
    jitted = npcompile.jit(function)
    for _ in range(4):
        jitted(*args)
        jitted.wait()
    return jitted


def check(jitted: npcompile.Jitted, *args: Any) -> None:
    """Assert that a call does what plain Python does."""
    (want, plain), (got, mine) = (outcome(function, args) for function in (jitted.__wrapped__, jitted))
    assert_same(got, want, "the answer")
    assert_same(mine, plain, "the arguments")


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (scaled, (np.arange(8.0), 8, 0.5)),
    (scaled, (np.arange(8, dtype=np.int16), 8, np.float32(1.5))),
    (scaled, (np.arange(8) * 1j, 8, True)),
    (scaled, (np.arange(8, dtype=np.complex64), 8, np.complex64(1j))),
    (scaled, (np.arange(8, dtype=np.uint8), np.int64(8), np.uint8(1))),
    (matching, (np.arange(12.0).reshape(3, 4), 1)),
    (halved, (1000,)),
    (joined, (np.arange(6), EDGES)),
]


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_python_packs_no_words_of_known_types(
    function: Callable[..., Any], args: tuple[Any, ...], packed: list[dict[str, Any]]
) -> None:
    jitted = entered(function, *args)
    entries = jitted.stats.loop_entries
    packed.clear()
    check(jitted, *args)
    assert packed == []
    assert jitted.stats.loop_entries == entries + 1


def test_python_ends_a_call_of_a_function_that_is_left_half_way(packed: list[dict[str, Any]]) -> None:
    jitted = entered(joined, np.arange(6), EDGES)
    packed.clear()
    check(jitted, np.arange(6), np.where(EDGES == 5, 6, EDGES))  # IndexError
    check(jitted, np.array([1, 2, 3, 9, 4, 5]), EDGES)  # IndexError
    assert packed == []


class Longer(np.ndarray):
    """An array of another class."""


class Number(float):
    """A number of another class."""


OTHERS: list[tuple[Any, Any, Any]] = [
    (np.arange(8.0, dtype=np.float32), 8, 0.5),
    (np.arange(16.0)[::2], 8, 0.5),
    (np.arange(8.0)[::-1], 8, 0.5),
    (np.arange(8.0).astype(">f8"), 8, 0.5),
    (np.arange(8.0).view(Longer), 8, 0.5),
    (np.arange(8.0), 0, 0.5),
    (np.arange(8.0), 9, 0.5),  # IndexError
    (np.arange(8.0), True, 0.5),
    (np.arange(8.0), 1 << 41, 0.5),
    (np.arange(8.0), 8, 2),
    (np.arange(8.0), 8, np.float64(0.5)),
    (np.arange(8.0), 8, Number(0.5)),
    (np.arange(8.0), 8, None),
    ([1.0] * 8, 8, 0.5),
]


def test_values_of_other_types_are_answered_as_by_python(packed: list[dict[str, Any]]) -> None:
    jitted = entered(scaled, np.arange(8.0), 8, 0.5)
    read_only = np.arange(8.0)
    read_only.flags.writeable = False
    for args in [*OTHERS, (read_only, 8, 0.5)]:
        check(jitted, *args)
        check(jitted, np.arange(8.0), 8, 0.5)


def test_a_global_that_changes_is_read_anew(
    packed: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = entered(scaled, np.arange(8.0), 8, 0.5)
    for scale in (4, 2.5, 1 << 70, np.float32(0.1)):
        monkeypatch.setitem(globals(), "SCALE", scale)
        check(jitted, np.arange(8.0), 8, 0.5)


def test_python_goes_on_where_native_code_leaves(packed: list[dict[str, Any]]) -> None:
    jitted = entered(scaled, np.arange(8.0), 8, 0.5)
    entries = jitted.stats.loop_entries
    packed.clear()
    check(jitted, np.arange(4.0), 8, 0.5)
    assert packed == []
    assert jitted.stats.loop_entries == entries + 1
