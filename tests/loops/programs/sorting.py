"""Sorting: elements compared and moved in place, with index stacks, and by functions that call themselves."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def numbers(n, rng):
    return (rng.standard_normal(n),)


ORDERS = {
    "int8": lambda rng: (rng.integers(-128, 128, 9).astype(np.int8),),
    "with_nan": lambda rng: (np.array([2.0, np.nan, -1.0, 0.0, -0.0, np.inf]),),
    "every_second": lambda rng: (rng.standard_normal(12)[::2],),
    "backwards": lambda rng: (np.arange(7.0)[::-1],),
    "read_only": lambda rng: (np.frombuffer(bytes([3, 1, 2]), np.uint8),),
}


@loop(numbers, sizes=(0, 1, 8), realistic=800, **ORDERS)
def insertion_sort(x):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key


@loop(
    numbers,
    sizes=(0, 9),
    realistic=4000,
    swapped_bytes=lambda rng: (rng.integers(0, 100, 7).astype(">i4"),),
    bools=lambda rng: (rng.random(6) > 0.5,),
)
def shell_sort(x):
    gap = len(x) // 2
    moves = 0
    while gap > 0:
        for i in range(gap, len(x)):
            value = x[i]
            j = i
            while j >= gap and x[j - gap] > value:
                x[j] = x[j - gap]
                j -= gap
                moves += 1
            x[j] = value
        gap //= 2
    return moves


def sift_down(x, start, end):
    root = start
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and x[child] < x[child + 1]:
            child += 1
        if x[root] >= x[child]:
            break
        x[root], x[child] = x[child], x[root]
        root = child


@loop(
    numbers,
    sizes=(0, 1, 8),
    realistic=3000,
    uint64=lambda rng: (rng.integers(0, 1 << 64, 6, dtype=np.uint64),),
    float16=lambda rng: (rng.standard_normal(6).astype(np.float16),),
    strings=lambda rng: (np.array(["b", "a", "c"]),),
)
def heap_sort(x):
    n = len(x)
    for start in range(n // 2 - 1, -1, -1):
        sift_down(x, start, n)
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        sift_down(x, 0, end)
    return x


@loop(
    numbers,
    sizes=(0, 9),
    realistic=8000,
    equal=lambda rng: (np.zeros(5, np.int32),),
    python_list=lambda rng: (rng.integers(0, 20, 8).tolist(),),
)
def quicksort_with_a_stack(x):
    stack = [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = x[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        stack.append((low, j))
        stack.append((i, high))
    return x


@loop(
    lambda n, rng: (rng.integers(0, 50, n), 50),
    sizes=(0, 8),
    realistic=40_000,
    uint8=lambda rng: (rng.integers(0, 5, 9).astype(np.uint8), 5),
    key_too_large=lambda rng: (np.array([1, 2, 7, 0]), 5),
    negative_key=lambda rng: (np.array([1, -1, 2]), 5),
    float_keys=lambda rng: (np.array([1.0, 2.0]), 5),
)
def counting_sort(keys, k):
    counts = np.zeros(k, dtype=np.int64)
    for key in keys:
        counts[key] += 1
    total = 0
    for i in range(k):
        counts[i], total = total, total + counts[i]
    out = np.empty_like(keys)
    for key in keys:
        out[counts[key]] = key
        counts[key] += 1
    return out


def merge(x, buffer, low, middle, high):
    i, j = low, middle
    for k in range(low, high):
        if i < middle and (j >= high or x[i] <= x[j]):
            buffer[k] = x[i]
            i += 1
        else:
            buffer[k] = x[j]
            j += 1


@loop(
    numbers,
    sizes=(1, 2, 9),
    realistic=5000,
    int64=lambda rng: (rng.integers(0, 9, 7),),
    read_only=lambda rng: (np.broadcast_to(np.float64(1), (5,)),),
)
def merge_sort_bottom_up(x):
    n = len(x)
    buffer = np.empty_like(x)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            merge(x, buffer, low, min(low + width, n), min(low + 2 * width, n))
        x[:] = buffer
        width *= 2
    return x


@loop(lambda n, rng: (rng.standard_normal(n), 0, n - 1), sizes=(0, 1, 9), realistic=8000)
def quicksort_recursive(x, low, high):
    if low >= high:
        return
    pivot = x[high]
    i = low - 1
    for j in range(low, high):
        if x[j] <= pivot:
            i += 1
            x[i], x[j] = x[j], x[i]
    x[i + 1], x[high] = x[high], x[i + 1]
    quicksort_recursive(x, low, i)
    quicksort_recursive(x, i + 2, high)


@loop(
    lambda n, rng: (np.sort(rng.integers(0, n * 2 + 1, n)), rng.integers(0, n * 2 + 1, n)),
    sizes=(0, 8),
    realistic=8000,
    found_at_once=lambda rng: (np.array([5]), np.array([5, 4])),
    unsigned=lambda rng: (np.array([1, 4, 9], np.uint8), np.array([9, 0, 4], np.int64)),
)
def binary_search(x, wanted):
    found = np.full(len(wanted), -1)
    for at, value in enumerate(wanted):
        low, high = 0, len(x) - 1
        while low <= high:
            middle = (low + high) >> 1
            if x[middle] == value:
                found[at] = middle
                break
            if x[middle] < value:
                low = middle + 1
            else:
                high = middle - 1
        else:
            found[at] = -low - 1
    return found


@loop(
    lambda n, rng: (rng.integers(0, 1 << 16, n).astype(np.uint16),),
    sizes=(0, 7),
    realistic=15_000,
    uint32=lambda rng: (rng.integers(0, 1 << 32, 5, dtype=np.uint32),),
    int32=lambda rng: (rng.integers(-9, 9, 6).astype(np.int32),),
)
def radix_sort(keys):
    source, target = keys.copy(), np.empty_like(keys)
    for shift in range(0, 8 * keys.itemsize, 8):
        starts = np.zeros(257, dtype=np.int64)
        for key in source:
            starts[((key >> shift) & 255) + 1] += 1
        for digit in range(256):
            starts[digit + 1] += starts[digit]
        for key in source:
            digit = (key >> shift) & 255
            target[starts[digit]] = key
            starts[digit] += 1
        source, target = target, source
    return source


@loop(
    lambda n, rng: (rng.standard_normal(n), max(1, n // 3)),
    sizes=(3, 9),
    realistic=60_000,
    past_the_end=lambda rng: (rng.standard_normal(4), 9),
    int16=lambda rng: (rng.integers(0, 50, 7).astype(np.int16), 3),
)
def quickselect(values, k):
    x = values.copy()
    low, high = 0, len(x) - 1
    while low < high:
        pivot, i, j = x[k], low, high
        while True:
            while x[i] < pivot:
                i += 1
            while pivot < x[j]:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i, j = i + 1, j - 1
            if i > j:
                break
        if j < k:
            low = i
        if k < i:
            high = j
    return x[k]
