"""Complex numbers in kernels: fused like real ones, with NumPy's digits, infinities and signs of zeros."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.jit_lane import judge, outcome

KINDS = ("complex128", "complex64")


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    yield


def parts(kind: str) -> np.ndarray:
    """Where arithmetic on a part goes wrong: zeros, infinities, NaN, the largest and the smallest numbers."""
    real = np.finfo(kind)
    large, small = float(real.max), float(real.smallest_subnormal)
    some = [0.0, 0.5, 1.0, 2.5, 100.0, 800.0, 1e-30, large, large / 2, small, float(real.tiny), np.inf]
    return np.array([*some, *(-value for value in some), np.nan])


def edges(kind: str) -> np.ndarray:
    return np.array([complex(re, im) for re in parts(kind) for im in parts(kind)]).astype(kind)


def ordinary(shape: Any, kind: str = "complex128", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(kind)


def one_kernel(fn: Callable[..., Any], *args: Any, ulp: float = 0) -> Any:
    """Record, compile, replay, both judged: one kernel, called by C++ alone."""
    jitted = npcompile.jit(fn, wait=True)
    with np.errstate(all="ignore"):
        for _ in range(2):
            judge(jitted, fn, args, ulp)
        found = jitted.stats
        assert (found.replays, found.kernels, found.segments, found.host_calls) == (1, 1, 1, 0), found
        assert "with torch operators" not in str(npcompile.explain(jitted, *args, detail="program"))
    return found


def rational(a, b):
    return (a * b + (1 - 2j)) / (a - 3.0 * b), np.abs(a * b), a.conj() * b.imag


@pytest.mark.parametrize("kind", KINDS)
def test_an_expression_is_one_kernel_with_numpys_digits(kind: str) -> None:
    one_kernel(rational, ordinary(1003, kind), ordinary(1003, kind, 1))


def test_no_intermediate_is_written() -> None:
    a = ordinary(1000)
    assert one_kernel(lambda a: (a * a + 1) * a.conj() - a, a).bytes_written == a.nbytes


def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a == b, a != b, np.where(a == b, a, 0), a < b, a >= b


@pytest.mark.parametrize("kind", KINDS)
def test_arithmetic_on_edge_values(kind: str) -> None:
    some = edges(kind)[::7]
    one_kernel(arithmetic, np.repeat(some, some.size), np.tile(some, some.size))


def alone(a):
    return (
        -a,
        a.conj(),
        np.abs(a),
        np.square(a),
        a**3,
        np.reciprocal(a),
        np.isnan(a),
        np.isfinite(a),
        np.rint(a),
    )


def beside_numbers(a):
    return (
        a + 1,
        2.0 - a,
        a * 2.0,
        a * 1j,
        1 / a,
        a / (2 - 1j),
        a.real * 1j,
        np.logical_not(a),
        a.astype(bool),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fn", [alone, beside_numbers])
def test_edge_values_alone_and_beside_numbers(fn: Callable[..., Any], kind: str) -> None:
    one_kernel(fn, edges(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["exp", "sqrt", "log", "log2", "log10", "log1p", "angle"])
def test_functions_on_edge_values(name: str, kind: str) -> None:
    function = getattr(np, name)
    one_kernel(lambda a: function(a), edges(kind), ulp=4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["arctan", "arctanh"])
def test_inverses_on_edge_values(name: str, kind: str) -> None:
    function = getattr(np, name)
    one_kernel(lambda a: function(a), edges(kind), ulp=4)
    one_kernel(lambda a: function(a), ordinary(1000, kind), ulp=4)
    near = np.concatenate([unit + edges(kind) for unit in (1, -1, 1j, -1j)]).astype(kind)
    one_kernel(lambda a: function(a), near, ulp=4)


def around(a):
    return np.sin(a), np.cos(a), np.tan(a), np.sinh(a), np.cosh(a), np.tanh(a)


@pytest.mark.parametrize("kind", KINDS)
def test_trigonometric_functions_on_edge_values(kind: str) -> None:
    """Also of what overflows in one factor alone, or fades."""
    large = np.array(
        [-20.0, 36.5, 50, 88.5, -89.5, 100, 354.5, 709.5, -710.2, 711, -1400, 1500, 1e-8, -1e-200]
    )
    some = np.concatenate([edges(kind).real, edges(kind).imag, large.astype(edges(kind).real.dtype)])
    some = np.unique(some)
    parts = np.stack(np.meshgrid(some, some), -1).reshape(-1, 2)
    one_kernel(around, np.ascontiguousarray(parts).view(kind)[:, 0], ulp=4)


@pytest.mark.parametrize("kind", KINDS)
def test_signs_of_zeros(kind: str) -> None:
    some = edges(kind)
    some = some[np.isfinite(some)]

    def signs(a):
        results = (np.exp(a), np.sqrt(a), np.log(a), a * a, 1 / a, a - a, a.real * a, *around(a))
        return [np.signbit(part) & (part == 0) for r in results for part in (r.real, r.imag)]

    one_kernel(signs, some)


def test_logarithms_near_the_unit_circle() -> None:
    angles = np.linspace(-3, 3, 2000)
    near = np.exp(1j * angles) * (1 + np.logspace(-16, -1, 2000))
    one_kernel(lambda a: np.log(a), near, ulp=2)
    one_kernel(lambda a: np.log(a), near.astype("complex64"), ulp=2)


def test_real_numbers_beside_complex_ones() -> None:
    real = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan])
    whole = np.arange(-3, 3)
    other = np.array([complex(re, im) for re in real for im in real[:1]])
    one_kernel(lambda x, n, z: (x * z, z / x, x + z, n * z, x - z, z - n, x + 1j * n), real, whole, other)


@pytest.mark.parametrize(
    "lay", [lambda a: a.T, lambda a: a[::2, ::3], lambda a: a[::-1, ::-1], np.asfortranarray]
)
def test_layouts(lay: Callable[[np.ndarray], np.ndarray]) -> None:
    one_kernel(
        lambda a, b: (a * b + 1, (a - b).T, a.real + b.imag), lay(ordinary((12, 15))), lay(ordinary((12, 15)))
    )


def moved(a):
    return (
        *(a.T.reshape(-1) * 2, a[1:, ::2] + 1, a[::-1] - a, np.roll(a, 1, 0), np.concatenate([a, a.conj()])),
        *(np.stack([a, a * 1j], -1), np.where(a.real > 0, a, -a), a[[2, 0]], np.repeat(a, 2), np.tril(a)),
        *(np.zeros_like(a) + a[0], a.astype("complex64"), np.pad(a, 1), np.broadcast_to(a[0], (2, *a.shape))),
    )


def test_elements_moved() -> None:
    judged = npcompile.jit(moved, wait=True)
    for _ in range(2):
        judge(judged, moved, (ordinary((5, 5)),), 0)
    assert judged.stats.replays == 1 and not judged.stats.reasons


def test_reductions() -> None:
    a = ordinary((40, 30))
    judged = one_kernel(lambda a: (a.sum(), np.abs(a).max()), a, ulp=64)
    assert judged.bytes_written < 100

    def more(a):
        return a.sum(0), a.mean(1), a.cumsum(1), a.any(), np.sum(a * a.conj()), a.var(), np.linalg.norm(a)

    jitted = npcompile.jit(more, wait=True)
    for _ in range(2):
        judge(jitted, more, (a,), 64)
    assert jitted.stats.replays == 1 and not jitted.stats.reasons


# -- writes --------------------------------------------------------------------------------------------------


def whole(a, b):
    a *= b
    a += 1j


def rows(a, b):
    a[1:-1] = a[1:-1] * b[1:-1] + b[:-2]


def columns(a, b):
    a[:, ::2] -= b[:, ::2] * 2j
    a[0] = b[-1]


def real_part(a, b):
    a.real[...] = b.imag * 2


def imaginary_part(a, b):
    a.imag[1:] += b.real[1:]
    return a.conj()


def from_real(a, b):
    a[:] = b.real
    return a * a


def backwards(a, b):
    a[::-1] = b * a


def given_out(a, b):
    return np.multiply(a, b, out=a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "fn", [whole, rows, columns, real_part, imaginary_part, from_real, backwards, given_out]
)
def test_writes_into_arguments(fn: Callable[..., Any], kind: str) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for seed in (0, 1):
        judge(jitted, fn, (ordinary((9, 8), kind, seed), ordinary((9, 8), kind, seed + 7)), 0)
    assert jitted.stats.replays == 1 and not jitted.stats.reasons, jitted.stats


def test_a_write_in_place_is_one_kernel_and_writes_its_bytes() -> None:
    a = ordinary((50, 4))
    assert one_kernel(whole, a, ordinary((50, 4), seed=1)).bytes_written == a.nbytes


def test_arguments_that_share_memory() -> None:
    def shifted(a, b):
        a += b * 2
        return a

    jitted = npcompile.jit(shifted, wait=True)
    for _ in range(2):
        base, other = ordinary(100), ordinary(100)
        want, got = outcome(shifted, (base[1:], base[:-1])), outcome(jitted, (other[1:], other[:-1]))
        same(got[0], want[0])
        same(other, base)


# -- numbers and sizes ---------------------------------------------------------------------------------------


def test_numbers_enter_and_scalars_leave() -> None:
    def fn(a, s, z):
        return a * s + z, (a * z).sum(), a[3] * s

    jitted = npcompile.jit(fn, wait=True)
    for s, z in ((np.complex64(1 - 2j), 2 + 3j), (np.complex64(-0.5j), 1j)):
        judge(jitted, fn, (ordinary(20, "complex64"), s, z), 16)
    assert jitted.stats.replays == 1 and not jitted.stats.reasons


def test_many_lengths_share_their_kernels() -> None:
    def fn(z, x):
        w = z * z.conj() + x
        w[1:] /= 1 + np.abs(z[:-1])
        return w, w.sum(), np.exp(1j * x)

    jitted = npcompile.jit(fn, wait=True)
    for n in (10, 13, 300, 40, 41, 301, 1000, 302, 77):
        judge(jitted, fn, (ordinary(n), np.linspace(-1, 1, n)), 64)
    assert jitted.stats.recordings <= 3 and not jitted.stats.reasons, jitted.stats
    assert jitted.stats.compilations <= 3 * jitted.stats.segments, jitted.stats


def test_what_is_not_taken_apart_is_torchs_own() -> None:
    def fn(a):
        return np.arcsinh(a * 2) + a

    jitted = npcompile.jit(fn, wait=True)
    for seed in (0, 1):
        judge(jitted, fn, (ordinary(50, seed=seed),), 16)
    assert jitted.stats.replays == 1 and not jitted.stats.reasons
    assert "with torch operators" in str(npcompile.explain(jitted, ordinary(50), detail="program"))


def test_powers_are_done_as_numpy_does_them() -> None:
    special = np.array([complex(-np.inf, 1), complex(np.inf, -np.inf), 1 + 2j, -4 + 0j])
    jitted = npcompile.jit(lambda z, p: z**p, wait=True)
    with np.errstate(all="ignore"):
        for exponent in (0.5, 2, 0.7, 0.5, -1.0, 0.5):
            assert np.allclose(jitted(special, exponent), special**exponent, rtol=1e-14, equal_nan=True)
    assert jitted.stats.replays > 0


def test_scalars_are_ordered_as_numpys_scalars(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NaN in an imaginary part decides for ufuncs, and for the operators of scalars it does not."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def ordered(a: np.ndarray) -> list[Any]:
        x, y = a[0], a[1]
        return [x < y, x <= y, x > y, x >= y, a.max() > 2, np.greater(x, y), a[:1] > a[1:]]

    jitted = npcompile.jit(ordered, wait=True)
    parts = (0.0, 1.0, 3.0, np.inf, -np.inf, np.nan)
    values = [complex(re, im) for re in parts for im in parts]
    for x in values:
        for y in values[::5]:
            a = np.array([x, y])
            with np.errstate(invalid="ignore"):
                assert repr(jitted(a)) == repr(ordered(a)), (x, y)
    assert jitted.stats.replays
