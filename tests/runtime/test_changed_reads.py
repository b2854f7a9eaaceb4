"""What a function reads is changed again and again: each answer is plain Python's of that moment."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs import changed_reads

MAKERS = {
    name: made
    for name, made in vars(changed_reads).items()
    if getattr(made, "__annotations__", {}).get("return") == "Changing"
}


def answers(name: str, jit: bool) -> list[Any]:
    fn, changes = MAKERS[name]()
    called = npcompile.jit(fn) if jit else fn
    before, options = dict(os.environ), np.get_printoptions()
    try:
        found = [called(np.arange(1.0, 7.0)) for _ in range(4)]
        for change in changes:
            change()
            found += [called(np.arange(1.0, 7.0)) for _ in range(4)]
    finally:
        os.environ.clear()
        os.environ.update(before)
        np.set_printoptions(**options)
    return found


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.filterwarnings("ignore:Setting the (dtype|shape|strides):DeprecationWarning")  # NumPy 2.5
def test_each_answer_is_that_of_the_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    for at, (got, want) in enumerate(zip(answers(name, True), answers(name, False), strict=True)):
        same(got, want, ulp=8, scale=4.0, where=f"call {at}")
