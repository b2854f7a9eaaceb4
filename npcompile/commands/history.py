"""Remembers programs that ran for long, and the time that the engine takes to be imported, for later runs.

Each is a small file in the folder of the kernels. A program is known by its text, its arguments and the
folder that it runs in.
"""

from __future__ import annotations

import contextlib
import os
from importlib.util import source_hash

TYPE_CHECKING = False  # a program that runs waits for the imports of this file
if TYPE_CHECKING:
    from collections.abc import Sequence

_IMPORT_SECONDS = 2.5  # where it has not been measured


def import_seconds(folder: str) -> float:
    """Return the time that the last import of the engine took, as far as it is known."""
    return _measured(folder) or _IMPORT_SECONDS


def is_import_measured(folder: str) -> bool:
    """Tell if it is known how long the engine takes to be imported."""
    return _measured(folder) > 0.0


def remember_import(folder: str, seconds: float) -> None:
    """Write down the time that an import of the engine took."""
    _write(os.path.join(folder, "import_seconds"), [seconds])


def _measured(folder: str) -> float:
    return _read(os.path.join(folder, "import_seconds"), 1)[0]


class History:
    """The seconds that a program's last runs took: plain, and with its functions jitted from the start.

    0: there was no run of that kind. Programs that gain nothing from being jitted have 0 for plain.
    """

    def __init__(self, folder: str, source: bytes, arguments: Sequence[str]) -> None:
        key = source_hash(b"\0".join([source, *map(os.fsencode, arguments), os.fsencode(os.getcwd())])).hex()
        self._path = os.path.join(folder, "runs", key)
        self.plain, self.jitted = _read(self._path, 2)

    def remember(self, plain: float, jitted: float) -> None:
        """Write down the seconds of a run."""
        self.plain, self.jitted = plain, jitted
        _write(self._path, [plain, jitted])


def _read(path: str, count: int) -> list[float]:
    with contextlib.suppress(OSError, ValueError):
        with open(path, encoding="ascii") as file:
            numbers = [float(text) for text in file.read().split()]
        if len(numbers) == count:
            return numbers
    return [0.0] * count


def _write(path: str, numbers: Sequence[float]) -> None:
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="ascii") as file:
            file.write(" ".join(f"{number:.3f}" for number in numbers))
        os.replace(file.name, path)
