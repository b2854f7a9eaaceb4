"""Functions that are pickled by value: a process that gets one again has one jitted function of it."""

from __future__ import annotations

import linecache
import pickle
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

cloudpickle = pytest.importorskip("cloudpickle")

X = np.arange(1.0, 5.0)
SCALE = 2.0


def of_closure(k: Any) -> Any:
    def here(x: Any, shift: float = 1.0) -> Any:
        return np.sqrt(x) * k + shift

    return here


def of_helper(k: Any) -> Any:
    def helper(x: Any) -> Any:
        return x * k if len(x) else recursive(x)

    def recursive(x: Any) -> Any:
        return helper(x)

    def here(x: Any) -> Any:
        return helper(x) + SCALE

    return here


def of_jitted(k: Any) -> Any:
    inner = npcompile.jit(of_closure(k))

    def here(x: Any) -> Any:
        return inner(x) - 1

    return here


def of_defaults(k: Any) -> Any:
    def here(x: Any, *, factor: Any = k) -> Any:
        return x * factor

    return here


def of_generator(k: Any) -> Any:
    """A comprehension has code of its own, which names what it uses."""

    def here(x: Any) -> Any:
        return sum(np.add(x, k) for _ in range(2))

    return here


def arrivals(make: Callable[[Any], Any], k: Any, count: int = 2) -> list[Any]:
    data = cloudpickle.dumps(npcompile.jit(make(k)))
    return [pickle.loads(data) for _ in range(count)]


@pytest.mark.parametrize("make", [of_closure, of_helper, of_jitted, of_defaults, of_generator])
def test_arrivals_of_one_function_are_one(make: Callable[[Any], Any]) -> None:
    one, two = arrivals(make, 3.0)
    assert one is two
    assert (two(X) == make(3.0)(X)).all()
    later, *_ = arrivals(make, 3.0)  # pickled anew
    assert later is one


@pytest.mark.parametrize("make", [of_closure, of_helper, of_jitted, of_defaults, of_generator])
@pytest.mark.parametrize("others", [(3.0, 4.0), (3, 3.0), (0.0, -0.0), (True, 1), (np.float32(3), 3.0)])
def test_other_values_are_another_function(make: Callable[[Any], Any], others: tuple[Any, Any]) -> None:
    first, second = (arrivals(make, k)[0] for k in others)
    assert first is not second
    for jitted, k in zip((first, second, first), (*others, others[0]), strict=True):
        answer, expected = jitted(X), make(k)(X)
        assert answer.tobytes() == expected.tobytes() and answer.dtype == expected.dtype


def test_options_are_kept_apart() -> None:
    one = cloudpickle.loads(cloudpickle.dumps(npcompile.jit(of_closure(2.0))))
    two = cloudpickle.loads(cloudpickle.dumps(npcompile.jit(of_closure(2.0), default_float="float32")))
    assert one is not two
    assert two.npcompile_root().has_options and not one.npcompile_root().has_options


def of_cell(k: Any) -> Any:
    count = k

    def here(x: Any) -> Any:
        nonlocal count
        count += 1
        return x + count

    return here


def of_list(k: Any) -> Any:
    seen = [k]

    def here(x: Any) -> Any:
        seen.append(1)
        return x + len(seen)

    return here


def of_array(k: Any) -> Any:
    state = np.full(4, k)

    def here(x: Any) -> Any:
        state[:] += 1
        return x + state

    return here


@pytest.mark.parametrize("make", [of_cell, of_list, of_array])
def test_state_is_each_arrivals_own(make: Callable[[Any], Any]) -> None:
    one, two = arrivals(make, 1.0)
    assert one is not two
    for jitted in (one, two):
        plain = make(1.0)
        for _ in range(3):
            assert (jitted(X) == plain(X)).all()


def test_a_function_of_a_module_is_itself() -> None:
    assert cloudpickle.loads(cloudpickle.dumps(known)) is known and pickle.loads(pickle.dumps(known)) is known


@npcompile.jit
def known(x: Any) -> Any:
    return x + 1


PROGRAM = """
import numpy as np
import npcompile

class Body:
    def __init__(self, mass):
        self.mass = mass
    def weight(self, x):
        return x * self.mass

def helper(x):
    return np.sqrt(x) + 1

@npcompile.jit
def function(x):
    total = 0.0
    for value in x:
        total += value
    return helper(x) + Body(2.0).weight(x) + total

doubled = npcompile.jit(lambda x: helper(x) * 2)
"""


@pytest.mark.parametrize("name", ["function", "doubled"])
def test_texts_of_functions_come_with_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of a notebook's cell, or of another machine, is not there."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    sent = runpy.run_path(str(file))[name]
    data, expected = cloudpickle.dumps(sent), sent.__wrapped__(X)
    file.unlink()
    linecache.clearcache()
    came = cloudpickle.loads(data)
    assert came is not sent
    for _ in range(4):
        assert (came(X) == expected).all()
    assert came.stats.replays and not came.stats.plain_calls, came.stats
    further = cloudpickle.loads(cloudpickle.dumps(came))  # a process that was sent it may send it on
    assert (further(X) == expected).all() and not further.stats.reasons
