"""npcompile runs unmodified NumPy programs as compiled programs.

`npcompile.jit` makes a function fast, `npcompile.device` runs it on a GPU, `npcompile.explain` says what
became of its lines, and `npcompile.verify` compares it with NumPy.
"""

from npcompile.diagnostics import installation

installation.check()  # before the imports below, which fail less clearly where npcompile cannot run

from npcompile.device import asarray, device  # noqa: E402
from npcompile.diagnostics.settings import config, set_num_threads, warn_of_faults  # noqa: E402
from npcompile.diagnostics.stats import Stats  # noqa: E402
from npcompile.explain.explain import Explanation, explain  # noqa: E402
from npcompile.explain.profile import profile  # noqa: E402
from npcompile.frontend.eager.ndarray import ndarray  # noqa: E402
from npcompile.frontend.program.program import Program  # noqa: E402
from npcompile.frontend.vectorize import vectorize  # noqa: E402
from npcompile.jit import Jitted, NotCompiledError, NotCompiledWarning, jit  # noqa: E402
from npcompile.lower.native.pool import empty_cache  # noqa: E402
from npcompile.runtime.ahead import spec  # noqa: E402
from npcompile.verify.verify import DifferenceWarning, Verification, verify  # noqa: E402

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

warn_of_faults()


def __dir__() -> list[str]:
    return __all__
