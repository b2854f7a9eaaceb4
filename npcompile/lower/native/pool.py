"""The pool of reused buffers, as users see it: how full it is, emptying it, its cap."""

from __future__ import annotations

from typing import Any

from npcompile.lower.native import kernel, native
from npcompile.lower.plan.values import Value


def stats() -> dict[str, int]:
    """Bytes in use and kept, the cap, and allocations answered by the system (`fresh`) and by the pool."""
    module = native.loaded()
    if module is None:
        return dict.fromkeys(("live_bytes", "free_bytes", "peak_bytes", "limit", "fresh", "reused"), 0)
    return dict(module.stats())


def empty_cache() -> None:
    """Give every kept buffer back to the system."""
    if (module := native.loaded()) is not None:
        module.empty_cache()


def set_limit(nbytes: int) -> None:
    """Keep at most so many bytes for reuse (at first a quarter of the memory, or NPCOMPILE_POOL_BYTES)."""
    if (module := native.loaded()) is not None:
        module.set_limit(nbytes)


def empty(value: Value) -> Any:
    """A new ndarray laid out as `value` says, in the pool's memory; None while there is no native runtime."""
    module = native.loaded()
    return None if module is None else module.empty(*kernel.spec(value, False))
