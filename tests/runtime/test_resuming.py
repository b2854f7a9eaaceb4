"""A call that turns out otherwise than the recorded one, after effects: each effect happens once, in order.

`divergences.DIVERGING` has one row per kind. To add a kind, add a row there.
"""

from __future__ import annotations

import copy
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile.runtime.function
from tests.checker import same
from tests.programs import divergences
from tests.programs.classes import JOURNAL


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield
    divergences.reset()


def frames(traceback: types.TracebackType | None) -> list[tuple[str, str, int]]:
    """The lines of a traceback from the function down, as the user sees them."""
    found: list[tuple[str, str, int]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename != __file__:
            found.append((code.co_filename, code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def told(error: BaseException | None) -> Any:
    """An exception from which another came, and those from which it came itself."""
    if error is None:
        return None
    return repr(error), frames(error.__traceback__), told(error.__cause__), told(error.__context__)


def outcome(fn: Callable[..., Any], values: tuple[float, ...]) -> dict[str, Any]:
    """What a call gives or raises, and what it has done to its argument and to the outside."""
    x = np.array(values)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result: Any = fn(x)
        except BaseException as error:
            chain = [told(one) for one in (error.__cause__, error.__context__)]
            result = type(error), str(error), chain, frames(error.__traceback__)
    state = {key: value for key, value in vars(divergences.S).items() if key != "inner"}
    return copy.deepcopy({"result": result, "x": x, "journal": JOURNAL, "state": state})


def history(fn: Callable[..., Any], calls: list[tuple[float, ...]]) -> list[dict[str, Any]]:
    divergences.reset()
    return [outcome(fn, values) for values in calls]


@pytest.mark.parametrize(
    ("fn", "seen", "other"),
    divergences.DIVERGING,
    ids=[f"{place}-{row[0].__name__}" for place, row in enumerate(divergences.DIVERGING)],
)
def test_each_effect_once_and_in_order(fn: Any, seen: tuple[float, ...], other: tuple[float, ...]) -> None:
    calls = [seen, seen, seen, other, seen, other, other, seen]
    want = history(fn, calls)
    assert want[2]["result"] is not want[3]["result"]
    jitted = npcompile.jit(fn)
    got = history(jitted, calls)
    for call, (one, plain) in enumerate(zip(got, want, strict=True)):
        for part in plain:
            same(one[part], plain[part], where=f"call {call}: {part}")


def test_what_was_seen_is_replayed() -> None:
    """Diverging is answered by a further program, not by giving up."""
    given_up = []
    for fn, seen, other in divergences.DIVERGING:
        jitted = npcompile.jit(fn)
        history(jitted, [seen, seen, other, other] * 2)
        before = jitted.stats.recordings
        history(jitted, [seen, other] * 4)
        if jitted.stats.recordings > before + 4:
            given_up.append((fn.__name__, jitted.stats.recordings - before, jitted.stats.reasons))
    assert len(given_up) <= len(divergences.DIVERGING) // 5, given_up
