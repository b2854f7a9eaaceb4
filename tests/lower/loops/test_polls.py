"""Loops that poll once for a chunk of trips end, leave and are interrupted where Python would be."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.nesting import innermost
from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import begin, check
from tests.interrupts import interrupt_main

LENGTHS = (0, 1, 1023, 1024, 1025, 4500)


def over_range(a: Any, n: int) -> Any:
    s = 0
    for k in range(3, 2 * n, 2):
        s = (3 * s + k) % 1001
    return s


def over_items(a: Any, n: int) -> Any:
    s = 0
    for x in a:
        if x % 3 == 0:
            continue
        s = (3 * s + x) % 1001
    return s


def from_the_end(a: Any, n: int) -> Any:
    s = 0
    for x in reversed(a):
        s = (3 * s + x) % 1001
    return s


def side_by_side(a: Any, n: int) -> Any:
    s = 0
    for x, y, k in zip(a, a[: n - 2], range(5, 3 * n), strict=False):
        s = (3 * s + x - y * k) % 1001
    return s


def with_numbers(a: Any, n: int) -> Any:
    s = 0
    for k, x in enumerate(a, 7):
        s = (3 * s + x * k) % 1001
    return s


def ended_early(a: Any, n: int) -> Any:
    s = 0
    for k in range(30):
        for x in a:
            s = (3 * s + x) % 1001
            if x == k * 60:
                break
        else:
            s += 1
    return s


def characters(a: Any, n: int) -> Any:
    s = 0
    for c in b"12, 345":
        for x in a:
            if x % 60 == c:
                s += c
    return s


def bits_of_items(a: Any, n: int) -> Any:
    s = 0
    for x in a:
        k = int(x)
        while k > 0:  # few trips, which do not poll
            s = (3 * s + (k & 1)) % 1001
            k >>= 1
    return s


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(over_range, over_items, from_the_end, side_by_side, with_numbers, ended_early, characters),
    bits_of_items,
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_loops_of_several_chunks(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    for n in LENGTHS:
        run = check(function, np.arange(n) * 7 % 2000, n)
    assert "chunk_" in run.loop.source.text


def test_a_loop_that_may_leave_in_each_trip_polls_by_its_own_trips() -> None:
    """A `while` loop of two conditions, and one that `break` ends, have no other loop in them."""
    region = check(first_places, np.arange(40) % 7, np.arange(3) + 2, 5).loop.region
    headers = {block for block in region.blocks if block.is_header}
    assert innermost(region) == headers - {region.entry}, region


def first_places(a: Any, found: Any, n: int) -> Any:
    for k in range(len(found)):
        i = 0
        while i < 40 and a[i * 3 % 40] != found[k]:
            i += 1
        while True:
            i += n
            if i % 7 == 0:
                break
        found[k] = i
    return found


programs = Programs()
_ITEMS = np.arange(3000)


@programs(_ITEMS, np.zeros(2500, int))
def stored_before_an_exception(a: Any, out: Any) -> Any:
    for x in a:
        out[x] = x * x
    return out


@programs(_ITEMS, np.zeros(4000, int))
def ints_beyond_64_bits(a: Any, out: Any) -> Any:
    s = (1 << 63) - 1100 * 1100
    for k, x in enumerate(a):
        s += int(x)
        out[k] = k
    return s


@programs(np.arange(40) % 3, None)
@programs(np.arange(40) * 7 % 4 // 2, None)
@programs(np.arange(41) // 20, None)
def values_of_several_types(a: Any, out: Any) -> Any:
    """The loop has a header for each type, and all take items of one iterator."""
    value: Any = 1
    for x in a:
        if x == 0:
            value = 2
        elif x == 1:
            value = value * 0.5
        else:
            value = value + np.float32(1)
    return value, type(value).__name__


@programs(_ITEMS, np.zeros(4000, int))
def left_and_entered_again(a: Any, out: Any) -> Any:
    for x in a:
        if x % 1000 == 999:
            out[x] = len(str(x))
        else:
            out[x] = x
    return out


def runs(a: Any, out: Any, n: int) -> Any:
    i = k = 0
    while i < n:
        j = i
        while j < n and a[j] % 97:
            out[j] += 2
            j += 1
        k += j - i
        i = j + 1
    return k


def two_steps(a: Any, out: Any, n: int) -> Any:
    i = 0
    while i < n:
        if a[i] % 2:
            i += 1
        else:
            out[i] = 7
            i += 2
    return i


def lowest_bits(a: Any, out: Any, n: int) -> Any:
    s = 0
    for k in range(n):
        x = int(a[k])
        while x:
            x &= x - 1
            s += 1
        out[k] = s
    return s


for function in (runs, two_steps, lowest_bits):
    for n, size in ((1, 1), (15, 15), (17, 17), (900, 900), (40, 25), (900, 300), (900, 17)):
        programs(np.arange(size) * 5, np.zeros(size + 1, int), n, native=None)(function)


def test_places_at_which_loops_leave() -> None:
    for name, (jitted, outcomes) in programs.called().items():
        programs.check(name, jitted, outcomes)


def doubled(s: Any, n: int) -> None:
    for i in range(n):
        s[0] = (s[0] * 3 + i) & 0xFFFF
        s[1 + s[0]] += 1
        s[1] += s[1 + (i & 3)]


def around_short_loops(s: Any, n: int) -> None:
    for i in range(n):
        x = i | 1
        while x > 1 and s[2] >= 0:
            x >>= 1
            s[1] += 1


def around_longer_loops(s: Any, n: int) -> None:
    i = 0
    while i < n:
        j = 0
        while j < 3000:
            s[j + 1] += 1
            j += 3
        i += 1


@pytest.mark.parametrize("function", [doubled, around_short_loops, around_longer_loops])
def test_an_interrupt_ends_a_loop_between_chunks(function: Callable[..., Any]) -> None:
    s = np.zeros(2 + 0xFFFF, int)
    native = begin(function, s, 2**40)
    assert native.loop.job is not None and native.loop.job.wait()
    with pytest.raises(KeyboardInterrupt):
        interrupt_main(0.2)
        native.run()
    assert s[1:].any()


def rotated(n: int) -> Any:
    k, a, b, c, d, e, f = 0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5
    s = 0.0
    while k < n:
        a, b, c, d, e, f = b, c, d, e, f, a
        s += a
        k += 1
    return None


def test_polls_leave_registers_as_they_are() -> None:
    """Another thread works on vectors whenever the loop lets it run."""
    trips, ended = 6 << 22, threading.Event()

    def work() -> None:
        values = np.linspace(0.0, 1.0, 1000)
        while not ended.is_set():
            np.sqrt(values * values + 1.0)

    native = begin(rotated, trips)
    thread = threading.Thread(target=work)
    thread.start()
    try:
        names = native.run().names
    finally:
        ended.set()
        thread.join()
    assert [names[name] for name in "abcdef"] == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert (names["s"], names["k"]) == (trips / 6 * 24.0, trips)


ENDING = """
    import threading, time, npcompile

    @npcompile.jit
    def work(n):
        kept = [1.0, 2.0]
        s, k = 0.0, 0
        while k < n:
            kept[k & 1] = kept[1] * 0.5 + k
            s += kept[0]
            k += 1
        return s

    for _ in range(3):
        work(3000)
        work.wait()
    entries = work.stats.loop_entries
    threading.Thread(target=work, args=(2**55,), daemon=True).start()
    time.sleep(1.0)  # it is in native code by then
    print(entries > 0)
"""


def test_a_process_ends_while_a_thread_is_in_a_loop() -> None:
    command = [sys.executable, "-c", textwrap.dedent(ENDING)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_other_threads_have_their_turns() -> None:
    """They are not woken at turns that are taken again at once, each of which would have them wait anew."""
    native = begin(around_longer_loops, np.zeros(2 + 0xFFFF, int), 2**40)
    assert native.loop.job is not None and native.loop.job.wait()
    turns, most, took = 0, 20, 0.0

    def take_turns() -> None:
        nonlocal turns, took
        start = time.monotonic()
        while turns < most:
            time.sleep(0.001)
            turns += 1
        took = time.monotonic() - start

    thread = threading.Thread(target=take_turns)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        interrupt_main(2.0)
        native.run()
    ended = turns
    turns = most
    thread.join()
    assert ended == most and took < 2.0
