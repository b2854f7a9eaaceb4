"""The pool: reused, bounded, and invisible to whoever holds the arrays."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
import torch

from npcompile.lower.native import pool
from npcompile.lower.plan.values import Value
from tests.lower.segments import compiled

BIG = np.arange(1_500_000.0)
SMALL = np.arange(10.0)


def plus_one(x):
    return compiled(lambda b, a: [b(torch.add, a, 1)], [x], [x]).kernel


@pytest.mark.parametrize("x", [SMALL, BIG])
def test_a_steady_loop_allocates_nothing_new(x):
    kernel = plus_one(x)
    for _ in range(3):
        y = kernel(x)
    gc.collect()
    before = pool.stats()
    for _ in range(20):
        y = kernel(x)
    after = pool.stats()
    assert after["fresh"] == before["fresh"] and after["reused"] == before["reused"] + 20
    assert after["live_bytes"] == before["live_bytes"]
    assert np.array_equal(y, x + 1)


def test_memory_in_use_is_no_more_than_numpy_would_hold():
    kernel = plus_one(BIG)
    y = kernel(BIG)
    del y
    pool.empty_cache()
    start = pool.stats()["live_bytes"]
    for _ in range(5):
        y = kernel(BIG)
    stats = pool.stats()
    held = stats["live_bytes"] + stats["free_bytes"] - start
    assert held <= 2 * BIG.nbytes * 9 / 8  # the old result and the new one, an eighth for the size class
    assert np.array_equal(y, BIG + 1)


def test_views_keep_the_memory_of_a_dropped_array():
    kernel = plus_one(BIG)
    view = kernel(BIG)[100:200]
    later = [kernel(BIG * 0) for _ in range(4)]
    assert np.array_equal(view, BIG[100:200] + 1) and later[0][0] == 1


def test_arrays_own_their_memory_and_can_be_resized():
    for x in (SMALL, BIG):
        y = plus_one(x)(x)
        assert y.flags.owndata and y.flags.writeable and y.flags.aligned and y.base is None
        assert y.ctypes.data % 64 == 0
        y.resize(x.size * 3, refcheck=False)
        assert np.array_equal(y[: x.size], x + 1) and not y[x.size :].any()
        y.resize(5, refcheck=False)
        assert np.array_equal(y, x[:5] + 1)


def test_dlpack_and_torch_share_the_memory():
    y = plus_one(BIG)(BIG)
    tensor = torch.from_dlpack(y)
    del y
    other = plus_one(BIG)(BIG)
    assert tensor[-1] == BIG[-1] + 1 and other[-1] == BIG[-1] + 1


def test_arrays_of_other_threads_are_freed_anywhere():
    kernel = plus_one(SMALL)
    made: list[np.ndarray] = []

    def run():
        made.extend(kernel(SMALL) for _ in range(500))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(y, SMALL + 1) for y in made)
    live = pool.stats()["live_bytes"]
    count = len(made)
    made.clear()
    assert pool.stats()["live_bytes"] == live - count * 128


def test_the_cap_and_emptying():
    kernel = plus_one(BIG)
    limit = pool.stats()["limit"]
    try:
        pool.set_limit(BIG.nbytes // 2)
        y = kernel(BIG)
        del y
        assert pool.stats()["free_bytes"] <= BIG.nbytes // 2
        pool.set_limit(limit)
        y = kernel(BIG)
        del y
        assert pool.stats()["free_bytes"] >= BIG.nbytes
        pool.empty_cache()
        assert pool.stats()["free_bytes"] == 0
    finally:
        pool.set_limit(limit)


def test_the_oldest_kept_memory_goes_first_when_the_cap_is_reached():
    plus_one(SMALL)
    limit = pool.stats()["limit"]
    pool.empty_cache()
    try:
        pool.set_limit(pool.stats()["live_bytes"] + (40 << 20))
        old = pool.empty(Value("array", torch.uint8, (16 << 20,), (1,)))
        new = pool.empty(Value("array", torch.uint8, (8 << 20,), (1,)))
        del old
        del new
        another = pool.empty(Value("array", torch.uint8, (30 << 20,), (1,)))
        assert pool.stats()["free_bytes"] == 8 << 20
        del another
    finally:
        pool.set_limit(limit)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (8, 9), (1000, 1001), (3_000_000,)])
def test_arrays_of_the_pool_are_ordinary(shape):
    plus_one(SMALL)
    strides = tuple(s // 4 for s in np.empty(shape, "f4").strides)
    y = pool.empty(Value("array", torch.float32, shape, strides))
    y[...] = 3
    assert type(y) is np.ndarray and y.dtype == np.float32 and y.shape == shape
    assert y.flags.c_contiguous and y.flags.owndata and (y == 3).all()
    y[...] = np.pi
    assert np.array_equal(y.copy(), y)


def test_every_size_class_holds_what_it_says():
    plus_one(SMALL)
    for bits in range(3, 24):
        for size in {(1 << bits) - 1, 1 << bits, (1 << bits) + 1, (3 << bits) // 2, (9 << bits) // 8 + 1}:
            y = pool.empty(Value("array", torch.uint8, (size,), (1,)))
            y[...] = 255
            assert y.all() and y.nbytes == size
