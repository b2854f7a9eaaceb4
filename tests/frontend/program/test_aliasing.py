"""What was kept of an array stays as it was when the array is written to; what is a view of it does not."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import npcompile

# Ways to keep something of `a` (and of `b`) as `v`, and ways to write to `a` afterwards; extend them at will.
KEPT = """
v = np.empty_like(a); v[...] = a
v = np.zeros_like(a); v[:] = b; v[1:] = a[1:]
v = np.where(a > 0, a, b); np.copyto(v, a)
v = np.empty((2, len(a))); v[0] = a; v[1] = b
v = np.full_like(a, 2.0); v[::2] = a[::2]
v = np.empty_like(a); v[:] = a[::-1]
v = np.empty_like(a); v[:] = a[0]
v = np.empty_like(a); v.fill(a[0])
v = np.empty_like(a); np.add(a, 0, out=v)
v = b.copy(); v[1:3] = a[:2]
v = np.copy(a); v[0] = a[1]
v = np.zeros_like(a); v += a
v = a.copy()
v = np.array(a)
v = a + 0
v = np.maximum(a, a)
v = np.stack([a, b])
v = np.concatenate([a, b])
v = a.astype(float)
v = a[::-1].copy()
v = a.reshape(2, -1).copy()
v = np.ascontiguousarray(a[::2])
v = np.broadcast_to(a, (2, len(a))).copy()
v = a[[0, 1]]
v = np.roll(a, 0)
v = np.pad(a, 0)
v = np.tile(a, 1)
v = np.select([a > 1], [a], a)
v = np.nan_to_num(a)
v = np.einsum("i->i", a)
v = np.real(a)
v = np.asarray(a)
v = a[0]
v = a[1:]
v = a[::-1]
v = np.broadcast_to(a, (2, len(a)))
v = np.atleast_2d(a)
v = np.split(a, 2)
v = [a[0], a[1]]
v = {"k": a[:2]}
""".strip().splitlines()

WRITTEN = """
a *= 2
a[...] = b
a[a > 1] = 0
a[1:] = a[:-1]
a.fill(3)
np.multiply(a, b, out=a)
a[[0, 1]] = 9
a -= a.mean()
""".strip().splitlines()


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module of a function for each way to keep and each way to write."""
    source = "import numpy as np\n"
    for i, kept in enumerate(KEPT):
        for k, written in enumerate(WRITTEN):
            source += f"\n\ndef kept_{i}_{k}(a, b):\n    {kept}\n    {written}\n    return v, a + 1\n"
    path = tmp_path_factory.mktemp("kept") / "functions.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("kept_functions", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | tuple | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from flat(item)
    else:
        yield value


def judge(function: Any) -> None:
    jitted = npcompile.jit(function, wait=True)
    for call in range(3):
        ours, plain = ([np.arange(4.0) + call, np.arange(4.0)[::-1] * 2 + call] for _ in range(2))
        got, want = jitted(*ours), function(*plain)
        for one, other in zip(flat((got, ours)), flat((want, plain)), strict=True):
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)
            if isinstance(one, np.ndarray):
                assert np.shares_memory(one, ours[0]) == np.shares_memory(other, plain[0])


@pytest.mark.parametrize("kept", range(len(KEPT)), ids=KEPT.__getitem__)
def test_what_was_kept_stays(kept: int, functions: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    for written in range(len(WRITTEN)):
        judge(getattr(functions, f"kept_{kept}_{written}"))


@pytest.mark.parametrize("kept", range(4), ids=KEPT.__getitem__)
def test_what_was_kept_stays_compiled(kept: int, functions: ModuleType) -> None:
    judge(getattr(functions, f"kept_{kept}_0"))


def copied(a, b):
    v = a.copy()
    a[...] = a + b
    return v, a


def flattened(a, b):
    v = a.flatten()
    np.multiply(a, b, out=a)
    return v[::-2], a


def turned(a, b):
    v = np.array(a).T
    a *= b > 1
    return v, a - 0


def rows(a, b):
    v = a + 0
    a[1:] = b
    return v, a


@pytest.mark.parametrize(
    "function", [copied, flattened, turned, rows], ids=lambda function: function.__name__
)
def test_what_was_kept_stays_where_other_loops_write(function: Any) -> None:
    jitted = npcompile.jit(function, wait=True)
    for call in range(3):
        a, b = np.arange(12.0).reshape(3, 4) + call, np.arange(4.0)
        want, got = function(a.copy(), b), jitted(a.copy(), b)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)
