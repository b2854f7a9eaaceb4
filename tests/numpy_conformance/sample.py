"""The tests that the compiled lane runs: 300 of those that the jit lane replays at once with work to compile.

Of the tests of all modules whose second call in the jit lane is a replay of at least one segment, those whose
"module::test" has the smallest hash. The list is written down (`compiled_sample.txt`), so that it stays the
same from change to change; `--sample` writes it anew from the jit lane's outcomes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from .plugin import Outcome

SIZE = 300
FILE = Path(__file__).parent / "compiled_sample.txt"


def tests(module: str) -> frozenset[str]:
    """The module's tests that are in the sample."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return frozenset(line.partition("::")[2] for line in lines if line.startswith(f"{module}::"))


def choose(modules: dict[str, dict[str, Outcome]]) -> list[str]:
    """The sample, from the jit lane's outcomes by module and test."""
    found = [
        f"{module}::{test}"
        for module, outcomes in modules.items()
        for test, out in outcomes.items()
        if out.replayed_at == 2 and out.segments > 0
    ]
    return sorted(sorted(found, key=lambda name: hashlib.sha256(name.encode()).digest())[:SIZE])


def write(modules: dict[str, dict[str, Outcome]]) -> None:
    FILE.write_text("".join(f"{name}\n" for name in choose(modules)))
