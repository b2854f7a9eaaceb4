"""Loops over Python's dicts and sets become native, and do with them what Python does.

Values, types, order, identity, exceptions and changes are compared. All programs are called in rounds, so
that the loops of one round are compiled together.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import outcome
from tests.frontend.loops.native import check, run_natively
from tests.frontend.loops.rules import set_programs
from tests.frontend.loops.rules.dict_programs import augmented_key_is_evaluated_once, program
from tests.loops.random_check import compile_loops_alone

assert set_programs  # importing it has registered its programs


def described(value: Any) -> Any:
    """Return a value with all that counts of it: types, the order of dicts, and the bits of floats."""
    kind = type(value)
    if isinstance(value, dict):
        factory = getattr(value, "default_factory", None)
        return kind, factory, [(described(key), described(one)) for key, one in value.items()]
    if isinstance(value, list | tuple):
        places = {}
        same = [places.setdefault(id(one), place) for place, one in enumerate(value)]
        return kind, [described(one) for one in value], same if _holds_objects(value) else None
    if isinstance(value, set):
        return kind, [described(one) for one in value]
    if isinstance(value, np.ndarray):
        return kind, value.dtype, value.tolist()
    return kind, repr(value)


def _holds_objects(values: Any) -> bool:
    return any(isinstance(one, list | dict | set) for one in values)


@pytest.mark.parametrize("name", list(program.cases))
def test_dicts_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    function, args, native = program.cases[name]
    mine, outcomes = jitted[name]
    want, plain = outcome(function, args)
    for call, (got, given) in enumerate(outcomes):
        assert described(got) == described(want), f"call {call + 1}"
        assert described(given) == described(plain), f"the arguments of call {call + 1}"
    assert native is None or (mine.stats.loop_entries > 0) == native, mine.stats


def test_a_key_is_evaluated_once_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    assert check(augmented_key_is_evaluated_once, 6).loop.refusal is None


def test_native_code_gives_its_references_back(
    jitted: dict[str, tuple[Any, list[Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_loops_alone(monkeypatch)  # with the flags that the function was compiled with
    function, _ = jitted["lists_as_values"]
    adj: dict[int, list[int]] = {1: [1, 2], 2: [], 3: [5]}
    rows = [*adj.values()]
    counts = [sys.getrefcount(one) for one in (adj, *rows)]
    entries = function.stats.loop_entries
    for _ in range(20):
        function(adj)
    assert function.stats.loop_entries > entries
    assert [sys.getrefcount(one) for one in (adj, *rows)] == counts


def items_with_tuples_as_keys(given, cells, n):
    total = 0
    counts = given.copy()
    for _ in range(n):
        for key, count in counts.items():
            if count == 3 or (count == 2 and key in cells):
                total += key[0] * key[1]
        for x, y in cells:
            counts[x, y + 1] = counts.get((x, y + 1), 0) + 1


def test_items_with_tuples_as_keys_are_native() -> None:
    check(items_with_tuples_as_keys, {(0, 1): 3, (4, 5): 2, (2, 2): 2}, {(4, 5), (7, -8)}, 3)


def items_with_nans_as_keys(counts, n):
    total = 0.0
    for _ in range(n):
        for key, count in counts.items():
            total += key[0] * count


def test_nans_within_tuples_are_pythons() -> None:
    assert not run_natively(items_with_nans_as_keys, {(1.0, 2): 1, (float("nan"), 1): 2}, 2).is_done
    assert not run_natively(
        items_with_nans_as_keys, {(True, 2, 1.0): 1, (False, 1, float("nan")): 2}, 2
    ).is_done
