"""Calls that the native runtime hands to the plain function: none of our Python, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime import fast_path
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.shape_sharing import LOOKED_AT
from npcompile.runtime.tiers import Event
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.usefixtures("native_runtime")

HAS_VECTORCALL, IS_METHOD = 1 << 11, 1 << 17  # of a class's flags


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def left_to_numpy(fn: Any, *args: Any) -> Any:
    """The function, jitted, by arguments that are NumPy's."""
    jitted = npcompile.jit(fn)
    for _ in range(2):
        jitted(*args)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.ready = []
    state.move(Event.TOO_SMALL)
    return jitted


def test_calls_need_neither_a_tuple_nor_a_bound_method() -> None:
    assert fast_path._module is not None
    flags = npcompile.Jitted.__flags__
    assert flags & HAS_VECTORCALL and flags & IS_METHOD


class Body:
    mass = 2.0

    def force(self, at: float) -> float:
        return -self.mass * at


def test_a_method_is_one_however_it_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    body = Body()
    monkeypatch.setattr(Body, "force", left_to_numpy(Body.force, body, 1.5))

    class Heavy(Body):
        mass = 3.0

        def force(self, at: float) -> float:
            return super().force(at) - 1

    heavy = Heavy()
    for k in range(40):
        assert body.force(k / 2) == Body.force(body, k / 2) == body.force(at=k / 2) == -2.0 * (k / 2)
        assert getattr(body, "force").__call__(*(1.5,)) == -3.0  # noqa: B009
        assert heavy.force(2.0) == -7.0
    assert frames(lambda: body.force(1.5)) == ["Body.force"]
    assert isinstance(body.force, types.MethodType) and body.force == body.force
    with pytest.raises(TypeError, match=r"force\(\) missing 1 required positional argument: 'at'"):
        body.force()  # type: ignore[call-arg]


def test_a_class_of_the_users_has_its_own_way_to_be_called() -> None:
    class Counting(npcompile.Jitted):
        __slots__ = ("count",)

        def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
            self.count += 1
            return super().__call__(*args, **kwargs)

    counting = Counting(lambda x: x * 2, False, False, None, False)
    counting.count = 0
    for _ in range(5):
        assert counting(1.5) == 3.0 and list(map(counting, [2.5])) == [5.0]
    assert counting.count == counting.stats.calls == 10


OLDER = """
import numpy as np, npcompile
from npcompile.runtime import fast_path as front
def scaled(x, by=2.0): return x * by
class Holder:
    scaled = npcompile.jit(lambda self, x: x * 3)
older = npcompile.jit(scaled)
assert front._module is None and older(1.5) == 3.0 and Holder().scaled(1.5) == 4.5
front.use()
assert front._module is not None
for k in range(40):
    assert older(k / 2) == k and older(x=k / 2, by=4.0) == 2 * k and Holder().scaled(2.0) == 6.0
assert older.stats.calls == 81 and Holder.scaled.stats.calls == 41
del older
"""


def test_functions_from_before_the_runtime_was_there_go_on() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", OLDER]).returncode == 0


def test_a_device_is_asked_for_at_once() -> None:
    def scalar(x: float) -> float:
        return x + 1

    jitted = left_to_numpy(scalar, 1.5)
    for _ in range(5):
        jitted(1.5)
    assert frames(lambda: jitted(1.5)) == [frames(lambda: scalar(1.5))[0]]
    with npcompile.device("cpu"):
        assert len(frames(lambda: jitted(1.5))) > 1
    assert len(frames(lambda: jitted(1.5))) == 1


# -- calls by ever new signatures ----------------------------------------------------------------------------


def labelled(name: str, x: np.ndarray) -> Any:
    return x * 2, name


def instance(number: int) -> Any:
    return type("Model", (Body,), {})()


def of_model(model: Any, x: np.ndarray) -> Any:
    return x * model.mass


NEW: list[tuple[Any, Callable[[int], Any]]] = [(labelled, lambda k: f"run {k}"), (of_model, instance)]


def crowded(fn: Any, new: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, Any]:
    """A function that keeps as many signatures as it may, an argument that is known, and an array."""
    monkeypatch.setattr(RecordedFunction, "max_signatures", 4)
    jitted, x = npcompile.jit(fn), np.ones(4)
    known = new(-1)
    for _ in range(3):
        jitted(known, x)
    for k in range(600):
        jitted(new(k), x)
    return jitted, known, x


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize(("fn", "new"), NEW)
def test_new_signatures_ask_no_python(fn: Any, new: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jitted, _, x = crowded(fn, new, monkeypatch)
    before = jitted.stats.calls
    others = [new(k) for k in range(1000, 1400)]
    asked = sum(len(frames(lambda other=other: jitted(other, x))) > 1 for other in others)  # type: ignore[misc]
    assert asked <= 400 // LOOKED_AT
    assert jitted.stats.calls == before + 400


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize(("fn", "new"), NEW)
def test_a_known_signature_among_new_ones_is_replayed(
    fn: Any, new: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted, known, x = crowded(fn, new, monkeypatch)
    before = jitted.stats.replays
    for k in range(100):  # by turns with new ones
        jitted(new(10_000 + k), x)
        jitted(known, x)
    assert jitted.stats.replays == before + 100


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_other_arrays_are_looked_at_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordedFunction, "max_signatures", 8)
    jitted, large = npcompile.jit(labelled), np.ones(100)
    for _ in range(4):
        jitted("large", large)
    for k in range(600):
        jitted(f"run {k}", np.ones(4))
    before = jitted.stats.replays
    for k in range(600, 700):
        jitted(f"run {k}", np.ones(4))
        jitted("large", large)
    assert jitted.stats.replays == before + 100
