"""Where npcompile's own code lies: tells its frames from the user's, and names the sources of its ops.

Paths of folders end with a separator: a file lies in a folder if its path begins with the folder's.
"""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = os.path.dirname(__file__) + os.sep
FRONTEND = os.path.join(PACKAGE, "frontend") + os.sep
RECORDING = os.path.join(FRONTEND, "recording") + os.sep
HOOKS = os.path.join(FRONTEND, "hooks.py")
LANES = os.path.join(FRONTEND, "lanes.py")


def sources_of_ops() -> list[Path]:
    """The files that say what ops compute: their statements, the table, the rules of dtypes."""
    frontend = Path(FRONTEND)
    return sorted([*frontend.glob("ops/*.py"), frontend / "table.py", *Path(PACKAGE).glob("nep50/*.py")])
