"""npcompile: NumPy programs made fast as they are."""

from npcompile.device import asarray, device
from npcompile.frontend.ndarray import ndarray
from npcompile.frontend.program import Program
from npcompile.jit import Jitted, NotCompiledError, NotCompiledWarning, jit
from npcompile.lower.pool import empty_cache
from npcompile.stats import Stats
from npcompile.verify import DifferenceWarning, Verification, verify

__all__ = [
    "DifferenceWarning",
    "Jitted",
    "NotCompiledError",
    "NotCompiledWarning",
    "Program",
    "Stats",
    "Verification",
    "asarray",
    "device",
    "empty_cache",
    "jit",
    "ndarray",
    "verify",
]
