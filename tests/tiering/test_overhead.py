"""The overhead budget of a call: what goes on plainly from any trip on does what plain Python does, and no
machinery grows with trips."""

from __future__ import annotations

import multiprocessing
import opcode
import sys
import types
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npcompile
from npcompile.frontend.record import loops
from npcompile.tiering import deferred_calls, overhead
from tests.programs.loops import LOOPS
from tests.programs.overhead_callbacks import ITEMS
from tests.programs.overhead_containers import CONTAINERS
from tests.programs.overhead_loops import PROGRAMS as TRIPS

PROGRAMS = [*TRIPS, *ITEMS, *CONTAINERS]
COUNTED = [*PROGRAMS, *LOOPS]
HERE = str(Path(npcompile.__file__).parent)
# It does a kernel's work, in Python, where programs are interpreted.
KERNELS = tuple(
    f"{HERE}/{name}" for name in ("lower/", "nep50/", "frontend/ops/", "frontend/table", "frontend/extents")
)
FORMED = pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)


@pytest.fixture(autouse=True, scope="module")
def interpreted() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_BACKEND", "interpreter")
        yield


class Ticking:
    """A clock that goes on by one each time that it is looked at, and budgets by it: `allowance` looks are
    machinery's, in later calls `each` of them, and what is spent is given back `later` looks after it was."""

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        allowance: float,
        later: int | None = None,
        each: float | None = None,
    ) -> None:
        self.now = 0
        self.spent = 0  # times
        self.due: list[tuple[int, Callable[[], None]]] = []
        self.later = later
        patch.setattr(overhead, "clock", self.look)
        patch.setattr(deferred_calls, "later", self.wait)
        patch.setattr(overhead, "ALLOWANCE", allowance)
        patch.setattr(overhead, "EACH", allowance if each is None else each)
        patch.setattr(overhead, "KEPT", 0.0)
        for share in ("SHARE", "PAID"):
            patch.setattr(overhead, share, 1e-9)

    def look(self) -> float:
        self.now += 1
        for at, function in [one for one in self.due if one[0] <= self.now]:
            self.due.remove((at, function))
            function()
        return float(self.now)

    def wait(self, seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        self.spent += 1
        if self.later is None:
            return lambda: None
        one = self.now + self.later, function
        self.due.append(one)
        return lambda: self.due.remove(one) if one in self.due else None


def plain(value: Any) -> Any:
    """What is compared of an answer: sums are in another order in the last digit."""
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype, value.shape, [f"{item:.9e}" for item in np.ravel(value).tolist()]
    if isinstance(value, float):
        return float, f"{value:.9e}"
    if isinstance(value, list | tuple):
        return type(value), [plain(item) for item in value]
    if isinstance(value, dict):
        return dict, [(plain(key), plain(item)) for key, item in value.items()]
    return type(value), value


def outcome(fn: Callable[..., Any], n: int) -> Any:
    x, log = np.random.default_rng(n).standard_normal(n), []
    try:
        looping = getattr(fn, "__wrapped__", fn) in LOOPS
        result = plain(fn(np.arange(1.0, 9.0), n) if looping else fn(x, log))
    except Exception as error:
        lines = []
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename != __file__:
                lines.append(traceback.tb_lineno)
            traceback = traceback.tb_next
        result = type(error), str(error), lines
    return result, plain(x), plain(log)


@FORMED
@pytest.mark.parametrize("later", [None, 9])
def test_any_trip_may_be_the_last_that_is_looked_at(fn: Any, later: int | None) -> None:
    expected = outcome(fn, 7)
    allowance = 0
    while allowance < 2000:
        with pytest.MonkeyPatch.context() as patch:
            ticking = Ticking(patch, allowance, later)
            jitted = npcompile.jit(fn)
            for _ in range(3):
                assert outcome(jitted, 7) == expected, allowance
            if not ticking.spent:
                break
        allowance += 1 + allowance // 12
    assert allowance > 0


@FORMED
def test_any_trip_may_be_the_last_that_is_recorded(fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = outcome(fn, 6)
    for trips in range(8):
        monkeypatch.setattr(loops, "MAX_OWN_TRIPS", trips)
        monkeypatch.setattr(loops, "MAX_TRIPS", trips + 1)
        jitted = npcompile.jit(fn)
        for _ in range(3):
            assert outcome(jitted, 6) == expected, trips


# Programs that work on whole arrays at each trip.
SQUARED = frozenset(
    ["nested", "returning_within", "growing_lists_of_arrays", "functions_made_inside", "going_on_while"]
    + ["managers", "raising_at_last", "unbound_at_last", "method_calls"]
)


RESUME = opcode.opmap["RESUME"]
IN_YIELD_FROM = 2  # the lowest bits of its argument


def hands_on(frame: types.FrameType) -> bool:
    """Tell whether this is a generator that goes on within `yield from`: another one does the work."""
    at = frame.f_lasti
    code = frame.f_code.co_code[at : at + 4]
    return any(code[i] == RESUME and code[i + 1] & 3 == IN_YIELD_FROM for i in range(0, len(code), 2))


def looked_at(call: Callable[[], Any]) -> int:
    """How many functions of npcompile's a call goes through, but for what does a kernel's work."""
    found = 0

    def look(frame: types.FrameType, event: str, arg: Any) -> None:
        nonlocal found
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(HERE) and not file.startswith(KERNELS):
            found += not hands_on(frame)

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


# Looks that a later call may spend, and looks in all for each: what is done between two is the user's, too,
# and what has begun is ended.
EACH, LOOKS = 200, 2.5


class Counted(NamedTuple):
    """Counts what a call goes through: functions of npcompile's, and looks at the clock."""

    functions: int
    looks: int


def counted(place: int) -> list[list[Counted]]:
    """Count what each of four calls of a program goes through, at two sizes, by a clock that counts looks."""
    fn = COUNTED[place]
    sizes = [400, 1600] if fn.__name__ in SQUARED else [4000, 16_000]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ticking = Ticking(patch, 100 if fn.__name__ in SQUARED else 1000, each=EACH)
        outcome(npcompile.jit(fn), sizes[0])  # of the code, the same is known at each size
        counts = []
        for n in sizes:
            jitted = npcompile.jit(fn)
            found = []
            for _ in range(4):
                before = ticking.now
                functions = looked_at(lambda jitted=jitted, n=n: outcome(jitted, n))
                found.append(Counted(functions, ticking.now - before))
            counts.append(found)
    return counts


@pytest.fixture(scope="module")
def without_native_runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessPoolExecutor]:
    """A process with no native runtime: that answers, unlooked at, blocks whose kernels have won against
    NumPy, and here nothing is compiled that could."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            yield pool


@pytest.mark.parametrize("place", range(len(COUNTED)), ids=lambda place: COUNTED[place].__name__)
def test_nothing_grows_with_trips(place: int, without_native_runtime: ProcessPoolExecutor) -> None:
    """Each thousand looks is what a first call may spend, and each two hundred what a later one may."""
    few, many = without_native_runtime.submit(counted, place).result(300)
    first = few[0].functions, many[0].functions
    assert first[1] <= 1.2 * first[0] + 2000, (few, many)
    most = max(call.functions for call in few)
    assert max(call.functions for call in many) <= 1.2 * most + 2000, (few, many)
    for later in (*few[1:], *many[1:]):
        assert later.looks <= LOOKS * EACH, (few, many)


def _nested(n: int) -> dict[Any, Any]:
    root: dict[Any, Any] = {}
    for i in range(n):
        root.setdefault(i % 9, {}).setdefault(i % 80, {})[i] = i
    return root


HOLDERS: list[Callable[[int], Any]] = [
    lambda n: tuple(map(float, range(n))),
    lambda n: list(range(n)),
    lambda n: [[i, i] for i in range(n)],
    lambda n: tuple((i, float(i)) for i in range(n)),
    lambda n: [list(range(n // 100)) for _ in range(100)],
    lambda n: tuple([float(i)] * 50 for i in range(n // 50)),
    lambda n: dict.fromkeys(range(n), 1.0),
    _nested,
    lambda n: set(range(n)),
    lambda n: frozenset(range(n)),
    lambda n: deque(range(n)),
    lambda n: Counter(range(n)),
    lambda n: "ab" * n,
    lambda n: bytearray(b"ab" * n),
]


def held(items: Any, x: Any) -> Any:
    return len(items), x * 2


def gone_over(items: Any, x: Any) -> Any:
    count = 0
    for _ in items:
        count += 1
    return count, x * 2


def handed_on(items: Any, x: Any) -> Any:
    return held(items, x)[1], min(len(items), 3), type(items)


def made_inside(items: Any, x: Any) -> Any:
    kept = list(items)
    pairs = list(zip(kept, kept, strict=True))
    found = dict(enumerate(kept))
    return pairs[0], len(found), min(len(kept), 3), x * 2


@pytest.mark.parametrize("fn", [held, gone_over, handed_on, made_inside])
@pytest.mark.parametrize("make", HOLDERS)
def test_nothing_grows_with_what_arguments_hold(fn: Any, make: Any) -> None:
    counts = []
    x = np.arange(3.0)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Ticking(patch, 1000)
        for n in (2000, 2000, 8000, 32_000):
            items, jitted = make(n), npcompile.jit(fn)
            expected = plain(fn(items, x))
            counts.append([looked_at(lambda j=jitted, i=items: j(i, x)) for _ in range(4)])
            assert plain(jitted(items, x)) == expected
    _, few, more, many = counts
    assert max(many) <= 1.2 * max(few) + 2000, (few, more, many)
    assert sum(many[1:]) <= 1.2 * sum(few[1:]) + 3000, (few, more, many)


_bodies = st.lists(
    st.sampled_from(
        [
            "y = x * i + 1",
            "x = x + 0.1",
            "total += float(x[i % len(x)])",
            "out.append(x.sum())",
            "out.append(i)",
            "if i % 3 == 1:\n    continue",
            "if i > 4:\n    break",
            "if total > 3:\n    return total, out",
            "log.append((i, total))",
            "x[i % len(x)] = total",
            "seen[i] = x.max()",
            "total = helper(total, i)",
            "for j in range(3):\n    total += j\n    y = y - x",
            "while total > 2:\n    total -= 1.5\n    log.append(total)",
            "try:\n    total += x[i]\nexcept IndexError:\n    out.append('over')",
            "y = [v * 2 for v in y]",
            "y = np.asarray(y) + total",
            "x = np.where(x > 0, x, 0.5 - x)",  # no zeros of both signs: which is the larger one is left open
        ]
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=60)
@given(_bodies, st.integers(0, 400), st.sampled_from([None, 5, 30]))
def test_random_loops(body: list[str], allowance: int, later: int | None) -> None:
    fn = written(body)
    expected = outcome(fn, 7)
    with pytest.MonkeyPatch.context() as patch:
        Ticking(patch, allowance, later)
        jitted = npcompile.jit(fn)
        for _ in range(3):
            assert outcome(jitted, 7) == expected


def written(body: list[str]) -> Any:
    """A function with a loop that does this, in a file of its own: what is jitted needs its source."""
    import linecache

    lines = ["def helper(a, b):", "    return a * 0.5 + b", "def fn(x, log):"]
    lines += ["    total, out, seen, y = 0.0, [], {}, x * 2", "    for i in range(12):"]
    lines += ["        " + line for part in body for line in part.split("\n")]
    lines += ["    else:", "        log.append('else')", "    return total, out, seen, x, y", ""]
    text = "\n".join(lines)
    name = f"<looping {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["fn"]


def test_a_long_call_is_given_another_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, 0)
    given: list[Callable[[], None]] = []

    def later(seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        given.append(function)
        return lambda: None

    monkeypatch.setattr(deferred_calls, "later", later)

    def goes_on(x: Any, half: Any) -> Any:
        for i in range(20):
            y = x * i + 1
            if i == 10:
                half()
            x = y / (i + 2)
        return x

    def half() -> None:
        monkeypatch.setattr(overhead, "ALLOWANCE", 10_000)
        for function in given:
            function()

    jitted = npcompile.jit(goes_on)
    x = np.arange(5.0)
    assert np.allclose(jitted(x, ticking.look), goes_on(x, ticking.look))
    assert (jitted.stats.recordings, len(given)) == (0, 1)
    given.clear()
    assert np.allclose(jitted(x, half), goes_on(x, ticking.look))
    assert jitted.stats.recordings > 0 and len(given) == 1


def test_a_function_that_calls_itself_within_a_spent_call_is_called_at_a_glance(
    native_runtime: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overhead, "FIRST", 0.0)
    Ticking(monkeypatch, 0)
    monkeypatch.setitem(globals(), "ways", npcompile.jit(_ways))
    ways = globals()["ways"]
    calls, found = [0, 0], []

    def count(frame: Any, event: str, arg: Any) -> None:
        calls[0] += event == "call"
        calls[1] += event == "call" and frame.f_code is _ways.__code__

    for text in ("abcdefghij", "bcdefghijk"):
        sys.setprofile(count)
        try:
            found.append(ways(text, 0))
        finally:
            sys.setprofile(None)
    assert found == [89, 89]
    assert calls[1] > 300
    assert calls[0] < 12 * calls[1]
    assert ways.stats.calls == calls[1]


def _ways(text: str, at: int) -> int:
    if at >= len(text):
        return int(at == len(text))
    return ways(text, at + 1) + ways(text[:at] + text[at:], at + 2)  # type: ignore[name-defined] # noqa: F821


def test_waiting_for_the_compiler_is_no_machinery(monkeypatch: pytest.MonkeyPatch) -> None:
    call = overhead.Call()
    now = [0.0]
    monkeypatch.setattr(overhead, "clock", lambda: now[0])
    monkeypatch.setattr(overhead, "ALLOWANCE", 1.0)
    call.began = 0.0
    call.switch(True)

    def wait() -> None:
        now[0] += 100

    monkeypatch.setattr(overhead.this_thread, "call", call)
    overhead.users(wait, (), {})
    call.switch(False)
    assert not call.spent
    call.switch(True)
    now[0] += 30
    call.switch(False)
    assert call.spent
    call.end()
