"""The pool of reused buffers: reports on it, empties it and limits it.

`empty_cache` is public as `npcompile.empty_cache`. The pool itself is in the native runtime (`pool.h`).
"""

from __future__ import annotations

from typing import Any

from npcompile.lower.native import kernel, native
from npcompile.lower.plan.values import Value


def stats() -> dict[str, int]:
    """Return counts of the pool.

    Bytes in use (`live_bytes`, at most `peak_bytes`) and kept for reuse (`free_bytes`), the `limit` of the
    latter, and how many allocations the system (`fresh`) and the pool (`reused`) have answered.
    """
    module = native.loaded()
    if module is None:
        return dict.fromkeys(("live_bytes", "free_bytes", "peak_bytes", "limit", "fresh", "reused"), 0)
    return dict(module.stats())


def empty_cache() -> None:
    """Give the memory that is kept for results back to the system.

    Kernels reuse the memory of results that are no longer needed: at most `config.pool_bytes`, a quarter of
    the machine's memory unless it was set. Arrays that are in use stay as they are.

    Examples
    --------
    >>> import npcompile
    >>> npcompile.empty_cache()
    """
    if (module := native.loaded()) is not None:
        module.empty_cache()


def set_limit(nbytes: int) -> None:
    """Keep at most `nbytes` bytes for reuse.

    The limit is at first a quarter of the machine's memory, or NPCOMPILE_POOL_BYTES.
    """
    if (module := native.loaded()) is not None:
        module.set_limit(nbytes)


def empty(value: Value) -> Any:
    """Return an uninitialised ndarray laid out as `value` says, in the pool's memory.

    Returns None while there is no native runtime.
    """
    module = native.loaded()
    return None if module is None else module.empty(*kernel.spec(value, False))
