"""What programs become on a GPU, seen without one: how many kernels, their machine code, their values."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.triton.programs import CASES

pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")

ROOT = Path(__file__).resolve().parents[2]

# By program: the kind of each kernel (poi: of elements, red and per: reductions), what is fused in the first,
# how many arrays are allocated, and the steps of the plan.
EXPECTED: dict[str, tuple[list[str], set[str], int, list[str]]] = {
    "kmeans": (["poi"], {"argmin", "sqrt", "sum", "mul", "sub"}, 1, ["segment"]),
    "black_scholes": (["poi"], {"log", "exp", "sqrt", "div", "abs", "sign"}, 2, ["segment"]),
    # The inner part is a kernel's result, then copied to its place: the array is not copied whole.
    "stencil": (["poi"], {"add", "mul", "slice"}, 1, ["segment", "view", "copy"]),
    # The whole array's sum, the sum of squared deviations and the columns' means: two steps each.
    "statistics": (["red", "per", "red", "per", "red", "per"], {"sum"}, 6, ["segment"]),
    "masked": (["poi"], {"lt", "gt", "where", "add"}, 0, ["segment"]),  # in place
    "positive_zero": (["poi"], {"add"}, 2, ["segment"]),
    "half_precision": (["poi"], {"add", "mul"}, 1, ["segment"]),
    "single_precision": (["poi"], {"div", "sqrt"}, 1, ["segment"]),
    "square": (["poi"], {"mul", "add"}, 1, ["segment"]),
    "escape": (["poi"], {"where", "sqrt", "add"}, 0, ["segment"]),  # of complex numbers, on their parts
    "eight_trips": (["poi"], {"where", "sqrt", "add"}, 0, ["segment"]),  # of a loop, in one kernel
}
LIBRARY_CALLS = ("black_scholes",)  # exp and log of CUDA's library are made of fused multiply-adds themselves
COMPLEX = ("escape", "eight_trips")  # NumPy multiplies complex numbers by fused multiply-adds


def lane(what: str, folder: Path, **environment: str) -> dict[str, dict[str, Any]]:
    """Every program's outcome, from a process of its own: settings and drivers are for a whole process."""
    environment |= {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }
    result = subprocess.run(
        [sys.executable, "-m", "tests.triton.lane", what],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    outcomes: dict[str, dict[str, Any]] = json.loads(result.stdout)
    return outcomes


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return lane("write", tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return lane("interpret", tmp_path_factory.mktemp("interpreted"), TRITON_INTERPRET="1")


def test_every_program_has_an_expectation() -> None:
    assert set(EXPECTED) == set(CASES)


@pytest.mark.parametrize("name", EXPECTED)
def test_kernels_are_those_expected(name: str, written: dict[str, dict[str, Any]]) -> None:
    got = written[name]
    assert "error" not in got, got["error"]
    kinds, fused, allocations, steps = EXPECTED[name]
    kernels = [re.fullmatch(r"triton_([a-z]+)_fused_(\w+)_\d+", kernel) for kernel in got["kernels"]]
    assert [kernel and kernel[1] for kernel in kernels] == kinds
    assert kernels[0] and fused <= set(kernels[0][2].split("_"))
    assert got["steps"] == steps
    assert got["counted"] == len(kinds)
    assert len(re.findall(r"= empty_strided\w*\(", got["wrapper"])) == allocations
    assert not re.findall(r"extern_kernels\.\w+\(|aten\.\w+\S*\(", re.sub("#.*", "", got["wrapper"]))


@pytest.mark.parametrize("name", EXPECTED)
def test_kernels_compile_for_sm_90(name: str, written: dict[str, dict[str, Any]]) -> None:
    assert "error" not in written[name], written[name]["error"]
    for kernel, code in written[name]["kernels"].items():
        assert ".target sm_90" in code["ptx"]
        assert f".visible .entry {kernel}(" in code["ptx"]
        assert code["binary_bytes"] > 0


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in LIBRARY_CALLS + COMPLEX])
def test_each_product_is_rounded_before_it_is_added(name: str, written: dict[str, dict[str, Any]]) -> None:
    assert "error" not in written[name], written[name]["error"]
    assert not [kernel for kernel, code in written[name]["kernels"].items() if "fma.rn" in code["ptx"]]


def test_float32_quotients_and_roots_are_rounded_as_ieee_says(written: dict[str, dict[str, Any]]) -> None:
    (code,) = written["single_precision"]["kernels"].values()
    operations = set(re.findall(r"\b(?:div|sqrt)\.[\w.]+", code["ptx"]))
    assert operations == {"div.rn.f32", "sqrt.rn.f32"}


@pytest.mark.parametrize("name", EXPECTED)
def test_interpreted_kernels_give_numpys_answer(name: str, interpreted: dict[str, dict[str, Any]]) -> None:
    got = interpreted[name]
    assert "error" not in got, got["error"]
    assert got["runs"] == got["segments"] == EXPECTED[name][3].count("segment")
