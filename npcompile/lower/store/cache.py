"""The kernel cache on disk: a library and a metadata file for each key, trusted only if they are this user's.

The worker stores, and both processes load. A library is loaded only if its checksum is the one in its
metadata. No entry becomes stale: a key is a digest of the sources and flags that its library is made of. Keys
come from `lower/plan/graph.py` and, of native loops, from `lower/loops/service/compiler.py`. `eviction.py`
keeps the folder below its limit.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch

from npcompile.diagnostics.paths import kernels_root as root
from npcompile.lower import notices
from npcompile.lower.store import eviction

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_private: list[tuple[Path, int]] = []


class Refused(Exception):
    """A file or folder is not to be trusted; the text says why."""


def tag() -> str:
    """Return the folder's name: libraries of different versions never meet."""
    machine = os.uname().machine
    return f"torch{torch.__version__}-{sys.implementation.cache_tag}-{machine}"


def directory() -> Path:
    """Return the folder of the kernels of these versions, made if it is missing.

    When that cannot be used or is not this user's own, it is a private folder that lives as long as this
    process. Raises OSError where neither can be written.
    """
    path = _directory(root(), os.getpid())
    if not path.is_dir():  # somebody has cleaned up meanwhile
        _directory.cache_clear()
        path = _directory(root(), os.getpid())
    return path


@cache
def _directory(parent: str, pid: int) -> Path:
    path = Path(parent) / tag()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_directory(path)
        _check_parent(path.parent)
    except (OSError, Refused) as reason:
        try:
            path = Path(tempfile.mkdtemp(prefix="npcompile-"))
        except OSError as error:
            missing = OSError(f"there is no folder for kernels ({reason}; {error})")
            missing.errno = errno.EACCES  # whatever the second attempt failed by
            raise missing from None
        _private.append((path, pid))
        notices.tell(
            f"compiled kernels are kept for this process alone, not for later ones, as {reason}; "
            "instead: set NPCOMPILE_CACHE_DIR to a folder that you alone can write"
        )
    return path


def folder_id(folder: Path) -> tuple[int, int]:
    """Return a folder's identity, which differs if somebody has removed it and another one has its name."""
    info = os.stat(folder)
    return info.st_dev, info.st_ino


def remove_private() -> None:
    """Remove the private folders of this process, once its worker has ended."""
    for path, pid in _private:
        if os.getpid() == pid:  # a forked child leaves its parent's folder alone
            shutil.rmtree(path, ignore_errors=True)


def check_directory(path: Path) -> None:
    """Raises Refused unless the folder is this user's and only this user can change it."""
    info = os.stat(path)
    if not stat.S_ISDIR(info.st_mode):
        raise Refused(f"{path} is not a folder")
    if info.st_uid != os.geteuid():
        raise Refused(f"{path} belongs to another user")
    if info.st_mode & WRITABLE_BY_OTHERS:
        raise Refused(f"{path} can be written by other users")
    if not os.access(path, os.W_OK | os.X_OK):
        raise Refused(f"{path} cannot be written")


def _check_parent(path: Path) -> None:
    """Raise Refused if somebody else could put another folder in place of ours."""
    info = os.stat(path)
    if info.st_mode & WRITABLE_BY_OTHERS and not info.st_mode & stat.S_ISVTX:
        raise Refused(f"{path} can be written by other users")
    if info.st_uid not in (0, os.geteuid()):
        raise Refused(f"{path} belongs to another user")


def read(path: Path) -> bytes:
    """Return the bytes of a file of this user's.

    Raises Refused for a file of anyone else's, OSError if there is no file.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & WRITABLE_BY_OTHERS:
            raise Refused(f"{path} belongs to another user or can be written by others")
        return file.read()


def store(folder: Path, key: str, library: Path | None, metadata: dict[str, Any]) -> None:
    """Put a library (moved from where it is) and its metadata under a key, whole or not at all.

    The library goes first: metadata without its library is never seen. Of two processes the last one wins;
    the checksum detects a mixture of both, which is then not loaded. Raises OSError; then nothing is left.
    """
    metadata = dict(metadata)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".tmp-")  # made with mode 0600
    try:
        if library is not None:
            metadata["library"] = hashlib.sha256(library.read_bytes()).hexdigest()
        with os.fdopen(handle, "w") as file:
            file.write(_sealed(metadata))
        if library is not None:
            os.chmod(library, 0o600)
            os.replace(library, folder / f"{key}.so")
        os.replace(name, folder / f"{key}.json")
    except BaseException:  # a full disk, say
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    eviction.keep_below(folder)


_SEAL = '"checksum": "'


def _sealed(metadata: dict[str, Any]) -> str:
    """Return metadata as text that ends with a checksum of the text before it."""
    text = json.dumps(metadata)[:-1] + (", " if metadata else "")
    return f'{text}{_SEAL}{hashlib.sha256(text.encode()).hexdigest()}"}}'


def _unsealed(data: bytes) -> dict[str, Any]:
    """Return the metadata of a sealed text. Raises ValueError for any other text."""
    text, _, seal = data.rpartition(_SEAL.encode())
    if seal != f'{hashlib.sha256(text).hexdigest()}"}}'.encode():
        raise ValueError("the metadata is damaged")
    metadata: dict[str, Any] = json.loads(data)
    del metadata["checksum"]
    return metadata


def load(folder: Path, key: str) -> tuple[Path | None, dict[str, Any]] | None:
    """Return the library's path and the metadata, None if they are missing or damaged.

    Raises Refused where a file could have been written by another user.
    """
    library = folder / f"{key}.so"
    try:
        check_directory(folder)
        metadata = _unsealed(read(folder / f"{key}.json"))
        with contextlib.suppress(OSError):  # on a disk that cannot be written
            os.utime(folder / f"{key}.json")  # `eviction.py` removes what was not used for longest
        if "library" not in metadata:
            return None, metadata
        if hashlib.sha256(read(library)).hexdigest() != metadata["library"]:
            return None
    except (OSError, ValueError):
        return None
    return library, metadata


def work_prefix() -> str:
    """Return the beginning of the names of this process's work folders in the cache folder."""
    return f"work-{os.getpid()}-"


def remove_work_folders(folder: Path, pid: int | None = None) -> None:
    """Remove the work folders of that process, or of all processes that have ended."""
    for path in folder.glob("work-*-*" if pid is None else f"work-{pid}-*"):
        owner = path.name.split("-")[1]
        if pid is not None or (owner.isdigit() and not _alive(int(owner))):
            shutil.rmtree(path, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
