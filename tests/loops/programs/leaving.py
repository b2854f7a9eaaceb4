"""Values of names after a loop: their numbers and types depend on the trips that the loop took."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 6),
    realistic=120_000,
    float32=lambda rng: (rng.standard_normal(4).astype(np.float32),),
    integers=lambda rng: (rng.integers(0, 9, 5),),
)
def all_locals(x):
    i = j = value = last = None
    count, total = 0, 0
    for i, value in enumerate(x):
        if value < 0:
            continue
        for j in range(i % 3):  # noqa: B007
            total = total + value
        last = value
        count += 1
    return i, j, value, last, count, total


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 5),
    realistic=200_000,
)
def name_unbound_without_a_trip(x):
    for i in range(len(x)):
        half = x[i] / 2
    return i, half


@loop(
    lambda n, rng: (rng.integers(0, 9, n),),
    sizes=(0, 1, 6),
    realistic=600_000,
    none_large=lambda rng: (np.zeros(3, np.int64),),
    one_large=lambda rng: (np.array([0, 9, 0]),),
)
def name_bound_on_one_path(x):
    for value in x:
        if value > 7:
            large = value
    try:
        return large
    except UnboundLocalError as error:
        return str(error)


@loop(
    lambda n, rng: (rng.standard_normal(n), 0),
    sizes=(0, 1, 5),
    realistic=400_000,
    float_start=lambda rng: (rng.standard_normal(3), 0.0),
    start_of_numpy=lambda rng: (rng.standard_normal(3).astype(np.float32), np.float64(0)),
    int8=lambda rng: (np.array([100, 100], np.int8), 0),
    list_of_floats=lambda rng: ([1.0, 2.0], 0),
    uint64=lambda rng: (np.array([1, 2], np.uint64), 0),
    nothing_to_add=lambda rng: (np.zeros(0, np.float32), 0),
)
def total_of_what_was_added(x, total):
    for value in x:
        total += value
    return total, total / 2, total * 0


@loop(
    lambda n, rng: (rng.standard_normal(n), 0.5),
    sizes=(0, 1, 6),
    realistic=300_000,
    never=lambda rng: (rng.standard_normal(3), 99.0),
    at_once=lambda rng: (rng.standard_normal(3), -99.0),
    float32=lambda rng: (rng.standard_normal(4).astype(np.float32), 0.5),
)
def best_is_none_or_a_number(x, bound):
    best = None
    at = -1
    for i in range(len(x)):
        if x[i] > bound and (best is None or x[i] < best):
            best = x[i]
            at = i
    return best, at, best is None


@loop(
    lambda n, rng: (rng.standard_normal(n), 1),
    sizes=(0, 1, 2, 5),
    realistic=400_000,
    zero=lambda rng: (np.array([1.0, 2.0]), 0),
    first_is_zero=lambda rng: (np.array([0.0, 2.0]), 1),
)
def divided_afterwards(x, start):
    divisor = start
    for value in x:
        if value:
            divisor = value - value
    return 1 / divisor


@loop(
    lambda n, rng: (rng.integers(0, 3, n),),
    sizes=(0, 1, 2, 9),
    realistic=150_000,
    of_each_kind=lambda rng: (np.array([0, 1, 2, 1]),),
    last_is_python=lambda rng: (np.array([2, 0]),),
    last_is_complex=lambda rng: (np.array([0, 2]),),
)
def type_by_the_last_trip(kinds):
    value = 1
    for kind in kinds:
        if kind == 0:
            value = 2
        elif kind == 1:
            value = value * 0.5
        else:
            value = value + np.float32(1)
    return value, type(value).__name__


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 5),
    realistic=1_000_000,
    negative=lambda rng: (-3,),
    numpy_integer=lambda rng: (np.int64(4),),
    uint8=lambda rng: (np.uint8(4),),
    bool=lambda rng: (True,),
    float=lambda rng: (4.0,),
    array_of_one=lambda rng: (np.array(3),),
    array_of_three=lambda rng: (np.array([3, 4, 5]),),
)
def loop_variable_of_a_range(n):
    i = -1
    for i in range(n):  # noqa: B007
        pass
    k = n
    while k > 0:
        k -= 1
    return i, k, type(i).__name__


@loop(
    lambda n, rng: (rng.standard_normal((n, 3)),),
    sizes=(0, 1, 3),
    realistic=40_000,
    integers=lambda rng: (rng.integers(0, 9, (2, 3)),),
    wrong_width=lambda rng: (rng.standard_normal((2, 4)),),
    lists=lambda rng: ([[1, 2.0, 3], (4, 5, 6)],),
)
def rows_unpacked(points):
    far = x = y = z = 0
    for x, y, z in points:
        d = x * x + y * y + z * z
        if d > far:
            far = d
    return far, x, y, z


@loop(
    lambda n, rng: (rng.standard_normal(n), 3),
    sizes=(0, 1, 5),
    realistic=120_000,
    float32=lambda rng: (rng.standard_normal(4).astype(np.float32), 2),
)
def nested_loops_leave_their_names(x, inner):
    total = 0.0
    for i in range(len(x)):
        for k in range(i % inner):
            total += x[i] * k
        else:
            total -= 1
    try:
        return i, k, total
    except NameError as error:
        return type(error).__name__, str(error)


@loop(
    lambda n, rng: (rng.random(n), 1 - 1 / (n * n + 4)),
    sizes=(0, 1, 5),
    realistic=400_000,
    stops_at_once=lambda rng: (np.ones(3), 0.9),
    array_result=lambda rng: (np.array([0.1, 0.2, 0.95, 0.3]), 0.9),
)
def results_of_several_returns(x, bound):
    seen = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > bound:
            return seen[:i]
        if x[i] == 0.5:
            return i
        seen[i] = x[i]
    return seen if len(x) else None


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 4),
    realistic=200_000,
)
def deleted_names(x):
    total = 0.0
    for i in range(len(x)):
        t = x[i] * 2
        total += t
        del t
    try:
        return t  # noqa: F821
    except UnboundLocalError:
        return total


@loop(
    lambda n, rng: (rng.standard_normal(4), 3, n),
    sizes=(0, 1, 3, 6),
    realistic=300,
    stays_small=lambda rng: (rng.standard_normal(4), 1, 4),
)
def names_bound_by_trips_with_big_integers(x, factor, n):
    for i in range(n):
        power = 1
        for k in range(30 + 5 * i):
            power *= factor
            x[k % 4] += power % 7
        if i == 0:
            first = x[3]
    return (power, i, k, first) if n else None
