"""Functions that are easily cut wrongly: names that others rebind, exceptions midway, orders of evaluation.

Arguments by name: arrays `a`, `b`; ints `n`, `k`; floats `lo`, `hi`; `flag` is true.
"""

# ruff: noqa: B006, B007, B012, B023, B905, E741, F841
# (the ugliness is what is tested)

from __future__ import annotations

import contextlib

import numpy as np


def del_after(a):
    for i in range(6):
        a = a * 1.5
    x = a * 2
    y = x.sum()
    del x
    return y


def cell_mid(a):
    x = a

    def g():
        return x * 1.0

    for i in range(5):
        a = a + 1
    x = a * 2
    y = g() + 1
    return y


def nonlocal_mid(a):
    c = 0

    def inc():
        nonlocal c
        c += 1

    out = []
    for i in range(6):
        b = a * 2
        inc()
        b = b * c
        out.append(b)
    return out, c


def aug_param_alias(a):
    y = a[1:]
    for i in range(5):
        pass
    z = y * 2
    a += 1
    return z, a


def counter_captured(a):
    k = 0

    def g():
        return k

    out = []
    for i in range(5):
        y = a * g()
        k = k + 1
        out.append(y)
    return out


def swallow(a):
    x = a * 0
    with contextlib.suppress(IndexError):
        x = a + 1
        x = a[100] * 2
    return x


def tri(a):
    x = a * 0
    try:
        if a.sum() > -1e9:
            x = a * 2
            y = a[100] + 1
    except IndexError:
        pass
    return x


def fin(a):
    x = a * 0

    def log(v):
        print(np.round(v.sum(), 6))

    try:
        try:
            y = a[100]
        except IndexError:
            x = a * 3
            return x * 2
        finally:
            log(x)
    finally:
        log(x + 1)


def fin_ret(a):
    for i in range(4):
        try:
            x = a * i
            if i == 2:
                return x
        finally:
            if i == 2:
                return x + 100
    return a


def fin_brk(a):
    for i in range(4):
        try:
            x = a * i
            if i == 1:
                continue
            x = x + 1
            if i == 3:
                break
        finally:
            x = x * 10
    else:
        x = x - 1
    return x, i


def matchbrk(a, k):
    x = a
    while True:
        x = a * 2
        match k:
            case 1:
                break
            case _:
                k = 1
        x = a * 5
    return x


def short_for_try(a):
    s = a * 0
    try:
        for j in (0, 1, 5, 100):
            s = s + a[j]
    except IndexError:
        pass
    return s


def tuple_try(a):
    x = a * 0
    b = a.copy()
    try:
        x, b[100] = a * 2, 1.0
    except IndexError:
        pass
    return x


def default_mut(a, acc=[]):
    acc.append(a.sum())
    return np.array(acc) * 2


def star(a, *rest, k=2, **kw):
    t = a * k
    for r in rest:
        t = t + r
    for n, v in kw.items():
        t = t * v
    return t


def lam(a):
    fs = [lambda v, i=i: v * i for i in range(5)]
    return [f(a) for f in fs]


def late(a):
    fs = []
    for i in range(5):
        fs.append(lambda v: v * i)
    return [f(a) for f in fs]


def gen_in(a):
    def g(n):
        x = a
        for i in range(n):
            x = x * 2
            y = yield x
            if y is not None:
                x = x + y

    it = g(5)
    r = [next(it), it.send(3.0), it.send(None)]
    r += list(it)
    return r


def clsinside(a):
    class P:
        w = 2.0

        def __init__(self, u):
            self.u = u
            self.__n = 0

        def step(self):
            self.u = self.u * self.w
            self.__n += 1
            return self

        @property
        def n(self):
            return self.__n

    p = P(a)
    for i in range(5):
        p.step()
    return p.u, p.n


def whileelse(a):
    n = 0
    while a.sum() > 1e-3:
        a = a * 0.5
        n += 1
        if n > 20:
            break
    else:
        n = -n
    return a, n


def chained(a, lo, hi):
    c = 0
    for v in a:
        if lo < v <= hi:
            c += 1
        x = v if v > 0 else -v
        c += x
    return c


def raises_from(a):
    try:
        return a[100]
    except IndexError as e:
        raise ValueError(f"bad {len(a)}") from e


def delete_loop(a):
    out = []
    for i in range(4):
        t = a * i
        if i % 2:
            out.append(t)
            del t
        else:
            u = t + 1
            out.append(u)
    return out


def swap(a, b):
    for i in range(7):
        a, b = b, a + b * 0.5
        b[0], b[-1] = b[-1], b[0]
    return a, b


def exc_name(a):
    for i in range(3):
        try:
            if i == 1:
                a[100]
            x = a * i
        except IndexError as e:
            x = a - len(e.args)
        yield_ = x + 1
    return yield_


def nested(a):
    n, m = a.shape[0], 3
    acc = np.zeros(n)
    for i in range(m):
        for j in range(m):
            if j == i:
                continue
            acc += a * (i - j)
            if acc.sum() > 50:
                break
        else:
            acc = acc + 1
    return acc, i, j


def cond_unbound(a, flag):
    for i in range(2):
        if flag:
            z = a * 2
    return z


def try_else(a):
    out = []
    for i in (0, 1, 100, 2):
        try:
            v = a[i] * 2
        except IndexError:
            out.append(-1.0)
        else:
            out.append(v)
        finally:
            out.append(a.sum() * i)
    return out


def ret_in_with(a):
    with np.errstate(all="ignore"):
        for i in range(5):
            a = a / 1.5
            if a.max() < 1:
                return a, i
    return a


def rec(a, n=4):
    if n == 0:
        return a
    return rec(a * 2 + n, n - 1) + a


def unpack_star(a):
    for i in range(2):
        f, *m, l = a
        a = a * f + l
    return f, m, l, a


def loopvar_mut(a):
    rows = [a, a * 2, a[::-1]]
    for r in rows:
        r += 1
        r = r * 2
    return rows, r


def zipenum(a):
    s = 0
    for i, (p, q) in enumerate(zip(a, reversed(a))):
        s = s + p * q * i
    return s, i, p, q


def items(a):
    d = {"x": a, "y": a * 2}
    for k, v in d.items():
        d[k] = v + 1
    return d


def swallow_ret(a):
    class C:
        def __enter__(self):
            return self

        def __exit__(self, *e):
            return True

    x = a * 0
    with C():
        x = a * 5
        x = a[100]
    return x


def scal_arg(k, a):
    out = []
    for i in range(3):
        y = a * 2
        k += 1
        out.append(y * k)
    return out, k


def ann(a):
    x: np.ndarray = a * 2
    for i in range(2):
        x: float = x + 1
    return x
