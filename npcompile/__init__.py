"""npcompile runs unmodified NumPy programs as compiled programs.

`npcompile.jit` makes a function fast, `npcompile.device` runs it on a GPU, `npcompile.explain` says what
became of its lines, and `npcompile.verify` compares it with NumPy.
"""

import sys

TYPE_CHECKING = False

# `python -m npcompile run` starts the user's program first, and imports this package anew when it needs it.
if TYPE_CHECKING or not (
    sys.argv[:2] == ["-m", "run"] and sys.orig_argv[-len(sys.argv)] in ("npcompile", "-mnpcompile")
):
    from npcompile.diagnostics.garbage import made_permanent

    with made_permanent():
        from npcompile.diagnostics import installation

        installation.check()  # before the imports below, which fail less clearly where npcompile cannot run

        from npcompile.device import asarray, device
        from npcompile.diagnostics.settings import config, set_num_threads, warn_of_faults
        from npcompile.diagnostics.stats import Stats
        from npcompile.explain.explain import Explanation, explain
        from npcompile.explain.profile import profile
        from npcompile.frontend.eager.ndarray import ndarray
        from npcompile.frontend.program.program import Program
        from npcompile.frontend.vectorize import vectorize
        from npcompile.jit import Jitted, NotCompiledError, NotCompiledWarning, jit
        from npcompile.lower.native.pool import empty_cache
        from npcompile.runtime.ahead import spec
        from npcompile.verify.verify import DifferenceWarning, Verification, verify

    warn_of_faults()

__version__ = "0.1.0"

__all__ = [
    "DifferenceWarning",
    "Explanation",
    "Jitted",
    "NotCompiledError",
    "NotCompiledWarning",
    "Program",
    "Stats",
    "Verification",
    "__version__",
    "asarray",
    "config",
    "device",
    "empty_cache",
    "explain",
    "jit",
    "ndarray",
    "profile",
    "set_num_threads",
    "spec",
    "vectorize",
    "verify",
]


def __dir__() -> list[str]:
    return __all__
