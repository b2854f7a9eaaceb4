"""Messages name objects in a few words, and run none of the user's code for that."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.naming import object_name


class Silent:
    """An object whose own code must not run."""

    def __repr__(self) -> str:
        raise AssertionError("a message has run the user's code")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("a message has run the user's code")

    @property
    def half(self) -> int:
        return 1


NAMES = [
    (None, "None"),
    (0.5, "0.5"),
    ("text", "'text'"),
    ("t" * 1000, f"'{'t' * 60}'..."),
    (np.dtype("f4"), "dtype('float32')"),
    (10**5000, "an int"),
    ([None] * 1000, "a list"),
    (np.zeros(1000), "a ndarray"),
    (Silent(), "a Silent"),
    (Silent, "Silent"),
    (Silent.half, "the property half"),
    (math, "math"),
    (math.sin, "sin"),
    (np.sin, "sin"),
    (np.sum, "sum"),
    (object_name, "object_name"),
    (functools.lru_cache(object_name), "object_name"),
    (functools.partial(object_name, [0] * 1000), "a partial of object_name"),
    (npcompile.jit(object_name), "object_name"),
]


@pytest.mark.parametrize(("value", "name"), NAMES, ids=[name for _, name in NAMES])
def test_names_are_short(value: Any, name: str) -> None:
    assert object_name(value) == name


KNOWN: list[Any] = [None] * 1000 + [Silent()]


def item(k: int) -> Any:
    return KNOWN[k]


def counted(n: int) -> int:
    found = 0
    for k in range(n):
        if item(k) is None:
            found += 1
    return found


def test_a_leave_does_not_tell_all_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(counted)
    for _ in range(3):
        assert jitted(900) == 900
        jitted.wait()
    told = [*jitted.stats.leave_reasons, *jitted.stats.reasons, str(npcompile.explain(jitted, 900))]
    assert all(len(text) < 2000 for text in told)
