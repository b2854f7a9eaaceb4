"""Inlinable functions of `numpy.polynomial` and `numpy.emath`: recordings go into them, as NumPy wrote them.

The lists are explicit, as those of `inlinable.py` are (`tests/frontend/record/test_polynomials.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

_POLYNOMIAL: tuple[Any, ...] = (
    *(polynomial.polyline, polynomial.polyadd, polynomial.polysub, polynomial.polymulx, polynomial.polymul),
    *(polynomial.polydiv, polynomial.polypow, polynomial.polyval, polynomial.polyvalfromroots),
    *(polynomial.polyder, polynomial.polyint, polynomial.polyfromroots, polynomial.polyvander),
    *(polynomial.polyfit, polynomial.polytrim, polynomial.polyroots, polynomial.polyval2d),
    *(polynomial.polyval3d, polynomial.polygrid2d, polynomial.polygrid3d, polynomial.polyvander2d),
    *(polynomial.polyvander3d, polynomial.polycompanion),
)
_CHEBYSHEV: tuple[Any, ...] = (
    *(chebyshev.chebline, chebyshev.chebadd, chebyshev.chebsub, chebyshev.chebmulx, chebyshev.chebmul),
    *(chebyshev.chebdiv, chebyshev.chebpow, chebyshev.chebval, chebyshev.chebder, chebyshev.chebint),
    *(chebyshev.cheb2poly, chebyshev.poly2cheb, chebyshev.chebfromroots, chebyshev.chebvander),
    *(chebyshev.chebfit, chebyshev.chebtrim, chebyshev.chebroots, chebyshev.chebpts1, chebyshev.chebpts2),
    *(chebyshev.chebval2d, chebyshev.chebval3d, chebyshev.chebgrid2d, chebyshev.chebgrid3d),
    *(chebyshev.chebvander2d, chebyshev.chebvander3d, chebyshev.chebcompanion, chebyshev.chebgauss),
    *(chebyshev.chebweight, chebyshev.chebinterpolate),
)
_LEGENDRE: tuple[Any, ...] = (
    *(legendre.legline, legendre.legadd, legendre.legsub, legendre.legmulx, legendre.legmul),
    *(legendre.legdiv, legendre.legpow, legendre.legval, legendre.legder, legendre.legint),
    *(legendre.leg2poly, legendre.poly2leg, legendre.legfromroots, legendre.legvander, legendre.legfit),
    *(legendre.legtrim, legendre.legroots, legendre.legval2d, legendre.legval3d, legendre.leggrid2d),
    *(legendre.leggrid3d, legendre.legvander2d, legendre.legvander3d, legendre.legcompanion),
    *(legendre.leggauss, legendre.legweight),
)
_HERMITE: tuple[Any, ...] = (
    *(hermite.hermline, hermite.hermadd, hermite.hermsub, hermite.hermmulx, hermite.hermmul),
    *(hermite.hermdiv, hermite.hermpow, hermite.hermval, hermite.hermder, hermite.hermint),
    *(hermite.herm2poly, hermite.poly2herm, hermite.hermfromroots, hermite.hermvander, hermite.hermfit),
    *(hermite.hermtrim, hermite.hermroots, hermite.hermval2d, hermite.hermval3d, hermite.hermgrid2d),
    *(hermite.hermgrid3d, hermite.hermvander2d, hermite.hermvander3d, hermite.hermcompanion),
    *(hermite.hermgauss, hermite.hermweight),
)
_HERMITE_E: tuple[Any, ...] = (
    *(hermite_e.hermeline, hermite_e.hermeadd, hermite_e.hermesub, hermite_e.hermemulx, hermite_e.hermemul),
    *(hermite_e.hermediv, hermite_e.hermepow, hermite_e.hermeval, hermite_e.hermeder, hermite_e.hermeint),
    *(hermite_e.herme2poly, hermite_e.poly2herme, hermite_e.hermefromroots, hermite_e.hermevander),
    *(hermite_e.hermefit, hermite_e.hermetrim, hermite_e.hermeroots, hermite_e.hermeval2d),
    *(hermite_e.hermeval3d, hermite_e.hermegrid2d, hermite_e.hermegrid3d, hermite_e.hermevander2d),
    *(hermite_e.hermevander3d, hermite_e.hermecompanion, hermite_e.hermegauss, hermite_e.hermeweight),
)
_LAGUERRE: tuple[Any, ...] = (
    *(laguerre.lagline, laguerre.lagadd, laguerre.lagsub, laguerre.lagmulx, laguerre.lagmul),
    *(laguerre.lagdiv, laguerre.lagpow, laguerre.lagval, laguerre.lagder, laguerre.lagint),
    *(laguerre.lag2poly, laguerre.poly2lag, laguerre.lagfromroots, laguerre.lagvander, laguerre.lagfit),
    *(laguerre.lagtrim, laguerre.lagroots, laguerre.lagval2d, laguerre.lagval3d, laguerre.laggrid2d),
    *(laguerre.laggrid3d, laguerre.lagvander2d, laguerre.lagvander3d, laguerre.lagcompanion),
    *(laguerre.laggauss, laguerre.lagweight),
)
_POLYUTILS: tuple[Any, ...] = (
    *(polyutils.as_series, polyutils.trimseq, polyutils.trimcoef, polyutils.getdomain, polyutils.mapdomain),
    polyutils.mapparms,
)
_EMATH: tuple[Any, ...] = (
    *(np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.logn, np.emath.log10, np.emath.power),
    *(np.emath.arccos, np.emath.arcsin, np.emath.arctanh),
)

# Classes whose methods are recorded as those of the user's classes are.
CLASSES: tuple[type, ...] = (
    *(np.poly1d, polynomial.Polynomial, chebyshev.Chebyshev, legendre.Legendre),
    *(hermite.Hermite, hermite_e.HermiteE, laguerre.Laguerre),
)

INLINABLE_POLYNOMIALS: tuple[Any, ...] = (
    *(*_POLYNOMIAL, *_CHEBYSHEV, *_LEGENDRE, *_HERMITE, *_HERMITE_E, *_LAGUERRE, *_POLYUTILS, *_EMATH),
)
