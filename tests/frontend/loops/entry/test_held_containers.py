"""Lists, dicts and sets of users' objects and of nested functions are read and changed natively, in place.

Of those that begin empty it is learnt what functions put into them.
"""

from __future__ import annotations

import heapq
from typing import Any

import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()


class Queue:
    def __init__(self) -> None:
        self.heap: list[Any] = []
        self.count = 0
        self.seen: dict[int, int] = {}
        self.kinds: set[int] = set()
        self.also = self.heap

    def push(self, key: int) -> None:
        heapq.heappush(self.heap, (key, self.count))
        self.count += 1
        self.seen[key] = self.seen.get(key, 0) + 1

    def pop(self) -> int:
        self.kinds.add(self.count % 3)
        return heapq.heappop(self.heap)[1]


def contents(queue):
    return queue.heap, queue.count, queue.seen, sorted(queue.kinds), queue.also is queue.heap


@program(9)
@program(40)
def queue_of_an_object(n):
    queue, total = Queue(), 0
    for i in range(n):
        queue.push(i * 7 % 5)
        if i % 3 == 2:
            total += queue.pop()
    return total, contents(queue)


@program(20)
def taken_from_an_empty_list(n):
    queue = Queue()
    try:
        for i in range(n):
            queue.push(i)
            if i > 10:
                queue.pop()
                queue.pop()
    except IndexError as error:
        return str(error), contents(queue)


@program(8)
def two_names_of_one_list(n):
    queue = Queue()
    for i in range(n):
        queue.heap.append(i)
        queue.also[0] += 1
        queue.also.append(queue.heap[-1] * 2)
    return contents(queue)


@program(12, native=None)
def attributes_that_change(n):
    queue = Queue()
    for i in range(n):
        queue.heap.append(i)
        if i == 5:
            queue.heap = [0.5]
        if i == 8:
            queue.seen = None
    return contents(queue)


class Forest:
    def __init__(self, n: int) -> None:
        self.above = list(range(n))
        self.size = [1] * n

    def find(self, x: int) -> int:
        while self.above[x] != x:
            self.above[x] = self.above[self.above[x]]
            x = self.above[x]
        return x

    def join(self, a: int, b: int) -> bool:
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.above[b] = a
        self.size[a] += self.size[b]
        return True


@program(60, [(i * 7 % 60, i * i % 60) for i in range(80)])
@program(60, [(i, i * i % 62) for i in range(70)])
def forest(n, pairs):
    found, joined = Forest(n), 0
    try:
        for a, b in pairs:
            joined += found.join(a, b)
    except IndexError as error:
        return str(error), joined, found.above, found.size
    return joined, found.above, found.size


@program(12)
def memo_of_a_recursion(n):
    memo = {}

    def count(k):
        if k < 2:
            return k
        if k in memo:
            return memo[k]
        memo[k] = count(k - 1) + count(k - 2)
        return memo[k]

    total = 0
    for i in range(n):
        total += count(i)
    return total, memo


@program({i: [i * 3 % 50, i * 7 % 50] for i in range(50)})
def depth_first(graph):
    seen, order = set(), []

    def visit(node):
        seen.add(node)
        order.append(node)
        for other in graph[node]:
            if other not in seen:
                visit(other)

    for node in graph:
        if node not in seen:
            visit(node)
    return order, sorted(seen)


def add_to(rows, key, value):
    if key in rows:
        rows[key].append(value)
    else:
        rows[key] = [value]


@program(10)
def filled_by_helpers(n):
    rows, halves = {}, []

    def put(value):
        halves.append(value / 2)

    for i in range(n):
        add_to(rows, i % 3, i * i)
        put(i)
    return rows, halves


@program(6)
def raises_in_a_function(n):
    made, quotients = [], {}

    def put(i):
        made.append(i)
        quotients[i] = 12 // (4 - i)
        return quotients[i]

    total = 0
    try:
        for i in range(n):
            total += put(i)
    except ZeroDivisionError as error:
        return str(error), total, i, made, quotients


@pytest.mark.parametrize("name", program.cases)
def test_containers_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
