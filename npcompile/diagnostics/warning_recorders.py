"""Finds out who keeps the warnings that are raised now: programs and tests that count them count their own.

`catch_warnings(record=True)`, `pytest.warns` and the like keep all warnings in a list. `warnings` has no
public name that tells of it, so its private names are read here, and nowhere else.
"""

from __future__ import annotations

import gc
import time
import types
import warnings
from typing import Any

from npcompile.tiering.overhead import is_unlimited

# Under these names test runners keep what a test expects (`pytest.warns`, `unittest`'s `assertWarns`).
_EXPECTED = ("expected_warning", "expected")
# The last list that was looked into, and whether ours belong in it.
_seen: tuple[Any, bool] = (None, True)
# The collector goes through all objects to find who holds a list: a tenth of a second beside PyTorch.
# Such searches may take so many seconds, and such a part of the process's time. A list not looked into is
# somebody else's.
_FREE, _PART = 0.2, 0.005
_BEGAN, _spent = time.perf_counter(), 0.0


def counted(text: str, category: type[Warning], module: str, line: int) -> bool:
    """Tell if a warning raised now would be kept in a list of somebody who has not asked for this category.

    Asked for it have a filter and a test that name it, and a test runner that shows what each test warned of.
    """
    kept = _list()
    if kept is None:
        return False
    action, named = _filter(text, category, module, line)
    return action not in ("error", "ignore") and named is not category and not _is_for(kept, category)


def _list() -> list[Any] | None:
    """Return the list that warnings are kept in."""
    context = getattr(warnings, "_get_context", None)  # Python 3.14
    kept = getattr(getattr(warnings, "_showwarnmsg_impl", None), "__self__", None)
    if context is not None and (own := getattr(context(), "log", None)) is not None:
        kept = own
    return kept if isinstance(kept, list) else None


def _filter(text: str, category: type[Warning], module: str, line: int) -> tuple[str, Any]:
    """Return what is done with a warning, and the category that the filter names which says so."""
    filters = getattr(warnings, "_get_filters", lambda: warnings.filters)
    for action, message, named, where, at in filters():
        if issubclass(category, named) and _matches(message, text) and _matches(where, module):
            if at in (0, line):
                return action, named
    return "default", None


def _matches(pattern: Any, text: str) -> bool:
    if pattern is None or isinstance(pattern, str):
        return pattern in (None, text)
    return pattern.match(text) is not None


def _is_for(kept: list[Any], category: type[Warning]) -> bool:
    """Tell if a list belongs to a test that expects this very category, or to pytest itself, which keeps what
    each test warns of for its summary."""
    global _seen, _spent
    if _seen[0] is not kept:
        if _spent > _FREE + _PART * (time.perf_counter() - _BEGAN) and not is_unlimited():
            return False
        began = time.perf_counter()
        _seen = kept, any(_wants(holder, category) for holder in gc.get_referrers(kept))
        _spent += time.perf_counter() - began
    return _seen[1]


def _wants(holder: Any, category: type[Warning]) -> bool:
    if isinstance(holder, types.GeneratorType):
        frame = holder.gi_frame
        return frame is not None and str(frame.f_globals.get("__name__")).startswith("_pytest.")
    own = holder if isinstance(holder, dict) else getattr(holder, "__dict__", {})
    expected = [own.get(name) for name in _EXPECTED]
    return any(one is category or (type(one) is tuple and category in one) for one in expected)
