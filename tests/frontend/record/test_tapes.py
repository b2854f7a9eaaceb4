"""Reverse differentiation over a tape: objects told apart by `id`, tapes that are longer than other loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


class Node:
    __slots__ = ("back", "before", "grad", "value")

    def __init__(self, value: Any, before: tuple[Any, ...] = (), back: Any = None) -> None:
        self.value, self.before, self.back, self.grad = value, before, back, None

    def __mul__(self, other: Node) -> Node:
        return Node(self.value * other.value, (self, other), lambda g: (g * other.value, g * self.value))

    def __add__(self, other: Node) -> Node:
        return Node(self.value + other.value, (self, other), lambda g: (g, g))

    def sin(self) -> Node:
        return Node(np.sin(self.value), (self,), lambda g: (g * np.cos(self.value),))


def backward(end: Node) -> int:
    order: list[Node] = []
    seen = set()

    def visit(node: Node) -> None:
        if id(node) not in seen:
            seen.add(id(node))
            for part in node.before:
                visit(part)
            order.append(node)

    visit(end)
    for node in order:
        node.grad = None
    end.grad = np.ones_like(end.value)
    for node in reversed(order):
        if node.back is not None:
            for part, grad in zip(node.before, node.back(node.grad), strict=True):
                part.grad = grad if part.grad is None else part.grad + grad
    return len(order)


def forward(a: Node, b: Node, links: int) -> Node:
    end = a * b
    for _ in range(links):
        end = (end * a + b).sin()
    return end


def step(a: Node, b: Node, links: int) -> Any:
    end = forward(a, b, links)
    length = backward(end)
    a.value = a.value - 0.1 * a.grad
    return end.value, length


@pytest.mark.parametrize("links", [3, 20])
def test_a_step_is_one_program(links: int) -> None:
    jitted = npcompile.jit(step)
    mine = Node(np.arange(1.0, 4.0) / 4), Node(np.ones(3))
    theirs = Node(np.arange(1.0, 4.0) / 4), Node(np.ones(3))
    for _ in range(4):
        same(jitted(*mine, links), step(*theirs, links))
        for one, other in zip(mine, theirs, strict=True):
            same((one.value, one.grad), (other.value, other.grad))
    assert jitted.stats.recordings == 1 and jitted.stats.replays == 3


def test_objects_that_become_one() -> None:
    jitted = npcompile.jit(step)
    one, other = (Node(np.arange(1.0, 4.0) / 4) for _ in range(2))
    for once in (False, False, True, True, False):
        mine, theirs = Node(np.arange(2.0, 5.0) / 9), Node(np.arange(2.0, 5.0) / 9)
        same(jitted(one, one if once else mine, 2), step(other, other if once else theirs, 2))
        same((one.value, one.grad, mine.grad), (other.value, other.grad, theirs.grad))
    assert jitted.stats.recordings == 2 and jitted.stats.replays == 3


def apart(nodes: list[Node], x: Any) -> Any:
    seen: dict[int, Any] = {}
    for node in nodes:
        seen.setdefault(id(node), node.value)
    return sum(seen.values()) * x, len(seen)


def test_those_in_a_list() -> None:
    jitted = npcompile.jit(apart)
    a, b, c = (Node(float(n)) for n in range(3, 6))
    for nodes in ([a, b, c], [a, b, a], [b, b, b], [c, a, b], [b, b, c], [a, c, c]):
        same(jitted(nodes, np.ones(3)), apart(nodes, np.ones(3)))


def number(node: Node, x: Any) -> Any:
    return x * 2, id(node), id(node) % 3 == 0


def test_the_number_itself() -> None:
    jitted = npcompile.jit(number)
    for node in [Node(1.0), Node(2.0), Node(3.0), Node(4.0)]:
        same(jitted(node, np.ones(2)), number(node, np.ones(2)))
