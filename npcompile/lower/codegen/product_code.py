"""C++ code of two matrix products that read their matrix once, which is written by hand, not by Inductor.

`service/compile.py` asks for it first. The kernel's source is `native/products.h`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from npcompile.lower.codegen.wrapper import Call, Kernel, Memory, Program, View, metadata
from npcompile.lower.plan.products import DTYPES, both, part_of, through

SOURCE = Path(__file__).parents[1] / "native" / "products.h"


def written_by_hand(rows: list[tuple[Any, ...]]) -> bool:
    """Return True if a segment is a pair of products that this file has code for."""
    return any(row[0] == "call" and row[1] in (both, through) for row in rows)


def program_of(rows: list[tuple[Any, ...]], fakes: list[torch.Tensor], threads: int) -> Program:
    """Return the program of two products that read their matrix once, in the form in which wrappers are
    read."""
    calls = [row for row in rows if row[0] == "call"]
    left_is_given = any(row[1] is both for row in calls)
    order = [row[2][1] for row in calls if row[1] is part_of]
    views = [View(Memory(i, 0), 0, *metadata(fake)) for i, fake in enumerate(fakes)]
    matrix = views[0]
    transposed = matrix.strides[1] != 1
    height, width = matrix.shape[::-1] if transposed else matrix.shape
    stride = matrix.strides[1 if transposed else 0]
    dtype = matrix.dtype

    def allocated(length: int) -> View:
        return View(Memory(-1, length * dtype.itemsize, 0, 1), 0, (length,), (1,), dtype)

    results = [allocated(height), allocated(width)]
    parts = allocated(width * threads)
    name = DTYPES[dtype]
    types = [*[f"const {name}*"] * 3, *[f"{name}*"] * 3, *["const int64_t"] * 3]
    parameters = ", ".join(f"{type_} a{place}" for place, type_ in enumerate(types))
    arguments = ", ".join(f"a{place}" for place in range(len(types)))
    source = f"#include <torch/csrc/inductor/cpp_prefix.h>\n{SOURCE.read_text()}\n"
    source += f'extern "C" void kernel({parameters}) {{\n    npc_products({arguments});\n}}\n'
    kernel = Kernel("products", types, source)
    left = views[2] if left_is_given else results[0]
    call = Call(kernel, [matrix, views[1], left, *results, parts, height, width, stride])
    memories = [view.memory for view in (*results, parts)]
    return Program([kernel], [call], memories, [results[place] for place in order])
