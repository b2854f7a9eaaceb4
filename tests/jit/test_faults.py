"""Faults of npcompile's own never reach a caller: what was done is not done twice, the rest is Python's."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import npcompile
from npcompile import recorded, state
from npcompile.frontend import trace
from npcompile.frontend.faults import InternalError
from npcompile.frontend.recording.operators import Operators
from tests.jit import faults

SAMPLED = 100  # functions; all of them by `python -m tests.jit.faults --all`

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Faults are seen to as they are for users."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.delenv("NPCOMPILE_INTERNAL_ERRORS", raising=False)
    yield


def test_each_sampled_function_may_raise() -> None:
    programs = faults.corpus()
    assert len(programs) == 60
    found = faults.places(dict(itertools.islice(programs.items(), 0, None, 3)))
    assert len(found) > 500
    found = {name: place for name, place in found.items() if not name.startswith(faults.OPEN)}
    wrong = []
    for name, (function, program) in itertools.islice(found.items(), 0, None, len(found) // SAMPLED):
        try:
            faults.judge(programs[program], function, 0)
        except (AssertionError, faults.Injected) as error:
            wrong.append(f"{name} in {program}: {error}")
    assert wrong == []


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        (Operators, "_operator"),  # while a note is taken
        (Operators, "_ufunc"),  # deeper in one
        (trace, "plan"),  # when the answer is there
        (recorded, "trace"),  # before the recording
        (state.Entry, "__init__"),  # after it
        (recorded.Recorded, "signature"),  # before anything
    ],
)
def test_fault_is_a_reason_and_the_signature_is_numpys(
    holder: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    @npcompile.jit
    def f(x):
        calls.append(len(x))
        return x * 2 + 1

    monkeypatch.setattr(holder, name, fault)
    for call in range(1, 4):
        np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 3.0))
        assert len(calls) == call
    assert any("internal error: KeyError: 'by_data' at npcompile/" in reason for reason in f.stats.reasons)


def test_fault_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Operators, "_operator", fault)
    f = npcompile.jit(_twice)
    with pytest.warns(npcompile.NotCompiledWarning, match="internal error.*npcompile doctor") as told:
        for _ in range(4):
            np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 2.0))
    assert len(told) == 1
    (reason,) = f.stats.reasons
    assert "internal error: KeyError: 'by_data' at npcompile/" in reason
    assert f.stats.recordings == 1
    assert f.stats.plain_calls == 3


def test_fault_is_raised_where_it_is_not_to_be_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Operators, "_operator", fault)
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "raise")
    with pytest.raises(InternalError, match="KeyError: 'by_data'"):
        npcompile.jit(_twice)(np.ones(3))


def _twice(x):
    return x * 2


def _fault(*_: object, **__: object) -> None:
    raise KeyError("by_data")


_PLACE = str(Path(npcompile.__file__).parent / "frontend" / "notes.py")  # whose fault it is
fault = types.FunctionType(_fault.__code__.replace(co_filename=_PLACE), globals())
