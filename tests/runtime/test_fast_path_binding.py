"""Calls bound by the native runtime: arguments meet parameters as in a call of the function itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.runtime.test_fast_path import frames


@pytest.fixture(scope="module", autouse=True)
def interpreter(native_runtime: None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_BACKEND", "interpreter")
        yield


def every_kind(a, b=2.0, /, c=3.0, *rest, d, e=5.0, **named):
    return a * X + b, c, rest, d, e, named, *(name for name in named)


def defaults(a, b=2.0, c=3.0):
    return a * X + b, c


def named_only(*, a, b=1.0):
    return a * X + b


def named_and_more(a=1.0, *, b, c=3.0, **named):
    return a * X + b, c, named


def any_named(a, **named):
    return a * X, list(named), *named.values()


def positional_only(a, b=1.0, /, **named):
    return a * X + b, named


def rest(a, b=1.0, *more):
    return a * X + b, more


def all_rest(*more, **named):
    return (X * 2, *more), named


X = np.arange(3.0)
KINDS = [every_kind, defaults, named_only, named_and_more, any_named, positional_only, rest, all_rest]


@pytest.mark.parametrize("fn", KINDS)
def test_every_way_to_call(fn: Any) -> None:
    """Arguments meet their parameters as in a call of the function itself, however often it is called."""
    jitted = npcompile.jit(fn)
    jitted.npcompile_root().max_signatures = 1000
    ways = [
        (tuple(float(k) for k in range(given)), {name: k + 10.0 for k, name in enumerate(names)})
        for given in range(5)
        for count in range(4 - given // 2)
        for names in itertools.permutations("abcdz", count)
        if names == tuple(sorted(names)) or fn in (every_kind, any_named)
    ]
    right = []
    for call in range(3):
        for args, named in ways:
            try:
                want = fn(*args, **named)
            except TypeError as error:
                with pytest.raises(TypeError) as got:
                    jitted(*args, **named)
                assert str(got.value) == str(error)
                continue
            assert repr(jitted(*args, **named)) == repr(want), (args, named)
            if call == 2:
                right.append((args, named))
    assert len(right) > 1
    for args, named in right:
        assert frames(lambda args=args, named=named: jitted(*args, **named))[:1] == [fn.__name__], (
            args,
            named,
        )


def test_names_that_are_not_interned_and_a_dictionary_as_the_last_argument() -> None:
    for fn in (every_kind, any_named, named_and_more, all_rest):
        jitted = npcompile.jit(fn)
        name, other = "".join(["c", ""]), "".join(["c", "d"])
        for _ in range(4):
            for more in (
                {"c": 1.5, "d": 2.5},
                {other[:1]: 1.5, other[1:]: 2.5},
                {name: 1.0, other: 2.0, "d": 3.0},
            ):
                named = {"b": 0.5, **more} if fn is named_and_more else more
                assert repr(jitted(1.0, **named)) == repr(fn(1.0, **named))
    jitted = npcompile.jit(all_rest)
    for _ in range(4):
        assert repr(jitted(1.0, a=2.0)) == repr(all_rest(1.0, a=2.0))
        assert repr(jitted(1.0, {"a": 2.0})) == repr(all_rest(1.0, {"a": 2.0}))


def test_what_was_given_by_name_is_told_by_its_name() -> None:
    jitted = npcompile.jit(named_and_more)
    for more in ({"b": 1.0}, {"b": 2}, {"b": 2, "d": 1.0}):
        jitted(**more)
    causes = [str(one) for one in npcompile.explain(jitted, b=1.0).recompilations]
    assert causes == [
        "new signature: b: float, now int",
        "new signature: by name b, c, now by name b, c, d",
    ]
