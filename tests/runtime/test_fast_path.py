"""The native runtime in front of recorded functions: a replay is all the Python that a call runs."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import sys
import threading
import traceback
import types
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.runtime import fast_path

pytestmark = pytest.mark.usefixtures("native_runtime")


# -- calls ---------------------------------------------------------------------------------------------------


class Simulation:
    def __init__(self) -> None:
        self.u, self.v, self.k, self.t = np.linspace(0, 1, 8), np.zeros(8), 0.3, 0.0

    def step(self, dt: float, damping: float = 0.0) -> Any:
        self.v += dt * (-self.k * self.u) - damping * self.v
        self.u = self.u + dt * self.v
        self.t += dt
        return np.sum(self.u)


class Compact(Simulation):
    __slots__ = ()
    step = npcompile.jit(Simulation.step, wait=True)


def of_dict(state: dict[str, Any], dt: float) -> Any:
    state["v"] += dt * (-state["k"] * state["u"])
    state["u"] = state["u"] + dt * state["v"]
    state["t"] += dt
    return state["u"].sum()


def of_nested(state: Any, dt: float) -> Any:
    (u, v), more = state
    v += dt * (-more["k"] * u)
    return u + dt * v


def of_arrays(u: np.ndarray, v: np.ndarray, dt: float) -> Any:
    v += dt * u
    return u * 2 + v


def of_rest(u: np.ndarray, *rest: Any) -> Any:
    return u * rest[0] + rest[1]


def of_named(u: np.ndarray, *, v: np.ndarray, dt: float = 0.5) -> Any:
    return u * dt + v


def of_any_named(u: np.ndarray, **named: Any) -> Any:
    return u * named["dt"] + named["v"]


def frames(call: Callable[[], Any]) -> list[str]:
    """The Python functions that a call runs."""
    seen: list[str] = []

    def note(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen[1:]  # but for the call itself


def state() -> dict[str, Any]:
    return vars(Simulation())


CALLS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "arrays": (of_arrays, lambda: (np.ones(8), np.zeros(8), 0.1)),
    "a dict": (of_dict, lambda: (state(), 0.1)),
    "nested": (of_nested, lambda: (([np.ones(8), np.zeros(8)], {"k": 0.5}), 0.1)),
    "an object": (Simulation.step, lambda: (Simulation(), 0.1, 0.2)),
    "an object, with a default": (Simulation.step, lambda: (Simulation(), 0.1)),
    "more by position": (of_rest, lambda: (np.ones(8), 0.1, np.zeros(8))),
    "by name alone": (functools.partial(of_named, v=np.zeros(8), dt=0.1), lambda: (np.ones(8),)),
    "by name alone, with a default": (functools.partial(of_named, v=np.zeros(8)), lambda: (np.ones(8),)),
    "any names": (functools.partial(of_any_named, v=np.zeros(8), dt=0.1), lambda: (np.ones(8),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_replay_is_all_the_python_that_a_call_runs(name: str) -> None:
    function, make = CALLS[name]
    named = function.keywords if isinstance(function, functools.partial) else {}
    function = function.func if named else function
    jitted = npcompile.jit(function, wait=True)
    args, own = make(), make()
    for _ in range(12):
        np.testing.assert_allclose(jitted(*args, **named), function(*own, **named))
    assert frames(lambda: jitted(*args, **named)) == [function.__name__], jitted.stats
    assert jitted.stats.calls == 13 and jitted.stats.replays == 12 and jitted.stats.recordings == 1


def test_keywords_and_defaults_are_bound_without_python() -> None:
    jitted = npcompile.jit(Simulation.step, wait=True)
    ours, plain = Simulation(), Simulation()
    for _ in range(4):
        for more in ({"dt": 0.1}, {"damping": 0.5, "dt": 0.2}):
            assert jitted(ours, **more) == pytest.approx(Simulation.step(plain, **more))
    assert frames(lambda: jitted(ours, damping=0.5, dt=0.2)) == ["step"]
    assert frames(lambda: jitted(ours, 0.5)) == ["step"]


def test_defaults_are_those_of_now() -> None:
    def scaled(x: Any, by: float = 2.0, *, more: float = 1.0) -> Any:
        return x * by + more

    jitted = npcompile.jit(scaled, wait=True)
    for by in (2.0, 3.0, np.full(3, 4.0), 5.0):
        scaled.__defaults__, scaled.__kwdefaults__ = (by,), {"more": by * 2}
        for _ in range(3):
            np.testing.assert_array_equal(jitted(np.ones(3)), scaled(np.ones(3)))
    scaled.__kwdefaults__ = None
    with pytest.raises(TypeError, match="more"):
        jitted(np.ones(3))


def test_wrong_arguments_are_told_by_the_function_itself() -> None:
    def scaled(x: Any, by: float = 2.0) -> Any:
        return x * by + 1

    jitted = npcompile.jit(scaled, wait=True)
    for _ in range(4):
        jitted(np.ones(3))
    bad: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((1, 2, 3), {}),
        ((1,), {"x": 1}),
        ((1,), {"y": 1}),
    ]
    for args, named in bad:
        with pytest.raises(TypeError) as wanted:
            scaled(*args, **named)
        with pytest.raises(TypeError) as got:
            jitted(*args, **named)
        assert str(got.value) == str(wanted.value)


def test_what_is_not_as_usual_is_seen_at_every_call() -> None:
    def divided(x: Any, y: Any) -> Any:
        return x / y + 1

    jitted = npcompile.jit(divided, wait=True)
    one, zero = np.ones(3), np.zeros(3)
    for _ in range(6):
        jitted(one, one)
    replays = jitted.stats.replays
    assert frames(lambda: jitted(one, one)) == ["divided"]
    for _ in range(2):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            jitted(one, zero)
        with np.errstate(all="ignore"):
            assert np.isinf(jitted(one, zero)).all()
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            with pytest.raises(RuntimeWarning):
                jitted(one, zero)
        lines: list[int] = []

        def trace(frame: types.FrameType, event: str, _: Any, lines: list[int] = lines) -> Any:
            if frame.f_code is divided.__code__:
                lines.append(frame.f_lineno)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            jitted(one, one)
        finally:
            sys.settrace(before)
        assert divided.__code__.co_firstlineno + 1 in lines
        threads = torch.get_num_threads()
        torch.set_num_threads(threads + 1)
        try:
            np.testing.assert_array_equal(jitted(one, one), one * 2)
        finally:
            torch.set_num_threads(threads)
    assert jitted.stats.replays >= replays


def test_another_program_of_the_signature_answers_where_the_first_diverges() -> None:
    def either(x: Any, up: Any) -> Any:
        if up.sum() > 0:
            return x + 1
        return x - 1

    jitted = npcompile.jit(either, wait=True)
    x = np.ones(4)
    for call in range(20):
        up = np.full(4, 1.0 if call % 3 else -1.0)
        np.testing.assert_array_equal(jitted(x, up), either(x, up))
    stats = jitted.stats
    assert stats.recordings == 2 and stats.calls == 20 and stats.replays == 18, stats
    assert stats.divergences == 13, stats  # one at each change of the way


def test_nothing_is_kept_of_arguments_and_results() -> None:
    jitted = npcompile.jit(of_nested, wait=True)
    for _ in range(6):
        jitted(([np.ones(8), np.zeros(8)], {"k": 0.5}), 0.1)
    u, v = np.ones(8), np.zeros(8)
    result = jitted(([u, v], {"k": 0.5}), 0.1)
    references = [weakref.ref(one) for one in (u, v, result)]
    del u, v, result
    assert [reference() for reference in references] == [None] * 3


def test_ten_thousand_calls_keep_no_memory() -> None:
    jitted = npcompile.jit(of_dict, wait=True)
    ours = state()
    for _ in range(2000):
        jitted(ours, dt=0.001)
    gc.collect()
    before = sys.getallocatedblocks(), len(gc.get_objects())
    for _ in range(10_000):
        jitted(ours, dt=0.001)
    gc.collect()
    after = sys.getallocatedblocks(), len(gc.get_objects())
    assert after[0] - before[0] < 200 and after[1] - before[1] < 50, (before, after)


def test_a_function_that_is_dropped_is_freed() -> None:
    def scaled(x: Any) -> Any:
        return x * 2 + 1

    jitted = npcompile.jit(scaled, wait=True)
    for _ in range(5):
        jitted(np.ones(3))
    assert jitted.npcompile_root()._front is not None
    reference = weakref.ref(scaled)
    del jitted, scaled
    gc.collect()
    assert reference() is None


def test_threads_that_begin_together_use_one_front() -> None:
    jitted = npcompile.jit(of_arrays)
    wrong: list[Any] = []
    begin = threading.Barrier(8)

    def work(number: int) -> None:
        begin.wait()
        for call in range(60):
            u, v = np.full(5 + (call + number) % 3, float(number)), np.ones(5 + (call + number) % 3)
            if not np.array_equal(jitted(u, v.copy(), 0.5), of_arrays(u, v, 0.5)):
                wrong.append((number, call))
            if call == 20:
                jitted.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and jitted.stats.calls == 480


def test_only_once_does_the_native_runtime_take_over() -> None:
    call = npcompile.Jitted.__call__
    fast_path.use()
    assert npcompile.Jitted.__call__ is call


def test_an_exception_in_a_replay_has_the_functions_own_traceback() -> None:
    def stepped(u: Any, then: Any) -> Any:
        u += 1
        then(u)
        u *= 2
        return u

    def fine(u: Any) -> None:
        pass

    def bad(u: Any) -> None:
        if u[0] > 5:
            raise KeyError("u")

    jitted = npcompile.jit(stepped, wait=True)
    for then in (fine, bad):
        for start in (0.0, 0.0, 0.0, 7.0, 7.0):
            ours, plain = np.full(3, start), np.full(3, start)
            tracebacks = []
            for call, u in ((jitted, ours), (stepped, plain)):
                try:
                    call(u, then)
                except KeyError as error:
                    tracebacks.append(
                        [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)][1:]
                    )
            assert len(tracebacks) in (0, 2) and tracebacks[:1] == tracebacks[1:]
            np.testing.assert_array_equal(ours, plain)


# -- what is NumPy's for good --------------------------------------------------------------------------------


def test_what_is_numpys_for_good_is_called_directly() -> None:
    def talking(x: Any) -> Any:
        seen = {}  # no native loop holds a dict of objects
        for item in x:
            seen["last"] = object()
            if item > 10:
                return item
        return None

    jitted = npcompile.jit(talking, wait=True)
    x = np.arange(5.0)
    for _ in range(30):
        assert jitted(x) is None
    own = ["test_what_is_numpys_for_good_is_called_directly.<locals>.talking"]
    seen = [frames(lambda: jitted(x)) for _ in range(40)]
    assert sum(one == own for one in seen) > 30  # now and then it is looked at what could be compiled
    assert jitted.stats.calls == 70


def test_what_goes_another_way_at_each_call_is_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npcompile.runtime.specialization.are_held", lambda: True)
    items = [*range(1000)]

    def item(n: int) -> int:
        return items[n]

    jitted = npcompile.jit(item)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(100):
            assert jitted(n) == n
    own = ["test_what_goes_another_way_at_each_call_is_called_directly.<locals>.item"]
    assert frames(lambda: jitted(7)) == own
    assert jitted.stats.calls == 101


def test_a_function_without_source_is_called_directly() -> None:
    space: dict[str, Any] = {}
    exec("def double(x):\n    return x * 2", space)
    jitted = npcompile.jit(space["double"])
    x = np.ones(3)
    with pytest.warns(npcompile.NotCompiledWarning):
        jitted(x)
    for _ in range(5):
        jitted(x)
    assert frames(lambda: jitted(x)) == ["double"]
    assert jitted.stats.calls == jitted.stats.plain_calls == 7


# -- being a function ----------------------------------------------------------------------------------------


def test_a_jitted_coroutine_function_says_that_it_is_one() -> None:
    async def later(x: Any) -> Any:
        await asyncio.sleep(0)
        return x * 2

    jitted = npcompile.jit(later)
    assert asyncio.iscoroutinefunction(jitted)
    assert sys.version_info < (3, 12) or inspect.iscoroutinefunction(jitted)
    with pytest.warns(npcompile.NotCompiledWarning, match="coroutines run plain"):
        np.testing.assert_array_equal(asyncio.run(jitted(np.ones(2))), [2, 2])
    assert not asyncio.iscoroutinefunction(npcompile.jit(of_arrays))


def test_it_is_a_method_of_its_instance() -> None:
    one = Compact()
    bound = one.step
    assert isinstance(bound, types.MethodType) and bound.__self__ is one and bound.__func__ is Compact.step
    assert bound.__name__ == "step" and inspect.signature(bound) == inspect.signature(Simulation().step)
    assert Compact.step is vars(Compact)["step"]
    for _ in range(4):
        bound(0.1)
    assert np.isfinite(bound.__call__(0.1)) and np.isfinite(Compact.step.__call__(one, 0.1))
