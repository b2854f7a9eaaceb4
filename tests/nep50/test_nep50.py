"""Promotion and weak numbers against NumPy's own answers: all dtype pairs, all weak numbers, all numeric
ufuncs."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.nep50 import promote, scalars, weak
from tests.checker import same, same_exception

DTYPES = [np.dtype(code) for code in "?bBhHiIlLefdgFDG"]
WEAK = {int: 1, float: 1.0, complex: 1j}
UFUNCS = sorted(
    {item for item in vars(np).values() if isinstance(item, np.ufunc) and item.signature is None},
    key=lambda item: item.__name__,
)
UNARY = [item for item in UFUNCS if item.nin == 1]
BINARY = [item for item in UFUNCS if item.nin == 2]


def attempt(function: Callable[[], Any]) -> tuple[Any, Exception | None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(), None
        except Exception as error:
            return None, error


def sample(kind: Any) -> Any:
    return WEAK[kind] if isinstance(kind, type) else np.ones(1, kind)


def dtypes_of(result: Any) -> tuple[np.dtype[Any], ...]:
    return tuple(item.dtype for item in (result if isinstance(result, tuple) else (result,)))


def judge(ufunc: np.ufunc, kinds: tuple[Any, ...], **keywords: Any) -> None:
    want, raised = attempt(lambda: dtypes_of(ufunc(*map(sample, kinds), **keywords)))
    got, error = attempt(lambda: promote.resolve(ufunc, kinds, **keywords)[ufunc.nin :])
    same_exception(error, raised)
    assert got == want, f"{ufunc.__name__}{kinds}: {got} instead of {want}"


def test_there_are_ufuncs() -> None:
    assert len(UNARY) > 30
    assert len(BINARY) > 30


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda ufunc: ufunc.__name__)
def test_unary(ufunc: np.ufunc) -> None:
    for kind in [*DTYPES, *WEAK]:
        judge(ufunc, (kind,))


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_binary(ufunc: np.ufunc) -> None:
    for one in [*DTYPES, *WEAK]:
        for other in [*DTYPES, *WEAK]:
            judge(ufunc, (one, other))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("ufunc", [np.add, np.divide, np.sqrt, np.equal], ids=lambda ufunc: ufunc.__name__)
def test_dtype_and_casting(ufunc: np.ufunc, casting: str) -> None:
    for kind in [*DTYPES, *WEAK]:
        for dtype in DTYPES:
            judge(ufunc, (kind,) * ufunc.nin, dtype=dtype, casting=casting)


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_reductions(ufunc: np.ufunc) -> None:
    for kind in DTYPES:
        for dtype in (None, np.dtype(np.float32), np.dtype(np.int16), np.dtype(np.complex128)):
            want, raised = attempt(
                lambda kind=kind, dtype=dtype: ufunc.reduce(np.ones(3, kind), dtype=dtype).dtype
            )
            got, error = attempt(
                lambda kind=kind, dtype=dtype: promote.resolve(ufunc, (kind,), dtype, reduction=True)[-1]
            )
            same_exception(error, raised)
            assert got == want, f"{ufunc.__name__}.reduce({kind}, {dtype})"


def test_result_type_and_can_cast() -> None:
    for one in [*DTYPES, *WEAK]:
        for other in [*DTYPES, *WEAK]:
            assert promote.result_type(one, other) == np.result_type(*map(sample, (one, other)))
    for one in DTYPES:
        for other in DTYPES:
            for casting in ("safe", "same_kind", "unsafe"):
                assert promote.can_cast(one, other, casting) == np.can_cast(one, other, casting)


def test_answers_are_remembered() -> None:
    promote.resolve(np.add, (DTYPES[0], DTYPES[1]))
    before = promote.resolve.cache_info().hits
    promote.resolve(np.add, (DTYPES[0], DTYPES[1]))
    assert promote.resolve.cache_info().hits == before + 1


# -- values of weak numbers ----------------------------------------------------------------------------------

INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]


def around(dtype: np.dtype[Any]) -> list[int]:
    info = np.iinfo(dtype)
    return [edge + step for edge in (int(info.min), int(info.max)) for step in (-1, 0, 1)] + [
        2**70,
        -(2**70),
        10**400,
    ]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_bounds_of_integers(dtype: np.dtype[Any]) -> None:
    low, high = weak.bounds(dtype) or (0, 0)
    for value in around(dtype):
        want, raised = attempt(lambda value=value: np.add(np.zeros(1, dtype), value)[0])
        got, error = attempt(lambda value=value: weak.convert(value, dtype))
        same_exception(error, raised)
        assert str(error) == str(raised)
        assert (low <= value <= high) == (raised is None)
        if raised is None:
            same(got, want)


@pytest.mark.parametrize("dtype", [item for item in DTYPES if item.kind in "fc"], ids=str)
def test_numbers_beside_floats(dtype: np.dtype[Any]) -> None:
    assert weak.bounds(dtype) is None
    for value in (0, -1, 2**53 + 1, 2**64, 10**400, 0.1, 1e300, -1e300, float("inf"), float("nan"), -0.0):
        want, raised = attempt(lambda value=value: np.add(np.full(1, -0.0, dtype), value)[0])
        got, error = attempt(lambda value=value: weak.convert(value, dtype))
        same_exception(error, raised)
        assert str(error) == str(raised)
        if raised is None and value != 0:
            same(got, want)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("ufunc", sorted(weak.COMPARISONS, key=str), ids=lambda ufunc: ufunc.__name__)
def test_comparisons_go_by_value(ufunc: np.ufunc, dtype: np.dtype[Any]) -> None:
    info = np.iinfo(dtype)
    array = np.array([info.min, 0, info.max], dtype)
    for value in around(dtype):
        for reflected in (False, True):
            want = ufunc(value, array) if reflected else ufunc(array, value)
            got = weak.compare(ufunc, dtype, value, reflected)
            if got is None:
                assert info.min <= value <= info.max
            else:
                assert np.all(want == got), (value, reflected)


# -- scalars -------------------------------------------------------------------------------------------------


class Level(enum.IntEnum):
    HIGH = 1


def test_which_operands_are_weak() -> None:
    array = np.ones(1, np.int8)
    for value in (
        1,
        1.0,
        1j,
        True,
        Level.HIGH,
        np.float64(1),
        np.int16(1),
        np.True_,
        np.ones(1, "f4"),
        np.ones((), "f4"),
    ):
        own = scalars.operand_of(value)
        assert own is not None
        assert promote.resolve(np.multiply, (array.dtype, own))[-1] == np.multiply(array, value).dtype, value
    for other in ("1", None, [1]):
        assert scalars.operand_of(other) is None


def test_answers_that_are_scalars() -> None:
    cell = np.array(2.0)
    same(scalars.answer(cell + 0 * np.ones(()), True), np.add(cell, 0))
    same(scalars.answer(np.full((), 2.0), False), np.reshape(cell, ()))
    same(scalars.answer(np.ones(1), True), np.add(np.ones(1), 0))
