"""Context managers, generators, decorators, comprehensions, closures and exceptions around arrays.

Arguments by name as in `cut_hazards.py`.
"""

# ruff: noqa: B007, B904, E741, F841, UP031
# (the ugliness is what is tested)

from __future__ import annotations

import functools
import random
from contextlib import contextmanager, suppress

import numpy as np


@contextmanager
def _cm(b, log):
    log.append("in")
    old = b.copy()
    try:
        yield b * 2
    except IndexError as e:
        log.append(str(e)[:10])
    finally:
        log.append("out")
        b[:] = old


def cmuse(a):
    log = []
    with _cm(a, log) as d:
        a += 5
        d = d + a
        a[100] = 1
        d = d * 1000
    with _cm(a, log) as e, suppress(KeyError):
        e = e * 3
        {}["x"]
    return a, d, e, log


def gens(a):
    def rows():
        for i in range(5):
            a[0] += 1
            yield a * i

    t = 0
    for r in rows():
        t = t + r
        a[1] += 2
    return t, a, [x.sum() for x in rows()], sum(x[0] for x in rows())


def toplevelgen(a):
    x = a
    for i in range(5):
        x = x * 2 + a
        got = yield x
        a[0] += 1


def yieldfrom(a):
    def g():
        for i in range(3):
            yield a * i
        return 5

    r = yield from g()
    yield r * a


def deco(a):
    def twice(f):
        @functools.wraps(f)
        def w(*p, **k):
            return f(f(*p, **k))

        return w

    @twice
    def h(v):
        return v * 2 + 1

    return h(a)


def comp(a):
    d = {i: a[i] * 2 for i in range(len(a)) if a[i] > 1}
    s = {int(v) for v in a}
    n = [[a[i] * a[j] for j in range(3)] for i in range(3) if i != 1]
    g = sum(v * v for v in a if v)
    return d, sorted(s), n, g, any(v > 1.9 for v in a), all(v >= 0 for v in a), max(a, key=lambda v: -v)


def sortkey(a):
    idx = sorted(range(len(a)), key=lambda i: (a[i], i))
    return a[idx], idx


def strs(a):
    out = []
    for i, v in enumerate(a):
        out.append(f"{i}:{v:.2f}|{v!r}")
    print(*out, sep=",", end="!\n")
    print(a, a.sum(), "%.3f %s" % (a.sum(), a.shape))
    return " ".join(out)


def rngs(a):
    r = np.random.default_rng(0)
    out = []
    for i in range(4):
        a = a + r.normal(size=a.shape) * 0.25
        out.append(r.integers(10))
        a = a + np.random.rand(*a.shape)
        random.seed(int(a.sum()))
        out.append(random.random())
    return a, out


def nestedtry(a):
    r = []
    for i in (0, 3, 99):
        try:
            try:
                r.append(a[i] / (a[i] - 1 if a[i] != 1 else 0))
            except ZeroDivisionError:
                r.append(-1)
                raise KeyError(i)
            finally:
                r.append("f")
        except (IndexError, KeyError) as e:
            r.append(type(e).__name__)
            a = a + 1
        else:
            r.append("e")
    return r, a


def asserts(a):
    b = a.copy()
    b[0] = 99
    if not (a.sum() > 5):
        raise RuntimeError("small %g" % a.sum())
    return b


def stopit(a):
    it = iter([a, a * 2])
    s = 0
    try:
        while True:
            s = s + next(it)
    except StopIteration:
        pass
    return s


def stopgen(a):
    it = iter([1])
    r = next(it) * a
    return r + next(it)


def ternary(a, n):
    return (a if n > 1 else -a) * (2 if a.sum() > 6 else 3), (n and a[0]) or a[1], n > 1 > 0


def gencall(a):
    def acc():
        t = 0
        while True:
            v = yield t
            if v is None:
                return
            t = t + v

    g = acc()
    next(g)
    r = [g.send(a * i) for i in range(4)]
    try:
        g.send(None)
    except StopIteration:
        r.append("stop")
    g.close()
    return r


def reassign_fn(a):
    f = np.sin
    out = []
    for g in (np.cos, np.exp, lambda z: z * 2):
        out.append(f(a))
        f = g
    return out, f(a)


def whilecount(a):
    i = 0
    err = 1.0
    x = np.ones_like(a)
    while err > 1e-6 and i < 100:
        new = 0.5 * (x + a / x)
        err = np.abs(new - x).max()
        x, i = new, i + 1
    return x, err, i


def dictmut(a, d=None):
    d = {"t": 0.0, "u": a} if d is None else d
    for i in range(4):
        d["u"] = d["u"] * 0.5 + i
        d["t"] += 0.1
        d.setdefault("h", []).append(d["u"].sum())
        d["u"][0] = i
    return d


def chainassign(a):
    x = y = a * 2
    for i in range(3):
        x += 1
        y = x = y * 2
        p = q = []
        p.append(x)
    return x, y, q, x is y


def listalias(a):
    l = [a] * 3
    m = l[:]
    for i in range(3):
        l[i] += i
        m[i] = m[i] + 1
    return l, m, l[0] is l[2]


def bigint(a):
    k = 1
    for i in range(70):
        k *= 2
    return a * float(k), k


def recur_mut(a):
    def go(lo, hi):
        if hi - lo < 2:
            a[lo] += 1
            return a[lo]
        mid = (lo + hi) // 2
        return go(lo, mid) + go(mid, hi)

    return go(0, len(a)), a


def early(a):
    if a[0] > 1:
        a[0] = 0
        if a[1] > 1:
            return a * 2
        a[1] = 0
    for i in range(3):
        if a[i] == 0:
            continue
        return a, i
    return None


def boolops(a):
    x = (a.sum() > 5 and a.max()) or a.min()
    y = not a.any()
    return x, y, a.size and a[0], (a > 1).all() or "no"


def noret(a):
    a += 1


def nonev(a):
    b = None
    for i in range(3):
        b = a if b is None else b + a
    return b


def exc_in_loop(a):
    for i in range(100):
        a[i] = a[i] * 2 + i
        print(i)


def raise_custom(a):
    class My(Exception):
        def __init__(self, v):
            self.v = v
            super().__init__("my %s" % v.shape)

    try:
        raise My(a * 2)
    except My as m:
        x = m.v
    try:
        raise My(a)
    except Exception as e:
        y = e.args
    raise ValueError(f"{y} {x.sum()}")


def bound_again_later(a, n):
    q = a * 2
    for i in (1, 2, 5):
        q = q + i
    a *= q[n:] if n > 1 else q
    if (q > 0.3).any():
        if n > 1:
            i = 0
            while i < 36:
                i += 1
                q = q + 1
    return q


def bound_now_and_then(a, n):
    q = a * 2
    if (q > 3).any():
        z = q + 1
    q = q - 1
    for k in range(3):
        if n > 1:
            z = q * k
        q = q + 1
    return q * z
