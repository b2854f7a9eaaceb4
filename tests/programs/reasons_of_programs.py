"""Programs for causes of the catalog: each function has the cause of its name, in small letters.

tests/diagnostics/test_reasons_catalog.py calls each with `x`, float64[4], `o`, an `Argument`, and a list `s`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
import tempfile
from collections import deque
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import signal

COUNT = 0
HELD: list[Any] = []


class Thing:
    def __init__(self, x=None):
        self.x = x


class Dying:
    def __del__(self):
        HELD.clear()


class Elsewhere:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return 2.0

    @property
    def __class__(self):
        return Thing

    def __len__(self):
        return 2


class Judging(type):
    def __instancecheck__(cls, instance):
        return True


class Judge(metaclass=Judging):
    pass


class Sub(np.ndarray):
    pass


class Equal:
    def __eq__(self, other):
        return other is not None

    __hash__ = None


class Argument:
    def __init__(self, x):
        self.elsewhere, self.thing, self.equal, self.gone = Elsewhere(), Thing(x), Equal(), 1
        self.long_set, self.long_tuple = set(range(5000)), tuple(map(float, range(20_000)))
        self.decimal, self.generator = Decimal(2), np.random.default_rng(0)
        self.sub = x.view(Sub)
        self.square, self.pair, self.table = np.outer(x, x), (1.0, x[0]), {"a": x}
        self.record = np.zeros(4, [("number", np.float32), ("byte", np.int8)])
        self.partial, self.bytes = functools.partial(np.add, x), bytearray(b"ab")
        self.history = [x] * 300
        self.by_object = {Thing(): x}
        self.few, self.pairs = [x, x + 1], zip([1.0, 2.0], [x, x], strict=True)
        self.mapped, self.mapped_too = (np.memmap(tempfile.TemporaryFile(), shape=4) for _ in range(2))


def delete(o):
    del o.gone


def count(x):
    global COUNT
    COUNT = x


def set_all(y, x):
    y[...] = x


def coroutine(x, o, s):
    async def later():
        return x

    return later()


def own_frame(x, o, s):
    return x * len(sys._getframe().f_code.co_varnames)


def reads_frame(x, o, s):
    return x * len(locals())


def class_statement(x, o, s):
    class Inner:
        pass

    return x + 1


def caught(x, o, s):
    try:
        x[10] = 1
    except IndexError:
        x = x + 1
    return x


def import_(x, o, s):
    import tests.programs.reasons_of_ops as other

    return x * len(other.EXPRESSIONS)


def with_(x, o, s):
    with open(__file__):
        return x + 1


def errstate(x, o, s):
    with np.errstate(all="raise"):
        return x + 1


def with_raised(x, o, s):
    with contextlib.suppress(IndexError):
        x[10] = 1
    return x + 1


def loop_over_array(x, o, s):
    total = 0.0
    for item in np.arange(5000.0) + x[0]:
        total = total + item
    return total


def loop_over(x, o, s):
    for line in open(__file__):
        x = x + len(line)
        break
    return x


def truth(x, o, s):
    return x + 1 if o.decimal else x


def operator_(x, o, s):
    return x, o.decimal + 1


def operator_in_place(x, o, s):
    y = o.decimal
    y += 1
    return x, y


def unary(x, o, s):
    return x, -o.decimal


def compare_themselves(x, o, s):
    return x + [o.equal].count(o.thing)


def nan_compared(x, o, s):
    return [float("nan"), 1.0] == [float(x[0]), 2.0], x


def nan_as_key(x, o, s):
    return {float("nan"): 1}, x + 1


def groupby(x, o, s):
    return [key for key, _ in itertools.groupby([x[0], x[1]])]


def fromiter(x, o, s):
    return np.fromiter(["a", "b"], "U1"), x + 1


def id_(x, o, s):
    return x + (id(x) > 0)


def text_decides(x, o, s):
    return x + 1 if f"{x[0]}" == "1.0" else x


def deleted_attribute(x, o, s):
    delete(o)
    return x + 1


def isinstance_by_class(x, o, s):
    return x + isinstance(o, Judge)


def finalized(x, o, s):
    d = Dying()
    return x + (d is None)


def held_as_a_whole(x, o, s):
    return x, Thing(x).__dict__


def inner_function(x, o, s):
    return x, lambda: x


def store_to_global(x, o, s):
    count(x)
    return x + 1


def store_into(x, o, s):
    memoryview(x)[0] = 3.0
    return x + 1


def list_copied(x, o, s):
    np.copyto(x, [1.0, 2.0, 3.0, 4.0])
    return x


def complex_as_integer(x, o, s):
    y = np.zeros(4, int)
    set_all(y, x[0] + 1j)
    return y


def container_in_place(x, o, s):
    s.reverse()
    return x + 1


def contents_decide(x, o, s):
    return x + sum(o.long_set)


def item(x, o, s):
    return x + memoryview(x)[0]


def length(x, o, s):
    return x + len(memoryview(x))


def container_too_long(x, o, s):
    return x + sum(o.long_tuple)


def holds_itself(x, o, s):
    t = Thing(x)
    t.x = t
    HELD.append(t)
    return x + 1


def made_and_handed_on(x, o, s):
    d = deque([x])
    return d, d


def answers_with_argument(x, o, s):
    return np.nan_to_num(np.asanyarray(x), copy=False) + np.asarray_chkfinite(x)


def out_neither(x, o, s):
    return np.divmod(x, 2.0, out=(np.zeros(4), None))


def out_not_native_as(x, o, s):
    return np.add(x, 1, out=np.zeros(4, np.longdouble))


def subclass(x, o, s):
    return x, np.sum(o.sub)


def masked_array(x, o, s):
    return x, np.sum(np.ma.array(x))


def object_array(x, o, s):
    y = np.array([None, 1], dtype=object)
    y[0] = x
    return x + 1


def array_member(x, o, s):
    y = x + 1
    return y.tobytes(), y.data.nbytes, y.setflags(write=False)


def decides_after(x, o, s):
    x[0] = 3.0
    if (x * 2).sum() > 4:
        return x + 1
    return x


def checked_after(x, o, s):
    x[0] = 3.0
    y = np.arange(10.0) + x[1]
    return y[np.array([1, 2]) + (x[:2] > 100)]


def called_again(x, o, s):
    r = o.generator.permuted(x)
    return r + 1 if r.sum() > 0 else r


def given_decides(x, o, s):
    print("")
    r = o.generator.permuted(x)
    return r + 1 if r.sum() > 0 else r


def overlapping_write(x, o, s):
    y = np.lib.stride_tricks.as_strided(x, (4, 2), (8, 0))
    y[...] = 1.0
    return x


def one_by_one(x, o, s):
    return np.array([x[0]] * 5000) + 1


def things_gone_through(x, o, s):
    return [x] * 20000


def call_gives_too_many(x, o, s):
    a, b = open(__file__).readlines()[:2]
    return x, a, b


def hasattr_outside(x, o, s):
    return x + hasattr(o.elsewhere, "y")


# `npcompile.explain` says what is left of these between their blocks.


def yields(x, o, s):
    for k in range(3):
        yield x + k


def raise_(x, o, s):
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        if x[0] < -1:
            raise ValueError(str(x.shape))
    return x


def effect_in_place(x, o, s):
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        HELD.append(k := x[0])
        HELD.clear()
    return x, k


def library(x, o, s):
    while x.sum() < 1e6:
        x = signal.medfilt(x, 3) + x * 2 + 1
    return x


def compacted_as(x, o, s):
    return x[x > 2]


def mask_by_numpy(x, o, s):
    y = np.zeros((4, 2))
    y[x > 2, 1] = 3.0
    return y


def raises(x, o, s):
    return x[int(x[0]) + 10]
