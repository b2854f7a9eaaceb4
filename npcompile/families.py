"""Functions that one `def` inside a function makes, call after call, and that are jitted each time, share
what was recorded of them.

Their programs take the function itself as their first input, and read its closure anew at each call; defaults
are arguments as others are. A function that has to be cut into blocks shares nothing, as blocks are made with
the closure. Nothing here holds a function that was made: arrays in its closure end with it.
"""

from __future__ import annotations

import inspect
import threading
import types
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from npcompile.frontend import follow
from npcompile.frontend.outline import must_be_cut
from npcompile.frontend.rewrite import Rewritten, rewrite
from npcompile.growing import Growing

if TYPE_CHECKING:
    from npcompile.jit import Jitted

# So many families are kept, those that were jitted last: each holds programs and kernels.
MAX_FAMILIES = 128

_SHARED = (
    *("_states", "_groups", "_kinds", "_crowd", "_lock", "_uncompiled", "_programs", "_growing"),
    *("balance", "balances", "spending"),
)

_families: OrderedDict[Any, Family] = OrderedDict()
_lock = threading.Lock()


class Family:
    """What functions of one `def`, jitted with the same options, have in common."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.globals = names  # by whose id it is known
        self.held: dict[str, Any] = {}
        self.reasons: list[str] = []
        self.parted = False  # they cannot share: what comes is recorded by itself

    def take(self, jitted: Jitted) -> None:
        """Have a function share, which has recorded nothing yet."""
        if not self.held:
            jitted._growing = Growing(_like(jitted.__wrapped__))
            self.held = {name: getattr(jitted, name) for name in _SHARED}
            self.reasons = jitted._stats.reasons
        for name, value in self.held.items():
            setattr(jitted, name, value)
        jitted._stats.reasons = self.reasons


def family_of(fn: Any, options: tuple[Any, ...]) -> Family | None:
    """The family of a function that is jitted with these options; None where it is to be by itself."""
    if type(fn) is not types.FunctionType or (key := follow.key_of(fn)) is fn:
        return None
    key = key, options
    with _lock:
        if (family := _families.get(key)) is None:
            family = _families[key] = Family(fn.__globals__)
            family.parted = not _may_share(fn)
            if len(_families) > MAX_FAMILIES:
                _families.popitem(last=False)
        _families.move_to_end(key)
    return None if family.parted else family


def forget() -> None:
    """Share nothing of what has been recorded so far with functions that are jitted from now on."""
    with _lock:
        _families.clear()


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
