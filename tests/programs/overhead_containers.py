"""Programs whose loops put things into containers of Python's, take them out, send to generators and make
texts, for what a call does when it goes on plainly from some trip on.

Each takes an array of `n` numbers and a log that it writes to, and answers something.
"""

from __future__ import annotations

import array
import bisect
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
CONTAINERS: list[Callable[[Array, list[Any]], Any]] = []


def program(fn: Any) -> Any:
    CONTAINERS.append(fn)
    return fn


@program
def queued(x: Array, log: list[Any]) -> Any:
    window: deque[Any] = deque()
    out = []
    for value in x:
        window.append(value)
        if len(window) > 5:
            window.popleft()
        out.append(window[0])
    return out


@program
def turned(x: Array, log: list[Any]) -> Any:
    ring = deque(range(len(x)))
    while len(ring) > 1:
        ring.rotate(-2)
        ring.popleft()
        ring.appendleft(-1)
        ring.pop()
    return ring, x.sum()


@program
def smallest_first(x: Array, log: list[Any]) -> Any:
    heap: list[Any] = []
    out = []
    for value in x:
        heapq.heappush(heap, value)
        if len(heap) > 5:
            out.append(heapq.heappop(heap))
    return out


@program
def sums_by_key(x: Array, log: list[Any]) -> Any:
    sums: dict[int, Any] = {}
    for i in range(len(x)):
        sums[i % 7] = sums.get(i % 7, 0.0) + x[i]
    return sums


@program
def counted(x: Array, log: list[Any]) -> Any:
    counts: Counter[int] = Counter()
    lists: defaultdict[int, list[int]] = defaultdict(list)
    for i, value in enumerate(x):
        counts[int(value * 10)] += 1
        lists[i % 5].append(i)
    return sorted(counts.items()), lists


@program
def last_used(x: Array, log: list[Any]) -> Any:
    cache: OrderedDict[int, int] = OrderedDict()
    for i in range(len(x)):
        key = i * i % 11
        if key in cache:
            cache.move_to_end(key)
        else:
            cache[key] = i
            if len(cache) > 4:
                cache.popitem(last=False)
    return list(cache.items()), x.sum()


@program
def in_a_tree_of_dicts(x: Array, log: list[Any]) -> Any:
    root: dict[str, Any] = {}
    for i in range(len(x)):
        node = root
        for letter in str(i * i):
            node = node.setdefault(letter, {})
        node["end"] = i
    return len(root), x.sum()


@program
def seen_before(x: Array, log: list[Any]) -> Any:
    seen: set[int] = set()
    for value in x:
        seen.add(int(value * 100))
    return len(seen), x.sum()


@program
def kept_in_order(x: Array, log: list[Any]) -> Any:
    kept: list[Any] = []
    out = []
    for value in x:
        bisect.insort(kept, value)
        out.append(kept[len(kept) // 2])
        if len(kept) > 9:
            kept.pop(0)
    return out


@program
def text(x: Array, log: list[Any]) -> Any:
    made = ""
    for value in x:
        made += "+" if value > 0 else "-"
    return made, x.sum()


@program
def bytes_and_numbers(x: Array, log: list[Any]) -> Any:
    made, numbers = bytearray(), array.array("d")
    for i, value in enumerate(x):
        made.append(i & 255)
        if value > 0:
            numbers.append(value)
    return bytes(made), numbers.tolist()


def running_mean(log: list[Any]) -> Generator[Any, Any, Any]:
    total, count, mean = 0.0, 0, 0.0
    try:
        while True:
            try:
                value = yield mean
            except ValueError as error:
                log.append(str(error))
                continue
            total += 1.0 if value is None else value
            count += 1
            mean = total / count
    finally:
        log.append(count)


@program
def sent_to(x: Array, log: list[Any]) -> Any:
    means = running_mean(log)
    next(means)
    out = []
    for i, value in enumerate(x):
        out.append(means.send(value))
        if i % 50 == 3:
            out.append(means.throw(ValueError(str(i))))
            out.append(next(means))
    means.close()
    return out


@program
def delegated(x: Array, log: list[Any]) -> Any:
    def inner() -> Any:
        for value in x:
            yield value * 2
        return "end"

    def outer() -> Any:
        log.append((yield from inner()))

    return list(outer())


class Body:
    def __init__(self) -> None:
        self.at, self.speed, self.trail = 1.0, 0.0, [0.0]

    def move(self, dt: float) -> None:
        self.speed -= self.at * dt
        self.at += self.speed * dt
        self.trail.append(self.at)


@program
def steps_of_an_object(x: Array, log: list[Any]) -> Any:
    body = Body()
    for _ in range(len(x)):
        body.move(0.01)
    return body.trail, x.sum()


@program
def short_loops_in_a_long_one(x: Array, log: list[Any]) -> Any:
    parents = list(range(len(x)))
    for i in range(len(x)):
        at = i * 7 % len(x)
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        for _ in range(2):
            log.append(at)
        parents[at] = i // 2
    return parents, x.sum()
