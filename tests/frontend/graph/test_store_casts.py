"""Numbers that are stored into arrays of other dtypes: cast, or refused, as NumPy does in each place."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy
from tests.checker import same, same_exception
from tests.frontend.eager.test_cases import ours, theirs

HUGE = (300.0, -300.0, 2.0**31, 2.0**63, 1e300, float("inf"), float("nan"))
NUMBERS: dict[str, Callable[[float], Any]] = {
    "int": lambda value: int(value) if abs(value) < 1e30 else 2**70,
    "float": float,
    "int64": lambda value: np.int64(value if abs(value) < 2**63 else 2**62),
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "complex128": np.complex128,
    "0-d": np.array,
}
DTYPES = ("bool", "int8", "uint8", "int32", "uint64", "int64", "float32")


def all_of_it(np: Any, o: Any, s: Any) -> Any:
    o[...] = s
    return o


def item(np: Any, o: Any, s: Any) -> Any:
    o[1] = s
    return o


def masked(np: Any, o: Any, s: Any) -> Any:
    o[o == 0] = s
    return o


def picked(np: Any, o: Any, s: Any) -> Any:
    o[[0, 2]] = s
    return o


def row(np: Any, o: Any, s: Any) -> Any:
    o[...] = [s, 1, s]
    return o


def filled(np: Any, o: Any, s: Any) -> Any:
    o.fill(s)
    return o


def put(np: Any, o: Any, s: Any) -> Any:
    np.put(o, [1], s)
    return o


def putmask(np: Any, o: Any, s: Any) -> Any:
    np.putmask(o, o == 0, s)
    return o


def place(np: Any, o: Any, s: Any) -> Any:
    np.place(o, o == 0, [s])
    return o


def copied(np: Any, o: Any, s: Any) -> Any:
    np.copyto(o, s, casting="unsafe")
    return o


def flat(np: Any, o: Any, s: Any) -> Any:
    o.flat = s
    return o


def flat_item(np: Any, o: Any, s: Any) -> Any:
    o.flat[1] = s
    return o


def flat_slice(np: Any, o: Any, s: Any) -> Any:
    o.flat[1:] = s
    return o


def diagonal(np: Any, o: Any, s: Any) -> Any:
    square = np.zeros((3, 3), o.dtype)
    np.fill_diagonal(square, s)
    return square


def array(np: Any, o: Any, s: Any) -> Any:
    return np.array(s, dtype=o.dtype)


def listed(np: Any, o: Any, s: Any) -> Any:
    return np.array([s, s], dtype=o.dtype)


def full(np: Any, o: Any, s: Any) -> Any:
    return np.full(3, s, dtype=o.dtype)


STORES = [all_of_it, item, masked, picked, row, filled, put, putmask, place, copied, flat, flat_item]
STORES += [flat_slice, diagonal, array, listed, full]


def calls(dtype: str, kind: str) -> Iterator[tuple[np.ndarray, Any]]:
    """Operands: numbers that fit first, which are recorded and replayed, then others."""
    for value in (3.0, 2.0, *HUGE):
        if not (kind.startswith("int") and value != value):
            with np.errstate(all="ignore"):
                yield np.array([0, 1, 0], dtype), NUMBERS[kind](value)


def outcome(store: Any, *args: Any) -> tuple[Any, BaseException | None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return store(*args), None
        except Exception as error:
            return None, error


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.__name__)
def test_a_number_is_stored_or_refused_as_numpy_does(
    store: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    wrong = []
    for dtype in DTYPES:
        jitted = npcompile.jit(store)
        for (o, s), (plain, _), (own, _) in zip(*(list(calls(dtype, kind)) for _ in range(3)), strict=True):
            want, raised = outcome(store, np, plain, s)
            for lane in ("jit", "shim"):
                if lane == "jit":
                    got, error = outcome(jitted, np, o, s)
                else:
                    got, error = outcome(store, npcompile.numpy, ours(own), ours(s))
                    got = theirs(got, want)
                try:
                    same_exception(error, raised)
                    if raised is None:
                        same(got, want)
                    same(o if lane == "jit" else own, plain)
                except AssertionError as found:
                    wrong.append(f"{lane}: {s!r} into {dtype}: {found}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("source", ["float16", "float32", "float64", "complex64", "complex128"])
def test_floats_beyond_an_integer_are_cast_as_by_numpy(
    source: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where NumPy has one answer: uint32, which depends on the place in the array, is left out."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def stored(np: Any, a: Any) -> Any:
        o = np.zeros(a.shape, dtype)
        o[...] = a
        np.copyto(made := np.zeros(a.shape, dtype), a, casting="unsafe")
        return o, a.astype(dtype), np.array(a, dtype=dtype), made

    edges = [sign * 2.0**power for power in (7, 8, 15, 16, 31, 32, 62, 63, 64, 100) for sign in (1, -1)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.array([edge + more for edge in edges for more in (-1.5, -0.5, 0, 0.5, 2)])
        values = np.array([*values, np.inf, -np.inf, np.nan]).astype(source)
        jitted = npcompile.jit(stored)
        for a in (values, values[::-1], values[::3], values[:3], values[-1:], np.resize(values, 1000)):
            want = stored(np, a)
            same(jitted(np, a), want)
            same(jitted(np, a), want)
            same(theirs(stored(npcompile.numpy, ours(a)), want), want)


LITERALS = ("np.complex64(1 + 2j)", "np.complex128(1 + 2j)", "1 + 2j", "np.float32(2.7)", "np.float16(-2.5)")
LITERALS += ("np.uint8(200)", "np.bool_(True)", "np.int64(-3)", "2.7", "7", "2**70", "-(2**70)", "'3'")
INTO = (
    "o[0]",
    "o[...]",
    "o.flat[1]",
    "o[o == 0]",
    "o[[0, 2]]",
    "o[1:]",
    "o[..., np.array([True, False, True])]",
)


@pytest.mark.parametrize("target", INTO)
def test_a_number_that_stands_in_the_program_is_stored_as_numpy_does(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    lines = [
        f"def f{at}(o):\n    {target} = {literal}\n    return o\n" for at, literal in enumerate(LITERALS)
    ]
    file = tmp_path / "literals.py"
    file.write_text("import numpy as np\n" + "".join(lines))
    spec = importlib.util.spec_from_file_location("literals", file)
    assert spec is not None and spec.loader is not None
    literals = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(literals)
    wrong = []
    for at, literal in enumerate(LITERALS):
        store = getattr(literals, f"f{at}")
        for dtype in (*DTYPES, "float16", "float64", "complex64", "complex128"):
            jitted = npcompile.jit(store)
            want, raised = outcome(store, np.array([0, 1, 0], dtype))
            for _ in range(2):
                got, error = outcome(jitted, np.array([0, 1, 0], dtype))
                try:
                    same_exception(error, raised)
                    same(got, want)
                except AssertionError as found:
                    wrong.append(f"{literal} into {dtype}: {found}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])


# A scalar has methods that write, of which NumPy's functions make use: into a copy.
INTO_A_SCALAR: list[Callable[[Any], Any]] = [
    lambda x: np.put(x, [0], 5.0),
    lambda x: np.put(x, 0, 5, mode="clip"),
    lambda x: np.put(x, np.array([3]), 5),
    lambda x: np.putmask(x, True, 5.0),
    lambda x: np.place(x, [True], [5.0]),
    lambda x: np.copyto(x, 5.0),
    lambda x: np.add(x, 1, out=x),
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("write", INTO_A_SCALAR)
def test_what_writes_into_a_scalar(write: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def fn(x):
        return write(x), x + 1

    for x in (np.float64(3), np.int32(3), np.bool_(True)):
        jitted = npcompile.jit(fn)
        want, raised = outcome(fn, x)
        for _ in range(4):
            got, error = outcome(jitted, x)
            same_exception(error, raised)
            same(got, want)


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("shape", [(1,), (3,), (2, 3), (3, 4), (0,)])
def test_an_array_onto_itself_under_a_mask_of_any_shape(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy looks at no mask where there is nothing to copy."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def fn(x, mask):
        np.copyto(x, x, where=mask)
        return x + 1

    jitted = npcompile.jit(fn)
    for _ in range(4):
        want, raised = outcome(fn, np.arange(3.0), np.ones(shape, bool))
        got, error = outcome(jitted, np.arange(3.0), np.ones(shape, bool))
        same_exception(error, raised)
        same(got, want)
