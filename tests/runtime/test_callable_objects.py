"""Objects with `__call__`, and functions whose asserts pytest has rewritten: recorded like any others."""

from __future__ import annotations

import copy
import functools
import importlib.util
import re
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.root_function import RootFunction
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


X = np.linspace(0.5, 2.0, 6)


def asserting(x, k):
    assert len(x) == 3 and x.ndim == 1, "three numbers"

    def within(y):
        assert (y > 0).all(), f"all positive, not {y[0]}"
        return y

    assert x.sum() > 1
    return within(x) * k


def test_asserts_that_pytest_has_rewritten() -> None:
    """A function of a test module is compiled like any other; its asserts tell what pytest has them tell."""

    def outcome(fn: Any, x: np.ndarray) -> Any:
        try:
            return list(fn(x, 2))
        except AssertionError as error:
            return re.sub("0x[0-9a-f]+", "", str(error))

    jitted = npcompile.jit(asserting)
    for x in (X[:3], X[1:4], -X[:3], X[:2], X[:3] - 1, X[2:5]):
        assert outcome(jitted, x) == outcome(asserting, x)
    assert jitted.stats.plain_calls == 0 and jitted.stats.replays >= 1


class Layer:
    def __init__(self, weights, scale=1.0):
        self.weights, self.scale, self.calls = weights, scale, 0

    def __call__(self, x):
        return np.tanh(x @ self.weights) * self.scale


class Counting(Layer):
    def __call__(self, x):
        self.calls += 1
        return super().__call__(x) - self.calls


class Network:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def through(network, x):
    return network(x).sum(axis=1)


def trained(network, x):
    losses = []
    for _ in range(3):
        y = network(x)
        losses.append(float((y * y).sum()))
        network.layers[0].scale *= 0.5
    return losses, y


def layers(kind: type) -> tuple[Network, np.ndarray]:
    rng = np.random.default_rng(0)
    return Network(Layer(rng.random((4, 5))), kind(rng.random((5, 3)))), rng.random((6, 4))


@pytest.mark.parametrize("kind", [Layer, Counting])
@pytest.mark.parametrize("fn", [through, trained])
def test_objects_that_are_called(fn: Any, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """`__call__` is a method like others: recorded with what calls it, and looked up at each call."""
    jitted = npcompile.jit(fn)
    (mine, x), (theirs, _) = layers(kind), layers(kind)
    for call in range(8):
        same(jitted(mine, x), fn(theirs, x), ulp=64, scale=1.0)
        assert mine.layers[1].calls == theirs.layers[1].calls
        if call == 3:
            mine.layers[0].scale = theirs.layers[0].scale = 3.0
        if call == 4:
            monkeypatch.setattr(kind, "__call__", lambda self, x: x[:, :3] * self.scale)
        if call == 5:  # which calls do not see
            mine.layers[0].__call__ = theirs.layers[0].__call__ = np.sin
    if fn is through and kind is Layer:
        assert jitted.stats.plain_calls == 0 and jitted.stats.recordings <= 4, jitted.stats


class Model(Layer):
    name, note = "a model", None

    def __init__(self, *args):
        super().__init__(*args)
        self.signature, self.stats = None, "its own"

    def __call__(self, x, power=1):
        self.calls += 1
        return super().__call__(x) ** power + self.calls


def test_jit_of_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `__call__` is jitted; its attributes are its own, whatever their names."""
    mine, theirs = (Model(np.eye(6) * 0.5) for _ in range(2))
    jitted = npcompile.jit(npcompile.jit(mine), wait=True)
    for call in range(8):
        same(jitted(X, power=1 + call % 3), theirs(X, power=1 + call % 3), ulp=4)
        assert jitted.calls == mine.calls == theirs.calls
        if call == 4:
            jitted.scale = theirs.scale = 3.0
    assert (jitted.func.stats.recordings, jitted.func.stats.replays) == (1, 7)
    assert (jitted.name, jitted.note, jitted.signature, jitted.stats) == ("a model", None, None, "its own")
    del jitted.signature
    assert not hasattr(mine, "signature") and jitted.wait() is None
    same(copy.deepcopy(jitted)(X), copy.deepcopy(theirs)(X), ulp=4)
    assert npcompile.explain(jitted, X).programs and npcompile.verify(jitted, X)
    assert jitted.calls == mine.calls
    monkeypatch.setattr(Model, "__call__", lambda self, x: x * self.scale)
    same(jitted(X), X * 3.0)


def test_attributes_of_functions_do_not_get_in_the_way() -> None:
    def f(x):
        return x * 2

    f.name, f.signature, f.note, f.by_signature, f.mine = 1, None, 2, 3, "mine"
    jitted = npcompile.jit(f)
    for _ in range(3):
        same(jitted(X), f(X))
    assert jitted.stats.replays == 2 and jitted.mine == "mine"
    texts = npcompile.jit(np.vectorize(lambda v: v + 1))  # an object with attributes of many names
    with pytest.warns(npcompile.NotCompiledWarning, match="is not a Python function"):
        same(texts(X), X + 1)


# The names of the engine's own attributes and of those that `Jitted` shows, which a program may take, too.
NAMES = sorted(
    name
    for name in {*dir(npcompile.Jitted), *dir(RootFunction)}
    if "__" not in name and "npcompile" not in name
)


def test_attributes_of_any_name_are_the_programs() -> None:
    """They are set and deleted while calls are recorded, replayed and done by native loops."""

    def f(x):
        total = 0.0
        for item in x:
            total += item
        return total, x * 2

    def shown(x):
        return x + 1

    given, jitted = npcompile.jit(shown), npcompile.jit(f, wait=True)
    shown.__dict__.update(dict.fromkeys(NAMES, "mine"))
    late = npcompile.jit(shown)
    for name in NAMES:
        assert getattr(late, name) == "mine"
        setattr(given, name, name)
        same(given(X), shown(X))
        same(jitted(X), f(X))
        setattr(jitted, name, {name: 1})
        same(jitted(X), f(X))
        assert getattr(jitted, name) == {name: 1}
        delattr(jitted, name)
    for _ in range(3):
        same(late(X), shown(X))
    assert [getattr(given, name) for name in NAMES] == NAMES
    assert npcompile.explain(late, X).programs and jitted.stats.calls == 2 * len(NAMES)


def test_jit_of_a_jitted_function() -> None:
    """The same function once more, with the options of the second."""
    again = npcompile.jit(npcompile.jit(lambda x: x * 2), wait=True)
    for _ in range(2):
        assert (again(np.arange(3.0)) == [0, 2, 4]).all()
    assert again.stats.recordings == again.stats.replays == 1 and not again.stats.reasons


def weighted(a, b, x, k=1.0):
    return a * x * x + b * k


def test_jit_of_a_partial_object() -> None:
    """The function in it is compiled, with what it holds as arguments."""
    made = functools.partial(weighted, 2.0, k=3.0)
    jitted = npcompile.jit(made)
    for b in (1.0, 2.0, 3.0, 4.0):
        same(jitted(b, X), made(b, X))
        same(jitted(b, X, k=b), made(b, X, k=b))
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 7)
    assert npcompile.jit(jitted, wait=True).func.__wrapped__ is weighted
    assert npcompile.explain(jitted, 1.0, X).programs and npcompile.verify(jitted, 1.0, X)


def test_partial_objects_as_arguments() -> None:
    def run(f, x):
        return f(1.0, x) * 2

    jitted = npcompile.jit(run)
    for scale in (1.0, 2.0, 3.0):
        for held in (X * scale, X + scale):
            given = functools.partial(weighted, held, k=scale)
            same(jitted(given, X), run(given, X))
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 5)
    same(jitted(functools.partial(np.where, X > 1), X), run(functools.partial(np.where, X > 1), X))


UNREGISTERED = """
import numpy as np

class Body:
    def __init__(self, x):
        self.x = x
        self.speed = 2.0

    def move(self, dt):
        self.x = self.x + self.speed * dt
        return self.x.sum()
"""


def test_classes_of_modules_without_a_name_among_the_loaded_ones_are_followed(tmp_path):
    (tmp_path / "bodies.py").write_text(UNREGISTERED)
    spec = importlib.util.spec_from_file_location("bodies_of_no_name", tmp_path / "bodies.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    move = npcompile.jit(module.Body.move)
    body, plain = (module.Body(np.arange(5.0)) for _ in range(2))
    for _ in range(4):
        assert move(body, 0.5) == plain.move(0.5)
        assert np.array_equal(body.x, plain.x)
    assert (move.stats.recordings, move.stats.replays, move.stats.reasons) == (1, 3, [])
