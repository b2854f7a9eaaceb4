"""Sets keep their order where items are replaced by equal ones, and where recordings have put numbers in."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import npcompile
from npcompile.frontend.graph import set_items
from npcompile.frontend.graph.set_items import replace_items


class Named:
    """Equals all of its own name."""

    def __init__(self, name: int) -> None:
        self.name = name

    def __hash__(self) -> int:
        return self.name * 7 % 64

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name == self.name


@pytest.mark.parametrize("count", [1, 4, 90])
def test_items_are_replaced_where_they_are(count: int) -> None:
    items = {Named(name) for name in range(count, -1, -1)}
    items.discard(Named(count))
    before = [item.name for item in items]
    others = [(item, Named(item.name)) for item in items][::2]
    counts = [(sys.getrefcount(one), sys.getrefcount(other)) for one, other in others]
    replace_items(items, others)
    gc.collect()
    assert [item.name for item in items] == before
    assert all(any(item is other for item in items) for _, other in others)
    after = [(sys.getrefcount(one), sys.getrefcount(other)) for one, other in others]
    assert after == [(one - 1, other + 1) for one, other in counts]
    assert all(Named(name) in items for name in range(count))


def test_sets_of_another_layout_are_filled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_items, "_has_known_fields", lambda: False)
    items = {Named(name) for name in range(9)}
    other = Named(4)
    replace_items(items, [(next(item for item in items if item.name == 4), other)])
    assert any(item is other for item in items) and len(items) == 9


def distinct(a):
    found = {int(x) for x in a}
    rest = set()
    for x in a:
        rest.add(int(x) % 50)
    return found, {int(x) % 37 for x in a if x > 9}, rest


@pytest.mark.parametrize("seed", range(6))
def test_sets_that_calls_make_have_pythons_order(seed: int) -> None:
    a = np.random.default_rng(seed).integers(0, 320, 64)
    want = [list(one) for one in distinct(a)]
    jitted = npcompile.jit(distinct)
    for call in range(4):
        assert [list(one) for one in jitted(a)] == want, f"call {call + 1}"
        jitted.wait()
