"""Says which folder keeps what later processes use. It imports neither torch nor the rest of npcompile."""

from __future__ import annotations

import os


def root() -> str:
    """Return the folder that holds a folder of kernels for each combination of versions.

    It is `$NPCOMPILE_CACHE_DIR`, else `npcompile` in `$XDG_CACHE_HOME`, else `~/.cache/npcompile`.
    """
    if named := os.environ.get("NPCOMPILE_CACHE_DIR"):
        return named
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # the XDG Base Directory Specification has relative paths ignored
        caches = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(caches, "npcompile")
