"""How arguments meet parameters: as in a call of the function itself, one form for all ways to write it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from npcompile.runtime.binding import Binding


def every_kind(a, b=2, /, c=3, *rest, d, e=5, **named):
    return (a, b, c, *rest), {"d": d, "e": e, **named}


def defaults(a, b=2, c=3):
    return (a, b, c), {}


def named_only(*, a, b=1):
    return (), {"a": a, "b": b}


def positional_only(a, b=1, /, **named):
    return (a, b), named


def rest(a, b=1, *more):
    return (a, b, *more), {}


def nothing():
    return (), {}


@pytest.mark.parametrize("fn", [every_kind, defaults, named_only, positional_only, rest, nothing])
def test_every_way_to_call(fn: Any) -> None:
    binding = Binding(fn)
    for given in range(5):
        for count in range(4):
            for names in itertools.permutations("abcdz", count):
                args, kwargs = tuple(range(given)), {name: place + 10 for place, name in enumerate(names)}
                try:
                    want = fn(*args, **kwargs)
                except TypeError:
                    want = None
                got = binding.bind(args, kwargs)
                assert got == want, (args, kwargs)
                assert got is None or list(got[1]) == list(want[1])


def test_defaults_are_those_of_now() -> None:
    def fn(a, b=1, *, c=2):
        return a

    binding = Binding(fn)
    fn.__defaults__, fn.__kwdefaults__ = (5,), {"c": 6}
    assert binding.bind((0,), {}) == ((0, 5), {"c": 6})
    fn.__defaults__, fn.__kwdefaults__ = None, None
    assert binding.bind((0,), {}) is None
