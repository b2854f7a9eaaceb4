"""Loops that go from item to item have vectors as wide as the processor's, other loops do not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import begin, check, copies, run_in_python, run_natively


def total(x):
    s = 0
    for i in range(len(x)):
        s += int(x[i])


def classes(x):
    low = high = 0
    for v in x:
        if v < 0:
            low += 1
        elif v > 1:
            high += 1


def clipped(x, out):
    for i, v in enumerate(x):
        if v > 1:
            out[i] = 1
        elif v < 0:
            out[i] = -v
        else:
            out[i] = v


def row_means(x, out):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            s = 0.0
            for d in range(-1, 2):
                s += x[i + d, j] + x[i, j + d]
            out[i, j] = s


WIDE = [(total, 1), (classes, 1), (clipped, 2), (row_means, 2)]


@pytest.mark.parametrize("code", ["f8", "f4", "i8", "i2"])
@pytest.mark.parametrize("function, arrays", WIDE)
def test_loops_from_item_to_item(function, arrays: int, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    random = np.random.default_rng(9)
    for size in (2, 7, 16, 33, 70):
        shape = (size, size) if function is row_means else (size,)
        given = [random.normal(0, 2, shape).astype(code) for _ in range(arrays)]
        assert "NPL_WIDE" in begin(function, *given).loop.source.text
        check(function, *given)


def columns(x, out):
    for i in range(len(x)):
        out[i] = x[i, 0] - x[i, 1]


def pairs(x, out):
    for i in range(len(out) // 2):
        out[2 * i] = x[2 * i] - x[2 * i + 1]
        out[2 * i + 1] = x[2 * i] + x[2 * i + 1]


def shifted(x, out):
    for i in range(1, len(out)):
        out[i - 1] = x[i - 1] - x[i]
        out[i] = x[i]


def gathered(x, out):
    for i in range(len(x)):
        out[i] = x[x[i] & 1]


def written_out(x, out):
    for i in range(len(x)):
        s = 0
        for j in range(8):
            s += x[i, j]
        out[i] = s


def turned(x, out):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            out[i] += x[i, j]


@pytest.mark.parametrize("function", [columns, pairs, shifted, gathered, written_out, turned])
def test_other_loops(function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    shape = (40, 8) if function in (columns, written_out, turned) else (40,)
    given = np.random.default_rng(9).integers(-5, 5, shape), np.zeros(40, np.int64)
    assert "NPL_WIDE" not in begin(function, *given).loop.source.text
    check(function, *given)


def test_strided_and_complex_items() -> None:
    x = np.arange(40.0)
    assert "NPL_WIDE" not in begin(total, x[::2]).loop.source.text
    mine, plain = copies((x + 1j, np.zeros(40, complex))), copies((x + 1j, np.zeros(40, complex)))
    run = run_natively(doubled, *mine)
    run_in_python(doubled, *plain)
    assert "NPL_WIDE" not in run.loop.source.text
    np.testing.assert_array_equal(mine[1], plain[1])


def doubled(x, out):
    for i in range(len(x)):
        out[i] = x[i] + x[i]


def by_one(x, by, out):
    for i in range(len(x)):
        out[i] = x[i] - by[()]


def test_an_item_without_an_index() -> None:
    given = np.arange(20.0), np.array(3.5), np.zeros(20)
    assert "NPL_WIDE" in begin(by_one, *given).loop.source.text
    check(by_one, *given)
