"""Small programs around array work, as `constructs.py` has it: containers and Python's own library."""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import math
import operator
import typing
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np

CHOSEN = {"sin", "cos"}
FROZEN = frozenset([1, 2, 3])


def deque_local(x, k, box):
    d = deque([x, x * 2], maxlen=2)
    d.append(x * 3)
    d.appendleft(x * 4)
    return d[0] + d[-1] + len(d)


def deque_popped(x, k, box):
    d = deque()
    d.append((x, 0))
    total = x * 0
    while d:
        y, depth = d.popleft()
        total = total + y
        if depth < 3:
            d.append((y * 0.5, depth + 1))
    return total


def default_dict(x, k, box):
    d = defaultdict(list)
    d["a"].append(x)
    d["a"].append(x * 2)
    d["b"].append(x * 3)
    return sum(d["a"]) * d["b"][0]


def default_dict_float(x, k, box):
    d = defaultdict(float)
    d["a"] += x
    d["b"] += x * 2
    d["a"] += x * 3
    return d["a"] * d["b"]


def ordered_dict(x, k, box):
    d = OrderedDict()
    d["w"] = x
    d["b"] = x + 1
    y = x * 0
    for name, value in d.items():  # noqa: B007
        y = y + value
    return y


def counter(x, k, box):
    c = Counter("abca")
    return x * c["a"] + c["b"]


def set_local(x, k, box):
    seen = set()
    seen.add("a")
    seen.add("b")
    return x * 2 if "a" in seen else x


def set_outside(x, k, box):
    return np.sin(x) * 2 if "sin" in CHOSEN else x


def frozen_outside(x, k, box):
    return x * 2 + 1 if 2 in FROZEN else x


def set_ops(x, k, box):
    s = {1, 2, 3} & {2, 3, 4}
    return x * len(s) + sum(sorted(s))


Point = namedtuple("Point", "x y")


class Pair(typing.NamedTuple):
    a: np.ndarray
    b: float = 2.0

    def scaled(self):
        return self.a * self.b


def named(x, k, box):
    p = Point(x, x + 1)
    q = p._replace(y=x * 3)
    return q.x + q.y * p.y


def named_typed(x, k, box):
    p = Pair(x)
    a, b = p
    return p.scaled() + a * b


def it_product(x, k, box):
    return sum(x * i * j for i, j in itertools.product(range(2), range(3)))


def it_product_for(x, k, box):
    y = x.copy()
    for i, j in itertools.product(range(2), (1.0, 2.0)):
        y = y + i * j
    return y


def it_chain(x, k, box):
    return sum(a * 2 for a in itertools.chain([x], [x + 1, x + 2]))


def it_pairwise(x, k, box):
    layers = [x, x + 1, x * 2]
    return sum(a * b for a, b in itertools.pairwise(layers))


def it_combinations(x, k, box):
    return sum(a * b for a, b in itertools.combinations([x, x + 1, x + 2], 2))


def it_accumulate(x, k, box):
    return list(itertools.accumulate([x, x + 1, x * 2]))[-1] * 2


def it_repeat(x, k, box):
    return sum(a for a in itertools.repeat(x, 3))


def it_zip_longest(x, k, box):
    return sum(a * b for a, b in itertools.zip_longest([x, x], [2.0], fillvalue=3.0))


def it_starmap(x, k, box):
    return sum(itertools.starmap(np.multiply, [(x, 2.0), (x, 3.0)]))


def it_count(x, k, box):
    return sum(a * i for a, i in zip([x, x + 1], itertools.count(1)))


def fn_reduce(x, k, box):
    return functools.reduce(np.add, [x, x * 2, x * 3])


def fn_reduce_lambda(x, k, box):
    return functools.reduce(lambda a, b: a * b + 1, [x, x * 2, x * 3], 1.0)


def fn_reduce_operator(x, k, box):
    return functools.reduce(operator.mul, [x, x + 1])


def scale(x, by, plus=0.0):
    return x * by + plus


def fn_partial(x, k, box):
    f = functools.partial(scale, by=3.0)
    return f(x) + f(x, plus=1.0)


def op_getter(x, k, box):
    pairs = [("b", 2.0), ("a", 1.0)]
    pairs.sort(key=operator.itemgetter(1))
    return x * pairs[0][1]


def op_attr(x, k, box):
    return x + operator.attrgetter("y")(box)


def op_add(x, k, box):
    return operator.add(x, x) * operator.mul(x, 2)


def heap_local(x, k, box):
    h = []
    heapq.heappush(h, (3.0, "c"))
    heapq.heappush(h, (1.0, "a"))
    cost, name = heapq.heappop(h)  # noqa: RUF059
    return x * cost


def bisect_local(x, k, box):
    return x * bisect.bisect([1.0, 2.0, 3.0], 2.5)


def math_functions(x, k, box):
    return x * math.hypot(3.0, 4.0) + math.prod([1, 2, 3]) + math.fsum([0.1, 0.2]) + math.log(k + 1.0)


def map_lambda(x, k, box):
    return sum(map(lambda a: a * 2, [x, x + 1]))  # noqa: C417


def filter_lambda(x, k, box):
    return sum(filter(lambda a: a.sum() < 1e9, [x, x + 1]))


def sorted_key(x, k, box):
    parts = sorted([("b", x), ("a", x * 2)], key=lambda p: p[0])
    return parts[0][1] - parts[1][1]


def max_key(x, k, box):
    name, best = max([("b", 3.0), ("a", 1.0)], key=lambda p: p[1])  # noqa: RUF059
    return x * best


def max_key_traced(x, k, box):
    return max([x, x * 2, x - 1], key=lambda a: float(a.sum()))


def grouped(x, k, box):
    rows = [("a", 0), ("a", 1), ("b", 2)]
    sums = {name: sum(x[i] * k for _, i in group) for name, group in itertools.groupby(rows, lambda r: r[0])}
    return sums, [(n, len([*group])) for n, group in itertools.groupby(sorted([3, 1, 3, 1]))], x * box.t
