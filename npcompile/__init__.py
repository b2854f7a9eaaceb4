"""npcompile runs unmodified NumPy programs as compiled programs.

`npcompile.jit` makes a function fast, `npcompile.device` runs it on a GPU, `npcompile.explain` says what
became of its lines, and `npcompile.verify` compares it with NumPy.
"""

from npcompile.device import asarray, device
from npcompile.diagnostics.stats import Stats
from npcompile.explain.explain import Explanation, explain
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.program import Program
from npcompile.frontend.vectorize import vectorize
from npcompile.jit import Jitted, NotCompiledError, NotCompiledWarning, jit
from npcompile.lower.native.pool import empty_cache
from npcompile.verify.verify import DifferenceWarning, Verification, verify

__all__ = [
    "DifferenceWarning",
    "Explanation",
    "Jitted",
    "NotCompiledError",
    "NotCompiledWarning",
    "Program",
    "Stats",
    "Verification",
    "asarray",
    "device",
    "empty_cache",
    "explain",
    "jit",
    "ndarray",
    "vectorize",
    "verify",
]
