"""Tests native loops over containers with NaNs, which Python finds there by their identity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
NAN = float("nan")
# NaNs that are one object, and another one.
ITEMS = [1.5, NAN, 2.5, NAN, float("nan"), 3.5] * 6


@program(ITEMS)
def looked_for_in_their_list(xs):
    found = 0
    for x in xs:
        if x in xs:
            found += 1
    return found


@program(ITEMS)
def counted_and_placed(xs):
    found = 0
    for i in range(len(xs)):
        x = xs[i]
        found += xs.count(x) + xs.index(x)
    return found


@program(ITEMS)
def removed(xs):
    rest = xs[:]
    for x in xs:
        if x in rest:
            rest.remove(x)
    return rest


@program(ITEMS)
def copied(xs):
    ys = []
    for x in xs:
        ys.append(x)
    return ys == xs


@program(ITEMS)
def changing_places(xs):
    ys = list(xs)
    last = len(ys) - 1
    for i in range(len(ys) // 2):
        ys[i], ys[last - i] = ys[last - i], ys[i]
    return ys == xs[::-1], ys.index(xs[1])


@program(ITEMS)
def keys_of_a_dict(xs):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    total = 0
    for x in sorted(counts):
        total = total * 3 + counts[x]
        del counts[x]
    return total, len(counts)


@program({NAN: 1, 2.0: 3, float("nan"): 4}, 3)
def keys_that_are_given(counts, n):
    total = 0
    for _ in range(n):
        for key in counts:
            total += counts[key]
        for key in list(counts):
            counts[key] += 1
    return total


@program({1: NAN, 2: 1.0, 3: float("nan")}, [NAN, 2.0])
def values_of_a_dict(values, known):
    found = 0
    for key in values:
        value = values[key]
        if value in known:
            found += key
    return found


@program(ITEMS)
def members_of_a_set(xs):
    seen = set()
    first = []
    for x in xs:
        if x not in seen:
            seen.add(x)
            first.append(x)
    return len(seen), len(first)


@program([complex(NAN, 1), 2j, complex(1, NAN)] * 9, native=None)
@program([np.float16(NAN), np.float16(1)] * 9, native=None)
@program(np.array([NAN, 1, NAN] * 9, np.float16), native=None)
@program(np.array([complex(NAN, 1), 2j] * 9, np.complex64), native=None)
def keys_of_many_types(xs):
    counts = {}
    total = 0
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
        total += counts[x] + 100 * (x in counts)
    return total, len(counts)


@pytest.fixture(scope="module")
def called() -> dict[str, Any]:
    return program.called()


@pytest.mark.parametrize("name", program.cases)
def test_nans_stay_the_objects_that_they_are(name: str, called: dict[str, Any]) -> None:
    program.check(name, *called[name])
