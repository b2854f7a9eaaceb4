"""What `import npcompile` costs over `import torch`: each in new processes, taking turns."""

from __future__ import annotations

import statistics
import subprocess
import sys

from timing import header, parser, save

PROGRAM = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
MODULES = ("torch", "npcompile")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=9)
    chosen = options.parse_args()
    header("import time")
    times: dict[str, list[float]] = {module: [] for module in MODULES}
    for turn in range(chosen.rounds + 1):
        for module in MODULES:
            command = [sys.executable, "-c", PROGRAM.format(module)]
            seconds = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            if turn:  # the first turn fills the system's file cache
                times[module].append(seconds)
    medians = {module: statistics.median(found) for module, found in times.items()}
    for module, seconds in medians.items():
        print(f"import {module:12}{seconds:8.3f} s  ({min(times[module]):.3f} to {max(times[module]):.3f})")
    more = medians["npcompile"] - medians["torch"]
    print(f"npcompile over torch {more:.3f} s, {medians['npcompile'] / medians['torch']:.2f} x")
    save(chosen.json, "import time", times=times)


if __name__ == "__main__":
    main()
