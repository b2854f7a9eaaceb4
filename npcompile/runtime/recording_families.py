"""Functions that one `def` inside a function makes, call after call, and that are jitted each time, share
what was recorded of them.

Their programs take the function itself as their first input, and read its closure anew at each call; defaults
are arguments as others are. Closures over other functions, as decorators make them, share by the code of
these. A function that has to be cut into blocks shares nothing, as blocks are made with the closure. Nothing
here holds a function that was made: arrays in its closure end with it.
"""

from __future__ import annotations

import inspect
import threading
import types
from collections import OrderedDict
from typing import Any, Protocol

import numpy as np

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.catalog import inlining
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.rewrite.partition import must_be_cut
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.runtime.growing_arguments import GrowingArguments
from npcompile.tiering.backoff import Backoff

# The families that were jitted last are kept, up to this number: each holds programs and kernels.
MAX_FAMILIES = 128
# Of a family that cannot share, AT_ONCE functions are recorded at their first call. Each one after these is
# called plain once more than the one before, up to LATEST times: most end before a recording pays.
AT_ONCE, LATER, LATEST = 8, 1, 256
# They do not share where more than a few programs are for one closure, and each answers for fewer calls.
FEW, PAYS = 3, 8
_DEPTH = 4  # of closures within closures that tell families apart

_SHARED = (
    *("by_signature", "_groups", "_kinds", "_crowd", "_lock", "_uncompiled", "kept_programs", "_growing"),
    *("balance", "balances", "spending"),
)

_FUNCTIONS = types.BuiltinFunctionType, np.ufunc, numpy_private.DISPATCHER

_families: OrderedDict[Any, Family] = OrderedDict()
_lock = threading.Lock()


class Member(Protocol):
    """A function that may share what is recorded of it: `RecordedFunction`."""

    __wrapped__: Any
    _growing: GrowingArguments
    own_stats: Stats


class Family:
    """Holds what functions of one `def`, jitted with the same options, have in common."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.globals = names  # by whose id it is known
        self.held: dict[str, Any] = {}
        self.own_stats = Stats()  # whose reasons all of them have
        self.parted = False  # they cannot share: what comes is recorded by itself
        self._at_once = AT_ONCE  # as many more are recorded at their first call
        self._rests = Backoff(LATER, factor=1, most=LATEST, step=LATER)
        self._members = 0  # members that have shared
        self._differences = 0  # programs of signatures for which there was one

    def part(self) -> None:
        """Share nothing from now on, and hold nothing."""
        self.parted, self.held = True, {}

    def differs(self, replays: int) -> bool:
        """Note another program of a signature for which there was one, and tell whether programs are of
        little use to others: they may hold what one closure holds, its classes, say. A function that is the
        only one so far differs from itself by what it decides alone."""
        if self._members == 1:
            return False
        self._differences += 1
        return self._differences > FEW and replays < PAYS * self._differences

    def rest(self) -> int:
        """Count another function that shares nothing; give how many of its calls are not recorded."""
        if self._at_once:
            self._at_once -= 1
            return 0
        return self._rests.wait()

    def take(self, jitted: Member) -> None:
        """Have a function share, which has recorded nothing yet."""
        self._members += 1
        if not self.held:
            jitted._growing = GrowingArguments(_like(jitted.__wrapped__))
            self.held = {name: getattr(jitted, name) for name in _SHARED}
            self.own_stats = jitted.own_stats
        for name, value in self.held.items():
            setattr(jitted, name, value)
        jitted.own_stats.share(self.own_stats)


def family_of(fn: Any, options: tuple[Any, ...]) -> Family | None:
    """The family of a function that is jitted with these options; None where there is none of its kind."""
    if type(fn) is not types.FunctionType or inlining.key_of(fn) is fn:
        return None
    key = _code_of(fn, _DEPTH), options
    with _lock:
        if (family := _families.get(key)) is None:
            family = _families[key] = Family(fn.__globals__)
            family.parted = not _may_share(fn)
            if len(_families) > MAX_FAMILIES:
                _families.popitem(last=False)
        _families.move_to_end(key)
    return family


def _code_of(fn: types.FunctionType, depth: int) -> tuple[Any, ...]:
    """The code that calls of a function run: its own, and that of functions in its closure."""
    code = fn.__code__, fn.__code__.co_filename, id(fn.__globals__)
    if not fn.__closure__ or not depth:
        return code
    return *code, *(_part_of(cell, depth - 1) for cell in fn.__closure__)


def _part_of(cell: types.CellType, depth: int) -> Any:
    try:
        held = cell.cell_contents
    except ValueError:  # it is given its content later
        return None
    function, _ = inlining.unwrapped(held, ())
    if type(function) is types.FunctionType:
        return _code_of(function, depth)
    if isinstance(held, _FUNCTIONS):
        return str(getattr(held, "__name__", ""))  # a builtin method holds its object
    return held if type(held) is bool else None


def forget() -> None:
    """Share nothing of what has been recorded so far with functions that are jitted from now on."""
    with _lock:
        _families.clear()


def renew(renewed: dict[Any, tuple[Any, dict[Any, Any]]]) -> None:
    """In a forked child: lock and states in place of those that go by this lock. A family none of whose
    functions is left begins anew."""
    global _lock
    _lock = threading.Lock()
    for key, family in list(_families.items()):
        if not family.held:
            continue
        if (own := family.held["_lock"]) in renewed:
            family.held["_lock"], family.held["by_signature"] = renewed[own]
        else:
            del _families[key]


def known() -> int:
    """The number of families that are kept."""
    return len(_families)


def _may_share(fn: types.FunctionType) -> bool:
    if fn.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    return isinstance(rewrite(fn), Rewritten) and not must_be_cut(fn)


def _like(fn: Any) -> types.FunctionType:
    """A function of the same code that holds nothing."""
    cells = tuple(types.CellType() for _ in fn.__code__.co_freevars)
    return types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, None, cells)
