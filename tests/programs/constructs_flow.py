"""Small programs around array work, as `constructs.py` has it: `with`, generators and `match`."""

from __future__ import annotations

import contextlib
import itertools
import threading

import numpy as np

from tests.programs.constructs import LOG, Move

LOCK = threading.Lock()


class Scaled:
    def __init__(self, by):
        self.by = by

    def __enter__(self):
        LOG.append("in")
        return self

    def __exit__(self, kind, error, trace):
        LOG.append("out")
        return False


class Quiet:
    def __enter__(self):
        self.depth = 1
        return self

    def __exit__(self, kind, error, trace):
        self.depth = 0
        return kind is ValueError


@contextlib.contextmanager
def scope(factor):
    yield factor * 2.0


@contextlib.contextmanager
def saved(box):
    old = box.t
    try:
        yield box
    finally:
        box.t = old


def with_logged(x, k, box):
    with Scaled(2.0) as s:
        y = x * s.by
    return y + 1


def with_quiet(x, k, box):
    with Quiet() as q:
        y = x * 2 + q.depth
    return np.sin(y) + q.depth


def with_quiet_raises(x, k, box):
    y = x + 1
    with Quiet():
        y = y * 2
        if k > 1:
            raise ValueError("k")
        y = y * 3
    return y + 1


def with_manager(x, k, box):
    with scope(3.0) as f:
        y = x * f
    return y - 1


def with_saved(x, k, box):
    with saved(box) as b:
        b.t = 5.0
        y = x * b.t
    return y * box.t


def with_null(x, k, box):
    with contextlib.nullcontext(2.0) as f:
        y = x * f
    return y + 1


def with_suppress(x, k, box):
    y = x + 1
    with contextlib.suppress(KeyError):
        y = y * 2
    return y


def with_suppress_raised(x, k, box):
    y = x + 1
    with contextlib.suppress(KeyError):
        y = y * 2
        {}["a"]
    return y


def with_lock(x, k, box):
    with LOCK:
        y = x * 2
    return y + 1


def with_errstate(x, k, box):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - 1)
    return y + 1


def with_two(x, k, box):
    with Quiet() as a, scope(2.0) as f:
        y = x * f + a.depth
    return y


def with_return(x, k, box):
    with Quiet() as q:
        return x * 2 + q.depth


def with_stack(x, k, box):
    with contextlib.ExitStack() as stack:
        q = stack.enter_context(Quiet())
        y = x * q.depth
    return y + 1


def pairs(x):
    for i in range(3):
        yield x[i], x[i + 1]


def rows(x, n):
    for i in range(n):
        yield x * i


def chained(x):
    yield x
    yield from rows(x, 2)


def endless(x):
    while True:
        yield x
        x = x * 0.5


def answering(x):
    got = yield x
    yield x + got


def gen_for(x, k, box):
    total = x * 0
    for a, b in pairs(x):
        total = total + x * a * b
    return total


def gen_list(x, k, box):
    a, b, c = list(rows(x, 3))
    return a + b * c


def gen_stack(x, k, box):
    return np.stack(list(rows(x, 3))).sum(axis=0)


def gen_sum(x, k, box):
    return sum(np.sin(x) * i for i in range(4))


def gen_sum_of(x, k, box):
    return sum(rows(x, 4))


def gen_max(x, k, box):
    return x * max(i * 2.0 for i in range(4))


def gen_max_arrays(x, k, box):
    return x * max(float(row.sum()) for row in rows(x, 3))


def gen_all(x, k, box):
    return x * 2 if all(row.sum() < 1e9 for row in rows(x, 2)) else x


def gen_tuple(x, k, box):
    a, b = tuple(r + 1 for r in rows(x, 2))
    return a * b


def gen_sorted(x, k, box):
    a, b, c = sorted(i * 0.5 for i in (3, 1, 2))
    return x * a + b * c


def gen_fromiter(x, k, box):
    return np.fromiter((i * 0.5 for i in range(5)), dtype=float).sum() * x


def gen_from(x, k, box):
    a, b, c = chained(x)
    return a + b + c


def gen_next(x, k, box):
    g = endless(x)
    a = next(g)
    b = next(g)
    return a + b + next(g)


def gen_zip(x, k, box):
    return sum(a * b for a, b in zip(rows(x, 3), rows(x + 1, 3)))  # noqa: B905


def gen_enumerate(x, k, box):
    total = x * 0
    for i, row in enumerate(rows(x, 3)):
        total += row * i
    return total


def gen_break(x, k, box):
    for i, row in enumerate(endless(x)):  # noqa: B007
        if i == 3:
            break
    return row * 2


def gen_send(x, k, box):
    g = answering(x)
    a = next(g)
    b = g.send(2.0)
    return a * b


def gen_islice(x, k, box):
    return sum(itertools.islice(endless(x), 4))


def gen_dict(x, k, box):
    d = dict((name, x * i) for i, name in enumerate("abc"))  # noqa: C402
    return d["a"] + d["b"] * d["c"]


def gen_join(x, k, box):
    return np.concatenate([*rows(x, 3)]).sum() + x


def gen_star(x, k, box):
    return np.hypot(*rows(x, 2))


def match_literal(x, k, box):
    match "sin":
        case "sin":
            return np.sin(x) * 2
        case _:
            return x


def match_int(x, k, box):
    match k:
        case 0:
            y = np.sin(x)
        case 1 | 2:
            y = np.cos(x)
        case _:
            y = x * k
    return y + 1


def match_sequence(x, k, box):
    match (x, "scale", 2.0):
        case [a, "scale", float(f)]:
            return a * f + 1
        case [a, *rest]:  # noqa: F841
            return a


def match_mapping(x, k, box):
    match {"op": "add", "by": 3.0}:
        case {"op": "add", "by": by, **rest}:
            return x + by + len(rest)
        case _:
            return x


def match_class(x, k, box):
    match Move(1.0, 2.0):
        case Move(dx=0.0):
            return x
        case Move(dx, dy) if dx < dy:
            return x * dx + dy
    return x - 1


def match_shape(x, k, box):
    match x.shape:
        case (n,):
            return x / n
        case (n, m):
            return x / (n * m)


def match_none(x, k, box):
    match None:
        case None:
            y = x * 2
        case np.ndarray():
            y = x * 3
    return y + 1
