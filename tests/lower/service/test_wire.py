"""The wire form and the keys: equal structure, equal key."""

from __future__ import annotations

import operator
import pickle

import numpy as np
import pytest
import torch

from npcompile.lower.plan.attributes import annotate
from npcompile.lower.plan.graph import (
    Overload,
    dump,
    evaluate,
    inputs_of,
    key,
    outputs_of,
    pack,
    rows_of,
    unpack,
    write,
    written,
)
from npcompile.lower.plan.values import Value
from tests.lower.segments import Builder, segment

X = np.ones((3, 4))


def body(scale=2.0, names=""):
    def build(b, x, y):
        if names:
            x.name = names
        b(write, y, b.item(x, (slice(0, 2), None, ..., 1)))
        both = b(torch.ops.aten.mul.Tensor, x, scale)
        return [b(torch.cat, [x, both], dim=1)]

    return segment(build, [X, X[:2, :1]], [np.ones((3, 8))])


def test_a_graph_comes_back_whole():
    rows = unpack(dump(body()))
    calls = [row for row in rows if row[0] == "call"]
    assert [row[1] for row in calls] == [operator.getitem, write, Overload("aten.mul.Tensor"), torch.cat]
    assert calls[0][2][1] == (slice(0, 2), None, ..., 1) and calls[3][3] == {"dim": 1}
    assert [v.shape for v in inputs_of(rows)] == [(3, 4), (2, 1)]
    assert outputs_of(rows)[0].strides == (8, 1) and written(rows) == {1}
    assert pack(rows) == dump(body()) and len(dump(body())) < 1500


def test_rows_are_evaluated_one_by_one():
    x, y = torch.arange(12.0).reshape(3, 4), torch.zeros(2, 1)
    (result,) = evaluate(rows_of(body()), x, y)
    assert torch.equal(result, torch.cat([x, x * 2], dim=1)) and torch.equal(y, x[:2, None, 1])


def test_structure_alone_makes_the_key():
    base = key(dump(body()), "salt", 2)
    assert base == key(dump(body(names="other")), "salt", 2)
    different = [
        *(key(dump(body(scale)), "salt", 2) for scale in (2, 2.5, -2.0)),
        key(dump(body()), "pepper", 2),
        key(dump(body()), "salt", 1),
    ]
    assert len({base, *different}) == 6


def test_zero_and_minus_zero_differ_in_the_key():
    assert dump(body(0.0)) != dump(body(-0.0)) and dump(body(True)) != dump(body(1))


def test_what_cannot_travel_is_refused():
    b = Builder()
    x = b.graph.placeholder("x")
    annotate(x, "input", Value("object"))
    b.graph.call_method("sum", (x,))
    with pytest.raises((TypeError, AttributeError)):
        dump(b.graph)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        dump(segment(lambda b, x: [b(lambda a: a, x)], [X], [X]))
