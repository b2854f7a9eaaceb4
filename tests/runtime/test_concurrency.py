"""Threads, forks, pickles, interrupts and tracers. What is said here of kernels is meant of compiled ones."""

from __future__ import annotations

import contextlib
import copy
import io
import marshal
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.tiering.contest import MOST
from tests.programs.native_runtime_faults import LONGEST

X = np.arange(12.0).reshape(3, 4)


def polynomial(x, k):
    return (x * k + 1) * x - k


jitted_here = npcompile.jit(polynomial, wait=True)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.delenv("NPCOMPILE_WAIT", raising=False)
    yield


def right(jitted: Any, k: float = 3.0) -> None:
    assert np.array_equal(jitted(X, k), polynomial(X, k))


# -- threads -----------------------------------------------------------------------------------------


def in_threads(count: int, work: Any) -> None:
    """Run `work(number)` in so many threads that start together; raises what any of them raises."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_eight_threads_at_once() -> None:
    """One recording, one program, one compilation, right answers before and after it."""
    jitted = npcompile.jit(lambda x, k: np.tanh(x * k) - x)

    def work(number: int) -> None:
        for trip in range(20):
            x, k = X + number, float(trip)
            assert np.allclose(jitted(x, k), np.tanh(x * k) - x, rtol=1e-15, atol=1e-15)

    in_threads(8, work)
    jitted.wait()
    in_threads(8, work)
    stats = jitted.stats
    assert (stats.recordings, stats.programs, stats.compilations) == (1, 1, 1), stats
    assert stats.replays >= 8 * 20


def test_threads_with_arrays_of_their_own_are_written_apart() -> None:
    def fill(x, k):
        x[1:] = x[:-1] * k
        x += 1
        return x

    jitted = npcompile.jit(fill, wait=True)
    jitted(X.copy(), 2.0)

    def work(number: int) -> None:
        for trip in range(50):
            ours, plain = X + number, X + number
            assert np.array_equal(jitted(ours, float(trip)), fill(plain, float(trip)))

    in_threads(8, work)
    stats = jitted.stats  # where replays are in doubt, some calls are NumPy's, to measure them by
    assert stats.replays + stats.plain_calls == 400 and stats.plain_calls <= MOST, stats


def test_threads_with_signatures_of_their_own() -> None:
    jitted = npcompile.jit(lambda x: x + 1, wait=True)
    dtypes = (np.float32, np.float64, np.int32, np.int64)

    def work(number: int) -> None:
        for _ in range(3):
            x = np.arange(3, dtype=dtypes[number])
            assert np.array_equal(jitted(x), x + 1)

    in_threads(4, work)
    assert jitted.stats.programs == 4


# -- processes ---------------------------------------------------------------------------------------


def in_fork(work: Any) -> None:
    """Run `work` in a forked child, with a time limit; raises if it does not succeed."""
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            signal.alarm(int(LONGEST))
            work()
            status = 0
        os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 on forking with threads
def test_a_forked_child_has_the_kernels_and_compiles_its_own() -> None:
    right(jitted_here)
    replays = jitted_here.stats.replays

    def work() -> None:
        right(jitted_here, 5.0)
        assert jitted_here.stats.replays == replays + 1
        own = npcompile.jit(lambda x: np.cosh(x) * 0.5, wait=True)
        for _ in range(2):
            assert np.allclose(own(X), np.cosh(X) * 0.5, rtol=1e-15)
        assert own.stats.replays == 1 and own.stats.compilations == 1, own.stats

    in_fork(work)
    right(jitted_here, 7.0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_compiling() -> None:
    jitted = npcompile.jit(lambda x: np.sinh(x) * 0.25 + np.exp(-x))

    def work() -> None:
        for _ in range(2):
            assert np.allclose(jitted(X), np.sinh(X) * 0.25 + np.exp(-X), rtol=1e-15)
        jitted.wait()
        before = jitted.stats.replays
        jitted(X)
        assert jitted.stats.replays == before + 1, jitted.stats

    jitted(X)
    in_fork(work)
    jitted.wait()
    work()


def in_child(queue: Any) -> None:
    for k in (2.0, 3.0):
        right(jitted_here, k)
    queue.put(jitted_here.stats.replays)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method: str) -> None:
    right(jitted_here)
    before = jitted_here.stats.replays if method == "fork" else 0
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=in_child, args=(queue,))
    process.start()
    replays = queue.get()
    process.join()
    assert process.exitcode == 0
    assert replays >= before + (2 if method == "fork" else 1)


def test_pickle_and_copy() -> None:
    """By name where the name leads to it, like any function; else with the plain function inside."""
    assert pickle.loads(pickle.dumps(inner)) is inner
    assert copy.copy(inner) is inner and copy.deepcopy(inner) is inner
    other = pickle.loads(pickle.dumps(npcompile.jit(polynomial, wait=True)))
    right(other)
    right(other)
    assert other.stats.replays == 1


class _ByValue(pickle.Pickler):
    """Pickles functions themselves, as joblib's and dask's pickler does with those of the main program."""

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is types.FunctionType and obj.__module__ == "__main__":
            return _made_again, (marshal.dumps(obj.__code__),)
        return NotImplemented

    def dump(self, obj: Any) -> None:
        super().dump(obj)


def _made_again(code: bytes) -> types.FunctionType:
    return types.FunctionType(marshal.loads(code), globals())


def test_pickle_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """joblib's processes do not import the main program: what is made there goes to them by value."""
    plain = _made_again(marshal.dumps(polynomial.__code__))
    plain.__module__ = "__main__"
    jitted = npcompile.jit(plain)
    monkeypatch.setattr(sys.modules["__main__"], "polynomial", jitted, raising=False)
    assert pickle.loads(pickle.dumps(jitted)) is jitted
    data = io.BytesIO()
    _ByValue(data).dump([jitted, jitted])
    one, same = pickle.loads(data.getvalue())
    assert one is same is not jitted
    right(one)


# -- interrupts --------------------------------------------------------------------------------------


def test_ctrl_c_during_a_call() -> None:
    """The call ends with KeyboardInterrupt, and the function works afterwards."""

    def interrupted(x, k):
        y = x * k
        if STOP:
            signal.raise_signal(signal.SIGINT)
        return y + 1

    global STOP
    jitted = npcompile.jit(interrupted, wait=True)
    for stop in (True, False, True, False):
        STOP = stop
        if stop:
            with pytest.raises(KeyboardInterrupt):
                jitted(X, 2.0)
        else:
            assert np.array_equal(jitted(X, 2.0), X * 2.0 + 1)
    STOP = False


STOP = False


def test_ctrl_c_during_a_wait() -> None:
    jitted = npcompile.jit(lambda x: np.arctan(x) * np.exp(x) - np.log1p(x))
    jitted(X)
    before = signal.getsignal(signal.SIGALRM)
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            jitted.wait()
            while True:  # a kernel that was there in no time
                time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    jitted.wait()
    jitted(X)
    assert jitted.stats.replays == 1


# -- waiting -----------------------------------------------------------------------------------------


def test_wait_has_a_limit() -> None:
    jitted = npcompile.jit(lambda x: np.arctan(x) * np.exp(x) - np.expm1(x) + np.cbrt(x))
    jitted(X)
    with pytest.raises(TimeoutError):
        jitted.wait(0.0)
    jitted.wait()
    jitted(X)
    assert jitted.stats.replays == 1


def test_waiting_while_another_thread_begins_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait without a limit ends with the kernel, and not with TimeoutError."""
    begins, goes_on = threading.Event(), threading.Event()
    write = RecordedProgram.write
    jitted = npcompile.jit(lambda x: np.arctan(x) * np.exp(x) - np.cosh(x))
    other = threading.Thread(target=jitted, args=(X,))

    def held_up(self: RecordedProgram) -> Any:
        if threading.current_thread() is other:
            begins.set()
            goes_on.wait(60)
        return write(self)

    monkeypatch.setattr(RecordedProgram, "write", held_up)
    monkeypatch.setattr("npcompile.runtime.function.waits_for_another", lambda seconds: True)
    jitted(X)
    other.start()
    try:
        assert begins.wait(60)
        jitted.wait()
        jitted(X)
        assert jitted.stats.replays == 1
    finally:
        goes_on.set()
        other.join()
    jitted(X)
    assert jitted.stats.replays >= 2 and jitted.stats.compilations == 1


def test_waiting_by_argument_and_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for wait, environment in ((True, None), (False, "1")):
        if environment is not None:
            monkeypatch.setenv("NPCOMPILE_WAIT", environment)
        jitted = npcompile.jit(lambda x: x * 2 + 7, wait=wait)
        jitted(X)
        jitted(X)
        assert jitted.stats.replays == 1


def test_calls_meanwhile_are_answered_by_numpy() -> None:
    jitted = npcompile.jit(lambda x: np.arcsinh(x) * np.log1p(x) + np.expm1(x))
    want = np.arcsinh(X) * np.log1p(X) + np.expm1(X)
    for _ in range(5):
        assert np.array_equal(jitted(X), want) or jitted.stats.replays
    assert jitted.stats.recordings == 1
    jitted.wait()
    assert np.allclose(jitted(X), want, rtol=1e-15)
    assert jitted.stats.replays >= 1


# -- tracers, recursion, one within another ----------------------------------------------------------


def test_under_a_tracer_the_plain_function_runs() -> None:
    seen: set[int] = set()

    def tracer(frame: types.FrameType, event: str, _: Any) -> Any:
        if frame.f_code is polynomial.__code__ and event == "line":
            seen.add(frame.f_lineno)
        return tracer

    jitted = npcompile.jit(polynomial, wait=True)
    right(jitted)
    previous = sys.gettrace()
    sys.settrace(tracer)
    try:
        right(jitted)
    finally:
        sys.settrace(previous)
    assert polynomial.__code__.co_firstlineno + 1 in seen
    assert jitted.stats.plain_calls == 1 and jitted.stats.replays == 0
    right(jitted)
    assert jitted.stats.replays == 1


@npcompile.jit(wait=True)
def recursive(x, n):
    return x if n == 0 else recursive(x * 2, n - 1) + 1


@npcompile.jit(wait=True)
def inner(x):
    return x * 2 + 1


@npcompile.jit(wait=True)
def outer(x):
    return inner(x) - inner(x + 1)


def test_recursion() -> None:
    for _ in range(2):
        assert np.array_equal(recursive(X, 3), ((X * 2 * 2 * 2 + 1) + 1) + 1)
    assert recursive.stats.replays == 1


def test_one_jitted_function_within_another() -> None:
    """The outer program goes through the inner function: one segment, and nothing of the inner one's own."""
    for _ in range(2):
        assert np.array_equal(outer(X), (X * 2 + 1) - ((X + 1) * 2 + 1))
    assert (outer.stats.replays, outer.stats.segments, inner.stats.calls) == (1, 1, 0)
    assert np.array_equal(inner(X), X * 2 + 1)


def test_a_thread_started_inside() -> None:
    def starts_thread(x):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(x + 1))
        thread.start()
        thread.join()
        return answers[0] * 2

    jitted = npcompile.jit(starts_thread, wait=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in (1.0, 2.0, 3.0):
            assert np.array_equal(jitted(X * k), (X * k + 1) * 2)
