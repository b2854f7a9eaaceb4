"""`python -m npcompile doctor` checks what compiling needs, and says how to install what is missing.

A kernel and a native loop are compiled and run in a process of their own, with a kernel cache of their own.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from npcompile.commands.kernel_cache import size_text
from npcompile.diagnostics.words import count_text
from npcompile.lower.codegen import cpp
from npcompile.lower.store import cache, eviction

SECONDS = 300.0  # that the two compilations may take; Inductor alone takes some 15 to be imported

# What a user would write: the array work becomes a kernel, the loop a native loop.
PROGRAM = """
import json
import time
import numpy as np
import npcompile

@npcompile.jit(wait=True)
def arrays(x):
    return np.sqrt(x * x + 1.0).sum()

@npcompile.jit(wait=True)
def loop(x):
    last = 0.0
    for i in range(len(x)):
        last = 0.5 * last + x[i]
    return last

x = np.arange(200_000.0)
found = {}
for name, function in (("arrays", arrays), ("loop", loop)):
    begun = time.perf_counter()
    answers = [function(x) for _ in range(3)]
    function.wait()
    answers.append(function(x))
    stats = function.stats
    found[name] = {
        "seconds": time.perf_counter() - begun,
        "compiled": bool(stats.kernels if name == "arrays" else stats.loop_entries),
        "right": bool(np.allclose(answers, function.__wrapped__(x), rtol=1e-12)),
        "reasons": list(stats.reasons),
    }
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    name: what was looked at. works: False where it keeps programs from being compiled. text: what was found.
    instead: what to do about it, if anything.
    """

    name: str
    works: bool
    text: str
    instead: str = ""


def findings(version: str) -> Iterator[Finding]:
    """Yield what is found, one thing after the other. version: npcompile's own."""
    python = f"Python {platform.python_version()}, {platform.machine()}"
    yield Finding("npcompile", True, f"{version}, on {python}")
    yield Finding("NumPy", True, np.__version__)
    yield Finding("PyTorch", True, f"{torch.__version__}, {count_text(torch.get_num_threads(), 'thread')}")
    compiler = _compiler()
    yield compiler
    yield _folder()
    yield _gpu()
    if compiler.works:
        yield from _programs()


def report(found: Iterator[Finding]) -> int:
    """Print findings as they come; return 1 if anything does not work, else 0."""
    broken = 0
    for finding in found:
        print(f"{'ok     ' if finding.works else 'MISSING'}  {finding.name}: {finding.text}", flush=True)
        if finding.instead:
            print(f"         {finding.instead}", flush=True)
        broken += not finding.works
    print(
        "programs are compiled here"
        if not broken
        else "programs run on NumPy here: their answers are right, but nothing is compiled"
    )
    return int(broken > 0)


def _compiler() -> Finding:
    try:
        found = cpp.compiler()
    except cpp.CompilerMissing as missing:
        install = "install one: `apt install g++` (Debian, Ubuntu), `dnf install gcc-c++` (Fedora), or"
        return Finding(
            "C++ compiler", False, str(missing), f"{install} `conda install gxx`; CXX names another"
        )
    ran = subprocess.run([found, "--version"], capture_output=True, text=True)
    return Finding("C++ compiler", True, f"{found}, {(ran.stdout.splitlines() or ['of no version'])[0]}")


def _folder() -> Finding:
    try:
        folder = cache.directory()
    except OSError as error:
        text = f"{cache.root()} cannot be used: {error}"
        return Finding("kernels on disk", False, text, "set NPCOMPILE_CACHE_DIR to a folder of your own")
    kernels = eviction.kernels(folder)
    text = (
        f"{folder}, {count_text(len(kernels), 'kernel')}, {size_text(sum(kernel.size for kernel in kernels))}"
    )
    if Path(cache.root()) not in folder.parents:
        text = f"kept for one process alone, as {cache.root()} is not usable"
    return Finding("kernels on disk", True, text)


def _gpu() -> Finding:
    if not torch.cuda.is_available():
        return Finding("GPU", True, "none that PyTorch can use; programs run on the CPU")
    names = {torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())}
    return Finding("GPU", True, f"{', '.join(sorted(names))}: npcompile.device('cuda') uses it")


def _programs() -> Iterator[Finding]:
    """Compile and run two programs in a process of their own, and tell the error that it ends with."""
    with tempfile.TemporaryDirectory(prefix="npcompile-doctor-") as folder:
        path = Path(folder) / "program.py"
        path.write_text(PROGRAM)
        try:
            ran = subprocess.run(
                [sys.executable, str(path)],
                env=os.environ | {"NPCOMPILE_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            yield Finding("test programs", False, f"compiling took more than {SECONDS:.0f} seconds")
            return
    if ran.returncode:
        yield Finding(
            "test programs", False, (ran.stderr.splitlines() or ["they ended without a message"])[-1]
        )
        return
    names = {"arrays": "an array program", "loop": "a loop over elements"}
    for name, one in json.loads(ran.stdout.splitlines()[-1]).items():
        works = one["compiled"] and one["right"]
        text = f"compiled and run in {one['seconds']:.1f} s" if works else "NumPy did it"
        if not one["right"]:
            text = "the compiled answer is not NumPy's"
        yield Finding(names[name], works, text, "; ".join(one["reasons"]) if not works else "")
