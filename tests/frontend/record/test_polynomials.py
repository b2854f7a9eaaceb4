"""Polynomials, series and `np.emath`, jitted: recorded as what NumPy makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy import poly1d
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial
from numpy.polynomial import chebyshev as C
from numpy.polynomial import hermite as H
from numpy.polynomial import hermite_e as E
from numpy.polynomial import laguerre as L
from numpy.polynomial import legendre as G
from numpy.polynomial import polynomial as P

import npcompile
from tests.checker import same
from tests.frontend.ops.test_eager import run


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


# Of coefficients c and places x.
ARITHMETIC: tuple[tuple[Any, ...], ...] = (
    (P.polyadd, P.polysub, P.polymul, P.polymulx, P.polydiv, P.polypow, P.polyder, P.polyint, P.polyval),
    (C.chebadd, C.chebsub, C.chebmul, C.chebmulx, C.chebdiv, C.chebpow, C.chebder, C.chebint, C.chebval),
    (G.legadd, G.legsub, G.legmul, G.legmulx, G.legdiv, G.legpow, G.legder, G.legint, G.legval),
    (H.hermadd, H.hermsub, H.hermmul, H.hermmulx, H.hermdiv, H.hermpow, H.hermder, H.hermint, H.hermval),
    (
        *(E.hermeadd, E.hermesub, E.hermemul, E.hermemulx, E.hermediv, E.hermepow, E.hermeder, E.hermeint),
        E.hermeval,
    ),
    (L.lagadd, L.lagsub, L.lagmul, L.lagmulx, L.lagdiv, L.lagpow, L.lagder, L.lagint, L.lagval),
)
MORE: tuple[tuple[Any, ...], ...] = (  # two and three variables, Vandermonde's matrices, roots, fits
    (P.polyval2d, P.polygrid2d, P.polyvander, P.polyvander2d, P.polyfromroots, P.polyroots, P.polyfit),
    (C.chebval2d, C.chebgrid2d, C.chebvander, C.chebvander2d, C.chebfromroots, C.chebroots, C.chebfit),
    (G.legval2d, G.leggrid2d, G.legvander, G.legvander2d, G.legfromroots, G.legroots, G.legfit),
    (H.hermval2d, H.hermgrid2d, H.hermvander, H.hermvander2d, H.hermfromroots, H.hermroots, H.hermfit),
    (E.hermeval2d, E.hermegrid2d, E.hermevander, E.hermevander2d, E.hermefromroots, E.hermeroots, E.hermefit),
    (L.lagval2d, L.laggrid2d, L.lagvander, L.lagvander2d, L.lagfromroots, L.lagroots, L.lagfit),
)


def _functions() -> dict[str, Callable[[Any, Any], Any]]:
    made: dict[str, Callable[[Any, Any], Any]] = {}

    def add(function: Any, body: Callable[[Any, Any], Any]) -> None:
        made[function.__name__] = body

    for plus, minus, times, by_x, over, power, derivative, integral, value in ARITHMETIC:
        for function in (plus, minus, times, over):
            add(function, lambda c, x, f=function: f(c, c[:2] + 1))
        add(by_x, lambda c, x, f=by_x: f(c))
        add(power, lambda c, x, f=power: f(c, 2))
        add(derivative, lambda c, x, f=derivative: f(c, 2, 0.5))
        add(integral, lambda c, x, f=integral: f(c, 1, k=[2]))
        add(value, lambda c, x, f=value: f(x, c))
    for plane, grid, rows, table, of_roots, roots, fit in MORE:
        for function in (plane, grid):
            add(function, lambda c, x, f=function: f(x, x + 1, c[:, None] * c))
        add(rows, lambda c, x, f=rows: f(x, 3))
        add(table, lambda c, x, f=table: f(x, x * 2, [1, 2]))
        add(of_roots, lambda c, x, f=of_roots: f(c))
        add(roots, lambda c, x, f=roots: np.sort_complex(f(c)))
        add(fit, lambda c, x, f=fit: f(x, x * x, 2))
    return made


OF_SERIES = {
    **_functions(),
    "polyvalfromroots": lambda c, x: P.polyvalfromroots(x, c),
    "chebinterpolate": lambda c, x: C.chebpts1(5) * c[0],
    "leggauss": lambda c, x: G.leggauss(5)[1] * c[0],
    "cheb2poly": lambda c, x: C.cheb2poly(c),
    "poly2leg": lambda c, x: G.poly2leg(c),
}
OF_OBJECTS = {
    **{
        f"{kind.__name__} {name}": lambda c, x, kind=kind, body=body: body(kind, c, x)
        for kind in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
        for name, body in {
            "value": lambda kind, c, x: kind(c)(x),
            "constant": lambda kind, c, x: kind([1.0, 2, 3])(x) + c[0],
            "domain": lambda kind, c, x: kind(c, domain=[0, 2])(x),
            "arithmetic": lambda kind, c, x: (2 * kind(c) * kind(c[:2]) - c[0] + 1)(x),
            "quotient": lambda kind, c, x: (kind(c) // kind(c[:2] + 3)).coef,
            "calculus": lambda kind, c, x: kind(c).deriv().integ(1, k=[2.0])(x),
            "fit": lambda kind, c, x: kind.fit(x, x * x * x, 2, domain=[-2, 2])(x),
            "roots": lambda kind, c, x: np.sort_complex(kind(c).roots()),
        }.items()
    },
    "Polynomial changed": lambda c, x: (lambda p: (setattr(p, "coef", p.coef * 2), p(x))[1])(Polynomial(c)),
    "Polynomial.basis": lambda c, x: Polynomial.basis(2)(x) * c[0],
    "Polynomial.fromroots": lambda c, x: Polynomial.fromroots(c)(x),
    "Polynomial.linspace": lambda c, x: Polynomial(c).linspace(5),
    "poly1d": lambda c, x: poly1d(c)(x),
    "poly1d constant": lambda c, x: poly1d([1.0, 2, 3])(x) + c[0],
    "poly1d arithmetic": lambda c, x: (2 * poly1d(c) * poly1d(c[:2]) - poly1d(c[:1]) + 1)(x),
    "poly1d quotient": lambda c, x: (poly1d(c) / poly1d(c[:2]))[0].c,
    "poly1d power": lambda c, x: (-(poly1d(c) ** 2))(x),
    "poly1d calculus": lambda c, x: poly1d(c).deriv().integ()(x),
    "poly1d order": lambda c, x: poly1d(c).order * x,
    "poly1d of a fit": lambda c, x: poly1d(np.polyfit(x, x * x, 2))(x),
    "poly1d.r": lambda c, x: np.sort_complex(poly1d(c).r),
    "roots": lambda c, x: np.sort_complex(np.roots(c)),
    "polymul": lambda c, x: np.polymul(c, c[:2]),
}
EMATH = {
    "sqrt": lambda c, x: np.emath.sqrt(x),
    "sqrt of positives": lambda c, x: np.emath.sqrt(x * x),
    "log": lambda c, x: np.emath.log(x) + np.emath.log10(x + 2),
    "log2": lambda c, x: np.emath.log2(c) * np.emath.logn(2, c),
    "power": lambda c, x: np.emath.power(x, 0.5),
    "arccos": lambda c, x: np.emath.arccos(x) + np.emath.arcsin(x),
    "arctanh": lambda c, x: np.emath.arctanh(x + 1.5),
}
CASES = {**OF_SERIES, **OF_OBJECTS, **EMATH}
X = np.random.default_rng(3).uniform(-1, 1, 12)
COEFFICIENTS = np.array([1.5, -2.0, 0.25, 3.0])
OTHERS = (
    *(np.array([0.0, 2, 0, 1]), np.array([1.0, 2, 3, 0]), np.array([0.0, 0, 0, 0])),
    *(COEFFICIENTS.astype("f4")[::-1], COEFFICIENTS * (1 + 2j), np.arange(4)),
)
NOT_CLOSE = 1e6  # of roots and fits, ulp


def outcome(body: Callable[..., Any], *args: Any) -> Any:
    got, raised = run(body, *(arg.copy() for arg in args))
    return type(raised) if raised is not None else got


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_nothing_is_left_to_numpy(name: str) -> None:
    jitted = npcompile.jit(CASES[name])
    for _ in range(3):
        same(outcome(jitted, COEFFICIENTS, X), outcome(CASES[name], COEFFICIENTS, X), NOT_CLOSE, 64.0)
    assert (jitted.stats.replays, jitted.stats.host_calls) == (2, 0), jitted.stats.reasons


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_other_coefficients(name: str) -> None:
    """Zeros at the ends, other dtypes, other layouts: one function for all of them."""
    jitted = npcompile.jit(CASES[name])
    for _ in range(2):
        for c in OTHERS:
            same(outcome(jitted, c, X), outcome(CASES[name], c, X), NOT_CLOSE, 64.0)


P1 = poly1d([1.0, 2, 3])
P2 = Polynomial([1.0, 2, 3])


def outside(x):
    return P1(x) + P2(x)


def test_polynomials_from_outside_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = (
        lambda: P1.__setitem__(0, 7.0),
        lambda: setattr(P2, "coef", np.array([4.0, 5, 6])),
        lambda: monkeypatch.setitem(globals(), "P1", poly1d([3.0, 4])),
        lambda: monkeypatch.setitem(globals(), "P2", Chebyshev([1.0, 2, 5])),
        lambda: P1.__setitem__(4, 2.0),
        lambda: setattr(P2, "domain", np.array([0.0, 1])),
        lambda: monkeypatch.setattr(Chebyshev, "window", np.array([0.0, 1])),
    )
    jitted = npcompile.jit(outside)
    for change in (*changes, lambda: None):
        for _ in range(2):
            same(jitted(X), outside(X), 8, 64.0)
        change()
    assert jitted.stats.replays >= 8


def raised_in_place(p, x):
    p.coef[0] += 1
    return p, p(x), p.deriv()


def test_polynomials_as_arguments_and_answers() -> None:
    jitted = npcompile.jit(raised_in_place)
    one, other = Polynomial([1.0, 2]), Polynomial([1.0, 2])
    for _ in range(4):
        got, want = jitted(one, X), raised_in_place(other, X)
        assert got[0] is one and type(got[2]) is Polynomial
        same(got[1], want[1], 8)
        same([vars(got[0]), vars(got[2])], [vars(want[0]), vars(want[2])])
    assert jitted.stats.replays == 3
