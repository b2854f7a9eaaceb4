"""The wire form and the keys: equal structure, equal key."""

from __future__ import annotations

import operator
import pickle

import numpy as np
import pytest
import torch

from npcompile.lower.graph import dump, inputs_of, key, load, outputs_of, write, written

from .segments import Builder, segment

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
    graph = load(dump(body()))
    calls = [n for n in graph.nodes if n.op == "call_function"]
    targets = [operator.getitem, write, torch.ops.aten.mul.Tensor, torch.cat]
    assert [n.target for n in calls] == targets
    assert calls[0].args[1] == (slice(0, 2), None, ..., 1) and calls[3].kwargs == {"dim": 1}
    assert [v.shape for v in inputs_of(graph)] == [(3, 4), (2, 1)]
    assert outputs_of(graph)[0].strides == (8, 1) and written(graph) == {1}
    assert dump(graph) == dump(body()) and len(dump(body())) < 1500


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
    x.meta["value"] = None
    b.graph.call_method("sum", (x,))
    with pytest.raises((TypeError, AttributeError)):
        dump(b.graph)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        dump(segment(lambda b, x: [b(lambda a: a, x)], [X], [X]))
