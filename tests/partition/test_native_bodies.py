"""Functions that are native as a whole answer as Python does, with its types, identity and exceptions."""

from __future__ import annotations

import os
import random
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.loops.service import threads
from npcompile.partition.native_body import NOT_ANSWERED, NativeBody
from npcompile.tiering.block_contest import BlockContest
from tests.checker import same
from tests.loops import random_check
from tests.loops.random_check import check, compile_loops_alone
from tests.loops.random_programs import program_source

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
CALLS = 9
LAST = CALLS - 1  # by then a body has answered


LENT = 1000  # so many calls are lent at once
EARLIER = 7  # calls before those that are told apart: a body answers, and some are lent
SCALE = 3


def resident() -> int:
    """Return the bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def scaled(a: Any) -> Any:
    total = 0
    for i in range(len(a)):
        total += a[i] * SCALE
    return total


class Bodies:
    """Counts the calls that native bodies have answered."""

    def __init__(self) -> None:
        self.answered = 0


@pytest.fixture
def bodies(native_runtime: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bodies]:
    """Bodies become native, whatever the clock says: no contest has plain calls, no statement is timed."""
    compile_loops_alone(monkeypatch)
    monkeypatch.setattr("npcompile.partition.partitioned.ROUNDS", 0)
    monkeypatch.setattr("npcompile.partition.call.are_held", lambda: True)
    monkeypatch.setattr("npcompile.partition.call.BODY_WITHIN", float("inf"))
    never_slower = property(lambda body: float("inf"), lambda body, seconds: None)
    monkeypatch.setattr(NativeBody, "most", never_slower, raising=False)

    def unmeasured(self: BlockContest, cut: Any, state: Any, args: Any, kwargs: Any) -> Any:
        self.left = 1  # the next call is not asked about
        return cut.run(args, kwargs)

    monkeypatch.setattr(BlockContest, "answer", unmeasured)
    counted, answer = Bodies(), NativeBody.answer

    def counting(self: NativeBody, args: tuple[Any, ...]) -> Any:
        result = answer(self, args)
        counted.answered += result is not NOT_ANSWERED
        return result

    monkeypatch.setattr(NativeBody, "answer", counting)
    yield counted


def test_who_waits_after_the_first_call_has_the_body_at_the_second(bodies: Bodies) -> None:
    jitted, data = npcompile.jit(scaled), np.arange(50)
    assert jitted(data) == scaled(data)
    jitted.wait()
    compiled = jitted.stats.native_loops
    assert jitted(data) == scaled(data)
    assert bodies.answered == 1
    assert jitted.stats.native_loops == compiled  # it was for these types


@pytest.mark.usefixtures("bodies")
def test_a_body_that_was_waited_for_begins_the_contest_with_the_plain_function() -> None:
    """The plain function may take a thousand times as long."""
    jitted: Any = npcompile.jit(scaled)
    jitted(np.arange(50))
    jitted.wait()
    [state] = jitted.npcompile_root().by_signature.values()
    for native in state.partitioned.natives.values():
        native.entries = 0  # as where native code was not there at the first call
    assert state.partitioned.reaches_loops


@pytest.mark.parametrize("args", [([3, 1, 2],), (np.arange(50),)])
def test_a_call_after_its_loops_are_compiled_asks_for_the_body(
    bodies: Bodies, args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits after each of two calls has the body at the third one: no example stands for a list, and the
    body of a function whose first call was long may not be worth compiling."""
    monkeypatch.setattr("npcompile.partition.call.FIRST_WITHIN", 0.0)
    jitted = npcompile.jit(scaled)
    for _ in range(2):
        assert jitted(*args) == scaled(*args)
        jitted.wait()
    assert bodies.answered == 0
    assert jitted(*args) == scaled(*args)
    assert bodies.answered == 1


def checksum(data: Any, poly: int = 0x8408) -> int:
    crc = 0xFFFF
    for b in data:
        cur = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (cur & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur >>= 1
    return crc & 0xFFFF


def table_of(seq: Any) -> Any:
    n = len(seq)
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j - 1], table[i + 1, j])
            if seq[i] + seq[j] == 3:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + 1)
    return table


def first_above(a: Any, limit: float) -> Any:
    for i in range(len(a)):
        if a[i] > limit:
            return a[i]
    return None


def itself(a: Any) -> Any:
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return a


def a_view(a: Any) -> Any:
    for i in range(1, len(a)):
        a[i] -= a[i - 1]
    return a[1:]


def several(a: Any, x: float) -> Any:
    total, count = 0.0, 0
    for v in a:
        if v > x:
            total += v
            count += 1
    return total, count, x


def nothing(a: Any) -> None:
    for i in range(len(a) - 1):
        a[i] = a[i + 1]


def past_the_end(a: Any, n: int) -> float:
    total = 0.0
    for i in range(n):
        a[i] = i
        total += a[i]
    return total


def grows(n: int) -> int:
    product = 1
    for i in range(1, n):
        product *= i
    return product


def unbound(a: Any, flag: bool) -> Any:
    for i in range(len(a)):
        if flag:
            last = a[i]
    return last


def until_a_handler_returns(a: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        try:
            total += a[i]
        except IndexError:
            return total, i
    return total


def merge(a: Any, spare: Any, low: int, middle: int, high: int) -> int:
    i, j, inversions = low, middle, 0
    for k in range(low, high):
        if j >= high or (i < middle and a[i] <= a[j]):
            spare[k] = a[i]
            i += 1
        else:
            spare[k] = a[j]
            inversions += middle - i
            j += 1
    for k in range(low, high):
        a[k] = spare[k]
    return inversions


def merge_sort(a: Any, spare: Any, low: int, high: int) -> int:
    if high - low < 2:
        return 0
    middle = (low + high) // 2
    before = merge_sort(a, spare, low, middle) + merge_sort(a, spare, middle, high)
    return before + merge(a, spare, low, middle, high)


def calls_alone(a: Any, high: int) -> Any:
    spare = np.empty_like(a)
    return merge_sort(a, spare, 0, high), a


def arrays_twice(a: Any, x: Any) -> Any:
    doubled = np.zeros(len(a))
    spread = np.empty((len(a), 2), np.float32)
    for i in range(len(a)):
        doubled[i] = a[i] * 2
        spread[i, 0] = spread[i, 1] = a[i] * x
    return doubled, (spread, doubled), a, len(a)


def a_view_of_a_new_one(a: Any) -> Any:
    found = np.zeros(len(a) + 1)
    for i in range(len(a)):
        found[i + 1] = found[i] + a[i]
    return found[1:], found


def by_columns(a: Any) -> Any:
    made = np.zeros((2, len(a)))
    for i in range(len(a)):
        made[0, i] = a[i]
    return made.T * 2


def numbers(a: Any, x: Any) -> Any:
    total, any_above, least = x, False, a[0]
    for v in a:
        total += v * 1j
        any_above = any_above or v > x
        least = min(least, v)
    return total, any_above, least, v > x, len(a) > 3, "text", None


def in_order(a: Any) -> Any:
    a = a.copy()
    for i in range(1, len(a)):
        value, j = a[i], i - 1
        while j >= 0 and a[j] > value:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = value
    return a


def product(a: Any, x: Any) -> Any:
    made = np.zeros((a.shape[0], x.shape[1]))
    for i in range(a.shape[0]):
        for j in range(x.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * x[k, j]
            made[i, j] = total
    return made


def places_above(a: Any, x: float) -> Any:
    found = []
    for i in range(len(a)):
        if a[i] > x:
            found.append(i)
    return np.array(found), np.array([a[i] for i in found], np.float32)


def reads_names_in_comprehensions(a: Any, many: int) -> Any:
    total = 0.0
    for i in range(len(a)):
        total += sum([a[j] * total for j in range(i)])
        many = many + 1
    return total, max([a[i] for i in range(many - len(a))])


def array(n: int = 6) -> np.ndarray:
    return np.arange(n) * 7 % 5 / 2


PROGRAMS: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (checksum, lambda call: (np.arange(40 + call % 2, dtype=np.uint8) * 37,)),
    (checksum, lambda call: (np.arange(9, dtype=np.uint8), 0x1021 + call)),
    (table_of, lambda call: (np.arange(9 + call % 2) * 7 % 4,)),
    (first_above, lambda call: (array(), 1.0)),
    (first_above, lambda call: (array(), 50.0)),
    (itself, lambda call: (array(5 + call % 2),)),
    (itself, lambda call: (array(20)[::2],)),
    (itself, lambda call: (np.zeros(0),)),
    (a_view, lambda call: (array(),)),
    (several, lambda call: (array(), 0.5)),
    (several, lambda call: (array().astype(np.float32), 1)),
    (nothing, lambda call: (array(),)),
    (arrays_twice, lambda call: (array(4 + call % 2), 1.5)),
    (a_view_of_a_new_one, lambda call: (array(),)),
    (by_columns, lambda call: (array(6),)),
    (numbers, lambda call: (array(), 0.5)),
    (numbers, lambda call: (array().astype(np.float16), np.float32(1))),
    (past_the_end, lambda call: (array(6), 6)),
    (past_the_end, lambda call: (array(6), 6 if call < LAST else 8)),
    (until_a_handler_returns, lambda call: (array(6), 6 if call < LAST else 8)),
    (grows, lambda call: (15 if call < LAST else 40,)),
    (unbound, lambda call: (array(), call < LAST)),
    (in_order, lambda call: (array(30 + call % 2),)),
    (product, lambda call: (array(20).reshape(4, 5), array(15 + 5 * (call % 2)).reshape(5, -1))),
    (places_above, lambda call: (array(9 + call % 2), 0.6)),
    (places_above, lambda call: (array(9), 0.6 if call < LAST else 9.0)),
    (reads_names_in_comprehensions, lambda call: (array(6), 6 if call < LAST else 8)),
    (calls_alone, lambda call: (array(40 + call % 2), 40)),
    (calls_alone, lambda call: (array(40), 40 if call < LAST else 42)),
]


def outcome(function: Callable[..., Any], args: tuple[Any, ...], name: str) -> Any:
    try:
        result = function(*args)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(one.name, one.lineno) for one in frames if one.name == name]
        return type(error), str(error), places
    return result


@pytest.fixture
def lent(bodies: Bodies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are lent to the native runtime as soon as a body has answered one."""

    def unmeasured(self: BlockContest, cut: Any, state: Any, args: Any, kwargs: Any) -> Any:
        self.left = 2 * LENT
        return cut.run(args, kwargs)

    monkeypatch.setattr(BlockContest, "answer", unmeasured)
    monkeypatch.setattr("npcompile.partition.call.MOST_LENT", LENT)
    monkeypatch.setattr("npcompile.partition.native_body.TIMED", 1)
    monkeypatch.setattr("npcompile.partition.native_body.clock", lambda: 0.0)


@pytest.mark.parametrize("place", range(len(PROGRAMS)), ids=lambda place: PROGRAMS[place][0].__name__)
def test_as_python(place: int, bodies: Bodies) -> None:
    compared(place)
    assert bodies.answered


# Python packs the values of the others: they have effects within functions.
LENDABLE = [place for place, (function, _) in enumerate(PROGRAMS) if function is not calls_alone]


@pytest.mark.parametrize("place", LENDABLE, ids=lambda place: PROGRAMS[place][0].__name__)
def test_lent_calls_are_as_python(place: int, lent: None) -> None:
    jitted = compared(place, before=EARLIER)
    assert any(
        state.lent is not None and state.lent.left < LENT
        for state in jitted.npcompile_root().by_signature.values()
    )
    if jitted.stats.loop_leaves == 0:
        assert jitted.stats.calls == EARLIER + CALLS


def test_lent_calls_leave_the_values_of_other_types_to_python(lent: None) -> None:
    jitted = npcompile.jit(past_the_end)
    for call in range(-EARLIER, CALLS + 2):
        many = 6 if call < LAST else 1 << 62
        got, want = (outcome(one, (array(6), many), "past_the_end") for one in (jitted, past_the_end))
        same(got, want, where=f"call {call}")
        jitted.wait()


def test_a_lent_body_reads_its_module_anew(lent: None, monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(scaled)
    for call in range(-EARLIER, CALLS):
        if call == LAST:
            monkeypatch.setitem(globals(), "SCALE", 5)
        same(jitted(array()), scaled(array()), where=f"call {call}")
        jitted.wait()


def lender(jitted: Any) -> Any:
    """Return what answers calls without Python."""
    (found,) = (
        state.lent for state in jitted.npcompile_root().by_signature.values() if state.lent is not None
    )
    return found


def summed_opposites(a: Any) -> Any:
    a = -a
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return a


@pytest.mark.parametrize(
    ("function", "size", "asked"), [(summed_opposites, 5, 0), (summed_opposites, 6, 3), (in_order, 6, 0)]
)
def test_lent_calls_leave_work_on_large_arrays_to_python(
    function: Any, size: int, asked: int, lent: None, bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work on the whole array is a kernel's there; a copy is no work."""
    monkeypatch.setattr("npcompile.partition.native_body.LARGEST", array(5).nbytes)
    jitted = npcompile.jit(function)
    for _ in range(EARLIER):
        jitted(array(size))
        jitted.wait()
    by_python = bodies.answered
    for _ in range(3):
        same(jitted(array(size)), function(array(size)), where=f"size {size}")
    assert bodies.answered - by_python == asked


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_lent_calls_know_the_threads_that_there_are(lent: None) -> None:
    """A forked child has one thread, and none of its parent's team."""
    jitted, (a, x) = npcompile.jit(product), (array(20).reshape(4, 5), array(15).reshape(5, 3))
    for _ in range(EARLIER):
        jitted(a, x)
        jitted.wait()
    calls = lender(jitted)
    left = calls.left
    jitted(a, x)
    assert calls.left == left - 1
    calls.threads += 1
    same(jitted(a, x), product(a, x), where="other threads than the code was given")
    assert calls.threads == threads.thread_count()  # Python has answered
    child = os.fork()
    if child == 0:
        failed = True
        try:
            failed = not np.array_equal(jitted(a, x), product(a, x))
        finally:
            os._exit(failed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_memory_of_lent_calls_is_freed(lent: None) -> None:
    jitted = npcompile.jit(arrays_twice)
    for _ in range(EARLIER + CALLS):
        jitted(np.ones(1000), 1.0)
        jitted.wait()
    given = np.ones(1000)
    before = resident()
    for _ in range(4000):
        jitted(given, 1.0)
    assert resident() - before < 4000 * 8000 / 4


def compared(place: int, before: int = 0) -> Any:
    """Compare calls of a program with Python's, and so many before them; return the jitted function."""
    function, arguments = PROGRAMS[place]
    jitted = npcompile.jit(function)
    for call in range(-before, CALLS):
        mine, theirs = arguments(call), arguments(call)
        got, want = (
            outcome(one, args, function.__name__) for one, args in ((jitted, mine), (function, theirs))
        )
        same(got, want, where=f"call {call}")
        same(mine, theirs, where=f"arguments of call {call}")
        for one, other in zip(mine, theirs, strict=True):
            assert (got is one) == (want is other)
            if isinstance(want, np.ndarray) and isinstance(other, np.ndarray):
                assert np.may_share_memory(got, one) == np.may_share_memory(want, other)
        if isinstance(want, tuple):
            assert [[x is y for x in got] for y in got] == [[x is y for x in want] for y in want]
        jitted.wait()
    return jitted


def test_other_types_and_sizes_compile_what_they_need(bodies: Bodies) -> None:
    jitted = npcompile.jit(itself)
    for kind in (float, int):
        for call in range(CALLS):
            same(jitted(np.arange(4 + call % 3, dtype=kind)), itself(np.arange(4 + call % 3, dtype=kind)))
            jitted.wait()
    assert bodies.answered >= 4
    assert jitted.stats.native_loops <= 4  # a loop and a body for each type, whatever the sizes


def test_a_body_does_not_wait_until_statements_are_timed(
    bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npcompile.partition.partitioned.ROUNDS", 1)
    monkeypatch.setattr("npcompile.tiering.statement_profile.Watch._affords", lambda self, cut: False)
    jitted = npcompile.jit(itself)
    for _ in range(CALLS):
        same(jitted(array()), itself(array()))
        jitted.wait()
    assert bodies.answered


def test_errors_of_floats_are_told_as_the_caller_asks(bodies: Bodies) -> None:
    jitted = npcompile.jit(divided)
    for _ in range(CALLS):
        same(jitted(np.ones(3), np.float64(2)), divided(np.ones(3), np.float64(2)))
        jitted.wait()
    assert bodies.answered
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        jitted(np.ones(3), np.float64(0))


def divided(a: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(a)):
        total += a[i] / x
    return total


def test_the_plain_function_answers_while_a_body_without_loops_is_compiled(
    bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = npcompile.jit(calls_alone)
    for _ in range(2):
        same(jitted(array(40), 40), calls_alone(array(40), 40))
    recordings = jitted.stats.recordings
    monkeypatch.setattr(NativeBody, "is_pending", property(lambda self: True))
    for _ in range(CALLS):
        same(jitted(array(40), 40), calls_alone(array(40), 40))
    assert not bodies.answered
    assert jitted.stats.recordings == recordings


@pytest.mark.slow
def test_random_programs(bodies: Bodies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_check, "CALLS", CALLS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check([program_source(random.Random(seed)) for seed in range(5000, 5024)], tmp_path)
    assert bodies.answered > 12


def ramp(n: int, by_columns: int) -> Any:
    made = np.empty((n, 3))
    for i in range(n):
        for j in range(3):
            made[i, j] = 3 * i + j
    if by_columns:
        return made.T + 1.0
    return made


def filled(n: int) -> Any:
    made = np.empty(n)
    for i in range(n):
        made[i] = i
    return made[: n // 2], n


@pytest.mark.usefixtures("native_runtime")
@pytest.mark.parametrize("n", [3, 5000])
def test_arrays_that_native_code_has_made_are_numpys(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    whole, part = npcompile.jit(ramp), npcompile.jit(filled)
    kept = []
    for _ in range(8):
        for by_columns in (0, 1):
            got, want = whole(n, by_columns), ramp(n, by_columns)
            np.testing.assert_array_equal(got, want)
            assert got.base is None and got.flags.owndata and got.flags.writeable
            assert (got.strides, got.flags.f_contiguous) == (want.strides, want.flags.f_contiguous)
            kept.append(got)
        whole.wait()
        (got, count), (want, _) = part(n), filled(n)
        np.testing.assert_array_equal(got, want)
        assert count == n and got.base.shape == (n,) and got.base.flags.owndata
        part.wait()
    assert whole.stats.loop_entries > 0 and part.stats.loop_entries > 0
    last = whole(n, 0)
    del got, want
    last.resize((2 * n, 3), refcheck=False)
    np.testing.assert_array_equal(last[:n], ramp(n, 0))
    assert not last[n:].any()
    for number, one in enumerate(kept):
        np.testing.assert_array_equal(one, ramp(n, number % 2))
