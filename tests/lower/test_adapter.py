"""Private parts of torch: each one named is there, and none is imported before the worker needs it."""

from __future__ import annotations

import subprocess
import sys

from npcompile.lower import adapter

# In a process of its own: Inductor warns while it is imported, and what imports it must be seen
LOOK_UP = """
import importlib
from npcompile.lower.adapter import PRIVATE
for name in PRIVATE:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
            break
        except ImportError:
            pass
    for part in parts[cut:]:
        if not hasattr(found, part):
            print(name)
            break
        found = getattr(found, part)
"""


def test_private_symbols_exist():
    result = subprocess.run([sys.executable, "-c", LOOK_UP], check=True, capture_output=True, text=True)
    assert result.stdout == ""


def test_every_setting_is_listed():
    assert {f"torch._inductor.config.{name}" for name in adapter.SETTINGS} <= set(adapter.PRIVATE)


def test_importing_the_layer_imports_no_inductor():
    code = """
import sys
from npcompile.lower import adapter
from npcompile.lower.store import cache
from npcompile.lower.service import compiler, worker
from npcompile.lower.plan import graph
from npcompile.lower.native import kernel, native, pool

assert not any(name.startswith("torch._inductor") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_instructions_are_known_without_a_run_of_the_compiler():
    code = """
from torch._inductor.cpu_vec_isa import VecISA
from npcompile.lower import adapter

def run_compiler(*_):
    raise AssertionError("the worker would take as long to start as it takes to compile a kernel")

VecISA.check_build = run_compiler
adapter.toolchain()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
