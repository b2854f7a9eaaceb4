"""Each function of the corpus does rewritten what it does as written: values, exceptions, order, lines."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

from tests.frontend.rewrite.operation_log import Maker, outcome, rewritten

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a wrong escape, an `is` with a literal: on purpose
    from tests.frontend.rewrite import corpus
    from tests.frontend.rewrite.corpus import blocks, decisions, expressions, functions, statements  # noqa: F401


@pytest.mark.parametrize("fn", corpus.CASES, ids=lambda fn: fn.__name__)
def test_same(fn: Any, request: pytest.FixtureRequest) -> None:
    if fn.__name__ == "bool_raises_everywhere" and sys.version_info >= (3, 12):
        reason = "a tracer sees a lambda's first line, where Python 3.12 and later do nothing but begin"
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    expected, lines, _ = outcome(fn, fn.__code__.co_filename)
    got, got_lines, _ = outcome(rewritten(fn), fn.__code__.co_filename)
    assert got == expected
    assert got_lines == lines


@pytest.mark.parametrize("factory", corpus.FACTORIES, ids=lambda fn: fn.__name__)
def test_same_in_closure(factory: Any) -> None:
    filename = factory.__code__.co_filename
    fn, use = factory(Maker())
    expected, lines, _ = outcome(use(fn), filename)
    fn, use = factory(Maker())  # with new cells
    got, got_lines, _ = outcome(use(rewritten(fn)), filename)
    assert got == expected
    assert got_lines == lines


def test_no_function_is_lost() -> None:
    assert len(corpus.CASES) >= 156
    assert len({fn.__name__ for fn in corpus.CASES}) == len(corpus.CASES)
    assert len(corpus.FACTORIES) == 8
