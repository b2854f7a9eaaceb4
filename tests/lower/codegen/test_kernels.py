"""What a compiled segment computes, and what it refuses before anything ran."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch

from npcompile.lower.codegen import streaming
from npcompile.lower.plan.graph import write
from npcompile.lower.plan.values import Value
from tests.lower.segments import compiled, same, segment, value

rng = np.random.default_rng(0)
X = rng.standard_normal((100, 10))
Y = rng.standard_normal((100, 10))


def fused(b, x, y):
    product = b(torch.mul, x, y)
    return [b(torch.sub, b(torch.add, product, x), b(torch.abs, y))]


def test_elementwise_work_is_one_kernel():
    job = compiled(fused, [X, Y], [X])
    assert job.kernels == 1 and job.form == "native" and job.bytes_written == X.nbytes
    assert "npc_run" in job.source and job.kernel.threads == 1
    same(job.kernel(X, Y), X * Y + X - np.abs(Y))


def test_several_outputs_of_one_pass():
    def body(b, x):
        total = b(torch.add, x, 1)
        return [total, b(torch.amax, total, dim=(0,)), b(torch.argmin, total), b(torch.gt, x, 0)]

    want = [X + 1, np.max(X + 1, axis=0), np.argmin(X + 1), X > 0]
    job = compiled(body, [X], want)
    got = job.kernel(X)
    assert type(got) is tuple
    for one, expected in zip(got, want, strict=True):
        same(one, expected)


def test_zero_dimensional_outputs_are_scalars_or_arrays_as_demanded():
    scalar, array = np.float64(0), np.zeros(())
    job = compiled(lambda b, x: [b(torch.amin, x), b(torch.amax, x)], [X], [scalar, array])
    low, high = job.kernel(X)
    same(low, X.min())
    same(high, np.array(X.max()))


def test_numbers_and_scalars_enter_as_values():
    def body(b, x, i, f, c, t, s):
        real = b(torch.add, b(torch.mul, x, f), b(torch.where, t, i, s))
        return [real, b(torch.view_as_real, b(torch.mul, c, 1))]

    inputs = [X, 3, 0.5, 1 + 2j, True, np.float64(7)]
    job = compiled(body, inputs, [X, np.zeros(2)])
    same(job.kernel(X, 3, 0.5, 1 + 2j, True, np.float64(7))[0], X * 0.5 + 3)
    real, number = job.kernel(X, 4, 1.5, 5j, False, np.float64(7))
    same(real, X * 1.5 + 7)
    assert number.tolist() == [0, 5]


def test_a_written_view_writes_its_own_bytes_and_no_others():
    def body(b, row, x):
        b(write, row, b(torch.add, b.item(x, 3), 1))
        return []

    base = np.zeros((100, 10))
    view = base[::7, 2]
    x = X.T[:, : len(view)]
    job = compiled(body, [view, x], [])
    assert job.bytes_written == view.size * 8
    want = base.copy()
    want[::7, 2] = x[3] + 1
    assert job.kernel(view, x) == ()
    assert np.array_equal(base, want)
    view.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        job.kernel(view, x)


def test_a_write_beside_an_output():
    def body(b, u, x):
        doubled = b(torch.mul, u, 2)
        b(write, u, b(torch.add, u, x))
        return [doubled]

    u = np.arange(10.0)
    job = compiled(body, [u, X[0]], [u])
    same(job.kernel(u, X[0]), np.arange(10.0) * 2)
    assert np.array_equal(u, np.arange(10.0) + X[0])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_outputs_have_the_layout_demanded(order):
    x = rng.standard_normal((3, 4, 5))
    inverse = np.argsort(order)
    want = np.ascontiguousarray((x * 2).transpose(order)).transpose(inverse)
    want = want.copy(order="K")
    job = compiled(lambda b, a: [b(torch.mul, a, 2)], [x], [want])
    assert job.kernels == 1
    same(job.kernel(x), want)


def test_inputs_may_be_strided_or_broadcast():
    x = np.asfortranarray(X)[::2]
    y = np.broadcast_to(Y[0], x.shape)
    want = x - y
    job = compiled(lambda b, a, c: [b(torch.sub, a, c)], [x, y], [want])
    same(job.kernel(x, y), want)


def test_outputs_that_share_memory_in_the_body_do_not_afterwards():
    def body(b, x):
        total = b(torch.add, x, 2)
        return [total, b(torch.t, total), total, b(torch.t, x), b.item(x, (slice(2, 50, 3), slice(1, 7)))]

    total = X + 2
    want = [total, total.T.copy(), total, X.T.copy(), X[2:50:3, 1:7].copy()]
    job = compiled(body, [X], want)
    got = job.kernel(X)
    for one, expected in zip(got, want, strict=True):
        same(one, expected)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(got) for b in [*got[:i], X])


def test_operators_that_inductor_calls_run_in_the_general_form():
    def body(b, x):
        ordered = b(torch.sort, b(torch.add, x, 3), dim=0, stable=True)
        values, places = b.item(ordered, 0), b.item(ordered, 1)
        return [values, places, b(torch.neg, values), b(torch.amax, values)]

    values, places = np.sort(X + 3, axis=0), np.argsort(X + 3, axis=0, kind="stable")
    want = [values, np.asfortranarray(places), -values, values.max()]
    job = compiled(body, [X], want)
    assert job.form == "general" and job.kernels >= 2
    readonly = X.copy()
    readonly.flags.writeable = False
    for _ in range(2):
        for one, expected in zip(job.kernel(readonly), want, strict=True):
            same(one, expected)


def test_constants_of_the_body():
    def body(b, x):
        return [b(torch.add, x, b(torch.tensor, [0.5, 1.5, 2.5], dtype=torch.float64))]

    x = X[:5, :3].copy()
    same(compiled(body, [x], [x]).kernel(x), x + np.array([0.5, 1.5, 2.5]))


def test_no_value_is_changed_by_the_compiler():
    """Signed zeros, infinities and NaN: what -ffast-math and graph rewrites would lose."""
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-320, 1.0])

    def body(b, x):
        narrowed = b(torch.Tensor.to, b(torch.Tensor.to, x, torch.float32), torch.float64)
        return [
            *(b(torch.add, x, 0.0), b(torch.neg, x), b(torch.sub, 0.0, x), b(torch.mul, x, 0.0)),
            *(b(torch.div, 1.0, x), b(torch.isnan, x), b(torch.sub, x, x), narrowed),
        ]

    x = np.concatenate([x, X[0], X[1]])
    with np.errstate(all="ignore"):
        want = [x + 0.0, -x, 0.0 - x, x * 0.0, 1.0 / x, np.isnan(x), x - x, x.astype("f4").astype("f8")]
        got = compiled(body, [x], want).kernel(x)
        for one, expected in zip(got, want, strict=True):
            assert np.array_equal(one, expected, equal_nan=expected.dtype.kind == "f")
            if expected.dtype.kind == "f":
                number = ~np.isnan(expected)
                assert np.array_equal(np.signbit(one[number]), np.signbit(expected[number]))


def test_half_precision_rounds_at_each_step():
    x = rng.standard_normal(1000).astype("f2")

    def body(b, x):
        return [b(torch.mul, b(torch.add, b(torch.mul, x, x), x), x)]

    same(compiled(body, [x], [x]).kernel(x), (x * x + x) * x)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (1, 1), (1, 7)])
def test_empty_and_single_element_axes(shape):
    x = np.ones(shape)
    job = compiled(lambda b, a: [b(torch.add, a, 1), b(torch.sum, a)], [x], [x, np.float64(0)])
    first, second = job.kernel(x)
    same(first, x + 1)
    same(second, x.sum())


def test_a_segment_without_inputs():
    job = compiled(lambda b: [b(torch.zeros, 4, dtype=torch.int64)], [], [np.zeros(4, "i8")])
    same(job.kernel(), np.zeros(4, "i8"))


def test_large_work_takes_the_threads_there_are():
    x = rng.standard_normal(3_000_000)
    job = compiled(lambda b, a: [b(torch.sqrt, b(torch.exp, a))], [x], [x])
    assert job.kernel.threads == torch.get_num_threads()
    assert np.allclose(job.kernel(x), np.sqrt(np.exp(x)), rtol=1e-15)


def test_small_work_is_tried_alone_then_shared():
    x = rng.standard_normal(300_000)
    kernel = compiled(lambda b, a: [b(torch.add, a, 1)], [x], [x]).kernel
    seen = []
    for _ in range(16):
        seen.append(kernel.threads)
        same(kernel(x), x + 1)
    assert seen == [1] * 8 + [torch.get_num_threads()] * 8


def test_sums_are_shared_by_the_same_number_of_threads_at_each_run():
    x = rng.standard_normal(300_000)
    kernel = compiled(lambda b, a: [b(torch.sum, b(torch.mul, a, a))], [x], [np.float64(0)]).kernel
    assert len({(kernel.threads, kernel(x)) for _ in range(40)}) == 1


class Sub(np.ndarray):
    pass


def test_wrong_values_are_refused_before_anything_runs():
    u = np.zeros((100, 10))

    def body(b, u, x, i, f, c, t, s):
        b(write, u, b(torch.add, x, b(torch.mul, i, f)))
        return [b(torch.add, x, b(torch.mul, s, t)), b(torch.view_as_real, b(torch.mul, c, 1))]

    good = [u, X, 3, 0.5, 1j, True, np.float64(7)]
    kernel = compiled(body, good, [X, np.zeros(2)]).kernel
    unaligned = np.zeros(8 * 1000 + 1, "u1")[1:].view("f8").reshape(100, 10)
    wrong = [
        *((1, bad, TypeError) for bad in (X.astype("f4"), X.astype(">f8"), X.view(Sub), X.tolist(), None)),
        *((1, bad, ValueError) for bad in (X[:99], X.T, np.asfortranarray(X), X[0], X[None], unaligned)),
        *((2, bad, TypeError) for bad in (3.0, True, "3", np.int64(3))),
        (2, 2**63, OverflowError),
        (2, -(2**63) - 1, OverflowError),
        *((3, bad, TypeError) for bad in (1, True, None)),
        *((4, bad, TypeError) for bad in (1, 0.5)),
        *((5, bad, TypeError) for bad in (1, np.True_)),
        *((6, bad, TypeError) for bad in (7.0, np.float32(7), np.int64(7), np.array(7.0))),
    ]
    for place, bad, error in wrong:
        with pytest.raises(error):
            kernel(*good[:place], bad, *good[place + 1 :])
    for count in (6, 8):
        with pytest.raises(TypeError):
            kernel(*(good * 2)[:count])
    with pytest.raises(TypeError):
        kernel(*good, x=1)
    assert not u.any()
    kernel(*good)
    assert np.array_equal(u, X + 1.5)


def test_the_strides_of_single_element_axes_do_not_matter():
    x = np.lib.stride_tricks.as_strided(np.arange(8.0), (1, 5), (8, 8))
    job = compiled(lambda b, a: [b(torch.mul, a, 3)], [x], [np.zeros((1, 5))])
    same(job.kernel(x), np.asarray(x) * 3)
    same(job.kernel(np.arange(5.0)[None]), np.arange(5.0)[None] * 3)


def test_eight_threads_at_once():
    kernel = compiled(fused, [X, Y], [X]).kernel
    want = X * Y + X - np.abs(Y)
    wrong = []

    def run():
        for _ in range(300):
            if not np.array_equal(kernel(X, Y), want):
                wrong.append(1)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_intermediates_share_scratch_memory():
    """Several passes over data that cannot be fused: what no later kernel needs is used again."""
    x = rng.standard_normal((64, 64))

    def body(b, x):
        for _ in range(4):
            x = b(torch.cumsum, b(torch.add, b(torch.t, x), 1), dim=1)
        return [x]

    want = x
    for _ in range(4):
        want = np.cumsum(want.T + 1, axis=1)
    got = compiled(body, [x], [want]).kernel(x)
    assert np.allclose(got, want, rtol=1e-12) and got.strides == want.strides


def rejected(body, inputs, outputs):
    from npcompile.lower.service.compiler import submit

    job = submit(segment(body, inputs, outputs))
    job.wait()
    assert job.kernel is None and job.error is not None
    return str(job.error)


def test_a_body_that_gives_another_dtype_or_shape_is_an_error(capfd):
    error = rejected(lambda b, x: [b(torch.add, x, 1)], [X], [X.astype("f4")])
    assert "output 0 would be torch.float64[100, 10] where NumPy gave torch.float32[100, 10]" in error
    assert "[100, 10] where" in rejected(lambda b, x: [b(torch.add, x, 1)], [X], [X[0]])
    assert "not dense" in rejected(lambda b, x: [b(torch.add, x, 1)], [X], [np.zeros((200, 10))[::2]])
    assert "not a tensor" in rejected(lambda b, x: [b(torch.Tensor.size, x)], [X], [X])
    assert "written" in rejected(lambda b, x: [b(torch.neg, b(torch.Tensor.add_, x, 1))], [X], [X])
    raised = rejected(lambda b, x: [b(torch.add, x, b(torch.zeros, 7))], [X], [X])
    assert "RuntimeError" in raised and "\n" not in raised
    said = capfd.readouterr()
    assert said.out == "" and said.err == ""


def test_kinds_that_a_kernel_cannot_pass():
    assert "object" in rejected(lambda b, x: [b(torch.add, x, 1)], [Value("object", torch.float64)], [X])
    assert value(True).kind == "bool"


@pytest.mark.parametrize("kind", ["float64", "float32", "int32"])
def test_large_results_go_past_the_caches(kind):
    n = streaming.STREAMED_FROM // np.dtype(kind).itemsize
    x = (np.arange(n + 13) % 251).astype(kind)
    small = compiled(lambda b, x: [b(torch.add, x, 1)], [x[: n // 4]], [x[: n // 4] + 1])
    assert "npc_stream(" not in small.source
    job = compiled(lambda b, x: [b(torch.add, x, 1)], [x], [x + 1])
    assert "npc_stream(tmp" in job.source
    same(job.kernel(x), x + 1)
    rows = x[13:].reshape(-1, 64)
    turned = compiled(
        lambda b, x: [b(torch.mul, x, 2), b(torch.amax, x, dim=(1,))], [rows], [rows * 2, rows[:, 0].copy()]
    )
    for got, want in zip(turned.kernel(rows), (rows * 2, rows.max(axis=1)), strict=True):
        same(got, want)


def test_memory_of_the_caller_is_not_streamed():
    x = np.zeros(streaming.STREAMED_FROM // 8 + 1)
    job = compiled(lambda b, x: [b(write, x, b(torch.add, x, 1))][:0], [x], [])
    assert "npc_stream(" not in job.source
