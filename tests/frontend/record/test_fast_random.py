"""`fast_random=True`: seeds decide the numbers, however a call is answered; they are distributed as asked."""

from __future__ import annotations

import math
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def several(rng, a, n):
    x = rng.normal(1.0, a, size=n)
    y = rng.random((n,)) + rng.exponential(size=n)
    return np.sin(x) * a + y + rng.integers(3, 9, size=n)


def legacy(rng, a, n):
    np.random.seed(n)
    made = np.random.rand(n) + np.random.randn(n) + np.random.randint(10, size=n)
    return made * np.random.uniform(-a, a, n) + np.random.RandomState(3).normal(size=n)


def in_a_loop(rng, a, n):
    found = []
    for _ in range(n):
        found.append(float(rng.normal(scale=a, size=100).mean()))
    return found


def helper(rng, n):
    return rng.standard_normal((2, n))


def in_a_helper(rng, a, n):
    return helper(rng, n) * a + helper(rng, n)


def plainly(function: Callable[..., Any], *args: Any) -> Any:
    """A call that is not recorded: a tracer has users see their own function."""
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        return function(*args)
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("function", [several, legacy, in_a_loop, in_a_helper])
def test_the_seed_decides_the_numbers_recorded_replayed_and_plain(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True, fast_random=True)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(4):
        same(jitted(one, 2.0, 6), plainly(jitted, other, 2.0, 6), ulp=64, scale=64.0)
    assert jitted.stats.replays >= (1 if function is legacy else 2), jitted.stats
    assert one.bit_generator.state == other.bit_generator.state
    assert not np.allclose(jitted(one, 2.0, 6), function(other, 2.0, 6))  # they are not NumPy's numbers


def test_compiled_numbers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")
    jitted = npcompile.jit(several, wait=True, fast_random=True)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(3):
        same(jitted(one, 2.0, 6), plainly(jitted, other, 2.0, 6), ulp=64, scale=64.0)
    assert jitted.stats.replays == 2 and jitted.stats.kernels


def drawn(draw: Callable[..., Any], count: int) -> np.ndarray:
    """Numbers of two calls of a jitted draw, the second of them replayed."""
    jitted = npcompile.jit(draw, wait=True, fast_random=True)
    rng = np.random.default_rng(11)
    made = np.concatenate([jitted(rng, count // 2).ravel(), jitted(rng, count // 2).ravel()])
    assert jitted.stats.replays == 1 and len(set(made.tolist())) > min(count // 2, 100)
    return made


COUNT = 200_000
DISTRIBUTIONS: list[tuple[Callable[..., Any], Callable[[float], float]]] = [
    (lambda rng, n: rng.random(n), lambda x: x),
    (lambda rng, n: rng.uniform(-2.0, 3.0, (n // 4, 4)), lambda x: (x + 2) / 5),
    (lambda rng, n: rng.standard_normal(size=n), lambda x: 0.5 + 0.5 * math.erf(x / math.sqrt(2))),
    (lambda rng, n: rng.normal(1.0, 3.0, n), lambda x: 0.5 + 0.5 * math.erf((x - 1) / 3 / math.sqrt(2))),
    (lambda rng, n: rng.standard_exponential(n), lambda x: 1 - math.exp(-x)),
    (lambda rng, n: rng.exponential(2.5, n), lambda x: 1 - math.exp(-x / 2.5)),
]


@pytest.mark.parametrize("draw,cumulative", DISTRIBUTIONS)
def test_numbers_are_distributed_so(draw: Callable[..., Any], cumulative: Callable[[float], float]) -> None:
    """Kolmogorov's distance, which is larger once in a million; neighbours are not correlated."""
    made = drawn(draw, COUNT)
    assert made.dtype == np.float64 and made.size == COUNT
    shares = np.sort([cumulative(value) for value in made])
    distance = np.abs(shares - (np.arange(COUNT) + 0.5) / COUNT).max()
    assert distance < 2.7 / math.sqrt(COUNT)
    assert abs(np.corrcoef(made[:-1], made[1:])[0, 1]) < 5 / math.sqrt(COUNT)


def test_integers_are_distributed_so() -> None:
    made = drawn(lambda rng, n: rng.integers(-100, 150, size=n), COUNT)
    counts = np.bincount(made + 100, minlength=250)
    assert made.dtype == np.int64 and counts.size == 250
    expected = COUNT / 250
    assert ((counts - expected) ** 2 / expected).sum() < 250 + 6 * math.sqrt(500)


def own(rng, n):
    made = rng.normal(size=(3, n)), rng.random((n, 2)), rng.integers(5, size=n)
    return made, [(item.flags.writeable, item.strides) for item in made]


def test_arrays_are_as_numpys() -> None:
    jitted = npcompile.jit(own, wait=True, fast_random=True)
    for _ in range(3):
        made, facts = jitted(np.random.default_rng(0), 4)
        theirs, expected = own(np.random.default_rng(0), 4)
        assert facts == expected
        assert [item.shape for item in made] == [item.shape for item in theirs]


def scaled(rng, x, scale):
    x += 1
    return rng.normal(0.0, scale, 3) + x


def test_numpys_exceptions() -> None:
    jitted = npcompile.jit(scaled, wait=True, fast_random=True)
    rng = np.random.default_rng(0)
    for scale in (1.0, 2.0, -1.0, 1.0, -1.0):
        x, before = np.zeros(3), rng.bit_generator.state
        if scale < 0:
            with pytest.raises(ValueError, match="scale < 0"):
                jitted(rng, x, scale)
            assert rng.bit_generator.state == before
        else:
            jitted(rng, x, scale)
        assert (x == 1).all()


LEFT_TO_NUMPY: list[Callable[..., Any]] = [
    lambda rng: rng.random(),
    lambda rng: rng.random(4, dtype=np.float32),
    lambda rng: rng.normal([1.0, 2.0], 1.0, 2),
    lambda rng: rng.integers(2**40, size=4),
    lambda rng: rng.standard_normal(out=np.zeros(3)),
    lambda rng: rng.gamma(2.0, size=4),
    lambda rng: rng.permutation(9),
    lambda rng: rng.choice(9, 4),
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("draw", LEFT_TO_NUMPY)
def test_what_is_left_to_numpy(draw: Callable[..., Any]) -> None:
    jitted = npcompile.jit(draw, wait=True, fast_random=True)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(3):
        same(jitted(one), draw(other))


def test_without_the_option_numbers_are_numpys() -> None:
    jitted = npcompile.jit(several, wait=True)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(3):
        same(jitted(one, 2.0, 5), several(other, 2.0, 5), ulp=64, scale=64.0)


def test_the_option_is_pickled() -> None:
    copy = pickle.loads(pickle.dumps(npcompile.jit(several, fast_random=True)))
    found = copy(np.random.default_rng(5), 2.0, 6)
    same(found, npcompile.jit(several, fast_random=True)(np.random.default_rng(5), 2.0, 6))
