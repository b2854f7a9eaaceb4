"""A profile has each jitted function that its block has called directly, met by samples or not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.explain import sampling

X = np.linspace(1.0, 2.0, 50)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.fixture
def unsampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look at the stack falls within a block, as if its calls had taken no time."""
    monkeypatch.setattr(sampling, "_INTERVAL", threading.TIMEOUT_MAX)


@npcompile.jit
def inner(x: Any) -> Any:
    return np.sin(x) * 2.0


def helped(x: Any) -> Any:
    return inner(x)


@npcompile.jit
def outer(x: Any) -> Any:
    return helped(x) + 1.0


class Model:
    @npcompile.jit
    def step(self, x: Any) -> Any:
        return x * 0.5 + 1.0

    @npcompile.jit
    def steps(self, x: Any) -> Any:
        return self.step(x) + self.step(x)

    def run(self, x: Any) -> Any:
        return self.step(x)


def plain(function: Callable[..., Any], *args: Any) -> None:
    """Call a function where all that it calls is called, too: NumPy raises, so nothing is replayed."""
    with np.errstate(all="raise"):
        function(*args)


def one() -> npcompile.profile:
    with npcompile.profile() as found:
        for _ in range(10):
            inner(X)
    return found


def in_a_comprehension() -> npcompile.profile:
    with npcompile.profile() as found:
        [inner(X) for _ in range(10)]
    return found


def within_another_one() -> npcompile.profile:
    inner(X)  # not in the block
    with npcompile.profile() as found:
        for _ in range(3):
            plain(outer, X)
    inner(X)
    return found


def within_another_one_and_directly() -> npcompile.profile:
    with npcompile.profile() as found:
        plain(outer, X)
        plain(inner, X)
    return found


def by_a_plain_function() -> npcompile.profile:
    def both() -> None:
        plain(outer, X)
        helped(X)

    with npcompile.profile() as found:
        both()
    return found


def by_names_of_their_own() -> npcompile.profile:
    first, second = npcompile.jit(helped), inner
    with npcompile.profile() as found:
        plain(first, X)
        second(X)
    return found


def from_a_list(functions: Any = (inner, Model.step)) -> npcompile.profile:
    with npcompile.profile() as found:
        functions[0](X)
        functions[1](None, X)
    return found


def methods_within_one() -> npcompile.profile:
    model = Model()
    with npcompile.profile() as found:
        plain(model.steps, X)
    return found


def methods_of_an_attribute() -> npcompile.profile:
    models = {"one": Model()}
    with npcompile.profile() as found:
        plain(models["one"].steps, X)
        models["one"].step(X)
    return found


def methods_by_a_plain_one() -> npcompile.profile:
    model = Model()
    with npcompile.profile() as found:
        plain(model.steps, X)
        model.run(X)
    return found


def that_raises() -> npcompile.profile:
    found = npcompile.profile()
    with pytest.raises(ZeroDivisionError), found:
        inner(X)
        1 / 0  # noqa: B018
    return found


def that_is_left_early() -> npcompile.profile:
    for _ in range(2):
        with npcompile.profile() as found:
            plain(outer, X)
            return found
    raise AssertionError


@pytest.mark.parametrize(
    "block, calls",
    [
        (one, {"inner": 10}),
        (in_a_comprehension, {"inner": 10}),
        (within_another_one, {"outer": 3}),
        (within_another_one_and_directly, {"inner": 2, "outer": 1}),
        (by_a_plain_function, {"inner": 2, "outer": 1}),
        (by_names_of_their_own, {"helped": 1, "inner": 2}),
        (from_a_list, {"inner": 1, "step": 1}),
        (methods_within_one, {"steps": 1}),
        (methods_of_an_attribute, {"step": 3, "steps": 1}),
        (methods_by_a_plain_one, {"step": 3, "steps": 1}),
        (that_raises, {"inner": 1}),
        (that_is_left_early, {"outer": 1}),
    ],
)
def test_functions_that_no_sample_meets(block: Any, calls: dict[str, int], unsampled: None) -> None:
    found = block().explanations
    assert {each.name: each.report.calls for each in found} == calls
    assert [each.name for each in found] == sorted(calls)
    assert all(each.report.seconds == 0.0 and not each.report.times for each in found)


def test_the_report_on_such_a_function_says_it(unsampled: None, tmp_path: Path) -> None:
    inner(X)
    with npcompile.profile() as found:
        for _ in range(10):
            inner(X)
    (explanation,) = found.explanations
    report = explanation.report
    assert report.programs == 1 and report.bottleneck is None
    assert all(line.share is None and line.seconds is None for line in report.lines)
    line = inner.__wrapped__.__code__.co_firstlineno
    assert str(found).splitlines()[1:5] == [
        "",
        f"inner (test_direct_calls.py:{line}): not timed: no sample of the stack met its 10 calls",
        "speed: 10 calls; not compared with NumPy: a profile calls nothing again; `npcompile.explain` does",
        "held back most by: nothing outside of compiled code",
    ]
    found.save(tmp_path / "profile.html")
    text = (tmp_path / "profile.html").read_text()
    assert "no sample of the stack met its 10 calls" in text and text.count("<table") == 1
    assert "0% of it in 1 jitted function" in str(found).splitlines()[0]
