"""The threads that share a kernel's regions: every share once, barriers and single statements as OpenMP's."""

from __future__ import annotations

import subprocess
from pathlib import Path

from npcompile.lower.codegen import cpp

HERE = Path(__file__).parent


def test_regions(tmp_path: Path) -> None:
    program = tmp_path / "team"
    flags = ["-O2", "-std=c++20", "-fopenmp", "-pthread", "-w", f"-I{cpp.REGIONS.parent}"]
    cpp.run([cpp.compiler(), str(HERE / "team.cpp"), *flags, "-o", str(program)])
    result = subprocess.run([program], capture_output=True, text=True)
    assert result.stdout == "right\n", result.stderr
