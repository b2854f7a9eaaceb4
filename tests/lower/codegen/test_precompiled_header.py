"""The precompiled header is made once a process, or once for all processes that name a folder for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from npcompile.lower.codegen.cpp import Header

COMPILER = '#!/bin/sh\nfor last; do :; done\necho made >"$last"\n'


@pytest.fixture
def compiler(tmp_path: Path) -> str:
    """A compiler that writes its output and nothing else."""
    path = tmp_path / "compiler"
    path.write_text(COMPILER)
    path.chmod(0o700)
    return str(path)


def folder(root: Path, name: str) -> Path:
    (root / name).mkdir()
    return root / name


def made(header: Header, compiler: str) -> list[str]:
    """Return the flags of the first kernel after the header was made."""
    assert [header.flags(compiler) for _ in range(Header.MADE_AT)] == [[]] * Header.MADE_AT
    assert header.process is not None and header.process.wait() == 0
    return header.flags(compiler)


def test_each_process_makes_its_own(tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_HEADER_DIR", raising=False)
    one, other = Header(folder(tmp_path, "one")), Header(folder(tmp_path, "other"))
    assert made(one, compiler) == ["-include", str(tmp_path / "one" / "prefix.h")]
    assert (tmp_path / "one" / "prefix.h.gch").exists()
    assert other.flags(compiler) == []


def test_a_folder_keeps_it_for_other_processes(
    tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_HEADER_DIR", str(tmp_path / "kept"))
    flags = made(Header(folder(tmp_path, "one")), compiler)
    assert Path(flags[1]).parent == tmp_path / "kept" and Path(f"{flags[1]}.gch").exists()
    other = Header(folder(tmp_path, "other"))
    assert other.flags(compiler) == flags and other.process is None
    assert Header(tmp_path / "other").flags("another compiler") == []


def test_processes_that_make_it_at_once_take_the_same(
    tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_HEADER_DIR", str(tmp_path / "kept"))
    flags = []
    for process, header in enumerate(headers := [Header(tmp_path), Header(tmp_path)]):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        for _ in range(Header.MADE_AT):
            header.flags(compiler)
    for header in headers:
        assert header.process is not None and header.process.wait() == 0
        flags.append(header.flags(compiler))
    assert flags[0] == flags[1] and len(flags[0]) == 2
    assert len([*(tmp_path / "kept").iterdir()]) == 2


def test_other_texts_and_flags_have_files_of_their_own(
    tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_HEADER_DIR", str(tmp_path / "kept"))
    headers = [
        Header(tmp_path),
        Header(tmp_path, "#include <vector>\n"),
        Header(tmp_path, "#include <vector>\n", lambda: ["-O0"]),
    ]
    files = [made(header, compiler)[1] for header in headers]
    assert len(set(files)) == 3
    assert Path(files[1]).read_text() == "#include <vector>\n"
