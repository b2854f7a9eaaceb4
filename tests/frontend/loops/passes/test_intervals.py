# ruff: noqa: F841, RUF059 - the names that loops bind are compared
"""The bounds of ints in typed regions: operations that are proved not to leave."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.passes.intervals import Values, bound
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import INT, Array, Known, Type
from tests.frontend.loops.native import check, run_natively

NAMES: dict[str, Type] = {"a": Array("i4", 1), "b": Array("u1", 1), "range": Known(range)}


@pytest.mark.parametrize(
    ("statement", "function", "certain"),
    [
        ("a[i] = i", "npl::fitting_cast<int32_t, int64_t>", True),
        ("a[i] = i * 10**8", "npl::fitting_cast<int32_t, int64_t>", False),
        ("b[i] = b[i] + i * 2", "npl::fitting_right<npl::add<uint8_t>, uint8_t>", True),
        ("b[i] = b[i] + i * 3", "npl::fitting_right<npl::add<uint8_t>, uint8_t>", False),
        ("b[i] = (i % 9 - 1) * b[i]", "npl::fitting_left<npl::multiply<uint8_t>, uint8_t>", False),
    ],
)
def test_an_int_that_fits_is_not_checked(statement: str, function: str, certain: bool) -> None:
    node = ast.parse(f"for _ in range(n):\n    for i in range(100):\n        {statement}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    region = Inference(flow).infer({**NAMES, flow.state: ir.RangeState(1, True)})
    bound(region)
    steps = [step for block in region.blocks for step in (*block.steps, block.end)]
    applied = [item for step in steps for top in ir.expressions_of(step) for item in applications(top)]
    assert [item in region.certain for item in applied if item.operation.function == function] == [certain]


def applications(expression: ir.Expression) -> Iterator[ir.Apply]:
    """The operations in an expression."""
    if isinstance(expression, ir.Apply):
        yield expression
    for part in ir.parts_of(expression):
        yield from applications(part)


@pytest.mark.parametrize("form", ["(1 if i == 2 else {})", "(({} * 3 + i) & 65535)", "min({}, i)"])
def test_expressions_in_one_another_are_looked_at_a_few_times_each(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Counter[int]()
    for depth in (10, 40):
        text = "i"
        for _ in range(depth):
            text = form.format(text)
        node = ast.parse(f"for i in range(100):\n    x = {text}").body[0]
        assert isinstance(node, ast.For)
        flow = loop_source(node).flow
        builtin = {"range": Known(range), "min": Known(min)}
        region = Inference(flow).infer({**builtin, flow.state: ir.RangeState(1, True)})
        find = Values._value
        with monkeypatch.context() as patch:
            patch.setattr(
                Values, "_value", lambda *given, d=depth, find=find: (looks.update([d]), find(*given))[1]
            )
            bound(region)
    assert looks[10] > 10
    assert looks[40] < 5 * looks[10]


def hashed(x, n):
    h, g = 1, (1 << 63) - 1
    for i in range(n):
        k = int(x[i]) * 0x1B873593CC9E2D51 & 0xFFFFFFFF
        h = (h * 6364136223846793005 + 1442695040888963407) % 2**31
        g = ((g << 13) ^ -g * ~i + (k << 40) - h | i) & 0x7FFFFFFFFFFFFFFF
        f = (g * g - h * 5) & 255 | (h + k) % 2**62


@pytest.mark.parametrize("code", ["i8", "u4", "i1"])
def test_ints_of_which_low_bits_are_kept_wrap(code: str) -> None:
    check(hashed, np.array([3, 120, 5, 99, 127, 0, 1]).astype(code), 7)


def unkept(n):
    g = (1 << 62) - 1
    for i in range(n):
        f = ((g * i) >> 3) & 255


def test_ints_of_which_high_bits_are_kept_leave() -> None:
    assert run_natively(unkept, 9).names["i"] == 3


def asserted(x, n):
    total = 0.0
    for i in range(n):
        assert 0 <= x[i] < 5, f"{x[i]} at {i}"
        total += x[i]


def test_an_assertion_that_fails_leaves() -> None:
    check(asserted, np.arange(5.0), 5)
    run = run_natively(asserted, np.arange(9.0), 9)
    assert not run.is_done and (run.names["i"], run.names["total"]) == (5, 10.0)


def masked(n):
    h, c1, mask, other = 42, 0xCC9E2D51, 0xFFFFFFFF, -2
    for i in range(n):
        h = (h * c1 * c1 + i) & mask
        low = i & -i
        if i > 5:
            low = (h * c1) & other


def test_masks_that_are_names() -> None:
    assert run_natively(masked, 9).names["i"] == 6
    check(masked, 6)


def cleared(x, n):
    h, flags = -5, -1
    for i in range(n):
        h = (h ^ int(x[i]) >> 3) - 1
        h &= ~(1 << 7)
        flags = flags & (h | i ^ 3)
        low = h & ~(i | h) & ~i


def test_negative_ints_whose_bits_are_cleared_stay_native() -> None:
    check(cleared, np.array([3, -120, 5, 99, -127, 0, 1]), 7)


def lowest_bits(x, n):
    total = 0
    for i in range(n):
        v = int(x[i])
        low = v & -v
        total += low + (v & (v - 1)) % 7


def test_lowest_bits_of_negative_ints_stay_native() -> None:
    check(lowest_bits, np.array([3, -120, 0, 99, -128, 1 << 40, -(1 << 62)]), 7)
    assert run_natively(lowest_bits, np.array([5, 4, -(1 << 63), 1]), 4).names["i"] == 2


def limits(x, n):
    for i in range(n):
        q, r = divmod(i, 3)
        s, t = divmod(x[i], -1.5)
        a = np.iinfo(np.int64).max
        b = np.finfo(x.dtype).eps + np.finfo(float).max
        c = (1 << 31) - 2**5 % 7


def test_divmod_and_limits() -> None:
    check(limits, np.arange(5.0), 5)


COUNTED = [
    ("n += 1", True),
    ("if a[i] > 3: n += 1\nelse: n -= b[i] % 9", True),
    ("m = n\nn = m + 1", True),
    ("n = max(n, i) - 1", True),
    ("n = 0 if a[i] > 3 else n + 1", True),
    ("n += 100", False),
    ("n += i", False),
    ("n += n", False),
    ("m = n\nn = m + k\nk = n", False),
    ("n = int(a[i])\nn += 1", True),
    ("n = i * i * i\nn += 1", False),
]


@pytest.mark.parametrize(("body", "certain"), COUNTED)
def test_counters_do_not_overflow(body: str, certain: bool) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    node = ast.parse(f"for i in range(len(a)):\n{lines}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    functions: dict[str, Type] = {one.__name__: Known(one) for one in (max, len, int)}
    names = {**NAMES, **functions, "n": INT, "m": INT, "k": INT, flow.state: ir.RangeState(1, True)}
    region = Inference(flow).infer(names)
    bound(region)
    steps = [step for block in region.blocks for step in (*block.steps, block.end)]
    applied = [item for step in steps for top in ir.expressions_of(step) for item in applications(top)]
    sums = [one for one in applied if one.type == INT and one.operator in (ast.Add, ast.Sub)]
    assert all(one in region.certain for one in sums) == certain, region


def sifted(a, n):
    for k in range(n):
        root = k // 3
        while True:
            child = 2 * root + 1
            if child >= n:
                break
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            a[root] += 1
            root = child


def test_names_that_grow_are_within_what_is_compared_then() -> None:
    run = check(sifted, np.arange(50) % 7, 50)
    steps = [step for block in run.loop.region.blocks for step in (*block.steps, block.end)]
    tops = [top for step in steps for top in ir.expressions_of(step)]
    found = [item for top in tops for item in applications(top) if item.operation.leaves]
    assert found and all(item in run.loop.region.certain for item in found)


def far(a, n):
    s = 0
    for x in a:
        s += abs(int(x) - 3) * (1 << 40)
        f = abs(-int(x) * (1 << 54))
    return s


def test_absolute_values_are_bounded() -> None:
    check(far, np.array([-128, 127, 0, 3], np.int8), 4)
    run = check(far, np.array([0, 255, 3], np.uint8), 3)
    assert sum("npl::int_absolute" in str(one) for one in run.loop.region.certain) == 3
