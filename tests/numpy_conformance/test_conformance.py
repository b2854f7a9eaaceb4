"""NumPy's own tests in the shim: exactly the listed ones fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .known import problems
from .modules import MODULES, NOT_ON_EVERY_CHANGE
from .plugin import Outcome

REPOSITORY = Path(__file__).resolve().parents[2]
ON_EVERY_CHANGE = [module for module in MODULES if module not in NOT_ON_EVERY_CHANGE]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Outcome]]:
    """Outcomes by module and test, from a process whose warnings, threads and signals are not this one's."""
    file = tmp_path_factory.mktemp("conformance") / "outcomes.json"
    command = [sys.executable, "-m", "tests.numpy_conformance", "--every-change", "--json", str(file)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    modules = json.loads(file.read_text())["shim"]
    return {m: {out["test"]: Outcome(**out) for out in outs} for m, outs in modules.items()}


@pytest.mark.parametrize("module", ON_EVERY_CHANGE)
def test_exactly_the_listed_tests_fail(module: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    assert problems("shim", module, outcomes[module]) == []


@pytest.mark.parametrize("module", ON_EVERY_CHANGE)
def test_none_crashes(module: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    assert [test for test, out in outcomes[module].items() if out.outcome == "crashed"] == []
