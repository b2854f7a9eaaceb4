"""NumPy's own tests, in the shim and through jit: exactly the listed ones fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .known import problems
from .modules import EVERY_CHANGE, QUICK
from .plugin import Outcome

# The first test waits for all of NumPy's, which take some sixteen minutes of one fast core.
pytestmark = pytest.mark.timeout(3600)

REPOSITORY = Path(__file__).resolve().parents[2]
RUNS = [
    pytest.param(lane, module, marks=[pytest.mark.quick] if module in QUICK else [])
    for lane, modules in EVERY_CHANGE.items()
    for module in modules
]


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, dict[str, Outcome]]]:
    """Outcomes by lane, module and test, from a process whose warnings, threads and signals are its own.

    Of the modules, those are run of which a test is to run here.
    """
    here = [item for item in request.session.items if item.path == request.path]
    modules = {item.callspec.params["module"] for item in here if isinstance(item, pytest.Function)}
    file = tmp_path_factory.mktemp("conformance") / "outcomes.json"
    command = [
        sys.executable,
        "-m",
        "tests.numpy_conformance",
        *sorted(modules),
        "--every-change",
        "--json",
        str(file),
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    lanes = json.loads(file.read_text())
    return {
        lane: {m: {out["test"]: Outcome(**out) for out in outs} for m, outs in modules.items()}
        for lane, modules in lanes.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("lane", "module"), RUNS)
def test_exactly_the_listed_tests_fail(
    lane: str, module: str, outcomes: dict[str, dict[str, dict[str, Outcome]]]
) -> None:
    assert problems(lane, module, outcomes[lane][module]) == []
