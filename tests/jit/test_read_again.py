"""What a function reads changes again and again: how many recordings that takes, and that replays follow."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 7.0).reshape(2, 3)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


PART: Any = None
SLICES: dict[str, tuple[Any, list[Any]]] = {
    "an index": (lambda x: x[PART] * 2, [slice(0, 1), slice(0, 2), slice(None, None, -1), slice(1, 9), 1]),
    "after another": (lambda x: x[:, PART] * 2, [slice(1, None), slice(1, None, 2), slice(True, 3)]),
    "its ends": (lambda x: x * PART.start + (PART.step is None), [slice(1, 2), slice(2, 2), slice(1, 2, 1)]),
    "its indices": (lambda x: x * PART.indices(len(x))[1], [slice(0, 1), slice(2), slice(-1)]),
    "compared": (lambda x: x if PART == slice(0, 1) else -x, [slice(0, 1), slice(0, 2)]),
    "a tuple": (lambda x: x[PART] * 2, [(slice(0, 1), slice(2)), (slice(1), ...), (slice(None), slice(2))]),
    "NumPy's": (lambda x: x[PART] * 2, [slice(0, 1), slice(np.int64(0), 1), slice(0, np.uint8(2))]),
}


@pytest.mark.parametrize("kind", SLICES)
def test_slices(kind: str) -> None:
    global PART
    fn, parts = SLICES[kind]
    jitted = npcompile.jit(fn)
    for part in [*parts, *parts]:
        PART = part
        for _ in range(2):
            same(jitted(X), fn(X))
    assert jitted.stats.recordings == len(parts), jitted.stats.reasons
    assert jitted.stats.replays == 3 * len(parts)


def with_default(a, k=2.0):
    return a * k


def with_keyword(a, *, k=2.0):
    return a * k


def test_defaults_that_are_others_again_and_again() -> None:
    jitted = npcompile.jit(lambda x: with_default(x) + with_keyword(x))
    for number in (3.0, 4.0, 5.0):
        with_default.__defaults__, with_keyword.__kwdefaults__ = (number,), {"k": number + 1}
        for _ in range(3):
            same(jitted(X), X * number + X * (number + 1))
    assert (jitted.stats.recordings, jitted.stats.replays) == (3, 6)


@functools.singledispatch
def by_type(value: Any, x: Any) -> Any:
    return x


def test_a_function_that_is_registered_for_a_type() -> None:
    """It is found by a call in a helper, and what it is has to be checked."""
    jitted = npcompile.jit(lambda x: by_type(2.0, x) + 1)
    for factor in (2.0, 3.0):
        by_type.register(float, lambda value, x: x * value * factor)  # noqa: B023
        for _ in range(3):
            same(jitted(X), X * 2.0 * factor + 1)
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.reasons) == (1, 5, [])
