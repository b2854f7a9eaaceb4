"""Functions that work with objects that hold arrays: each is one program.

Arguments are made by `ARGUMENTS` of an array each; where nothing stands there, it is one `Vector`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.array_holder_classes import (
    Body,
    Dual,
    Frozen,
    Late,
    Missing,
    Mixed,
    Mode,
    Node,
    Pair,
    Record,
    Scaled,
    Shape,
    Slotted,
    Square,
    Vector,
    Wrapped,
)


def operators(v):
    w = v + v * 2.0 - 3.0 * v
    return w - v


def makes_one(v):
    return Vector(v.x * 2)


def products(v):
    return v * v, v @ v, abs(v)


def unary(v):
    return -v


def in_place(v):
    w = Vector(v.x)
    w *= 2.0
    w += w
    return w


def in_place_outside(v):
    v *= 2.0
    return v


def compares(v, w):
    return (1.0 if v < w else 2.0) * v.x, w > v, v == w, v != w, v == 1


def contained(v):
    return v.x * (2.0 if v.x[0] in v else 3.0)


def truth(v):
    return v.x * 2 if v else v.x


def length(v):
    return v.x * len(v)


def items(v):
    w = Vector(v.x * 2)
    w[1] = 5.0
    w[2] += v[1]
    return w[1:], v[0] * v[2]


def unpacks(v):
    a, b = v
    return a + b, [part.sum() for part in v]


def asks_a_property(v):
    return v.x * v.total


def sets_a_property(v):
    w = Vector(v.x + 1)
    w.total = 2.0
    v.total = 3.0
    return w


def calls_a_method(v):
    return v.x / v.norm() + v.half(v.x) + Vector.half(v.x)


def reads_of_the_class(v):
    return Vector(v.x * Vector.unit * v.unit)


def subclass_goes_first(v, w):
    return v + w, w + v


def calls_super(v):
    return v.norm(), Scaled(v.x).norm()


def numpy_defers(v):
    return v.x, 2.0 * v, v.x * v, v.x - v


def overrides(v):
    return np.sin(v), np.add(v, 1.0), v.x * v


def dual(v):
    y = Dual(v.x)
    return y * y + 2.0 * y.sin() + 1.0


def backward(v):
    a, b = Node(v.x), Node(v.x + 1)
    loss = a * b + a * a + b
    loss.backward()
    return loss.data, a.grad, b.grad


def abstract(v):
    return Square(v.x).twice(), isinstance(v, Shape)


def dynamic(v):
    m = Missing(v.x)
    return m.twice + m.squared + m.squared * v.squared_norm if hasattr(m, "none") else m.twice + m.squared


def records(v):
    r = Record(v.x)
    r = dataclasses.replace(r, x=r.x + 1)
    r.y = r.y * 2
    return r, Record(r.z, tags=[v.x]), Slotted(v.x)


def frozen(v):
    s = Frozen(v.x)
    for _ in range(3):
        s = s + 0.5 * s
    return s


def frozen_outside(s):
    return dataclasses.replace(s + 2.0 * s, v=s.u)


def named_tuples(p):
    q = p.swapped()
    a, b = p
    return q, q.a * q[1], a * b, p[0], p._replace(a=1.0) if False else Pair(a)


def modes(v):
    mode = Mode.ADD if v.unit == 2.0 else Mode.MULTIPLY
    return v.x + 1 if mode is Mode.ADD else v.x * mode.value


def several(v):
    made = {"a": Vector(v.x), "b": [Vector(v.x * 2)]}
    total = sum((one.x for one in [made["a"], *made["b"]]), np.zeros(6))
    return made, total


def sums(v):
    return sum([v, v * 2.0], Vector(v.x * 0))


def partials(v):
    def scaled(a, x, b):
        return a * x + b

    f = functools.partial(scaled, 2.0, b=v.x)
    return f(v.x) + functools.partial(np.add, 1.0)(v.x)


def stores(body):
    body.x = body.x * 2
    body.t += 0.5
    body.n += 1
    body.count += 1
    return body.x * body.t


def stores_and_reads(body):
    body.x = body.x + 1
    y = body.x * 2
    body.x = y
    body.inner.x = body.inner.x + y
    body.new = body.inner.x.sum()
    return body.new * body.x, y is body.x


def stores_before_deciding(body):
    body.n += 1
    body.x = body.x * 2
    if body.x.sum() > -1e9:
        body.t = 2.0
    body.x[0] = 7.0
    return body.t


def stores_and_answers(body):
    body.made = Vector(body.x * 2)
    body.again = body.made
    return body.made, body.made.x


def mixed_in(m):
    n = 2 * m - m / 4 + abs(-m)
    n += m
    n @= np.eye(6)
    return n, n < m, m == 1.0, m**2, n.unit


def taken_over(m):
    both = np.stack([m, m.x * 2], axis=1)
    return np.sum(both, axis=0), np.median(m) * 2, np.where(m < 1.0, m, 0.0), m.asked


def stores_to_both(one, other):
    one.x = one.x + 1
    other.x = other.x * 2
    return (one.x + other.x).sum()


def stores_by_name(body):
    for name in ("x", "y"):
        setattr(body, name, body.x * 2)
    return getattr(body, "y")  # noqa: B009


def swaps(body):
    body.x, body.y = body.inner.x, body.x
    body.inner.x = body.y * 2
    return body.x


def stores_none_and_text(body):
    body.x, body.name, body.flag = None, "done", True
    return body.t


def moves_objects(body):
    body.inner = body.inner * 2.0 + Vector(body.x)
    return body.inner.x


ARGUMENTS: dict[Callable[..., Any], tuple[Any, ...]] = {
    compares: (Vector, Vector),
    subclass_goes_first: (Vector, Scaled),
    calls_super: (Scaled,),
    numpy_defers: (Late,),
    overrides: (Wrapped,),
    mixed_in: (Mixed,),
    taken_over: (Mixed,),
    frozen_outside: (Frozen,),
    named_tuples: (Pair,),
    stores: (Body,),
    stores_and_reads: (Body,),
    stores_before_deciding: (Body,),
    stores_and_answers: (Body,),
    stores_to_both: (Body, Body),
    stores_by_name: (Body,),
    swaps: (Body,),
    stores_none_and_text: (Body,),
    moves_objects: (Body,),
}
FUNCTIONS: list[Callable[..., Any]] = [
    *(operators, makes_one, products, unary, in_place, in_place_outside, compares, contained, truth, length),
    *(items, unpacks, asks_a_property, sets_a_property, calls_a_method, reads_of_the_class, calls_super),
    *(
        subclass_goes_first,
        numpy_defers,
        overrides,
        mixed_in,
        taken_over,
        dual,
        backward,
        abstract,
        dynamic,
        records,
        frozen,
    ),
    *(frozen_outside, named_tuples, modes, several, sums, partials, stores, stores_and_reads),
    *(stores_before_deciding, stores_and_answers, stores_to_both, stores_by_name, swaps),
    *(stores_none_and_text, moves_objects),
]
