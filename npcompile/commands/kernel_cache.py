"""`python -m npcompile cache`: prints what the kernel cache holds, or empties it."""

from __future__ import annotations

from pathlib import Path

from npcompile.diagnostics.settings import config
from npcompile.diagnostics.words import count_text
from npcompile.lower.store import cache, eviction


def size_text(size: float) -> str:
    """Return a number of bytes in words: 2147483648 gives "2.1 GB"."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def folders() -> list[Path]:
    """Return the folders of kernels, one for each combination of versions that has been used."""
    root = Path(cache.root())
    return sorted(path for path in root.glob("torch*") if path.is_dir()) if root.is_dir() else []


def info() -> int:
    """Print where the kernels are, how many there are, and how much room they take."""
    most = config.cache_bytes
    print(f"kernels are kept in {cache.root()}")
    print(f"{size_text(most)} at most for each Python and PyTorch" if most else "no limit on their size")
    for folder in folders():
        kernels = eviction.kernels(folder)
        mine = "  (this Python and PyTorch)" if folder.name == cache.tag() else ""
        total = size_text(sum(kernel.size for kernel in kernels))
        print(f"  {folder.name}: {count_text(len(kernels), 'kernel')}, {total}{mine}")
    if not folders():
        print("  no kernels yet")
    return 0


def clear() -> int:
    """Remove all kernels, of all versions. Processes keep those that they have loaded."""
    count = size = 0
    for folder in folders():
        for kernel in eviction.kernels(folder):
            eviction.remove(folder, kernel.key)
            count += 1
            size += kernel.size
    print(f"removed {count_text(count, 'kernel')}, {size_text(size)}, from {cache.root()}")
    return 0
