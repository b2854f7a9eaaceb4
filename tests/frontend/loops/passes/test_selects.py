"""Branches on bits of a recurrence become choices, and nothing that Python can see changes."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source, typed_loop
from npcompile.lower.loops import ir
from npcompile.lower.loops.select_ir import Select
from npcompile.lower.loops.types import FLOAT, INT, Array, Known, Scalar, Type
from tests.frontend.loops import jitted
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import check

NAMES: dict[str, Type] = {
    "a": Array("i8", 1, True),
    "b": Array("f8", 1, True),
    "h": INT,
    "g": Scalar("u4"),
    "s": FLOAT,
    "n": INT,
    "m": INT,
    "range": Known(range),
}
SELECTED = [
    "h &= 0xFFFF\nif h & 1: h = h >> 1 ^ 0x8408\nelse: h >>= 1",
    "h &= 0xFFFF\nlow = h & 1\nh >>= 1\nif low: h ^= 0x8408",
    "h &= 0xFFFF\nif not h & 1: h //= 2\nelse: h = h // 2 ^ 0x8408",
    "if g & 1: g = g >> 1 ^ 77\nelse: g >>= 1",
    "h &= 255\nif h > 7:\n    t = h ^ 1\n    h = t << 1\nelse:\n    t = 3\n    h ^= 9",
    "h &= 255\nif h & 1: h ^= 5; m = 3\nn = m",
    "for j in range(n):\n    if a[j] > 3: h = h & 7 ^ j",
    "h &= 255\nif h & 1:\n    if h & 2: h = h >> 1 ^ 3\n    else: h ^= 9",
    "if h % 2 == 0: h //= 2\nelse: h = 3 * h + 1",
    "if a[i] == a[i - 1]: n += 1\nelse: n = 1",  # a length that starts again
    "if s > 1.0:\n    n += 1\n    if n > m: m = n\nelse: n = 0",  # and the greatest of them
    "if s > 1.0: n += 1\nelif s > 0.5:\n    n = 0\nelse:\n    m = n\nh = m",
    "if a[i] > 3: n += 1\nelif a[i] < 1: m += 1\nelse: h += 2",  # sums of choices, which are vectorised
    "if a[i] > 3:\n    if b[i] < 1: n += 1\n    else: m -= 1\nelse: n += 2",  # items at one place
    "if s > 1.0: s = s * 0.5",
    "if s > 1.0:\n    n += 1\n    if n > m:\n        m = s\nelse: n = 0",
    "if b[i] > 3: s += b[i]",
    "t = b[i]\nif t > 3: s += t * 2.0\nelse: s += 0.5 - t",
    "t = b[i]\nu = 1.0 if t > 3 else 0.0\nb[i] = u\nb[i + 1] += t - u",  # the next trip waits for it
]
BRANCHES = [
    "if a[i] > 3: n += 1",  # sums are vectorised
    "if a[i] > m: m = i",
    "if a[i] > 3: n += 1\nelif a[i + 1] < 1: m += 1",  # an index may be out of bounds
    "if a[i] > 3: n += 1\nelif a[i] < 1:\n    if b[i] > 1: m += 1\n    elif b[i + 1] > 1: h += 1",
    "if a[i] > 3: n += 1\nelif a[i] < 1: m += i",
    "if n < 7: n += 1\nelse: n = 0",  # the test waits for the name: better predicted
    "if i != n: s += 2.0",  # better predicted
    "if b[i] > 3: s += b[i + 1]",  # an index may be out of bounds
    "if b[i] > 3:\n    i = 2\n    s += b[i]",
    "if b[i] > 3: s = s / 3.0",
    "t = b[i]\nu = 1.0 if t > 3 else 0.0\nb[i] = u",  # vectorised
    "if h > 1: h = h * 3 + 1",  # may be beyond 64 bits
    "if h & 1: h = h * 3 + 1; m = m * h",  # likewise, of two names
    "if h & 1: h = h >> 1 ^ a[i]",  # an index may be out of bounds
    "h &= 255\nif h & 1: new = h ^ 1; h ^= 3",  # `new` may have no value where the branch is not taken
    "h &= 255\nif h & 1: h = h ^ 3\nelse: h = s",
    "h &= 255\nif h & 1:\n    h ^= 3\n    a[i] = h",
    "h &= 255\nif h & 1: h = h % 7 ^ 3",
    "if s > 1.0:\n    n += 1\n    if a[i] > m: m = n\nelse: n = 0",  # an index may be out of bounds
    "if s > 1.0:\n    n += 1\n    if s > 2.0: new = n\nelse: n = 0",  # `new` may have no value
]


@pytest.mark.parametrize("body", SELECTED + BRANCHES)
def test_branches_that_become_choices(body: str) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    node = ast.parse(f"for i in range(9):\n{lines}").body[0]
    assert isinstance(node, ast.For)
    flow = loop_source(node).flow
    assert flow.state is not None
    names = {**NAMES, flow.state: ir.RangeState(1, True)}
    region = typed_loop(flow, names, frozenset()).region
    steps = [step for block in region.blocks for step in block.steps]
    found = any(isinstance(part, Select) for step in steps for part in parts(step))
    assert found == (body in SELECTED), str(region)


def parts(step: ir.Step) -> list[ir.Expression]:
    """Return the expressions of a step, with all that they are made of."""
    found = list(ir.expressions_of(step))
    for node in found:
        found += ir.parts_of(node)
    return found


def recurrences(x, n):
    crc, low, other, gray = 0xFFFF, 0, 1 << 50, 5
    b, w, q = np.int8(77), np.uint16(54321), np.uint64(2**63 + 9)
    seen = 0
    for i in range(n):
        if (crc ^ x[i]) & 1:
            crc = crc >> 1 ^ 0x8408
        else:
            crc >>= 1
        low = other & 1
        other >>= 1
        if low:
            other ^= 0xD800000000000
        if b & 1:
            b = b >> 1 ^ 0x5A
            seen += 1
        else:
            b = b << 1
        if w > x[i]:
            w = w * 3 ^ 1
        if q & 1:
            if q & 2:
                q = q >> 1 ^ np.uint64(0x8000000000000003)
            else:
                q ^= 9
        gray &= 0xFF
        if not gray & 4:
            before = gray ^ 3
            gray = before << 1
        else:
            before = gray >> 1
            gray = before ^ 0x11


def test_recurrences() -> None:
    x = np.random.default_rng(3).integers(0, 60000, 200).astype(np.uint16)
    run = check(recurrences, x, 200)
    assert sum("select(" in str(step) for block in run.loop.region.blocks for step in block.steps) == 6
    check(recurrences, x, 0)


def steps_of_each(numbers, most):
    found = []
    for k in numbers:
        steps = 0
        while k != 1 and steps < most:
            if k % 2 == 0:
                k //= 2
            else:
                k = 3 * k + 1
            steps += 1
        found.append((steps, k))
    return found


def powers(base, exponents):
    found = []
    for exponent in exponents:
        power, square = 1, base
        while exponent:
            if exponent & 1:
                power = power * square
            square = square * square
            exponent >>= 1
        found.append(power)
    return found


def test_ints_that_grow_beyond_64_bits() -> None:
    check(steps_of_each, [*range(1, 60)], 200)
    jitted.check(steps_of_each, [3, 27, 2**61 - 1, 2**62 - 1, 2**63 - 1, -(2**62) - 1, 7, 9], 300)
    jitted.check(powers, 3, [5, 0, 17, 39, 40, 41, 100, 2, 1])


def wandering(x, hits):
    place, sum_ = 3, 0
    for i in range(len(x)):
        if x[i] & 1:
            place += 1
        else:
            place -= 1
        if x[i] & 2:
            sum_ += 3
        hits[place % 8] += 1
    return place


def test_a_sum_is_a_choice_where_each_trip_uses_it() -> None:
    x = np.random.default_rng(4).integers(0, 4, 100)
    run = check(wandering, x, np.zeros(8, np.int64))
    binds = [step for block in run.loop.region.blocks for step in block.steps if isinstance(step, ir.Bind)]
    chosen = {step.name for step in binds if "select(" in str(step)}
    assert chosen == {"place"}  # what nothing else uses may be summed several at once


def lengths(x, n):
    run, best, down, narrow, at_last = 1, 1, 0, np.uint8(3), -5
    for i in range(1, n):
        if x[i] == x[i - 1]:
            run += 1
        else:
            run = 1
        if run > best:
            best = run
        if x[i] > 1:
            down -= 3
        else:
            down = -7
        if x[i] != 2:
            narrow = np.uint8(250)
        else:
            narrow = narrow + np.uint8(9)
        if x[i] & 1:
            at_last = i - at_last
        else:
            at_last = best


def test_lengths_that_start_again() -> None:
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 4, 300)
        run = check(lengths, x, 300)
        assert sum("select(" in str(step) for block in run.loop.region.blocks for step in block.steps) >= 3
    check(lengths, np.zeros(50, np.int8), 50)


def runs_of_large(x, least):
    run = best = 0
    for v in x:
        if v > least:
            run += 1
            if run > best:
                best = run
        elif v < 0.1:
            run = 2
        else:
            run = 0


def test_runs() -> None:
    rng = np.random.default_rng(5)
    for x in (rng.random(500), np.repeat(rng.random(60), rng.integers(1, 9, 60)), np.full(5, np.nan)):
        run = check(runs_of_large, x, 0.4)
        steps = [str(step) for block in run.loop.region.blocks for step in block.steps]
        assert sum("select(" in step for step in steps) == 2
    check(runs_of_large, np.zeros(0), 0.4)


def classes(x, y):
    low = middle = high = nans = score = 0
    both, either = 5, 7
    for i in range(len(x)):
        if x[i] < -0.5:
            low += 1
            score -= 3
        elif x[i] < 0.5:
            middle += 1
        elif x[i] >= 0.5:
            high += 2
            score += 2
        else:
            nans += 1
        if x[i] > 0:
            if y[i] > 0:
                both += 1
            elif y[i] < -1:
                either -= 1
        elif y[i] > 0:
            either += 1
    return low, middle, high, nans, score, both, either, i


def test_counts_on_several_ways() -> None:
    random = np.random.default_rng(7)
    for code, size in (("f8", 100), ("f4", 33), ("i8", 40), ("i1", 70), ("u1", 90)):
        x, y = (random.normal(0, 2, size).astype(code) for _ in range(2))
        if code[0] == "f":
            x[::5] = np.nan
        run = check(classes, x, y)
        steps = [str(step) for block in run.loop.region.blocks for step in block.steps]
        assert sum("masked(" in step for step in steps) == 7
        check_calls(classes, x, y)
        check_calls(classes, x, y[:-3])  # an IndexError, by what the data are


def test_an_item_on_a_way_that_is_not_taken_may_be_missing() -> None:
    x, y = np.full(40, np.nan), np.zeros(0)
    x[:20] = 1.0
    check_calls(classes, x, y)


def counted_at_most(x, y):
    n = m = 0
    for i in range(len(x)):
        if x[i] > 3:
            n += 1
        elif x[i] < 1 and n < 5:
            m += 1
    return n, m


def test_counts_that_are_tested_are_branches() -> None:
    x = np.random.default_rng(8).integers(0, 5, 60)
    run = check(counted_at_most, x, None)
    assert not any("masked(" in str(step) for block in run.loop.region.blocks for step in block.steps)


def dithered_ints(x, out):
    error = 0
    for i in range(len(x)):
        old = x[i] + error
        new = 255 if old > 127 else -3
        out[i] = new
        error = old - new
    return error, old, new


def dithered_floats(x, out):
    error = 0.0
    for i in range(len(x)):
        old = x[i] / 255 + error
        new = 1.0 if old > 0.5 else -0.0
        out[i] = new * 255
        error = old - new
    return error, old, new


def thresholds(x, out):
    last = 0
    for i in range(len(x)):
        new = 255 if x[i] > 127 else -3
        bit = 1 if x[i] > last else 0
        last = x[i] - bit
        out[i] = new + bit
    return new, bit


@pytest.mark.parametrize("function, number", [(dithered_ints, 1), (dithered_floats, 1), (thresholds, 0)])
def test_constants_that_the_next_trip_depends_on(function, number: int) -> None:
    for code in ("i8", "i2"):
        x = np.random.default_rng(3).integers(0, 256, 80).astype(code)
        run = check(function, x, np.zeros(80, code))
        steps = [str(step) for block in run.loop.region.blocks for step in block.steps]
        assert (sum("select(" in step for step in steps) > 0) == (number > 0)
        check_calls(function, x, np.zeros(80, code))
        check_calls(function, x, np.zeros(70, code))  # an IndexError


def losses(x, out):
    s = 0.0
    for v in x:
        a = abs(v)
        if a <= 1.0:
            s += 0.5 * v * v
        else:
            s += a - 0.5
    return s


def positive_sum(x, out):
    s = -0.0
    n = 0
    for i in range(len(x)):
        if x[i] >= 0:
            s += x[i]
        if not x[i] < 2:
            s -= x[i]
        if out[i] > n:
            s = -s
            n += 1
    return s


def dithered(x, out):
    for i in range(len(x) - 1):
        old = x[i]
        new = 1.0 if old > 0.5 else -0.0
        out[i] = new
        x[i] = new
        x[i + 1] += (old - new) * 0.4375
    return x


def singles(x, out):
    y = x.astype(np.float32)
    s = np.float32(0)
    for i in range(len(y)):
        if y[i] < 0.5:
            s = s * y[i] + y[i]
        else:
            s = y[i] - s
        out[i] = s
    return s


@pytest.mark.parametrize("function", [losses, positive_sum, dithered, singles])
def test_floats_that_data_choose_are_those_of_python(function) -> None:
    odd = [np.nan, -0.0, 0.0, np.inf, -np.inf, 0.5, 1.0, 5e-324]
    random = np.random.default_rng(2)
    for size in (9, 40):
        x = random.standard_normal(size)
        check_calls(function, x, np.zeros(size))
        x[random.integers(0, size, size // 2 + 1)] = random.choice(odd, size // 2 + 1)
        check_calls(function, x, np.zeros(size))
        check_calls(function, x, np.zeros(size // 2))  # leaves half-way
    for one in odd:
        check(function, np.array([one, -0.0, one] * 4), np.zeros(12))  # tells zeros apart, too
