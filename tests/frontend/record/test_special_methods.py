"""Special methods of arrays by their names, and arrays of no dimension as whole numbers: recorded whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.array_holder_classes import Mixed

X = np.linspace(-1.0, 2.0, 12).reshape(3, 4)
SYMBOLS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def whole(body: Callable[..., Any], *calls: Any) -> npcompile.jit:
    jitted = npcompile.jit(body)
    for args in calls:
        same(jitted(*args), body(*args), 8, 64.0)
    stats = jitted.stats
    assert (stats.recordings, stats.replays, stats.host_calls) == (1, len(calls) - 1, 0), stats.reasons
    return jitted


@pytest.mark.parametrize("name", [*SYMBOLS, *(f"r{name}" for name in SYMBOLS), *COMPARED])
def test_of_two_operands(name: str) -> None:
    method = f"__{name}__"

    def bound(a, b):
        return getattr(np.abs(a) + 1, method)(b) * 1

    def unbound(a, b):
        return getattr(np.ndarray, method)(np.abs(a) + 1, b) * 1

    other = X.T + 2.5 if "matmul" in name else X + 2.5
    for body in (bound, unbound):
        whole(body, (X, other), (X * 2, other))


@pytest.mark.parametrize("name", ("neg", "pos", "abs", "len"))
def test_of_one_operand(name: str) -> None:
    method = f"__{name}__"
    whole(lambda a: getattr(a - 1, method)() * 1, (X,), (X + 1,))


def items(a):
    b = a.copy()
    b.__setitem__((slice(None), 1), 9.0)
    b.__iadd__(a)
    b.__imul__(2.0)
    return b, a.__getitem__(1), a.__getitem__((slice(None), slice(1, 3))) + 1, a.__getitem__((0, 1)) * 2


def test_items_and_in_place() -> None:
    whole(items, (X,), (X + 1,))


class Refuses:
    __array_ufunc__ = None


REFUSES = Refuses()


def test_what_is_no_operand_is_told_as_numpy_does() -> None:
    def body(a):
        return a.__add__(REFUSES) is NotImplemented, a * 2

    jitted = npcompile.jit(body)
    for _ in range(3):
        same(list(jitted(X)), list(body(X)), 4, 64.0)


K = np.array(2)
WHOLE: dict[str, Callable[..., Any]] = {
    "to": lambda a, k: a[:k] * 2,
    "from": lambda a, k: a[0, k:] * 2,
    "step": lambda a, k: a[0, ::k] * 2,
    "roll": lambda a, k: np.roll(a, k),
    "roll of axes": lambda a, k: np.roll(a, (k, 1), (0, 1)),
    "zeros": lambda a, k: np.zeros((k, 3)) + a[0, 0],
    "full": lambda a, k: np.full(k, 2.0) + a[0, 0],
    "tile": lambda a, k: np.tile(a, k),
    "tril": lambda a, k: np.tril(a, k),
    "eye": lambda a, k: np.eye(k) + a[0, 0],
    "diff": lambda a, k: np.diff(a, k),
    "reshape": lambda a, k: a.reshape(k, -1) * 2,
    "np.reshape": lambda a, k: np.reshape(a, (k, -1)) * 2,
    "rot90": lambda a, k: np.rot90(a, k) * 2,
    "linspace": lambda a, k: np.linspace(a[0], 3.0, k),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("inside", (False, True), ids=("given", "made"))
def test_arrays_of_no_dimension_are_whole_numbers(name: str, inside: bool) -> None:
    function = WHOLE[name]

    def made(a):
        return function(a, np.array(2))

    def given(a):
        return function(a, K)

    whole(made if inside else given, (X,), (X + 1,))


def test_a_store_up_to_one() -> None:
    def body(a):
        b = a.copy()
        b[: np.array(2)] = 0
        return b

    whole(body, (X,), (X + 1,))


ROLLED: dict[str, Callable[..., Any]] = {
    "scalar": lambda a: np.roll(a, np.argmax(a)),
    "negative": lambda a: np.roll(a, -np.argmax(a)),
    "array": lambda a: np.roll(a, np.asarray(np.argmax(a))),
    "axis": lambda a: np.roll(a.reshape(3, 4), np.argmax(a), axis=-1),
    "rows": lambda a: np.roll(a.reshape(3, 4).T, np.argmax(a) * 5, 1),
}


@pytest.mark.parametrize("name", ROLLED)
def test_how_far_data_roll_decides_nothing(name: str) -> None:
    rows = np.random.default_rng(3).standard_normal((6, 12))
    whole(ROLLED[name], *((row,) for row in rows))


@pytest.mark.parametrize("period", (1.0, -2.0))
def test_remainders_of_what_is_worked_out_compile(monkeypatch: pytest.MonkeyPatch, period: float) -> None:
    def body(a):
        y = np.interp(a, np.linspace(0, 0.9, 9), np.arange(9.0), period=period)
        return y + np.linspace(0, 1, 4) % period

    monkeypatch.delenv("NPCOMPILE_BACKEND")
    jitted = npcompile.jit(body, wait=True)
    for a in (X, X + 1):
        same(jitted(a), body(a), 8, 64.0)
    assert (jitted.stats.replays, jitted.stats.reasons) == (1, [])


TAKEN: dict[str, Callable[..., Any]] = {
    "np.mean": lambda m: np.mean(m),
    "np.percentile": lambda m: np.percentile(m, 50),
    "np.concatenate": lambda m: np.concatenate([m.x, m]),
    "np.linalg.norm": lambda m: np.linalg.norm(m),
    "what is not asked": lambda m: np.full(3, m),
}


# An array of objects, which np.full makes, is Python's.
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", TAKEN)
def test_what_takes_a_function_over_refuses_it(name: str) -> None:
    plain, ours = Mixed(X), Mixed(X)
    jitted = npcompile.jit(TAKEN[name])
    for _ in range(4):
        found = []
        for fn, m in ((TAKEN[name], plain), (jitted, ours)):
            try:
                found.append(str(type(fn(m))))
            except (TypeError, ValueError) as error:
                found.append(f"{type(error)}: {error}")
        assert found[0] == found[1]
        assert ours.asked == plain.asked


def classes_or(x, value):
    scale = 2.0 if isinstance(value, int | Refuses) else 3.0
    return x * scale if isinstance(value, float | None) else x + scale


def test_unions_of_classes() -> None:
    for value in (1, 2.0, None, REFUSES):
        jitted = npcompile.jit(classes_or)
        for _ in range(3):
            same(jitted(X, value), classes_or(X, value))
        assert (jitted.stats.recordings, jitted.stats.replays) == (1, 2)


PHASES: dict[str, Callable[..., Any]] = {
    "of a function": lambda x, t: 1j * np.sin(t),
    "of a sum": lambda x, t: 1j - x.sum(),
    "divided": lambda x, t: (2 + 1j) / x.max(),
    "a power": lambda x, t: 1j ** np.cos(t),
    "of a traced one": lambda x, t: t * 1j * x.mean(),
    "compared": lambda x, t: (1j == x[0, 0], 1j != x[0, 1]),
    "then an array": lambda x, t: np.exp(-1j * x[0, 1] * t * x),
}


@pytest.mark.parametrize("name", PHASES)
def test_complex_numbers_with_numpys_floats(name: str) -> None:
    """To Python a float64 is a float: what comes of it and a complex number is Python's."""
    whole(PHASES[name], (X, 0.25), (X + 1, 0.5), (X * 2, 1.5))


class Finer(Mixed):
    """NumPy asks a subclass first, wherever it stands."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [item.x if isinstance(item, Mixed) else item for item in inputs]
        return getattr(ufunc, method)(*plain, **kwargs), ufunc.__name__

    def __array_function__(self, function, types, args, kwargs):
        plain = [item.x if isinstance(item, Mixed) else item for item in args]
        return function.__name__, [kind.__name__ for kind in types], function(*plain, **kwargs)


ASKED: dict[str, Callable[..., Any]] = {
    "the subclass": lambda x: Mixed(x) + Finer(x * 2),
    "of two arrays": lambda x: np.subtract(x, Finer(x)),
    "out": lambda x: (np.add(Finer(x), 1.0, out=(out := x * 3)), out),
    "out by place": lambda x: (np.add(Finer(x), 1.0, out := x * 3), out),
    "behind an array": lambda x: np.isin(x, Finer(x)),
    "a function": lambda x: np.median(Finer(x)),
    "as NumPy names it": lambda x: np.add.__call__(Finer(x), 2.0),
}


@pytest.mark.parametrize("name", ASKED)
def test_who_is_asked_first_and_what_it_is_told(name: str) -> None:
    jitted = npcompile.jit(ASKED[name])
    for scale in (1.0, 2.0, 3.0):
        same(jitted(X * scale), ASKED[name](X * scale))
    assert jitted.stats.replays == 2, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_no_loop_goes_over_one() -> None:
    def body(a):
        total = 0.0
        for value in a:
            total += value
        return total

    jitted = npcompile.jit(body)
    for _ in range(3):
        with pytest.raises(TypeError, match="iteration over a 0-d array"):
            jitted(np.array(3.0))
