"""Ints that fit into 16 or 32 bits: operations on them are done with as many where trips cannot leave."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.loops import ir
from tests.frontend.loops.native import begin, check


def sums(x: Any, y: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i, 0] = int(x[i]) + int(y[i])
        out[i, 1] = int(x[i]) - int(y[i])
        out[i, 2] = int(x[i]) * int(y[i])
        out[i, 3] = abs(int(x[i]) - int(y[i]))
        out[i, 4] = 3 * int(x[i]) - 2 * int(y[i]) + 7


def quotients(x: Any, y: Any, out: Any) -> None:
    for i in range(len(x)):
        a, b = int(x[i]), int(y[i])
        if a >= 0 and b > 0:
            out[i, 0] = a // b
            out[i, 1] = a % b
        out[i, 2] = a // 7
        out[i, 3] = a % 7
        out[i, 4] = (a % 100) // 9


def carried(x: Any, y: Any, out: Any) -> None:
    for k in range(2):
        a, b = 1, 0
        for i in range(len(x)):
            a = (a + int(x[i])) % 255
            b = (b + a * int(y[i])) % 65521
            out[i, k] = a * 65536 + b


def wrapping(x: Any, y: Any, out: Any) -> None:
    h = 0
    for i in range(len(x)):
        h = (h * 31 + int(x[i]) * int(y[i]) - (int(x[i]) + 5)) & 0xFFFFFFFFFFFF
        out[i, 0] = h
        out[i, 1] = ((int(x[i]) << 56) + int(y[i]) - 3) & 0x7FFFFFFFFFFFFFFF


def numbers(code: str) -> tuple[Any, Any]:
    """Return all pairs of the numbers of a dtype at which a result needs one bit more."""
    ends = np.iinfo(code)
    found = {int(ends.min), int(ends.min) + 1, -1, 0, 1, 2, 7, int(ends.max) - 1, int(ends.max)}
    for power in (7, 8, 15, 16, 31, 32):
        found |= {sign * (1 << power) + by for sign in (-1, 1) for by in (-1, 0, 1)}
    kept = np.array(sorted(one for one in found if ends.min <= one <= ends.max), dtype=code)
    first, second = np.meshgrid(kept, kept)
    return first.ravel(), second.ravel()


@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2", "i4", "u4"])
@pytest.mark.parametrize("function", [sums, quotients, carried, wrapping])
def test_numbers_at_the_ends(function: Callable[..., Any], code: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    x, y = numbers(code)
    if function is sums and code == "u4":  # products of these may be beyond 64 signed bits
        x, y = x % np.uint32(1 << 31), y % np.uint32(1 << 31)
    check(function, x, y, np.zeros((len(x), 5), dtype=np.int64))


def bits_of(function: Callable[..., Any], code: str) -> dict[type[ast.AST] | None, set[int]]:
    """Return how many bits do for the operations on ints of a loop, by operator; 0: more than 32."""
    region = begin(function, *numbers(code), np.zeros((400, 5), dtype=np.int64)).loop.region
    found: dict[type[ast.AST] | None, set[int]] = {}
    pending = [
        one
        for block in region.blocks
        for step in block.steps
        for one in ir.expressions_of(step)
        if not isinstance(step, ir.BeginRange)
    ]
    while pending:
        node = pending.pop()
        pending += ir.parts_of(node) if not isinstance(node, ir.Item) else ()
        if isinstance(node, ir.Apply) and len(node.operands) == 2:
            found.setdefault(node.operator, set()).add(region.narrow.get(node, 0))
    return found


def test_bits() -> None:
    assert bits_of(sums, "i1") == {ast.Add: {16}, ast.Sub: {16}, ast.Mult: {16}}
    assert bits_of(sums, "u1") == {ast.Add: {16}, ast.Sub: {16}, ast.Mult: {16, 32}}
    assert bits_of(sums, "i2") == {ast.Add: {32}, ast.Sub: {32}, ast.Mult: {32}}
    assert bits_of(sums, "i4") == {ast.Add: {0}, ast.Sub: {0}, ast.Mult: {0}}
    assert bits_of(carried, "u1") == {ast.Add: {16, 32}, ast.Mult: {32}, ast.Mod: {32}}


def blurred(image: Any, out: Any) -> None:
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            s = 0
            for k in range(-1, 2):
                s += int(image[i + k, j]) + int(image[i, j + k])
            out[i, j] = s // 6


def test_a_window_of_bytes_is_vectorised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.delenv("NPCOMPILE_OPTIMIZE_LOOPS", raising=False)
    image = (np.arange(900).reshape(30, 30) * 7919).astype(np.uint8)
    jitted, mine, plain = npcompile.jit(blurred, wait=True), np.zeros_like(image), np.zeros_like(image)
    (loop,) = npcompile.explain(jitted, image, mine).loops
    blurred(image, plain)
    np.testing.assert_array_equal(mine, plain)
    assert loop.vectorised


def parsed(x: Any, y: Any, out: Any) -> None:
    v = 0
    for i in range(len(x)):
        v = v * 10 + (int(x[i]) - 48)  # it may be beyond 64 bits
        out[i, 0] = v
        if i % 9 == 8:
            v = 0


def test_few_bits_are_for_trips_that_cannot_leave() -> None:
    names = ("npl::narrow_add<16>", "npl::narrow_subtract<16>", "npl::narrow_multiply<16>")
    text = begin(sums, *numbers("i1"), np.zeros((400, 5), np.int64)).loop.source.text
    assert all(name in text for name in names)
    text = begin(parsed, *numbers("i1"), np.zeros((400, 5), np.int64)).loop.source.text
    assert "npl::narrow_subtract" not in text
    check(parsed, *numbers("u1"), np.zeros((400, 5), np.int64))
