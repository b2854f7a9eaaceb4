"""The size limit of the kernel cache: the kernels that have not been used for longest are removed.

`cache.py` calls `keep_below` after it has stored a kernel. The time of the last use is the modification time
of a kernel's metadata file, which loading it renews. A process keeps a library that it has loaded.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

from npcompile.diagnostics.settings import config

LEFT = 0.8  # of the limit is kept, so that one eviction makes room for many kernels
# A kernel that was used within so many seconds stays: another process may be about to load it.
IN_USE = 60.0


class Kernel(NamedTuple):
    """A kernel in the cache. size: bytes of its files; used: when it was last used, in seconds."""

    key: str
    size: int
    used: float


def kernels(folder: Path) -> list[Kernel]:
    """Return the kernels in a folder, the one that was used last at the end."""
    sizes: dict[str, int] = {}
    used: dict[str, float] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            key, ending = os.path.splitext(entry.name)
            if ending in (".json", ".so") and not key.startswith("."):
                with contextlib.suppress(FileNotFoundError):  # another process has removed it
                    info = entry.stat(follow_symlinks=False)
                    sizes[key] = sizes.get(key, 0) + info.st_size
                    used[key] = max(used.get(key, 0.0), info.st_mtime)
    return sorted((Kernel(key, size, used[key]) for key, size in sizes.items()), key=lambda one: one.used)


def remove(folder: Path, key: str) -> None:
    """Remove a kernel's files: the metadata first, without which the library is never loaded."""
    for ending in ("json", "so"):
        with contextlib.suppress(OSError):
            os.unlink(folder / f"{key}.{ending}")


def keep_below(folder: Path) -> None:
    """Remove the kernels that were not used for longest, if all of them take more than the limit."""
    most = config.cache_bytes
    if not most:
        return
    found = kernels(folder)
    size = sum(kernel.size for kernel in found)
    if size <= most:
        return
    newest = time.time() - IN_USE
    for kernel in found:
        if size <= LEFT * most or kernel.used > newest:
            return
        remove(folder, kernel.key)
        size -= kernel.size
