"""The corpus of loop programs: `PROGRAMS` holds those of all files in this folder."""

from __future__ import annotations

import importlib
import pkgutil

from tests.loops.programs.program import PROGRAMS, LoopProgram

__all__ = ["PROGRAMS", "LoopProgram"]

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")
