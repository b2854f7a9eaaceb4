"""Loops whose trips threads may share, and those that one thread does: proofs, without compiling anything."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.passes.independence import share
from npcompile.frontend.loops.passes.intervals import bound
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import FLOAT, INT, WORD, Array, Known, List, Scalar, Tuple, Type

NAMES: dict[str, Type] = {
    "a": Array("f8", 1, True),
    "b": Array("f8", 1, True),
    "A": Array("f8", 2, True),
    "B": Array("f8", 2, True),
    "C": Array("i4", 3, True),
    "x": Array("i8", 1, True),
    "n": INT,
    "m": INT,
    "k": INT,
    "s": FLOAT,
    "c": INT,
    "u": Scalar("u4"),
    "last": INT,
    "words": List(WORD),
    "pairs": List(Tuple((INT, WORD))),
    "range": Known(range),
    "len": Known(len),
    "np": Known(np),
    "abs": Known(abs),
    "min": Known(min),
    "max": Known(max),
}

SHARED = [
    "for j in range(m): A[i, j] = i + j",
    "for j in range(m): A[i, j] = A[i, j] * 2.0",
    "for j in range(m): A[j, i] = B[j, i - 1]",
    "for j in range(m): A[i + 1, j] = B[i, j] + B[i + 1, j]",
    "for j in range(m): A[i + k, j] = a[j]",
    "for j in range(m): A[n - 1 - i, j] = a[j]",
    "for j in range(m): A[len(a) - i, j] = a[j]",
    "for j in range(m): A[2 * i, j] = A[2 * i + 1, j]",
    "for j in range(m): A[i][j] = B[j][i]",
    "for j in range(m): A[i, x[j]] = a[x[i]]",
    "for j in range(i): A[i, j] = A[i, j] + A[i, m]",
    "for j in range(m): C[j, i, k] = C[m, i, j]",
    "t = 0.0\nfor j in range(m): t += B[i, j]\na[i] = t",
    "row = A[i]\nfor j in range(m): row[j] = row[j] + 1.0",
    "column = A[:, i]\nother = B.T\nfor j in range(m): column[j] = other[i, j]",
    "p = i + 1\nfor j in range(m): A[p, j] = A[p, j - 1]",
    "for j in range(m):\n    if x[j] > k: last = j",
    "for j in range(m): c += x[j]",
    "for j in range(m): c = x[i] + c\nc -= 3",
    "for j in range(m): u += u32",
    "while x[i] > 0: x[i] = x[i] // 2",
    "A[i, :] = B[i, :] + a",
    "a[i] = np.dot(A[i, :], b)",
    "last = 0\nfor j in range(m):\n    if x[j] == 3:\n        last = j\n        break",
    "for j in range(m): A[i, j] = np.sqrt(abs(min(a[j], b[i])))",
    "if k == 3: del nowhere\nfor j in range(m): A[i, j] = 1.0",
]  # fmt: skip

ALONE = [
    ("for j in range(m): A[i, j] = A[i - 1, j]", "other trips may use"),
    ("for j in range(m): A[i, j] = A[j, i]", "other trips may use"),
    ("for j in range(m): A[j, 0] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[0, j] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[x[i], j] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[i // 2, j] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[i % 7, j] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[i * k, j] = B[i, j]", "other trips may use"),
    ("for j in range(m): A[2 * i, j] = A[2 * i + 2, j]", "other trips may use"),
    ("for j in range(m): A[i + 1, j] = A[i, j]", "other trips may use"),
    ("for j in range(m): A[i, j] = A[-i, j]", "other trips may use"),
    ("for j in range(m): A[i, j] = 1.0\nA[:, 0] = a", "other trips may use"),
    ("for j in range(m): A[i, j] = np.dot(A[:, 0], a)", "other trips may use"),
    ("for j in range(m): a[i + j] = 1.0", "other trips may use"),
    ("for j in range(m): a[i * m + j] = 1.0", "other trips may use"),
    ("q = i\nfor j in range(m):\n    A[q, j] = 1.0\n    q += 1", "other trips may use"),
    ("i = i // 2\nfor j in range(m): A[i, j] = 1.0", "other trips may use"),
    ("for j in range(m): A[k, j] = 1.0\nk += 1", "`k` is read while it is summed up"),
    ("for j in range(m): s += A[i, j]", "`s` has to be summed up in order"),
    ("for j in range(m): c = c * 2 + x[j]", "`c` is carried"),
    ("for j in range(m): c = x[j] - c", "`c` is carried"),
    ("for j in range(m): c += c", "`c` is read while it is summed up"),
    ("for j in range(m): c += x[j]\nx[i] = c", "`c` is read while it is summed up"),
    ("for j in range(m):\n    if x[j] > c: c = x[j]", "`c` is carried"),
    ("for j in range(m): a[i] = last\nlast = i", "`last` is carried"),
    ("for j in range(m):\n    if x[j] > 3: last = j\n    x[i] = last", "`last` is carried"),
    ("for j in range(m): A[i, j] = s\nif a[i] > 0.0: break", "`break` or `return`"),
    ("for j in range(m): A[i, j] = s\nif a[i] > 0.0: return", "`break` or `return`"),
    ("for j in range(m): a[i] = c\nif a[i] > 0.0: c = 1.5", "`c` is carried"),
    ("for j in range(m): a[i] = c\nif a[i] > 0.0: c = 1.5\nelse: c = 1", "names change their types"),
    ("for j in range(m):\n    if x[j] == 3: break\nlast = j", "`j` is carried"),
    ("a[i] = b[i] + 1.0", "its trips are short"),
    ("row = A[i - 1]\nfor j in range(m): A[i, j] = row[j]", "other trips may use"),
    ("t = np.zeros(3)\nfor j in range(m): t[j] = 1.0", "each trip binds `t` to an array"),
    ("w = words[i]\nfor j in range(m): x[i] += len(w)", "each trip binds `w` to a str"),
    ("w = pairs[i]\nfor j in range(m): x[i] += w[0]", "each trip binds `w` to a tuple that holds a str"),
    ("for j in range(m): x[i] += len(words)", "other trips may use `words`, a list"),
    ("for j in range(m): words.append(words[j])", "other trips may use `words`, a list"),
    ("row = A[i]\nif k == 3: row = B[i]\nfor j in range(m): row[j] = 1.0", "`row` is not one view"),
    ("for v in a: A[i, i] = v", "it goes over items"),
]


def outermost(body: str) -> tuple[ir.Region, int]:
    """The region of a loop over a range with a body, and the line of its header."""
    names = NAMES | ({"u32": Scalar("u4")} if "u32" in body else {})
    lines = ["def f():", "    for i in range(n):", *("        " + line for line in body.splitlines())]
    tree = ast.parse("\n".join(lines)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    node = tree.body[0]
    assert isinstance(node, ast.For)
    source = loop_source(node)
    assert source is not None and source.flow.state is not None
    region = Inference(source.flow).infer({**names, source.flow.state: ir.RangeState(1, True)})
    bound(region)
    share(region)
    return region, node.lineno


@pytest.mark.parametrize("body", SHARED)
def test_independent_trips_are_shared(body: str) -> None:
    region, line = outermost(body)
    assert line in [header.end.line for header in region.shared], region.unshared


@pytest.mark.parametrize(("body", "why"), ALONE)
def test_dependent_trips_are_not_shared(body: str, why: str) -> None:
    region, line = outermost(body)
    found = [header for header in region.shared if header.end.line == line]
    assert not found
    assert why in region.unshared[line]


def test_a_loop_within_is_shared_where_the_outer_one_is_not() -> None:
    """Time steps depend on each other, rows of one step do not."""
    region, line = outermost(
        "for p in range(1, m):\n    for j in range(m): A[p, j] = B[p, j] + 1.0\n    A[p, 0] = B[p - 1, i]"
    )
    assert [header.end.line for header in region.shared] == [line + 1]
    assert "other trips may use what a trip stores to `A`" in region.unshared[line]
