"""Kinds of values, as reasons and reports name them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from npcompile.diagnostics.words import kind_text
from npcompile.frontend.loops.run.iterators import state_of
from npcompile.partition.loop_entry import held_text

BOXES = [SimpleNamespace(), 1]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (SimpleNamespace(), "a SimpleNamespace"),
        (OSError(), "an OSError"),
        (BOXES, "a list of SimpleNamespace"),
        ((1.0,), "a tuple of float"),
        ([], "a list"),
        ({"a": 1}, "a dict"),
        ("text", "a str"),
        (np.zeros(3, object), "an array of object"),
        (np.zeros(3, "U5"), "an array of str160"),
    ],
)
def test_a_kind_says_what_a_container_holds(value: Any, words: str) -> None:
    assert kind_text(value) == words


@pytest.mark.parametrize(
    "iterator", [lambda: iter(BOXES), lambda: enumerate(BOXES), lambda: zip(BOXES, range(2), strict=False)]
)
def test_an_iterator_is_named_by_what_it_goes_over(iterator: Any) -> None:
    assert held_text(".iterator0", state_of(iterator())) == "it goes over a list of SimpleNamespace"
    assert held_text(".iterator0", object()) == "what it goes over"
    assert held_text("boxes", BOXES) == "`boxes`, a list of SimpleNamespace"
