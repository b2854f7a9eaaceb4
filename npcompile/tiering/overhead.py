"""Accounts for the time that a call of a jitted function spends in npcompile's own machinery, and says when
that is enough: the rest of the call is then the plain function's own code.

One `Call` per outermost call of a jitted function on a thread. Machinery is recording, planning, cutting,
signatures, look-ups and guards; the user's code, NumPy's work and waiting for the compiler are not. Time is
taken where the one begins and the other goes on (`Call.switch`), never per operation of the user's code.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, Protocol

from npcompile.diagnostics.settings import config
from npcompile.tiering import deferred_calls
from npcompile.tiering.backoff import Backoff

clock: Callable[[], float] = time.perf_counter
cpu: Callable[[], float] = time.thread_time  # a loaded machine makes nothing be given up


def is_unlimited() -> bool:
    """Tell if machinery may take any time. Tests that count pin the answer: NPCOMPILE_OVERHEAD=unlimited."""
    return config.overhead == "unlimited"


_UNLIMITED = is_unlimited()
# A first call may spend this many seconds, and this share of its time so far, in machinery.
# NPCOMPILE_OVERHEAD=unlimited: any (tests that count compilations are to give the same on any machine).
ALLOWANCE = float("inf") if _UNLIMITED else 0.03
SHARE = 0.15
# Recordings and cuts begin where there is room for them: in a first call within FIRST seconds and SHARE, too.
FIRST = float("inf") if _UNLIMITED else 0.1
# First calls of all functions may spend FUND seconds together, and SHARE of the time that goes by. Where that
# is spent, a function's first call has what a later one has.
FUND = float("inf") if _UNLIMITED else 2.0
# A later call may spend EACH seconds and the share PAID of the time that it has taken so far; or, beside
# EACH, the PART of the calls' savings. Calls save the share PAID of their time, KEPT seconds at most.
EACH, PAID, PART = 0.001, 0.05, 1 / 8
KEPT = float("inf") if _UNLIMITED else 2.0
# Calls of a signature after its first one, which has left something to be recorded or cut: FURTHER_CALLS of
# them may spend FURTHER seconds and SHARE, or the time of WORTH calls. A function that is called again with a
# signature will be called often.
FURTHER, FURTHER_CALLS, WORTH = 0.1, 2, 32
# Calls that nothing is done for at present pass unlooked at: MOST_CALLS of them, or MOST_SECONDS of them.
MOST_CALLS, MOST_SECONDS = 512, 5e-3
# Signatures of a function that have a first call each; and further ways through it that do.
KINDS = 8
# The seconds that a first recording, or a cut, is taken to need: at least, and for each byte of code.
AT_LEAST, A_BYTE = 0.002, 12e-6
# A recording that was given up is taken to need TIMES as long when it is tried again. It is not tried again
# as it is if it had LONG seconds.
TIMES, LONG = 3, 0.03
# Past its allowance, a call that goes on long enough is given another one: a long loop that is entered once
# is to come to be compiled, too. Each wait is at least this many times as long as the one before.
LONGER = 2
# Native loops are typed in a share of the user's time of all calls so far; in what recordings may take, too.
TYPING = 0.5
NANO = 1e-9  # seconds


# Calls of jitted functions within one another, past which they are Python's alone: each that machinery looks
# at takes several levels of Python's stack, of which a function that calls itself needs many.
DEEPEST = 8


def is_deepest() -> bool:
    """Tell if jitted functions that are called now are Python's alone."""
    call = this_thread.call
    return call is not None and call.depth > DEEPEST


@contextlib.contextmanager
def beyond_deepest(is_beyond: bool) -> Iterator[None]:
    """Have jitted functions that the body calls be Python's alone: each would be recorded as deep again."""
    call, levels = this_thread.call, DEEPEST * is_beyond
    if call is not None:
        call.depth += levels
    try:
        yield
    finally:
        if call is not None:
            call.depth -= levels


def calls_unseen(took: float) -> int:
    """Return the number of calls, of a time each, that pass unlooked at."""
    return min(MOST_CALLS, int(MOST_SECONDS / max(took, 1e-7)))


class TooLong(Exception):
    """Work was given up, as it took longer than it may."""


class Fund:
    """Seconds that first calls of all functions may spend in machinery, together. Time fills it."""

    def __init__(self) -> None:
        self._left, self._looked = FUND, clock()

    @property
    def left(self) -> float:
        """Return the seconds that are left; negative where more were spent."""
        if self._left == math.inf:
            return self._left
        before, self._looked = self._looked, clock()
        self._left = min(self._left + SHARE * (self._looked - before), FUND)
        return self._left

    def spend(self, seconds: float) -> None:
        """Count the machinery of a first call."""
        self._left -= seconds


fund = Fund()


class Allowance:
    """Seconds that the calls of one jitted function may spend in machinery.

    saved: seconds that later calls have paid for, and not spent; negative where they have spent more. lasted:
    the user's seconds of calls that are over, without those that have paid for the typing of loops.
    """

    __slots__ = ("_begun", "_is_new", "first", "further", "lasted", "saved")

    def __init__(self) -> None:
        self.first = True  # the next call, or the one at hand, may spend as much as a first one
        self.further = 0.0  # seconds for the one at hand, to finish a first one's work
        self.saved = 0.0 if FIRST < KEPT else KEPT
        self.lasted = 0.0
        self._begun = [0, 0]  # signatures so far, and further ways
        self._is_new = True  # no call has begun

    @property
    def is_first(self) -> bool:
        """Tell if the next call, or the one at hand, is a first one, or goes on with its work."""
        return self.first or self.further > 0

    def begin(self, way: bool = False, waits: bool = False) -> None:
        """Note the first call of a signature, or of a new way through the function.

        waits: calls wait for kernels, and need not pay for them.
        """
        if this_thread.ahead:
            return
        if self._begun[way] < KINDS and (waits or fund.left > 0):
            self._begun[way] += 1
            self.first = True
        elif self._is_new:
            self.first = False
        self._is_new = False

    def renew(self) -> None:
        """Let the next call spend as much as a first one, as the user waits for the compiler."""
        self.first, self._is_new = True, False

    def of_later(self, took: float) -> float:
        """Return the seconds that a later call may spend in all, by its time so far."""
        if self.saved < 0:
            most = PART * (EACH + PAID * took)
        else:
            most = EACH + max(PAID * took, PART * self.saved)
        return max(most, FURTHER + SHARE * took) if self.further else most

    def of_all(self, took: float) -> float:
        """Return the seconds that a call may spend before it goes on as plain Python, by its time so far."""
        return ALLOWANCE + SHARE * took if self.first else self.of_later(took)

    def of_recordings(self, took: float) -> float:
        """Return the seconds that a call may have spent where it begins a recording, by its time so far."""
        return FIRST + SHARE * took if self.first else self.of_later(took)

    def passes(self, took: float) -> int:
        """Return `calls_unseen`, and let these calls pay all the same."""
        calls = calls_unseen(took)
        self.lasted += calls * took
        self.saved = min(self.saved + PAID * calls * took, KEPT)
        return calls

    def settle(self, took: float, machinery: float) -> None:
        """Count a call that is over: its time, and its machinery's beyond what each may spend in any case."""
        if self.first or self.further:
            fund.spend(machinery)
            self.first, self.further = False, 0.0
        else:
            self.saved = min(self.saved + PAID * took - max(machinery - PART * EACH, 0.0), KEPT)


class Unbounded(Allowance):
    """The allowance of calls that are made so that all of them is compiled."""

    def of_all(self, took: float) -> float:
        return math.inf

    def of_recordings(self, took: float) -> float:
        return math.inf

    def settle(self, took: float, machinery: float) -> None:
        pass


def estimate(code: Any) -> float:
    """The seconds that a first recording of a function with this code is taken to take."""
    return AT_LEAST + A_BYTE * (len(code.co_code) if isinstance(code, CodeType) else 0)


class Charged(Protocol):
    """Whose calls are charged what machinery took in vain: `Account`."""

    def charge(self, machinery: float, users: float) -> None:
        """Charge a call that the plain function answered: its seconds of machinery, and the user's."""


class Call:
    """The time of one outermost call. `machinery`: seconds spent in machinery so far; `spent`: whether the
    call is to go on as plain Python from here; `depth`: the calls of jitted functions under way within it;
    `useful`: compiled code has answered it, or something was recorded; `account`: its signature's; `typed`:
    seconds in which loops were typed, without those that calls had paid for."""

    __slots__ = (
        "_forget",
        "_since",
        "_waits",
        "account",
        "allowance",
        "began",
        "begun",
        "depth",
        "lacks",
        "machinery",
        "spent",
        "typed",
        "useful",
        "working",
    )

    def __init__(self, allowance: Allowance | None = None) -> None:
        self.allowance = allowance
        self.began = self._since = clock()
        self.machinery = self.typed = 0.0
        self.depth = 0
        self.working = False  # machinery is at work
        self.begun = False  # a function that was cut runs, or ran
        self.spent = False
        self.useful = False
        self.account: Charged | None = None
        self.lacks = False  # a recording or a cut did not begin, as there was no room for it
        self._waits: Backoff | None = None  # the nanoseconds for which it goes on as plain Python
        self._forget: Callable[[], None] | None = None

    def switch(self, working: bool) -> bool:
        """Note that machinery goes to work, or leaves off. Tells if it was at work until now."""
        now = clock()
        before = self.working
        if before:
            self.machinery += now - self._since
            if not self.spent and self.machinery > self._most(now - self.began):
                self._spend(now)
        self._since, self.working = now, working
        return before

    def _most(self, took: float) -> float:
        return ALLOWANCE + SHARE * took if self.allowance is None else self.allowance.of_all(took)

    @property
    def is_first(self) -> bool:
        """Tell whether it is a first call, or goes on with what that has left."""
        return self.allowance is None or self.allowance.is_first

    @property
    def left(self) -> float:
        """The seconds that recordings and cuts may still take."""
        if self.allowance is None:
            return KEPT
        now = clock()
        spent = self.machinery + (now - self._since if self.working else 0.0)
        return self.allowance.of_recordings(now - self.began) - spent

    def affords(self, seconds: float) -> bool:
        """Tell if a recording or a cut of an estimated time may begin."""
        affords = self.allowance is None or self.left >= seconds
        self.lacks = self.lacks or not affords
        return affords

    def limit(self, seconds: float) -> float:
        """The seconds past which a recording that begins now is given up."""
        return min(max(self.left, seconds), FIRST)

    def is_past(self, limit: float) -> bool:
        """Tell if machinery has taken longer than a recording may; a first one has a share of the time, too.

        The user's large arrays die between operations, and to give their memory back takes long.
        """
        return self.machinery > limit + (SHARE * self.lasted if self.is_first else 0.0)

    @property
    def lasted(self) -> float:
        """The seconds so far that were the user's."""
        return (self._since if self.working else clock()) - self.began - self.machinery

    @property
    def for_typing(self) -> float:
        """The seconds that the typing of a loop may take."""
        if self.allowance is None:
            return KEPT
        lasted = self.lasted
        free = self.allowance.of_recordings(lasted) - self.typed
        return max(free, TYPING * (self.allowance.lasted + lasted - self.typed))

    def until_typing(self, seconds: float) -> float:
        """The seconds for which the call has to go on until a loop may be typed for so long."""
        paid = 0.0 if self.allowance is None else self.allowance.lasted + self.lasted - self.typed
        return max(seconds / TYPING - paid, EACH)

    def note_typing(self, seconds: float) -> None:
        """Count seconds in which a loop was typed."""
        if self.allowance is not None:
            free = max(self.allowance.of_recordings(self.lasted) - self.typed, 0.0)
            paid = max(seconds - free, 0.0)
            self.typed += seconds - paid
            if paid:
                self.allowance.lasted -= paid + paid / TYPING  # the first is no time of the user's

    def in_vain(self) -> None:
        """Count the time since machinery left off as machinery's, too: a replay that diverged."""
        self.machinery += clock() - self._since

    def _spend(self, now: float) -> None:
        self.spent = self.lacks = True
        share = SHARE if self.is_first else PAID
        wait = self.machinery / share - (now - self.began)
        if self._waits is None:
            self._waits = Backoff(0, LONGER)
        self._forget = deferred_calls.later(self._waits.wait(int(wait / NANO)) * NANO, self._go_on)

    def _go_on(self) -> None:
        self.spent, self._forget = False, None

    def go_further(self, lasted: float) -> None:
        """Go on with what calls before have left, and spend more for it. lasted: seconds of the last call."""
        if self.allowance is not None and fund.left > 0:
            self.allowance.further = min(FURTHER, WORTH * lasted)
        if (forget := self._forget) is not None:
            forget()
            self._go_on()

    def end(self) -> None:
        """The call is over."""
        if self.allowance is not None:
            took = clock() - self.began
            if self.account is not None and not (self.useful or self.is_first):
                self.account.charge(self.machinery, took - self.machinery)
            self.allowance.lasted += took - self.machinery - self.typed
            # The fund is for recordings: when it is spent, loops in first calls are typed all the same.
            self.allowance.settle(took, self.machinery + (0.0 if self.is_first else self.typed))
        if (forget := self._forget) is not None:
            forget()


class _Thread(threading.local):
    """Knows the call at hand of one thread. Its fields are read, as asking would be a call at each call."""

    call: Call | None = None  # the one at hand
    ahead = False  # calls are made so that all of them is compiled
    until = math.inf  # the thread's own time at which work that is limited is given up


this_thread = _Thread()
_ELSEWHERE = Call()  # of what runs outside any call: a generator that goes on after it


@contextlib.contextmanager
def compiling_ahead() -> Iterator[None]:
    """Have this thread's calls record and compile whatever they can, and wait for it: they are made for that
    alone."""
    before, this_thread.ahead = this_thread.ahead, True
    try:
        yield
    finally:
        this_thread.ahead = before


@contextlib.contextmanager
def ending(seconds: float) -> Iterator[None]:
    """Have work that asks `check_time` given up after some seconds of this thread's."""
    before, this_thread.until = this_thread.until, cpu() + seconds
    try:
        yield
    finally:
        this_thread.until = before


def check_time() -> None:
    """Raise TooLong where work of this thread is to be given up."""
    if cpu() > this_thread.until:
        raise TooLong


def current() -> Call:
    """The call at hand, to ask whether it is spent."""
    return this_thread.call or _ELSEWHERE


def enter(allowance: Allowance, account: Charged | None = None) -> tuple[Call, bool | None]:
    """Machinery goes to work. The call at hand, and what `leave` is to be given (None: this begins it).
    allowance: that of the function that is called. account: who is charged if its signature is not known."""
    call = this_thread.call
    if call is not None:
        return call, call.switch(True)
    call = this_thread.call = Call(Unbounded() if this_thread.ahead else allowance)
    call.working, call.account = True, account
    return call, None


def leave(call: Call, before: bool | None) -> None:
    """Note that machinery leaves off, or goes on with its work."""
    call.switch(bool(before))
    if before is None:
        this_thread.call = None
        call.end()


def users(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of the user's, NumPy's, or a kernel: its time is no machinery's."""
    call = this_thread.call
    if call is None:
        return function(*args, **kwargs)
    before = call.switch(False)
    try:
        result = function(*args, **kwargs)
        return result
    finally:
        call.switch(before)
