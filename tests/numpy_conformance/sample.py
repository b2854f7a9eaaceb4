"""The tests that are run where not all are: of the compiled lane, and of functions with many parameters.

The compiled lane runs 300 of those that the jit lane replays at once with work to compile. Of the tests of
all modules whose second call in the jit lane is a replay of at least one segment, those whose "module::test"
has the smallest hash. The list is written down (`compiled_sample.txt`), so that it stays the same from change
to change; `--sample` writes it anew from the jit lane's outcomes.

Of a function with more than 40 sets of parameters, such as all ufuncs with all dtypes, `--every-change` runs
as many that each value of each parameter is met, 40 at least.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from .plugin import Outcome

SIZE = 300
MANY = 40  # sets of parameters of a function
FILE = Path(__file__).parent / "compiled_sample.txt"


def tests(module: str) -> frozenset[str]:
    """The module's tests that are in the sample."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return frozenset(line.partition("::")[2] for line in lines if line.startswith(f"{module}::"))


def varied(tests: Iterable[str], listed: set[str]) -> frozenset[str]:
    """Those of a module's tests that each change runs. listed: known failures, which are among them."""
    by_function: dict[str, list[str]] = {}
    for test in sorted(tests, key=_hash):
        by_function.setdefault(test.partition("[")[0], []).append(test)
    kept = set(listed)
    for of_function in by_function.values():
        met: set[tuple[int, str]] = set()
        others: list[str] = []
        for test in of_function:
            values = {*enumerate(test.partition("[")[2].removesuffix("]").split("-"))}
            if values <= met:
                others.append(test)
            else:
                kept.add(test)
                met |= values
        kept.update(others[: max(MANY - len(of_function) + len(others), 0)])
    return frozenset(kept)


def _hash(test: str) -> bytes:
    return hashlib.sha256(test.encode()).digest()


def choose(modules: dict[str, dict[str, Outcome]]) -> list[str]:
    """The sample, from the jit lane's outcomes by module and test."""
    found = [
        f"{module}::{test}"
        for module, outcomes in modules.items()
        for test, out in outcomes.items()
        if out.replayed_at == 2 and out.segments > 0
    ]
    return sorted(sorted(found, key=_hash)[:SIZE])


def write(modules: dict[str, dict[str, Outcome]]) -> None:
    FILE.write_text("".join(f"{name}\n" for name in choose(modules)))
