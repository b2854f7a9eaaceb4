"""Python's statements and expressions in loops: ends of loops, choices, swaps, and what loops go over."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.integers(0, 1 << 40, n), 5),
    sizes=(0, 1, 9),
    realistic=1_000_000,
    found_first=lambda rng: (np.array([5, 1, 5]), 5),
    float_of_integers=lambda rng: (np.array([1, 2, 3]), 2.0),
    nan_is_never_found=lambda rng: (np.array([np.nan, 1.0]), np.nan),
)
def index_by_early_return(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


@loop(
    lambda n, rng: (rng.random((n, n)), 1 - 0.5 / (n * n + 1)),
    sizes=(0, 1, 4),
    realistic=1000,
    transposed=lambda rng: (rng.random((3, 5)).T, 0.8),
    empty_rows=lambda rng: (np.zeros((3, 0)), 0.5),
)
def first_above_in_nested_loops(x, bound):
    for i, row in enumerate(x):
        for j, value in enumerate(row):
            if value > bound:
                return i, j, value
    return None


@loop(
    lambda n, rng: (n, 7, n),
    sizes=(0, 1, 9),
    realistic=5_000_000,
    step_of_zero=lambda rng: (5, 0, 20),
    negative_step=lambda rng: (5, -2, 20),
    numpy_step=lambda rng: (9, np.int64(2), 20),
)
def while_with_else(n, step, most):
    i, visited = 0, 0
    while i < n:
        visited += 1
        i += step
        if visited > most:
            break
    else:
        visited = -visited
    return i, visited


@loop(
    lambda n, rng: (rng.integers(-9, 9, n),),
    sizes=(0, 1, 12),
    realistic=300_000,
    zero_last=lambda rng: (np.array([1, 2, 0]),),
    floats=lambda rng: (np.array([1.5, -2.0, -0.0, 3.0]),),
)
def break_continue_else(x):
    total, skipped = 0, 0
    for value in x:
        if value < 0:
            skipped += 1
            continue
        if value == 0 and skipped > len(x) // 2:
            break
        total += value
    else:
        total = -total
    return total, skipped


@loop(
    lambda n, rng: (rng.standard_normal(n), -0.5, 0.5),
    sizes=(0, 1, 8),
    realistic=200_000,
    with_nan=lambda rng: (np.array([np.nan, 0.0, -0.5, 0.5, np.inf]), -0.5, 0.5),
    uint8=lambda rng: (rng.integers(0, 9, 6).astype(np.uint8), 2, 5.5),
    bounds_of_int8=lambda rng: (rng.integers(0, 9, 6).astype(np.int8), np.int8(2), np.float32(5.5)),
    int8_and_a_large_bound=lambda rng: (np.array([1, -1], np.int8), -1000, 1000),
)
def chained_comparisons(x, low, high):
    inside = at_least = outside = 0
    for value in x:
        if low < value < high:
            inside += 1
        elif low <= value <= high:
            at_least += 1
        if not low <= value != high:
            outside += 1
    return inside, at_least, outside


@loop(
    lambda n, rng: (rng.integers(-3, 4, n), rng.integers(-3, 4, n)),
    sizes=(0, 1, 9),
    realistic=120_000,
    floats_and_integers=lambda rng: (np.array([0.0, -0.0, np.nan, 2.5]), np.array([1, 0, 3, 0])),
    bools=lambda rng: (np.array([True, False, True]), np.array([False, False, True])),
)
def values_of_and_or(a, b):
    out = []
    last = None
    for i in range(len(a)):
        last = (a[i] and b[i]) or i
        out.append(last)
        flag = not a[i] or b[i] > 0
    return out, last, flag if len(a) else "no trip"


@loop(
    lambda n, rng: (rng.integers(0, 100, n),),
    sizes=(0, 1, 9),
    realistic=120_000,
    floats=lambda rng: (rng.standard_normal(5),),
    uint8=lambda rng: (rng.integers(0, 256, 5).astype(np.uint8),),
)
def choices_of_two_types(x):
    out = np.zeros(len(x))
    chosen = 0
    for i in range(len(x)):
        chosen = x[i] if i % 3 else i * 0.5 if i % 2 else i
        out[i] = -chosen if chosen < 50 else chosen
    return out, chosen


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 2, 9),
    realistic=600_000,
    numpy_integer=lambda rng: (np.int32(9),),
)
def swaps_of_three(n):
    a, b, c = 0, 1, 2.5
    for i in range(n):
        a, b, c = b, c, a
        if i % 5 == 0:
            (a, b), c = (c, a), b
    return a, b, c


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(0, 1, 6),
    realistic=15_000,
    first_longer=lambda rng: (rng.standard_normal(5), rng.standard_normal(3)),
    rows=lambda rng: (rng.standard_normal((3, 2)), rng.standard_normal(4)),
)
def enumerate_zip_reversed(a, b):
    total = 0.0
    for i, (x, y) in enumerate(zip(a, b), start=1):  # noqa: B905
        total += i * np.sum(x) * y
    for x in reversed(b):
        total = total / 2 - x
    for i in reversed(range(1, len(b), 2)):
        total += i * b[i]
    return total


@loop(
    lambda n, rng: (rng.standard_normal(n), n, -2),
    sizes=(0, 1, 2, 7),
    realistic=400_000,
    forwards=lambda rng: (rng.standard_normal(7), 1, 3),
    step_of_zero=lambda rng: (rng.standard_normal(3), 0, 0),
    numpy_numbers=lambda rng: (rng.standard_normal(7), np.int64(6), np.int8(-3)),
    float_start=lambda rng: (rng.standard_normal(3), 2.0, 1),
    bool_start=lambda rng: (rng.standard_normal(3), True, 1),
)
def ranges_of_any_step(x, start, step):
    total, count = 0.0, 0
    stop = -1 if step < 0 else len(x)
    for i in range(start - 1, stop, step):
        total += x[i] * i
        count += 1
    return total, count


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 7),
    realistic=400_000,
)
def loop_variable_assigned(n):
    seen = []
    for i in range(n):
        i *= 2
        if i % 3 == 0:
            i = -i
        seen.append(i)
    else:
        i = "done"
    return seen[-3:], i


@loop(
    lambda n, rng: ([int(k) for k in rng.integers(0, 100, n)],),
    sizes=(0, 1, 6),
    realistic=200_000,
    floats_between=lambda rng: ([1, 2.5, True, 4],),
)
def list_as_queue_and_stack(numbers):
    stack, queue, out = [], [], []
    for number in numbers:
        stack.append(number)
        queue.insert(0, number)
        if len(stack) > 3:
            out.append(stack.pop() - queue.pop())
            stack[0] = queue[-1] + 1
    while stack and queue:
        out.append(stack.pop(0) * queue[len(queue) // 2])
        queue.pop()
    return out, stack, queue


@loop(
    lambda n, rng: (rng.standard_normal(n).tolist(), 0),
    sizes=(0, 1, 5),
    realistic=600_000,
    pop_of_an_empty_list=lambda rng: ([1.0, 2.0], 1),
)
def pop_until_empty(numbers, more):
    total = 0.0
    for _ in range(len(numbers) + more):
        total = total * 0.5 + numbers.pop()
    return total


@loop(
    lambda n, rng: (np.arange(float(n)), 3),
    sizes=(1, 2, 5),
    realistic=20_000,
    matrix=lambda rng: (np.arange(6.0).reshape(3, 2), 2),
    text_factor=lambda rng: (np.arange(3.0), "2"),
)
def augmented_stores(x, factor):
    for i in range(1, len(x)):
        x[i] += x[i - 1]
        x[i] *= factor
        x[i] -= 1
        x[i] /= 4
        x[i] //= 0.5
        x[i] %= 7
        x[i] **= 2
        x[-i] += 0.25
    return x


@loop(
    lambda n, rng: (rng.integers(1, 99, n), 3),
    sizes=(0, 1, 5),
    realistic=30_000,
    uint8=lambda rng: (rng.integers(1, 99, 5).astype(np.uint8), 3),
    int16_and_a_number_of_numpy=lambda rng: (rng.integers(1, 99, 5).astype(np.int16), np.int64(3)),
    floats_have_no_shift=lambda rng: (np.ones(2), 3),
    bools=lambda rng: (np.array([True, False]), 1),
)
def augmented_integer_stores(x, k):
    for i in range(len(x)):
        x[i] <<= k
        x[i] |= 5
        x[i] &= 0x7F
        x[i] ^= k
        x[i] >>= 1
        x[i] //= k
        x[i] %= 7


@loop(
    lambda n, rng: (n, {"step": 0.5, 3: 1}),
    sizes=(0, 1, 5),
    realistic=300_000,
    missing_key=lambda rng: (4, {"step": 1}),
)
def numbers_in_a_dict(n, table):
    total = 0.0
    for i in range(n):
        total += table["step"] * table[3]
        if i % 4 == 0:
            table[3] += 1
    return total, table


@loop(
    lambda n, rng: (rng.integers(0, 3, n),),
    sizes=(0, 1, 12),
    realistic=300_000,
    fourth_state=lambda rng: (np.array([0, 1, 3, 2]),),
)
def state_machine_of_texts(symbols):
    state, transitions = "idle", 0
    for symbol in symbols:
        before = state
        if state == "idle":
            state = "busy" if symbol == 1 else "idle"
        elif state == "busy" and symbol == 2:
            state = "done"
        elif symbol == 0:
            state = "idle"
        transitions += state != before
    return state, transitions


@loop(
    lambda n, rng: (rng.integers(0, 5, n),),
    sizes=(0, 1, 9),
    realistic=200_000,
)
def match_statement(codes):
    position, depth = 0, 0
    for code in codes:
        match int(code):
            case 0:
                position += 1
            case 1 | 2:
                depth += 1
                position -= 1
            case k if k == 3 and depth:
                depth -= 1
            case _:
                position *= 2
                position %= 1000
    return position, depth


@loop(
    lambda n, rng: (rng.random(n),),
    sizes=(0, 1, 7),
    realistic=300_000,
    stops=lambda rng: (np.array([1.0, 3.0, 1.0]),),
    integers=lambda rng: (rng.integers(-9, 9, 6),),
)
def walrus_and_any(x):
    count, last = 0, None
    i = 0
    while i < len(x) and (last := x[i]) < 2:
        count += (half := last / 2) > 0 and half < 0.75
        i += 1
    return count, last, i


@loop(
    lambda n, rng: (rng.standard_normal(n), 4),
    sizes=(0, 3, 9),
    realistic=120_000,
    float32=lambda rng: (rng.standard_normal(7).astype(np.float32), 3),
    block_of_zero=lambda rng: (rng.standard_normal(3), 0),
)
def sums_of_blocks(x, block):
    sums = []
    at = 0
    while True:
        total = 0
        for i in range(at, min(at + block, len(x))):
            total += x[i]
        sums.append(total)
        at += max(block, 1)
        if at >= len(x):
            return sums


@loop(
    lambda n, rng: (rng.integers(-5, 6, n),),
    sizes=(0, 1, 6),
    realistic=20_000,
    floats=lambda rng: (np.array([2.5, -0.5, 1.5, 1e300]),),
    zeros=lambda rng: (np.array([0, 1, 0]),),
    uint8=lambda rng: (np.array([0, 1, 255], np.uint8),),
    float32=lambda rng: (np.array([2.5, -3.5, 0.1], np.float32),),
    complex=lambda rng: (np.array([1 + 2j]),),
)
def conversions(x):
    out = []
    for value in x:
        whole = int(value)
        out.append(whole + float(value) + round(value))
        out.append(divmod(whole, 3)[1] + abs(whole) + bool(value))
        out.append(pow(whole, 2) + max(whole, 2, 1.5) - min(value, 1))
        out.append(round(float(value) / 3, 2))
    return out
