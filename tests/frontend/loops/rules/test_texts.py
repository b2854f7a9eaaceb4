# ruff: noqa: F841 - the names that loops bind are compared
"""Texts in native loops: bytes, bytearray and str, their items, and characters."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_natively


def over_bytes(data, n):
    h, count, last = 0x811C9DC5, 0, -1
    for c in data:
        h = ((h ^ c) * 0x01000193) & 0xFFFFFFFF
        count += c in (10, 32, 9)
        last = data[count % len(data)] + data[-1]


def by_index(data, n):
    total = 0
    for i in range(len(data)):
        total += data[i] * i
        for j, c in enumerate(data):
            total += j * c
        for c, d in zip(data, data):  # noqa: B905
            total -= c & d
        if data:
            total += 1


@pytest.mark.parametrize("function", [over_bytes, by_index])
@pytest.mark.parametrize("data", [b"some text\n\x00\xff", bytearray(b"\xff\xfe 12")])
def test_bytes(function, data):
    check(function, data, 0)


def over_str(text, other):
    depth = digits = value = 0
    upper = lower = letters = spaces = 0
    h = 5381
    for ch in text:
        h = ((h << 5) + h + ord(ch)) & 0xFFFFFFFF
        if ch == "(" or ch in "[{":
            depth += 1
        elif ch in ")]}" and ch != "]":
            depth -= 1
        if "0" <= ch <= "9":
            digits += 1
            value = value * 10 + int(ch)
        if ch.isdigit() or ch.isalpha():
            letters += ch.isalnum()
        spaces += ch.isspace()
        upper += ch.isupper()
        lower += ch.islower() and ch.upper() < ch and ch.lower() == ch
        a = ch
        b = chr(ord(ch) + 1)
        c = ch == "ab" or ch in ("x", "y", "") or "z" > ch


def by_place(text, other):
    same = 0
    for i in range(len(text)):
        for j in range(len(other)):
            same += text[i] == other[-j]
        if text == other or text != "no" or other == "12":
            same += 100


@pytest.mark.parametrize("function", [over_str, by_place])
@pytest.mark.parametrize("text", ["f(a[1] + {b}) 42\n", "", "x", "Zz9 \t"])
def test_str(function, text):
    check(function, text, "12")


@pytest.mark.parametrize("text", ["ab\u00e9", "a\u0394\U0001f600"])
def test_other_characters(text):
    check(by_place, text, text[::-1])
    run = run_natively(over_str, text, "")
    assert not run.is_done and ord(run.names["ch"]) > 127


def beyond(text, n):
    for i in range(n):
        last = text[i]


@pytest.mark.parametrize("text", [b"abc", "abc", bytearray(b"abc")])
def test_an_index_out_of_bounds_leaves(text):
    run = run_natively(beyond, text, 9)
    assert not run.is_done and run.names["i"] == 3 and run.names["last"] == text[2]


def known(mode, n):
    total = 0
    for i in range(n):
        if mode == "square":
            total += i * i
        elif "one" == mode:
            total += 1
        elif "a" in "abc":
            total -= 1


@pytest.mark.parametrize("mode", ["square", "one", "other"])
def test_modes(mode):
    check(known, mode, 4)


def among_bytes(data, shift, n):
    count = 0
    for i in range(len(data)):
        if data[i] + shift in b",;\n":
            count += 1
        elif data[i] not in b"0123456789":
            count += 100


@pytest.mark.parametrize("shift", [0, 1, 10, True])
def test_bytes_among_others(shift):
    check(among_bytes, b"a,b;1\n22,3:", shift, 0)
    check(among_bytes, np.array([*b"a,b;1\n22,3:"], np.uint8), shift, 0)


def test_numbers_that_are_no_bytes_are_pythons():
    assert not run_natively(among_bytes, b"ab", 200, 0).is_done
    assert not run_natively(among_bytes, b"ab", -100, 0).is_done
