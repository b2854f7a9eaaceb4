"""Effects of loops that fail, and of loops on arrays that overlap, are read-only or lie in unusual orders."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (np.zeros(n), n),
    sizes=(0, 1, 4),
    realistic=300_000,
    past_the_end=lambda rng: (np.zeros(3), 5),
    past_the_end_of_int8=lambda rng: (np.zeros(2, np.int8), 3),
)
def index_error_half_way(x, n):
    total = 0.0
    for i in range(n):
        total += i
        x[i] = total


@loop(
    lambda n, rng: (rng.integers(1, 5, n), np.zeros(n, np.int64)),
    sizes=(0, 1, 5),
    realistic=80_000,
    past_the_end=lambda rng: (np.array([1, 2, 3, 4]), np.zeros(2, np.int64)),
    key_error=lambda rng: (np.array([1, 2, 9]), np.zeros(3, np.int64)),
    zero=lambda rng: ([1, 2, 0, 5], np.zeros(4, np.int64)),
)
def exceptions_caught_around_the_loop(x, out):
    total, i = 0, None
    table = {1: 1, 2: 4, 3: 9, 4: 16}
    try:
        for i in range(len(x)):
            out[i] = 12 // x[i]
            total += table[int(x[i])]
            doubled = total * 2
    except (IndexError, KeyError) as error:
        return total, i, doubled, type(error).__name__, str(error)
    except ZeroDivisionError:
        total = -total
    finally:
        out[:1] += 100
    return total, i


@loop(
    lambda n, rng: (rng.integers(0, 6, n), np.arange(5.0)),
    sizes=(0, 1, 7),
    realistic=80_000,
    only_errors=lambda rng: (np.array([9, -9, 5]), np.arange(5.0)),
)
def exceptions_caught_in_the_loop(indices, x):
    total, failed = 0.0, 0
    for i in indices:
        try:
            total += x[i]
        except IndexError:
            failed += 1
            continue
        else:
            total *= 0.5
        finally:
            total += 1
    return total, failed


class TooLarge(ValueError):
    """An exception of the user's."""


@loop(
    lambda n, rng: (rng.random(n), 2.0),
    sizes=(0, 1, 5),
    realistic=150_000,
    raised=lambda rng: (np.array([0.5, 3.0, 0.5]), 2.0),
    assertion=lambda rng: (np.array([0.5, -3.0, 0.5]), 2.0),
)
def exceptions_raised_by_the_user(x, bound):
    for i, value in enumerate(x):
        assert value >= 0, f"negative at {i}"
        if value > bound:
            raise TooLarge(f"{value:.1f} at {i}")
        x[i] = -value


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(1, 2, 6),
    realistic=60_000,
    one_array=lambda rng: (lambda x: (x, x))(rng.standard_normal(5)),
    shifted_by_one=lambda rng: (lambda x: (x[1:], x[:-1]))(rng.standard_normal(6)),
    shifted_back=lambda rng: (lambda x: (x[:-1], x[1:]))(rng.standard_normal(6)),
    one_backwards=lambda rng: (lambda x: (x, x[::-1]))(rng.standard_normal(6)),
    one_element_over_and_over=lambda rng: (rng.standard_normal(4), np.broadcast_to(np.float64(2), (4,))),
    bytes_of_the_other=lambda rng: (lambda x: (x, x.view(np.int64)))(rng.standard_normal(4)),
)
def overlapping_arguments(a, b):
    total = 0.0
    for i in range(1, len(a)):
        a[i] = b[i - 1] * 0.5 + a[i - 1]
        b_i = b[i]
        total += b_i
    return total


@loop(
    lambda n, rng: (rng.standard_normal((n, n)), rng.standard_normal((n, n))),
    sizes=(1, 3),
    realistic=300,
    transpose_of_itself=lambda rng: (lambda x: (x, x.T))(rng.standard_normal((4, 4))),
    row_of_itself=lambda rng: (lambda x: (x, x[:1]))(rng.standard_normal((3, 3))),
    every_second_of_itself=lambda rng: (lambda x: (x[::2, ::2], x[1::2, 1::2]))(rng.standard_normal((6, 6))),
)
def overlapping_matrices(a, b):
    for i in range(len(a)):
        for j in range(i):
            a[i, j] = b[j % len(b), i]
            b[0, j] += a[j, i]
    return a, b


@loop(
    lambda n, rng: (np.zeros(n), rng.standard_normal(n)),
    sizes=(0, 1, 3),
    realistic=200_000,
    read_only=lambda rng: (np.frombuffer(bytes(24)), rng.standard_normal(3)),
    read_only_but_no_trip=lambda rng: (np.frombuffer(bytes(24)), np.zeros(0)),
    written_only_when_positive=lambda rng: (np.frombuffer(bytes(24)), np.array([-1.0, -2.0, 1.0])),
)
def read_only_target(out, x):
    count = 0
    for i in range(len(x)):
        count += 1
        if x[i] > 0:
            out[i] = x[i]
            x[i] = 0
    return count


ORDERS = {
    "fortran": lambda rng: (np.asfortranarray(rng.standard_normal((3, 4))),),
    "rows_backwards": lambda rng: (rng.standard_normal((3, 4))[::-1],),
    "both_backwards": lambda rng: (rng.standard_normal((3, 4))[::-1, ::-1],),
    "every_second_column": lambda rng: (rng.standard_normal((3, 8))[:, ::2],),
    "swapped_bytes": lambda rng: (rng.standard_normal((3, 4)).astype(">f8"),),
    "swapped_bytes_of_int16": lambda rng: (rng.integers(-99, 99, (3, 4)).astype(">i2"),),
    "swapped_bytes_of_complex64": lambda rng: (rng.standard_normal((2, 3)).astype(">c8"),),
    "unaligned": lambda rng: (np.zeros(97, np.uint8)[1:].view(np.float64).reshape(3, 4),),
    "field_of_records": lambda rng: (np.zeros((2, 3), dtype=[("a", "i1"), ("b", "f4")])["b"],),
    "repeated_row": lambda rng: (np.broadcast_to(rng.standard_normal(4), (3, 4)),),
    "windows_that_overlap": lambda rng: (
        np.lib.stride_tricks.sliding_window_view(rng.standard_normal(6), 3, writeable=True),
    ),
    "no_rows": lambda rng: (np.zeros((0, 4)),),
    "no_columns": lambda rng: (np.zeros((3, 0)),),
    "longdouble": lambda rng: (rng.standard_normal((2, 2)).astype(np.longdouble),),
    "objects": lambda rng: (np.array([[1, 2.5], [1 << 70, 3]], dtype=object),),
    "masked": lambda rng: (np.ma.masked_less(rng.standard_normal((2, 2)), 0),),
    "matrix": lambda rng: (np.array([[1.0, 2.0], [3.0, 4.0]]),),
}


@loop(lambda n, rng: (rng.standard_normal((n, n)),), sizes=(1, 3), realistic=300, **ORDERS)
def every_memory_order(x):
    rows, columns = x.shape
    total = 0
    for i in range(rows):
        for j in range(columns):
            x[i, j] = x[i, j] * 2 + i
            total += x[i, -j - 1]
    return total


@loop(
    lambda n, rng: (np.zeros((n, 3)), rng.standard_normal(3)),
    sizes=(0, 1, 4),
    realistic=15_000,
    row_is_the_argument=lambda rng: (lambda x: (x, x[1]))(rng.standard_normal((3, 3))),
)
def rows_returned_as_views(x, row):
    views = []
    last = row
    for i in range(len(x)):
        x[i] = last + i
        last = x[i]
        if i % 2 == 0:
            views.append(x[i, 1:])
    return last, views


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(0, 1, 2, 5),
    realistic=100_000,
    one_array=lambda rng: (lambda x: (x, x))(rng.standard_normal(4)),
)
def names_exchanged_each_trip(a, b):
    for _ in range(len(a)):
        a, b = b, a
        if len(a):
            a[0] += 1
            b[-1] *= 2
    return a, b


@loop(
    lambda n, rng: (rng.standard_normal(n), []),
    sizes=(0, 1, 5),
    realistic=200_000,
    list_that_holds_something=lambda rng: (rng.standard_normal(3), [5]),
    no_list=lambda rng: (rng.standard_normal(3), None),
    tuple_instead=lambda rng: (rng.standard_normal(3), ()),
)
def list_of_the_caller(x, log):
    for i, value in enumerate(x):
        x[i] = 0
        log.append(value)
        if len(log) > 3:
            log.pop(0)
    return log


@loop(
    lambda n, rng: (rng.standard_normal(n), n // 2),
    sizes=(1, 2, 5),
    realistic=150_000,
    with_an_index_of_float=lambda rng: (rng.standard_normal(4), 1.0),
    with_no_index=lambda rng: (rng.standard_normal(4), None),
    with_an_index_of_bool=lambda rng: (rng.standard_normal(4), True),
    with_an_index_of_text=lambda rng: (rng.standard_normal(4), "a"),
)
def indices_of_every_type(x, k):
    total = 0.0
    for i in range(len(x)):
        x[i] += 1
        total = total + x[k]
        x[k] = i
    return total


@loop(
    lambda n, rng: (rng.standard_normal(n), 3),
    sizes=(3, 6),
    realistic=20_000,
    ints=lambda rng: (np.arange(6), 2),
    backwards=lambda rng: (rng.random(7)[::-1], 3),
    complex_numbers=lambda rng: (rng.random(6) + 1j, 3),
)
def real_parts_that_are_the_array_itself(x, width):
    last, total = None, 0.0
    for i in range(len(x) - width + 1):
        last = np.real(x[i : i + width])
        last[0] += i
        total = total + np.real(x[i])
    return last, np.real(x), total
