"""The places of npcompile's own code: they tell its frames from the user's, and name the sources of its ops.

It names the folder of kernels on disk, too, and imports no torch. Paths of folders of code end with a
separator: a file lies in a folder if its path begins with the folder's.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # a program that `python -m npcompile run` runs waits for the imports of this file
if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def _folder(*names: str) -> str:
    return os.path.join(PACKAGE, *names) + os.sep


FRONTEND = _folder("frontend")
HOOKS = os.path.join(PACKAGE, "frontend", "rewrite", "hooks.py")
DEVICE_LANE = frozenset(
    os.path.join(PACKAGE, "frontend", "replay", name)
    for name in ("device_lane.py", "residency.py", "same_layout.py")
)
# Files whose frames may lie between the user's code and an operation that is done for it: hooks and their
# wrappers.
AROUND_HOOKS = (
    FRONTEND,
    _folder("verify"),
    os.path.join(PACKAGE, "tiering", "overhead.py"),
)
# Folders whose functions keep the answer to the user's call in a local name `result` (see `Fault`).
ANSWERING = (
    PACKAGE,
    _folder("runtime"),
    _folder("partition"),
    _folder("tiering"),
    _folder("frontend", "record"),
)


def sources_of_ops() -> list[Path]:
    """Return the files that determine what ops compute: their statements, the table, the rules of dtypes."""
    from pathlib import Path

    return sorted([*Path(FRONTEND).glob("ops/*.py"), *Path(PACKAGE).glob("nep50/*.py")])


def kernels_root() -> str:
    """Return the folder that holds a folder of kernels for each combination of versions.

    It is `$NPCOMPILE_CACHE_DIR`, else `npcompile` in `$XDG_CACHE_HOME`, else `~/.cache/npcompile`.
    """
    if named := os.environ.get("NPCOMPILE_CACHE_DIR"):
        return named
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # the XDG Base Directory Specification has relative paths ignored
        caches = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(caches, "npcompile")
