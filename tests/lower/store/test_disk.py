"""Kernels on disk: found again by another process, and never loaded when they may be another's doing."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.lower.native import native
from npcompile.lower.service import compiler
from npcompile.lower.service.compiler import Job, submit
from npcompile.lower.store import cache
from tests.lower.segments import compiled, segment

X = np.arange(12.0).reshape(3, 4)

SENT = Cause.DIED("sent to the worker")


def body(b, x):
    return [b(torch.add, b(torch.mul, x, 2), 1)]


def again(monkeypatch, folder: Path | None = None) -> Job:
    """The same segment in a process that has nothing in memory; the worker is not to be asked."""
    fresh = compiler._Compiler()
    monkeypatch.setattr(fresh, "start", lambda job=None: job.finish(SENT))
    monkeypatch.setattr(compiler, "_compiler", fresh)
    if folder is not None:
        monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(folder))
    return submit(segment(body, [X], [X]))


@pytest.fixture
def files(tmp_path, monkeypatch) -> dict[str, Path]:
    """A kernel in a cache folder of this test's own."""
    job = compiled(body, [X], [X])
    source = cache.directory()
    root = tmp_path / "cache"
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(root))
    folder = cache.directory()
    for name in (job.key, native.key()):
        for ending in ("so", "json"):
            (folder / f"{name}.{ending}").write_bytes((source / f"{name}.{ending}").read_bytes())
            (folder / f"{name}.{ending}").chmod(0o600)
    return {
        "root": root,
        "folder": folder,
        "so": folder / f"{job.key}.so",
        "json": folder / f"{job.key}.json",
    }


def test_a_kernel_is_found_again(files, monkeypatch):
    job = again(monkeypatch)
    assert job.done and job.error is None and job.from_disk and job.source
    assert np.array_equal(job.kernel(X), X * 2 + 1)


def test_another_process_needs_no_compiler_and_no_inductor():
    job = compiled(body, [X], [X])
    script = """
import sys, numpy as np
sys.argv[1:]
from tests.lower.segments import segment
from tests.lower.store.test_disk import X, body
from npcompile.lower.service import compiler
job = compiler.submit(segment(body, [X], [X]))
assert job.done and job.from_disk and job.error is None, job.error
assert np.array_equal(job.kernel(X), X * 2 + 1)
assert compiler.compilations() == 0 and compiler._compiler.process is None
assert not any(m.startswith("torch._inductor") for m in sys.modules)
print(job.key)
"""
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "CXX": "/nonexistent"},
    )
    assert result.stdout.strip() == job.key, result.stderr


@pytest.mark.parametrize("which", ["so", "json"])
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_files_that_others_can_write_are_not_loaded(files, which, mode, monkeypatch):
    files[which].chmod(mode)
    assert again(monkeypatch).error == SENT
    with pytest.raises(cache.Refused, match="others"):
        cache.load(files["folder"], files["so"].stem)


@pytest.mark.parametrize("which", ["so", "json"])
def test_files_of_another_user_are_not_loaded(files, which, monkeypatch):
    real = os.fstat

    def fstat(descriptor):
        info = real(descriptor)
        if os.readlink(f"/proc/self/fd/{descriptor}") != str(files[which]):
            return info
        fields = list(info)
        fields[stat.ST_UID] = os.geteuid() + 1
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", fstat)
    assert again(monkeypatch).error == SENT


def test_links_are_not_followed(files, monkeypatch):
    elsewhere = files["root"] / "elsewhere"
    files["so"].rename(elsewhere)
    files["so"].symlink_to(elsewhere)
    assert again(monkeypatch).error == SENT


@pytest.mark.parametrize("which", ["so", "json"])
def test_damaged_files_are_not_loaded(files, which, monkeypatch):
    whole = files[which].read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:1000] + b"#" + whole[1001:]):
        files[which].write_bytes(damaged)
        assert again(monkeypatch).error == SENT
    files[which].unlink()
    assert again(monkeypatch).error == SENT


def test_a_folder_that_others_can_write_is_not_used(files, monkeypatch, tmp_path):
    files["folder"].chmod(0o777)
    assert again(monkeypatch).error == SENT
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(shared))
    folder = cache.directory()
    assert shared not in folder.parents and folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_gives_a_private_one(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert cache.directory().is_dir()
    assert cache.directory() == cache.directory()


def test_nothing_but_libraries_and_metadata_is_left(files):
    folder = cache._directory.__wrapped__(str(files["root"]), os.getpid())
    kept = {path.suffix for path in folder.iterdir()}
    assert kept == {".so", ".json"}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert json.loads(files["json"].read_text())["kernels"] == 1
