"""The wheel and the source distribution have all that they need: tried away from the checkout.

They are built by the setuptools that is installed. A virtual environment that holds nothing but the wheel
finds NumPy and PyTorch in the environment of this run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import npcompile

ROOT = Path(__file__).resolve().parents[2]
NAME = f"npcompile-{npcompile.__version__}"
# Beside the package: what the source distribution's tests read.
PARTS = (
    "LICENSE README.md CHANGELOG.md constraints.txt pyproject.toml run docs/architecture.md examples/tour.py"
)
BUILD = """\
import sys
from setuptools import build_meta
folder = sys.argv[1]  # setuptools writes other arguments there
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


def run(arguments: list[str], where: Path, **variables: str) -> str:
    """Run a command without this checkout on Python's path; return what it prints."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    ran = subprocess.run(arguments, cwd=where, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both from a copy of the files that git knows, so that nothing is written to the checkout."""
    folder = tmp_path_factory.mktemp("distributions")
    source, made = folder / "source", folder / "made"
    listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    run([sys.executable, "-W", "ignore", "-c", BUILD, str(made)], source)
    return made


@pytest.mark.slow
def test_the_package_index_takes_both(built: Path) -> None:
    both = sorted(str(path) for path in built.iterdir() if path.name.startswith(NAME))
    assert len(both) == 2
    said = run([sys.executable, "-m", "twine", "check", "--strict", *both], built)
    assert said.count("PASSED") == 2, said


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone(built: Path) -> None:
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
        (metadata,) = (wheel.read(name).decode() for name in names if name.endswith("/METADATA"))
    ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / "npcompile").rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    assert {name for name in names if ".dist-info/" not in name} == ours
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert f"Version: {npcompile.__version__}" in metadata and "License-Expression: BSD-3-Clause" in metadata


@pytest.mark.slow
def test_the_wheel_compiles_programs_in_an_environment_of_its_own(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "fresh", symlinks=True)
    python = str(tmp_path / "fresh" / "bin" / "python")
    (packages,) = (tmp_path / "fresh").glob("lib/python3*/site-packages")
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        wheel.extractall(packages)
    # Path files in the folder named are not read, so that the checkout does not come with it.
    (packages / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    where = run([python, "-c", "import npcompile; print(npcompile.__file__)"], tmp_path)
    assert Path(where.strip()).parent == packages / "npcompile"
    report = run(
        [python, "-m", "npcompile", "doctor"], tmp_path, NPCOMPILE_CACHE_DIR=str(tmp_path / "kernels")
    )
    assert "programs are compiled here" in report


@pytest.mark.slow
def test_the_source_distribution_passes_tests_of_its_own(built: Path, tmp_path: Path) -> None:
    with tarfile.open(built / f"{NAME}.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    source = tmp_path / NAME
    assert all((source / part).exists() for part in PARTS.split())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tests = ["tests/test_docs.py", "tests/frontend/loops/passes/test_intervals.py", "tests/nep50"]
    text = run([*command, *tests], source, PYTHONPATH=str(source))
    assert " passed" in text
