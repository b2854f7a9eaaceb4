"""Builds and loads the native runtime (native.cpp): the worker builds it into the kernel cache, once.

Each process loads it from there. Without it no kernel runs, and calls go to NumPy.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import re
import sysconfig
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from npcompile.diagnostics.settings import Config
from npcompile.lower.codegen import cpp
from npcompile.lower.store import cache as files
from npcompile.lower.store import eviction

SOURCE = Path(__file__).with_name("native.cpp")


def _included(source: Path) -> dict[Path, None]:
    """Return the headers of ours that a file includes, directly or through others."""
    load_if_built: dict[Path, None] = {}
    for name in re.findall(r'^#include "(.+)"', source.read_text(), re.MULTILINE):
        header = source.with_name(name)
        load_if_built |= {header: None, **_included(header)}
    return load_if_built


HEADERS = tuple(_included(SOURCE))
FLAGS = ("-O2", "-DNDEBUG", "-std=c++17", "-fPIC", "-shared", "-pthread", "-w", "-fvisibility=hidden")

_lock = threading.Lock()
_module: ModuleType | None = None
_failures: list[str] = []
MAX_FAILURES = 2  # after which the module is not built again


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


@cache
def key() -> str:
    """Return the key of the built module: its source, and the Python and NumPy it was built for."""
    digest = hashlib.sha256(b"".join([file.read_bytes() for file in (SOURCE, *HEADERS)]))
    digest.update(f"{sysconfig.get_config_var('SOABI')} {' '.join(FLAGS)} numpy 2".encode())
    return f"native-{digest.hexdigest()[:32]}"


def build(folder: Path, compiler: str, run: Callable[[list[str]], None] = cpp.run) -> None:
    """Compile native.cpp and put it under `key()`, unless it is there. Raises `cpp.CompilerFailed`.

    run: runs the compiler.
    """
    if files.load(folder, key()) is not None:
        return
    with tempfile.TemporaryDirectory(dir=folder, prefix=files.work_prefix()) as work:
        library = Path(work) / "native.so"
        includes = [sysconfig.get_paths()["include"], _numpy_include()]
        run([compiler, str(SOURCE), *FLAGS, *(f"-I{i}" for i in includes), "-ldl", "-o", str(library)])
        files.store(folder, key(), library, {})


def _numpy_include() -> str:
    spec = importlib.util.find_spec("numpy")
    assert spec is not None and spec.origin is not None
    return str(Path(spec.origin).parent / "_core" / "include")


def load(folder: Path) -> Any:
    """Return the native module, None while it has not been built. Raises `cache.Refused` and ImportError."""
    global _module
    with _lock:
        if _module is None:
            found = files.load(folder, key())
            if found is None or found[0] is None:
                return None
            name = f"{__package__}._native"
            loader = importlib.machinery.ExtensionFileLoader(name, str(found[0]))
            spec = importlib.util.spec_from_file_location(name, found[0], loader=loader)
            assert spec is not None
            if len(_failures) >= MAX_FAILURES:
                raise ImportError(_failures[-1])
            try:
                module = importlib.util.module_from_spec(spec)
                loader.exec_module(module)
            except ImportError as error:
                _failures.append(f"the native runtime cannot be loaded: {error}")
                eviction.remove(folder, key())  # the worker builds it anew
                raise ImportError(_failures[-1]) from None
            at_first = module.stats()["limit"]
            Config.pool_bytes.follow(lambda limit: module.set_limit(at_first if limit is None else limit))
            _module = module
        return _module


def load_if_built() -> Any:
    """Return the native module, None if it has not been built or cannot be loaded."""
    try:
        return _module or load(files.directory())
    except (files.Refused, ImportError, OSError):
        return None  # loading a kernel raises the same, and reports it


def loaded() -> Any:
    """Return the native module if this process has loaded it, else None."""
    return _module
