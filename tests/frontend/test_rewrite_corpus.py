"""Each function of the corpus does rewritten what it does as written: values, exceptions, order, lines, columns."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.frontend.loud import Maker, outcome, rewritten

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the corpus has a wrong escape and an `is` with a literal, on purpose
    from tests.frontend import corpus


@pytest.mark.parametrize("fn", corpus.CASES, ids=lambda fn: fn.__name__)
def test_same(fn: Any) -> None:
    expected, lines = outcome(fn, corpus.__file__)
    got, got_lines = outcome(rewritten(fn), corpus.__file__)
    assert got == expected
    assert got_lines == lines


@pytest.mark.parametrize("factory", corpus.FACTORIES, ids=lambda fn: fn.__name__)
def test_same_in_closure(factory: Any) -> None:
    fn, use = factory(Maker())
    expected, lines = outcome(use(fn), corpus.__file__)
    fn, use = factory(Maker())  # its cells are new ones
    got, got_lines = outcome(use(rewritten(fn)), corpus.__file__)
    assert got == expected
    assert got_lines == lines


def test_corpus_covers_its_purpose() -> None:
    assert len(corpus.CASES) >= 140
    assert len({fn.__name__ for fn in corpus.CASES}) == len(corpus.CASES)
