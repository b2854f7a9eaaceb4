"""Values stay the objects that they are: `is`, `in`, `index`, `id` and what holds them are plain Python's,
for all types of values, at each of six calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.rewrite.literals import literals
from tests.programs import identity_programs
from tests.programs.identity_programs import COUPLE, PAIR, TEXT, Model, Watched
from tests.programs.identity_scenarios import PROGRAMS, VALUES, again, shown

CASES = [(fn, play, kind) for fn, play, kinds in PROGRAMS for kind in sorted(kinds)]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("waits", (True, False), ids=("replayed", "recorded"))
@pytest.mark.parametrize(
    ("fn", "play", "kind"), CASES, ids=[f"{fn.__name__}-{kind}" for fn, _, kind in CASES]
)
def test_values_are_the_objects_that_they_are(fn, play, kind, waits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=waits)
    assert play(jitted, VALUES[kind]) == play(fn, VALUES[kind])


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_verifying_runs_methods_of_the_users_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation on NumPy's number and an object of the user's is not done a second time."""

    def asked(v, x):
        seen = Watched([])
        return seen == v, x * 2, *seen.seen

    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(asked)
    for at in range(3):
        v = np.float64(at)
        same, _, *seen = jitted(v, np.arange(3.0))
        assert not same and len(seen) == 1 and seen[0] is v


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("waits", (True, False), ids=("replayed", "recorded"))
@pytest.mark.parametrize("pair", (PAIR, COUPLE, (1, 2), ("a b", 2.5)), ids=str)
@pytest.mark.parametrize(
    "fn",
    (
        identity_programs.held_as_read,
        identity_programs.key_of_dict,
        identity_programs.key_of_held,
        identity_programs.literal_kept,
        identity_programs.literal_or_read,
        identity_programs.text_or_read,
        identity_programs.kept_then_raises,
    ),
)
def test_tuples_stay_the_objects_that_they_are(fn, pair, waits, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and given, equal to literals, as keys, and in what the function makes, stores and raises."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setenv("NPCOMPILE_OVERHEAD", "unlimited")
    given = [pair, again(pair), again(pair), again(pair)]
    kind = str if fn is identity_programs.text_or_read else tuple
    (*_, written) = [pair, *(one for one in literals(fn.__code__) if type(one) is kind)]
    known = [*given, PAIR, COUPLE, TEXT, *literals(fn.__code__), *map(float, range(9))]
    schedule = [(given[0], given[0]), (given[0], given[1]), (given[1], given[1]), (given[2], given[1])]
    schedule += [(given[2], given[2]), (written, given[3]), (again(written), given[2]), (written, written)]

    def play(fn: Any) -> list[Any]:
        told = []
        for at, (held, value) in enumerate(schedule * 2):
            o, kept = Model(held), []
            o.kept, o.number = kept, known[-1 - at % 8]
            try:
                answer = fn(o, [value, given[at % 4]], np.arange(4.0 + at % 3 * (at < 8)) + at)
            except ValueError as error:
                answer = error.args
            told.append((shown(answer, known), shown([kept, o.key, o.alpha], known)))
        return told

    assert play(npcompile.jit(fn, wait=waits)) == play(fn)
