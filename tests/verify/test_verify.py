"""`npcompile.verify` names the first operation that is not NumPy's, and the line that it stands on."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile import Verification, verify
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.pipeline import trace, write_replay
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.lower.plan.interpreter import eager
from npcompile.lower.plan.segment import Segment
from npcompile.verify.hooks import Difference
from npcompile.verify.kernel import CheckedKernel
from npcompile.verify.memory_copy import Mirror
from npcompile.verify.tolerance import differs_by_more, move_floats, not_explained, units
from tests.checker import same


@contextlib.contextmanager
def broken(name: str, **changed: Any) -> Iterator[None]:
    """The op of that name with other fields; `result` stands for a body: it changes what the body gives."""
    op = TABLE.by_name[name]
    if (change := changed.pop("result", None)) is not None:
        changed["body"] = lambda *args, body=op.body, **kwargs: change(body(*args, **kwargs))
    before = {field: getattr(op, field) for field in changed}
    try:
        for field, value in changed.items():
            object.__setattr__(op, field, value)
        yield
    finally:
        for field, value in before.items():
            object.__setattr__(op, field, value)


def found(outcome: Verification, op: str, what: str, text: str) -> Verification:
    """The outcome, after making sure that it names this op, this kind of difference and this line."""
    assert not outcome.ok
    assert (outcome.op, outcome.what) == (op, what), str(outcome)
    assert outcome.file == __file__
    assert outcome.line is not None
    lines = inspect.getsource(inspect.getmodule(found)).splitlines()  # type: ignore[arg-type]
    assert text in lines[outcome.line - 1]
    assert f"{__file__}:{outcome.line}: {lines[outcome.line - 1].strip()}" in str(outcome)
    return outcome


X = np.linspace(-2.0, 2.0, 12).reshape(3, 4)


def roots(x: Any) -> Any:
    return np.sqrt(np.abs(x))  # the helper's line


def steps(x: Any) -> Any:
    y = np.exp(x) + 1
    for trip in range(40):
        y = y * 0.5 + trip
    z = roots(y)
    z[1:] += z[:-1]
    w = z.T.ravel()
    w[::2] = 0
    np.cumsum(z, axis=1, out=z)
    return z, w, z[::-1, 1:], z.sum() / 3, list(np.split(w, 3)), z @ z.T, np.median(z)


def test_everything_agrees() -> None:
    x = X.copy()
    outcome = verify(steps, x)
    assert outcome.ok, str(outcome)
    assert outcome.checked > 80
    assert str(outcome) == f"all {outcome.checked} operations agree with NumPy"
    assert outcome.host == ()
    assert (outcome.op, outcome.line, outcome.what, outcome.difference) == (None, None, None, None)
    same(outcome.result, steps(X.copy()))
    same(x, X)


def test_a_wrong_value() -> None:
    with broken("numpy.exp", result=lambda y: y * (1 + 1e-14)):
        outcome = found(verify(steps, X.copy()), "numpy.exp", "value", "y = np.exp(x) + 1")
    assert outcome.checked == 0
    assert "of 12 differ" in str(outcome.got)
    assert outcome.expected is not None


def test_four_units_in_the_last_place_are_no_difference() -> None:
    with broken("numpy.exp", result=lambda y: y * (1 + torch.finfo(y.dtype).eps)):
        assert verify(steps, X.copy()).ok


def test_rounding_is_exact() -> None:
    def rounded(x: Any) -> Any:
        return np.rint(x)

    with broken("numpy.rint", result=lambda y: y * (1 + torch.finfo(y.dtype).eps)):
        found(verify(rounded, X.copy()), "numpy.rint", "value", "return np.rint(x)")


def test_a_wrong_dtype() -> None:
    rule = TABLE.by_name["numpy.sqrt"].rule
    with broken("numpy.sqrt", rule=lambda *call: rule(*call).to(torch.float32)):
        outcome = found(verify(steps, X.copy()), "numpy.sqrt", "dtype", "the helper's line")
    assert (outcome.expected, outcome.got) == ("float64", "float32")


def test_a_wrong_shape() -> None:
    def total(x: Any) -> Any:
        return np.cumsum(x, axis=0)

    with broken("numpy.cumsum", result=lambda y: y[1:]):
        outcome = found(verify(total, X.copy()), "numpy.cumsum", "shape", "return np.cumsum(x, axis=0)")
    assert (outcome.expected, outcome.got) == ("(3, 4)", "(2, 4)")


def test_an_array_for_a_scalar() -> None:
    def largest(x: Any) -> Any:
        return np.max(x)

    with broken("numpy.max", scalar=False):
        outcome = found(verify(largest, X.copy()), "numpy.max", "type", "return np.max(x)")
    assert (outcome.expected, outcome.got) == ("float64", "ndarray")


def test_a_copy_for_a_view() -> None:
    def flat(x: Any) -> Any:
        return np.swapaxes(x, 0, 1)

    with broken("numpy.swapaxes", view=False):
        outcome = found(verify(flat, X.copy()), "numpy.swapaxes", "aliasing", "return np.swapaxes(x, 0, 1)")
    assert outcome.expected == "a view of memory 0 of the arguments, at byte 0, strides (8, 32)"
    assert outcome.got == "memory of its own"


def test_a_view_for_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    def picked(x: Any) -> Any:
        return x[[0, 1]]

    monkeypatch.setattr(Strided.public, "__getitem__", lambda array, index: array._view_at(array._layout[:2]))
    found(verify(picked, X.copy()), "numpy.ndarray.__getitem__", "aliasing", "return x[[0, 1]]")


def test_a_view_of_other_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(x: Any) -> Any:
        return x[::-1]

    monkeypatch.setattr(Strided.public, "__getitem__", lambda array, index: array._view_at(array._layout))
    outcome = found(verify(backwards, X.copy()), "numpy.ndarray.__getitem__", "aliasing", "return x[::-1]")
    assert "at byte 64, strides (-32, 8)" in str(outcome.expected)


def test_the_body_of_a_view_is_run_too() -> None:
    def turned(x: Any) -> Any:
        return x.T

    with broken("numpy.ndarray.T", result=lambda y: y + 1):
        found(verify(turned, X.copy()), "numpy.ndarray.T", "value", "return x.T")


def test_the_first_difference_is_named_once_in_a_loop() -> None:
    def looped(x: Any) -> Any:
        for trip in range(50):
            x = np.tanh(x) + trip
        return x

    with broken("numpy.tanh", result=lambda y: torch.where(y == 1.0, 0.5, y)):  # not in the first trip
        outcome = found(verify(looped, X.copy()), "numpy.tanh", "value", "x = np.tanh(x) + trip")
    assert outcome.checked > 2


def test_after_a_write() -> None:
    def written(x: Any) -> Any:
        y = x[1]
        y[:] = 7
        return np.square(x)

    with broken("numpy.square", result=lambda y: torch.where(y == 49.0, 48.0, y)):
        found(verify(written, X.copy()), "numpy.square", "value", "return np.square(x)")


def test_what_an_argument_is_left_with(monkeypatch: pytest.MonkeyPatch) -> None:
    def stored(x: Any) -> Any:
        x[0] = 5.0
        return x

    monkeypatch.setattr(Strided.public, "__setitem__", lambda array, index, value: None)
    outcome = found(verify(stored, X.copy()), "numpy.ndarray.__setitem__", "argument", "x[0] = 5.0")
    assert outcome.expected == "[0, 0]: np.float64(5.0)"


def test_an_operator_in_place() -> None:
    def added(x: Any, y: Any) -> Any:
        x += y
        return x

    with broken("numpy.add", result=lambda y: y + 1):
        found(verify(added, X.copy(), X.copy()), "numpy.add", "value", "x += y")


def test_overlapping_arguments_overlap_in_the_copy() -> None:
    def shifted(x: Any, y: Any) -> Any:
        x += y
        return x

    u = np.arange(10.0)
    assert verify(shifted, u[1:], u[:-1]).ok
    same(u, np.array([0.0, 1, 3, 5, 7, 9, 11, 13, 15, 17]))


def test_an_op_that_fails() -> None:
    def fails(_: Any) -> Any:
        raise RuntimeError("no such thing")

    with broken("numpy.exp", result=fails):
        outcome = found(verify(steps, X.copy()), "numpy.exp", "exception", "y = np.exp(x) + 1")
    assert outcome.got == "numpy.exp: RuntimeError: no such thing"


def test_exceptions_are_numpys() -> None:
    def wrong(x: Any) -> Any:
        return x @ x

    with pytest.raises(ValueError, match="mismatch"):
        verify(wrong, X.copy())


def test_one_operation_is_told_as_one() -> None:
    assert str(verify(lambda x: x + 1, X)) == "1 operation agrees with NumPy"
    with pytest.raises(TypeError, match=r"npcompile\.verify takes a function, not 3"):
        verify(3)  # type: ignore[arg-type]


def test_what_is_left_to_numpy_is_named() -> None:
    def wide(x: Any) -> Any:
        return np.argsort(x + 1)

    outcome = verify(wide, X.astype(np.longdouble))
    assert (outcome.ok, outcome.checked) == (True, 0)
    assert "numpy.add" in outcome.host and "numpy.argsort" in outcome.host
    assert str(outcome) == f"no operation was compared; left to NumPy: {', '.join(outcome.host)}"


def test_it_happens_once() -> None:
    seen = []

    def counted(x: Any) -> Any:
        seen.append(len(seen))
        x += 1
        return x

    x = X.copy()
    outcome = verify(counted, x)
    assert seen == [0]
    assert outcome.result is x
    same(x, X + 1)


def test_counts_and_random_streams_stay_as_they_are() -> None:
    def drawn(x: Any) -> Any:
        return np.random.normal(size=4) + np.sort(x[0])

    counters.reset()
    np.random.seed(3)
    verify(drawn, X.copy())
    after = np.random.get_state()[1].copy()  # type: ignore[index]
    np.random.seed(3)
    drawn(X.copy())
    same(after, np.random.get_state()[1])  # type: ignore[index]
    assert not counters.host_calls


def test_a_method_a_jitted_function_and_what_has_no_source() -> None:
    class Holder:
        def __init__(self) -> None:
            self.x = X.copy()

        def halved(self, by: float) -> Any:
            return np.hypot(self.x, by)

    assert verify(Holder().halved, 2.0).checked == 1
    assert verify(npcompile.jit(steps), X.copy()).ok
    assert verify(np.sort, X).checked == 1
    with broken("numpy.sort", result=lambda y: y + 1):
        found(verify(np.sort, X), "numpy.sort", "value", "found(verify(np.sort, X)")
    outcome = verify(max, 1, 2)
    assert (outcome.ok, outcome.checked, outcome.result) == (True, 0, 2)
    assert str(outcome) == "nothing was compared: a builtin_function_or_method is no Python function"


# -- the copy of memory, and the bound -----------------------------------------------------------------------


def test_a_copy_lies_as_the_original_does() -> None:
    base = np.arange(24.0).reshape(4, 6)
    given = (base[1:, ::2], base[::-1], [base.T], base, np.float32(2), np.empty((0, 3)), {"k": base[0]})
    copy = Mirror(given).copy()
    made = copy.arguments(lambda array: array)
    same(made, given)
    assert made[0].ctypes.data % 64 == given[0].ctypes.data % 64
    made[3][...] = 0
    assert not made[0].any() and not made[1].any() and not made[2][0].any()
    assert base.any()


def test_objects_are_not_copied() -> None:
    with pytest.raises(TypeError):
        Mirror((np.array([1, None]),))


@pytest.mark.parametrize(
    ("off", "explained"), [(0.0, True), (1e-13, True), (1e-9, False)], ids=["equal", "rounding", "wrong"]
)
def test_the_bound_of_a_sum_that_cancels(off: float, explained: bool) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1000)
    x[500:] = -x[:500]
    x[0] += 1e-12
    want = np.asarray(np.sum(x))
    got = want + off

    def moved(trial: int) -> Any:
        other = x.copy()
        move_floats(other, units([x]), trial, np.random.default_rng(trial))
        return np.sum(other)

    assert not not_explained(got, want, differs_by_more(got, want, 4), moved).any() == explained


# -- NPCOMPILE_VERIFY=1 --------------------------------------------------------------------------------------


def summed(x: Any) -> Any:
    y = np.exp(x) * 2
    z = roots(y)
    x[0] = z[1]
    return z.sum(axis=0), np.argmax(y)


def test_a_run_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(summed, wait=True)
    for _ in range(3):
        same(jitted(X.copy()), summed(X.copy()), ulp=4)
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 2)
    assert jitted.stats.reasons == []


def shaped_by_arrays(x: Any) -> Any:
    return np.gradient(x, np.arange(len(x)) ** 2.0, axis=0), (x * 2).reshape(np.array([-1, 1]))


def test_arrays_as_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(shaped_by_arrays)
    for _ in range(2):
        same(jitted(X.copy()), shaped_by_arrays(X.copy()), ulp=4)
    assert jitted.stats.reasons == []
    jitted.wait()


def test_a_recording_warns_at_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(summed)
    with broken("numpy.sqrt", result=lambda y: y + 1):
        with pytest.warns(
            npcompile.DifferenceWarning, match=r"summed: numpy.sqrt differs .* in value"
        ) as seen:
            same(jitted(X.copy()), summed(X.copy()))
    assert len(seen) == 1
    assert (seen[0].filename, seen[0].lineno) == (__file__, roots.__code__.co_firstlineno + 1)
    jitted.wait()


def test_without_the_variable_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_VERIFY", raising=False)
    jitted = npcompile.jit(summed)
    with broken("numpy.sqrt", result=lambda y: y + 1):
        jitted(X.copy())
    jitted.wait()


def kernel_of(fn: Any, change: Any) -> list[Difference]:
    """What is told of the kernels of a function when what they answer is changed so."""
    told: list[Difference] = []
    rewritten = rewrite(fn)
    assert isinstance(rewritten, Rewritten)
    traced = trace(fn, rewritten, (X.copy(),), {}, ["x"], None, "cpu")
    assert traced.program is not None and traced.plan is not None

    def wrong(segment: Segment) -> Any:
        right = eager(segment.graph)
        return lambda *host: change(right(*host), host)

    kernels = [CheckedKernel(wrong(item), item, __file__, told.append) for item in traced.plan.segments]
    write_replay(traced.program, traced.plan, traced.tree).link(kernels, Stats())(X.copy())
    return told


def scaled(x: Any) -> Any:
    y = np.exp(x) - np.exp(x) * (1 - 1e-13)  # cancels: rounding is all that is left
    return np.floor(y * 1e13), y


def test_a_kernel_is_as_far_off_as_rounding_lets_it() -> None:
    assert kernel_of(scaled, lambda result, host: result) == []
    assert kernel_of(scaled, lambda result, host: (result[0] * (1 + 1e-3), result[1])) == []


def test_a_wrong_kernel_is_told() -> None:
    (told,) = kernel_of(scaled, lambda result, host: (result[0] + 1e-8, result[1]))
    assert (told.what, told.file) == ("value", __file__)
    assert told.op == "a kernel of numpy.exp, numpy.multiply, numpy.subtract, numpy.floor"
    assert told.line == scaled.__code__.co_firstlineno + 2


def test_a_kernel_that_writes_wrongly_is_told() -> None:
    def filled(x: Any) -> Any:
        x[1] = x[0] * 2
        return None

    def spoil(result: Any, host: Any) -> Any:
        host[0][...] = 3
        return result

    assert len(kernel_of(filled, spoil)) == 1
    assert kernel_of(filled, lambda result, host: result) == []


def test_what_memory_held_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(x: Any) -> Any:
        y = np.empty_like(x)
        y[1:] = x[1:] * 2
        return y, np.empty(3)

    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(half, wait=True)
    with np.errstate(all="ignore"):
        for fill in (1e77, 3.0, 1e-300):
            held = [np.full(X.shape, fill) for _ in range(50)]
            del held
            same(jitted(X.copy())[0][1:], half(X.copy())[0][1:])
    assert jitted.stats.reasons == []
