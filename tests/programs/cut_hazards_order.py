"""Functions in which it matters what is evaluated first: calls beside names that the calls change.

Arguments by name as in `cut_hazards.py`.
"""

# ruff: noqa: B007

from __future__ import annotations

K = 1.0


def _inc(v):
    global K
    K += 1.0
    return v * 2


class Counted:
    k = 1.0

    def __init__(s):
        s.n = 1.0

    def inc(s, v):
        s.n += 1
        Counted.k += 1
        return v * 2


def order_global(a):
    global K
    K = 1.0
    out = []
    for i in range(4):
        x = K + _inc(a)
        out.append(x)
        y = (K, _inc(a) + K, a * K)
        out.append(y)
        z = K * a + _inc(a) * K
        out.append(z)
    return out, K


def order_cell(a):
    c = 1.0

    def bump(v):
        nonlocal c
        c += 1
        return v * c

    out = []
    for i in range(4):
        x = c + bump(a) * 2
        out.append(x)
        y = [c, bump(a), c][i % 3] * a
        out.append(y)
    return out


def order_free(a):
    c = 1.0

    def bump(v):
        nonlocal c
        c += 1
        return v * c

    def inner(v):
        out = []
        for i in range(3):
            x = c + bump(v) * 2
            out.append(x)
            out.append(c * v + bump(v) + c)
        return out

    return inner(a)


def order_attr(a):
    o = Counted()
    Counted.k = 1.0
    out = []
    for i in range(4):
        x = o.n + o.inc(a) * Counted.k
        out.append(x)
        y = o.n * a + o.inc(a) * o.n
        out.append(y)
    return out


def order_item(a):
    kept = [a]

    def grow(v):
        kept[0] = kept[0] + 1
        kept.append(v)
        return v

    out = []
    for i in range(4):
        out.append(kept[0] + grow(a) * len(kept))
        x = a[0] + grow(a)[0] * kept[0]
        out.append(x)
    return out


def order_inplace(a):
    def f(v):
        v += 1
        return v * 1.0

    for i in range(3):
        x = a * 2 + f(a)
        y = a + f(a) * a
        z = a[0] + f(a)
    return x, y, z, a


def walrus_arg(a, n):
    out = []

    def put(p, q):
        out.append((p, q))

    for i in range(5):
        put((n := n + 1), a * n)
    return out, n


def wide_args(a):
    r = []
    for i in range(3):
        r.append({"x": a[i], "y": a * i, "z": i})
    return r


def args_order(a):
    out = []

    def f(*x, **k):
        out.append((x, k))

    for i in range(3):
        f(a * 2, *[a, i], q=a + 1, r=a)
    return out


def augsub(a):
    d = {0: a * 1, 1: a * 2}
    it = iter([0, 1, 0])

    def nx():
        a[0] += 1
        return next(it)

    for i in range(3):
        d[nx()] += a * 2
    return d


def funcorder(a):
    log = []

    def mk():
        a[0] += 1
        return log

    for i in range(4):
        mk().append(a * 2)
    return log


def whilewalrus(a):
    it = iter(range(5))
    while (k := next(it)) < 4:
        a = a * (k + 1)
    return a, k


def swap_idx(a):
    i = 0
    for k in range(3):
        i, a[i] = i + 1, i * 2.0
    return a, i
