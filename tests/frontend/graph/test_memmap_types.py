"""Expressions of memory-mapped arrays give NumPy's types: memmaps where NumPy answers with memmaps."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frontend.graph.test_memmaps import judge, opened

EXPRESSIONS = """
m.sum(axis=0), m.sum(axis=0, keepdims=True), np.add.reduce(m), m.mean(), np.max(m, axis=0), m.std()
m.cumsum(), np.cumsum(m, axis=0), np.add.accumulate(m), m.dot(m.T), m @ m.T, np.einsum("ij,kj", m, m)
np.zeros_like(m), np.ones_like(m) + m, np.full_like(m, 3), np.empty_like(m).shape
m.astype(int), m.astype(np.float32), m.astype(float), m.view(np.int64), m.copy(), np.copy(m), np.array(m)
m.flatten(), m.ravel(), m.reshape(-1), m.T, m.real, m.imag, m[...], m[()], m[0], m[0, 0], m[[0]], m[m > 2]
np.asanyarray(m), np.atleast_2d(m), np.squeeze(m[None]), np.expand_dims(m, 0), np.swapaxes(m, 0, 1)
np.where(m > 2)[0], np.argsort(m), m.argmax(), np.clip(m, 2, 5), m.clip(2, 5), m.round(), np.round(m)
m == m, ~(m > 1), divmod(m, 2)[0], np.modf(m)[1], abs(m), m ** 2, 2 ** m, m // 2, np.float64(2) * m
np.concatenate([m, m]), np.vstack((m, m)), np.roll(m, 1), np.flip(m), np.diff(m), np.tile(m, 2), np.pad(m, 1)
np.broadcast_to(m[0], (2, 4)), np.broadcast_to(m[0], (3, 4), subok=True), np.array(m, subok=True)
f"{m[0]!r}", repr(m[0]), str(m[0]), "%r" % (m[0],), "{!r}".format(m[0]), np.array_repr(m), f"{[m[0]]}"
isinstance(m, np.memmap), isinstance(m * 2, np.memmap), type(m) is np.ndarray, type(m * 2).__name__, m.mode
m.flags.writeable, m.base is None, hasattr(m, "flush"), m.filename is None, m is m.T, m.nbytes, m.strides
[r for r in m], [r * 2 for r in m], list(m), sum(m), list(zip(m, m)), (lambda: m)()
np.linalg.inv(m[:3, :3] + np.eye(3)), np.linalg.norm(m, axis=0), np.fft.fft(m), np.median(m), np.unique(m)
m.__add__(1), m.__getitem__(0), np.ndarray.__mul__(m, 2), np.ndarray.sum(m, axis=0), m.tolist(), m.take([0])
"""


@pytest.mark.parametrize("line", EXPRESSIONS.strip().split("\n"))
def test_types_of_expressions(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each alone, and beside something that is compiled."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    found: Any = ast.parse(line, mode="eval").body
    texts = [ast.unparse(one) for one in found.elts]
    source = [
        f"def f{at}{more}(m):\n    return {text}{', m * 2' * more}\n"
        for at, text in enumerate(texts)
        for more in (0, 1)
    ]
    name, names = str(tmp_path / "expressions.py"), {"np": np}
    Path(name).write_text("\n".join(source))
    exec(compile(Path(name).read_text(), name, "exec"), names)
    for function in [one for key, one in names.items() if key[0] == "f"]:
        judge(function, tmp_path, lambda file, call: (opened(file, rows=3 + call % 2),))
