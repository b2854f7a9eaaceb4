"""`f.compile(*examples)`: the first call is a replay, and nothing of the caller's has changed."""

from __future__ import annotations

import doctest
import random
import subprocess
import sys
import textwrap
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile import spec
from tests.test_examples import EXAMPLES, TABLE, Row, load, matches, name_of

X = np.linspace(0.5, 2.0, 40).reshape(8, 5)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled: which calls are replays does not depend on that."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def scaled(x: Any, k: float = 2.0) -> Any:
    x -= x.mean(axis=0)
    return np.sqrt(np.abs(x)) * k


def looped(x: Any, count: int) -> Any:
    sums = []
    for trip in range(count):
        sums.append((x * trip).sum())
        print(end="")
    return sums


def distances(a: Any, b: Any) -> Any:
    return np.linalg.norm(a[:, None] - b, axis=2).min(axis=1)


def picked(box: dict[str, Any], places: Any) -> Any:
    return box["x"][places] + box["y"]


def replays(jitted: Any, *args: Any, **kwargs: Any) -> int:
    """Call once, compare with NumPy, and return the replays of that call."""
    before = jitted.stats.replays
    expected = jitted.__wrapped__(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in args), **kwargs)
    np.testing.assert_allclose(jitted(*args, **kwargs), expected, rtol=1e-12)
    return int(jitted.stats.replays) - before


def test_the_first_call_is_a_replay_and_the_examples_are_left_alone() -> None:
    jitted, x = npcompile.jit(scaled), X.copy()
    assert jitted.compile(x, k=3.0) is None
    assert (x == X).all()
    compiled = jitted.stats.compilations
    assert compiled > 0
    assert replays(jitted, x, 5.0) == 1
    assert jitted.stats.compilations == compiled and jitted.stats.plain_calls == 0


def test_any_length_of_a_named_dimension_is_replayed_small_and_large() -> None:
    jitted = npcompile.jit(scaled)
    jitted.compile(spec("float64", ("n", 3)))
    compiled = jitted.stats.compilations
    for length in (2, 57, 1000, 100_000, 300_000):
        assert replays(jitted, np.random.default_rng(length).random((length, 3))) == 1, length
    assert jitted.stats.compilations == compiled


ROWS = [row for row in TABLE if row.module in ("gpt", "kalman", "life", "particle_in_cell")]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_an_example_is_replayed_at_its_first_call(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    entry = getattr(load(row.module), row.entry)
    (jitted, args), (_, kept) = (entry(seed=0, **row.size) for _ in range(2))
    jitted.compile(*args)
    matches(args, kept, 0.0, "the examples")
    (_, args), (_, others) = (entry(seed=1, **row.size) for _ in range(2))
    before = jitted.stats.replays
    matches((jitted(*args), args), (jitted.__wrapped__(*others), others), row.tolerance, name_of(row))
    assert jitted.stats.replays == before + 1


PROGRAM = """
    import numpy as np, npcompile
    from tests.runtime.test_ahead import X, scaled

    jitted = npcompile.jit(scaled)
    jitted.compile(X, 2.0)
    jitted(X.copy(), 2.0)
    stats = jitted.stats
    print(stats.compilations, stats.kernels > 0, stats.replays > 0)
"""


def test_a_process_with_the_same_cache_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["1 True True\n", "0 True True\n"]


@pytest.mark.usefixtures("interpreted")
def test_a_function_that_is_cut_into_blocks() -> None:
    jitted = npcompile.jit(looped)
    jitted.compile(spec("float64", (None,)), 4)
    assert [replays(jitted, np.arange(float(length)), 4) for length in (23, 500)] == [1, 1]


@pytest.mark.usefixtures("interpreted")
def test_dimensions_of_one_name_are_equal_and_others_are_not() -> None:
    seen: list[tuple[int, ...]] = []

    def noted(a: Any, b: Any, c: Any) -> Any:
        seen.append((*a.shape, *b.shape, *c.shape))
        return a[0] + b

    npcompile.jit(noted).compile(spec("f4", ("n", "m")), spec("int8", ("m",)), c=spec("?", (None, 7)))
    assert {shape[1] == shape[2] for shape in seen} == {True}
    assert all(len({shape[0], shape[1], shape[3]}) == 3 and shape[4] == 7 for shape in seen)
    assert min(map(min, seen)) > 1 and len({shape[0] for shape in seen}) > 2


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("view", [X[::2], X.T, X[:, ::-1], np.asfortranarray(X)])
def test_copies_lie_in_memory_as_the_examples_do(view: Any) -> None:
    jitted = npcompile.jit(lambda x: np.abs(x) + 1)
    jitted.compile(view)
    assert replays(jitted, view) == 1


@pytest.mark.usefixtures("interpreted")
def test_examples_in_containers_and_specs_among_arrays() -> None:
    jitted = npcompile.jit(picked)
    jitted.compile({"x": spec("float64", ("n",)), "y": 1.5}, np.arange(3))
    assert replays(jitted, {"x": np.arange(99.0), "y": 2.5}, np.array([5, 2, 98])) == 1


@pytest.mark.usefixtures("interpreted")
def test_partials_and_methods() -> None:
    class Model:
        def __init__(self) -> None:
            self.weight = np.arange(4.0)

        @npcompile.jit
        def step(self, x: Any) -> Any:
            self.weight += x
            return self.weight * 2

    model: Any = Model()
    Model.step.compile(model, np.ones(4))
    assert (model.weight == np.arange(4.0)).all()
    method: Any = Model.step
    before = method.stats.replays
    assert model.step(np.ones(4)).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert method.stats.replays == before + 1

    half: Any = npcompile.jit(partial(distances, X))
    half.compile(X[:3])
    before = half.stats.replays
    assert half(X[:3]).shape == (8,) and half.stats.replays == before + 1


@pytest.mark.usefixtures("interpreted")
def test_global_random_numbers_go_on_as_if_nothing_had_been() -> None:
    np.random.seed(3)
    random.seed(3)
    expected = np.random.random(), random.random()
    np.random.seed(3)
    random.seed(3)
    npcompile.jit(lambda x: x + np.random.random(4) + random.random()).compile(np.ones(4))
    assert (np.random.random(), random.random()) == expected


@pytest.mark.usefixtures("interpreted")
def test_an_exception_of_the_function_says_that_arrays_were_made_up() -> None:
    def decided(x: Any) -> Any:
        if x.sum() > 0:
            raise ValueError("too much")
        return x

    with pytest.raises(ValueError, match="too much") as raised:
        npcompile.jit(decided).compile(spec("float64", ("n",)))
    assert "spec('float64', ('n',))" in raised.value.__notes__[0]
    with pytest.raises(ValueError, match="too much") as raised:
        npcompile.jit(decided).compile(np.ones(3))
    assert not hasattr(raised.value, "__notes__")
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        npcompile.jit(decided).compile()


def suspended(x: Any) -> Any:
    yield x + 1


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (eval(compile("lambda x: x + 1", "<made>", "eval")), "its source is not available"),
        (suspended, "calls with these arguments are not replayed: nothing of it is compiled"),
    ],
)
def test_what_cannot_be_compiled_is_told(function: Any, text: str) -> None:
    jitted = npcompile.jit(function)
    with pytest.warns(npcompile.NotCompiledWarning, match=text):
        jitted.compile(X)
    with pytest.warns(npcompile.NotCompiledWarning, match=rf"compile: .* not replayed: .*{text[-20:]}"):
        jitted.compile(X + 1)
    with pytest.raises(npcompile.NotCompiledError, match=text):
        npcompile.jit(function, strict=True).compile(X)


def test_an_example_that_cannot_be_copied() -> None:
    with pytest.raises(TypeError, match=r"scaled\.compile .* call scaled itself, and then scaled\.wait\(\)"):
        npcompile.jit(scaled).compile(X, threading.Lock())


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (("float46", (3,)), TypeError, "float46"),
        (("O", (3,)), TypeError, "pass an array of that dtype"),
        (("U5", (3,)), TypeError, "pass an array of that dtype"),
        (("f8", "n"), TypeError, r"a tuple such as \('n', 3\), not 'n'; of one dimension: \('n',\)"),
        (("f8", 3), TypeError, r"of one dimension: \(3,\)"),
        (("f8", (2.0,)), TypeError, r"an int, a name or None, not 2.0"),
        (("f8", (True,)), TypeError, "not True"),
        (("f8", ("n", -1)), ValueError, r"negative: -1 \(in \('n', -1\)\)"),
    ],
)
def test_a_spec_that_is_none_is_refused(given: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        spec(*given)


def test_doctests() -> None:
    for one in (spec, npcompile.Jitted.compile):
        test, *_ = doctest.DocTestFinder().find(one, one.__name__, globs={})
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0
