"""Characters are items of lists and deques, and keys and values of dicts and sets; known ones among them."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
LETTERS = list("abcxyz" * 20)


@program("([{}])" * 60)
@program("([{}])" * 60 + "(((")
@program("([{}])" * 60 + "(]")
@program("", native=None)
def brackets(text):
    stack, pairs, most = [], {")": "(", "]": "[", "}": "{"}, 0
    for ch in text:
        if ch in "([{":
            stack.append(ch)
        elif ch in pairs:
            if not stack or stack.pop() != pairs[ch]:
                return -1, stack
        most = max(most, len(stack))
    return most, stack


@program("(1+2)*3-4*(5+6*7)" + "-(8*9+1)*2" * 20)
@program("(1+2)*3-4*(5+6*7" * 3)
@program("1+2)" * 30)
def calculator(text):
    numbers, waiting, ranks, i = [], [], {"+": 1, "-": 1, "*": 2}, 0
    while i < len(text):
        ch = text[i]
        if ch.isdigit():
            numbers.append(int(ch))
        elif ch == "(":
            waiting.append(ch)
        else:
            while waiting and waiting[-1] != "(" and (ch == ")" or ranks[waiting[-1]] >= ranks[ch]):
                done = waiting.pop()
                last, first = numbers.pop(), numbers.pop()
                numbers.append(first + last if done == "+" else first - last if done == "-" else first * last)
            if ch == ")":
                waiting.pop()
            else:
                waiting.append(ch)
        i += 1
    return numbers, waiting


@program(LETTERS, 6)
@program([*LETTERS, "ab", "", b"c", None], 6)
@program(["ab"] * 40, 2, native=None)
def lists_that_are_given(items, n):
    found = 0
    for _ in range(n):
        for i in range(len(items)):
            if items[i] == "a":
                found += 1
            elif items[i] == "x" or items[i] == "z":
                items[i] = "a"
        items[0], items[-1] = items[-1], items[0]
    return found, items


@program("abbaccdqz" * 30)
@program("abé€😀x\ud800" * 30)
def keys_and_values(text):
    counts, seen, order, out = {"a": 0, "b": 0}, set(), deque(), []
    for ch in text:
        if ch in counts:
            counts[ch] += 1
        else:
            out.append(counts.setdefault(ch, 5))
        if ch not in seen:
            seen.add(ch)
            order.append(ch)
        if "z" in counts:
            counts["z"] += 2
        if "q" in seen:
            seen.discard("q")
        order.appendleft("!")
        if len(order) > 5:
            order.pop()
        out.append(counts.get("a", 7) + counts.get("%", 9))
        out.append(counts.pop("b", -1))
    return counts, len(seen), order, out


@program("abbaccdqz" * 30)
def items_of_two_kinds(text):
    out = ["#"]
    for ch in text:
        out.append(1 if ch == "a" else ch)
        out.insert(0, "^")
        if len(out) > 9:
            del out[2]
    return out


@pytest.mark.parametrize("name", list(program.cases))
def test_characters_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
