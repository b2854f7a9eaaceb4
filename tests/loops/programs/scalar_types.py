"""Types of scalars: numbers of NumPy and Python in one loop, overflow, division by zero, NaN, zeros."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop

ALL = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
ALL += "float16 float32 float64 complex64 complex128".split()


def of_every_dtype(n=5):
    def case(name):
        def make(rng):
            small = rng.integers(-3, 4, n)
            return ((small % 2 if name.startswith(("b", "u")) else small).astype(name),)

        return make

    return {name: case(name) for name in ALL}


@loop(lambda n, rng: (rng.standard_normal(n),), sizes=(0, 1), realistic=400_000, **of_every_dtype())
def sum_from_zero(x):
    total = 0
    for value in x:
        total += value
    return total


@loop(lambda n, rng: (rng.standard_normal(n),), sizes=(0, 1), realistic=60_000, **of_every_dtype())
def weak_numbers(x):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * 2 + 1
        x[i] = x[i] * x[i] + x[i]
    return total


@loop(
    lambda n, rng: (rng.random(n).astype(np.float32), 0.1),
    sizes=(0, 1, 7),
    realistic=120_000,
    float16=lambda rng: (rng.random(9).astype(np.float16), 0.1),
    float16_overflows=lambda rng: (np.full(4, 3e4, np.float16), 1),
    numpy_factor=lambda rng: (rng.random(5).astype(np.float32), np.float64(0.1)),
    integer_factor=lambda rng: (rng.random(5).astype(np.float16), 3),
    int64_factor_of_numpy=lambda rng: (rng.random(5).astype(np.float16), np.int64(3)),
)
def narrow_accumulation(x, factor):
    total = x.dtype.type(0)
    other = np.float32(0)
    for i in range(len(x)):
        total += x[i] * factor
        other = other + x[i] / 3
    return total, other


@loop(
    lambda n, rng: (rng.integers(-100, 100, n).astype(np.int8),),
    sizes=(0, 1, 9),
    realistic=30_000,
    uint8=lambda rng: (rng.integers(0, 256, 7).astype(np.uint8),),
    int16=lambda rng: (rng.integers(-30_000, 30_000, 7).astype(np.int16),),
    int64=lambda rng: (np.full(3, 1 << 62),),
    uint64=lambda rng: (np.full(3, 1 << 63, np.uint64),),
    smallest=lambda rng: (np.array([-128, -128], np.int8),),
)
def integers_that_wrap(x):
    total = x.dtype.type(1)
    for value in x:
        total = total * 3 + value
        total -= value << 1
        total ^= -value
        total += abs(value)
    return total, ~total


@loop(
    lambda n, rng: (rng.integers(0, 1 << 63, n, dtype=np.uint64), 3),
    sizes=(0, 1, 5),
    realistic=80_000,
    negative_number=lambda rng: (np.array([5, 7], np.uint64), -3),
    float_number=lambda rng: (np.array([5, 7], np.uint64), 2.5),
    int64_of_numpy=lambda rng: (np.array([5, 7], np.uint64), np.int64(-3)),
    int8_and_300=lambda rng: (np.array([5, 7], np.int8), 300),
    number_past_64_bits=lambda rng: (np.array([5, 7], np.uint64), 1 << 64),
    bool_number=lambda rng: (np.array([5, 7], np.uint64), True),
)
def unsigned_and_python_numbers(x, k):
    last = 0
    for i in range(len(x)):
        last = x[i] + k
        x[i] = x[i] // 2
        x[i] += 1
    return last, x


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.integers(0, 2, n).astype(float)),
    sizes=(0, 3),
    realistic=30_000,
    all_zero=lambda rng: (np.array([1.0, -1.0, 0.0, np.nan]), np.zeros(4)),
    negative_zero=lambda rng: (np.array([1.0, -0.0]), np.array([-0.0, -0.0])),
    integers=lambda rng: (np.array([3, -3, 0]), np.array([0, 0, 0])),
    int8=lambda rng: (np.array([-128, 5], np.int8), np.array([-1, 0], np.int8)),
    uint16=lambda rng: (np.array([3, 5], np.uint16), np.array([0, 2], np.uint16)),
    complex=lambda rng: (np.array([1 + 1j, 0]), np.array([0j, 0j])),
)
def division_by_zero_of_numpy(a, b):
    out = []
    for x, y in zip(a, b):  # noqa: B905
        out.append(x / y)
        if a.dtype.kind != "c":
            out.append(x // y)
            out.append(x % y)
    return out


@loop(
    lambda n, rng: ([float(k % 7 + 1) for k in range(n)], 1.0),
    sizes=(0, 4),
    realistic=300_000,
    float_zero_at_the_end=lambda rng: ([1.0, 2.0, 0.0], 3.0),
    integer_zero=lambda rng: ([1, 2, 0, 4], 3),
    zero_of_numpy_inside=lambda rng: ([1.0, np.float64(0), 2.0], 3.0),
    numpy_numerator=lambda rng: ([1.0, 0.0, 2.0], np.float64(3)),
    float32_numerator=lambda rng: ([1, 0, 2], np.float32(3)),
    int_numerator_of_numpy=lambda rng: ([1, 0, 2], np.int16(3)),
)
def division_by_zero_of_python(divisors, numerator):
    done, total = [], 0.0
    try:
        for at, d in enumerate(divisors):
            total += numerator / d
            total -= numerator % d
            done.append(at)
    except ZeroDivisionError as error:
        return done, total, d, str(error)
    return done, total


@loop(
    lambda n, rng: (rng.integers(-9, 10, n), rng.integers(1, 4, n)),
    sizes=(0, 8),
    realistic=30_000,
    python_numbers=lambda rng: ([-7, 7, -8, 8, -1], [3, -3, 4, -4, 5]),
    floats=lambda rng: (np.array([-7.5, 7.5, -0.0, np.inf]), np.array([2.0, -2.0, 3.0, 2.0])),
    float_lists=lambda rng: ([-7.5, 7.5, -0.0, 1e-300], [2.0, -2.0, 3.0, -1e300]),
    uint8=lambda rng: (np.array([7, 255], np.uint8), np.array([2, 7], np.uint8)),
    int8=lambda rng: (np.array([-7, 127], np.int8), np.array([2, -7], np.int8)),
    float32=lambda rng: (np.array([-7.5, 7.5], np.float32), np.array([2.25, -2.25], np.float32)),
)
def floor_division_and_remainder(a, b):
    out = []
    for i in range(len(a)):
        out.append(a[i] // b[i])
        out.append(a[i] % b[i])
        out.append(divmod(a[i], b[i]))
        out.append(a[i] // 2 * 2 + a[i] % 2)
    return out


@loop(
    lambda n, rng: (rng.integers(0, 5, n), rng.integers(0, 4, n)),
    sizes=(0, 6),
    realistic=100_000,
    python_numbers=lambda rng: ([2, 0, -3, 2.5, 2, 2], [3, 0, 3, 2, -1, 0.5]),
    python_result_is_big=lambda rng: ([7, 10], [23, 40]),
    negative_base_and_half=lambda rng: ([-2.0, 4.0], [0.5, 0.5]),
    zero_to_a_negative=lambda rng: ([2.0, 0.0], [1, -1]),
    floats=lambda rng: (np.array([2.5, -2.0, 0.0]), np.array([2.0, 0.5, -1.0])),
    float32=lambda rng: (np.array([2.5, -2.0], np.float32), np.array([2, 3], np.float32)),
    negative_integer_power=lambda rng: (np.array([2, 3]), np.array([1, -1])),
    int8_wraps=lambda rng: (np.array([5, -3], np.int8), np.array([4, 5], np.int8)),
    numpy_base_python_power=lambda rng: (np.array([1.5, -2.0]), [2, 3]),
    float32_base_python_power=lambda rng: (np.array([1.7, -2.3], np.float32), [2, 3.0]),
)
def powers(a, b):
    out = []
    for x, y in zip(a, b):  # noqa: B905
        out.append(x**y)
        out.append(x**2)
        out.append(2**y if y >= 0 else 0)
    return out


@loop(
    lambda n, rng: (n, 3),
    sizes=(0, 10, 39, 40, 41, 60),
    realistic=300_000,
    from_a_negative=lambda rng: (60, -3),
    from_numpy=lambda rng: (60, np.int64(3)),
)
def python_integers_past_64_bits(n, base):
    value, total = 1, 0
    for i in range(n):
        value *= base
        total += value
        total -= i
        if i % 50 == 49:
            value //= base**50
    return value, total, value >> 3, -total // 7


@loop(
    lambda n, rng: ((1 << 63) - n, 2 * n),
    sizes=(1, 3),
    realistic=150_000,
    downwards=lambda rng: (-(1 << 63) + 2, -5),
    within_a_float=lambda rng: (2.0**62, 5),
)
def counting_over_the_edge_of_64_bits(start, trips):
    value, evens = start, 0
    step = 1 if trips > 0 else -1
    for _ in range(abs(trips)):
        value += step
        evens += value % 2 == 0
    return value, evens, type(value).__name__


@loop(
    lambda n, rng: (rng.integers(0, 1 << 62, n), 2),
    sizes=(0, 3),
    realistic=150_000,
    shift_past_the_width=lambda rng: (np.array([1, -1]), 70),
    shift_of_63=lambda rng: (np.array([1, 3]), 63),
    negative_shift=lambda rng: (np.array([1, -1]), -1),
    uint8=lambda rng: (np.array([255, 1], np.uint8), 7),
    python_numbers=lambda rng: ([1, -5, 1 << 40], 40),
    python_negative_shift=lambda rng: ([1, 2], -1),
)
def shifts(x, k):
    out = []
    for value in x:
        out.append(value << k)
        out.append(value >> k)
        out.append(-value >> 1)
    return out


@loop(
    lambda n, rng: (np.where(rng.random(n) < 0.2, np.nan, rng.standard_normal(n)),),
    sizes=(0, 5),
    realistic=400,
    mixed=lambda rng: (np.array([np.nan, 1.0, -np.inf, np.inf, np.nan, -0.0, 0.0]),),
    float32=lambda rng: (np.array([np.nan, 1.0, -0.0], np.float32),),
    python_list=lambda rng: ([float("nan"), 1.0, -0.0, 0.0, float("-inf")],),
)
def comparisons_with_nan(x):
    less = equal = other = 0
    smallest, largest = 0.0, -0.0
    for i in range(len(x)):
        for j in range(i + 1):
            less += x[i] < x[j]
            equal += x[i] == x[j]
            other += not x[i] >= x[j]
        smallest = min(smallest, x[i])
        largest = max(x[i], largest)
    return less, equal, other, smallest, largest


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 3),
    realistic=60_000,
    zeros=lambda rng: (np.array([0.0, -0.0, 0.0]),),
    python_zeros=lambda rng: ([-0.0, 0.0, -0.0],),
    float16=lambda rng: (np.array([-0.0, 1.0], np.float16),),
    complex=lambda rng: (np.array([complex(-0.0, 0.0), complex(0.0, -0.0)]),),
)
def signed_zeros(x):
    total, product, out = -0.0, 1.0, []
    for value in x:
        total += value
        product *= -value
        out.append(-value * 0.0)
        out.append(0 - value)
        out.append(value - value)
    return total, product, out


@loop(
    lambda n, rng: (rng.integers(0, 99, n), np.array(0.5)),
    sizes=(0, 3),
    realistic=10_000,
    array_of_integers=lambda rng: (np.array([1, 2]), np.array(3)),
    array_of_float32=lambda rng: (np.array([1.0, 2.0]), np.array(0.5, np.float32)),
    no_dimension_to_go_over=lambda rng: (np.array(3), np.array(0.5)),
    bool_array=lambda rng: (np.array([1, 2]), np.array(True)),
)
def array_of_no_dimension(x, factor):
    total = factor
    for value in x:
        total = total + value * factor
        factor[...] = factor + 1
        factor[()] -= 0.5 if factor.dtype.kind == "f" else 0
    return total, factor[()]


@loop(
    lambda n, rng: (n, np.int32(3)),
    sizes=(0, 1, 5),
    realistic=200_000,
    float32=lambda rng: (5, np.float32(0.1)),
    float64=lambda rng: (5, np.float64(0.1)),
    uint8=lambda rng: (100, np.uint8(3)),
    bool_of_numpy=lambda rng: (3, np.True_),
    python_bool=lambda rng: (3, True),
    complex_of_python=lambda rng: (3, 1j),
    complex64=lambda rng: (3, np.complex64(1j)),
    float16=lambda rng: (50, np.float16(0.1)),
)
def python_or_numpy_number_after_trips(n, step):
    total, count = 0, 0.0
    for i in range(n):
        total = total + step
        if i % 2:
            count = count + i * step
    return total, count, total == count


@loop(
    lambda n, rng: (rng.integers(0, 2, n).astype(bool),),
    sizes=(0, 1, 6),
    realistic=150_000,
    python_list=lambda rng: ([True, False, True],),
    integers=lambda rng: (np.array([0, 3, 2]),),
)
def sums_of_bools(flags):
    count, either, all_of_them, parity = 0, False, True, False
    for flag in flags:
        count += flag
        either = either or flag
        all_of_them = all_of_them and flag
        parity ^= flag
        either |= flag
    return count, either, all_of_them, parity


@loop(
    lambda n, rng: (rng.standard_normal(n).astype(np.complex64), 2),
    sizes=(0, 1, 4),
    realistic=20_000,
    complex128=lambda rng: (rng.standard_normal(4) * (1 + 2j), 0.5),
    numpy_factor=lambda rng: ((rng.standard_normal(3) * 1j).astype(np.complex64), np.float64(0.5)),
    python_list=lambda rng: ([1 + 2j, -1j, 3], 2.0),
)
def complex_numbers(z, factor):
    total, product = 0, 1 + 0j
    for value in z:
        total += value.conjugate() * factor + value.imag
        product = product * (value + 1) / (value.real + 2)
        if abs(product) > 1e6:
            product = product / abs(product)
    return total, product


@loop(
    lambda n, rng: (rng.standard_normal(n) * 100, np.zeros(n, np.int32)),
    sizes=(0, 4),
    realistic=150_000,
    into_uint8=lambda rng: (np.array([1.9, 200.5]), np.zeros(2, np.uint8)),
    into_float16=lambda rng: (np.array([1.9, 1e6, 1e-9]), np.zeros(3, np.float16)),
    into_bool=lambda rng: (np.array([0.0, 0.1, np.nan]), np.zeros(3, bool)),
    into_complex64=lambda rng: (np.array([1.9, 1e60]), np.zeros(2, np.complex64)),
    python_integers_into_int8=lambda rng: ([5, 100, 200], np.zeros(3, np.int8)),
    python_floats_into_int8=lambda rng: ([5.7, -100.2, 20.0], np.zeros(3, np.int8)),
    big_into_float=lambda rng: ([1 << 70, 3], np.zeros(2)),
    big_into_int64=lambda rng: ([3, 1 << 70], np.zeros(2, np.int64)),
    none_into_float=lambda rng: ([1.0, None], np.zeros(2)),
    text_into_float=lambda rng: (["1.5", "x"], np.zeros(2)),
    complex_into_float=lambda rng: ([1j], np.zeros(1)),
    int64_into_int8=lambda rng: (np.array([5, 300, -129]), np.zeros(3, np.int8)),
)
def casts_at_stores(values, out):
    for i in range(len(values)):
        out[i] = values[i]
    return out
