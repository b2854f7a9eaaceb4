"""Strs of any length are items of lists, keys and values of dicts, and are compared, split and joined."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
RANDOM = np.random.default_rng(4)
SOME = ["the", "of", "a", "to", "in", "is", "x", "yy", "naïve", "日本", "", "it_is", "\ud800b"]
WORDS = RANDOM.choice(SOME, 60).tolist()
OTHERS = RANDOM.choice(SOME, 60).tolist()
GRAPH = {one: {other: int(RANDOM.integers(1, 9)) for other in SOME if RANDOM.random() < 0.4} for one in SOME}
LINES = [f"{n},{x:.3f},{w}" for n, x, w in zip(range(40), RANDOM.random(40), WORDS, strict=False)]


@program(WORDS)
@program(WORDS * 20)
@program(["a", *WORDS, "a"])
@program([*WORDS, 5, *WORDS], native=None)
def counted(words):
    counts, best = {}, None
    for i in range(len(words)):
        if words[i] in counts:
            counts[words[i]] += 1
        else:
            counts[words[i]] = 1
    for word, count in counts.items():
        if best is None or count > counts[best]:
            best = word
    return counts, best


@program("".join(RANDOM.choice(list("ACGTN"), 400).tolist()), 3)
@program("né日本", 2)
@program("", 2, native=None)
def parts(text, k):
    counts, bad, ends = {}, 0, []
    for i in range(len(text) - k + 1):
        part = text[i : i + k]
        if "N" in part:
            bad += 1
            continue
        counts[part] = counts.get(part, 0) + 1
        ends.append(part[1:])
        ends.append(part[-1:])
        ends.append(part[5:1])
        ends.append(part[-9:-1])
    return counts, bad, ends


@program(WORDS, OTHERS)
def compared(ours, theirs):
    n, last, longest, seen, out = 0, "", "", set(), []
    for i in range(len(ours)):
        one, other = ours[i], theirs[i]
        n += (one == other) + 10 * (one < other) + 100 * (one != "the") + 1000 * (one in ("of", "yy", "-"))
        if one >= last:
            out.append(one)
        if len(one) > len(longest):
            longest = one
        if one and one[0] == "t" and one[-1:] == "e":
            n += 7
        if one == 1 or one is None or one == "":
            n += 5
        if one not in seen:
            seen.add(one)
        out.append(other)
        last = one
    return n, last, longest, sorted(seen), out


@program(WORDS)
def joined(words):
    out, kinds, s = [], {"the": 1, "other words!": 2}, ""
    for i in range(len(words)):
        double = words[i] + "_" + words[i]
        if len(s) < 40:
            s = s + words[i]
        kinds[words[i]] = len(double)
        kinds[double] = kinds["other words!"]
        out.append((double, len(double), "kind"))
    return out, kinds, s


@program(GRAPH, "the")
def shortest(graph, start):
    distance, previous, heap, done = {start: 0}, {start: None}, [(0, start)], set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v, w in graph[u].items():
            if v not in distance or d + w < distance[v]:
                distance[v], previous[v] = d + w, u
                heapq.heappush(heap, (d + w, v))
    return distance, previous


@program(LINES)
@program([*LINES, "99999999999999999999,nan,"])
@program([*LINES, "bad,line"])
def parsed(lines):
    total, by_name, rows = 0.0, {}, []
    for i in range(len(lines)):
        fields = lines[i].split(",")
        n, x, name = int(fields[0]), float(fields[1]), fields[2]
        total += n * x
        by_name[name] = by_name.get(name, 0.0) + x
        rows.append((n, x, name))
        for word in lines[i].split():
            rows.append((len(word), x, word + "!"))
    return total, by_name, rows


@program("12+(34*5)- 7")
def tokens(text):
    out, i = [], 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
            continue
        if c.isdigit():
            v = 0
            while i < len(text) and text[i].isdigit():
                v = v * 10 + int(text[i])
                i += 1
            out.append(("number", v))
        else:
            out.append(("operator", c))
            i += 1
    return out


@program({"rate": 0.5, "n": 3, "name": 1.0}, WORDS)
def both_uses(table, words):
    total = 0
    for i in range(len(words)):
        table["rate"] *= 1.01
        total += table["n"]
        if words[i] in table:
            total += 1
        table[words[i]] = total
    return total, table


def ordered(one, other):
    return one + other if one < other else other + one


@program(WORDS)
def by_a_helper(words):
    places, total = {}, 0
    for i in range(1, len(words)):
        both = ordered(words[i], words[i - 1])
        total += len(both)
        places[both] = i
        places[words[i], words[i - 1]] = i
    return places, total


@program({"the": 0}, WORDS)
def python_raises(table, words):
    for i in range(len(words)):
        words[i] = "seen" + words[i]
        table[words[i]] += i
    return table


@pytest.mark.parametrize("name", program.cases)
def test_strs_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
