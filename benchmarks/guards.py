"""What 30 reads from outside and their guards add to a call, by kind."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import npcompile
from calls import least
from timing import header, parser, save

COUNT = 30

# The statement of which a function has 30, each with its own number for K.
KINDS = {
    "a function in a list": "x = functions[K](x)",
    "a number of the module": "x = x * number_K",
    "an array of the module": "x = x + array_K",
    "a flag of the module": "x = x + 1 if flag_K else x",
    "a text of the module": "x = x + 1 if text_K == 'a' else x",
    "a whole number that decides": "x = x + 1 if whole_K == 7 else x",
    "None or not": "x = x + 1 if nothing_K is None else x",
    "a fixed tuple": "x = x + 1 if pair_K[1] else x",
    "a dtype": "x = x.astype(dtype_K) + 1",
    "a dtype of an array": "x = x + 1 if array_K.dtype == np.float64 else x",
    "a shape of an array": "x = x * array_K.shape[0]",
    "a function of the module": "x = function_K(x)",
    "a cell of a closure": "x = x * cell_K",
    "a number of an object": "x = x * one.n_K",
    "an array of an object": "x = x + one.a_K",
    "a number in slots": "x = x * slotted.n_K",
    "a number of a class": "x = x * One.m_K",
    "a property": "x = x * one.p_K",
    "a method": "x = one.f_K(x)",
    "a number of an object's object": "x = x * outer.one.n_K",
    "a number of another module": "x = x * module.part.number_K",
    "a number in a dict": "x = x * table['n_K']",
    "an array in a dict": "x = x + arrays['n_K']",
    "a number in a dict by numbers": "x = x * numbered[K]",
    "a number in a list": "x = x * listed[K]",
    "an array in a list": "x = x + rows[K]",
    "a number in a tuple": "x = x * tupled[K]",
    "a number in a dict in a list": "x = x * tables[K]['w']",
    "nothing from outside": "x = x + K",
}

_HEAD = """import types
import numpy as np
class Slotted: __slots__ = [f"n_{k}" for k in range(COUNT)]
class One: pass
def maker(k):
    def plus(self_or_x, *x):
        return x[0] + k if x else self_or_x + k
    return plus
one, slotted, outer, module = One(), Slotted(), One(), types.ModuleType("module")
outer.one, module.part = one, types.ModuleType("part")
for k in range(COUNT):
    globals().update({f"number_{k}": 1 + k / 8, f"array_{k}": np.full(16, k / 8), f"flag_{k}": bool(k % 2)})
    globals().update({f"text_{k}": "ab"[k % 2], f"whole_{k}": k + 300, f"nothing_{k}": None})
    globals().update({f"pair_{k}": ("a", k % 2), f"dtype_{k}": np.dtype("f8")})
    setattr(one, f"n_{k}", 1 + k / 8); setattr(one, f"a_{k}", np.full(16, k / 8))
    setattr(slotted, f"n_{k}", 1 + k / 8); setattr(One, f"m_{k}", 1 + k / 8)
    setattr(module.part, f"number_{k}", 1 + k / 8)
table = {f"n_{k}": 1 + k / 8 for k in range(COUNT)}
arrays = {f"n_{k}": np.full(16, k / 8) for k in range(COUNT)}
numbered = {k: 1 + k / 8 for k in range(COUNT)}
listed = [1 + k / 8 for k in range(COUNT)]
rows = [np.full(16, k / 8) for k in range(COUNT)]
tupled = tuple(listed)
tables = [{"w": number} for number in listed]
functions = []
"""


def module_of(folder: Path, name: str, statement: str) -> ModuleType:
    """A module with a function that reads so 30 times."""
    each = range(COUNT)
    lines = [_HEAD.replace("COUNT", str(COUNT))]
    for k in each:
        lines.append(f"def function_{k}(x): return x + {k}\nfunctions.append(function_{k})")
        lines.append(f"def f_{k}(self, x): return x + {k}\nOne.f_{k} = f_{k}")
        lines.append(f"def p_{k}(self): return self.n_{k}\nOne.p_{k} = property(p_{k})")
    lines.append("def outer_function():")
    lines += [f"    cell_{k} = 1 + {k} / 8" for k in each]
    lines.append("    def many(x):")
    lines += [f"        {statement.replace('K', str(k))}" for k in each]
    lines += ["        return x", "    return many", "many = outer_function()"]
    file = folder / f"{name.replace(' ', '_')}.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    chosen = parser(__doc__).parse_args()
    header(f"{COUNT} reads from outside, in microseconds a call")
    print(f"{'':34}{'NumPy':>10}{'npcompile':>12}{'added':>10}{'guards':>10}")
    x = np.ones(16)
    none = npcompile.jit(lambda x: x * 2, wait=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, statement in KINDS.items():
            many = module_of(Path(folder), name, statement).many
            jitted = npcompile.jit(many, wait=True)
            found = least(
                {"NumPy": lambda f=many: f(x), "none": lambda: none(x), "all": lambda f=jitted: f(x)},  # type: ignore[misc]
                rounds=20,
            )
            numpys, alone, ours = (found[one] * 1e6 for one in ("NumPy", "none", "all"))
            guards = str(jitted.programs[0]).count("guard(") if jitted.programs else 0
            print(f"{name:34}{numpys:>10.2f}{ours:>12.2f}{ours - alone:>10.2f}{guards:>10}", flush=True)
            rows.append({"name": name, "numpy": numpys, "npcompile": ours, "added": ours - alone})
    save(chosen.json, "guards", measured=rows)


if __name__ == "__main__":
    main()
