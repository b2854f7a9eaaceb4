"""The walk over cuts: each is met once, and blocks are met with those that they are cut into."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from npcompile.partition.callees import PLAIN
from npcompile.tiering.cuts import blocks_within, cuts_of, cuts_of_callees


def recorded(*cuts: Any) -> Any:
    return SimpleNamespace(
        by_signature={place: SimpleNamespace(partitioned=cut) for place, cut in enumerate(cuts)}
    )


def test_signatures_that_share_a_cut_have_one() -> None:
    one, other = object(), object()
    assert cuts_of(recorded(one, None, other, one)) == [one, other]


def test_callees_that_are_called_as_they_are_have_no_cuts() -> None:
    one, other = object(), object()
    root: Any = SimpleNamespace(callees={"f": recorded(one, other), "g": PLAIN, "h": recorded(None)})
    assert cuts_of_callees(root) == [one, other]


def test_a_block_comes_before_those_within_it() -> None:
    last: Any = SimpleNamespace(inside=None)
    middle: Any = SimpleNamespace(inside=SimpleNamespace(current=lambda: [last]))
    first: Any = SimpleNamespace(inside=SimpleNamespace(current=lambda: [middle]))
    assert list(blocks_within([first, last])) == [first, middle, last, last]
