"""`array ** exponent` is what the NumPy that is installed makes of it, by rules that look at the value."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy as shim
from npcompile.nep50 import powers
from tests.checker import same

SPECIAL = np.array([-np.inf, -4.0, -0.0, 0.0, 0.25, 2.0, 3.0, np.inf, np.nan])
ARRAYS = {
    "bool": np.array([True, False, True]),
    "int8": np.array([1, 2, 100, -100], "int8"),
    "uint64": np.array([1, 2, 3], "uint64"),
    "float16": SPECIAL.astype("float16"),
    "float32": SPECIAL.astype("float32"),
    "float64": SPECIAL,
    "complex64": np.array([1 + 2j, -4 + 0j, 2 + 0j], "complex64"),
    "complex128": np.array([1 + 2j, -4 + 0j, 2 + 0j]),
    "0-d": SPECIAL[0:1].reshape(()),
}
EXPONENTS = (
    *(2, 1, 0, 3, -1, 0.5, 0.7, 2.0, 1.0, 0.0, -1.0, np.int8(2), np.int64(2), np.int64(3), np.uint64(2)),
    *(np.float64(2), np.float64(3), np.float64(0.5), np.float64(0), np.float32(2), np.float32(0.5)),
    *(np.array(2), np.array(2.0), np.array(3.0), np.array(0.5, "float32"), np.array(1.0)),
)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
        yield


def power(x: Any, p: Any) -> Any:
    return x**p


def in_place(x: Any, p: Any) -> Any:
    y = x.copy()
    y **= p
    return y


def outcome(function: Any, *args: Any, **keywords: Any) -> Any:
    try:
        return function(*args, **keywords)
    except Exception as error:
        return type(error)


def judge(got: Any, want: Any) -> None:
    # Imaginary parts of powers that NumPy makes of products are zeros, where ours are roundings of them.
    same(got, want, 16, 2.0 * float(np.abs(want[np.isfinite(want)]).max()) if is_complex(want) else 0.0)


def is_complex(want: Any) -> bool:
    return isinstance(want, np.ndarray) and want.dtype.kind == "c"


@pytest.mark.parametrize("function", [power, in_place])
@pytest.mark.parametrize("name", ARRAYS)
def test_in_the_shim(name: str, function: Any) -> None:
    for exponent in EXPONENTS:
        want = outcome(function, ARRAYS[name], exponent)
        mine = shim.asarray(ARRAYS[name].copy())
        for given in (exponent, shim.asarray(exponent) if isinstance(exponent, np.ndarray) else exponent):
            got = outcome(function, mine, given)
            judge(np.asarray(got) if isinstance(got, shim.ndarray) else got, want)


@pytest.mark.parametrize("function", [power, in_place])
@pytest.mark.parametrize("name", ARRAYS)
def test_an_exponent_that_is_given(name: str, function: Any) -> None:
    """Exponents one after the other, so that each program meets those that it was not made for."""
    jitted = npcompile.jit(function)
    for exponent in (*EXPONENTS, *EXPONENTS):
        want = outcome(function, ARRAYS[name], exponent)
        judge(outcome(jitted, ARRAYS[name], exponent), want)


@pytest.mark.parametrize("name", ARRAYS)
def test_an_exponent_that_stands_there(name: str) -> None:
    def functions() -> Iterator[Any]:
        yield lambda x: x**2
        yield lambda x: x**0.5
        yield lambda x: x**-1.0
        yield lambda x: x ** np.float64(2)
        yield lambda x: x ** np.float64(3)
        yield lambda x: x ** np.float32(0.5)
        yield lambda x: x ** np.int64(2)
        yield lambda x: x ** np.array(2.0)

    for function in functions():
        want = outcome(function, ARRAYS[name])
        jitted = npcompile.jit(function)
        for _ in range(3):
            judge(outcome(jitted, ARRAYS[name]), want)
        assert jitted.stats.replays == 2 or isinstance(want, type)


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("name", ARRAYS)
def test_what_numpy_does_is_asked(name: str, inplace: bool) -> None:
    """What `fast` answers gives NumPy's answer, and without an answer `np.power` does."""
    array = ARRAYS[name]
    for exponent in EXPONENTS:
        want = outcome(in_place if inplace else power, array, exponent)
        fast = powers.fast(array.dtype, exponent, inplace)
        mine = array.copy()
        out: dict[str, Any] = {"out": mine} if inplace else {}
        if fast is None:
            got = outcome(np.power, mine, exponent, **out)
        else:
            got = outcome(fast.ufunc, mine, *fast.more, **fast.keywords, **out)
        same(got, want, 1)


def test_one_program_does_for_all_exponents_that_nothing_is_decided_by() -> None:
    jitted = npcompile.jit(power)
    for exponent in (0.7, 1.3, 2.5, 3.25, 2.0, 0.9):
        judge(jitted(SPECIAL, exponent), SPECIAL**exponent)
    assert jitted.stats.programs == 1


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_powers_of_scalars(kind: str) -> None:
    def f(x: Any, p: Any) -> Any:
        return x[0] ** p, x[0] ** 0.5, x[1] ** x[2], x[0] ** 2

    jitted = npcompile.jit(f)
    for first in (-np.inf, -0.0, 4.0, -np.inf):
        x = np.array([first, 3.0, 0.5], kind)
        for exponent in (0.5, 2.0, 3, 0.5):
            same(jitted(x, exponent), f(x, exponent), 4)
    assert jitted.stats.replays > 8
