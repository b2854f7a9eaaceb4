"""Functions of notebook cells are compiled, as Jupyter runs cells: one statement after the other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

# The last line that a cell prints: the replays and reasons of `f`, and whether its answers are NumPy's.
SAYS = """
import json, numpy
answers, plain = [f(*given) for _ in range(3)], f.__wrapped__(*given)
right = all(numpy.allclose(answer, plain, rtol=1e-13) for answer in answers)
print(json.dumps([f.stats.replays, f.stats.reasons, right]))
"""
DEFINES = """
import npcompile

@npcompile.jit(wait=True)
def f(a):
    return np.sin(a) * np.float64({}) + np.linalg.norm(a)

given = (np.arange(2000.0),)
"""
SCRIPT = "import numpy as np\n" + DEFINES.format(7) + SAYS

README = (Path(__file__).parent.parent / "README.md").read_text()
FIRST = re.search(r"```python\n(.*?)```", README, re.DOTALL)
assert FIRST is not None

CELLS: dict[str, str] = {
    "the README's first example": FIRST[1]
    + "f, given = kmeans, (np.random.default_rng(0).standard_normal((500, 2)), np.eye(2))"
    + SAYS,
    "with its import": "import numpy as np\n" + DEFINES.format(2) + SAYS,
    "run again": "import numpy as np\n" + DEFINES.format(2) + SAYS,
    "changed": "import numpy as np\n" + DEFINES.format(3) + SAYS,
    "without the import": DEFINES.format(4) + SAYS,
    "under an if": "if True:\n    import numpy as np\n"
    "    f = npcompile.jit(lambda a: np.sin(a) + 1, wait=True)" + SAYS,
    "jitted in a later cell": "def g(a):\n    return np.cos(a) + np.sum(a)",
    "the later cell": "f = npcompile.jit(g, wait=True)" + SAYS,
    "under %%time": "%%time\nimport numpy as np\n" + DEFINES.format(5) + SAYS,
    "under %%timeit": "%%timeit -n 1 -r 1\nimport numpy as np\n" + DEFINES.format(6) + SAYS,
    "called under %%time": "%%time" + SAYS,
    "by %run": "%run script.py",
    "by a magic in it": "%time f = npcompile.jit(lambda a: np.exp(-a) * 2, wait=True)\n" + SAYS,
    "a loop over the cell's own lists": "import numpy as np\n\n"
    "@npcompile.jit(wait=True)\ndef f(a):\n    found = []\n    for k in range(3):\n"
    "        found.append(np.sin(a) + k)\n    return np.stack(found)\n" + SAYS,
}
SILENT = {"jitted in a later cell"}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each cell printed: all of them run in one kernel."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "script.py").write_text(SCRIPT)
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_BACKEND", "interpreter")
        patch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
        nbclient.NotebookClient(
            notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        ).execute()
    streams = ["".join(out.text for out in cell.outputs if out.name == "stdout") for cell in cells]
    return dict(zip(CELLS, streams, strict=True))


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell not in SILENT])
def test_functions_of_cells_are_replayed(cell: str, said: dict[str, str]) -> None:
    (line,) = (line for line in said[cell].splitlines() if line.startswith("["))
    replays, reasons, right = json.loads(line)
    assert replays >= 1 and not reasons and right
