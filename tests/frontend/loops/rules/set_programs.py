"""Programs of sets, loops over dicts, texts and what is left to Python, for `test_dicts.py`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from tests.frontend.loops.rules.dict_programs import program

# -- sets --------------------------------------------------------------------------------------------------


@program([3, 1, 3, 300, 300, -1, -2, 1])
@program([2.5, 1.0, 2.5])
@program([(1, 2), (2, 1), (1, 2)])
def first_twice(xs):
    seen, twice = set(), []
    for i in range(len(xs)):
        if xs[i] in seen:
            twice.append(xs[i])
        seen.add(xs[i])
    return seen, twice


@program({1, 2, 3}, [2, 9, 2])
def discards(s, xs):
    for i in range(len(xs)):
        s.discard(xs[i])
        s.add(xs[i] + 100)
    return s, len(s)


@program({1, 2, 3}, [2, 3])
@program({1, 2, 3}, [2, 3, 2, 1])
def removes(s, xs):
    for i in range(len(xs)):
        s.remove(xs[i])
    return s


@program(np.array([[0, 0, 1], [1, 0, 1], [0, 0, 0]]))
def flood_with_a_set(grid):
    seen, stack = {(0, 0)}, [(0, 0)]
    while stack:
        i, j = stack.pop()
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            y, x = i + di, j + dj
            if 0 <= y < grid.shape[0] and 0 <= x < grid.shape[1]:
                if not grid[y, x] and (y, x) not in seen:
                    seen.add((y, x))
                    stack.append((y, x))
    return seen


@program(200)
def happy_numbers(n):
    happy = 0
    for i in range(1, n):
        at, seen = i, set()
        while at != 1 and at not in seen:
            seen.add(at)
            rest, at = at, 0
            while rest:
                at += (rest % 10) ** 2
                rest //= 10
        happy += at == 1
    return happy


@program([5, 1, 5, 2], {9: 1, 4: 2})
def sets_and_lists_of_others(xs, d):
    out = []
    for i in range(2):
        s = set(xs)
        s.add(i)
        t = s.copy()
        t.add(100)
        keys = list(d)
        keys.append(len(s) + len(t))
        out.append(keys)
        e = d.copy()
        e[i] = 5
        f = dict(e)
        f[50] = i
        d[i + 10] = len(e)
    return out, s, t, d, e, f


# -- loops over dicts and sets -----------------------------------------------------------------------------


@program({3: 1, 1: 2, 2: 5}, 2)
@program({}, 2)
def over_keys_values_and_items(d, n):
    out = []
    for i in range(n):
        for k in d:
            out.append(k + i)
        for k in d.keys():
            out.append(k * 2)
        for v in d.values():
            out.append(v)
        for k, v in d.items():
            out.append(k * v)
        for k, (key, v) in enumerate(d.items()):
            out.append(k + key + v)
    return out


@program({i * 7 % 301: i / 4 for i in range(300)})
@program({}, native=None)
def over_items(d):
    total, last = 0.0, None
    for k, v in d.items():
        total += k * v
        last = k
    return total, last


@program({i * 7 % 301 for i in range(300)})
@program(set(), native=None)
def over_a_set(s):
    total = 0
    for v in s:
        total = (total * 3 + v) % 1000003
    return total


@program({1: 10, 2: 20, 3: 30}, 2)
def over_a_dict_that_grows(d, n):
    seen = []
    for i in range(n):
        for k in d:
            seen.append(k)
            if k == 2:
                d[100 + i] = 5
    return seen


@program({1: 10, 2: 20, 3: 30})
def over_a_dict_that_shrinks(d):
    for k in d:
        if k == 2:
            d.pop(1)
    return d


@program({1: 10, 2: 20, 3: 30}, 1)
def over_a_dict_with_other_keys(d, n):
    seen = []
    for _ in range(n):
        for k in d:
            seen.append(k)
            del d[k]
            d[k + 10] = 5
    return seen


@program({1, 2, 3})
def over_a_set_that_grows(s):
    for v in s:
        s.add(v + 1000)
    return s


@program({1: 10, 2.5: 20, 3: 30}, 2)
@program({1: 10, 2: 2.5, 3: 30}, 2)
@program({1: 10, 1 << 70: 20, 3: 30}, 2)
def keys_and_values_of_several_types(d, n):
    out = []
    for i in range(n):
        for k, v in d.items():
            out.append(k * v + i)
    return out


@program({1: [1, 2], 2: [], 3: [5]})
@program({1: [], 2: []})
def lists_as_values(adj):
    total = 0
    for u, row in adj.items():
        for v in row:
            total += u * v
        row.append(total)
        adj[u].append(-1)
    return total, adj


@program({1: {2: 3}, 2: {}}, 3)
def dicts_of_dicts(d, n):
    for i in range(n):
        d[1][i] = i
        d[2][i] = d[1].get(i + 1, 0)
        d[i + 5] = {i: 1}
        d[i + 5][9] = 2
    return d


# -- aliases -----------------------------------------------------------------------------------------------


@program({1: 1}, 4)
def two_names(d, n):
    e = d
    for i in range(n):
        e[i] = d[1] + i
    return d, e, d is e


@program(4)
def dicts_made_in_some_trips(n):
    kept, d = [], {}
    for i in range(n):
        if i % 2:
            d = {}
        d[i] = i
        kept.append(len(d))
    return kept, d


# -- membership --------------------------------------------------------------------------------------------


@program([5, 1, 7], 9)
@program([5.0, True, 7], 9)
@program([2.5, 1.0], 3)
@program([], 3)
def in_a_list(xs, n):
    found = []
    for i in range(n):
        if i in xs:
            found.append(i)
        if i * 1.0 not in xs:
            found.append(-i)
    return found


@program([(1, 2), (2, 2)], 4)
def pairs_in_a_list(xs, n):
    found = 0
    for i in range(n):
        if (i, 2) in xs:
            found += i
    return found


# -- texts -------------------------------------------------------------------------------------------------


@program("hello world, hello" * 30)
@program("", native=None)
@program("äöä€€𝄞𝄞", native=None)
def counts_of_characters(text):
    counts = {}
    for ch in text:
        counts[ch] = counts.get(ch, 0) + 1
    return counts


@program("mcmxciv")
def roman(text):
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    total = 0
    for i in range(len(text)):
        if i + 1 < len(text) and values[text[i]] < values[text[i + 1]]:
            total -= values[text[i]]
        else:
            total += values[text[i]]
    return total


@program("abcabcbb")
def longest_without_repetition(text):
    last, start, best = {}, 0, 0
    for i in range(len(text)):
        ch = text[i]
        if ch in last and last[ch] >= start:
            start = last[ch] + 1
        last[ch] = i
        best = max(best, i - start + 1)
    return best, last


# -- Python answers where native code has no answer --------------------------------------------------------


@program({1: 10}, [1, 7, 1])
@program({1: 10}, [1, 1])
def key_error(d, xs):
    out = []
    for i in range(len(xs)):
        d[100 + i] = i
        out.append(d[xs[i]])
    return out


@program({1: 10}, [1, 7, 1])
def key_error_that_is_caught(d, xs):
    out, i = [], -1
    try:
        for i in range(len(xs)):
            out.append(d[xs[i]])
    except KeyError as error:
        return error.args, i, out
    return out


@program([float("nan"), 1.0, float("nan")], 2, native=None)
def nan_is_found_by_identity(xs, n):
    d = {xs[0]: 1.0}
    for _ in range(n):
        if xs[0] in d:
            d[xs[0]] += 2.0
        if xs[2] in d:
            d[xs[2]] = 5.0
    return d


@program([1, "two", (3,), None])
def other_keys_are_pythons(xs):
    d = {}
    for i in range(len(xs)):
        d[xs[i]] = i
    return d


@program({"a": [1, "x"], "b": None}, 3, native=None)
def other_dicts_are_pythons(d, n):
    total = 0
    for i in range(n):
        if "a" in d:
            total += i
    return total


@program(OrderedDict({1: 2}), 3, native=None)
def other_classes_are_pythons(d, n):
    for i in range(n):
        d[i] = i
    return d


class Loud(dict):  # type: ignore[type-arg]
    """A dict that answers for keys that it lacks."""

    def __missing__(self, key: Any) -> Any:
        return key * 100


@program(Loud({1: 2}), 3, native=None)
def users_classes_are_pythons(d, n):
    total = 0
    for i in range(n):
        total += d[i]
    return total
