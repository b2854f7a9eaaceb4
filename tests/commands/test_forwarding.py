"""Functions whose code hands their calls on keep their signature, source, pickles, errors and identity."""

from __future__ import annotations

import inspect
import pickle
import traceback
from typing import Any

import pytest

from npcompile.commands.forwarding import Forwarding, can_forward


def every_kind(a: Any, b: Any = 2, /, c: Any = 3, *args: Any, k: Any, m: Any = 5, **kw: Any) -> Any:
    """Take arguments of every kind."""
    return a, b, c, args, k, m, kw


def failing(error: Any) -> Any:
    raise error


def calling(error: Any) -> Any:
    return failing(error)


class Base:
    def step(self, x: float) -> float:
        return x + 1


class Derived(Base):
    def step(self, x: float) -> float:
        return super().step(x) * 2


def recursive(n: int) -> int:
    return n and recursive(n - 1)


def generator() -> Any:
    yield 1


def test_a_function_stays_what_it_was() -> None:
    signature, source, same = inspect.signature(every_kind), inspect.getsource(every_kind), {every_kind: 1}
    calls: list[Any] = []

    def noted(plain: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            calls.append((args, kwargs))
            return plain(*args, **kwargs)

        return call

    forwarding = Forwarding(every_kind, noted)
    try:
        assert every_kind(1, k=2) == (1, 2, 3, (), 2, 5, {})
        assert every_kind(1, 4, 6, 7, 8, k=2, m=0, z=1) == (1, 4, 6, (7, 8), 2, 0, {"z": 1})
        assert len(calls) == 2
        assert inspect.signature(every_kind) == signature and inspect.getsource(every_kind) == source
        assert same[every_kind] == 1 and pickle.loads(pickle.dumps(every_kind)) is every_kind
        with pytest.raises(TypeError, match=r"missing 1 required keyword-only argument: 'k'"):
            every_kind(1)
        forwarding.hand_to(lambda *args, **kwargs: "other")
        assert every_kind(1, k=2) == "other"
    finally:
        forwarding.end()
    assert every_kind(1, k=2) == (1, 2, 3, (), 2, 5, {}) and len(calls) == 2


def test_errors_have_the_lines_of_the_plain_function_alone() -> None:
    def lines() -> str:
        with pytest.raises(ValueError) as raised:
            calling(ValueError("no"))
        return "".join(traceback.format_exception(raised.value)).partition("in calling")[2]

    before = lines()
    made = [Forwarding(function, lambda plain: plain) for function in (calling, failing)]
    try:
        assert lines() == before
    finally:
        for forwarding in made:
            forwarding.end()


def test_a_method_has_its_class() -> None:
    forwarding = Forwarding(Derived.step, lambda plain: plain)
    try:
        assert Derived().step(3) == 8
    finally:
        forwarding.end()


def test_functions_that_another_frame_changes_are_left() -> None:
    def asks() -> Any:
        return inspect.currentframe()

    assert can_forward(every_kind.__code__) and can_forward(Derived.step.__code__)
    assert not any(can_forward(one.__code__) for one in (recursive, generator, asks, lambda: 1))
