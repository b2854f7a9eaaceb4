"""Dicts and sets that loops make and fill are tables of native code until Python may look at them.

Values, types, order, exceptions and changes are compared.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.open_container_code import open_types
from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import begin, check, run_natively

program = Programs()
NAN = float("nan")
LARGE = [0, 1, -1, -2, 2**61 - 1, 2**61, -(2**61) + 1, 2**62, -(2**62), 2**63 - 1, -(2**63)]


@program([3, 9, 2, 7, 11, -1, -2, 9, 3], 3)
@program(LARGE, 2)
@program([], 3)
def counted(keys, n):
    for _ in range(n):
        counts = {}
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
        for key in keys:
            counts[key] += 300
    return counts, list(counts.items())


@program([k * 7919 % 1009 - 500 for k in range(600)], 2)
def removed_and_stored_again(keys, n):
    total = 0
    for step in range(1, n + 1):
        table = {}
        for key in keys:
            if key in table and key % 3 == 0:
                del table[key]
            elif len(table) > 40 * step:
                table.pop(key, 0)
                table[key] = -step
                total += len(table)
            else:
                table.setdefault(key, step)
            if key % 211 == 0:
                table.clear()
                table[key] = 1
    return table, list(table), total


@program([(1, 2), (2, 1), (-1, -2), (1, 2), (0, 0)], 2)
def keys_of_two_ints(pairs, n):
    for k in range(n):
        seen = {}
        for a, b in pairs:
            if (a, b) not in seen:
                seen[a, b] = (a + k, 0.5 * b)
            x, y = seen[a, b]
            seen[b, a] = (x + 1, y)
    return seen


@program([1, 2, 3], 2)
def loop_over_keys(keys, n):
    out = []
    for k in range(n):
        table = {}
        for key in keys:
            table[key * 7] = k
        for key in table:
            out.append(key)
            table[key] += 2
        for key, value in table.items():
            out.append(key - value)
        for value in table.values():
            out.append(value)
        table[-5] = 5
        out.append(len(table))
    return out, table


@program(3)
def keys_that_change_in_a_loop(n):
    for k in range(n):
        table = {}
        for key in range(5):
            table[key] = k
        for key in table:
            table[key + 10] = 1
    return table


@program([1, 5, 1], 7, native=None)
@program([], 7, native=None)
def missing_key(keys, missing):
    for _ in range(2):
        table = {}
        for key in keys:
            table[key] = key
        table[missing] = table[missing] + 1
    return table


@program([1, 5, 1], 7, native=None)
def missing_key_that_is_handled(keys, missing):
    found = 0
    for k in range(4):
        table = {}
        for key in keys:
            table[key] = k
        try:
            found += table[missing - 2 * (k % 2)]
        except KeyError:
            found -= 10
        table[3] = found
    return found, table


@program(np.arange(6) % 4, 3)
def numpys_keys(keys, n):
    for k in range(n):
        table = {}
        for key in range(4):
            table[key] = k
        for key in keys:
            table[key] = table[key] + 1
        table[True] = 7
        table[2.0] = 8
    return [(type(key), key, value) for key, value in table.items()]


@program([0.5, NAN, -0.0], 2)
def float_values(values, n):
    for k in range(n):
        table = {}
        for place, value in enumerate(values):
            table[place * k] = value
            table[-place] = value * 2
    return [(key, str(value)) for key, value in table.items()]


@program(4)
def two_names_of_one(n):
    for k in range(n):
        table = {}
        other = table
        for key in range(k + 2):
            table[key] = k
            other[key + 1] = other[key] * 2
        if len(table) != len(other):
            return "apart"
    return table is other, table


@program([5, 3, 0, 2], native=None)
def left_half_way(values):
    for _ in range(2):
        table = {}
        seen = set()
        for x in values:
            table[x] = 1
            seen.add(x)
            table[10 // x] = 2
    return table, seen


@program([3, 4, 4], 3)
def dicts_within_a_list(keys, n):
    kept = []
    for k in range(n):
        table = {}
        for key in keys:
            table[key + k] = k
        kept.append(len(table))
    defaults = defaultdict(int)
    for key in keys:
        defaults[key] += 1
    return kept, defaults


@program([k * k * 2654435761 % 100003 - 50000 for k in range(500)], 2)
@program(LARGE, 2)
@program([], 2)
def sets_keep_pythons_order(items, n):
    double = 0
    for _ in range(n):
        seen = set()
        for item in items:
            if item in seen:
                double += 1
            seen.add(item)
        double += len(seen)
    return double, list(seen)


@program([k * k * 31 % 257 for k in range(200)], 2)
def items_that_are_discarded(items, n):
    for _ in range(n):
        seen = {1, 2}
        for item in items:
            seen.add(item)
            if item % 5 == 0:
                seen.discard(item - 4)
    return list(seen), len(seen)


@program([(1, 2), (2, 1), (1, 2)], 2)
def sets_of_tuples(items, n):
    for k in range(n):
        seen = set()
        for a, b in items:
            seen.add((a, b))
            if (b, a) in seen:
                seen.add((a + k, -b))
    return list(seen)


def filled(table, n):
    for k in range(n):
        table[k * k % 11] = k
    return len(table)


@program(3)
def filled_by_a_function(n):
    total = 0
    for k in range(n):
        table = {}
        total += filled(table, k + 9)
        table[100] = total
    return total, table


@pytest.mark.parametrize("name", [*program.cases])
def test_containers_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


def test_tables_are_found_as_they_are_where_native_code_leaves() -> None:
    names = run_natively(left_half_way, [5, 3, 0, 2]).names
    assert list(names["table"].items()) == [(5, 1), (2, 2), (3, 2), (0, 1)]
    assert names["seen"] == {5, 3, 0} and names["x"] == 0


def pairs_of(keys, n):
    found = 0
    for _ in range(n):
        table = {}
        for place, key in enumerate(keys):
            if n - key in table:
                found += table[n - key]
            table[key] = place
    return found


def test_dicts_of_ints_that_loops_make_are_open() -> None:
    assert "dict[int, int]" in [str(kind) for kind in open_types(begin(pairs_of, [1, 2], 3).loop.region)]


def test_no_reference_to_a_dict_is_left() -> None:
    table = check(pairs_of, [1, 2, 5, 300], 4).names["table"]
    assert table == {1: 0, 2: 1, 5: 2, 300: 3}
    assert sys.getrefcount(table) == 2
