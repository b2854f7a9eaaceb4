"""Jitted functions of Dask arrays: one kernel a chunk, with NumPy's values and Dask's types and chunks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile

dask: Any = pytest.importorskip("dask")
da: Any = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
WEIGHTS = RNG.random(4)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "raise")
    with dask.config.set(scheduler="sync"):
        yield


def chunked(array: Any, chunks: Any = None) -> Any:
    return da.from_array(array, chunks=chunks or (16, *array.shape[1:]))


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def check(
    function: Callable[..., Any], *arrays: Any, whole: bool = True, chunks: Any = None, rtol: float = 1e-11
) -> Any:
    """Compare calls with NumPy's values on whole arrays, and with what Dask says of its own answer.

    whole: kernels are to do all work on chunks. Returns the jitted function.
    """
    jitted = npcompile.jit(function)

    def lazy() -> list[Any]:
        return [chunked(one, chunks) if isinstance(one, np.ndarray) and one.ndim else one for one in arrays]

    wanted = parts(function(*arrays))
    for _ in range(3):
        given, plain = parts(jitted(*lazy())), parts(function(*lazy()))
        compare(given, plain, wanted, rtol)
    assert (jitted.stats.told == []) is whole
    assert not whole or jitted.stats.replays > 0
    return jitted


def compare(given: list[Any], plain: list[Any], wanted: list[Any], rtol: float = 1e-11) -> None:
    assert len(given) == len(plain) == len(wanted)
    for one, other in zip(given, plain, strict=True):
        assert type(one) is type(other) is da.Array
        assert one.dtype == other.dtype and type(one._meta) is type(other._meta)
        assert str(one.chunks) == str(other.chunks)
    for one, other, value in zip(dask.compute(*given), dask.compute(*plain), wanted, strict=True):
        assert type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
        exact = one.dtype.kind in "biu"
        off = 0 if exact else 2e-5 if one.dtype.itemsize == 4 else rtol
        np.testing.assert_allclose(one, other, rtol=off, atol=off)
        np.testing.assert_allclose(one, value, rtol=off, atol=off)
        assert one.dtype == np.asarray(value).dtype


def elementwise(x: Any) -> Any:
    return np.where(x > 0, np.sqrt(abs(x)), -np.exp(x)) * 2 + np.maximum(x, 0.25) ** 2


def weighted(x: Any) -> Any:
    return ((x * x + 1) * WEIGHTS).sum(axis=0) / 3


def several(x: Any) -> Any:
    y = np.sin(x) * 2
    return y, y.mean(), y.sum(axis=-1, keepdims=True), np.max(y, axis=0), (y > 0).any(axis=1), (y < 9).all()


def of_mean(x: Any) -> Any:
    return (x - x.mean(axis=0)) * x.max()


def of_shape(x: Any) -> Any:
    return (x * x).sum(axis=0) / x.shape[0] + len(x) * x.size


def products(x: Any) -> Any:
    return np.prod(1 + x / 100, axis=0), x.min(axis=1), np.clip(x, -1, 1).astype("f4").sum()


@pytest.mark.parametrize("function", [elementwise, weighted, several, of_mean, of_shape, products])
def test_programs(function: Any) -> None:
    check(function, X)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f4", "f8", "c16"])
def test_dtypes_are_numpys(dtype: str) -> None:
    def function(x: Any) -> Any:
        y = x * x + x
        return y, y.sum(axis=0), y.mean(axis=0), np.prod(y / 50, axis=0), (y != 0).any()

    check(function, (X * 3).astype(dtype))


def test_not_a_number_and_infinity() -> None:
    data = X.copy()
    data[3, 1], data[40, 2] = np.nan, np.inf

    def function(x: Any) -> Any:
        return (x + 1).max(axis=0), (x * 2).min(axis=0), (x * 2).sum(axis=0), np.isnan(x) | (x > 0)

    check(function, data)


@pytest.mark.parametrize("chunks", [(16, 4), (16, 2), (60, 1), (60, 4)])
def test_chunks_along_any_axis(chunks: Any) -> None:
    check(several, X, chunks=chunks)


def test_chunks_without_elements() -> None:
    check(lambda x: ((x * 2).sum(axis=0), (x + 1).mean(), np.exp(x)), X, chunks=((0, 30, 0, 30), 4))


def test_arrays_in_different_chunks_and_of_fewer_dimensions() -> None:
    jitted = npcompile.jit(function := lambda x, y, z: ((x + y) * z - x.sum()).max(axis=0))
    for _ in range(3):
        args = chunked(X, (16, 4)), chunked(X[::-1].copy(), (25, 2)), chunked(WEIGHTS, (3,))
        compare([jitted(*args)], [function(*args)], [function(X, X[::-1], WEIGHTS)])
    assert jitted.stats.told == [] and jitted.stats.replays > 0


def test_unknown_lengths_of_chunks() -> None:
    jitted = npcompile.jit(function := lambda x: np.exp(x * 2).sum(axis=0))
    picked = chunked(X)[chunked(X)[:, 0] > 0]
    for _ in range(3):
        compare([jitted(picked)], [function(picked)], [function(X[X[:, 0] > 0])])


def branching(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


def indexed(x: Any) -> Any:
    return np.cumsum(x * 2, axis=0) + x[::-1]


def arranged(x: Any) -> Any:
    return x * np.arange(len(x))[:, None]


def spread(x: Any) -> Any:
    return (x - 1).std(axis=0) + np.median(WEIGHTS)


def turned(x: Any) -> Any:
    return np.sin(x).T + 1


@pytest.mark.parametrize("function", [branching, arranged])
def test_what_python_decides_or_numpy_makes_is_of_the_whole_array(function: Any) -> None:
    check(function, X)


@pytest.mark.parametrize("function", [indexed, spread, turned])
def test_what_needs_other_chunks_stays_with_dask(function: Any) -> None:
    check(function, X, whole=False)


def test_writes_effects_and_containers_are_as_they_were() -> None:
    calls: list[int] = []

    def function(x: Any, out: dict[str, Any]) -> Any:
        calls.append(1)
        x[x < 0] = 0
        out["sum"] = [(x * 2).sum(axis=0)]
        return out

    jitted = npcompile.jit(function)
    for number in range(1, 4):
        x, out = chunked(X), {}
        assert jitted(x, out) is out and len(calls) == number
        np.testing.assert_allclose(out["sum"][0].compute(), np.where(X < 0, 0, X * 2).sum(axis=0))
        np.testing.assert_array_equal(x.compute(), np.where(X < 0, 0, X))


def test_objects_and_dates_are_as_with_dask() -> None:
    def later(x: Any) -> Any:
        return x - np.datetime64("2019-01-01")

    function, since = npcompile.jit(lambda x: x + x), npcompile.jit(later)
    numbers = np.array([1, 2**70, 3], object)
    days = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
    for _ in range(3):
        assert function(chunked(numbers, (2,))).compute().tolist() == [2, 2**71, 6]
        np.testing.assert_array_equal(since(chunked(days, (1,))).compute(), later(days))


def test_masked_chunks_are_as_with_dask() -> None:
    masked = np.ma.masked_less(X, 0)
    jitted = npcompile.jit(function := lambda x: (x * 2).sum(axis=0))
    for _ in range(3):
        given, wanted = (f(da.from_array(masked, chunks=(16, 4))).compute() for f in (jitted, function))
        assert type(given) is type(wanted) is np.ma.MaskedArray
        np.testing.assert_allclose(given, wanted)


def test_one_kernel_a_chunk_and_none_more_for_other_numbers() -> None:
    jitted = npcompile.jit(lambda x, k: (np.sqrt(x * x + 1) * k - 0.5).sum(axis=0))
    for number in range(2):  # lengths of the last chunk differ
        jitted(chunked(X), 2.0 + number).compute()
    before, recordings = jitted.stats.replays, jitted.stats.recordings
    np.testing.assert_allclose(
        jitted(chunked(X), 7.0).compute(), (np.sqrt(X * X + 1) * 7.0 - 0.5).sum(axis=0)
    )
    assert jitted.stats.replays - before == 4 and jitted.stats.recordings == recordings
    assert "np.sqrt" in str(jitted.programs[-1])


def test_a_graph_is_pickled_and_its_kernels_are_found_again() -> None:
    jitted = npcompile.jit(several)
    answers, expected = jitted(chunked(X)), several(X)
    for _ in range(2):
        copies = pickle.loads(pickle.dumps(answers))
        for one, value in zip(dask.compute(*copies), expected, strict=True):
            np.testing.assert_allclose(one, value, rtol=1e-11)


def test_jitted_functions_within_are_put_together_with_their_caller() -> None:
    inner = npcompile.jit(lambda x: np.exp(-x) + 1)
    jitted = npcompile.jit(lambda x: (inner(x) * 2).sum())
    for _ in range(2):
        np.testing.assert_allclose(jitted(chunked(X)).compute(), ((np.exp(-X) + 1) * 2).sum())
    assert jitted.stats.programs > 0 and inner.stats.programs == 0


# -- random programs

UNARY = (
    "np.sin({})",
    "np.sqrt(abs({}))",
    "-{}",
    "np.exp(-abs({}))",
    "np.tanh({})",
    "({} > 0)",
    "{}.astype('f4')",
)
BINARY = (
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "np.maximum({}, {})",
    "np.where({} > 0, {}, 1)",
    "({} / (2 + abs({})))",
)
REDUCED = (
    "{}.sum(axis=0)",
    "{}.mean()",
    "{}.max(axis=-1, keepdims=True)",
    "{}.min(axis=0)",
    "np.prod(1 + {} / 500)",
)


def program(rng: Any) -> str:
    names = ["x", "w", "0.5", "3"]
    lines = []
    for number in range(int(rng.integers(2, 7))):
        form = str(rng.choice(UNARY + BINARY + REDUCED[:2]))
        array = str(rng.choice([name for name in names if name[0] in "xv"]))
        other = str(rng.choice(names))
        lines.append(f"v{number} = {form.format(*([array, other][: form.count('{}')]))} + 0 * x")
        names.append(f"v{number}")
    last = names[-1]
    returned = ", ".join([last, *(str(form).format(last) for form in rng.choice(REDUCED, 2, replace=False))])
    return "".join(f"    {line}\n" for line in [*lines, f"return {returned}"])


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int, tmp_path: Any) -> None:
    rng = np.random.default_rng(seed)
    text = f"import numpy as np\ndef f(x, w):\n{program(rng)}"
    path = tmp_path / "made.py"
    path.write_text(text)
    space: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), space)
    dtype = rng.choice(["f8", "f4", "i4"])
    data = (rng.normal(size=(int(rng.integers(1, 50)), 3)) * 3).astype(dtype)
    chunks = int(rng.integers(1, 20)), int(rng.integers(1, 4))
    rtol = 2e-5 if dtype == "f4" or "f4" in text else 1e-11
    check(lambda x: space["f"](x, WEIGHTS[:3]), data, chunks=chunks, rtol=rtol)
