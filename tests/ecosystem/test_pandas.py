"""pandas objects as arguments: work on them is pandas' own, array work on what they hand over is compiled."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.ecosystem.checking import EQUAL, check

pd: Any = pytest.importorskip("pandas")

N = 200
NUMBERS = np.random.default_rng(0).normal(size=(N, 3))


def _equal(compare: Any) -> Callable[[Any, Any], None]:
    return lambda got, want: compare(got, want, rtol=1e-11, atol=1e-12)


EQUAL += [
    (pd.DataFrame, _equal(pd.testing.assert_frame_equal)),
    (pd.Series, _equal(pd.testing.assert_series_equal)),
    (pd.Index, pd.testing.assert_index_equal),
    (pd.api.extensions.ExtensionArray, pd.testing.assert_extension_array_equal),
]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def series() -> Any:
    return pd.Series(NUMBERS[:, 0].copy(), index=np.arange(N)[::-1], name="s")


def with_nan() -> Any:
    return series().where(series() > -1)


def frame() -> Any:
    return pd.DataFrame(NUMBERS.copy(), columns=list("abc"), index=pd.RangeIndex(5, N + 5, name="i"))


def mixed() -> Any:
    return pd.DataFrame({"a": NUMBERS[:, 0].copy(), "n": np.arange(N), "t": ["x", "y"] * (N // 2)})


def several_levels() -> Any:
    return series().set_axis(pd.MultiIndex.from_product([range(N // 2), list("uv")], names=["p", "q"]))


def nullable() -> Any:
    return pd.Series(pd.array([1, 2, None, 4] * (N // 4), dtype="Int64"), name="z")


def dates() -> Any:
    return pd.Series(pd.date_range("2020", periods=N), name="d")


def categories() -> Any:
    return pd.Series(pd.Categorical(["a", "b"] * (N // 2)))


def strings() -> Any:
    return pd.Series(["a", "bb"] * (N // 2))


def objects() -> Any:
    return pd.Series([1, 2.5, None, "x"] * (N // 4), dtype=object)


KINDS = (series, with_nan, frame, mixed, several_levels, nullable, dates, categories, strings, objects)


def ufuncs(x):
    return np.sin(x) * 2 + np.exp(-x * x)


def where(x):
    return np.where(x > 0, x, -x), x[x > 0]


def reductions(x):
    return np.mean(x, axis=0), np.std(x), x.mean(), x.std()  # pandas' own divide by n - 1 and skip NaN


def in_place(x):
    x += 1
    return x


def column_set(x):
    x["new"] = x.iloc[3:10].sum()
    return x


def handed_on(x):
    return x, {"k": [x], "n": len(x), "shape": x.shape}


def to_numpy(x):
    a = x.to_numpy()
    return (a * a + 3 * a).sum(axis=0), np.sqrt(a * a + 1) + a


def values(x):
    a = x.values
    return a * 2 + a


def branches(x):
    if isinstance(x, pd.Series) and x.dtype == "float64":
        return x.to_numpy() * 2
    return x.head(3)


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    "function",
    [ufuncs, where, reductions, in_place, column_set, handed_on, to_numpy, values, branches],
)
def test_answers_are_those_of_pandas(function: Any, make: Any) -> None:
    check(function, lambda: (make(),), calls=3)


def aligned(a, b):
    return a + b, np.add(a, b), np.hypot(a, b) * 2


def beside_an_array(a, b):
    return a * b, b * a, np.multiply(b, a), 2.5 - a


def into_an_array(a, b):
    b += a
    c = b * 2
    c[:5] = a[:5]
    return b, c


def refused(a, b):
    return b[:7] * 2 + a


@pytest.mark.parametrize(
    "function, other",
    [
        (aligned, lambda: series().iloc[::2]),
        (aligned, lambda: series().sort_index()),
        (aligned, several_levels),
        (beside_an_array, lambda: NUMBERS[:, 1].copy()),
        (into_an_array, lambda: NUMBERS[:, 1].copy()),
        (refused, lambda: NUMBERS[:, 1].copy()),
    ],
)
def test_two_arguments(function: Any, other: Any) -> None:
    check(function, lambda: (series(), other()))


def column_and_groups(df):
    df["d"] = df["a"] * 2
    df.loc[df["a"] > 0, "b"] = np.nan
    return df.groupby(df["c"] > 0)["b"].mean(), df.iloc[3:5], df.loc[7, "a"], df.sum()


def standardised(df):
    z = (df - df.mean()) / df.std()
    return z, z.to_numpy().sum(axis=1)


def over_rows(df):
    total = 0.0
    for _, row in df.head(5).iterrows():
        total += row["a"] * row.b
    for name, column in df.items():
        total += np.sqrt(np.abs(column)).sum() * len(name)
    return total


def missing(df):
    try:
        return df["nothing"]
    except KeyError:
        return np.sin(df["a"].to_numpy()) * 2


def copies_on_write(df):
    column, copied = df["a"], df.copy()
    column.iloc[0] = 99.0
    copied.iloc[0, 0] = 5.0
    return df, column, copied


def told_of_chained_assignment(df):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        df["a"][5] = 1.0
        df["b"].fillna(0, inplace=True)
    return [one.category.__name__ for one in caught], df


def view_after_a_slice_died(df):
    s = df["a"] + 0
    view = s.to_numpy()
    part = s[:5]
    total = part.sum()
    part = 0
    s.iloc[0] = 99.0  # in place, as nothing else refers to the memory
    return view, view * 2 + total


@pytest.mark.parametrize(
    "function",
    [
        *(column_and_groups, standardised, over_rows, missing),
        *(copies_on_write, told_of_chained_assignment, view_after_a_slice_died),
    ],
)
def test_programs_on_a_frame(function: Any) -> None:
    check(function, lambda: (frame(),), calls=6)


def test_kinds_of_data_may_change_from_call_to_call() -> None:
    made = (series, lambda: series().astype("f4"), lambda: pd.Series(np.arange(N)), several_levels, series)
    makers = [lambda make=make: (make(),) for make in made]
    check(ufuncs, *makers, lambda: (NUMBERS[:, 0],))
    check(values, *makers, lambda: (series()[:7],))
    check(reductions, *makers, lambda: (nullable(),))


def test_a_subclass_of_the_users() -> None:
    class Table(pd.DataFrame):
        @property
        def _constructor(self):
            return Table

    check(ufuncs, lambda: (Table({"a": NUMBERS[:, 0]}),))


SHARED = NUMBERS[:, 0].copy()


def writes_to_shared(s, x):
    a = s.to_numpy()
    x += 1
    return a * 2


def test_memory_that_a_series_and_an_array_share() -> None:
    def shared() -> tuple[Any, Any]:
        x = NUMBERS[:, 0].copy()
        return pd.Series(x, copy=False), x

    check(writes_to_shared, shared, lambda: (series(), NUMBERS[:, 1].copy()))


def normalised(df, w):
    a = df["a"].to_numpy()
    b = df["b"].values
    r = np.sqrt(a * a + b * b) * w
    r = (r - r.mean()) / r.std()
    return r * df["c"].to_numpy() + len(df)


def test_array_work_on_what_is_handed_over_is_compiled() -> None:
    jitted = check(normalised, lambda: (frame(), NUMBERS[:, 1]), calls=5)
    assert jitted.stats.segments >= 1 and jitted.stats.replays >= 4
    assert jitted.stats.recordings == jitted.stats.programs and not jitted.stats.reasons


def wrapped(df):
    a = df.to_numpy()
    z = (a - a.mean(axis=0)) / a.std(axis=0)
    return pd.DataFrame(z, index=df.index, columns=df.columns)


def test_results_may_be_wrapped_again() -> None:
    jitted = check(wrapped, lambda: (frame(),), calls=5)
    assert jitted.stats.segments >= 1 and jitted.stats.recordings == 1


def helper(s, k):
    a = s.to_numpy()
    return a * k + a


def calls_a_helper(df):
    return helper(df["a"], 2.0) + 1


def test_array_work_in_a_called_function_is_compiled() -> None:
    jitted = check(calls_a_helper, lambda: (frame(),), calls=5)
    assert jitted.stats.segments >= 1 and not jitted.stats.reasons


def either(df, asked):
    return df["a"].to_numpy() * 2 + 1 if asked else df["b"].to_numpy() * 3


def test_what_is_not_taken_out_has_a_reason() -> None:
    [text] = check(either, lambda: (frame(), True)).stats.reasons
    assert text.endswith("a DataFrame: work on it is left to pandas")


def test_a_lambda_is_recorded() -> None:
    jitted = check(lambda s: np.asarray(s) * 2 + 1, lambda: (series(),))
    assert jitted.stats.segments == 1
    check(lambda s: np.sin(s) * 2 + s, lambda: (series(),), lambda: (with_nan(),))


HELD = {"df": frame(), "s": series()}


def of_a_global(x):
    return np.sin(x) * HELD["s"] + x


def test_work_on_what_is_held_elsewhere_has_the_same_reason() -> None:
    jitted = check(of_a_global, lambda: (NUMBERS[:, 0],))
    assert any("a Series: work on it is left to pandas" in text for text in jitted.stats.reasons)


def test_one_reason_says_what_to_pass() -> None:
    jitted = check(ufuncs, lambda: (frame(),), calls=8)
    line = ufuncs.__code__.co_firstlineno + 1
    assert jitted.stats.recordings == 0
    assert [text.rpartition("/")[2] for text in jitted.stats.reasons] == [
        f"test_pandas.py:{line}: a DataFrame: work on it is left to pandas"
    ]
    assert "pass x.to_numpy()" in str(npcompile.explain(ufuncs, frame()))


def test_strict_refuses_work_on_a_frame_and_takes_arrays() -> None:
    with pytest.raises(npcompile.NotCompiledError, match=r"pass x\.to_numpy\(\)"):
        npcompile.jit(ufuncs, strict=True)(frame())
    strict = npcompile.jit(normalised, strict=True)
    for _ in range(3):
        np.testing.assert_allclose(strict(frame(), NUMBERS[:, 1]), normalised(frame(), NUMBERS[:, 1]))
