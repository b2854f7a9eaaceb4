"""Programs for causes of the catalog about values: numbers, text, attributes, stores and containers.

Each function has the cause of its name, in small letters. tests/diagnostics/test_reasons_catalog.py calls it
with `x`, float64[4], `o`, an `Argument`, and a list `s` of two arrays.
"""

from __future__ import annotations

import copy
import itertools
from collections import defaultdict
from typing import Any

import numpy as np

HELD: list[Any] = []


class Thing:
    def __init__(self, x=None):
        self.x = x

    @property
    def computed(self):
        return self.x


class Meta(type):
    @property
    def worked_out(cls):
        return 2.0


class OfMeta(metaclass=Meta):
    pass


class Sized:
    def __len__(self):
        return True


class Saying:
    @property
    def __class__(self):
        return Thing


class Base:
    @property
    def size(self):
        return 2.0


class Derived(Base):
    def doubled(self, x):
        return x * super().size


class Slotted:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


def make_list(x):
    return HELD[:] or [x, x + 1]


def counter():
    count = 0

    def counted():
        nonlocal count
        count += 1
        return count

    return counted


counted = counter()


def loop_too_long(x, o, s):
    return sum(y for y in [x[0]] * 10_000) + x


def taken_apart(x, o, s):
    a, b = memoryview(x[:2].copy())
    return x + a + b


def object_unknown(x, o, s):
    numbers = itertools.count()
    return np.array([next(numbers)]) + x, zip(x, x, strict=True)


def is_on_tuples(x, o, s):
    return x + (o.pair is (1.0, x[0]))


def operator_on_traced(x, o, s):
    return x + (x[0] in x)


def builtin_of(x, o, s):
    return x + len(Sized())


def items_not_followed(x, o, s):
    return x + list(memoryview(x)).pop()


def object_to_text(x, o, s):
    return f"{Thing(x)}", x + 1


def traced_to_text(x, o, s):
    return f"{x[0]}".upper(), x + 1


def text_of_one(x, o, s):
    return str(int(x[0])), x + 1


def attribute_of_super(x, o, s):
    return Derived().doubled(x)


def member(x, o, s):
    return np.add.resolve_dtypes((x.dtype, x.dtype, None)), x + 1


def hasattr_by_class(x, o, s):
    return x + hasattr(Thing(x), "computed")


def said_class(x, o, s):
    return x + isinstance(Saying(), Thing)


def store_to_attribute(x, o, s):
    x.shape = (2, 2)
    return x + 1


def store_after_whole(x, o, s):
    y = o.thing.__dict__
    o.thing.x = x
    return x + len(y)


def whole_after_store(x, o, s):
    o.thing.x = x + 1
    return o.thing.__dict__


def store_to_closure(x, o, s):
    return x + counted()


def list_stored(x, o, s):
    y = np.zeros((2, 4))
    y[...] = [x, [1.0, 2.0, 3.0, 4.0]]
    y[0] = ["1", "2", "3", "4"]
    return y


def copyto_not_native(x, o, s):
    np.copyto(x, x.astype(np.longdouble), where=x > 2, casting="unsafe")
    return x


def stored_not_native(x, o, s):
    x[0] = np.longdouble(2.0)
    return x


def key_may_have_changed(x, o, s):
    y = o.table["a"] + x
    print(end="")
    return y + ("a" in o.table)


def shared_in_object(x, o, s):
    y = [x]
    return Thing(y), Thing(y)


def defaultdict_(x, o, s):
    d = defaultdict(make_list)
    d["a"] = x
    o.table["a"] = d
    return x + 1


def given_twice(x, o, s):
    y = [x + 1]
    return y, y


def within(x, o, s):
    return np.vander(x.astype(np.longdouble)), np.trapezoid(x.astype(np.longdouble))


def not_whole(x, o, s):
    return np.apply_along_axis(np.unique, 0, x)


def memmap_answered(x, o, s):
    return o.mapped


def memmap_to_text(x, o, s):
    return f"{o.mapped}", x + 1


def memmap_member(x, o, s):
    return x + o.mapped.offset


def memmap_handed_on(x, o, s):
    return x + len(copy.copy([o.mapped]))


def memmaps_written(x, o, s):
    o.mapped[0] = x[0] + o.mapped_too[0]
    return x + 1


def resize(x, o, s):
    y = np.ones(4)
    return y.resize(8, refcheck=False), x + 1


def partial_given(x, o, s):
    return copy.copy(o.partial)(1.0)


def store_of_shared(x, o, s):
    y = [x]
    z = Thing(y)
    copy.copy(z)
    o.thing.x = y
    return x + 1


def shared_stored(x, o, s):
    y = [x]
    o.thing.x = Thing(y)
    o.table["a"] = y
    return x + 1


def contents_may_change(x, o, s):
    y = [x]
    copy.copy(y)
    return y[0] + 1


def read_after_append(x, o, s):
    o.history.append(x + 1)
    return np.array(o.history)


def not_numbers(x, o, s):
    return max(x[0], o.decimal) + 1, x


def builtin_of_array(x, o, s):
    return pow(x, 2)


def attribute(x, o, s):
    return np.broadcast(x, x).iters[0].base + 1


def attribute_by_class(x, o, s):
    return copy.copy(o.bytes).fromhex("01"), x + 1


def attribute_of_class(x, o, s):
    return OfMeta.worked_out.__class__, Meta.worked_out.fget(OfMeta), x + 1


def may_raise_after_effect(x, o, s):
    try:
        copy.copy(o.decimal)
        copy.copy(o.bytes)
        return x + 1
    except IndexError:
        return x


def calls(x, o, s):
    return np.trim_zeros(x), np.roots([1.0, x[0]])


def unusual_write_dtype(x, o, s):
    y = np.zeros(4, np.longdouble)
    y[1:] = x[1:] + 1
    return y


def copyto_other_mask(x, o, s):
    np.copyto(x, x, where=np.outer(x, x) > 0)
    return x + 1


def container_contents(x, o, s):
    return x + ("a" in o.by_object)


def container_may_have_changed(x, o, s):
    y = sum(o.few) + x
    print(end="")
    return y + sum(o.few)


def loop_over_given(x, o, s):
    for y, _ in o.pairs:
        x = x + y
    return x


def out_not_native(x, o, s):
    y = np.zeros(4)
    return np.compress(x > 0, x, out=y)
