"""`python -m tests.written FOLDER [pytest's arguments]` writes; `--compare ONE OTHER` names what differs.

Tests that differ between two runs of one version are left out by `--unsteady AGAIN`: ONE and AGAIN are then
of the same version. Exit status 0: no difference.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path


def differing(one: Path, other: Path) -> set[str]:
    """Return the names of files that only one of two folders has, or that differ."""
    names = {path.name for folder in (one, other) for path in folder.iterdir()}
    return {
        name
        for name in names
        if not (one / name).exists()
        or not (other / name).exists()
        or (one / name).read_bytes() != (other / name).read_bytes()
    }


def compare(one: Path, other: Path, again: Path | None) -> int:
    unsteady = set() if again is None else differing(one, again)
    different = differing(one, other) - unsteady
    for name in sorted(different):
        path = one / name if (one / name).exists() else other / name
        print(path.read_text().partition("\n")[0], f"({name})")
    total = len(list(one.iterdir()))
    print(f"{total} tests, {len(different)} differ, {len(unsteady)} differ between two runs of one version")
    return int(bool(different))


def write(folder: Path, arguments: list[str]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.written.plugin", "--written", str(folder)]
    return subprocess.run([*command, *arguments], env={**os.environ, "PYTHONHASHSEED": "0"}).returncode


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--unsteady", type=Path)
    options, rest = parser.parse_known_args()
    if options.compare:
        return compare(*options.folders, options.unsteady)
    return write(options.folders[0], [str(path) for path in options.folders[1:]] + rest)


if __name__ == "__main__":
    sys.exit(main())
