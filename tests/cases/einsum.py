"""Cases of `np.einsum`: each form of subscripts and operands, views, paths, dtypes, what NumPy refuses."""

from __future__ import annotations

import numpy

from tests.cases.framework import case, filled, given

KINDS = ("float64", "int32", "bool", "uint8", "complex64")
# Subscripts and the shapes of the operands.
SUMS = [
    ("ij,jk", (3, 4), (4, 2)),
    ("ij,jk->ki", (3, 4), (4, 2)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("i,j", (3,), (4,)),
    ("ij->j", (3, 4)),
    ("ii", (3, 3)),
    ("iii", (3, 3, 3)),
    ("iij->j", (3, 3, 2)),
    ("", ()),
    (",", (), ()),
    ("i,", (3,), ()),
    ("...,...", (2, 3), (3,)),
    ("i...,i...", (3, 4), (3,)),
    ("i...->...", (3, 4)),
    ("...ij->...", (2, 3, 3)),
    ("...j,jk->...k", (2, 3, 4), (4, 5)),
    ("...k,...k->...", (2, 1, 4), (3, 4)),
    ("ik...,k...->i...", (3, 2, 4), (2, 4)),
    ("ij,jk->...", (2, 3), (3, 2)),
    (" i j , j k ", (2, 3), (3, 2)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 3)),
    ("ij,jk", (2, 1), (3, 2)),
    ("a,a->a", (1,), (4,)),
    ("i,i->", (1,), (1,)),
    ("ij,ij->ij", (0, 3), (0, 3)),
    ("ij,jk", (2, 0), (0, 3)),
    ("ij, jk, kl -> il", (2, 3), (3, 4), (4, 2)),
    ("ab,ab,c->c", (2, 3), (2, 3), (4,)),
    ("ea,fb,abcd,gc,hd->efgh", (2, 2), (2, 2), (2, 2, 2, 2), (2, 2), (2, 2)),
    ("Ab,bA->bA", (2, 3), (3, 2)),
    ("ab,cd->", (2, 3), (4, 5)),
]
VIEWS = [
    ("ij->ji", (3, 4)),
    ("ji", (3, 4)),
    ("ij", (3, 4)),
    ("ii->i", (3, 3)),
    ("ijij->ij", (2, 3, 2, 3)),
    ("...", (2, 3)),
    ("...i->i...", (2, 3, 4)),
    ("a...a->a...", (3, 2, 3)),
]
REFUSED = [
    ("ij,jl", (3, 4), (3, 4)),
    ("ij,j", (3, 4)),
    ("i", (3,), (3,)),
    ("ijk,j", (3, 4), (4,)),
    ("ij->ik", (3, 4)),
    ("i->ii", (3,)),
    ("ii", (1, 3)),
    ("ii->i", (2, 3)),
    ("i...->i", (3, 4)),
    ("ij->i.", (2, 3)),
    ("i..j", (2, 3)),
    ("ij-k", (2, 3)),
    ("i,j->i->j", (3,), (3,)),
    ("i@", (3, 4)),
    ("ij", (3,)),
]
for text, *shapes in (*SUMS, *VIEWS, *REFUSED):
    name = f"{text} {'; '.join(map(str, shapes))}"
    rows = given(*(tuple(filled(shape, kind) for shape in shapes) for kind in KINDS))
    case("numpy.einsum", lambda np, *ops, t=text: np.einsum(t, *ops), rows, f"form {name}", ulp=64, size=20.0)
    for optimize in (True, "optimal", ("greedy", 4)):
        body = lambda np, *ops, t=text, o=optimize: np.einsum(t, *ops, optimize=o)  # noqa: E731
        case("numpy.einsum", body, rows, f"{optimize} {name}", ulp=64, size=20.0)
    body = lambda np, *ops, t=text: np.einsum(t, *ops, dtype="c16")  # noqa: E731
    case("numpy.einsum", body, rows, f"complex {name}", ulp=64, size=20.0)

A, B = filled((3, 4), "float64"), filled((4, 5), "float64")
PAIR = given((A, B))
for label, lists in [
    ("implicit", ([0, 1], [1, 2])),
    ("explicit", ([0, 1], [1, 2], [0, 2])),
    ("ellipsis", ([..., 1], [1, 2])),
    ("too large", ([0, 60], [60, 2])),
    ("text", ([0, "x"], [1, 2])),
]:
    body = lambda np, a, b, s=lists: np.einsum(a, s[0], b, s[1], *s[2:])  # noqa: E731
    case("numpy.einsum", body, PAIR, f"lists {label}", ulp=16, size=20.0)
case(
    "numpy.einsum", lambda np, a, b: np.einsum(a, [0, 1], [1]), PAIR, "lists, one operand", ulp=16, size=20.0
)
case("numpy.einsum", lambda np, a, b: np.einsum(a), PAIR, "no lists")
case("numpy.einsum", lambda np, a, b: np.einsum("ij"), PAIR, "no operands")
for label, keywords in {
    "a path": {"optimize": ["einsum_path", (0, 1)]},
    "no such path": {"optimize": "bad"},
    "no path": {"optimize": 7},
    "order": {"order": "F"},
    "no such order": {"order": "X"},
    "unsafe": {"dtype": "f4", "casting": "unsafe"},
    "safe": {"dtype": "f4"},
    "same kind": {"dtype": "f4", "optimize": True},
}.items():
    body = lambda np, a, b, k=keywords: np.einsum("ij,jk", a, b, **k)  # noqa: E731
    case("numpy.einsum", body, PAIR, label, ulp=16, size=20.0)
body = lambda np, a, b: np.einsum("ij,jk,kl", a, b, b.T, optimize=["einsum_path", (1, 2), (0, 1)])  # noqa: E731
case("numpy.einsum", body, PAIR, "a path of two steps", ulp=64, size=60.0)
for kind in ("float64", "float32", "complex128"):
    for optimize in (False, True):
        body = lambda np, a, b, out, o=optimize: np.einsum("ij,jk", a, b, out=out, optimize=o)  # noqa: E731
        rows = given((numpy.rint(A), numpy.rint(B), numpy.zeros((3, 5), kind)))
        label = f"out {kind} {optimize}"
        case("numpy.einsum", body, rows, label, ulp=16, size=20.0, refused=kind != "float64")
rows = given(([1, 2], [3, 4]), (numpy.float32(3), 5), (numpy.arange(3), numpy.ones(3, "f4")))
case("numpy.einsum", lambda np, a, b: np.einsum("...,...", a, b), rows, "lists and numbers", ulp=4)

SIGNED = (numpy.array([1.0, -2.0, 0.0]), numpy.array([-0.0, 0.0, -1.0]))
for text in ("i,j", "i,i->i", "i,j->ji", "i,j->"):
    for optimize in (False, True):
        body = lambda np, a, b, text=text, o=optimize: np.einsum(text, a, b, optimize=o)  # noqa: E731
        pairs = [tuple(item.astype(kind) for item in SIGNED) for kind in ("f8", "f4", "f2", "c16")]
        case("numpy.einsum", body, given(*pairs), f"signs of zeros {text} {optimize}")

NEGATIVE = -numpy.zeros((2, 3))
for kind, told in (("f8", {}), ("f4", {}), ("c16", {"dtype": "i8", "casting": "unsafe"})):
    body = lambda np, a, out, t=told: np.einsum("ij->ji", a, out=out, **t)  # noqa: E731
    rows = given(*((item, numpy.ones((3, 2), kind)) for item in (NEGATIVE, NEGATIVE + 2.5)))
    case("numpy.einsum", body, rows, f"out of a view {kind} {told}", refused=True)
