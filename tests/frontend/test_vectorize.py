"""`npcompile.vectorize` gives NumPy's answers, natively from its second call on."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return described(call(*args, **kwargs))
    except Exception as error:
        return type(error), str(error)


def described(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(described, value))
    assert isinstance(value, np.ndarray)
    items = [(type(item), repr(item)) for item in value.ravel(order="K").tolist()]
    return type(value), value.dtype.char, value.shape, value.strides, items


def compare(function: Callable[..., Any], *calls: Any, native: bool = True, **options: Any) -> Any:
    """Compare calls with NumPy's, of which each is a tuple of arguments, or of those and a dict."""
    mine, theirs = npcompile.vectorize(function, **options), np.vectorize(function, **options)
    parted = [(call[:-1], call[-1]) if type(call[-1]) is dict else (call, {}) for call in calls]
    before = 0
    for _ in range(2):
        before = mine.native_calls
        for args, kwargs in parted:
            assert outcome(mine, *args, **kwargs) == outcome(theirs, *args, **kwargs), (args, kwargs)
        mine.wait()
    assert mine.native_calls - before == (len(calls) if native else 0), mine.reasons
    assert native != bool(mine.reasons)
    return mine


X = np.linspace(-2, 3, 24)


def positive(x: Any) -> Any:
    if x < 0:
        return 0
    return x


def mixed(x: Any, y: Any = 2.5) -> Any:
    return x * y - x if x > y else y


def collatz(n: Any) -> Any:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def root(x: Any) -> Any:
    return np.sqrt(abs(x))


def phase(x: Any) -> Any:
    return x * 1j + 0.5


def fibonacci(n: Any) -> Any:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


DTYPES = [bool, "i1", "u8", "f2", "f4", "f8"]
FUNCTIONS = [positive, mixed, collatz, root, phase, lambda x: not x, lambda x: x + 1, lambda x: float(x) / 3]


def test_dtypes() -> None:
    pairs = []
    for function in FUNCTIONS:
        for dtype in DTYPES:
            x = np.array([3, 1, 0, 7, 25, 1, 100], dtype)
            mine, theirs = npcompile.vectorize(function), np.vectorize(function)
            assert outcome(mine, x) == outcome(theirs, x), (function, dtype)
            pairs.append((mine, theirs, x))
    for mine, theirs, x in pairs:
        mine.wait()
        assert outcome(mine, x) == outcome(theirs, x), (theirs.pyfunc, x.dtype)
    plain = {mine.pyfunc.__name__: mine.reasons for mine, _, _ in pairs if not mine.native_calls}
    assert not plain


def test_shapes_and_layouts() -> None:
    rows, odd = X.reshape(4, 6), np.zeros(17, np.uint8)[1:].view("f8")
    assert not odd.flags.aligned
    frozen = X.copy()
    frozen.flags.writeable = False
    compare(
        mixed,
        *[(X,), (rows,), (rows.T,), (rows[::2, ::-1],), (rows.T, 1.0), (rows, rows[0]), (rows.T, rows[:, 0])],
        *[(rows.reshape(4, 1, 6).T, X[:4]), (X[:1], X), (rows.reshape(2, 2, 6).transpose(2, 0, 1), 0.5)],
    )
    compare(
        mixed,
        *[
            (2.0,),
            (np.float32(2), 1.0),
            (np.array(1.5), X),
            (np.float32(0.1), X),
            (X[:1].reshape(1, 1, 1), rows.T),
        ],
        *[(odd, 1.0), (frozen, X), (True, X), (3, X), (1 << 50, X), (X, {"y": X[::-1]}), (X, {"y": 1})],
        *[({"x": X, "y": 2.0},), (np.broadcast_to(X[:, None], (24, 3)), 1.0)],
        *[(X[::2],), (X[::-3], X[:8]), (X[:, None][::2], 1.0), (rows[:, :1], X[:4])],
    )


def test_results_of_several_types() -> None:
    compare(positive, (X,), (X[::-1].copy(),), (np.array([1.5, -1.0]),), (np.array([-1.0, 1.5]),))
    compare(positive, (X,), otypes=[np.float32])
    compare(positive, (X,), otypes="i")
    compare(mixed, (X,), otypes=[complex])
    compare(lambda x: None if x > 0 else x, (X,), native=False)
    compare(lambda x: (x, -x), (X,))
    compare(lambda x: str(x), (X,), native=False)


def inverse(x: Any) -> Any:
    return 1 / x


def square(x: Any) -> Any:
    return x * x


def needs(x: Any, top: Any) -> Any:
    return x if x <= top else math.sqrt(top)


def test_calls_at_which_native_code_leaves() -> None:
    for function, good, bad in [
        (inverse, X + 9, np.append(X, 0.0)),
        (inverse, np.arange(1, 4), np.arange(4)[::-1].copy()),
        (square, np.arange(4), np.array([1, 1 << 40])),
        (collatz, np.array([5, 2]), np.array([7, (1 << 62) + 1])),
    ]:
        mine, theirs = npcompile.vectorize(function), np.vectorize(function)
        for _ in range(6):
            for x in (good, bad):
                assert outcome(mine, x) == outcome(theirs, x)
                mine.wait()  # so that native code is asked from the second call on
        assert mine.native_calls == 2
        assert len(mine.reasons) == 1, mine.reasons


def test_what_numpy_refuses() -> None:
    mine, theirs = npcompile.vectorize(needs), np.vectorize(needs)
    for args in [(X, X), (X[:0], 1), (X,), (X, X[:5]), (), (X, 1, 2)]:
        for _ in range(2):
            assert outcome(mine, *args) == outcome(theirs, *args)
            mine.wait()
    assert mine.native_calls == 1


seen: list[Any] = []
factor = 2.0


def noted(x: Any) -> Any:
    seen.append(x)
    return x


def scaled(x: Any) -> Any:
    return x * factor


def test_functions_with_effects_are_numpys() -> None:
    mine = npcompile.vectorize(noted)
    for _ in range(3):
        seen.clear()
        mine(X)
        got = list(seen)
        seen.clear()
        np.vectorize(noted)(X)
        assert [*map(repr, got)] == [*map(repr, seen)]
    assert mine.native_calls == 0 and mine.reasons


def test_a_global_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = compare(scaled, (X,))
    monkeypatch.setitem(globals(), "factor", 3)
    assert described(mine(X)) == described(np.vectorize(scaled)(X))


def test_other_arguments() -> None:
    mine = npcompile.vectorize(mixed)
    theirs = np.vectorize(mixed)
    for x in (
        [1, 2.5, -1],
        (1, 2),
        X.astype(">f8"),
        X.astype(np.longdouble),
        X.astype(object),
        np.ma.array(X),
    ):
        for _ in range(2):
            got, want = mine(x), theirs(x)
            assert (type(got), got.dtype, got.tolist()) == (type(want), want.dtype, want.tolist())


def test_options() -> None:
    def total(x: Any, weights: Any, k: Any = 1) -> Any:
        return x * len(weights) * k + weights[0]

    weights = np.arange(3.0)
    compare(total, (X, weights), (X, weights, {"k": 2}), excluded={1})
    compare(total, (X, {"weights": weights}), excluded={"weights"})
    rows = X.reshape(4, 6)
    made = npcompile.vectorize(np.dot, signature="(n),(n)->()")(rows, X[:6])
    assert made.tolist() == np.vectorize(np.dot, signature="(n),(n)->()")(rows, X[:6]).tolist()
    compare(mixed, (X,), cache=True)
    assert npcompile.vectorize(mixed, doc="words").__doc__ == "words"
    assert (npcompile.vectorize(mixed).nin, npcompile.vectorize(mixed).nout) == (1, 1)


def test_as_a_decorator() -> None:
    @npcompile.vectorize(otypes=[float])
    def half(x: Any) -> Any:
        """Return the half."""
        return x // 2

    @npcompile.vectorize
    def twice(x: Any) -> Any:
        return x * 2

    assert half.__doc__ == "Return the half." and half.__name__ == "half"
    for _ in range(2):
        assert described(half(X)) == described(np.floor(X / 2))
        assert described(twice(X)) == described(X * 2)
        half.wait()
        twice.wait()
    assert half.native_calls == twice.native_calls == 1


def test_out_and_where() -> None:
    mine = npcompile.vectorize(inverse)
    x = np.arange(6.0)
    for _ in range(3):
        out = np.full(6, -1.0)
        assert mine(x, out=out, where=x > 0) is out
        assert out.tolist() == np.divide(1, x, out=np.full(6, -1.0), where=x > 0).tolist()
        assert mine(x[1:], out=out[1:]).base is out
        assert mine(x, out=out, where=False) is out
        assert mine(x[1:], where=[True] * 5).tolist() == (1 / x[1:]).tolist()
        with pytest.raises(TypeError, match="same_kind"):
            mine(x[1:], out=np.zeros(5, int))
        with pytest.raises(ValueError):
            mine(x[1:], out=np.zeros(4))
        with pytest.raises(ZeroDivisionError):
            mine(x, out=out)
        wide = np.zeros((2, 5))
        assert mine(x[1:], out=wide).tolist() == [(1 / x[1:]).tolist()] * 2
        mine.wait()
    assert mine.native_calls > 4
    assert npcompile.vectorize(mixed).outer(x[:2], x).tolist() == np.vectorize(mixed)(x[:2, None], x).tolist()


def test_parameters_named_as_those_of_ufuncs() -> None:
    compare(lambda x, where: x + where, (X, {"where": 2.0}))


def test_copies() -> None:
    mine = npcompile.vectorize(positive)
    mine(X)
    for made in (copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
        assert described(made(X)) == described(np.vectorize(positive)(X))


def test_floating_point_errors_that_are_raised() -> None:
    mine = compare(root, (X,))
    with np.errstate(all="raise"):
        assert outcome(mine, X) == outcome(np.vectorize(root), X)
    logarithm = compare(lambda x: np.log(x), (X + 3,))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        logarithm(np.zeros(3))


def test_under_jit() -> None:
    mine = npcompile.vectorize(mixed)
    jitted = npcompile.jit(lambda x: mine(x) + 1)
    for _ in range(4):
        assert described(jitted(X)) == described(np.vectorize(mixed)(X) + 1)
        jitted.wait()
        mine.wait()
    assert mine.native_calls


def test_several_results() -> None:
    def both(x: Any, y: Any) -> Any:
        return (x if x > y else y), x > y

    rows = X.reshape(4, 6)
    compare(both, (X, 0.5), (rows.T, rows[:, 0]), (np.arange(24), X))
    compare(both, (X, 0.5), otypes=[np.float32, complex])
    mine = npcompile.vectorize(both, otypes=[float, bool])
    for _ in range(3):
        larger, first = np.zeros(24), np.zeros(24, bool)
        made = mine(X, 0.5, out=(larger, first), where=X < 1)
        assert made[0] is larger and made[1] is first
        assert larger.tolist() == np.where(X < 1, np.maximum(X, 0.5), 0).tolist()
        with pytest.raises(ValueError):
            mine(X, 0.5, out=larger)
        mine.wait()
    assert mine.native_calls > 1


def test_attributes_and_methods_of_ufuncs() -> None:
    mine, theirs = npcompile.vectorize(square_sum), np.frompyfunc(square_sum, 2, 1)
    assert (mine.nin, mine.nout, mine.nargs, mine.types) == (2, 1, 3, theirs.types)
    assert described(mine.accumulate(X)) == described(theirs.accumulate(X))
    assert mine.reduce(X) == theirs.reduce(X)
    made, want = X.astype(object), X.astype(object)
    mine.at(made, [0, 0, 3], 2.0)
    theirs.at(want, [0, 0, 3], 2.0)
    assert made.tolist() == want.tolist()


def square_sum(x: Any, y: Any) -> Any:
    return x * x + y
