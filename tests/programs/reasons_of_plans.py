"""Programs for causes of the catalog about masks, the ends of segments, and statements that no block holds.

Each function has the cause of its name, in small letters. tests/diagnostics/test_reasons_catalog.py calls it
with `x`, float64[4], `o`, an `Argument`, and a list `s` of two arrays.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

HELD: list[Any] = []

# Masks whose elements are compacted, or computed at full length.


def picked_returned(x, o, s):
    return x[x > 2]


def picked_shape_decides(x, o, s):
    y = x[x > 2]
    return np.select([y > 3], [y]).sum()


def picked_dtype(x, o, s):
    return x.astype(np.longdouble)[x > 2].sum()


def picked_from_written(x, o, s):
    y = x[x > 2]
    x[3] = 5.0
    return y.sum()


def picked_decides(x, o, s):
    return x + 1 if x[x > 3] else x


def picked_in_order(x, o, s):
    return np.cumsum(x[x > 2])


def picked_keywords(x, o, s):
    return np.add(x[x > 2], 1, order="C").sum()


def picked_may_raise(x, o, s):
    y = x.astype(int)[x > 2]
    return (y**y).sum()


def picked_by_another(x, o, s):
    return (x[x > 2] + x[x < 3]).sum()


def picked_in_list(x, o, s):
    y = x[x > 2]
    return np.where([y, y], 1.0, 2.0).sum(), np.clip([y, y], 1.0, 2.0).sum()


def picked_other_length(x, o, s):
    return (x[x > 2] + np.ones(2)).sum()


def picked_meets_list(x, o, s):
    return (x[x > 2] + [1.0, 2.0]).sum()


def picked_arguments(x, o, s):
    return np.sum(x[x > 2], initial=1.0)


def picked_no_axis(x, o, s):
    return np.sum(np.outer(x, x)[x > 2], axis=())


def picked_keepdims(x, o, s):
    return np.sum(x[x > 2], keepdims=True)


def picked_mask_written(x, o, s):
    mask = x > 2
    y = x[mask]
    mask[0] = True
    return y.sum()


def picked_extreme(x, o, s):
    return np.max((x + 1j)[x > 2])


def picked_counted_late(x, o, s):
    mask = x > 2
    y = x[mask]
    mask[0] = True
    return x * len(y), y.sum()


def picked_stored_elsewhere(x, o, s):
    y = x[x > 2]
    y[...] = 1.0
    return y.sum()


def picked_other_mask(x, o, s):
    x[x < 3] = x[x > 2]
    return x


def picked_into_dtype(x, o, s):
    y = np.zeros(4, np.longdouble)
    y[x > 2] = x[x > 2]
    return y


def picked_complex(x, o, s):
    x[x > 2] = (x + 1j)[x > 2]
    return x


def picked_share(x, o, s):
    return x[x > 2].mean()


def mask_as_where(x, o, s):
    return np.sqrt(x[x > 2]).sum()


def compacted(x, o, s):
    return np.unique(x)


def no_op(x, o, s):
    return np.sort(x, kind="stable"), np.add(x, 1, dtype=np.longdouble)


def field_copied(x, o, s):
    return o.record["number"] + x


# Ends of segments.


def reads_partly_written(x, o, s):
    y = x + 1
    x[1:] = 3.0
    return x * 2 + y


def checks_after_write(x, o, s):
    y = x.astype(int) % 2
    z = x + 1
    x[...] = z
    return np.take(z, y) + z


def copied_whole(x, o, s):
    x[...] = x.astype(">f8")
    return x + 1


def write_overlaps(x, o, s):
    x[1:] = x[:-1] * 2
    return x


def checked_first(x, o, s):
    x[...] = x[x.astype(int) - 1] + 1
    return x


def shown_twice(x, o, s):
    y = np.lib.stride_tricks.as_strided(x, (4, 2), (8, 0))
    y[...] = x[:, None] + np.ones(2)
    return x


def on_host_next(x, o, s):
    return np.sort(x + 1) * 2


def written_from_here(x, o, s):
    y = x + 1
    y[1:] = y[:-1] * 2
    return y


# Statements that no block holds.


def calls_compiled(x, o, s):
    return functools.partial(np.add, x)(1.0), give(functools.partial(np.add, x))(2.0)


def give(value):
    return np.frompyfunc(lambda _: value, 1, 1)(0)


def makes_function(x, o, s):
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        HELD[:] = [lambda k=x[0] + 1: k]
    return x


def unbinds(x, o, s):
    table = {}
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        table[0] = x
        print(end="")
        del table[0]
    return x


def depends_on_trip(x, o, s):
    for k in range(60):
        y = np.sin(np.ones(1000 + k)) * 2
        x = x + y.sum() + np.cos(y).sum()
        print(end="")
    return x


def picked_other_index(x, o, s):
    y = np.zeros((4, 4))
    y[x > 2, x > 2] = x[x > 2]
    return y


def moving_view(x, o, s):
    y = np.outer(x, x)
    return y[np.argmax(x)] * 2 + 1


def part_made_and_written(x, o, s):
    y = np.zeros(4)
    x[0] = 3.0
    y[1:] = x[1:] + 1
    x[1:] = y[1:] * 2
    y[:2] = x[:2]
    return y


def numpys_own(x, o, s):
    return {"a": 1}.get(np.array("a").item()), x + 1


def pythons_own(x, o, s):
    y = np.array(x[1])
    x **= y
    x **= x[0].reshape(())
    return x


def little_each_trip(x, o, s):
    k = 0
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        print(end="")
        k = abs(-3) + 1
    return x, k


def loop_left(x, o, s):
    k = 0
    for i in range(1, len(x)):
        x[i] = x[i - 1] + (lambda: 1)()
        k = abs(-3) + 1
    return x, k


def effect(x, o, s):
    total = s[0] + x
    print(end="")
    for y in s:
        total = total + y
    return total


def stores_into_object(x, o, s):
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        print(end="")
    if x.sum() < 0:
        o.thing.x = x[0]
    return x


def draws(x, o, s):
    while x.sum() < 1e6:
        x = np.sin(x) + x * 2
        print(end="")
    if x.sum() < 0:
        x = x + next(iter(s))
    return x
