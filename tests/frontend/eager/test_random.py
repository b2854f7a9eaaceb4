"""`npcompile.numpy.random`: the same programs under NumPy and under us give the same, and leave the same."""

from __future__ import annotations

import copy
import inspect
import pickle
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy
from npcompile.frontend.eager.ndarray import ndarray
from tests.checker import same

SPACES = (numpy, npcompile.numpy)
BITS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
KINDS: dict[str, Callable[[Any], Any]] = {
    "Generator": lambda np: np.random.default_rng(3),
    "RandomState": lambda np: np.random.RandomState(3),
    "shared": lambda np: np.random.seed(3) or np.random,
    "_rand": lambda np: np.random.seed(3) or np.random.mtrand._rand,
}


def plain(value: Any) -> Any:
    """With NumPy's arrays for ours; types of ours by their names."""
    if isinstance(value, ndarray):
        return numpy.asarray(value)
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value.__name__ if isinstance(value, type) else value


def agree(program: Callable[..., Any], *args: Any) -> None:
    want, got = (program(np, *args) for np in SPACES)
    assert not [item for item in _items(got) if isinstance(item, numpy.ndarray)], "an array of NumPy's"
    same(plain(got), plain(want))


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [each for item in value for each in _items(item)] if isinstance(value, (list, tuple)) else [value]


def _matrix(np: Any) -> Any:
    rows = numpy.random.RandomState(1).normal(size=(40, 40))
    return np.asarray(rows.dot(rows.T))


def _shuffled(np: Any, draw: Any, things: list[Any]) -> list[Any]:
    draw.shuffle(things)
    return things


DRAWS: dict[str, Callable[[Any, Any], Any]] = {
    "multivariate_normal": lambda np, draw: draw.multivariate_normal(np.arange(40.0), _matrix(np), size=99),
    "choice of some": lambda np, draw: draw.choice(50, 20, replace=False),
    "choice by weights": lambda np, draw: draw.choice(
        np.arange(5.0), (2, 2), False, np.arange(5.0) / np.arange(5.0).sum()
    ),
    "choice of rows": lambda np, draw: draw.choice([np.ones(2), np.zeros(2)][0], 3),
    "permutation": lambda np, draw: draw.permutation(np.arange(12.0).reshape(6, 2)),
    "parameters": lambda np, draw: draw.normal(np.arange(3.0), np.ones((2, 1))),
    "shuffled array": lambda np, draw: _shuffled(np, draw, np.arange(20)),
    "shuffled rows": lambda np, draw: _shuffled(np, draw, np.arange(12).reshape(6, 2)),
    "shuffled view": lambda np, draw: (a := np.arange(20), draw.shuffle(a[::-2]))[0],
    "shuffled list": lambda np, draw: _shuffled(np, draw, [1, 2, 3, 4, 5]),
    "shuffled tuples": lambda np, draw: _shuffled(np, draw, [(1, 2), (3, 4), (5, 6), (7, 8)]),
    "shuffled list of arrays": lambda np, draw: _shuffled(np, draw, [np.arange(float(n)) for n in range(5)]),
    "shuffled lists": lambda np, draw: _shuffled(np, draw, [[1], [2], [3, [4]], [5]]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("draw", DRAWS)
def test_draws_are_numpys_to_the_bit(draw: str, kind: str) -> None:
    agree(lambda np: DRAWS[draw](np, KINDS[kind](np)))


def _raised(np: Any, draw: Any, things: Any) -> Any:
    with pytest.raises((TypeError, ValueError, IndexError, KeyError)) as told:
        draw.shuffle(things)
    return type(told.value), str(told.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_shuffled(kind: str) -> None:
    def program(np: Any) -> Any:
        fixed = np.arange(3)
        fixed.flags.writeable = False
        return [_raised(np, KINDS[kind](np), things) for things in (fixed, (1, 2, 3), 3, np.array(5))]

    agree(program)


@pytest.mark.parametrize("kind", KINDS)
def test_a_shuffled_mapping_is_told_of_where_it_is_shuffled(kind: str) -> None:
    def program(np: Any) -> Any:
        things = {0: 5, 1: 6, 2: 7}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
            KINDS[kind](np).shuffle(things)
        return things, [str(one.message) for one in told], [(one.filename, one.lineno - line) for one in told]

    agree(program)
    assert program(npcompile.numpy)[2] == [(__file__, 0)]


def test_an_output_is_filled() -> None:
    def program(np: Any) -> Any:
        rng, out = np.random.default_rng(1), np.zeros(3)
        answers = [rng.random(out=out), rng.standard_normal(out=out), rng.standard_gamma(2.0, out=out)]
        assert all(answer is out for answer in answers)
        rows = np.arange(6).reshape(3, 2)
        assert rng.permuted(rows, axis=0, out=rows) is rows
        return out, rows

    agree(program)


@pytest.mark.parametrize("bits", BITS)
def test_states_of_bit_generators(bits: str) -> None:
    def program(np: Any) -> Any:
        kind = getattr(np.random, bits)
        one, other = kind(np.array([1, 2, 3])), kind(5)
        before = one.state
        words = one.random_raw(3), one.random_raw()
        other.state = before
        again = other.random_raw(3), other.random_raw()
        made = [pickle.loads(pickle.dumps(one)), copy.deepcopy(one)]
        assert [type(item) for item in made] == [kind, kind]
        made += one.spawn(2)
        seed = one.seed_seq
        return before, words, again, [item.state for item in made], seed.state, seed.pool, seed.entropy

    agree(program)


@pytest.mark.parametrize("bits", BITS)
def test_states_of_generators(bits: str) -> None:
    def program(np: Any) -> Any:
        made = getattr(np.random, bits)(7)
        rng, old = np.random.Generator(made), np.random.RandomState(made)
        assert rng.bit_generator is made and np.random.default_rng(made).bit_generator is made
        old.normal()
        copies = [pickle.loads(pickle.dumps(one)) for one in (rng, old)]
        assert [type(one) for one in copies] == [type(rng), type(old)]
        state = old.get_state(legacy=False)
        numbers = [one.normal(size=3) for one in (*copies, old)]
        old.set_state(state)
        return state, numbers, old.normal(size=3), [one.normal(size=2) for one in rng.spawn(2)]

    agree(program)


def test_the_legacy_state() -> None:
    def program(np: Any) -> Any:
        old = np.random.RandomState(np.arange(4))
        old.randn(3)
        state = old.get_state()
        numbers = old.randn(3)
        old.set_state(state)
        fresh = np.random.RandomState()
        fresh.set_state(list(state)[:3])
        return state, numbers, old.randn(3), fresh.randn(3)

    agree(program)


def test_seed_sequences() -> None:
    def program(np: Any) -> Any:
        entropy = np.array([1, 2**31, 7])
        seed = np.random.SeedSequence(entropy, spawn_key=(3,), pool_size=6)
        assert seed.entropy is entropy
        children = seed.spawn(2)
        words = [
            one.generate_state(3, dtype) for one in (seed, *children) for dtype in (np.uint32, np.uint64)
        ]
        again = pickle.loads(pickle.dumps(seed))
        assert type(again) is type(children[0]) is type(seed)
        drawn = np.random.default_rng(children[1]).random(2)
        return words, again.state, again.pool, seed.spawn_key, drawn, repr(children[0])

    agree(program)


def test_a_seed_of_ones_own() -> None:
    def program(np: Any) -> Any:
        class Zeros:
            def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
                return np.zeros(n_words, dtype=dtype)

        np.random.bit_generator.ISeedSequence.register(Zeros)
        seed = Zeros()
        made = np.random.PCG64(seed)
        assert made.seed_seq is seed
        with pytest.raises(TypeError, match="The underlying SeedSequence"):
            made.spawn(2)
        return made.state, made.random_raw(2)

    agree(program)


def test_the_shared_generator() -> None:
    def program(np: Any) -> Any:
        first = np.random.get_bit_generator()
        try:
            made = np.random.PCG64(0)
            np.random.set_bit_generator(made)
            assert np.random.get_bit_generator() is made
            assert np.random.mtrand._rand._bit_generator is made
            np.random.seed(9)
            drawn = [np.random.rand(2), np.random.mtrand._rand.rand(2), np.random.mtrand.rand(2)]
            same_one = np.random.default_rng(np.random.mtrand._rand).bit_generator is made
            return drawn, same_one, np.random.get_state(legacy=False), np.random.mtrand._rand.randn(3)
        finally:
            np.random.set_bit_generator(first)

    agree(program)


@pytest.mark.parametrize("name", ["Generator", "RandomState", "SeedSequence", *BITS])
def test_numpys_objects_are_of_our_types(name: str) -> None:
    kind, theirs = getattr(npcompile.numpy.random, name), getattr(numpy.random, name)
    arguments = [numpy.random.PCG64(0)] if name == "Generator" else [0]
    made = pickle.loads(pickle.dumps(theirs(*arguments)))
    assert isinstance(made, kind) and issubclass(kind, theirs)
    assert not isinstance(made, types.new_class("Derived", (kind,)))
    assert isinstance(kind(*arguments), theirs)


@pytest.mark.parametrize("name", ["Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial"])
def test_polynomials_can_be_pickled(name: str) -> None:
    made = getattr(npcompile.numpy.polynomial, name)([1.0, 2.0, 3.0])
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made) and again == made and isinstance(again.coef, ndarray)
